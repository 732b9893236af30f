"""Static types of filters (language spec, section 4). Every filter has exactly one type. The text alone
determines the type."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import Enum

from cqlgui.base.data import dataclass, field
from cqlgui.cql.ast import nodes


class Type(Enum):
    """The type of a filter's value. A LOGICAL filter has no value. PIECE is the type of a piece variable; the
    value of a piece variable is a set of at most one square. DICTIONARY is the type of a dictionary's name.
    The grammar allows a dictionary's name only in certain places."""

    SET = "set"
    NUMERIC = "number"
    STRING = "string"
    POSITION = "position"
    LOGICAL = "condition"
    PIECE = "piece"
    DICTIONARY = "dictionary"


SETS = frozenset({Type.SET, Type.PIECE})


@dataclass(slots=True)
class Entries:
    """Types of a dictionary's keys and values. The first use in the text determines each type. Before the
    first use, the type is None."""

    local: bool
    key: Type | None = None
    value: Type | None = None


@dataclass(slots=True)
class Names:
    """The variables of one query with their types, the dictionaries of the query, and a memo for `infer`.
    Variables are global, and the type of a variable never changes."""

    types: Mapping[str, Type] = field(default_factory=dict)
    dictionaries: Mapping[str, Entries] = field(default_factory=dict)
    _memo: dict[int, tuple[nodes.Node, Type]] = field(default_factory=dict, repr=False, compare=False)

    def __getitem__(self, name: str) -> Type:
        return self.types[name]

    def __contains__(self, name: object) -> bool:
        return name in self.types

    def __iter__(self) -> Iterator[str]:
        return iter(self.types)

    def __len__(self) -> int:
        return len(self.types)

    def __getstate__(self) -> tuple[Mapping[str, Type], Mapping[str, Entries]]:
        return dict(self.types), dict(self.dictionaries)

    def __setstate__(self, state: tuple[Mapping[str, Type], Mapping[str, Entries]]) -> None:
        self.types, self.dictionaries = state
        self._memo = {}


def infer(node: nodes.Node, names: Names) -> Type:
    """The type of a checked or expanded filter. `names` remembers the type of each node, so each node is
    visited only once.

    Raises KeyError for a variable that `names` lacks. A missing variable means that the tree was not checked.
    """
    known = names._memo.get(id(node))
    if known is not None and known[0] is node:
        return known[1]
    answer = RULES[type(node)](node, names)
    # The memo keeps the node alive. As long as the node lives, no other node can get the same id.
    names._memo[id(node)] = (node, answer)
    return answer


def is_set(node: nodes.Node, names: Names) -> bool:
    """True for sets of squares, including piece variables."""
    return infer(node, names) in SETS


Rule = Callable[[nodes.Node, Names], Type]


def always(answer: Type) -> Rule:
    return lambda node, names: answer


def _name(node: nodes.Node, names: Names) -> Type:
    assert isinstance(node, nodes.Name)
    return names[node.name]


def _operand(node: nodes.Node, names: Names) -> Type:
    assert isinstance(node, nodes.Sort | nodes.NoTransform)
    return valued(infer(node.operand, names))


def valued(kind: Type) -> Type:
    """The type of a filter from the point of view of an enclosing filter. A piece variable counts as a SET;
    all other types stay the same."""
    return Type.SET if kind is Type.PIECE else kind


def _compound(node: nodes.Node, names: Names) -> Type:
    assert isinstance(node, nodes.Compound)
    return valued(infer(node.filters[-1], names))


def _extremum(node: nodes.Node, names: Names) -> Type:
    assert isinstance(node, nodes.Extremum)
    return infer(node.operands[0], names)


def _arithmetic(node: nodes.Node, names: Names) -> Type:
    assert isinstance(node, nodes.Arithmetic)
    return infer(node.left, names)


def _compare(node: nodes.Node, names: Names) -> Type:
    """The type of a comparison. The value of a comparison is the value of the left operand. If the left
    operand is a set and the right operand is a number, the value is the size of the set. `!=` and comparisons
    of two sets have no value."""
    assert isinstance(node, nodes.Compare)
    if node.operator == "!=":
        return Type.LOGICAL
    left, right = infer(node.left, names), infer(node.right, names)
    if left in SETS:
        return Type.LOGICAL if right in SETS else Type.NUMERIC
    return left


def _find(node: nodes.Node, names: Names) -> Type:
    assert isinstance(node, nodes.Find)
    return Type.NUMERIC if node.all or node.range is not None else Type.POSITION


def _ray(node: nodes.Node, names: Names) -> Type:
    assert isinstance(node, nodes.Ray)
    return Type.SET if node.range is None else Type.NUMERIC


def _loop(node: nodes.Node, names: Names) -> Type:
    assert isinstance(node, nodes.SquareLoop | nodes.PieceLoop)
    return Type.LOGICAL if node.all else Type.SET


def transformed(operand: Type, ranged: bool) -> Type:
    """The type of an orbit. With a range, an orbit is a number. Without a range, an orbit of sets is a set
    (the union), and an orbit of numbers is a number (the maximum). Any other orbit is a condition."""
    if ranged:
        return Type.NUMERIC
    if operand in SETS:
        return Type.SET
    return Type.NUMERIC if operand is Type.NUMERIC else Type.LOGICAL


def _transform(node: nodes.Node, names: Names) -> Type:
    assert isinstance(node, nodes.Transform)
    return transformed(infer(node.operand, names), node.range is not None)


def _orbit(node: nodes.Node, names: Names) -> Type:
    assert isinstance(node, nodes.Orbit)
    first = node.elements[0].filter if node.elements else node.operand
    operand = Type.LOGICAL if first is None else infer(first, names)
    return transformed(operand, node.range is not None)


RULES: dict[type[nodes.Node], Rule] = {
    nodes.Designator: always(Type.SET),
    nodes.AllSquares: always(Type.SET),
    nodes.EmptySet: always(Type.SET),
    nodes.Number: always(Type.NUMERIC),
    nodes.String: always(Type.STRING),
    nodes.Name: _name,
    nodes.Truth: always(Type.LOGICAL),
    nodes.SideToMove: always(Type.LOGICAL),
    nodes.State: always(Type.LOGICAL),
    nodes.CurrentPosition: always(Type.POSITION),
    nodes.Measure: always(Type.NUMERIC),
    nodes.Elo: always(Type.NUMERIC),
    nodes.Player: always(Type.STRING),
    nodes.Result: always(Type.LOGICAL),
    nodes.TagText: always(Type.STRING),
    nodes.ImplicitSearch: always(Type.LOGICAL),
    nodes.CurrentTransform: always(Type.STRING),
    nodes.Not: always(Type.LOGICAL),
    nodes.Complement: always(Type.SET),
    nodes.Negate: always(Type.NUMERIC),
    nodes.Count: always(Type.NUMERIC),
    nodes.Numeric: always(Type.NUMERIC),
    nodes.Extremum: _extremum,
    nodes.Power: always(Type.NUMERIC),
    nodes.Shade: always(Type.SET),
    nodes.Direction: always(Type.SET),
    nodes.Between: always(Type.SET),
    nodes.Ray: _ray,
    nodes.Find: _find,
    nodes.Sort: _operand,
    nodes.Comment: always(Type.LOGICAL),
    nodes.Transform: _transform,
    nodes.NoTransform: _operand,
    nodes.Compound: _compound,
    nodes.SetOperation: always(Type.SET),
    nodes.Attack: always(Type.SET),
    nodes.Arrow: always(Type.SET),
    nodes.Compare: _compare,
    nodes.Arithmetic: _arithmetic,
    nodes.In: always(Type.LOGICAL),
    nodes.Logic: always(Type.LOGICAL),
    nodes.Assign: always(Type.LOGICAL),
    nodes.SquareLoop: _loop,
    nodes.PieceLoop: _loop,
    nodes.PieceAssign: always(Type.LOGICAL),
    nodes.Orbit: _orbit,
}

"""From a query's text to its pattern.

Every text that parses is read. A filter that marks, arrows and conditions cannot express is kept as a span.
No function here raises an error.
"""

from __future__ import annotations

from typing import Final

from cqlgui.base.data import dataclass
from cqlgui.board import men, squares
from cqlgui.cql.ast import nodes, nodes_moves
from cqlgui.cql.editing import structure
from cqlgui.cql.printing import printer
from cqlgui.cql.source.diagnostics import Span
from cqlgui.pattern import groups
from cqlgui.pattern.marks import Arrow, Condition, ConditionKind, Mark, Pattern, Relation, Role


def pattern_at(text: str, caret: int) -> Pattern | None:
    """The pattern of the group that a caret means (`group_at`); None if the text has errors.

    A text without filters has an empty pattern at its end.
    """
    group = group_at(text, caret)
    return None if group is None else read(text, group).pattern


def group_at(text: str, caret: int) -> groups.PatternGroup | None:
    """The group that the window draws: the first of `groups_at`. `editing.set_transforms` puts transforms
    around this group. None if the text has errors."""
    return next(iter(groups_at(text, caret)), None)


def groups_at(text: str, caret: int) -> list[groups.PatternGroup]:
    """The groups that a caret may mean, the likeliest first. Empty if the text has errors. If the caret
    stands between braces or in the transforms before braces, the groups of these braces are meant, the
    innermost first.

    If the caret stands anywhere else, the body is meant. If marks or arrows stand directly in the body, or if
    the body has no braces, the body is the only group. In every other case, there are two groups. The first
    is the group that the caret touches, or the first group in the body if the caret touches no group. The
    second is the body.
    """
    body = groups.body(text)
    if body is None:
        return []
    within = [group for group in groups.all_groups(text) if group.holds(caret) or _heads(group, caret)]
    if within:
        return sorted(within, key=lambda group: group.content.length)
    main = groups.main_groups(text)
    if not main or read(text, body).drawn:
        return [body]
    touched = (group for group in main if _reach(group).offset <= caret <= _reach(group).end)
    return [next(touched, main[0]), body]


def _heads(group: groups.PatternGroup, caret: int) -> bool:
    """Whether a caret stands in the transforms before a group."""
    return _reach(group).offset < caret <= group.outside.offset


def of_node(node: nodes.Node) -> Pattern:
    """The pattern of a filter, without its transforms.

    The syntax tree has no nodes for brackets, so a single alternative `(Nf5)` is read as a man that must be
    there.
    """
    chain: list[nodes.Transform] = []
    while isinstance(node, nodes.Transform):
        chain.append(node)
        node = node.operand
    filters = node.filters if isinstance(node, nodes.Compound) else (node,)
    parts = [_part(one) for one in filters]
    return _Reader(node.span, False, _words(chain)).read(parts).pattern


@dataclass(frozen=True, slots=True)
class Item:
    """A filter of a group: its place, including brackets around the filter, and its meaning.

    `marks` are places in `Pattern.marks`; for an arrow they are the places of its origin and its target.
    `arrow` and `condition` are places in `Pattern.arrows` and `Pattern.conditions`, -1 for none. `holder`
    says that the filter is a place holder for a pattern without filters.
    """

    span: Span
    marks: tuple[int, ...] = ()
    arrow: int = -1
    condition: int = -1
    holder: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """A pattern and the filters of its group, in text order."""

    pattern: Pattern
    items: tuple[Item, ...]

    @property
    def drawn(self) -> bool:
        """Whether there are marks or arrows, or a place holder for the first mark or arrow."""
        return any(item.marks or item.holder for item in self.items)

    def own(self, place: int) -> Item | None:
        """The item that contains a mark; None if only arrows name the mark."""
        return next((item for item in self.items if item.arrow < 0 and place in item.marks), None)


def read(text: str, group: groups.PatternGroup) -> Reading:
    """The pattern of a group, with the filters of the group."""
    found = groups.layout(text)
    parts = [_part(node, found, group.content) for node in group.filters]
    return _Reader(group.content, group.braced, _words(group.chain)).read(parts)


def nothing_drawn(text: str) -> bool:
    """Whether a query is only the place holder of an empty pattern and has no conditions yet."""
    query = structure.checked(text).query
    body = None if query is None else query.body
    while isinstance(body, nodes.Transform):
        body = body.operand
    return isinstance(body, nodes.Truth) and body.value


# --- one filter ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Part:
    """The meaning of one filter, before equal marks are joined. `role` is None for an arrow."""

    node: nodes.Node
    span: Span
    ends: tuple[nodes.Designator, ...] = ()
    role: Role | None = None
    relation: Relation | None = None
    kind: ConditionKind | None = None
    text: str = ""
    bracketed: bool = False
    holder: bool = False


def _part(node: nodes.Node, found: groups.Layout | None = None, within: Span | None = None) -> _Part:
    span, bracketed, written = node.span, False, ""
    if found is not None:
        pairs = found.brackets(node.span, within)
        span = found.over(*(pairs[-1] if pairs else found.bare(node.span)))
        if any(found.tokens[first].word == "{" for first, _ in pairs):
            return _Part(node, span)  # The braces make the filter a group of its own.
        bracketed, written = bool(pairs), found.text[span.offset : span.end]
    kind = condition_kind(node)
    if kind is not None:
        return _Part(node, span, kind=kind, text=written or printer.print_node(node))
    if isinstance(node, nodes.Designator):
        return _Part(node, span, (node,), Role.MUST, bracketed=bracketed)
    if isinstance(node, nodes.Truth):
        return _Part(node, span, holder=node.value)
    if isinstance(node, nodes.Not) and isinstance(node.operand, nodes.Designator):
        return _Part(node, span, (node.operand,), Role.NOT)
    alternatives = _alternatives(node)
    if len(alternatives) > 1 and (found is None or _is_flat(found, span)):
        return _Part(node, span, tuple(alternatives), Role.EITHER)
    relation = _relation(node)
    if relation is not None:
        return _Part(node, span, relation[1:], relation=relation[0])
    return _Part(node, span)


def _alternatives(node: nodes.Node) -> list[nodes.Designator]:
    """The designators of a union that has only designators; empty for any other filter."""
    if isinstance(node, nodes.Designator):
        return [node]
    if isinstance(node, nodes.SetOperation) and node.operator == "|":
        left, right = _alternatives(node.left), _alternatives(node.right)
        return [*left, *right] if left and right else []
    return []


def _is_flat(found: groups.Layout, span: Span) -> bool:
    """Whether every pair of brackets in a union encloses the whole union."""
    words = [one.word for one in found.within(span)]
    inner = [word for word in words if word not in ("(", ")", "{", "}")]
    outer = (len(words) - len(inner)) // 2
    return words[outer : len(words) - outer] == inner


def _relation(node: nodes.Node) -> tuple[Relation, nodes.Designator, nodes.Designator] | None:
    """The relation that a filter expresses, the designator of the origin, and the designator of the
    target."""
    match node:
        case nodes.Attack(word=word, left=nodes.Designator() as left, right=nodes.Designator() as right):
            return (Relation.ATTACKS, left, right) if word == "attacks" else (Relation.ATTACKS, right, left)
        case nodes.Arrow(operator=sign, operands=(nodes.Designator() as left, nodes.Designator() as right)):
            return (Relation.ATTACKS, left, right) if sign == "->" else (Relation.ATTACKS, right, left)
        case nodes_moves.Dash(
            capture=False,
            left=nodes.Designator() as left,
            right=nodes.Designator() as right,
            promotion=None,
            target=None,
        ):
            return Relation.MOVES, left, right
        case nodes.Ray(directions=0xFF, attack=False, range=None, operands=(first, *middle, last)):
            if not (isinstance(first, nodes.Designator) and isinstance(last, nodes.Designator)):
                return None
            if not middle:
                return Relation.RAY, first, last
            if len(middle) == 1 and _is_any_man(middle[0]):
                return Relation.RAY_ONE, first, last
        case nodes.SetOperation(
            operator="&",
            left=nodes.Designator() as left,
            right=nodes.Direction(directions=mask, range=None, operand=nodes.Designator() as right),
        ):
            relation = _LINES.get(mask)
            return None if relation is None else (relation, left, right)
    return None


_LINES: Final = {
    0b00010001: Relation.FILE,
    0b01000100: Relation.RANK,
    0b10101010: Relation.DIAGONAL,
}


def _is_any_man(node: nodes.Node) -> bool:
    anyone = men.WHITE_MASK | men.BLACK_MASK
    return isinstance(node, nodes.Designator) and (node.men, node.squares) == (anyone, squares.ALL)


# --- conditions ---------------------------------------------------------------------------------------------


def condition_kind(node: nodes.Node) -> ConditionKind | None:
    """The `ConditionKind` of a filter. If the filter negates a condition, the result is the kind of this
    condition. None if the filter is no condition."""
    match node:
        case nodes.Not(operand=operand) if not isinstance(operand, nodes.Not):
            return condition_kind(operand)
        case nodes.SideToMove():
            return "turn"
        case nodes.State(word="check"):
            return "check"
        case nodes.State(word="mate"):
            return "mate"
        case nodes.State(word="stalemate"):
            return "stalemate"
        case nodes.Result():
            return "result"
        case nodes.ImplicitSearch(text=nodes.Player()):
            return "player"
        case nodes.Compare(left=left, right=right):
            return _compared(left, right)
    return None


def _compared(left: nodes.Node, right: nodes.Node) -> ConditionKind | None:
    for one, other in ((left, right), (right, left)):
        if isinstance(other, nodes.Number):
            if isinstance(one, nodes.Elo):
                return "elo"
            if isinstance(one, nodes.Measure) and one.word in ("movenumber", "year"):
                return "year" if one.word == "year" else "movenumber"
        if isinstance(one, nodes.Number) and isinstance(other, nodes.Compare):
            # The filter has two bounds: `1990 <= year <= 1999`.
            kind = _compared(other.left, other.right)
            return kind if kind in ("elo", "movenumber", "year") else None
    sides = [_is_material(left), _is_material(right)]
    bare = isinstance(left, nodes.Designator) and isinstance(right, nodes.Designator)
    counts = any(sides) and all(
        known or isinstance(one, nodes.Number) for known, one in zip(sides, (left, right), strict=True)
    )
    return "material" if counts and not bare else None


def _is_material(node: nodes.Node) -> bool:
    """Whether a filter counts men on all squares."""
    match node:
        case nodes.Designator(squares=board):
            return board == squares.ALL
        case nodes.Power(operand=operand) | nodes.Count(operand=operand):
            return all(
                isinstance(one, (nodes.Designator, nodes.SetOperation))
                and (not isinstance(one, nodes.Designator) or one.squares == squares.ALL)
                for one in nodes.walk(operand)
            )
        case nodes.Arithmetic(left=left, right=right):
            return all(isinstance(one, nodes.Number) or _is_material(one) for one in (left, right))
    return False


# --- all of a group -----------------------------------------------------------------------------------------


class _Reader:
    """Makes a pattern from the filters of a group."""

    def __init__(self, span: Span, braced: bool, transforms: tuple[str, ...]) -> None:
        self.span = span
        self.braced = braced
        self.transforms = transforms
        self.marks: list[tuple[int, int, Role, list[Span]]] = []
        self.places: dict[tuple[int, int, Role | None], int] = {}
        self.arrows: list[Arrow] = []
        self.conditions: list[Condition] = []
        self.others: list[Span] = []

    def read(self, parts: list[_Part]) -> Reading:
        parts = _with_alternatives(parts)
        named = [
            tuple(self.mark(one, part.role) for one in part.ends) if part.role is not None else ()
            for part in parts
        ]
        items = []
        for part, marks in zip(parts, named, strict=True):
            if part.relation is not None:
                marks = tuple(self.mark(one, None) for one in part.ends)
                self.arrows.append(Arrow(part.relation, marks[0], marks[1], part.span))
                items.append(Item(part.span, marks, arrow=len(self.arrows) - 1))
            elif part.kind is not None and all(one.kind != part.kind for one in self.conditions):
                self.conditions.append(Condition(part.kind, part.text, part.span))
                items.append(Item(part.span, condition=len(self.conditions) - 1))
            elif marks:
                items.append(Item(part.span, marks))
            elif part.holder:
                items.append(Item(part.span, holder=True))
            else:
                self.others.append(part.span)
                items.append(Item(part.span))
        pattern = Pattern(
            tuple(Mark(one, board, role, tuple(spans)) for one, board, role, spans in self.marks),
            tuple(self.arrows),
            tuple(self.conditions),
            tuple(self.others),
            self.span,
            self.braced,
            self.transforms,
        )
        return Reading(pattern, tuple(items))

    def mark(self, node: nodes.Designator, role: Role | None) -> int:
        """The index of the mark for a designator. A designator at an end of an arrow has the `role` None, and
        a mark with any role fits this designator. If no mark fits, a new mark is made. The new mark has the
        role `MUST` if `role` is None."""
        place = self.places.get((node.men, node.squares, role))
        if place is None:
            place = len(self.marks)
            self.marks.append((node.men, node.squares, role or Role.MUST, []))
            self.places[node.men, node.squares, role or Role.MUST] = place
            self.places.setdefault((node.men, node.squares, None), place)
        self.marks[place][3].append(node.span)
        return place


def _with_alternatives(parts: list[_Part]) -> list[_Part]:
    """A pattern has at most one list of alternatives: the first union. If there is no union, the list is the
    first designator that stands alone in brackets. Marks cannot express a second union."""
    unions = [place for place, part in enumerate(parts) if part.role is Role.EITHER]
    found = list(parts)
    for place in unions[1:]:
        found[place] = _Part(parts[place].node, parts[place].span)
    if not unions:
        single = next((place for place, part in enumerate(parts) if part.bracketed), -1)
        if single >= 0:
            part = parts[single]
            found[single] = _Part(part.node, part.span, part.ends, Role.EITHER)
    return found


def _words(chain: tuple[nodes.Transform, ...] | list[nodes.Transform]) -> tuple[str, ...]:
    return tuple(one.word for one in chain)


def _reach(group: groups.PatternGroup) -> Span:
    """The span of a group, including the transforms in front of the group."""
    return group.chain[0].span.to(group.outside) if group.chain else group.outside

"""Writes machine code that finds the squares to ring at a hit. The squares are the same as in
`cql.interpreting.rings`.

A filter contributes the squares of its set filters that hold at the position. Set filters under `not` do not
contribute squares. `shows` says at compile time whether a filter can contribute squares. A filter that cannot
contribute squares is not tested.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from cqlgui.board import squares
from cqlgui.cql.ast import nodes, nodes_moves, nodes_programs, nodes_squares
from cqlgui.cql.ast.types import Type
from cqlgui.cql.interpreting import rings
from cqlgui.engine.kernels import routines
from cqlgui.engine.lowering import blocks, lowering_orbits, lowering_tree
from cqlgui.engine.lowering.blocks import integer, word
from cqlgui.engine.lowering.dispatch import Lowering
from cqlgui.engine.lowering.scope import Scope
from cqlgui.jit.emitter import Value
from cqlgui.jit.words import Scalar


def shows(low: Lowering, s: Scope, node: nodes.Node) -> bool:
    """Whether a filter can contribute squares."""
    match node:
        case nodes.Designator():
            # The elements of an orbit with a table may have different squares.
            return node.squares != squares.ALL or not node.men & 1 or "squares" in blocks.varied(s, node)
        case nodes.SetOperation(operator="|"):
            return shows(low, s, node.left) or shows(low, s, node.right)
        case nodes.SetOperation() | nodes.Shade():
            return low.type_of(node) is not Type.POSITION
        case nodes.SquareLoop() | nodes.PieceLoop() if node.all:
            return shows(low, s, node.domain)
        case nodes.Name() | nodes_programs.Entry():
            return low.is_set(node) if isinstance(node, nodes.Name) else low.type_of(node) is Type.SET
        case nodes_moves.Move():
            return low.type_of(node) is Type.SET
        case nodes_programs.If():
            branches = (node.condition, node.then, node.otherwise)
            return any(one is not None and shows(low, s, one) for one in branches)
        case _ if isinstance(node, _ALWAYS):
            return True
        case _:
            return any(shows(low, s, one) for one in _parts(node))


_ALWAYS: Final = (
    nodes.Attack, nodes.Arrow, nodes.Ray, nodes.SquareLoop, nodes.PieceLoop, nodes_moves.PreviousSquares,
    nodes_moves.PossibleMoves, nodes_moves.Pin, nodes_moves.Dash, nodes_moves.CurrentMove,
    nodes_squares.PawnSet, nodes_squares.Picture,
)  # fmt: skip


def _parts(node: nodes.Node) -> Sequence[nodes.Node]:
    """The parts of a filter that may contribute squares."""
    match node:
        case nodes.Compound():
            return node.filters
        case nodes.Logic() | nodes.Compare() | nodes.Arithmetic() | nodes.Between():
            return node.left, node.right
        case nodes.SetOperation(operator="|"):
            return node.left, node.right
        case nodes.Orbit():
            return [element.filter for element in node.elements]
        case nodes.In():
            return (node.left,)
        case nodes.Extremum():
            return node.operands
        case nodes.Direction() | nodes.Count() | nodes.Negate() | nodes.Numeric() | nodes.Power():
            return (node.operand,)
        case nodes.Sort() | nodes.NoTransform() | nodes_squares.SquareFact():
            return (node.operand,)
        case nodes_programs.Call():
            return (node.body,)
        case _:
            return ()


def ringed(low: Lowering, s: Scope, node: nodes.Node) -> Value:
    """The squares that a filter contributes if the filter holds at the current position."""
    if not shows(low, s, node):
        return word(0)
    match node:
        case nodes.Designator():
            return _designator(low, s, node)
        case nodes.Attack():
            return _attack(low, s, node.left, node.right, node.word == "attacks")
        case nodes.Arrow(operands=(left, right)):
            return _attack(low, s, left, right, node.operator == "->")
        case nodes.Arrow():
            ordered = node.operands if node.operator == "->" else node.operands[::-1]
            return _rays(low, s, ordered, 0xFF, True)
        case nodes.Ray():
            return _rays(low, s, node.operands, node.directions, node.attack)
        case nodes.Logic(word="or"):
            return _united(s, [_if_it_holds(low, s, one) for one in (node.left, node.right)])
        case nodes.Orbit():
            return _orbit(low, s, node)
        case nodes.SquareLoop() | nodes.PieceLoop() if node.all:
            return ringed(low, s, node.domain)
        case nodes_moves.Dash():
            return _moved(low, s, node)
        case nodes_moves.CurrentMove():
            return _moved_before(low, s, node)
        case nodes_programs.If():
            return _branches(low, s, node)
        case _:
            parts = _parts(node)
            return _united(s, [ringed(low, s, one) for one in parts]) if parts else low.set_of(s, node)


def of_element(low: Lowering, s: Scope, element: nodes.Node) -> Value:
    """The squares of an element of an orbit that matched (`rings.Rings`). If the element assigns variables,
    another element may have overwritten their values. Running the test of the element assigns the right
    values again."""
    assigns = any(isinstance(one, rings.ASSIGNING) for one in nodes.walk(element))
    return _if_it_holds(low, s, element) if assigns else ringed(low, s, element)


def _united(s: Scope, areas: Sequence[Value]) -> Value:
    found: Value = word(0)
    for area in areas:
        found = s.f.binary("or", found, area)
    return found


def _designator(low: Lowering, s: Scope, node: nodes.Designator) -> Value:
    area = blocks.leaf(s, node, "squares")
    found = low.set_of(s, node)
    if area is None or not node.men & 1:
        return found
    return s.f.select(s.f.compare("eq", area, word(squares.ALL)), word(0), found)


def _if_it_holds(low: Lowering, s: Scope, node: nodes.Node) -> Value:
    if not shows(low, s, node):
        return word(0)

    def fill(found: Callable[[Value], None]) -> None:
        yes, no = s.f.label(), s.f.label()
        low.test(s, node, yes, no)
        s.f.begin(yes)
        found(ringed(low, s, node))
        s.f.begin(no)
        found(word(0))

    return blocks.joined(s, Scalar.WORD, fill)


def _branches(low: Lowering, s: Scope, node: nodes_programs.If) -> Value:
    """The squares of the condition if the condition holds, and the squares of the branch that is taken."""

    def fill(found: Callable[[Value], None]) -> None:
        yes, no = s.f.label(), s.f.label()
        low.test(s, node.condition, yes, no)
        s.f.begin(yes)
        # The interpreter tests the condition once more before it takes the squares of the condition.
        found(_united(s, [_if_it_holds(low, s, node.condition), ringed(low, s, node.then)]))
        s.f.begin(no)
        found(word(0) if node.otherwise is None else ringed(low, s, node.otherwise))

    return blocks.joined(s, Scalar.WORD, fill)


def _orbit(low: Lowering, s: Scope, node: nodes.Orbit) -> Value:
    found = s.f.slot(Scalar.WORD)
    s.f.store(word(0), found)

    def each(inner: Scope, element: nodes.Node, _number: Value, following: str) -> None:
        area = _if_it_holds(low, inner, element)
        s.f.store(s.f.binary("or", s.f.load(found), area), found)
        s.f.jump(following)

    lowering_orbits.each_element(low, s, node, each)
    return s.f.load(found)


def _attack(low: Lowering, s: Scope, left: nodes.Node, right: nodes.Node, forward: bool) -> Value:
    """The men that attack, and the squares that they attack."""
    first, second = low.set_of(s, left), low.set_of(s, right)
    sources, targets = (first, second) if forward else (second, first)

    def ends() -> Value:
        attacking = blocks.call(s, routines.attackers, s.here, sources, targets)
        return s.f.binary("or", attacking, blocks.call(s, routines.attacked, s.here, targets, attacking))

    return blocks.where_all(s, (sources, targets), ends)


def _rays(low: Lowering, s: Scope, operands: Sequence[nodes.Node], directions: int, attack: bool) -> Value:
    sets = [low.set_of(s, one) for one in operands]

    def along() -> Value:
        asked = blocks.array_of(s, sets), integer(len(sets)), integer(directions), integer(int(attack))
        return blocks.call(s, routines.ray_men, s.here, *asked)

    return blocks.where_all(s, sets, along)


def _moved(low: Lowering, s: Scope, node: nodes_moves.Dash) -> Value:
    """The from- and to-squares of a move from the current position. The move is the first move that satisfies
    the dash."""
    sources, goals = lowering_tree.dash_head(low, s, node)

    def fill(found: Callable[[Value], None]) -> None:
        none = s.f.label()
        with lowering_tree.each_move(low, s, none) as (there, following):
            inner = lowering_tree.fitted(low, s, there, node, sources, goals, following, with_cut=True)
            found(_ends_of(low, inner, node, following))
        s.f.begin(none)
        found(word(0))

    return blocks.joined(s, Scalar.WORD, fill)


def _moved_before(low: Lowering, s: Scope, node: nodes_moves.CurrentMove) -> Value:
    """The from- and to-squares of the move that led to the current position, if the move satisfies the
    dash."""

    def fill(found: Callable[[Value], None]) -> None:
        none = s.f.label()
        inner = lowering_tree.behind(low, s, node, none, with_cut=True)
        found(_ends_of(low, inner, node.dash, none))
        s.f.begin(none)
        found(word(0))

    return blocks.joined(s, Scalar.WORD, fill)


def _ends_of(low: Lowering, there: Scope, node: nodes_moves.Dash, fail: str) -> Value:
    """The squares of a move that fits a dash. Code goes to `fail` if the target of the dash fails after the
    move."""
    assert there.cut is not None
    if node.target is not None:
        good = there.f.label()
        low.test(there, node.target, good, fail)
        there.f.begin(good)
    _, origins, landings = there.cut
    return there.f.binary("or", origins, landings)

"""Rules for the filters that look at the board: designators, set algebra, attacks, directions, rays, pawns,
loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from cqlgui.base.data import dataclass, replace
from cqlgui.board import attacks, squares
from cqlgui.board import men as board_men
from cqlgui.cql.ast import nodes, nodes_moves, nodes_squares
from cqlgui.cql.interpreting.expressions import closures_board
from cqlgui.cql.interpreting.runtime import relations
from cqlgui.engine.kernels import routines, routines_economy, routines_tree
from cqlgui.engine.lowering import blocks, dispatch
from cqlgui.engine.lowering.blocks import integer, word
from cqlgui.engine.lowering.dispatch import NUMBERS, SETS, TESTS, Lowering
from cqlgui.engine.lowering.scope import Bound, Number, Scope
from cqlgui.engine.replaying import layout
from cqlgui.jit import kernels
from cqlgui.jit.emitter import Value
from cqlgui.jit.words import Scalar

# --- designators and set algebra ----------------------------------------------------------------------------


def _designator(low: Lowering, s: Scope, node: nodes.Designator) -> Value:
    f = s.f
    area = blocks.leaf(s, node, "squares")
    if node.men == board_men.ANY_MASK:
        return word(node.squares) if area is None else area
    found: Value | None = None
    for number, place in enumerate(closures_board.places(node.men)):
        chosen = blocks.leaf(s, node, f"men{number}")
        part = blocks.men(s, place) if chosen is None else _chosen_men(s, place, chosen)
        found = part if found is None else f.binary("or", found, part)
    if found is None:
        return word(0)
    if area is None and node.squares == squares.ALL:
        return found
    return f.binary("and", found, word(node.squares) if area is None else area)


def _chosen_men(s: Scope, place: int, chosen: Value) -> Value:
    """The squares of the men that a row of an orbit's table names. The row has a man code, or the number of a
    side (`_WHITE` or `_BLACK`)."""
    if place < 13:
        return s.f.load(s.here, chosen)
    white = s.f.compare("eq", chosen, word(_WHITE))
    return s.f.select(white, blocks.men(s, _WHITE), blocks.men(s, _BLACK))


_WHITE: Final = 13
_BLACK: Final = 14


def _constant(area: int) -> dispatch.SetRule:
    return lambda low, s, node: word(area)


def _complement(low: Lowering, s: Scope, node: nodes.Complement) -> Value:
    return s.f.inverted(low.set_of(s, node.operand))


def _set_operation(low: Lowering, s: Scope, node: nodes.SetOperation) -> Value:
    if not low.is_set(node.left):
        return _common_squares(low, s, node)
    left, right = low.set_of(s, node.left), low.set_of(s, node.right)
    return s.f.binary("or" if node.operator == "|" else "and", left, right)


def _common_squares(low: Lowering, s: Scope, node: nodes.SetOperation) -> Value:
    """Squares with the same content in two positions."""

    def fill(found: Callable[[Value], None]) -> None:
        fail = s.f.label()
        first = low.elsewhere(s, low.position(s, node.left, fail))
        second = low.elsewhere(s, low.position(s, node.right, fail))
        same = word(0)
        for man in range(13):
            both = s.f.binary("and", blocks.field_of(first, man), blocks.field_of(second, man))
            same = s.f.binary("or", same, both)
        found(same)
        s.f.begin(fail)
        found(word(0))

    return blocks.joined(s, Scalar.WORD, fill)


def _shade(low: Lowering, s: Scope, node: nodes.Shade) -> Value:
    area = blocks.leaf(s, node, "area")
    if area is None:
        area = word(squares.LIGHT if node.shade == "light" else squares.DARK)
    return s.f.binary("and", low.set_of(s, node.operand), area)


# --- geometry -----------------------------------------------------------------------------------------------


def _direction(low: Lowering, s: Scope, node: nodes.Direction) -> Value:
    first: int | str = 1
    last: int | str = relations.MAX_STEP
    if node.range is not None:
        first, last = node.range.low, node.range.high
    area = low.set_of(s, node.operand)
    if not isinstance(first, int) or not isinstance(last, int):
        low.leave_out(s, node, "the range of a direction is not known beforehand")
        return word(0)
    if not -relations.MAX_STEP <= first <= last <= relations.MAX_STEP:
        low.doubt(s)
        return word(0)
    shifts = relations.step_shifts(node.directions, first, last)
    found = s.f.call(low.steps(node.directions, first, last, shifts), [area])
    assert found is not None
    return found


def _between(low: Lowering, s: Scope, node: nodes.Between) -> Value:
    return blocks.call(
        s, routines.between, low.set_of(s, node.left), low.set_of(s, node.right)
    )  # fmt: skip


def _rays(s: Scope, sets: list[Value], directions: int, attack: int, side: int) -> Value:
    """The first or last squares of rays through sets."""

    def found() -> Value:
        asked = blocks.array_of(s, sets), integer(len(sets)), integer(directions), integer(attack)
        return blocks.call(s, routines.rays, s.here, *asked, integer(side))

    return blocks.where_all(s, sets, found)


def _ray_ends(low: Lowering, s: Scope, node: nodes.Ray) -> Value:
    sets = [low.set_of(s, one) for one in node.operands]
    return _rays(s, sets, node.directions, int(node.attack), routines.ENDS)


def _ray_number(low: Lowering, s: Scope, node: nodes.Ray, fail: str) -> Number:
    assert node.range is not None
    sets = [low.set_of(s, one) for one in node.operands]
    asked = (
        blocks.array_of(s, sets), integer(len(sets)), integer(node.directions), integer(node.attack),
    )  # fmt: skip
    number = Number(blocks.call(s, routines.ray_count, s.here, *asked), 0, 4096)
    return within(low, s, node.range, number, fail)


def within(low: Lowering, s: Scope, limits: nodes.Range, number: Number, fail: str) -> Number:
    """A number that lies within a range. Code goes to `fail` if the number lies outside the range."""
    if limits.count:
        return number
    f = s.f
    for limit, relation in ((limits.low, "ge"), (limits.high, "le")):
        bound = integer(limit) if isinstance(limit, int) else f.converted(low.read(s, limit), Scalar.INT)
        inside = f.label()
        f.branch(f.compare(relation, number.value, bound), inside, fail)
        f.begin(inside)
    return number


# --- attacks ------------------------------------------------------------------------------------------------


def _attack(low: Lowering, s: Scope, node: nodes.Attack) -> Value:
    return _attack_of_two(low, s, node.left, node.right, node.word == "attacks")


def _attack_of_two(low: Lowering, s: Scope, left: nodes.Node, right: nodes.Node, forward: bool) -> Value:
    a, b = low.set_of(s, left), low.set_of(s, right)
    leaper = _leaper(low, s, left if forward else right)
    if leaper is None:
        routine = routines.attackers if forward else routines.attacked
        return blocks.where_all(s, (a, b), lambda: blocks.call(s, routine, s.here, a, b))
    f = s.f
    leaps, single = leaper
    if not single:
        reached = blocks.call(s, leaps.kernel, b)
    else:
        table = blocks.constants(s, leaps.table)
        bit = a if forward else b
        reached = f.load(table, f.unary("lowest", bit))
        if forward:
            meets = blocks.not_empty(s, f.binary("and", reached, b))
            return f.select(meets, a, word(0))
    return f.binary("and", a, reached)


@dataclass(frozen=True, slots=True)
class _Leaps:
    """The leaps of a kind of man. `kernel` finds the squares that are one leap away from a set. `table` has
    the squares that are one leap away from each single square. If a man can leap from one square to another,
    he can also leap back."""

    kernel: kernels.Kernel[..., int]
    table: tuple[int, ...]


_LEAPS: Final = (
    (1 << board_men.WN | 1 << board_men.BN, _Leaps(routines.leaps, attacks.KNIGHT_ATTACKS)),
    (1 << board_men.WK | 1 << board_men.BK, _Leaps(routines.steps_around, attacks.KING_ATTACKS)),
)


def _leaper(low: Lowering, s: Scope, node: nodes.Node) -> tuple[_Leaps, bool] | None:
    """The leaps of the men of a set, and whether the set is a single man. All men of the set must be knights,
    or all men must be kings. The result is None for other men, and for men of uncertain kinds. A loop
    variable counts as a single man only at the position of its loop. At other positions, the variable may be
    empty."""
    kinds = _kinds(low, s, node)
    for mask, leaps in _LEAPS:
        if kinds & ~mask == 0:
            return leaps, isinstance(node, nodes.Name)
    return None


def _kinds(low: Lowering, s: Scope, node: nodes.Node) -> int:
    """The men that may stand on the squares of a set, as a mask."""
    match node:
        case nodes.Designator():
            chosen = any(
                blocks.leaf(s, node, f"men{number}") is not None
                for number in range(len(closures_board.places(node.men)))
            )
            return board_men.ANY_MASK if chosen else node.men
        case nodes.SetOperation() if low.is_set(node.left):
            left, right = _kinds(low, s, node.left), _kinds(low, s, node.right)
            return left | right if node.operator == "|" else left & right
        case nodes.Name():
            bound = s.loops.get(node.name)
            if bound is not None and bound.place is s.place:
                return bound.kinds
    return board_men.ANY_MASK


def _arrow(low: Lowering, s: Scope, node: nodes.Arrow) -> Value:
    forward = node.operator == "->"
    if len(node.operands) == 2:
        return _attack_of_two(low, s, node.operands[0], node.operands[1], forward)
    sets = [low.set_of(s, one) for one in node.operands]
    ordered = sets if forward else sets[::-1]
    side = routines.STARTS if forward else routines.ENDS
    return _rays(s, ordered, 0xFF, 1, side)


_PINNED_SIDE: Final = {"from": routines.PIN_FROM, "through": routines.PIN_THROUGH, "to": 2}


def _pin(low: Lowering, s: Scope, node: nodes_moves.Pin) -> Value:
    given = {one: low.set_of(s, operand) for one, operand in zip(node.words, node.operands, strict=True)}
    kings = s.f.binary("or", blocks.men(s, board_men.WK), blocks.men(s, board_men.BK))
    everywhere = word(squares.ALL)
    return blocks.call(
        s, routines.pins, s.here, given.get("from", everywhere), given.get("through", everywhere),
        given.get("to", kings), integer(_PINNED_SIDE[node.words[0] if node.words else "through"]),
    )  # fmt: skip


# --- state of the position ----------------------------------------------------------------------------------


def _side_to_move(low: Lowering, s: Scope, node: nodes.SideToMove, yes: str, no: str) -> None:
    turn = blocks.leaf(s, node, "turn") or word(0 if node.colour == "white" else 1)
    s.f.branch(s.f.compare("eq", blocks.field_of(s, layout.TURN), turn), yes, no)


STATES: Final[dict[str, kernels.Kernel[..., bool]]] = {
    "check": routines.in_check,
    "mate": routines.is_mate,
    "stalemate": routines.is_stalemate,
}


def _power(low: Lowering, s: Scope, node: nodes.Power, fail: str) -> Number:
    f = s.f
    area = low.set_of(s, node.operand)
    total: Value | None = None
    for worth, kinds in ((9, (5, 11)), (5, (4, 10)), (3, (2, 3, 8, 9)), (1, (1, 7))):
        standing = blocks.men(s, kinds[0])
        for man in kinds[1:]:
            standing = f.binary("or", standing, blocks.men(s, man))
        part = f.binary("mul", f.unary("count", f.binary("and", area, standing)), integer(worth))
        total = part if total is None else f.binary("add", total, part)
    assert total is not None
    return Number(total, 0, 9 * 64)


# --- squares ------------------------------------------------------------------------------------------------

_PAWNS: Final[dict[str, kernels.Kernel[..., int]]] = {
    "passedpawns": routines.passed_pawns,
    "isolatedpawns": routines.isolated_pawns,
    "doubledpawns": routines.doubled_pawns,
    "connectedpawns": routines.connected_pawns,
}


def _pawn_set(low: Lowering, s: Scope, node: nodes_squares.PawnSet) -> Value:
    return blocks.call(s, _PAWNS[node.word], s.here)


_DEMANDS: Final = {
    "pure": routines_economy.PURE,
    "model": routines_economy.MODEL,
    "ideal": routines_economy.IDEAL,
}


def _picture(low: Lowering, s: Scope, node: nodes_squares.Picture) -> Value:
    f = s.f
    stale = node.word.endswith("stalemate")
    is_over = routines.is_stalemate if stale else routines.is_mate
    look = routines_economy.stalemate_picture if stale else routines_economy.mate_picture
    demand = _DEMANDS[node.word.removesuffix("stalemate").removesuffix("mate")]

    def fill(found: Callable[[Value], None]) -> None:
        seen, none = f.label(), f.label()
        f.branch(blocks.call(s, is_over, s.here), seen, none)
        f.begin(seen)
        found(blocks.call(s, look, s.here, s.board, integer(demand)))
        f.begin(none)
        found(word(0))

    return blocks.joined(s, Scalar.WORD, fill)


def single_square(low: Lowering, s: Scope, node: nodes.Node, fail: str) -> Value:
    """The square of a set with exactly one square. Code goes to `fail` for any other set."""
    area = low.set_of(s, node)
    single = s.f.label()
    s.f.branch(blocks.is_single(s, area), single, fail)
    s.f.begin(single)
    return s.f.unary("lowest", area)


def _square_fact(low: Lowering, s: Scope, node: nodes_squares.SquareFact, fail: str) -> Number:
    f = s.f
    square = single_square(low, s, node.operand, fail)
    one = integer(1)
    match node.word:
        case "rank":
            return Number(f.binary("add", f.binary("shr", square, integer(3)), one), 1, 8)
        case "file":
            return Number(f.binary("add", f.binary("and", square, integer(7)), one), 1, 8)
        case "type" | "colortype":
            man = f.converted(f.load(s.board, square), Scalar.INT)
            black = f.compare("gt", man, integer(board_men.WK))
            kind = f.binary("sub", man, integer(6))
            if node.word == "colortype":
                kind = f.binary("sub", integer(0), kind)
            return Number(f.select(black, kind, man), -6, 6)
        case "pieceid":
            low.buffered = low.doubts = True
            number = blocks.call(s, routines_tree.man_number, s.records, s.frame, s.place, square)
            known = f.label()
            f.branch(f.compare("ge", number, integer(0)), known, fail)
            f.begin(known)
            return Number(number, 0, 63)
        case _:
            low.leave_out(s, node, "strings are not compiled")
            return blocks.constant(0)


def make_square(low: Lowering, s: Scope, x: nodes.Node, y: nodes.Node) -> Value:
    """The square with the file number `x` and the rank `y`, as a set."""

    def fill(found: Callable[[Value], None]) -> None:
        f, fail = s.f, s.f.label()
        file, rank = low.number(s, x, fail), low.number(s, y, fail)
        for number in (file, rank):
            for relation, limit in (("ge", 1), ("le", 8)):
                inside = f.label()
                f.branch(f.compare(relation, number.value, integer(limit)), inside, fail)
                f.begin(inside)
        square = f.binary("add", f.binary("mul", rank.value, integer(8)), file.value)
        place = f.converted(f.binary("sub", square, integer(9)), Scalar.WORD)
        found(f.binary("shl", word(1), place))
        f.begin(fail)
        found(word(0))

    return blocks.joined(s, Scalar.WORD, fill)


def _placement(low: Lowering, s: Scope, node: nodes_squares.Placement, yes: str, no: str) -> None:
    f = s.f
    areas: dict[int, int] = {}
    for one in node.squares:
        if one.men != board_men.ANY_MASK:
            areas[one.men] = areas.get(one.men, 0) | one.squares
    for kinds, area in areas.items():
        standing = word(0)
        for place in closures_board.places(kinds):
            standing = f.binary("or", standing, blocks.men(s, place))
        missing = f.binary("and", f.inverted(standing), word(area))
        good = f.label()
        f.branch(f.compare("eq", missing, word(0)), good, no)
        f.begin(good)
    f.jump(yes)


# --- loops over squares and men -----------------------------------------------------------------------------


def _loop_area(low: Lowering, s: Scope, node: nodes.SquareLoop | nodes.PieceLoop) -> Value | None:
    """The squares of the loop. If the loop is not compiled, the result is None and the game is doubtful."""
    area = low.set_of(s, node.domain)
    if not low.is_looped(node.name):
        low.leave_out(s, node, "a loop over a variable that is assigned elsewhere is not compiled")
        return None
    if node.name in s.loops:
        # The interpreter reports a fault, because the variable already has a value.
        low.doubt(s)
        return None
    if isinstance(node, nodes.PieceLoop):
        area = s.f.binary("and", area, blocks.men(s, 15))
    return area


def _loop_set(low: Lowering, s: Scope, node: nodes.SquareLoop | nodes.PieceLoop) -> Value:
    area = _loop_area(low, s, node)
    if area is None:
        return word(0)
    f = s.f
    # The squares are collected in a separate slot, because the body ends in several blocks.
    found = f.slot(Scalar.WORD)
    f.store(word(0), found)
    after = f.label()
    with blocks.each_square(s, area, after=after) as (bit, following):
        _charge(low, s, after)
        yes = f.label()
        low.test(_bound(low, s, node, bit), node.body, yes, following)
        f.begin(yes)
        f.store(f.binary("or", f.load(found), bit), found)
        f.jump(following)
    f.begin(after)
    return f.load(found)


def _loop_test(low: Lowering, s: Scope, node: nodes.SquareLoop | nodes.PieceLoop, yes: str, no: str) -> None:
    f = s.f
    if not node.all and not low.is_idle(s, node.body) and not _only_looped(low, s, node):
        f.branch(blocks.not_empty(s, _loop_set(low, s, node)), yes, no)
        return
    area = _loop_area(low, s, node)
    if area is None:
        f.jump(no)
        return
    after = yes if node.all else no
    with blocks.each_square(s, area, after=after) as (bit, following):
        _charge(low, s, after)
        inner = _bound(low, s, node, bit)
        if node.all:
            low.test(inner, node.body, following, no)
        else:
            low.test(inner, node.body, yes, following)


def _charge(low: Lowering, s: Scope, after: str) -> None:
    """Count the work of a loop within a loop, because loops within loops may take long."""
    if s.loops:
        low.spend(s, 1, after)


def _only_looped(low: Lowering, s: Scope, node: nodes.SquareLoop | nodes.PieceLoop) -> bool:
    """Whether the body of a loop is idle (`Lowering.is_idle`) while the variable of the loop has a value."""
    return low.is_idle(_bound(low, s, node, word(0)), node.body)


def _bound(low: Lowering, s: Scope, node: nodes.SquareLoop | nodes.PieceLoop, bit: Value) -> Scope:
    bound = Bound(bit, s.place, _kinds(low, s, node.domain))
    return replace(s, loops={**s.loops, node.name: bound})


def name_set(low: Lowering, s: Scope, name: str, is_piece: bool) -> Value:
    """The squares that a variable holds."""
    if not is_piece:
        return low.read(s, name)
    if low.is_looped(name):
        bound = s.loops.get(name)
        if bound is None:
            return low.read(s, name)
        if bound.place is s.place:
            return bound.value
        value, place = bound.value, bound.place
    else:
        # A piece variable holds the man's square at the root.
        value, place = low.read(s, name), integer(0)
    low.buffered = low.doubts = True
    memo = integer(low.memo(name))
    return blocks.call(s, routines_tree.followed, s.records, s.frame, place, value, s.place, memo)


def _piece_assign(low: Lowering, s: Scope, node: nodes.PieceAssign, yes: str, no: str) -> None:
    f = s.f
    area = low.set_of(s, node.value)
    low.buffered = low.doubts = True
    some = f.label()
    single = f.binary("and", blocks.is_single(s, area), _is_occupied(s, area))
    f.branch(single, some, no)
    f.begin(some)
    first = blocks.call(s, routines_tree.followed, s.records, s.frame, s.place, area, integer(0), integer(0))
    low.write(s, node.name, first)
    f.jump(yes)


def _is_occupied(s: Scope, area: Value) -> Value:
    return blocks.not_empty(s, s.f.binary("and", area, blocks.men(s, 15)))


SETS.update({
    nodes.Designator: _designator,
    nodes.AllSquares: _constant(squares.ALL),
    nodes.EmptySet: _constant(0),
    nodes.Complement: _complement,
    nodes.SetOperation: _set_operation,
    nodes.Shade: _shade,
    nodes.Direction: _direction,
    nodes.Between: _between,
    nodes.Ray: _ray_ends,
    nodes.Attack: _attack,
    nodes.Arrow: _arrow,
    nodes.SquareLoop: _loop_set,
    nodes.PieceLoop: _loop_set,
    nodes_moves.Pin: _pin,
    nodes_squares.PawnSet: _pawn_set,
    nodes_squares.Picture: _picture,
})  # fmt: skip
NUMBERS.update({
    nodes.Ray: _ray_number,
    nodes.Power: _power,
    nodes_squares.SquareFact: _square_fact,
})  # fmt: skip
TESTS.update({
    nodes.SideToMove: _side_to_move,
    nodes.SquareLoop: _loop_test,
    nodes.PieceLoop: _loop_test,
    nodes.PieceAssign: _piece_assign,
    nodes_squares.Placement: _placement,
})  # fmt: skip

"""Compilers of filters about the board: designators, set algebra, attacks, directions, rays, loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from cqlgui.board import men as board_men
from cqlgui.board import moves, squares
from cqlgui.cql.ast import nodes
from cqlgui.cql.ast.types import Type
from cqlgui.cql.interpreting.expressions import closures_tree
from cqlgui.cql.interpreting.expressions.closures import Code, Compiler, Run, code, compiles
from cqlgui.cql.interpreting.runtime import relations
from cqlgui.cql.interpreting.runtime.evaluation import BLACK, OCCUPIED, UNBOUND, WHITE, Evaluation, Witness

_ALL: Final = squares.ALL


# --- designators and set algebra ----------------------------------------------------------------------------


@compiles(nodes.Designator)
def _designator(compiler: Compiler, node: nodes.Designator) -> Code:
    return code(Type.SET, designator(node.men, node.squares))


def designator(men: int, area: int) -> Run:
    """A closure for the squares of `area` that hold one of `men`. The closure does as few look-ups as the
    mask `men` allows."""
    if men == board_men.ANY_MASK:
        return lambda s: area
    found_in = places(men)
    if len(found_in) == 1:
        (first,) = found_in
        if area == _ALL:
            return lambda s: s.men[first]
        return lambda s: s.men[first] & area
    if len(found_in) == 2:
        first, second = found_in
        if area == _ALL:

            def two(s: Evaluation) -> int:
                board = s.men
                return board[first] | board[second]

            return two

        def two_here(s: Evaluation) -> int:
            board = s.men
            return (board[first] | board[second]) & area

        return two_here

    def several(s: Evaluation) -> int:
        board = s.men
        found = 0
        for place in found_in:
            found |= board[place]
        return found & area

    return several


def single_place(node: nodes.Node) -> tuple[int, int] | None:
    """The pair (index in `Evaluation.men`, squares) for a designator that needs only one look-up. The result
    is None for all other filters."""
    if not isinstance(node, nodes.Designator) or node.men == board_men.ANY_MASK:
        return None
    found_in = places(node.men)
    return (found_in[0], node.squares) if len(found_in) == 1 else None


def places(men: int) -> tuple[int, ...]:
    """The indices in `Evaluation.men` that together cover the mask. Whole colours come first, and single men
    come last."""
    found = []
    for mask, place in (
        (board_men.WHITE_MASK | board_men.BLACK_MASK, OCCUPIED),
        (board_men.WHITE_MASK, WHITE),
        (board_men.BLACK_MASK, BLACK),
    ):
        if men & mask == mask:
            found.append(place)
            men &= ~mask
    return (*found, *(man for man in range(13) if men >> man & 1))


@compiles(nodes.AllSquares)
def _all_squares(compiler: Compiler, node: nodes.AllSquares) -> Code:
    return code(Type.SET, lambda s: _ALL)


@compiles(nodes.EmptySet)
def _empty_set(compiler: Compiler, node: nodes.EmptySet) -> Code:
    return code(Type.SET, lambda s: 0)


@compiles(nodes.Complement)
def _complement(compiler: Compiler, node: nodes.Complement) -> Code:
    operand = compiler.compile(node.operand)
    inner = operand.value
    return code(Type.SET, lambda s: inner(s) ^ _ALL, logs=operand.logs)


@compiles(nodes.SetOperation)
def _set_operation(compiler: Compiler, node: nodes.SetOperation) -> Code:
    left, right = compiler.compile(node.left), compiler.compile(node.right)
    a, b, logs = left.value, right.value, left.logs or right.logs
    if left.type is Type.POSITION:
        return code(Type.SET, _common_squares(a, b), logs=logs)
    if node.operator == "|":
        return code(Type.SET, lambda s: a(s) | b(s), logs=logs)
    if logs:
        return code(Type.SET, lambda s: a(s) & b(s), logs=True)

    def intersection(s: Evaluation) -> int:
        found: int = a(s)
        return found and found & b(s)

    return code(Type.SET, intersection)


def _common_squares(left: Run, right: Run) -> Run:
    """Squares with the same content in two positions (spec 6.1)."""

    def common(s: Evaluation) -> int:
        first, second = left(s), right(s)
        if first is None or second is None:
            return 0
        one, other = s.positions[first].men, s.positions[second].men
        found = 0
        for man in range(13):
            found |= one[man] & other[man]
        return found

    return common


@compiles(nodes.Shade)
def _shade(compiler: Compiler, node: nodes.Shade) -> Code:
    operand = compiler.compile(node.operand)
    inner = operand.value
    area = squares.LIGHT if node.shade == "light" else squares.DARK
    return code(Type.SET, lambda s: inner(s) & area, logs=operand.logs)


# --- geometry -----------------------------------------------------------------------------------------------


@compiles(nodes.Direction)
def _direction(compiler: Compiler, node: nodes.Direction) -> Code:
    operand = compiler.compile(node.operand)
    inner, mask = operand.value, node.directions
    if node.range is None:
        low: int | str = 1
        high: int | str = relations.MAX_STEP
    else:
        low, high = node.range.low, node.range.high
    if isinstance(low, int) and isinstance(high, int) and _steps_fit(low, high):
        return code(Type.SET, _steps(inner, mask, low, high), logs=operand.logs)
    lower, upper = compiler.bound(low), compiler.bound(high)

    def steps_found_now(s: Evaluation) -> int:
        first, last = lower(s), upper(s)
        if not _steps_fit(first, last):
            raise s.fault(f"The range {first} {last} of a direction does not lie in -7 to 7", node.span)
        found: int = _steps(inner, mask, first, last)(s)
        return found

    return code(Type.SET, steps_found_now, logs=operand.logs)


def _steps_fit(low: int, high: int) -> bool:
    return -relations.MAX_STEP <= low <= high <= relations.MAX_STEP


def _steps(inner: Run, mask: int, low: int, high: int) -> Run:
    shifts = relations.step_shifts(mask, low, high)
    if len(shifts) == 1:
        ((sources, distance),) = shifts
        if distance >= 0:
            return lambda s: (inner(s) & sources) << distance
        back = -distance
        return lambda s: (inner(s) & sources) >> back
    if len(shifts) <= 4:

        def by_shifts(s: Evaluation) -> int:
            start: int = inner(s)
            found = 0
            for area, steps in shifts:
                found |= (start & area) << steps if steps >= 0 else (start & area) >> -steps
            return found

        return by_shifts
    table = relations.step_tables(mask, low, high)

    def by_table(s: Evaluation) -> int:
        start: int = inner(s)
        found = 0
        while start:
            bit = start & -start
            found |= table[bit.bit_length() - 1]
            start ^= bit
        return found

    return by_table


@compiles(nodes.Between)
def _between(compiler: Compiler, node: nodes.Between) -> Code:
    left, right = compiler.compile(node.left), compiler.compile(node.right)
    a, b = left.value, right.value
    return code(Type.SET, lambda s: relations.between(a(s), b(s)), logs=left.logs or right.logs)


@compiles(nodes.Ray)
def _ray(compiler: Compiler, node: nodes.Ray) -> Code:
    operands = compiler.compile_all(node.operands)
    parts, logs = [operand.value for operand in operands], any(operand.logs for operand in operands)
    mask, attack = node.directions, node.attack

    def pairs(s: Evaluation) -> list[tuple[int, int]]:
        sets = [part(s) for part in parts]
        if not all(sets):
            return []
        return list(relations.rays(sets, mask, s.men[OCCUPIED], s.position.squares if attack else None))

    if node.range is None:

        def ends(s: Evaluation) -> int:
            found = 0
            for _, end in pairs(s):
                found |= 1 << end
            return found

        return code(Type.SET, ends, logs=logs)
    within = compiler.within(node.range)

    def number(s: Evaluation) -> int | None:
        count = len(pairs(s))
        return count if within(s, count) else None

    return code(Type.NUMERIC, number, logs=logs)


# --- attacks ------------------------------------------------------------------------------------------------


def attackers(s: Evaluation, sources: int, targets: int) -> int:
    """The squares of `sources` with a man that attacks a square of `targets`."""
    found = 0
    sources &= s.men[OCCUPIED]
    if targets:
        attack_set = s.attack_set
        while sources:
            bit = sources & -sources
            if attack_set(bit.bit_length() - 1) & targets:
                found |= bit
            sources ^= bit
    return found


def attacked(s: Evaluation, targets: int, sources: int) -> int:
    """Squares of `targets` that a man on `sources` attacks."""
    reached = 0
    sources &= s.men[OCCUPIED]
    if targets:
        attack_set = s.attack_set
        while sources:
            bit = sources & -sources
            reached |= attack_set(bit.bit_length() - 1)
            sources ^= bit
    return reached & targets


@compiles(nodes.Attack)
def _attack(compiler: Compiler, node: nodes.Attack) -> Code:
    left, right = compiler.compile(node.left), compiler.compile(node.right)
    return _attack_of_two(node.word == "attacks", left, right)


def _attack_of_two(forward: bool, left: Code, right: Code) -> Code:
    a, b, logs = left.value, right.value, left.logs or right.logs
    relation: Callable[[Evaluation, int, int], int] = attackers if forward else attacked
    return code(Type.SET, lambda s: relation(s, a(s), b(s)), logs=logs)


@compiles(nodes.Arrow)
def _arrow(compiler: Compiler, node: nodes.Arrow) -> Code:
    operands = compiler.compile_all(node.operands)
    forward = node.operator == "->"
    if len(operands) == 2:
        return _attack_of_two(forward, operands[0], operands[1])
    parts = [operand.value for operand in operands]
    ordered = parts if forward else parts[::-1]

    def chain(s: Evaluation) -> int:
        sets = [part(s) for part in ordered]
        found = 0
        if all(sets):
            for start, end in relations.rays(sets, 0xFF, s.men[OCCUPIED], s.position.squares):
                found |= 1 << (start if forward else end)
        return found

    return code(Type.SET, chain, logs=any(operand.logs for operand in operands))


# --- state of the position ----------------------------------------------------------------------------------


@compiles(nodes.SideToMove)
def _side_to_move(compiler: Compiler, node: nodes.SideToMove) -> Code:
    turn = 0 if node.colour == "white" else 1
    return code(Type.LOGICAL, lambda s: s.position.turn == turn)


@compiles(nodes.State)
def _state(compiler: Compiler, node: nodes.State) -> Code:
    match node.word:
        case "check":
            return code(Type.LOGICAL, Evaluation.in_check)
        case "mate":
            return code(Type.LOGICAL, Evaluation.is_mate)
        case "stalemate":
            return code(Type.LOGICAL, Evaluation.is_stalemate)
        case "initial":
            return code(Type.LOGICAL, lambda s: s.id == 0)
        case "terminal":
            return code(Type.LOGICAL, lambda s: not s.tree.children[s.id])
        case "castle":
            return code(Type.LOGICAL, lambda s: _castled(s) != 0)
        case "o-o":
            return code(Type.LOGICAL, lambda s: _castled(s) > 0)
        case "o-o-o":
            return code(Type.LOGICAL, lambda s: _castled(s) < 0)
        case "mainline":
            return code(Type.LOGICAL, lambda s: s.tree.depths[s.id] == 0)
        case "variation":
            return code(Type.LOGICAL, lambda s: s.tree.depths[s.id] > 0)
        case "virtualmainline":
            return code(Type.LOGICAL, closures_tree.in_virtual_mainline)
        case "extension":
            return code(Type.LOGICAL, lambda s: False)


def _castled(s: Evaluation) -> int:
    """1 after short castling, -1 after long castling, 0 after any other move. Short castling is made with the
    rook on the h-file side of the king."""
    move = s.tree.moves[s.id]
    if s.id == 0 or moves.flag(move) != moves.CASTLE:
        return 0
    return 1 if moves.target(move) > moves.origin(move) else -1


@compiles(nodes.Power)
def _power(compiler: Compiler, node: nodes.Power) -> Code:
    operand = compiler.compile(node.operand)
    simple = single_place(node.operand)
    if simple is not None and simple[0] in (WHITE, BLACK) and compiler.watch is None:
        side = 0 if simple[0] == WHITE else 6
        return code(Type.NUMERIC, _power_of_side(side, simple[1]))
    inner = operand.value

    def power(s: Evaluation) -> int:
        area: int = inner(s)
        board = s.men
        return (
            9 * (area & (board[5] | board[11])).bit_count()
            + 5 * (area & (board[4] | board[10])).bit_count()
            + 3 * (area & (board[2] | board[3] | board[8] | board[9])).bit_count()
            + (area & (board[1] | board[7])).bit_count()
        )

    return code(Type.NUMERIC, power, logs=operand.logs)


def _power_of_side(side: int, area: int) -> Run:
    """A closure for the `power` of the men of one colour on fixed squares. The closure needs half as many
    look-ups as the closure for other operands, and does not evaluate the operand."""
    pawn, knight, bishop, rook, queen = range(side + 1, side + 6)

    def power(s: Evaluation) -> int:
        board = s.men
        return (
            9 * (area & board[queen]).bit_count()
            + 5 * (area & board[rook]).bit_count()
            + 3 * (area & (board[knight] | board[bishop])).bit_count()
            + (area & board[pawn]).bit_count()
        )

    return power


# --- loops over squares and men -----------------------------------------------------------------------------


@compiles(nodes.SquareLoop)
def _square_loop(compiler: Compiler, node: nodes.SquareLoop) -> Code:
    def squares_of(s: Evaluation, area: int) -> list[tuple[int, int]]:
        return [(1 << square, 1 << square) for square in squares.bits(area)]

    return _loop(compiler, node, squares_of)


@compiles(nodes.PieceLoop)
def _piece_loop(compiler: Compiler, node: nodes.PieceLoop) -> Code:
    def men_of(s: Evaluation, area: int) -> list[tuple[int, int]]:
        return [(1 << square, s.identity(square)) for square in squares.bits(area & s.men[OCCUPIED])]

    return _loop(compiler, node, men_of)


def _loop(
    compiler: Compiler,
    node: nodes.SquareLoop | nodes.PieceLoop,
    members: Callable[[Evaluation, int], list[tuple[int, int]]],
) -> Code:
    domain = compiler.compile(node.domain)
    slot, name, span = compiler.slot(node.name), node.name, node.span
    body = compiler.compile(node.body)
    area, test, stops = domain.value, body.test, node.all

    def witnessed(s: Evaluation, bit: int) -> bool:
        """Test the body. The first element that decides the loop's result is recorded as a `Witness`."""
        outer, inner = s.witnesses, dict[tuple[int, int], Witness]()
        assert outer is not None
        key, variables, banned = (id(node), s.id), list(s.variables), {k: set(v) for k, v in s.banned.items()}
        s.witnesses = inner
        try:
            good = bool(test(s))
        finally:
            s.witnesses = outer
        if good is not stops and key not in outer:
            outer[key] = Witness(name, squares.lowest(bit), good, variables, banned, inner)
        return good

    def run(s: Evaluation) -> int | None:
        """The squares where the body matched. With `all`, the result is None if the body failed at any
        square."""
        found = 0
        items = members(s, area(s))
        if s.variables[slot] is not UNBOUND:
            raise s.fault(f"The loop variable {name} already has a value here", span, name)
        try:
            for bit, value in items:
                s.step()
                s.variables[slot] = value
                good = test(s) if s.witnesses is None else witnessed(s, bit)
                if good:
                    found |= bit
                elif stops:
                    return None
        finally:
            s.variables[slot] = UNBOUND
        return found

    logs = domain.logs or body.logs
    if stops:
        return code(Type.LOGICAL, lambda s: run(s) is not None, logs=logs)
    return code(Type.SET, run, logs=logs)


@compiles(nodes.PieceAssign)
def _piece_assign(compiler: Compiler, node: nodes.PieceAssign) -> Code:
    operand = compiler.compile(node.value)
    value, slot = operand.value, compiler.slot(node.name)

    def assign(s: Evaluation) -> bool:
        place = value(s)
        if place.bit_count() != 1 or not place & s.men[OCCUPIED]:
            return False
        s.variables[slot] = s.identity(squares.lowest(place))
        return True

    return code(Type.LOGICAL, assign, logs=operand.logs)

"""Decides from signatures and headers which games a query can match at all.

A query is evaluated over abstract values (`bounds`). A game is excluded only if the query as a whole cannot
hold at any position. A game is not excluded if the interpreter might report a fault or write a message in the
game, even if no position matches. The outcome of a search is therefore the same with and without pruning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

import numpy as np

from cqlgui.base.data import replace
from cqlgui.board import men as board_men
from cqlgui.board import squares
from cqlgui.cql.ast import (
    nodes,
    nodes_facts,
    nodes_moves,
    nodes_paths,
    nodes_programs,
    nodes_squares,
    nodes_strings,
    nodes_tree,
    types,
)
from cqlgui.cql.ast.types import Type
from cqlgui.cql.interpreting.runtime import relations
from cqlgui.engine.facts.answering import Spread
from cqlgui.engine.pruning import signatures
from cqlgui.engine.pruning.bounds import (  # fmt: skip
    ALL,
    EMPTY,
    FAR,
    NO,
    NONE,
    RULES,
    TESTED,
    UNKNOWN,
    UNKNOWN_SET,
    YES,
    Known,
    May,
    Pruner,
    Question,
    Truths,
    all_of,
    answered,
    count_squares,
    has_fixed_range,
    kept_in,
    loop_variables,
    may_be_answered,
    men_of,
    numbered,
    some_number,
    some_set,
)
from cqlgui.engine.replaying.games import Integers

__all__ = [
    "Known",
    "May",
    "Question",
    "Truths",
    "admitted",
    "candidates",
    "candidates_and_spared",
    "conjuncts",
    "may_hold",
    "reached",
    "rules_out",
    "stand_alone",
]


def candidates(asked: Question, known: Known, left: Truths | None = None) -> Integers:
    """The numbers of the games that must be searched, ascending. The query must satisfy `stand_alone`. `left`
    is `reached` of these games, if the caller knows it."""
    possible = reached(asked, known) if left is None else left
    if _is_long(possible) or _wants_every(asked):
        return np.flatnonzero(candidates_and_spared(asked, known)[0])
    some = np.flatnonzero(possible)
    if not len(some):
        return some
    return some[_tested(asked, known.of_games(some), np.full(len(some), YES))[0]]


def candidates_and_spared(asked: Question, known: Known) -> tuple[Truths, Truths]:
    """Two truth values for each game. The first value says whether the game must be searched. The second
    value says whether the game must be searched even without a match, because evaluation may reach a fault or
    a message."""
    possible = admitted(asked, known)
    if _wants_every(asked):
        return np.asarray(possible), np.asarray(possible)
    return _tested(asked, known, possible)


def _wants_every(asked: Question) -> bool:
    """Whether games without a match may match the query, by the header's count of matches."""
    wanted = asked.query.header.matchcount
    return wanted is not None and (wanted.count or literal(wanted.low) <= 0)


def _is_long(left: Truths) -> bool:
    """Whether so many games are left that to pick them out takes longer than to test all games."""
    return bool(np.count_nonzero(left) * _FEW > len(left))


_FEW: Final = 8
"""If the facts at the beginning of a query leave less than this part of the games, only these are tested."""


def reached(asked: Question, known: Known) -> Truths:
    """For each game, whether the header admits it and the facts at the beginning of the query may hold. In
    the other games, evaluation reaches nothing else."""
    possible = admitted(asked, known)
    for part in conjuncts(asked.query.body):
        fact = asked.known.get(id(part))
        found = None if fact is None else known.facts[fact]
        if fact is None or found is None or isinstance(found, Spread):
            break
        possible &= may_be_answered(found, fact.number)
    return possible


def _tested(asked: Question, known: Known, possible: Truths) -> tuple[Truths, Truths]:
    """The values of `candidates_and_spared` for the games `possible`, which the header admits."""
    pruner = Pruner(asked, known, possible)
    found = pruner.test(asked.query.body).yes
    return np.asarray(possible & (found | pruner.kept)), np.asarray(possible & pruner.kept)


def admitted(asked: Question, known: Known) -> Truths:
    """For each game, whether the conditions of the header admit the game."""
    limits = asked.query.header.gamenumber
    possible: Any = np.full(known.count, YES)
    if limits is not None and not limits.count:
        number = numbered(known)
        possible &= (number >= literal(limits.low)) & (number <= literal(limits.high))
    for result in asked.results:
        possible &= answered(known.facts[result], result.number).yes
    return np.asarray(possible)


def conjuncts(body: nodes.Node) -> list[nodes.Node]:
    """The filters that must all hold for a query to match."""
    if isinstance(body, nodes.Compound):
        return [part for one in body.filters for part in conjuncts(one)]
    return [body]


def may_hold(asked: Question, known: Known, part: nodes.Node) -> Truths:
    """For each game, whether the filter `part` may hold in the game. All other filters of the query are
    ignored."""
    pruner = Pruner(asked, known, np.full(known.count, YES))
    return np.asarray(np.broadcast_to(pruner.test(part).yes, known.count))


def rules_out(asked: Question, part: nodes.Node) -> bool:
    """Whether signatures can show that a filter holds nowhere in a game."""
    if id(part) in asked.known:
        return False
    # `nothing` is the signature of a game where no man ever stood anywhere and nothing happened.
    nothing = np.zeros(1, np.uint64)
    unknown: Any = np.zeros(1, np.uint64)
    answers = dict.fromkeys(asked.facts, (unknown, unknown))
    return not may_hold(asked, Known(1, lambda _word, _places: nothing, 0, answers), part).any()


def stand_alone(query: nodes.Query) -> bool:
    """Whether the games of a query are independent of each other, and whether the query uses no files."""
    for node in nodes.walk(query.body):
        match node:
            case nodes.Assign(persistent=True) | nodes_programs.Dictionary(local=False):
                return False
            case nodes_strings.ReadFile() | nodes_strings.WriteFile():
                return False
            case _:
                pass
    return True


def literal(limit: int | str) -> int:
    assert isinstance(limit, int)
    return limit


# --- rules: primaries ---------------------------------------------------------------------------------------


def _designator(p: Pruner, node: nodes.Designator) -> May:
    if node.men == board_men.ANY_MASK:
        area = np.uint64(node.squares)
        return some_set(area, area)
    low: Any = np.int64(0)
    high: Any = np.int64(0)
    for man in men_of(node.men):
        fewest, largest = p.numbers(man, node.squares)
        low, high = low + fewest, high + largest
    return some_set(p.places(node.men, node.squares), low=low, high=high)


def _tested_designator(p: Pruner, node: nodes.Designator) -> May:
    """The abstract value of a designator if only its truth is needed. This function is cheaper than
    `_designator`."""
    if node.men == board_men.ANY_MASK:
        return _designator(p, node)
    return May(p.places(node.men, node.squares) != 0, YES)


def _state(p: Pruner, node: nodes.State) -> May:
    match node.word:
        case "check":
            return May(p.happened(signatures.CHECK))
        case "mate":
            return May(p.happened(signatures.MATE))
        case "stalemate":
            return May(p.happened(signatures.STALEMATE))
        case "castle":
            return May(p.happened(signatures.SHORT | signatures.LONG))
        case "o-o":
            return May(p.happened(signatures.SHORT))
        case "o-o-o":
            return May(p.happened(signatures.LONG))
        case "variation":
            return May(p.happened(signatures.VARIATION))
        case "extension":
            return May(NO)
        case "initial" | "terminal" | "mainline" | "virtualmainline":
            return May()


def _side_to_move(p: Pruner, node: nodes.SideToMove) -> May:
    sides = [signatures.WHITE_TO_MOVE, signatures.BLACK_TO_MOVE]
    if node.colour == "black":
        sides.reverse()
    return May(p.happened(sides[0]), p.happened(sides[1]))


def _measure(p: Pruner, node: nodes.Measure) -> May | None:
    match node.word:
        case "ply":
            return some_number(np.int64(0), p.plies)
        case "movenumber":
            return some_number(np.int64(1), 1 + (p.plies + 1 >> 1))
        case "gamenumber":
            number = numbered(p.known)
            return some_number(number, number)
        case "sidetomove":
            return some_number(np.int64(-1), np.int64(1))
        case "positionid" | "depth" | "lastgamenumber":
            return some_number(np.int64(0), FAR)
        case "try":
            return some_number(np.int64(1), np.int64(1), no=YES)
        case "year":
            return None


def _name(p: Pruner, node: nodes.Name) -> May | None:
    return p.values.get(node.name)


# --- rules: logic -------------------------------------------------------------------------------------------


def _not(p: Pruner, node: nodes.Not) -> May:
    found = p.value(node.operand)
    return May(found.no, found.yes)


def _compound(p: Pruner, node: nodes.Compound) -> May:
    return _in_turn(p, node, tested=p.type_of(node) is Type.LOGICAL)


def _tested_compound(p: Pruner, node: nodes.Compound) -> May:
    return _in_turn(p, node, tested=True)


def _in_turn(p: Pruner, node: nodes.Compound, *, tested: bool) -> May:
    before, bound = p.reach, p.bound
    no: Any = NO
    for one in node.filters[:-1]:
        found = p.test(one)
        no = no | found.no
        p.reach = p.reach & found.yes
        p.bound = p.bound | _bound_by(one)
        if not p.reach.any():
            # Evaluation reaches the filters after `one` in no game.
            p.reach, p.bound = before, bound
            return EMPTY if p.is_set(node) else replace(UNKNOWN, yes=NO)
    last = p.test(node.filters[-1]) if tested else p.value(node.filters[-1])
    reached, p.reach, p.bound = p.reach, before, bound
    found = replace(last, yes=reached & last.yes, no=no | last.no)
    return _only_in(reached, found, failing=no) if p.is_set(node) and not tested else found


def _only_in(reached: Any, found: May, *, failing: Any) -> May:
    """A set that is empty in all games outside `reached`. The set may also be empty in the games `failing`,
    because an earlier filter may fail in these games."""
    return replace(
        found,
        most=np.where(reached, found.most, NONE),
        least=np.where(failing, NONE, found.least),
        low=np.where(failing, 0, found.low),
        high=np.where(reached, found.high, 0),
    )


def _bound_by(node: nodes.Node) -> frozenset[str]:
    """The variables that certainly have a value after a filter has matched."""
    match node:
        case nodes.Assign() if node.operator in ("=", "=?"):
            return frozenset({node.name})
        case nodes.PieceAssign():
            return frozenset({node.name})
        case nodes.Compound():
            return frozenset().union(*map(_bound_by, node.filters))
        case _:
            return frozenset()


def _logic(p: Pruner, node: nodes.Logic) -> May:
    left = p.test(node.left)
    before = p.reach
    p.reach = p.reach & (left.yes if node.word == "and" else left.no)
    right = p.test(node.right)
    p.reach = before
    if node.word == "and":
        return May(left.yes & right.yes, left.no | right.no)
    return May(left.yes | right.yes, left.no & right.no)


def _if(p: Pruner, node: nodes_programs.If) -> May:
    condition = p.test(node.condition)
    then = p.under(condition.yes, node.then)
    if node.otherwise is None:
        return May(condition.yes & then.yes | condition.no, condition.yes & then.no)
    otherwise = p.under(condition.no, node.otherwise)
    return May(
        condition.yes & then.yes | condition.no & otherwise.yes,
        condition.yes & then.no | condition.no & otherwise.no,
        then.most | otherwise.most,
        then.least & otherwise.least,
        np.minimum(then.low, otherwise.low),
        np.maximum(then.high, otherwise.high),
    )


def _orbit(p: Pruner, node: nodes.Orbit) -> May | None:
    if node.range is None and p.type_of(node) is Type.LOGICAL:
        return _tested_orbit(p, node)
    if not has_fixed_range(node) or not p.affords(node):
        return None
    yes: Any = NO
    no: Any = YES
    most: Any = NONE
    least: Any = NONE
    fewest: Any = np.int64(0)
    largest: Any = np.int64(0)
    low: Any = np.int64(0) if p.is_set(node) else FAR
    high: Any = np.int64(0) if p.is_set(node) else -FAR
    for element in node.elements:
        found = p.value(element.filter)
        yes, no = yes | found.yes, no & found.no
        fewest, largest = fewest + np.where(found.no, 0, 1), largest + np.where(found.yes, 1, 0)
        most, least = most | found.most, least | found.least
        if p.is_set(node):
            low, high = np.maximum(low, found.low), np.minimum(high + found.high, 64)
        else:
            low, high = np.minimum(low, found.low), np.maximum(high, found.high)
    if node.range is not None:
        inside, outside = kept_in(node.range, fewest, largest)
        return some_number(fewest, largest, inside, outside)
    if p.is_set(node):
        return some_set(most, least, low, high)
    return May(yes, no, low=low, high=high)


def _tested_orbit(p: Pruner, node: nodes.Orbit) -> May:
    if node.range is not None:
        return p.value(node)
    if not p.affords(node):
        return p.unknown(node)
    yes: Any = NO
    no: Any = YES
    for element in node.elements:
        found = p.test(element.filter)
        yes, no = yes | found.yes, no & found.no
        if np.all(yes | ~p.reach) and p.is_harmless(node):
            return May()
    return May(yes, no)


# --- rules: sets --------------------------------------------------------------------------------------------


def _complement(p: Pruner, node: nodes.Complement) -> May:
    found = p.value(node.operand)
    return some_set(~found.least, ~found.most, 64 - found.high, 64 - found.low)


def _set_operation(p: Pruner, node: nodes.SetOperation) -> May | None:
    left = p.value(node.left)
    right = p.value(node.right)
    if not p.is_set(node.left):
        return UNKNOWN_SET
    if node.operator == "&":
        most = left.most & right.most
        low = np.maximum(
            left.low - count_squares(left.most & ~right.least),
            right.low - count_squares(right.most & ~left.least),
        )
        return some_set(most, left.least & right.least, low, np.minimum(left.high, right.high))
    low = np.maximum(left.low, right.low)
    return some_set(left.most | right.most, left.least | right.least, low, left.high + right.high)


def _shade(p: Pruner, node: nodes.Shade) -> May:
    found = p.value(node.operand)
    area = np.uint64(squares.LIGHT if node.shade == "light" else squares.DARK)
    low = found.low - count_squares(found.most & ~area)
    return some_set(found.most & area, found.least & area, low, found.high)


def _direction(p: Pruner, node: nodes.Direction) -> May | None:
    if not has_fixed_range(node):
        return None
    low, high = (1, relations.MAX_STEP) if node.range is None else (node.range.low, node.range.high)
    assert isinstance(low, int)
    assert isinstance(high, int)
    found = p.value(node.operand)
    if not -relations.MAX_STEP <= low <= high <= relations.MAX_STEP:
        p.keep()
        return UNKNOWN_SET
    most: Any = NONE
    for area, distance in relations.step_shifts(node.directions, low, high):
        moved = found.most & np.uint64(area)
        most = most | (moved << np.uint64(distance) if distance >= 0 else moved >> np.uint64(-distance))
    return some_set(most)


def _between(p: Pruner, node: nodes.Between) -> May:
    both = all_of([p.value(node.left), p.value(node.right)])
    return some_set(np.where(both, ALL, NONE))


def _ray(p: Pruner, node: nodes.Ray) -> May | None:
    if not has_fixed_range(node):
        return None
    parts = [p.value(one) for one in node.operands]
    yes = all_of(parts)
    if node.range is None:
        return some_set(np.where(yes, parts[-1].most, NONE))
    inside, outside = kept_in(node.range, np.int64(0), np.where(yes, FAR, 0))
    return some_number(np.int64(0), np.where(yes, FAR, 0), inside, outside)


def _attack(p: Pruner, node: nodes.Attack) -> May:
    return _first_of(p, (node.left, node.right))


def _arrow(p: Pruner, node: nodes.Arrow) -> May:
    return _first_of(p, node.operands)


def _first_of(p: Pruner, operands: Iterable[nodes.Node]) -> May:
    """The squares of the first of several sets. There are no squares if one of the sets is empty."""
    parts = [p.value(one) for one in operands]
    return some_set(np.where(all_of(parts), parts[0].most, NONE), high=parts[0].high)


def _pin(p: Pruner, node: nodes_moves.Pin) -> May:
    parts = [p.value(one) for one in node.operands]
    return some_set(np.where(all_of(parts), parts[0].most if parts else ALL, NONE))


def _pawn_set(p: Pruner, node: nodes_squares.PawnSet) -> May:
    return some_set(p.places(1 << board_men.WP | 1 << board_men.BP, squares.ALL))


def _picture(p: Pruner, node: nodes_squares.Picture) -> May:
    ending = signatures.STALEMATE if node.word.endswith("stalemate") else signatures.MATE
    return some_set(np.where(p.happened(ending), ALL, NONE))


def _placement(p: Pruner, node: nodes_squares.Placement) -> May:
    return May(all_of(_tested_designator(p, one) for one in node.squares))


def _loop(p: Pruner, node: nodes.SquareLoop | nodes.PieceLoop) -> May:
    domain = p.value(node.domain)
    if not p.begins_well(node):
        p.keep()
    # The man in the variable of a `PieceLoop` may stand on another square at another position.
    area = domain.most if isinstance(node, nodes.SquareLoop) else ALL
    low = np.int64(1 if isinstance(node, nodes.SquareLoop) else 0)
    before = p.values
    p.values = {**before, node.name: May(YES, low < 1, area, NONE, low, np.int64(1))}
    body = p.under(domain.yes, node.body)
    p.values = before
    if node.all:
        # If all squares of the domain are empty squares, a loop over men visits no man.
        nothing = domain.no if isinstance(node, nodes.SquareLoop) else YES
        return May(body.yes | nothing, domain.yes & body.no)
    return some_set(np.where(body.yes, domain.most, NONE), high=domain.high)


# --- rules: numbers -----------------------------------------------------------------------------------------


def _count_of(p: Pruner, node: nodes.Count) -> May | None:
    if not p.is_set(node.operand):
        return None
    found = p.value(node.operand)
    return some_number(found.low, found.high)


def _power(p: Pruner, node: nodes.Power) -> May:
    operand = node.operand
    if not isinstance(operand, nodes.Designator):
        found = p.value(operand)
        return some_number(np.int64(0), 9 * found.high)
    low: Any = np.int64(0)
    high: Any = np.int64(0)
    for man in men_of(operand.men & ~1):
        worth = _WORTH[board_men.kind(man)]
        fewest, largest = p.numbers(man, operand.squares)
        low, high = low + worth * fewest, high + worth * largest
    return some_number(low, high)


_WORTH: Final = (0, 1, 3, 3, 5, 9, 0)
"""The worth of a man, by kind."""


def _compare(p: Pruner, node: nodes.Compare) -> May | None:
    kinds = [p.type_of(one) for one in (node.left, node.right)]
    if not all(kind is Type.NUMERIC or kind in types.SETS for kind in kinds):
        return None
    left, right = p.value(node.left), p.value(node.right)
    sets = [kind in types.SETS for kind in kinds]
    if all(sets):
        return May(*_set_truth(node.operator, left, right))
    missing: Any = NO
    given: Any = YES
    for one, is_set in zip((left, right), sets, strict=True):
        if not is_set:
            missing, given = missing | one.no, given & one.yes
    yes, no = _RELATED[node.operator](left, right)
    if node.operator == "!=":
        # `!=` means `not ==`, even if a number is missing.
        return May(missing | yes, given & no)
    return some_number(left.low, left.high, given & yes, missing | no)


def _set_truth(operator: str, left: May, right: May) -> tuple[Any, Any]:
    if operator not in ("==", "!="):
        return YES, YES
    common = ((left.least & ~right.most) == 0) & ((right.least & ~left.most) == 0)
    common = common & (left.low <= right.high) & (right.low <= left.high)
    return (common, YES) if operator == "==" else (YES, common)


def _less(left: May, right: May) -> tuple[Any, Any]:
    return left.low < right.high, left.high >= right.low


def _equal(left: May, right: May) -> tuple[Any, Any]:
    may = (left.low <= right.high) & (right.low <= left.high)
    surely = (left.low == left.high) & (right.low == right.high) & (left.low == right.low)
    return may, ~surely


def _swapped(relation: Callable[[May, May], tuple[Any, Any]]) -> Callable[[May, May], tuple[Any, Any]]:
    return lambda left, right: relation(right, left)


def _opposite(relation: Callable[[May, May], tuple[Any, Any]]) -> Callable[[May, May], tuple[Any, Any]]:
    def opposite(left: May, right: May) -> tuple[Any, Any]:
        yes, no = relation(left, right)
        return no, yes

    return opposite


_RELATED: Final[dict[str, Callable[[May, May], tuple[Any, Any]]]] = {
    "<": _less,
    ">": _swapped(_less),
    ">=": _opposite(_less),
    "<=": _opposite(_swapped(_less)),
    "==": _equal,
    "!=": _opposite(_equal),
}
"""Whether a relation between two existing numbers may hold, and whether it may fail."""


def _arithmetic(p: Pruner, node: nodes.Arithmetic) -> May | None:
    if p.type_of(node) is not Type.NUMERIC or node.operator not in "+-":
        return None
    left, right = p.value(node.left), p.value(node.right)
    if not p.stays_small(node):
        p.keep()
    yes, no = left.yes & right.yes, left.no | right.no
    if node.operator == "+":
        return some_number(left.low + right.low, left.high + right.high, yes, no)
    return some_number(left.low - right.high, left.high - right.low, yes, no)


def _negate(p: Pruner, node: nodes.Negate) -> May:
    found = p.value(node.operand)
    return some_number(-found.high, -found.low, found.yes, found.no)


# --- rules: other positions and moves -----------------------------------------------------------------------


def _find(p: Pruner, node: nodes.Find) -> May | None:
    if not has_fixed_range(node):
        return None
    found = p.test(node.operand)
    if node.range is None:
        return May(found.yes)
    inside, _ = kept_in(node.range, np.int64(0), np.where(found.yes, FAR, 0))
    return May(inside)


def _at(p: Pruner, node: nodes_tree.At) -> May:
    where = p.value(node.position)
    found = p.under(where.yes, node.filter)
    found = replace(found, yes=where.yes & found.yes, no=where.no | found.no)
    return _only_in(where.yes, found, failing=where.no) if p.is_set(node) else found


def _dash(p: Pruner, node: nodes_moves.Dash) -> May:
    moved = _moved(p, node)
    if node.target is None:
        return May(moved)
    target = p.under(moved, node.target)
    return May(moved & target.yes, most=target.most, low=np.minimum(target.low, 0), high=target.high)


def _moved(p: Pruner, node: nodes_moves.Dash) -> Any:
    """Whether a move of the game may fit a dash. The target of the dash is ignored."""
    left = May() if node.left is None else p.value(node.left)
    right = May() if node.right is None else p.value(node.right)
    if node.promotion is not None and not isinstance(node.promotion, nodes.Designator | nodes.AllSquares):
        p.value(node.promotion)
    sources, goals = left.most, right.most
    mask = node.left.men if isinstance(node.left, nodes.Designator) else board_men.ANY_MASK
    fits: Any = p.happened(signatures.NULL_MOVE)
    for man in men_of(mask & ~1):
        # After the move, the moving man stands on a square of `goals`. Promotions and captures en passant are
        # exceptions.
        arrives = (p.ever(man) & goals) != 0
        if board_men.kind(man) == board_men.WP:
            arrives = arrives | (p.happened(15 * signatures.PROMOTED) & ((goals & _BACK_RANKS) != 0))
            if node.capture:
                arrives = arrives | p.happened(signatures.IN_PASSING)
        fits = fits | (((p.ever(man) & sources) != 0) & arrives)
    if node.promotion is not None:
        fits = fits & p.happened(_promotions(node.promotion))
    return left.yes & right.yes & fits & (p.plies > 0)


_BACK_RANKS: Final = np.uint64(squares.RANKS[0] | squares.RANKS[7])


def _promotions(wanted: nodes.Node) -> int:
    """The events of all promotions that the promotion part of a dash or `move` may admit."""
    if not isinstance(wanted, nodes.Designator):
        return 15 * signatures.PROMOTED
    kinds = {board_men.kind(man) for man in men_of(wanted.men & ~1)}
    return sum(signatures.PROMOTED << kind - board_men.WN for kind in kinds & {2, 3, 4, 5})


def _current_move(p: Pruner, node: nodes_moves.CurrentMove) -> May:
    return _dash(p, node.dash)


def _count_moves(p: Pruner, node: nodes_moves.CountMoves) -> May:
    found = p.value(node.moves)
    return some_number(np.int64(0), np.where(found.yes, FAR, 0))


def _possible_moves(p: Pruner, node: nodes_moves.PossibleMoves) -> May:
    left = May() if node.left is None else p.value(node.left)
    right = May() if node.right is None else p.value(node.right)
    return some_set(np.where(left.yes & right.yes, right.most, NONE))


def _previous_move(p: Pruner, node: nodes_moves.PreviousMove) -> May:
    match node.word:
        case "enpassant":
            return May(p.happened(signatures.IN_PASSING))
        case "nullmove":
            return May(p.happened(signatures.NULL_MOVE))
        case "secondary":
            return May(p.happened(signatures.VARIATION))
        case "primary":
            return May(p.plies > 0)


def _previous_squares(p: Pruner, node: nodes_moves.PreviousSquares) -> May:
    if node.word == "enpassantsquare":
        return some_set(np.where(p.happened(signatures.IN_PASSING), ALL, NONE))
    return some_set(np.where(p.plies > 0, ALL, NONE))


def _move(p: Pruner, node: nodes_moves.Move) -> May | None:
    if node.comment is not None:
        return None
    operands: dict[str, nodes.Node] = dict(
        zip((word for word in node.words if word in nodes_moves.OPERAND_WORDS), node.operands, strict=True)
    )
    # The operand of `promote` is a kind of man of either colour, not a set on the board (spec 16.1).
    promotion = operands.pop("promote", None)
    parts = [p.value(one) for one in operands.values()]
    if p.type_of(node) is Type.NUMERIC:
        return some_number(np.int64(0), FAR)
    yes = all_of(parts)
    if "legal" not in node.words and "pseudolegal" not in node.words:
        yes = yes & (p.plies > 0)
        for word in node.words:
            if word in _HAPPENING:
                yes = yes & p.happened(_HAPPENING[word])
        if promotion is not None:
            yes = yes & p.happened(_promotions(promotion))
    return some_set(np.where(yes, ALL, NONE)) if p.is_set(node) else May(yes)


_HAPPENING: Final[dict[str, int]] = {
    "castle": signatures.SHORT | signatures.LONG,
    "o-o": signatures.SHORT,
    "o-o-o": signatures.LONG,
    "enpassant": signatures.IN_PASSING,
    "null": signatures.NULL_MOVE,
    "secondary": signatures.VARIATION,
}
"""Parameters of `move` that concern moves of the game, each with a mask of events. A `move` with one of
these parameters matches only if an event of the mask happened."""


def _path(p: Pruner, node: nodes_paths.Path) -> May | None:
    return _sequence(p, node.range, node.constituents, (node.focus, node.max))


def _line(p: Pruner, node: nodes_paths.Line) -> May | None:
    return _sequence(p, node.range, node.constituents, ())


def _sequence(
    p: Pruner, limits: nodes.Range | None, parts: Iterable[nodes.Node], others: Iterable[nodes.Node | None]
) -> May:
    """The abstract value of a path or line. Every constituent must match somewhere in the game. The order of
    the constituents is ignored."""
    for one in others:
        if one is not None:
            p.value(one)
    if limits is not None and not (
        limits.count or (isinstance(limits.low, int) and isinstance(limits.high, int))
    ):
        p.keep()
    return May(all_of([p.value(part) for part in parts]))


def _chain(p: Pruner, node: nodes_paths.Chain | nodes_paths.LineChain) -> May:
    return May(all_of([p.value(part) for part in node.constituents]))


def _step(p: Pruner, node: nodes_paths.Step) -> May:
    moved = _moved(p, node.dash)
    return May(moved & all_of([p.under(moved, target) for target in node.targets]))


def _repeat(p: Pruner, node: nodes_paths.Repeat) -> May:
    found = p.value(node.operand)
    return May(found.yes if node.low > 0 else YES)


def _echo(p: Pruner, node: nodes_tree.Echo) -> May:
    # The interpreter reports a fault if a variable of `echo` already has a value.
    names = {node.source, node.target}
    alone = all(map(p.is_looped, names)) and not names & p.values.keys()
    if not alone or any(loop_variables(one) & names for one in nodes.walk(node.operand)):
        p.keep()
    before = p.values
    p.values = {**before, node.source: UNKNOWN, node.target: UNKNOWN}
    found = p.value(node.operand)
    p.values = before
    return May(found.yes)


def _assign(p: Pruner, node: nodes.Assign) -> May | None:
    if node.operator not in ("=", "=?"):
        p.value(node.value)
        p.keep()
        return May()
    found = p.value(node.value)
    if node.operator == "=?" or not p.is_set(node.value):
        return May(found.yes if p.type_of(node.value) is not Type.STRING else YES)
    return May()


def _piece_assign(p: Pruner, node: nodes.PieceAssign) -> May:
    return May(p.value(node.value).yes)


def _comment(p: Pruner, node: nodes.Comment) -> May:
    for part in node.parts:
        # In a comment, even a variable without a value has a text.
        if not isinstance(part, nodes.Name):
            p.value(part)
    return May(YES, NO)


def _set_tag(p: Pruner, node: nodes_facts.SetTag) -> May:
    p.value(node.operand)
    return May()


def _call(p: Pruner, node: nodes_programs.Call) -> May:
    for one in node.arguments:
        p.value(one)
    before, p.bound = p.bound, p.bound | frozenset(node.hidden)
    body = p.value(node.body)
    p.bound = before
    # The call fails if an argument has no value.
    low = np.minimum(body.low, 0) if p.is_set(node) else body.low
    return replace(body, no=YES, least=NONE, low=low)


def _operand(p: Pruner, node: nodes.Sort | nodes.NoTransform) -> May:
    return p.value(node.operand)


TESTED.update({
    nodes.Designator: _tested_designator,
    nodes.Compound: _tested_compound,
    nodes.Orbit: _tested_orbit,
})  # fmt: skip

RULES.update({
    nodes.Designator: _designator,
    nodes.AllSquares: lambda p, node: some_set(ALL, ALL),
    nodes.EmptySet: lambda p, node: some_set(NONE),
    nodes.Number: lambda p, node: some_number(*[np.int64(max(-FAR, min(FAR, node.value)))] * 2),
    nodes.Truth: lambda p, node: May(np.bool_(node.value), np.bool_(not node.value)),
    nodes.SideToMove: _side_to_move,
    nodes.State: _state,
    nodes.CurrentPosition: lambda p, node: May(YES, NO),
    nodes.Measure: _measure,
    nodes.Name: _name,
    nodes.Not: _not,
    nodes.Compound: _compound,
    nodes.Logic: _logic,
    nodes.Orbit: _orbit,
    nodes.NoTransform: _operand,
    nodes.Sort: _operand,
    nodes.Comment: _comment,
    nodes.Complement: _complement,
    nodes.SetOperation: _set_operation,
    nodes.Shade: _shade,
    nodes.Direction: _direction,
    nodes.Between: _between,
    nodes.Ray: _ray,
    nodes.Attack: _attack,
    nodes.Arrow: _arrow,
    nodes.SquareLoop: _loop,
    nodes.PieceLoop: _loop,
    nodes.Assign: _assign,
    nodes.PieceAssign: _piece_assign,
    nodes.Count: _count_of,
    nodes.Power: _power,
    nodes.Compare: _compare,
    nodes.Arithmetic: _arithmetic,
    nodes.Negate: _negate,
    nodes.Find: _find,
    nodes_programs.If: _if,
    nodes_programs.Call: _call,
    nodes_facts.SetTag: _set_tag,
    nodes_facts.RemoveComment: lambda p, node: May(YES, NO),
    nodes_programs.Function: lambda p, node: May(YES, NO),
    nodes_tree.At: _at,
    nodes_tree.Echo: _echo,
    nodes_tree.InitialPosition: lambda p, node: May(YES, NO),
    nodes_moves.Dash: _dash,
    nodes_moves.CurrentMove: _current_move,
    nodes_moves.CountMoves: _count_moves,
    nodes_moves.PossibleMoves: _possible_moves,
    nodes_moves.PreviousMove: _previous_move,
    nodes_moves.PreviousSquares: _previous_squares,
    nodes_moves.Move: _move,
    nodes_moves.Pin: _pin,
    nodes_paths.Path: _path,
    nodes_paths.Line: _line,
    nodes_paths.Chain: _chain,
    nodes_paths.LineChain: _chain,
    nodes_paths.Step: _step,
    nodes_paths.Repeat: _repeat,
    nodes_squares.PawnSet: _pawn_set,
    nodes_squares.Picture: _picture,
    nodes_squares.Placement: _placement,
})  # fmt: skip

"""Tells from signatures alone in which games a query can match at all, for all games of a segment at once.

The query is evaluated over what may be: for each game a filter has a truth that covers all of its positions
(it may hold somewhere, it may fail somewhere), a set the squares that may be in it and those that surely are,
a number its bounds. So it does not matter at which positions of the game a part is asked. What the rules do
not know may be anything, and a game is passed over only where the whole query cannot hold at any position.

A game in which the interpreter might come to a fault, or say something, before it finds that nothing matches
is kept too: with and without pruning the outcome of a search is the same.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from cqlgui.board import men as board_men
from cqlgui.board import squares
from cqlgui.cql import (
    nodes,
    nodes_facts,
    nodes_moves,
    nodes_paths,
    nodes_programs,
    nodes_squares,
    nodes_strings,
    nodes_tree,
    relations,
    repeatable,
    transforms,
    types,
)
from cqlgui.cql.types import Type
from cqlgui.engine import facts as facts_of_games
from cqlgui.engine import lowering, signatures
from cqlgui.engine.facts import Fact
from cqlgui.engine.games import Integers, Words

Truths: TypeAlias = "npt.NDArray[np.bool_]"

MOST_NODES: Final = 1_000
"""Filters of an orbit that are looked at; of a larger one nothing is known."""

_ALL: Final = np.uint64(squares.ALL)
_NONE: Final = np.uint64(0)
_YES: Final[Any] = np.True_
_NO: Final[Any] = np.False_
_FAR: Final = np.int64(1 << 50)
"""Stands for any number beyond `_NEAR`; two of them can be added."""
_NEAR: Final = np.int64(1 << 40)


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of the games of a segment. `columns` gives `Signatures.columns` when they are first
    needed; `first` is what comes before the `gamenumber` of the first game; `facts` are the answers to
    `Question.facts`."""

    count: int
    columns: Callable[[], Words]
    first: int
    facts: Mapping[Fact, facts_of_games.Answers] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class May:
    """What a filter may be in each game; every part is an array over the games, or one value for all.

    `yes`: its test may hold at a position, `no`: it may fail at one, or a number have no value. Of a set
    `most` are the squares that may be in it, `least` those that always are, `low` and `high` bound how many
    there are. Of a number they bound its value.
    """

    yes: Any = _YES
    no: Any = _YES
    most: Any = _ALL
    least: Any = _NONE
    low: Any = -_FAR
    high: Any = _FAR


_UNKNOWN: Final = May()
_UNKNOWN_SET: Final = May(low=np.int64(0), high=np.int64(64))
_EMPTY: Final = May(_NO, _YES, _NONE, _NONE, np.int64(0), np.int64(0))


class Question:
    """A query as it is asked of games again and again."""

    def __init__(self, expanded: transforms.Expanded) -> None:
        assert expanded.query is not None
        self.query = expanded.query
        self.names = expanded.names
        self.looped = lowering.loop_names(expanded.query.body)
        self.results = [
            Fact(nodes.Result(self.query.header.span, result), number=False)
            for result in self.query.header.results
        ]
        self.known: dict[int, Fact] = {}
        """What is asked of games, by the `id` of the filter."""
        searches = facts_of_games.leaves_no_trace(self.query.body)
        waiting = [self.query.body]
        while waiting:
            node = waiting.pop()
            if facts_of_games.is_fact(node, searches=searches):
                number = types.infer(node, self.names) is Type.NUMERIC
                self.known[id(node)] = Fact(node, number)
            else:
                waiting.extend(nodes.children(node))

    @property
    def facts(self) -> list[Fact]:
        """What is asked of games, by the header too, each once."""
        return list(dict.fromkeys([*self.results, *self.known.values()]))


def candidates(asked: Question, known: Known) -> Truths:
    """For each game whether it must be searched for a query whose games stand alone."""
    header = asked.query.header
    possible = admitted(asked, known)
    wanted = header.matchcount
    if wanted is not None and (wanted.count or _bound(wanted.low) <= 0):
        return np.asarray(possible)
    pruner = _Pruner(asked, known, possible)
    found = pruner.test(asked.query.body).yes
    return np.asarray(possible & (found | pruner.kept))


def admitted(asked: Question, known: Known) -> Truths:
    """For each game whether the header's conditions on games admit it."""
    limits = asked.query.header.gamenumber
    possible: Any = np.full(known.count, _YES)
    if limits is not None and not limits.count:
        number = _gamenumbers(known)
        possible &= (number >= _bound(limits.low)) & (number <= _bound(limits.high))
    for result in asked.results:
        possible &= _answered(known.facts[result], result.number).yes
    return np.asarray(possible)


def conjuncts(body: nodes.Node) -> list[nodes.Node]:
    """The filters that must all hold for a query to match."""
    if isinstance(body, nodes.Compound):
        return [part for one in body.filters for part in conjuncts(one)]
    return [body]


def may_hold(asked: Question, known: Known, part: nodes.Node) -> Truths:
    """For each game whether a filter may hold in it, the others apart."""
    pruner = _Pruner(asked, known, np.full(known.count, _YES))
    return np.asarray(np.broadcast_to(pruner.test(part).yes, known.count))


def rules_out(asked: Question, part: nodes.Node) -> bool:
    """Whether signatures can exclude that a filter holds."""
    if id(part) in asked.known:
        return False
    # Nothing ever stood anywhere or happened in this game.
    nothing = np.zeros((signatures.WIDTH, 1), np.uint64)
    unknown: Any = np.zeros(1, np.uint64)
    answers = dict.fromkeys(asked.facts, (unknown, unknown))
    return not may_hold(asked, Known(1, lambda: nothing, 0, answers), part).any()


def stand_alone(query: nodes.Query) -> bool:
    """Whether the games of a query have nothing to do with each other, and it touches no files."""
    for node in nodes.walk(query.body):
        match node:
            case nodes.Assign(persistent=True) | nodes_programs.Dictionary(local=False):
                return False
            case nodes_strings.ReadFile() | nodes_strings.WriteFile():
                return False
            case _:
                pass
    return True


def _bound(limit: int | str) -> int:
    assert isinstance(limit, int)
    return limit


def _answered(found: facts_of_games.Answers, number: bool) -> May:
    """What is asked of the game; the same at all of its positions."""
    value, state = found
    unknown, given = state == facts_of_games.UNKNOWN, state == facts_of_games.GIVEN
    if not number:
        return May((value != 0) | unknown, (value == 0) | unknown)
    low, high = (np.where(given, value.astype(np.int64), far) for far in (-_FAR, _FAR))
    return May(given | unknown, ~given, low=low, high=high)


def _gamenumbers(known: Known) -> Integers:
    found: Integers = np.arange(known.first + 1, known.first + known.count + 1, dtype=np.int64)
    return found


class _Pruner:
    """One evaluation. `reach`: the games in which evaluation may come to the filter under way; `kept`: those
    in which it may come to something that is not passed over."""

    def __init__(self, asked: Question, known: Known, possible: Truths) -> None:
        self.known = known
        self._names = asked.names
        self._facts = asked.known
        self.kept: Any = np.full(known.count, _NO)
        self.reach: Any = possible
        self.bound: frozenset[str] = frozenset()
        """Variables that surely have a value."""
        self.values: dict[str, May] = {}
        """What is known of the variables of the loops around the filter under way."""
        self._looped = asked.looped
        self._leaves: dict[tuple[int, int], Any] = {}
        self._left = MOST_NODES

    # --- asking

    def value(self, node: nodes.Node) -> May:
        """What a filter may be."""
        fact = self._facts.get(id(node))
        if fact is not None:
            answers = self.known.facts[fact]
            # Where it could not be answered the interpreter may come to a fault.
            self.keep(answers[1] == facts_of_games.UNKNOWN)
            return _answered(answers, fact.number)
        rule = RULES.get(type(node))
        if rule is None:
            return self.unknown(node)
        found = rule(self, node)
        if found is None:
            return self.unknown(node)
        return found

    def test(self, node: nodes.Node) -> May:
        """The same where only the truth is asked for, which is cheaper."""
        rule = TESTED.get(type(node))
        return self.value(node) if rule is None or id(node) in self._facts else rule(self, node)

    def unknown(self, node: nodes.Node) -> May:
        """What may be anything."""
        if not self.is_harmless(node):
            self.keep()
        return _UNKNOWN_SET if self.is_set(node) else _UNKNOWN

    def keep(self, which: Any = _YES) -> None:
        """Keep the games in which evaluation may get here."""
        self.kept = self.kept | (self.reach & which)

    def under(self, reach: Any, node: nodes.Node) -> May:
        """What a filter may be where it is come to in these games only."""
        before, self.reach = self.reach, self.reach & reach
        found = self.value(node)
        self.reach = before
        return found

    def is_set(self, node: nodes.Node) -> bool:
        """Whether a filter is a set."""
        return types.is_set(node, self._names)

    def type_of(self, node: nodes.Node) -> Type:
        """Static type of a filter."""
        return types.infer(node, self._names)

    def binds(self, name: str) -> bool:
        """Whether a variable surely has a value here."""
        return name in self.bound or name in self.values

    def is_looped(self, name: str) -> bool:
        """Whether nothing but loops gives a variable its value."""
        return name in self._looped

    # --- signatures

    @functools.cached_property
    def columns(self) -> Words:
        """The signatures of the games."""
        return self.known.columns()

    def ever(self, man: int) -> Words:
        """The squares on which a man ever stood."""
        found: Words = self.columns[man]
        return found

    def happened(self, events: int) -> Truths:
        """Whether one of these events ever happened."""
        found: Truths = (self.columns[signatures.EVENTS] & np.uint64(events)) != 0
        return found

    @property
    def plies(self) -> Integers:
        """The largest ply."""
        found: Integers = (self.columns[signatures.EVENTS] >> np.uint64(signatures.PLIES)).astype(np.int64)
        return found

    def counted(self, man: int, word: int) -> Integers:
        """The fewest (`LEAST`) or the most (`MOST`) of a man."""
        shift = np.uint64(signatures.COUNT_BITS * (man - 1))
        found: Integers = (self.columns[word] >> shift & np.uint64((1 << signatures.COUNT_BITS) - 1)).astype(
            np.int64
        )
        return found

    def places(self, men: int, area: int) -> Any:
        """Where in the area one of the men of a mask may stand."""
        key = men, area
        found = self._leaves.get(key)
        if found is None:
            found = _NONE
            for man in _men(men):
                found = found | self.ever(man)
            found = found & np.uint64(area)
            self._leaves[key] = found
        return found

    def numbers(self, man: int, area: int) -> tuple[Any, Any]:
        """Bounds of how many of a man stand in the area."""
        if man == 0:
            return np.int64(0), _count(self.places(1, area))
        most = self.counted(man, signatures.MOST)
        most = np.where(most == signatures.MOST_COUNTED, 64, most)
        high = np.minimum(most, _count(self.places(1 << man, area)))
        outside = _count(self.places(1 << man, squares.ALL ^ area))
        return np.maximum(self.counted(man, signatures.LEAST) - outside, 0), high

    # --- what cannot be passed over

    def is_harmless(self, node: nodes.Node) -> bool:
        """Whether a filter can neither fault nor leave a trace where the game does not match."""
        return repeatable.is_repeatable(node) and all(self._cannot_fault(one) for one in nodes.walk(node))

    def _cannot_fault(self, node: nodes.Node) -> bool:
        if not has_fixed_range(node):
            return False
        match node:
            case nodes.Name():
                return self.is_looped(node.name) or self.binds(node.name)
            case nodes.SquareLoop() | nodes.PieceLoop():
                return self.begins_well(node)
            case nodes.Arithmetic():
                return self.type_of(node) is Type.NUMERIC and self.stays_small(node)
            case nodes_tree.Echo():
                return False
            case _:
                return True

    def stays_small(self, node: nodes.Node) -> bool:
        """Whether a number surely does not grow beyond all bounds, which only variables let it."""
        for one in nodes.walk(node):
            match one:
                case nodes.Name() if not self.is_set(one):
                    return False
                case nodes.Number() if abs(one.value) >= 1 << 60:
                    return False
                case _:
                    pass
        return True

    def begins_well(self, loop: nodes.SquareLoop | nodes.PieceLoop) -> bool:
        """Whether the variable of a loop surely has no value yet when it begins."""
        inside = nodes.walk(loop.body)
        again = any(_loop_variables(one) & {loop.name} for one in inside)
        return self.is_looped(loop.name) and loop.name not in self.values and not again

    def affords(self, orbit: nodes.Orbit) -> bool:
        """Whether an orbit is small enough to be looked at, which counts as done."""
        for _ in nodes.walk(orbit):
            self._left -= 1
            if self._left < 0:
                return False
        return True


def has_fixed_range(node: nodes.Node) -> bool:
    """Whether a filter has no range, or one of numbers."""
    limits = getattr(node, "range", None)
    if not isinstance(limits, nodes.Range):
        return True
    return limits.count or (isinstance(limits.low, int) and isinstance(limits.high, int))


def _loop_variables(node: nodes.Node) -> frozenset[str]:
    match node:
        case nodes.SquareLoop() | nodes.PieceLoop():
            return frozenset({node.name})
        case nodes_tree.Echo():
            return frozenset({node.source, node.target})
        case _:
            return frozenset()


# --- small things -------------------------------------------------------------------------------------------


def _men(mask: int) -> Iterator[int]:
    return (man for man in range(13) if mask >> man & 1)


def _count(area: Any) -> Any:
    return np.bitwise_count(area).astype(np.int64)


def _area(most: Any, least: Any = _NONE, low: Any = 0, high: Any = 64) -> May:
    """A set within these bounds."""
    high = np.minimum(high, _count(most))
    low = np.maximum(low, _count(least))
    return May(high > 0, low <= 0, most, least, low, high)


def _number(low: Any, high: Any, yes: Any = _YES, no: Any = _NO) -> May:
    """A number within these bounds, cut so that they can be added."""
    low = np.where(low <= -_NEAR, -_FAR, np.minimum(low, _NEAR))
    high = np.where(high >= _NEAR, _FAR, np.maximum(high, -_NEAR))
    return May(yes, no, low=low, high=high)


def _all_of(found: Iterable[May]) -> Any:
    """Whether all may hold."""
    yes: Any = _YES
    for one in found:
        yes = yes & one.yes
    return yes


def _kept_in(limits: nodes.Range | None, low: Any, high: Any) -> tuple[Any, Any]:
    """Whether a number within bounds may lie in a range, and whether it may not."""
    if limits is None or limits.count:
        return _YES, _NO
    if not (isinstance(limits.low, int) and isinstance(limits.high, int)):
        return _YES, _YES
    return (high >= limits.low) & (low <= limits.high), (low < limits.low) | (high > limits.high)


# --- rules: primaries ---------------------------------------------------------------------------------------

Rule: TypeAlias = Callable[[_Pruner, Any], "May | None"]
"""What a filter may be; None for anything."""


def _designator(p: _Pruner, node: nodes.Designator) -> May:
    if node.men == board_men.ANY_MASK:
        area = np.uint64(node.squares)
        return _area(area, area)
    low: Any = np.int64(0)
    high: Any = np.int64(0)
    for man in _men(node.men):
        fewest, largest = p.numbers(man, node.squares)
        low, high = low + fewest, high + largest
    return _area(p.places(node.men, node.squares), low=low, high=high)


def _tested_designator(p: _Pruner, node: nodes.Designator) -> May:
    """The same where only its truth is asked for, which is cheaper."""
    if node.men == board_men.ANY_MASK:
        return _designator(p, node)
    return May(p.places(node.men, node.squares) != 0, _YES)


def _state(p: _Pruner, node: nodes.State) -> May:
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
            return May(_NO)
        case "initial" | "terminal" | "mainline" | "virtualmainline":
            return May()


def _side_to_move(p: _Pruner, node: nodes.SideToMove) -> May:
    sides = [signatures.WHITE_TO_MOVE, signatures.BLACK_TO_MOVE]
    if node.colour == "black":
        sides.reverse()
    return May(p.happened(sides[0]), p.happened(sides[1]))


def _measure(p: _Pruner, node: nodes.Measure) -> May | None:
    match node.word:
        case "ply":
            return _number(np.int64(0), p.plies)
        case "movenumber":
            return _number(np.int64(1), 1 + (p.plies + 1 >> 1))
        case "gamenumber":
            number = _gamenumbers(p.known)
            return _number(number, number)
        case "sidetomove":
            return _number(np.int64(-1), np.int64(1))
        case "positionid" | "depth" | "lastgamenumber":
            return _number(np.int64(0), _FAR)
        case "try":
            return _number(np.int64(1), np.int64(1), no=_YES)
        case "year":
            return None


def _name(p: _Pruner, node: nodes.Name) -> May | None:
    return p.values.get(node.name)


# --- rules: logic -------------------------------------------------------------------------------------------


def _not(p: _Pruner, node: nodes.Not) -> May:
    found = p.value(node.operand)
    return May(found.no, found.yes)


def _compound(p: _Pruner, node: nodes.Compound) -> May:
    return _in_turn(p, node, tested=p.type_of(node) is Type.LOGICAL)


def _tested_compound(p: _Pruner, node: nodes.Compound) -> May:
    return _in_turn(p, node, tested=True)


def _in_turn(p: _Pruner, node: nodes.Compound, *, tested: bool) -> May:
    before, bound = p.reach, p.bound
    no: Any = _NO
    for one in node.filters[:-1]:
        found = p.test(one)
        no = no | found.no
        p.reach = p.reach & found.yes
        p.bound = p.bound | _bound_by(one)
        if not p.reach.any():
            # Nothing behind it is ever come to.
            p.reach, p.bound = before, bound
            return _EMPTY if p.is_set(node) else replace(_UNKNOWN, yes=_NO)
    last = p.test(node.filters[-1]) if tested else p.value(node.filters[-1])
    reached, p.reach, p.bound = p.reach, before, bound
    found = replace(last, yes=reached & last.yes, no=no | last.no)
    return _only_in(reached, found, failing=no) if p.is_set(node) and not tested else found


def _only_in(reached: Any, found: May, *, failing: Any) -> May:
    """A set that is empty in all games but these, and where an earlier filter fails."""
    return replace(
        found,
        most=np.where(reached, found.most, _NONE),
        least=np.where(failing, _NONE, found.least),
        low=np.where(failing, 0, found.low),
        high=np.where(reached, found.high, 0),
    )


def _bound_by(node: nodes.Node) -> frozenset[str]:
    """The variables that surely have a value where a filter matched."""
    match node:
        case nodes.Assign() if node.operator in ("=", "=?"):
            return frozenset({node.name})
        case nodes.PieceAssign():
            return frozenset({node.name})
        case nodes.Compound():
            return frozenset().union(*map(_bound_by, node.filters))
        case _:
            return frozenset()


def _logic(p: _Pruner, node: nodes.Logic) -> May:
    left = p.test(node.left)
    before = p.reach
    p.reach = p.reach & (left.yes if node.word == "and" else left.no)
    right = p.test(node.right)
    p.reach = before
    if node.word == "and":
        return May(left.yes & right.yes, left.no | right.no)
    return May(left.yes | right.yes, left.no & right.no)


def _if(p: _Pruner, node: nodes_programs.If) -> May:
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


def _orbit(p: _Pruner, node: nodes.Orbit) -> May | None:
    if node.range is None and p.type_of(node) is Type.LOGICAL:
        return _tested_orbit(p, node)
    if not has_fixed_range(node) or not p.affords(node):
        return None
    yes: Any = _NO
    no: Any = _YES
    most: Any = _NONE
    least: Any = _NONE
    fewest: Any = np.int64(0)
    largest: Any = np.int64(0)
    low: Any = np.int64(0) if p.is_set(node) else _FAR
    high: Any = np.int64(0) if p.is_set(node) else -_FAR
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
        inside, outside = _kept_in(node.range, fewest, largest)
        return _number(fewest, largest, inside, outside)
    if p.is_set(node):
        return _area(most, least, low, high)
    return May(yes, no, low=low, high=high)


def _tested_orbit(p: _Pruner, node: nodes.Orbit) -> May:
    if node.range is not None:
        return p.value(node)
    if not p.affords(node):
        return p.unknown(node)
    yes: Any = _NO
    no: Any = _YES
    for element in node.elements:
        found = p.test(element.filter)
        yes, no = yes | found.yes, no & found.no
        if np.all(yes | ~p.reach) and p.is_harmless(node):
            return May()
    return May(yes, no)


# --- rules: sets --------------------------------------------------------------------------------------------


def _complement(p: _Pruner, node: nodes.Complement) -> May:
    found = p.value(node.operand)
    return _area(~found.least, ~found.most, 64 - found.high, 64 - found.low)


def _set_operation(p: _Pruner, node: nodes.SetOperation) -> May | None:
    left = p.value(node.left)
    right = p.value(node.right)
    if not p.is_set(node.left):
        return _UNKNOWN_SET
    if node.operator == "&":
        most = left.most & right.most
        low = np.maximum(
            left.low - _count(left.most & ~right.least), right.low - _count(right.most & ~left.least)
        )
        return _area(most, left.least & right.least, low, np.minimum(left.high, right.high))
    low = np.maximum(left.low, right.low)
    return _area(left.most | right.most, left.least | right.least, low, left.high + right.high)


def _shade(p: _Pruner, node: nodes.Shade) -> May:
    found = p.value(node.operand)
    area = np.uint64(squares.LIGHT if node.shade == "light" else squares.DARK)
    low = found.low - _count(found.most & ~area)
    return _area(found.most & area, found.least & area, low, found.high)


def _direction(p: _Pruner, node: nodes.Direction) -> May | None:
    if not has_fixed_range(node):
        return None
    low, high = (1, relations.MAX_STEP) if node.range is None else (node.range.low, node.range.high)
    assert isinstance(low, int)
    assert isinstance(high, int)
    found = p.value(node.operand)
    if not -relations.MAX_STEP <= low <= high <= relations.MAX_STEP:
        p.keep()
        return _UNKNOWN_SET
    most: Any = _NONE
    for area, distance in relations.step_shifts(node.directions, low, high):
        moved = found.most & np.uint64(area)
        most = most | (moved << np.uint64(distance) if distance >= 0 else moved >> np.uint64(-distance))
    return _area(most)


def _between(p: _Pruner, node: nodes.Between) -> May:
    both = _all_of([p.value(node.left), p.value(node.right)])
    return _area(np.where(both, _ALL, _NONE))


def _ray(p: _Pruner, node: nodes.Ray) -> May | None:
    if not has_fixed_range(node):
        return None
    parts = [p.value(one) for one in node.operands]
    yes = _all_of(parts)
    if node.range is None:
        return _area(np.where(yes, parts[-1].most, _NONE))
    inside, outside = _kept_in(node.range, np.int64(0), np.where(yes, _FAR, 0))
    return _number(np.int64(0), np.where(yes, _FAR, 0), inside, outside)


def _attack(p: _Pruner, node: nodes.Attack) -> May:
    return _first_of(p, (node.left, node.right))


def _arrow(p: _Pruner, node: nodes.Arrow) -> May:
    return _first_of(p, node.operands)


def _first_of(p: _Pruner, operands: Iterable[nodes.Node]) -> May:
    """Squares of the first of several sets, none where one of them is empty."""
    parts = [p.value(one) for one in operands]
    return _area(np.where(_all_of(parts), parts[0].most, _NONE), high=parts[0].high)


def _pin(p: _Pruner, node: nodes_moves.Pin) -> May:
    parts = [p.value(one) for one in node.operands]
    return _area(np.where(_all_of(parts), parts[0].most if parts else _ALL, _NONE))


def _pawn_set(p: _Pruner, node: nodes_squares.PawnSet) -> May:
    return _area(p.places(1 << board_men.WP | 1 << board_men.BP, squares.ALL))


def _picture(p: _Pruner, node: nodes_squares.Picture) -> May:
    ending = signatures.STALEMATE if node.word.endswith("stalemate") else signatures.MATE
    return _area(np.where(p.happened(ending), _ALL, _NONE))


def _placement(p: _Pruner, node: nodes_squares.Placement) -> May:
    return May(_all_of(_tested_designator(p, one) for one in node.squares))


def _loop(p: _Pruner, node: nodes.SquareLoop | nodes.PieceLoop) -> May:
    domain = p.value(node.domain)
    if not p.begins_well(node):
        p.keep()
    # A man may be found elsewhere on the board at another position.
    area = domain.most if isinstance(node, nodes.SquareLoop) else _ALL
    low = np.int64(1 if isinstance(node, nodes.SquareLoop) else 0)
    before = p.values
    p.values = {**before, node.name: May(_YES, low < 1, area, _NONE, low, np.int64(1))}
    body = p.under(domain.yes, node.body)
    p.values = before
    if node.all:
        # Of squares that are all empty a loop over men has nothing to ask.
        nothing = domain.no if isinstance(node, nodes.SquareLoop) else _YES
        return May(body.yes | nothing, domain.yes & body.no)
    return _area(np.where(body.yes, domain.most, _NONE), high=domain.high)


# --- rules: numbers -----------------------------------------------------------------------------------------


def _count_of(p: _Pruner, node: nodes.Count) -> May | None:
    if not p.is_set(node.operand):
        return None
    found = p.value(node.operand)
    return _number(found.low, found.high)


def _power(p: _Pruner, node: nodes.Power) -> May:
    operand = node.operand
    if not isinstance(operand, nodes.Designator):
        found = p.value(operand)
        return _number(np.int64(0), 9 * found.high)
    low: Any = np.int64(0)
    high: Any = np.int64(0)
    for man in _men(operand.men & ~1):
        worth = _WORTH[board_men.kind(man)]
        fewest, largest = p.numbers(man, operand.squares)
        low, high = low + worth * fewest, high + worth * largest
    return _number(low, high)


_WORTH: Final = (0, 1, 3, 3, 5, 9, 0)
"""By kind of man."""


def _compare(p: _Pruner, node: nodes.Compare) -> May | None:
    kinds = [p.type_of(one) for one in (node.left, node.right)]
    if not all(kind is Type.NUMERIC or kind in types.SETS for kind in kinds):
        return None
    left, right = p.value(node.left), p.value(node.right)
    sets = [kind in types.SETS for kind in kinds]
    if all(sets):
        return May(*_set_truth(node.operator, left, right))
    missing: Any = _NO
    given: Any = _YES
    for one, is_set in zip((left, right), sets, strict=True):
        if not is_set:
            missing, given = missing | one.no, given & one.yes
    yes, no = _RELATED[node.operator](left, right)
    if node.operator == "!=":
        return May(given & yes, missing | no)
    return _number(left.low, left.high, given & yes, missing | no)


def _set_truth(operator: str, left: May, right: May) -> tuple[Any, Any]:
    if operator not in ("==", "!="):
        return _YES, _YES
    common = ((left.least & ~right.most) == 0) & ((right.least & ~left.most) == 0)
    common = common & (left.low <= right.high) & (right.low <= left.high)
    return (common, _YES) if operator == "==" else (_YES, common)


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
"""Whether a relation may hold of two numbers that there are, and whether it may not."""


def _arithmetic(p: _Pruner, node: nodes.Arithmetic) -> May | None:
    if p.type_of(node) is not Type.NUMERIC or node.operator not in "+-":
        return None
    left, right = p.value(node.left), p.value(node.right)
    if not p.stays_small(node):
        p.keep()
    yes, no = left.yes & right.yes, left.no | right.no
    if node.operator == "+":
        return _number(left.low + right.low, left.high + right.high, yes, no)
    return _number(left.low - right.high, left.high - right.low, yes, no)


def _negate(p: _Pruner, node: nodes.Negate) -> May:
    found = p.value(node.operand)
    return _number(-found.high, -found.low, found.yes, found.no)


# --- rules: other positions and moves -----------------------------------------------------------------------


def _find(p: _Pruner, node: nodes.Find) -> May | None:
    if not has_fixed_range(node):
        return None
    found = p.test(node.operand)
    if node.range is None:
        return May(found.yes)
    inside, _ = _kept_in(node.range, np.int64(0), np.where(found.yes, _FAR, 0))
    return May(inside)


def _at(p: _Pruner, node: nodes_tree.At) -> May:
    where = p.value(node.position)
    found = p.under(where.yes, node.filter)
    found = replace(found, yes=where.yes & found.yes, no=where.no | found.no)
    return _only_in(where.yes, found, failing=where.no) if p.is_set(node) else found


def _dash(p: _Pruner, node: nodes_moves.Dash) -> May:
    moved = _moved(p, node)
    if node.target is None:
        return May(moved)
    target = p.under(moved, node.target)
    return May(moved & target.yes, most=target.most, low=np.minimum(target.low, 0), high=target.high)


def _moved(p: _Pruner, node: nodes_moves.Dash) -> Any:
    """Whether a move of the game may go with the parts of a dash, its target apart."""
    left = May() if node.left is None else p.value(node.left)
    right = May() if node.right is None else p.value(node.right)
    if node.promotion is not None and not isinstance(node.promotion, nodes.Designator | nodes.AllSquares):
        p.value(node.promotion)
    sources, goals = left.most, right.most
    mask = node.left.men if isinstance(node.left, nodes.Designator) else board_men.ANY_MASK
    fits: Any = p.happened(signatures.NULL_MOVE)
    for man in _men(mask & ~1):
        # What moves stands where it arrives, unless a pawn promotes or captures in passing.
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
    """The promotions that may go with the part of a dash that names them, as events."""
    if not isinstance(wanted, nodes.Designator):
        return 15 * signatures.PROMOTED
    kinds = {board_men.kind(man) for man in _men(wanted.men & ~1)}
    return sum(signatures.PROMOTED << kind - board_men.WN for kind in kinds & {2, 3, 4, 5})


def _current_move(p: _Pruner, node: nodes_moves.CurrentMove) -> May:
    return _dash(p, node.dash)


def _count_moves(p: _Pruner, node: nodes_moves.CountMoves) -> May:
    found = p.value(node.moves)
    return _number(np.int64(0), np.where(found.yes, _FAR, 0))


def _possible_moves(p: _Pruner, node: nodes_moves.PossibleMoves) -> May:
    left = May() if node.left is None else p.value(node.left)
    right = May() if node.right is None else p.value(node.right)
    return _area(np.where(left.yes & right.yes, right.most, _NONE))


def _previous_move(p: _Pruner, node: nodes_moves.PreviousMove) -> May:
    match node.word:
        case "enpassant":
            return May(p.happened(signatures.IN_PASSING))
        case "nullmove":
            return May(p.happened(signatures.NULL_MOVE))
        case "secondary":
            return May(p.happened(signatures.VARIATION))
        case "primary":
            return May(p.plies > 0)


def _previous_squares(p: _Pruner, node: nodes_moves.PreviousSquares) -> May:
    if node.word == "enpassantsquare":
        return _area(np.where(p.happened(signatures.IN_PASSING), _ALL, _NONE))
    return _area(np.where(p.plies > 0, _ALL, _NONE))


def _move(p: _Pruner, node: nodes_moves.Move) -> May | None:
    if node.comment is not None:
        return None
    parts = [p.value(one) for one in node.operands]
    if p.type_of(node) is Type.NUMERIC:
        return _number(np.int64(0), _FAR)
    yes = _all_of(parts)
    if "legal" not in node.words and "pseudolegal" not in node.words:
        yes = yes & (p.plies > 0)
        for word in node.words:
            if word in _HAPPENING:
                yes = yes & p.happened(_HAPPENING[word])
    return _area(np.where(yes, _ALL, _NONE)) if p.is_set(node) else May(yes)


_HAPPENING: Final[dict[str, int]] = {
    "castle": signatures.SHORT | signatures.LONG,
    "o-o": signatures.SHORT,
    "o-o-o": signatures.LONG,
    "enpassant": signatures.IN_PASSING,
    "null": signatures.NULL_MOVE,
    "secondary": signatures.VARIATION,
    "promote": 15 * signatures.PROMOTED,
}
"""What must have happened for a parameter of `move` about moves of the game."""


def _path(p: _Pruner, node: nodes_paths.Path) -> May | None:
    return _sequence(p, node.range, node.constituents, (node.focus, node.max))


def _line(p: _Pruner, node: nodes_paths.Line) -> May | None:
    return _sequence(p, node.range, node.constituents, ())


def _sequence(
    p: _Pruner, limits: nodes.Range | None, parts: Iterable[nodes.Node], others: Iterable[nodes.Node | None]
) -> May:
    """All of its constituents must match somewhere, in whatever order they are looked at."""
    for one in others:
        if one is not None:
            p.value(one)
    if limits is not None and not (
        limits.count or (isinstance(limits.low, int) and isinstance(limits.high, int))
    ):
        p.keep()
    return May(_all_of([p.value(part) for part in parts]))


def _chain(p: _Pruner, node: nodes_paths.Chain | nodes_paths.LineChain) -> May:
    return May(_all_of([p.value(part) for part in node.constituents]))


def _step(p: _Pruner, node: nodes_paths.Step) -> May:
    moved = _moved(p, node.dash)
    return May(moved & _all_of([p.under(moved, target) for target in node.targets]))


def _repeat(p: _Pruner, node: nodes_paths.Repeat) -> May:
    found = p.value(node.operand)
    return May(found.yes if node.low > 0 else _YES)


def _echo(p: _Pruner, node: nodes_tree.Echo) -> May:
    # A variable that has a value already is a fault.
    names = {node.source, node.target}
    alone = all(map(p.is_looped, names)) and not names & p.values.keys()
    if not alone or any(_loop_variables(one) & names for one in nodes.walk(node.operand)):
        p.keep()
    before = p.values
    p.values = {**before, node.source: _UNKNOWN, node.target: _UNKNOWN}
    found = p.value(node.operand)
    p.values = before
    return May(found.yes)


def _assign(p: _Pruner, node: nodes.Assign) -> May | None:
    if node.operator not in ("=", "=?"):
        p.value(node.value)
        p.keep()
        return May()
    found = p.value(node.value)
    if node.operator == "=?" or not p.is_set(node.value):
        return May(found.yes if p.type_of(node.value) is not Type.STRING else _YES)
    return May()


def _piece_assign(p: _Pruner, node: nodes.PieceAssign) -> May:
    return May(p.value(node.value).yes)


def _comment(p: _Pruner, node: nodes.Comment) -> May:
    for part in node.parts:
        # Here a variable without a value has a text.
        if not isinstance(part, nodes.Name):
            p.value(part)
    return May(_YES, _NO)


def _set_tag(p: _Pruner, node: nodes_facts.SetTag) -> May:
    p.value(node.operand)
    return May()


def _call(p: _Pruner, node: nodes_programs.Call) -> May:
    for one in node.arguments:
        p.value(one)
    before, p.bound = p.bound, p.bound | frozenset(node.hidden)
    body = p.value(node.body)
    p.bound = before
    # It fails where an argument has no value.
    low = np.minimum(body.low, 0) if p.is_set(node) else body.low
    return replace(body, no=_YES, least=_NONE, low=low)


def _operand(p: _Pruner, node: nodes.Sort | nodes.NoTransform) -> May:
    return p.value(node.operand)


TESTED: Final[dict[type[nodes.Node], Callable[[_Pruner, Any], May]]] = {
    nodes.Designator: _tested_designator,
    nodes.Compound: _tested_compound,
    nodes.Orbit: _tested_orbit,
}
"""Kinds whose truth is cheaper to tell than their value."""

RULES: Final[dict[type[nodes.Node], Rule]] = {
    nodes.Designator: _designator,
    nodes.AllSquares: lambda p, node: _area(_ALL, _ALL),
    nodes.EmptySet: lambda p, node: _area(_NONE),
    nodes.Number: lambda p, node: _number(*[np.int64(max(-_FAR, min(_FAR, node.value)))] * 2),
    nodes.Truth: lambda p, node: May(np.bool_(node.value), np.bool_(not node.value)),
    nodes.SideToMove: _side_to_move,
    nodes.State: _state,
    nodes.CurrentPosition: lambda p, node: May(_YES, _NO),
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
    nodes_facts.RemoveComment: lambda p, node: May(_YES, _NO),
    nodes_programs.Function: lambda p, node: May(_YES, _NO),
    nodes_tree.At: _at,
    nodes_tree.Echo: _echo,
    nodes_tree.InitialPosition: lambda p, node: May(_YES, _NO),
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
}
"""The kinds of which more is known than that they may be anything."""

"""Abstract values of filters, from signatures and headers, for all games of a segment at once.

An abstract value covers all positions of a game, so it is valid wherever a filter is evaluated in the game.
For a condition, the abstract value says whether the filter may hold at some position, and whether the filter
may fail at some position. For a set, the abstract value has the squares that may be in the set, and the
squares that are always in the set. For a number, the abstract value has a lower and an upper bound. The rules
for each kind of filter are in `pruner`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from cqlgui.base import priority
from cqlgui.base.data import dataclass, field
from cqlgui.board import squares
from cqlgui.cql.ast import nodes, nodes_facts, nodes_strings, nodes_studies, nodes_tree, repeatable, types
from cqlgui.cql.ast.types import Type
from cqlgui.cql.transforming import transforms
from cqlgui.engine.facts import answering, questions
from cqlgui.engine.facts.questions import Fact
from cqlgui.engine.lowering import dispatch
from cqlgui.engine.pruning import signatures
from cqlgui.engine.replaying.games import Integers, Words

Truths: TypeAlias = "npt.NDArray[np.bool_]"

MOST_NODES: Final = 150
"""The maximum number of filters that are examined in orbits. An orbit that exceeds this limit has an unknown
value."""

ALL: Final = np.uint64(squares.ALL)
NONE: Final = np.uint64(0)
YES: Final[Any] = np.True_
NO: Final[Any] = np.False_
FAR: Final = np.int64(1 << 50)
"""`FAR` stands for any number beyond `_NEAR`. The sum `FAR + FAR` does not overflow."""
_NEAR: Final = np.int64(1 << 40)


@dataclass(frozen=True, slots=True)
class Known:
    """What is known about some games that follow each other, or about some of these. `column` is called when
    signatures are needed. It gets the number of a word of the signature, and returns this word of the games
    with the given places, or of all games. `first` is one less than the `gamenumber` of the first game.
    `facts` are the answers to `Question.facts`. `places` are the places of the games, ascending; None if
    these are all games."""

    count: int
    column: Callable[[int, Integers | None], Words]
    first: int
    facts: Mapping[Fact, answering.Answers | answering.Spread] = field(default_factory=dict)
    places: Integers | None = None

    def of_games(self, places: Integers) -> Known:
        """What is known about the games with these places, which ascend."""
        answers: dict[Fact, answering.Answers | answering.Spread] = {
            fact: found.take(places)
            if isinstance(found, answering.Spread)
            else (found[0][places], found[1][places])
            for fact, found in self.facts.items()
        }
        return Known(len(places), self.column, self.first, answers, places)


@dataclass(frozen=True, slots=True)
class May:
    """The abstract value of a filter over all positions of each game. Every field is an array with one value
    for each game, or a single value for all games.

    `yes`: the filter may hold at some position. `no`: the filter may fail at some position, or a numeric
    filter may have no value. For a set, `most` has the squares that may be in the set, and `least` has the
    squares that are always in the set. `low` and `high` are bounds for the number of squares in a set. For a
    number, `low` and `high` are bounds for the value.
    """

    yes: Any = YES
    no: Any = YES
    most: Any = ALL
    least: Any = NONE
    low: Any = -FAR
    high: Any = FAR


UNKNOWN: Final = May()
UNKNOWN_SET: Final = May(low=np.int64(0), high=np.int64(64))
EMPTY: Final = May(NO, YES, NONE, NONE, np.int64(0), np.int64(0))


class Question:
    """A query that is evaluated for games of many segments."""

    def __init__(self, expanded: transforms.Expanded) -> None:
        assert expanded.query is not None
        self.query = expanded.query
        self.names = expanded.names
        self.looped = dispatch.loop_names(expanded.query.body)
        self.results = [
            Fact(nodes.Result(self.query.header.span, result), number=False)
            for result in self.query.header.results
        ]
        self.known: dict[int, Fact] = {}
        """Questions about games, by the `id` of the filter."""
        searches = questions.leaves_no_trace(self.query.body)
        waiting = [self.query.body]
        while waiting:
            node = waiting.pop()
            if questions.is_fact(node, searches=searches) and not _is_apart(node):
                number = types.infer(node, self.names) is Type.NUMERIC
                self.known[id(node)] = Fact(node, number)
            elif questions.is_remark(node, searches=searches) and not _is_apart(node):
                # The compiled query usually asks for the number of a command, and for the truth of all else.
                number = isinstance(node, nodes_facts.CommandNumber)
                self.known[id(node)] = Fact(node, number, remark=True)
            else:
                waiting.extend(nodes.children(node))

    @property
    def facts(self) -> list[Fact]:
        """All questions about games, including the questions of the header. Each question occurs once."""
        return list(dict.fromkeys([*self.results, *self.known.values()]))


def _is_apart(node: nodes.Node) -> bool:
    """Whether the truth and the value of a filter are independent. As a condition, `lowercase s` always
    fails, although `lowercase s` has a value. `hhdb prize` holds for a special prize, although a special
    prize has no rank among the other prizes."""
    match node:
        case nodes.Compound():
            return _is_apart(node.filters[-1])
        case _:
            return isinstance(node, nodes_strings.Case | nodes_studies.StudyAward)


class Pruner:
    """One abstract evaluation of a query. `reach` marks the games where evaluation may reach the current
    filter. `kept` marks the games where evaluation may reach a filter that cannot be skipped."""

    def __init__(self, asked: Question, known: Known, possible: Truths) -> None:
        self.known = known
        self._names = asked.names
        self._facts = asked.known
        self.kept: Any = np.full(known.count, NO)
        self.reach: Any = possible
        self.bound: frozenset[str] = frozenset()
        """Variables that certainly have a value."""
        self.values: dict[str, May] = {}
        """What is known about the variables of the loops around the current filter."""
        self._looped = asked.looped
        self._leaves: dict[tuple[int, int], Any] = {}
        self._left = MOST_NODES

    # --- asking

    def value(self, node: nodes.Node) -> May:
        """The abstract value of a filter."""
        priority.pause()
        fact = self._facts.get(id(node))
        if fact is not None:
            answers = self.known.facts[fact]
            # If the answer for a game is unknown, the interpreter may report a fault in this game.
            self.keep(is_unknown(answers))
            return answered(answers, fact.number)
        rule = RULES.get(type(node))
        if rule is None:
            return self.unknown(node)
        found = rule(self, node)
        if found is None:
            return self.unknown(node)
        return found

    def test(self, node: nodes.Node) -> May:
        """The abstract value of a filter if only the truth of the filter is needed. `test` is cheaper than
        `value`."""
        rule = TESTED.get(type(node))
        return self.value(node) if rule is None or id(node) in self._facts else rule(self, node)

    def unknown(self, node: nodes.Node) -> May:
        """The abstract value of a filter if nothing is known about the filter."""
        if not self.is_harmless(node):
            self.keep()
        return UNKNOWN_SET if self.is_set(node) else UNKNOWN

    def keep(self, which: Any = YES) -> None:
        """Among the games `which`, mark the games where evaluation may reach the current filter. The marked
        games must be searched."""
        self.kept = self.kept | (self.reach & which)

    def under(self, reach: Any, node: nodes.Node) -> May:
        """The abstract value of a filter that is evaluated only in the games `reach`."""
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
        """Whether a variable certainly has a value at the current filter."""
        return name in self.bound or name in self.values

    def is_looped(self, name: str) -> bool:
        """Whether only loops give a variable its value."""
        return name in self._looped

    # --- signatures

    def _column(self, number: int) -> Words:
        """One word of the signature of each game."""
        return self.known.column(number, self.known.places)

    def ever(self, man: int) -> Words:
        """The squares where a man ever stood."""
        found: Words = self._column(man)
        return found

    def happened(self, events: int) -> Truths:
        """Whether at least one of the given events happened."""
        found: Truths = (self._column(signatures.EVENTS) & np.uint64(events)) != 0
        return found

    @property
    def plies(self) -> Integers:
        """The largest ply."""
        found: Integers = (self._column(signatures.EVENTS) >> np.uint64(signatures.PLIES)).astype(np.int64)
        return found

    def counted(self, man: int, word: int) -> Integers:
        """The least number (`LEAST`) or the greatest number (`MOST`) of one kind of man."""
        shift = np.uint64(signatures.COUNT_BITS * (man - 1))
        found: Integers = (self._column(word) >> shift & np.uint64((1 << signatures.COUNT_BITS) - 1)).astype(
            np.int64
        )
        return found

    def places(self, men: int, area: int) -> Any:
        """The squares of the area where a man of the mask `men` may stand."""
        key = men, area
        found = self._leaves.get(key)
        if found is None:
            found = NONE
            for man in men_of(men):
                # A mask usually has one man. The union with `NONE` is left out, because the union would make
                # another array.
                found = self.ever(man) if found is NONE else found | self.ever(man)
            if area != squares.ALL:
                found = found & np.uint64(area)
            self._leaves[key] = found
        return found

    def numbers(self, man: int, area: int) -> tuple[Any, Any]:
        """Bounds for the number of men of one kind that stand in the area."""
        if man == 0:
            return np.int64(0), count_squares(self.places(1, area))
        most = self.counted(man, signatures.MOST)
        most = np.where(most == signatures.MOST_COUNTED, 64, most)
        high = np.minimum(most, count_squares(self.places(1 << man, area)))
        outside = count_squares(self.places(1 << man, squares.ALL ^ area))
        return np.maximum(self.counted(man, signatures.LEAST) - outside, 0), high

    # --- what cannot be passed over

    def is_harmless(self, node: nodes.Node) -> bool:
        """Whether a filter never faults, and leaves no trace in a game that does not match."""
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
        """Whether a number certainly stays bounded. Only variables can make a number grow without limit."""
        return all(self.is_set(one) for one in nodes.walk(node) if isinstance(one, nodes.Name))

    def begins_well(self, loop: nodes.SquareLoop | nodes.PieceLoop) -> bool:
        """Whether the variable of a loop certainly has no value yet when the loop begins."""
        inside = nodes.walk(loop.body)
        again = any(loop_variables(one) & {loop.name} for one in inside)
        return self.is_looped(loop.name) and loop.name not in self.values and not again

    def affords(self, orbit: nodes.Orbit) -> bool:
        """Whether an orbit is small enough to be examined. Each call uses up part of `MOST_NODES`."""
        for _ in nodes.walk(orbit):
            self._left -= 1
            if self._left < 0:
                return False
        return True


def has_fixed_range(node: nodes.Node) -> bool:
    """Whether a filter has no range, or a range of literal numbers."""
    limits = getattr(node, "range", None)
    if not isinstance(limits, nodes.Range):
        return True
    return limits.count or (isinstance(limits.low, int) and isinstance(limits.high, int))


def loop_variables(node: nodes.Node) -> frozenset[str]:
    match node:
        case nodes.SquareLoop() | nodes.PieceLoop():
            return frozenset({node.name})
        case nodes_tree.Echo():
            return frozenset({node.source, node.target})
        case _:
            return frozenset()


Rule: TypeAlias = Callable[[Pruner, Any], "May | None"]
"""A function that returns the abstract value of a filter, or None if nothing is known."""


RULES: Final[dict[type[nodes.Node], Rule]] = {}
"""The rules, by the class of the filter. `pruner` fills this dictionary."""
TESTED: Final[dict[type[nodes.Node], Callable[[Pruner, Any], May]]] = {}
"""Rules for filters whose truth is cheaper to find than their value, by the class of the filter."""


# --- small things -------------------------------------------------------------------------------------------


def men_of(mask: int) -> Iterator[int]:
    return (man for man in range(13) if mask >> man & 1)


def count_squares(area: Any) -> Any:
    return np.bitwise_count(area).astype(np.int64)


def some_set(most: Any, least: Any = NONE, low: Any = 0, high: Any = 64) -> May:
    """A set within the given bounds."""
    high = np.minimum(high, count_squares(most))
    low = np.maximum(low, count_squares(least))
    return May(high > 0, low <= 0, most, least, low, high)


def some_number(low: Any, high: Any, yes: Any = YES, no: Any = NO) -> May:
    """A number within the given bounds. Bounds beyond `_NEAR` are cut, so that a sum of bounds cannot
    overflow."""
    low = np.where(low <= -_NEAR, -FAR, np.minimum(low, _NEAR))
    high = np.where(high >= _NEAR, FAR, np.maximum(high, -_NEAR))
    return May(yes, no, low=low, high=high)


def all_of(found: Iterable[May]) -> Any:
    """Whether all of the filters may hold."""
    yes: Any = YES
    for one in found:
        yes = yes & one.yes
    return yes


def kept_in(limits: nodes.Range | None, low: Any, high: Any) -> tuple[Any, Any]:
    """Whether a number within bounds may lie in a range, and whether it may lie outside the range."""
    if limits is None or limits.count:
        return YES, NO
    if not (isinstance(limits.low, int) and isinstance(limits.high, int)):
        return YES, YES
    return (high >= limits.low) & (low <= limits.high), (low < limits.low) | (high > limits.high)


def is_unknown(found: answering.Answers | answering.Spread) -> Truths:
    """For each game, whether an answer is unknown, at any position."""
    if not isinstance(found, answering.Spread):
        return np.asarray(found[1] == answering.UNKNOWN)
    return _anywhere(found, found.states == answering.UNKNOWN) | (found.usual[1] == answering.UNKNOWN)


def _anywhere(found: answering.Spread, holds: Truths) -> Truths:
    """For each game, whether one of its answers has the property `holds`."""
    before = np.concatenate([[0], np.cumsum(holds)])[found.firsts]
    return np.asarray(before[1:] > before[:-1])


def answered(found: answering.Answers | answering.Spread, number: bool) -> May:
    """The abstract value of an answer about the game, or about a position."""
    if isinstance(found, answering.Spread):
        return _numbered_somewhere(found) if number else _answered_somewhere(found)
    value, state = found
    unknown, given = state == answering.UNKNOWN, state == answering.GIVEN
    if not number:
        return May((value != 0) | unknown, (value == 0) | unknown)
    low, high = (np.where(given, value.astype(np.int64), far) for far in (-FAR, FAR))
    return May(given | unknown, ~given, low=low, high=high)


def may_be_answered(found: answering.Answers, number: bool) -> Truths:
    """`answered(found, number).yes`, which takes less time alone."""
    value, state = found
    if number:
        return np.asarray(state != answering.MISSING)
    return np.asarray((value != 0) | (state == answering.UNKNOWN))


def _answered_somewhere(found: answering.Spread) -> May:
    """The abstract value of a truth about a position. At most positions, the answer is the usual one."""
    usual, unknown = found.usual[0], is_unknown(found)
    yes = (usual != 0) | _anywhere(found, found.values != 0)
    no = (usual == 0) | _anywhere(found, found.values == 0)
    return May(yes | unknown, no | unknown)


def _numbered_somewhere(found: answering.Spread) -> May:
    """The abstract value of a number about a position. Usually there is no number."""
    assert found.usual[1] == answering.MISSING
    given, unknown = found.states == answering.GIVEN, is_unknown(found)
    yes = _anywhere(found, given)
    low, high = (np.full(len(yes), far) for far in (-FAR, FAR))
    own = np.diff(found.firsts) > 0
    if own.any():
        begins, values = found.firsts[:-1][own], found.values.view(np.int64)
        low[own] = np.minimum.reduceat(np.where(given, values, FAR), begins)
        high[own] = np.maximum.reduceat(np.where(given, values, -FAR), begins)
    return May(yes | unknown, YES, low=np.where(unknown, -FAR, low), high=np.where(unknown, FAR, high))


def numbered(known: Known) -> Integers:
    places = np.arange(known.count, dtype=np.int64) if known.places is None else known.places
    found: Integers = places + known.first + 1
    return found

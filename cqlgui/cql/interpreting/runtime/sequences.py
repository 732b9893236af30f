"""The search for sequences of steps, shared by `path` and `line` (spec 10.4). The search tries all sequences
that fit a row of constituents, in the order that the language defines, and keeps the best sequence.

The search uses a stack of its own instead of recursion, so a sequence may be as long as the game. Each step
returns an iterator of the places that can come next. This module does not depend on AST nodes: the steps
define what a place is.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, Final, TypeAlias

from cqlgui.base.data import dataclass
from cqlgui.cql.interpreting.runtime import evaluation
from cqlgui.cql.interpreting.runtime.evaluation import Evaluation

Place: TypeAlias = Any
"""A hashable value that describes how far a sequence has come, such as its last position."""


@dataclass(frozen=True, slots=True, eq=False)
class Test:
    """A condition on the place that a sequence has reached. A test makes no step."""

    holds: Callable[[Evaluation, Place, int], bool]
    origin: object = None


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One step. `places(s, place, steps)` returns, in order, the places that the step can reach from `place`.
    `steps` is the number of earlier steps."""

    places: Callable[[Evaluation, Place, int], Iterator[Place]]
    origin: object = None


@dataclass(frozen=True, slots=True, eq=False)
class SequenceGroup:
    """Several constituents that follow one another."""

    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    """A constituent repeated `low` to `high` times. If `high` is None, the number of rounds has no upper
    limit, and each round has at least one step."""

    low: int
    high: int | None
    part: Part


Part: TypeAlias = Test | Step | SequenceGroup | Loop
Passed: TypeAlias = "tuple[Test | Step, Place]"
"""A test with the place where the test held, or a step with the place after the step."""
Trail: TypeAlias = tuple[Test | Step, Place, Any]
"""The last constituent passed, the place of this constituent (see `Passed`), and the trail before this
constituent (None at the start)."""


@dataclass(frozen=True, slots=True)
class SequenceMatch:
    """A complete sequence. A greater `measure` means a better sequence. `comments` and `matches` are the
    comments and orbit matches made along the sequence. `values` are the values of the atomic variables at the
    end of the sequence."""

    measure: int
    steps: int
    place: Place
    trail: Trail | None
    comments: tuple[tuple[int, str], ...]
    matches: tuple[tuple[int, int, int], ...]
    values: tuple[Any, ...]


def explore(
    s: Evaluation,
    start: Place,
    part: Part,
    measure: Callable[[Evaluation, Place, int], int | None],
    *,
    atomics: Sequence[int] = (),
    first: bool = False,
    every: bool = False,
    forgetful: bool = False,
    better: Callable[[SequenceMatch], None] | None = None,
    attempts: Attempts | None = None,
) -> list[SequenceMatch]:
    """A list with the best sequence that starts at a place. With `every`, the list holds all best sequences,
    in the order of the search. If `measure` accepts no sequence, the list is empty.

    `measure` returns a number that is larger for a better complete sequence. If `measure` returns None, the
    sequence is ignored. Without `every`, the list holds only the first of several equally good sequences.
    With `first`, the search ends at the first sequence that is not ignored. `atomics` are the slots of the
    atomic variables. Whenever a step is undone, the old values of the atomic variables are restored. With
    `forgetful`, the caller promises that the rest of a sequence depends only on the place and the remaining
    constituents. If two sequences reach the same place with the same remaining constituents, the search
    continues only the first sequence. `better` is called with each new best sequence. `attempts.failed` is
    called for every constituent that failed. Comments made during the search are removed from the log. Raises
    the errors of the constituents, and `TooSlow`.
    """
    comments, matches = len(s.log), len(s.found)
    best: list[SequenceMatch] = []
    held = 0
    seen: set[Hashable] | None = set() if forgetful else None
    waiting: list[_Choice] = []
    place, steps = start, 0
    trail: Trail | None = None
    todo: _Todo = (part, 0, None)
    while True:
        s.step()
        # Go forwards until a step offers a choice of places.
        while todo is not None:
            item, times, rest = todo
            if isinstance(item, Test):
                if not item.holds(s, place, steps):
                    if attempts is not None:
                        attempts.failed(item, place, steps, trail)
                    break
                trail = (item, place, trail)
                todo = rest
            elif isinstance(item, Step):
                values = tuple([s.variables[slot] for slot in atomics])
                places = item.places(s, place, steps)
                waiting.append(
                    _Choice(rest, place, steps, trail, len(s.log), len(s.found), item, places, values)
                )
                break
            elif isinstance(item, SequenceGroup):
                for each in reversed(item.parts):
                    rest = (each, 0, rest)
                todo = rest
            else:
                # A loop with large bounds can run many rounds without a step. Each round counts as work, so
                # that the time limit is checked during these rounds too.
                s.step()
                if len(waiting) > _MOST_CHOICES:
                    raise evaluation.TooSlow(s.host.gamenumber)
                if seen is not None:
                    key = (place, todo)
                    if key in seen:
                        break
                    seen.add(key)
                more: _Todo = None
                if item.high is None or times < item.high:
                    # In an unbounded loop, all rounds after the first `low` rounds are equivalent. Therefore
                    # the count of rounds stops at `low`.
                    done = min(times + 1, item.low) if item.high is None else times + 1
                    more = (item.part, 0, (item, done, rest))
                if times < item.low:
                    todo = more
                else:
                    if more is not None:
                        waiting.append(_Choice(more, place, steps, trail, len(s.log), len(s.found)))
                    todo = rest
        else:
            worth = measure(s, place, steps) if steps else None
            is_better = worth is not None and (not best or worth > best[0].measure)
            if worth is not None and (is_better or (every and worth == best[0].measure)):
                found = SequenceMatch(
                    worth, steps, place, trail, tuple(s.log[comments:]), tuple(s.found[matches:]),
                    tuple([s.variables[slot] for slot in atomics]),
                )  # fmt: skip
                if is_better:
                    best.clear()
                    s.spent -= held
                    held = 0
                    if better is not None:
                        better(found)
                best.append(found)
                # The search removes the comments from the log, but the match keeps the comments. Therefore
                # the weight of the comments is counted here.
                weight = evaluation.weight_of(found.comments)
                held += weight
                s.charge(weight)
            if best and first:
                s.rollback(comments, matches)
                s.spent -= held
                return best
        # Go back to the last choice with an alternative that was not tried yet.
        while waiting:
            choice = waiting[-1]
            s.rollback(choice.comments, choice.matches)
            steps, trail, todo = choice.steps, choice.trail, choice.rest
            if choice.places is None:
                waiting.pop()
                place = choice.place
                break
            for slot, value in zip(atomics, choice.values, strict=True):
                s.variables[slot] = value
            following = next(choice.places, _NOWHERE)
            assert choice.step is not None
            if following is _NOWHERE:
                waiting.pop()
                if attempts is not None:
                    attempts.failed(choice.step, choice.place, steps, trail)
                continue
            place, steps = following, choice.steps + 1
            trail = (choice.step, place, trail)
            break
        else:
            s.spent -= held
            return best


_NOWHERE: Final = object()
_MOST_CHOICES: Final = 500_000
"""Maximum number of pending choices of a search. Without this limit, a search could fill all memory."""
_Todo: TypeAlias = "tuple[Part, int, Any] | None"
"""The remaining work: the next constituent, the number of finished rounds (0 if the constituent is not a
loop), and the work after the constituent."""


@dataclass(frozen=True, slots=True)
class _Choice:
    """A point in the search with an alternative that was not tried yet. If `places` is None, the alternative
    is another round of a loop. If `places` is given, the alternatives are the remaining places of a step."""

    rest: _Todo
    place: Place
    steps: int
    trail: Trail | None
    comments: int
    matches: int
    step: Step | None = None
    places: Iterator[Place] | None = None
    values: tuple[Any, ...] = ()


class Attempts:
    """The longest attempt of an unsuccessful search, and the constituent that failed at the end of the
    attempt. If several attempts are equally long, the first attempt is kept."""

    def __init__(self) -> None:
        self._steps = -1
        self._trail: Trail | None = None
        self._last: Passed | None = None

    def failed(self, part: Test | Step, place: Place, steps: int, trail: Trail | None) -> None:
        """Record that a test failed at `place`, or that a step from `place` found no further place."""
        if steps > self._steps:
            self._steps, self._trail, self._last = steps, trail, (part, place)

    @property
    def way(self) -> tuple[list[Passed], Passed | None]:
        """The constituents passed on the longest attempt, and the constituent that failed next. A failed step
        comes with the place where the step starts."""
        return passed(self._trail), self._last


def passed(trail: Trail | None) -> list[Passed]:
    """The constituents along a trail with their places, from first to last."""
    found = []
    while trail is not None:
        part, place, trail = trail
        found.append((part, place))
    found.reverse()
    return found

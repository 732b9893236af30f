"""The answers to questions: their states and values, the answers for many games or positions, and answers
that are combined from other answers."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np

from cqlgui.base.data import dataclass
from cqlgui.engine.replaying.games import Integers, Words
from cqlgui.jit.words import MASK

UNKNOWN: Final = 0
GIVEN: Final = 1
MISSING: Final = 2
"""States of an answer. In the frame and in `tables.table`, each value is followed by its state."""

LARGEST: Final = 1 << 31
"""Numbers in answers have absolute values below `LARGEST`."""

Answers: TypeAlias = tuple[Words, Words]
"""The values and the states of one fact for several games. Those of a truth may be bytes instead of words."""


@dataclass(frozen=True, slots=True)
class Spread:
    """The answers to a question about positions. The answers `firsts[g]` to `firsts[g + 1]` - 1 belong to
    positions of game g, with ascending positionids in `ids`. All other positions have the value and the state
    in `usual`."""

    firsts: Integers
    ids: Integers
    values: Words
    states: Words
    usual: tuple[int, int]

    def of_games(self, numbers: Integers) -> Spread:
        """The answers for the games `numbers`. In all other games, every position gets the usual answer."""
        sizes = np.diff(self.firsts)
        kept = np.zeros(len(sizes), np.bool_)
        kept[numbers] = True
        return self._with(np.where(kept, sizes, 0), np.repeat(kept, sizes))

    def take(self, numbers: Integers) -> Spread:
        """The answers for the games `numbers`, which ascend, as games 0, 1, ..."""
        sizes = np.diff(self.firsts)
        kept = np.zeros(len(sizes), np.bool_)
        kept[numbers] = True
        return self._with(sizes[numbers], np.repeat(kept, sizes))

    def _with(self, sizes: Integers, kept: np.ndarray) -> Spread:
        """A spread with the entries where `kept` is true. `sizes` has the number of entries of each game."""
        entries = np.flatnonzero(kept)
        return Spread(
            np.concatenate([[0], np.cumsum(sizes)]),
            self.ids[entries],
            self.values[entries],
            self.states[entries],
            self.usual,
        )


TOO_MUCH: Final = 0, UNKNOWN
"""The value and the state of an unknown answer."""


def of_number(found: int | None) -> tuple[int, int]:
    """The value and the state of an answer that is a number. There may be no number."""
    if found is None:
        return 0, MISSING
    return (found & MASK, GIVEN) if -LARGEST < found < LARGEST else TOO_MUCH


def opposite(found: Answers) -> Answers:
    """Whether a fact does not hold."""
    return found[0] ^ found[0].dtype.type(1), found[1]


def both(first: Answers, second: Answers) -> Answers:
    """Whether both facts hold. The result is known only if both answers are known."""
    return first[0] & second[0], np.minimum(first[1], second[1])


def joined(word: str, first: Answers, second: Answers) -> Answers:
    """The facts joined by `word`: `and` or `or`."""
    return both(first, second) if word == "and" else opposite(both(opposite(first), opposite(second)))


def compared(relation: str, first: Answers, second: Answers, *, number: bool) -> Answers:
    """A comparison of numbers. Without `number`, the answer says whether the comparison holds. With `number`,
    the answer is `first` if the comparison holds, and is missing if the comparison fails."""
    left, right = (one[0].view(np.int64) for one in (first, second))
    given = (first[1] == GIVEN) & (second[1] == GIVEN)
    # `!=` means `not ==`, even if a number is missing.
    holds = ~((left == right) & given) if relation == "!=" else _RELATIONS[relation](left, right) & given
    known = (first[1] != UNKNOWN) & (second[1] != UNKNOWN)
    states = np.where(holds, GIVEN, MISSING) if number else np.full(len(left), GIVEN)
    values = np.where(holds, first[0], np.uint64(0)) if number else holds
    return values.astype(np.uint64), np.where(known, states, UNKNOWN).astype(np.uint64)


def computed(operation: str, first: Answers, second: Answers) -> Answers:
    """The result of an operation with two numbers. The result is missing if a number is missing, or if the
    divisor is 0. The result is unknown if its absolute value is not below `LARGEST`."""
    left, right = (one[0].astype(np.int64) for one in (first, second))
    given = (first[1] == GIVEN) & (second[1] == GIVEN)
    if operation in ("/", "%"):
        # NumPy rounds quotients down, CQL rounds them towards 0. A remainder has the sign of the dividend.
        given &= right != 0
        divisor = np.where(right != 0, np.abs(right), 1)
        sign = np.where(left < 0, -1, 1)
        if operation == "/":
            values = np.abs(left) // divisor * sign * np.where(right < 0, -1, 1)
        else:
            values = np.abs(left) % divisor * sign
    else:
        # The absolute values of the numbers are below 1 << 31, so no result leaves 64 bits.
        values = _OPERATIONS[operation](left, right)
    states = np.where(given, np.where(np.abs(values) < LARGEST, GIVEN, UNKNOWN), MISSING)
    known = (first[1] != UNKNOWN) & (second[1] != UNKNOWN)
    states = np.where(known, states, UNKNOWN).astype(np.uint64)
    return np.where(states == GIVEN, values, 0).astype(np.int64).view(np.uint64), states


_OPERATIONS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
}
_RELATIONS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "==": operator.eq,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}


def everywhere(answer: tuple[int, int], count: int) -> Answers:
    """The same value and state for `count` entries."""
    value, state = (np.broadcast_to(np.uint64(one), count) for one in answer)
    return value, state


def if_holds(test: Answers, found: Answers) -> Answers:
    """The numbers of `found` where `test` holds. Elsewhere there is no number."""
    states = np.where(test[0] != 0, found[1], MISSING)
    states = np.where(test[1] == UNKNOWN, UNKNOWN, states).astype(np.uint64)
    return np.where(states == GIVEN, found[0], np.uint64(0)), states

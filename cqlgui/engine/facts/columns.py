"""What is known of many games, in columns with one entry for each game: the form in which tags and other data
of games come to the questions."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, Final, Protocol

import numpy as np

from cqlgui.base.data import dataclass
from cqlgui.cql.ast import nodes
from cqlgui.engine.facts import questions
from cqlgui.engine.replaying.games import Integers
from cqlgui.store import commands, remarks


@dataclass(frozen=True, slots=True)
class Coded:
    """A property of several games. Each distinct value is stored once. Game g has the value
    `values[codes[g]]`."""

    codes: Integers
    values: Sequence[Any]

    @classmethod
    def of(cls, values: Iterable[Hashable]) -> Coded:
        """Encode `values`, which has one value for each game, in the order of the games."""
        known: dict[Hashable, int] = {}
        codes = [known.setdefault(value, len(known)) for value in values]
        return cls(np.array(codes, np.int64), list(known))


class Memo(Protocol):
    """Keeps the values of filters in certain games. A memo may drop values at any time."""

    def get(self, node: nodes.Node, /) -> Coded | None:
        """The values of a filter, or None if the values are not known."""
        ...

    def __setitem__(self, node: nodes.Node, values: Coded, /) -> None: ...


@dataclass(frozen=True, slots=True)
class Numbered:
    """The texts of a tag in several games as numbers, which all games of a base share: two games have the
    same number only if they have the same text. `numbers` has the numbers in several arrays, in the order of
    the games. `texts` has the texts of some numbers; the text of a game without the tag is None. `with_text`
    has the numbers of all texts of the base that contain a text, in the same case. `answers` has the known
    answers to a question by number: a row with the values, and a row with the states. The rows have room for
    all numbers of these games, and the state of an unknown answer is 0."""

    numbers: Sequence[np.ndarray]
    size: int
    """A number that is larger than all `numbers`."""
    texts: Callable[[Sequence[int]], Sequence[str | None]]
    with_text: Callable[[str], np.ndarray]
    answers: Callable[[questions.Fact], np.ndarray]

    def take(self, row: np.ndarray) -> np.ndarray:
        """The entries of a row of `answers` for the games."""
        found = np.empty(sum(map(len, self.numbers)), row.dtype)
        # NumPy takes by wide numbers. One small array for all blocks stays in the processor's cache, and new
        # memory would cost more than the numbers.
        places = np.empty(max(map(len, self.numbers), default=0), np.intp)
        at = 0
        for part in self.numbers:
            some, end = places[: len(part)], at + len(part)
            some[:] = part
            # All numbers are in range. With another mode, NumPy would write to a copy of `out` first.
            row.take(some, out=found[at:end], mode="clip")
            at = end
        return found


class Tags(Protocol):
    """The tags of several games. `memo` keeps the values of filters that read these tags, as long as the
    values are valid."""

    @property
    def memo(self) -> Memo:
        """Keeps the values of filters that read these tags."""
        ...

    def tag(self, name: str) -> Coded:
        """The texts of a tag in the games. The text is None in a game without the tag."""
        ...

    def numbered(self, name: str) -> Numbered | None:
        """The texts of a tag as numbers; None if the tag has no such numbers."""
        ...

    @property
    def result(self) -> Coded:
        """The results of the games, in the form of `Host.result`."""
        ...

    @property
    def first_comments(self) -> Coded:
        """The comments at the starting positions, in the form of `Host.comment`."""
        ...

    @property
    def cooked(self) -> Coded:
        """The mark of a cook for each game; None if the text of the game does not contain the mark."""
        ...

    @property
    def remarks(self) -> remarks.Remarks:
        """The comments and the glyphs at the positions of the games."""
        ...

    @property
    def commands(self) -> commands.Commands:
        """The numbers of commands at the positions of the games, in columns in the order of
        `commands_of_text.KEYS`."""
        ...

    @property
    def gamenumbers(self) -> range:
        """The numbers of the games."""
        ...

    @property
    def game_count(self) -> int:
        """The number that `Host.game_count` returns."""
        ...


def met(columns: Sequence[Coded], count: int) -> tuple[list[tuple[Any, ...]], Integers]:
    """The distinct rows of values in several columns, and for each of the `count` games the index of its
    row."""
    if not columns:
        return [()], np.zeros(count, np.int64)
    if len(columns) == 1:
        return [(value,) for value in columns[0].values], columns[0].codes
    # The columns are combined one by one, because sorting whole rows would keep other threads waiting.
    rows: list[Integers] = []
    codes = np.zeros(count, np.int64)
    for column in columns:
        size = max(len(column.values), 1)
        met, codes = np.unique(codes * size + column.codes, return_inverse=True)
        rows = [row[met // size] for row in rows] + [met % size]
    texts = (map(column.values.__getitem__, row.tolist()) for column, row in zip(columns, rows, strict=True))
    return list(zip(*texts, strict=True)), codes


RESULT: Final = "\0result"
GAMENUMBER: Final = "\0gamenumber"
GAME_COUNT: Final = "\0game count"
FIRST_COMMENT: Final = "\0first comment"
COOKED: Final = "\0cooked"
"""The names of the result, the game number, the number of games, the comment at the starting position and the
mark of a cook in the text. Filters read these data in the same way
as tags. No real tag has one of these names."""


class Texts:
    """`Tags` of games that have one tag each, all with different texts."""

    def __init__(self, name: str, texts: Sequence[str | None]) -> None:
        self._name = name
        self._texts = texts
        self.memo: Memo = {}
        self.gamenumbers = range(len(texts))
        self.game_count = 0

    def tag(self, name: str) -> Coded:
        """The texts of the tag."""
        assert name == self._name
        return Coded(np.arange(len(self._texts), dtype=np.int64), self._texts)

    def numbered(self, name: str) -> None:
        """No numbers, because no text occurs twice."""

    @property
    def result(self) -> Coded:
        """Not asked for, like all data but the tag."""
        return self.tag(RESULT)

    first_comments = cooked = result

    @property
    def remarks(self) -> remarks.Remarks:
        """Not asked for."""
        raise AssertionError

    @property
    def commands(self) -> commands.Commands:
        """Not asked for."""
        raise AssertionError


def named(tags: Tags, name: str) -> Coded:
    """The column of a tag, or of other data by their name."""
    numbers = tags.gamenumbers
    if name == RESULT:
        return tags.result
    if name == FIRST_COMMENT:
        return tags.first_comments
    if name == COOKED:
        return tags.cooked
    if name == GAMENUMBER:
        return Coded(np.arange(len(numbers), dtype=np.int64), numbers)
    if name == GAME_COUNT:
        return Coded(np.zeros(len(numbers), np.int64), [tags.game_count])
    return tags.tag(name)

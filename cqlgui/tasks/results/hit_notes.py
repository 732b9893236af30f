"""What a query writes: the comments at hits, as columns, and what belongs to a whole game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from cqlgui.base import arrays
from cqlgui.base.data import dataclass

Integers: TypeAlias = "npt.NDArray[np.int64]"
Numbers: TypeAlias = "npt.NDArray[np.int32]"
_Entry = TypeVar("_Entry")


@dataclass(frozen=True, slots=True)
class GameEnd:
    """What a query says about a game after its last hit: the values of the sort keys, and more comments.
    `comments` has pairs of positionid and text."""

    sort_keys: tuple[int | str | None, ...]
    comments: tuple[tuple[int, str], ...] = ()


NO_END: Final = GameEnd(())


@dataclass(frozen=True, slots=True, eq=False)
class GameEnds:
    """For each hit, the `GameEnd` of its game: `table[numbers[n]]` for hit n. The hits have numbers instead
    of objects, because NumPy holds the interpreter lock while it copies objects, and millions of hits would
    block the window."""

    numbers: Numbers
    table: list[GameEnd]

    @classmethod
    def none(cls, hits: int) -> GameEnds:
        """Empty ends, for some hits."""
        return cls(np.zeros(hits, np.int32), [NO_END])

    @classmethod
    def joined(cls, parts: Sequence[GameEnds]) -> GameEnds:
        """Concatenate the ends of several parts."""
        return cls(*_joined([part.numbers for part in parts], [part.table for part in parts]))

    def take(self, hits: Any) -> GameEnds:
        """The ends of some hits, chosen by a slice, a mask or indices."""
        return GameEnds(self.numbers[hits], self.table)

    def of(self, hits: Any) -> list[GameEnd]:
        """The ends of some hits as a list."""
        return [self.table[number] for number in self.numbers[hits].tolist()]


@dataclass(frozen=True, slots=True, eq=False)
class HitNotes:
    """Comments in the order of writing. The comments of hit n end at `ends[n]`. For each comment, `places`
    has the positionid, and `texts` has the index of the text in `table`. A text may be in the table several
    times. Texts are numbers for the same reason as in `GameEnds`."""

    ends: Integers
    places: Integers
    texts: Numbers
    table: list[str]

    @classmethod
    def none(cls, hits: int) -> HitNotes:
        """No comments, for some hits."""
        return cls(np.zeros(hits, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int32), [])

    @property
    def owners(self) -> Integers:
        """For each comment, the index of its hit."""
        return np.searchsorted(self.ends, np.arange(len(self.texts)), "right")

    @property
    def coded(self) -> tuple[Integers, list[str]]:
        """For each comment, the index of its text in a list, and this list. The list has each text of these
        comments once."""
        used, ranks = arrays.ranked(self.texts.astype(np.int64))
        numbers, listed = arrays.numbered([self.table[number] for number in used.tolist()])
        return numbers[ranks], listed

    @classmethod
    def joined(cls, parts: Sequence[HitNotes]) -> HitNotes:
        """Concatenate the comments of several parts."""
        shifts = np.cumsum([0, *(len(part.places) for part in parts)])[:-1]
        return cls(
            np.concatenate([part.ends + shift for part, shift in zip(parts, shifts, strict=True)]),
            np.concatenate([part.places for part in parts]),
            *_joined([part.texts for part in parts], [part.table for part in parts]),
        )

    def take(self, hits: Any) -> HitNotes:
        """The comments of some hits, chosen by a slice, a mask or indices."""
        if isinstance(hits, slice):
            begin, end, _ = hits.indices(len(self.ends))
            first = int(self.ends[begin - 1]) if begin else 0
            last = int(self.ends[end - 1]) if end else 0
            last = max(first, last)
            ends = self.ends[begin:end] - first
            return HitNotes(ends, self.places[first:last], self.texts[first:last], self.table)
        numbers = np.flatnonzero(hits) if hits.dtype == np.bool_ else hits
        starts, sizes = arrays.bounded(self.ends, numbers)
        chosen = arrays.stretched(starts, sizes)
        return HitNotes(np.cumsum(sizes), self.places[chosen], self.texts[chosen], self.table)

    def of(self, first: int, end: int) -> Iterator[list[tuple[int, str]]]:
        """The comments of the hits `first` to `end` - 1, hit after hit."""
        begin = int(self.ends[first - 1]) if first else 0
        last = int(self.ends[end - 1]) if end > first else begin
        said = [self.table[number] for number in self.texts[begin:last].tolist()]
        listed = list(zip(self.places[begin:last].tolist(), said, strict=True))
        at = begin
        for following in self.ends[first:end].tolist():
            yield listed[at - begin : following - begin]
            at = following


def _joined(numbers: Sequence[Numbers], tables: Sequence[list[_Entry]]) -> tuple[Numbers, list[_Entry]]:
    """The numbers of several parts, and one table for all of them. Parts of one result often share their
    table. Entries that are not used are dropped if there are many. Otherwise the table would grow with each
    part if the parts were joined one by one."""
    starts: dict[int, int] = {}
    whole: list[_Entry] = []
    shifted = []
    for part, table in zip(numbers, tables, strict=True):
        start = starts.setdefault(id(table), len(whole))
        if start == len(whole):
            whole += table
        shifted.append(part + np.int32(start))
    joined = np.concatenate(shifted)
    if len(whole) > 2 * len(joined) + _SPARE:
        used, ranks = arrays.ranked(joined.astype(np.int64))
        return ranks.astype(np.int32), [whole[number] for number in used.tolist()]
    return joined, whole


_SPARE: Final = 256
"""A table may have this many entries more than twice the number of uses."""

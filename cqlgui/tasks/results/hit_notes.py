"""What a query writes: the comments at hits, as columns, and what belongs to a whole game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from cqlgui.base import arrays
from cqlgui.base.data import dataclass

Integers: TypeAlias = "npt.NDArray[np.int64]"
Texts: TypeAlias = "npt.NDArray[np.object_]"


@dataclass(frozen=True, slots=True)
class GameEnd:
    """What a query says about a game after its last hit: the values of the sort keys, and more comments.
    `comments` has pairs of positionid and text."""

    sort_keys: tuple[int | str | None, ...]
    comments: tuple[tuple[int, str], ...] = ()


NO_END: Final = GameEnd(())


@dataclass(frozen=True, slots=True, eq=False)
class HitNotes:
    """Comments in the order of writing. The comments of hit n end at `ends[n]`. For each comment, `places`
    has the positionid, and `texts` has the text. Equal texts are usually one object."""

    ends: Integers
    places: Integers
    texts: Texts

    @classmethod
    def none(cls, hits: int) -> HitNotes:
        """No comments, for some hits."""
        return cls(np.zeros(hits, np.int64), np.zeros(0, np.int64), np.zeros(0, object))

    @property
    def owners(self) -> Integers:
        """For each comment, the index of its hit."""
        return np.searchsorted(self.ends, np.arange(len(self.texts)), "right")

    @classmethod
    def joined(cls, parts: Sequence[HitNotes]) -> HitNotes:
        """Concatenate the comments of several parts."""
        shifts = np.cumsum([0, *(len(part.places) for part in parts)])[:-1]
        return cls(
            np.concatenate([part.ends + shift for part, shift in zip(parts, shifts, strict=True)]),
            np.concatenate([part.places for part in parts]),
            np.concatenate([part.texts for part in parts]),
        )

    def take(self, hits: Any) -> HitNotes:
        """The comments of some hits, chosen by a slice, a mask or indices."""
        if isinstance(hits, slice):
            begin, end, _ = hits.indices(len(self.ends))
            first = int(self.ends[begin - 1]) if begin else 0
            last = int(self.ends[end - 1]) if end else 0
            last = max(first, last)
            return HitNotes(self.ends[begin:end] - first, self.places[first:last], self.texts[first:last])
        numbers = np.flatnonzero(hits) if hits.dtype == np.bool_ else hits
        sizes = np.diff(self.ends, prepend=0)
        starts, sizes = (self.ends - sizes)[numbers], sizes[numbers]
        chosen = arrays.stretched(starts, sizes)
        return HitNotes(np.cumsum(sizes), self.places[chosen], self.texts[chosen])

    def of(self, first: int, end: int) -> Iterator[list[tuple[int, str]]]:
        """The comments of the hits `first` to `end` - 1, hit after hit."""
        begin = int(self.ends[first - 1]) if first else 0
        last = int(self.ends[end - 1]) if end > first else begin
        listed = list(zip(self.places[begin:last].tolist(), self.texts[begin:last].tolist(), strict=True))
        at = begin
        for following in self.ends[first:end].tolist():
            yield listed[at - begin : following - begin]
            at = following

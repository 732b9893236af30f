"""The rule by which letter case is ignored where texts are looked for: two texts are alike if `fold` makes
the same text of them. So `MÜLLER` is found by `müller`, `ИВАНОВ` by `Иванов`, `Weiß` by `WEISS`, `İstanbul`
by `istanbul`, a final `ς` by `Σ`, and the Kelvin sign by `k`. A letter with an accent and the letter without
it stay different. Where texts are sorted, only the case of ASCII letters is ignored.

SQLite's `like` and `bytes.lower` know only the letters of ASCII. In a text of ASCII they find all that the
rule finds, and in any other text they find nothing else, but too little. So texts with other letters are kept
folded (`Folded`) and are looked at apart."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Final

import numpy as np

from cqlgui.base import arrays
from cqlgui.base.data import dataclass

_DOT: Final = "\N{COMBINING DOT ABOVE}"


def fold(text: str) -> str:
    """The text as it is compared: `casefold` without the dot that it puts after the `i` of a Turkish `İ`."""
    return text.casefold().replace(_DOT, "")


@dataclass(frozen=True, slots=True)
class Folded:
    """Folded texts in UTF-8, one after another. Text n ends before the byte `ends[n]`."""

    data: bytes
    ends: np.ndarray

    @classmethod
    def of(cls, texts: Sequence[str]) -> Folded:
        """Some texts, folded."""
        folded = [fold(text).encode("utf-8") for text in texts]
        return cls(b"".join(folded), np.cumsum([len(text) for text in folded], dtype=np.int64))

    @classmethod
    def joined(cls, parts: Sequence[Folded]) -> Folded:
        """The texts of several parts, one part after another."""
        befores = itertools.accumulate((len(part.data) for part in parts), initial=0)
        ends = [part.ends + before for part, before in zip(parts, befores, strict=False)]
        return cls(b"".join(part.data for part in parts), np.concatenate(ends))

    def containing(self, text: str, *, first: bool = False) -> np.ndarray:
        """The places of the texts that contain `text`, or with `first` begin with it, ascending."""
        wanted = fold(text).encode("utf-8")
        if not wanted:
            return np.arange(len(self.ends))
        hits = []
        hit = self.data.find(wanted)
        while hit >= 0:
            hits.append(hit)
            hit = self.data.find(wanted, hit + 1)
        at = np.array(hits, np.int64)
        places = np.searchsorted(self.ends, at, side="right")
        # The bytes may also stand across the end of a text.
        fits = at + len(wanted) <= self.ends[places]
        if first:
            fits &= at == np.concatenate([[0], self.ends])[places]
        return arrays.distinct(places[fits])

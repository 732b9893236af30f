"""Names of openings by ECO code (the code of the Encyclopaedia of Chess Openings, PGN standard 9.6.1)."""

from __future__ import annotations

import bisect
import functools
import json
import re
from collections.abc import Iterator
from typing import Final

import numpy as np

from cqlgui.base.data import dataclass
from cqlgui.base.files import resources
from cqlgui.base.patterns import pattern

VOLUMES: Final = {
    "A": "Flank openings",
    "B": "Semi-open games",
    "C": "Open games and French",
    "D": "Closed games",
    "E": "Indian defences",
}
"""The volumes of the encyclopaedia by the letter of their codes."""


@dataclass(frozen=True, slots=True)
class Opening:
    """The openings with the codes from `first` to `last`. `variation` may be empty."""

    first: str
    last: str
    opening: str
    variation: str

    @property
    def name(self) -> str:
        """Opening and variation."""
        return f"{self.opening}: {self.variation}" if self.variation else self.opening


def of_code(code: str) -> Opening | None:
    """The opening of an ECO code; None for an unknown code. Letters behind the code, such as in `B33a`, are
    ignored."""
    listed, firsts = _table()
    place = bisect.bisect_right(firsts, code[:3].upper()) - 1
    if place < 0 or len(code) < 3 or code[:3].upper() > listed[place].last or not code[1:3].isdecimal():
        return None
    return listed[place]


def listed() -> tuple[Opening, ...]:
    """All openings, in the order of their codes."""
    return tuple(_table()[0])


def of_tags(code: str, more: str) -> str:
    """The name of a game's opening. `more` is the JSON text of the game's other tags (`headers.Header`)."""
    return own_name(more) or name(code)


def own_name(more: str) -> str:
    """The name of a game's opening in its own tags `Opening` and `Variation`; empty if they say nothing.
    `more` is the JSON text of the game's tags that have no column (`headers.Header`)."""
    own = json.loads(more) if '"Opening"' in more else {}
    return name("", own.get("Opening", ""), own.get("Variation", ""))


def own_names(data: bytes, ends: np.ndarray) -> Iterator[tuple[int, str]]:
    """The games that have a name of their opening in their own tags, with this name, in order. `data` has the
    texts of the games as for `own_name`, one after another in UTF-8; that of game n ends at `ends[n]`."""
    if b'"Opening"' not in data:
        return
    variations = tagged(_VARIATION, data, ends)
    for place, tag in tagged(_OPENING, data, ends).items():
        known = _name_of_json(tag, variations.get(place, b'""'))
        if known:
            yield place, known


def tagged(tag: re.Pattern[bytes], data: bytes, ends: np.ndarray) -> dict[int, bytes]:
    """The JSON text of a tag of each game that has the tag. A quote within a text stands behind a backslash,
    so the name of a tag with its quotes and a colon is found nowhere else."""
    found = [(one.start(), one[1]) for one in tag.finditer(data)]
    places = np.searchsorted(ends, [start for start, _ in found], side="right").tolist()
    return {place: text for place, (_, text) in zip(places, found, strict=True)}


_OPENING, _VARIATION = (
    pattern(rb'"%s": ("[^"\\]*(?:\\.[^"\\]*)*")' % name) for name in (b"Opening", b"Variation")
)


@functools.lru_cache(1 << 13)
def _name_of_json(tag: bytes, variation: bytes) -> str:
    return name("", json.loads(tag), json.loads(variation))


def split(whole: str) -> tuple[str, str]:
    """Opening and variation of a name. The variation may be empty."""
    opening, _, variation = whole.partition(": ")
    return opening, variation


@functools.lru_cache(1024)
def name(code: str, tag: str = "", variation: str = "") -> str:
    """The name of a game's opening: the tags `Opening` and `Variation` of the game if there are any, else the
    name of its ECO code. Empty if nothing is known."""
    if tag.strip("? "):
        return f"{tag}: {variation}" if variation.strip("? ") else tag
    found = of_code(code)
    return "" if found is None else found.name


@functools.cache
def _table() -> tuple[list[Opening], list[str]]:
    lines = resources.resource("openings.tsv").read_text("utf-8").splitlines()[1:]
    listed = [Opening(*line.split("\t")) for line in lines]
    return listed, [one.first for one in listed]

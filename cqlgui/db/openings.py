"""Names of openings by ECO code (the code of the Encyclopaedia of Chess Openings, PGN standard 9.6.1)."""

from __future__ import annotations

import bisect
import functools
import json
from typing import Final

from cqlgui.base.data import dataclass
from cqlgui.base.files import resources

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
    own = json.loads(more) if '"Opening"' in more else {}
    return name(code, own.get("Opening", ""), own.get("Variation", ""))


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

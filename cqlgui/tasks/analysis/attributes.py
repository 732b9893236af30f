"""The attributes of the games of a base: small numbers for each game, which facets and comparisons read.

Counting and choosing among millions of hits takes only a few passes over arrays with these numbers. A mask of
a million games is one megabyte, so plain NumPy is enough.
"""

from __future__ import annotations

import bisect
import functools
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from cqlgui.base import arrays
from cqlgui.base.data import dataclass
from cqlgui.db import headers, openings
from cqlgui.tasks.databases import workspace
from cqlgui.tasks.results import base_model
from cqlgui.tasks.results.found import Integers

RATING_BAND: Final = 200
_RESULT_NOTES: Final = ("", "", "", "unfinished, or the result is unknown")
UNKNOWN: Final = "unknown"
NO_PARENT: Final = -1


@dataclass(frozen=True, slots=True)
class Labels:
    """The values of a facet, by number. `parents` has the number of the value that contains a value, or
    `NO_PARENT`. A parent has a larger number than the values that it contains. `notes` says more about a
    value where the words do not say all."""

    words: tuple[str, ...]
    parents: tuple[int, ...]
    notes: tuple[str, ...] = ()

    @classmethod
    def flat(cls, words: Sequence[str], notes: Sequence[str] = ()) -> Labels:
        """Values that do not contain each other."""
        return cls(tuple(words), (NO_PARENT,) * len(words), tuple(notes))

    def note(self, key: int) -> str:
        """What there is to say about a value beside its words."""
        return self.notes[key] if self.notes else ""


@dataclass(frozen=True, slots=True, eq=False)
class Attribute:
    """One attribute: its values, and the number of the value for each game by its ordinal in the base."""

    labels: Labels
    of_games: Integers


@dataclass(frozen=True, slots=True, eq=False)
class Attributes:
    """The attributes of all games of a base. `players` has a number of the catalog for each player, ascending
    (0: no name), and `white` and `black` have the index into `players` for each game by its ordinal."""

    base: base_model.Base
    result: Attribute
    decade: Attribute
    rating: Attribute
    opening: Attribute
    file: Attribute
    players: Integers
    white: Integers
    black: Integers

    def names(self, players: Sequence[int]) -> list[str]:
        """The names of players, which are given by their index into `players`."""
        numbers = self.players[np.array(players, np.int64)].tolist()
        found = workspace.catalog().texts("white", numbers)
        return [found.get(number, "") or UNKNOWN for number in numbers]


def of_base(base: base_model.Base) -> Attributes:
    """The attributes of the games of a base. Takes about 0.2 s for 150,000 games."""
    catalog = workspace.catalog()

    def coded(name: str, code: Callable[[str], int]) -> Integers:
        return _whole(base, [catalog.coded(one.id, name, code, one.games) for one in base.sources])

    white, black = (
        _whole(base, [catalog.numbers(one.id, name, one.games) for one in base.sources])
        for name in ("white", "black")
    )
    players, places = arrays.ranked(np.concatenate([white, black]))
    first, second = (
        _whole(base, [catalog.numbers(one.id, name, one.games) for one in base.sources])
        for name in ("white_elo", "black_elo")
    )
    known = np.maximum((first > 0).astype(np.int64) + (second > 0), 1)
    files = _whole(base, [np.full(one.games, number) for number, one in enumerate(base.sources)])
    return Attributes(
        base,
        Attribute(Labels.flat(headers.RESULTS, _RESULT_NOTES), coded("result", headers.outcome)),
        _banded(coded("date", _decade), _decade_words),
        _banded((first + second) // known // RATING_BAND, _rating_words),
        _openings(base, coded("eco", _opening), coded("eco", _volume)),
        Attribute(Labels.flat(*_files(base)), files),
        players,
        places[: len(white)],
        places[len(white) :],
    )


def _whole(base: base_model.Base, parts: Sequence[Integers]) -> Integers:
    """A column for the games of a base, from a column for each source. The import may still be adding games
    to the catalog, so rows of games that `base` does not have yet are left out, and missing rows are 0."""
    found = np.zeros(base.games + 1, np.int64)
    for source, part in zip(base.sources, parts, strict=True):
        some = part[: source.games]
        found[source.first : source.first + len(some)] = some
    return found


def _decade(date: str) -> int:
    return int(date[:4]) // 10 if date[:4].isdecimal() and date[:4].isascii() and len(date) >= 4 else 0


def _decade_words(decade: int) -> str:
    return f"{decade * 10}s" if decade else UNKNOWN


def _rating_words(band: int) -> str:
    return f"{band * RATING_BAND}-{(band + 1) * RATING_BAND - 1}" if band else UNKNOWN


def _banded(column: Integers, words: Callable[[int], str]) -> Attribute:
    """An attribute whose values are the distinct numbers of a column, in ascending order."""
    numbers, places = arrays.ranked(column)
    return Attribute(Labels.flat([words(number) for number in numbers.tolist()]), places)


def _files(base: base_model.Base) -> tuple[list[str], list[str]]:
    """The names of the files of a base, each with its folder if two files have the same name, and the whole
    paths."""
    names = [one.path.name for one in base.sources]
    words = [
        one.path.name if names.count(one.path.name) == 1 else f"{one.path.parent.name}/{one.path.name}"
        for one in base.sources
    ]
    return words, [str(one.path) for one in base.sources]


def own_openings(base: base_model.Base) -> tuple[Integers, tuple[str, ...]]:
    """The openings in the games' own tags: for each game by its ordinal the number of a name, and the names.
    The number is 0, and the name empty, for a game without such tags. The names ascend. The caller must not
    change the array."""
    # The catalog may still be taking the games of a base that is not complete.
    return _own_openings(base) if base.complete else _own_openings.__wrapped__(base)


@functools.lru_cache(2)
def _own_openings(base: base_model.Base) -> tuple[Integers, tuple[str, ...]]:
    catalog = workspace.catalog()
    columns = [catalog.own_openings(one.id) for one in base.sources]
    names = sorted({text or "" for column in columns for text in column.texts} | {""})
    places = {name: number for number, name in enumerate(names)}
    parts = [
        np.array([places[text or ""] for text in column.texts], np.int64)[column.places] for column in columns
    ]
    return _whole(base, parts), tuple(names)


def _openings(base: base_model.Base, rows: Integers, volumes: Integers) -> Attribute:
    """The openings of the games: those of their own tags, else those of their ECO codes. `rows` has for each
    game the number of its code's row, and `volumes` that of the volume, from 1 (0 without a code)."""
    own, names = own_openings(base)
    tagged = np.flatnonzero(own)
    if not len(tagged):
        return Attribute(_opening_labels(), rows)
    pairs, places = arrays.ranked(volumes[tagged] * len(names) + own[tagged])
    letters = ("", *openings.VOLUMES)
    leaves = tuple((letters[pair // len(names)], names[pair % len(names)]) for pair in pairs.tolist())
    of_games = rows.copy()
    of_games[tagged] = len(openings.listed()) + 1 + places
    return Attribute(_opening_labels(leaves), of_games)


@functools.lru_cache(4)
def _opening_labels(own: tuple[tuple[str, str], ...] = ()) -> Labels:
    """The openings on three levels. First come the rows of `openings.listed`, one value for each, then the
    unknown opening, then the openings `own`, then the openings of each volume, then the volumes. `own` has
    names of games' own tags, each with the letter of its volume; the letter is empty without an ECO code.

    An opening with a single row is that row itself, without a level of its own."""
    rows = openings.listed()
    leaves = [(row.first[0], row.opening, row.variation, _codes(row)) for row in rows]
    leaves.append(("", UNKNOWN, "", ""))
    leaves += [(letter, *openings.split(name), "") for letter, name in own]
    groups: dict[tuple[str, str], list[int]] = {}
    for number, (letter, opening, _, _) in enumerate(leaves):
        if number != len(rows):
            groups.setdefault((letter, opening), []).append(number)
    words = [UNKNOWN] * len(leaves)
    parents = [NO_PARENT] * len(leaves)
    volumes: dict[str, list[int]] = {letter: [] for letter in openings.VOLUMES}
    for (letter, opening), members in groups.items():
        tops = volumes.get(letter, [])
        if len(members) == 1:
            _, _, variation, codes = leaves[members[0]]
            name = f"{opening}: {variation}" if variation else opening
            words[members[0]] = f"{name} {codes}".rstrip()
            tops.append(members[0])
            continue
        for member in members:
            _, _, variation, codes = leaves[member]
            words[member] = f"{variation or 'other'} {codes}".rstrip()
            parents[member] = len(words)
        tops.append(len(words))
        words.append(opening)
        parents.append(NO_PARENT)
    for letter, members in volumes.items():
        for member in members:
            parents[member] = len(words)
        words.append(f"{letter} {openings.VOLUMES[letter]}")
        parents.append(NO_PARENT)
    return Labels(tuple(words), tuple(parents))


def _codes(row: openings.Opening) -> str:
    return row.first if row.first == row.last else f"{row.first}-{row.last}"


def _volume(code: str) -> int:
    """The number of an ECO code's volume, from 1; 0 for an unknown code."""
    return 0 if openings.of_code(code) is None else 1 + tuple(openings.VOLUMES).index(code[0].upper())


@functools.lru_cache(1024)
def _opening(code: str) -> int:
    """The number of an ECO code's row among `openings.listed`; the number of rows for an unknown code."""
    rows = openings.listed()
    found = openings.of_code(code)
    return len(rows) if found is None else bisect.bisect_left([row.first for row in rows], found.first)

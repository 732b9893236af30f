"""Hits by year, rating, ply, result and opening."""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from cqlgui.base import progress
from cqlgui.base.data import dataclass
from cqlgui.db import headers, openings
from cqlgui.tasks.analysis import attributes, frames
from cqlgui.tasks.databases import sources, workspace
from cqlgui.tasks.pictures import pictures
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.results import found as found_module
from cqlgui.tasks.results.found import Integers, Mask
from cqlgui.tasks.search import narrowing


class By(enum.Enum):
    """What hits are counted by. The value is the name of the axis."""

    YEAR = "Year of the game"
    WHITE_ELO = "Elo of White"
    BLACK_ELO = "Elo of Black"
    MEAN_ELO = "Mean Elo of the players"
    PLY = "Ply (half-moves)"
    RESULT = "Result of the game"
    VOLUME = "ECO volume"
    OPENING = "Opening (by its tag or ECO code)"


FRAMED: Final = (By.WHITE_ELO, By.BLACK_ELO, By.RESULT)
"""What depends on the frame: in a frame that swaps the colours, White is the side that was Black."""
NUMERIC: Final = (By.YEAR, By.WHITE_ELO, By.BLACK_ELO, By.MEAN_ELO, By.PLY)
"""What is a number. Its bars are intervals."""
UNKNOWN: Final = -1
"""The key of a hit whose value is unknown."""
MOST_BARS: Final = 40
"""Greatest number of intervals. More would be too narrow to see and to click in a pane."""
_WIDTHS: Final = {
    By.YEAR: (1, 2, 5, 10, 20, 50, 100),
    By.PLY: (1, 2, 4, 5, 10, 20, 40, 50, 100),
    By.WHITE_ELO: (50, 100, 200),
    By.BLACK_ELO: (50, 100, 200),
    By.MEAN_ELO: (50, 100, 200),
}
_SWAPPED: Final = np.array([2, 1, 0, 3])

Range = tuple[int, int]
"""Keys from the first number up to the second number less 1."""
NO_KEY: Final[Range] = (UNKNOWN, UNKNOWN + 1)
"""The range of the hits whose value is unknown."""


@dataclass(frozen=True, slots=True)
class Bar:
    """The hits whose key is in `keys`, with the number of their games."""

    keys: Range
    words: str
    games: int
    positions: int


@dataclass(frozen=True, slots=True)
class Histogram:
    """Bars in the order of the axis; intervals include empty ones. `unknown` has the hits without a value.
    `width` is the width of an interval, or 0 if the bars are no intervals. The hits of all bars and of
    `unknown` add up to `positions`. `note` says why there are no bars."""

    by: By
    normalised: bool
    bars: tuple[Bar, ...]
    unknown: Bar
    width: int
    games: int
    positions: int
    note: str = ""

    @property
    def shown(self) -> tuple[Bar, ...]:
        """The bars with hits, in the order of the table; unknown values come last."""
        return tuple(bar for bar in (*self.bars, self.unknown) if bar.positions)

    @property
    def table(self) -> pictures.Table:
        """The bars with hits as rows."""
        return pictures.Table(
            (self.by.value.partition(" (")[0], "Hits", "Share", "Games"),
            tuple(
                (bar.words, bar.positions, pictures.share(bar.positions, self.positions), bar.games)
                for bar in self.shown
            ),
        )


def histogram(
    base: base_model.Base,
    result: search_model.SearchResult,
    by: By,
    *,
    normalised: bool = False,
    cancel: progress.CancelToken | None = None,
) -> Histogram:
    """Count the hits of a result. Raises `errors.Cancelled`, and `CqlguiError` for a base that can no longer
    be read."""
    token = cancel or progress.CancelToken()
    hits = result.games.columns.hits
    games = found_module.count_games(hits)
    none = Bar(NO_KEY, "unknown", 0, 0)
    if not len(hits):
        return Histogram(by, normalised, (), none, 0, games, 0, "The result has no hits.")
    if by is By.PLY and result.variations:
        note = "Variations were searched. The plies of hits in variations are not known here."
        return Histogram(by, normalised, (), none, 0, games, len(hits), note)
    keys = _keys(base, result, by, normalised, token)
    names: Sequence[str] = ()
    token.raise_if_cancelled()
    if by in NUMERIC:
        firsts, width = _intervals(by, keys)
        groups = np.where(
            keys == UNKNOWN, len(firsts), (keys - (firsts[0] if firsts else 0)) // max(width, 1)
        )
        ranges = [(first, first + width) for first in firsts]
    else:
        width = 0
        names = names_of(base, by)
        ranges = [(key, key + 1) for key in range(len(names))]
        groups = np.where(keys == UNKNOWN, len(ranges), keys)
    token.raise_if_cancelled()
    of_hits, of_games = pictures.by_group(hits, groups, len(ranges) + 1)
    bars = [
        Bar(keys_of, _words(by, keys_of, names), game_count, hit_count)
        for keys_of, game_count, hit_count in zip(
            [*ranges, none.keys], of_games.tolist(), of_hits.tolist(), strict=True
        )
    ]
    *bars, unknown = bars
    if by is By.OPENING:
        bars = sorted((bar for bar in bars if bar.positions), key=lambda bar: -bar.positions)
    note = "" if any(bar.positions for bar in bars) else f"{_SUBJECTS[by]} is not known for any hit."
    return Histogram(by, normalised, tuple(bars), unknown, width, games, len(hits), note)


_SUBJECTS: Final = {
    By.YEAR: "The year",
    By.WHITE_ELO: "The Elo of White",
    By.BLACK_ELO: "The Elo of Black",
    By.MEAN_ELO: "The Elo of the players",
    By.PLY: "The ply",
    By.RESULT: "The result",
    By.VOLUME: "The ECO code",
    By.OPENING: "The opening",
}


def having(
    base: base_model.Base,
    result: search_model.SearchResult,
    by: By,
    ranges: Sequence[Range],
    *,
    normalised: bool = False,
    cancel: progress.CancelToken | None = None,
) -> search_model.SearchResult:
    """The hits of a result that have a key in one of the ranges. Raises the same errors as `histogram`."""
    keys = _keys(base, result, by, normalised, cancel or progress.CancelToken())
    mask: Mask = np.zeros(len(keys), np.bool_)
    for first, end in ranges:
        mask |= (keys >= first) & (keys < end)
    return narrowing.kept(result, mask)


def words_of(by: By, bars: Sequence[Bar]) -> str:
    """Some bars of a histogram in a few words, for a narrowed result."""
    if by in NUMERIC and len(bars) > 1 and all(bar.keys[0] != UNKNOWN for bar in bars):
        runs: list[tuple[int, int]] = []
        for low, end in sorted((bar.keys[0], bar.keys[1]) for bar in bars):
            if runs and low == runs[-1][1]:
                runs[-1] = runs[-1][0], end
            else:
                runs.append((low, end))
        named = pictures.listed(_words(by, run, ()) for run in runs)
    else:
        named = pictures.listed(bar.words for bar in bars)
    return named if by in (By.RESULT, By.OPENING) else f"{_SHORT[by]} {named}"


_SHORT: Final = {
    By.YEAR: "year",
    By.WHITE_ELO: "White's Elo",
    By.BLACK_ELO: "Black's Elo",
    By.MEAN_ELO: "mean Elo",
    By.PLY: "ply",
    By.VOLUME: "ECO",
}


def _keys(
    base: base_model.Base,
    result: search_model.SearchResult,
    by: By,
    normalised: bool,
    token: progress.CancelToken,
) -> Integers:
    """The key of each hit."""
    columns = result.games.columns
    if by is By.PLY:
        keys: Integers = columns.hits & found_module.PLACE_MASK
        return keys
    of_games = _of_games(base, by, token)
    token.raise_if_cancelled()
    games = np.minimum(columns.games, len(of_games) - 1)
    keys = of_games[games]
    if not normalised or by not in FRAMED:
        return keys
    swapped = frames.Frames.of(columns, result.orbits, normalised=True).swapped
    token.raise_if_cancelled()
    if by is By.RESULT:
        return np.where(swapped, _SWAPPED[keys], keys)
    other = By.BLACK_ELO if by is By.WHITE_ELO else By.WHITE_ELO
    return np.where(swapped, _of_games(base, other, token)[games], keys)


def _of_games(base: base_model.Base, by: By, token: progress.CancelToken) -> Integers:
    """The key of each game of a base. The index is the game's ordinal."""
    found = [np.full(1, UNKNOWN, np.int64)]
    for source in base.sources:
        token.raise_if_cancelled()
        sources.rows(source)
        keys = _of_source(source, by)[: source.games]
        # The import may still be adding games to the catalog.
        found += [keys, np.full(source.games - len(keys), UNKNOWN, np.int64)]
    of_games = np.concatenate(found)
    if by is By.OPENING:
        own, numbers = _own_openings(base)
        of_games = np.where(own > 0, numbers[own], of_games)
    return of_games


def _own_openings(base: base_model.Base) -> tuple[Integers, Integers]:
    """The number of each game's own name of its opening (`attributes.own_openings`), and the key of each of
    these names."""
    own, names = attributes.own_openings(base)
    keys = {name: key for key, name in enumerate(_opening_names(names))}
    return own, np.array([keys.get(openings.split(name)[0], UNKNOWN) for name in names], np.int64)


def _opening_names(own: Sequence[str]) -> tuple[str, ...]:
    """The names of openings by key: first those of the ECO codes, then those of the games' own tags."""
    return tuple(dict.fromkeys([*_opening_numbers(), *(openings.split(name)[0] for name in own if name)]))


def _of_source(source: base_model.Source, by: By) -> Integers:
    catalog = workspace.catalog()
    if by in _TEXTS:
        name, code = _TEXTS[by]
        return catalog.coded(source.id, name, code, source.games)
    white, black = (catalog.numbers(source.id, name, source.games) for name in ("white_elo", "black_elo"))
    # One slip would make all other bars of the picture too narrow to tell apart.
    white, black = (np.where(numbers > headers.HIGHEST_RATING, 0, numbers) for numbers in (white, black))
    if by is By.MEAN_ELO:
        known = np.maximum((white > 0).astype(np.int64) + (black > 0), 1)
        numbers = (white + black) // known
    else:
        numbers = white if by is By.WHITE_ELO else black
    return np.where(numbers > 0, numbers, UNKNOWN)


def _year(date: str) -> int:
    year = int(date[:4]) if len(date) >= 4 and date[:4].isascii() and date[:4].isdecimal() else 0
    return year or UNKNOWN


def _volume(code: str) -> int:
    return "ABCDE".index(code[:1].upper()) if code[:1].upper() in openings.VOLUMES else UNKNOWN


def _opening(code: str) -> int:
    found = openings.of_code(code)
    return UNKNOWN if found is None else _opening_numbers()[found.opening]


_TEXTS: Final[dict[By, tuple[str, Callable[[str], int]]]] = {
    By.YEAR: ("date", _year),
    By.RESULT: ("result", headers.outcome),
    By.VOLUME: ("eco", _volume),
    By.OPENING: ("eco", _opening),
}
"""The column of the catalog, and the key of a text of that column."""


@functools.cache
def _opening_numbers() -> dict[str, int]:
    """The numbers of the openings, by name."""
    codes = (f"{volume}{number:02}" for volume in openings.VOLUMES for number in range(100))
    known = dict.fromkeys(found.opening for found in map(openings.of_code, codes) if found is not None)
    return {name: number for number, name in enumerate(known)}


def names_of(base: base_model.Base, by: By) -> Sequence[str]:
    """The words of the bars, by key. `by` is not one of `NUMERIC`."""
    match by:
        case By.RESULT:
            return headers.RESULTS
        case By.VOLUME:
            return tuple(f"{letter} {words}" for letter, words in openings.VOLUMES.items())
        case _:
            return _opening_names(attributes.own_openings(base)[1])


def _intervals(by: By, keys: Integers) -> tuple[list[int], int]:
    """The first keys of the intervals, and their width."""
    known = keys[keys != UNKNOWN]
    if not len(known):
        return [], 0
    low, high = int(known.min()), int(known.max())
    widths = _WIDTHS[by]
    width = next((one for one in widths if high // one - low // one < MOST_BARS), 0)
    if not width:
        # A wrong date or rating may lie far away from all others.
        width = -(-(high - low + 1) // (MOST_BARS - 1))
    first = low // width * width
    return list(range(first, high + 1, width)), width


def _words(by: By, keys: Range, names: Sequence[str]) -> str:
    if keys[0] == UNKNOWN:
        return "unknown"
    if by not in NUMERIC:
        return names[keys[0]]
    first, end = keys
    return str(first) if end == first + 1 else f"{first}-{end - 1}"

"""Facets of a result, and results made from other results: some hits of one result, or the intersection,
union or difference of two results.

Each facet is an array with one small number for each game of the base. Counting and choosing among
millions of hits therefore takes only a few passes over arrays. Plain NumPy is enough. A mask of a million
games is one megabyte, and hits are sorted numbers already. Compressed bitmaps would gain nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import numpy as np

from cqlgui.base import data
from cqlgui.base.data import dataclass
from cqlgui.engine.passes import orbit_pass
from cqlgui.tasks.databases import workspace
from cqlgui.tasks.results import base_model, hit_model, search_model
from cqlgui.tasks.results import found as found_module
from cqlgui.tasks.results.found import Columns, FoundGames, Integers, Mask
from cqlgui.tasks.search import orbits

RESULT, DECADE, RATING, OPENING, PLY = "Result", "Decade", "Rating", "Opening", "Ply"
FACETS: Final = (RESULT, DECADE, RATING, OPENING, PLY)
_RATING_BAND: Final = 200
_PLY_BAND: Final = 20
_RESULTS: Final = ("1-0", "1/2-1/2", "0-1", "*")


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a facet, with the numbers of games and hits that have this value."""

    key: int
    words: str
    games: int
    positions: int


@dataclass(frozen=True, slots=True, eq=False)
class Attributes:
    """The facets of all games of a base, by name. The index into each array is the game's ordinal."""

    of_games: Mapping[str, Integers]


def attributes(base: base_model.Base) -> Attributes:
    """The facets of a base's games."""
    found = {name: [np.zeros(1, np.int64)] for name in (RESULT, DECADE, RATING, OPENING)}
    for source in base.sources:
        for name, numbers in _of_source(source).items():
            column = np.zeros(source.games, np.int64)
            # The import may still be adding games to the catalog. Leave out rows of games that `base` does
            # not have yet.
            column[: len(numbers)] = numbers[: source.games]
            found[name].append(column)
    return Attributes({name: np.concatenate(parts) for name, parts in found.items()})


def _of_source(source: base_model.Source) -> dict[str, Integers]:
    catalog = workspace.catalog()
    result = catalog.coded(source.id, "result", lambda text: _RESULTS.index(text) if text in _RESULTS else 3)
    decade = catalog.coded(source.id, "date", _decade)
    opening = catalog.coded(source.id, "eco", lambda text: ord(text[0]) if text[:1] in _LETTERS else 0)
    white, black = catalog.numbers(source.id, "white_elo"), catalog.numbers(source.id, "black_elo")
    known = np.maximum((white > 0).astype(np.int64) + (black > 0), 1)
    rating = (white + black) // known // _RATING_BAND
    return {RESULT: result, DECADE: decade, RATING: rating, OPENING: opening}


_LETTERS: Final = tuple("ABCDE")


def _decade(date: str) -> int:
    return int(date[:4]) // 10 if date[:4].isdecimal() and date[:4].isascii() and len(date) >= 4 else 0


def _words(name: str, key: int) -> str:
    match name:
        case "Result":
            return _RESULTS[key]
        case "Decade":
            return f"{key * 10}s" if key else "unknown"
        case "Rating":
            first = key * _RATING_BAND
            return f"{first}-{first + _RATING_BAND - 1}" if key else "unknown"
        case "Opening":
            return f"{chr(key)}00-{chr(key)}99" if key else "unknown"
        case _:
            first = key * _PLY_BAND
            return f"{first}-{first + _PLY_BAND - 1}"


def _keys(result: search_model.SearchResult, known: Attributes, name: str) -> Integers:
    """The value of a facet for every hit."""
    columns = result.games.columns
    if name == PLY:
        keys: Integers = (columns.hits & found_module.PLACE_MASK) // _PLY_BAND
        return keys
    of_games = known.of_games[name]
    return of_games[np.minimum(columns.games, len(of_games) - 1)]


def values(result: search_model.SearchResult, known: Attributes, name: str) -> tuple[Value, ...]:
    """The values of a facet among the hits of a result, with counts. The facet of plies is empty if
    variations were searched, because a positionid in a variation is not a ply."""
    columns = result.games.columns
    if not len(columns) or (name == PLY and result.variations):
        return ()
    keys = _keys(result, known, name)
    positions = found_module.tallied(keys)
    games = columns.games
    fresh = np.ones(len(keys), np.bool_)
    # The hits of a game are consecutive, and the plies of these hits ascend. Equal values of a game are
    # therefore consecutive too.
    fresh[1:] = (games[1:] != games[:-1]) | (keys[1:] != keys[:-1])
    of_games = found_module.tallied(keys[fresh], len(positions))
    return tuple(
        Value(key, _words(name, key), int(of_games[key]), int(positions[key]))
        for key in np.flatnonzero(positions).tolist()
    )


def having(
    result: search_model.SearchResult, known: Attributes, name: str, key: int
) -> search_model.SearchResult:
    """The hits of a result that have the value `key` of the facet `name`."""
    return _kept(result, _keys(result, known, name) == key)


def matching(result: search_model.SearchResult, orbit: int, element: int) -> search_model.SearchResult:
    """The hits of a result where an element of an orbit matched."""
    return _kept(result, found_module.having(result.games.columns, orbit_pass.code_of(orbit, element)))


def both(one: search_model.SearchResult, other: search_model.SearchResult) -> search_model.SearchResult:
    """The hits of one result that are also in another result."""
    bare, others = _bare(one), _bare(other)
    kept = {game: hits for game, hits in bare.items() if game in others}
    return _kept(one, _among(one.games, other.games), kept)


def without(one: search_model.SearchResult, other: search_model.SearchResult) -> search_model.SearchResult:
    """The hits of one result that are not in another result."""
    bare, others = _bare(one), _bare(other)
    kept = {game: hits for game, hits in bare.items() if game not in others}
    return _kept(one, ~_among(one.games, other.games), kept)


def either(one: search_model.SearchResult, other: search_model.SearchResult) -> search_model.SearchResult:
    """The hits of both results, in the order of the games. If a hit is in both results, the details of the
    hit come from the first result. If the second result comes from another query, the orbit elements of the
    second result's hits are dropped."""
    one, other = (data.replace(result, games=result.games.spelt_out()) for result in (one, other))
    first, second = _ascending(one.games), _ascending(other.games)
    more = second.columns.take(~_among(second, first))
    others: Iterable[hit_model.GameHits] = other.games.told.values()
    # If a result has no `untold`, all its games have details.
    untold = one.games.untold or other.games.untold
    if other.query != one.query:
        more = Columns(more.hits, found_module.no_ends(len(more)), np.zeros(0, np.int32))
        others = map(_foreign, others)
        if untold is not None and untold is not one.games.untold:
            untold = data.replace(untold, valued=False, writes=False)
    whole = found_module.joined([first.columns, more])
    columns = whole.take(np.argsort(whole.hits, kind="stable"))
    with_hits = set(found_module.each_game(columns.hits).tolist())
    bare = {game: hits for game, hits in {**_bare(other), **_bare(one)}.items() if game not in with_hits}
    told = dict(one.games.told)
    for hits in others:
        known = told.get(hits.game)
        if known is not None:
            told[hits.game] = found_module.told_by_both(known, hits)
        elif hits.game not in one.games:
            told[hits.game] = hits
    joined = data.replace(
        one,
        games=FoundGames(one.games.columns, told, untold),
        # If variations were searched in one of the results, the positionid of a position may differ from its
        # ply.
        variations=one.variations or other.variations,
    )
    return _made(joined, columns, sorted({*one.order, *other.order}), bare)


def _foreign(told: hit_model.GameHits) -> hit_model.GameHits:
    """The details of a game from another query, without the details that depend on the other query's orbits
    and sort keys."""
    hits = tuple(data.replace(hit, matches=()) for hit in told.hits)
    return data.replace(told, hits=hits, sort_keys=())


def in_games(result: search_model.SearchResult) -> Integers:
    """The games of a result, ascending, in the form of `SearchOptions.within`."""
    return np.sort(np.array(result.order, np.int64))


def _among(some: FoundGames, others: FoundGames) -> Mask:
    """A mask of the hits of `some` that are also in `others`."""
    # A result has each hit once. NumPy is many times faster with this assumption.
    return np.isin(some.columns.hits, others.columns.hits, assume_unique=True)


def _ascending(found: FoundGames) -> FoundGames:
    return FoundGames(
        found.columns.take(np.argsort(found.columns.hits, kind="stable")), found.told, found.untold
    )


def _bare(result: search_model.SearchResult) -> dict[int, hit_model.GameHits]:
    """The matching games that have no hits. A query may accept games where no position matches."""
    return {game: hits for game, hits in result.games.told.items() if not hits.hits}


def _kept(
    result: search_model.SearchResult, mask: Mask, bare: Mapping[int, hit_model.GameHits] | None = None
) -> search_model.SearchResult:
    columns = result.games.columns.take(mask)
    left = {*found_module.each_game(columns.hits).tolist(), *(bare or ())}
    return _made(result, columns, [game for game in result.order if game in left], bare or {})


def _made(
    result: search_model.SearchResult,
    columns: Columns,
    order: Iterable[int],
    bare: Mapping[int, hit_model.GameHits],
) -> search_model.SearchResult:
    """A copy of a result with other hits. `bare` are the matching games that have no hits."""
    untold = FoundGames(columns, {}, result.games.untold)
    told = dict(bare)
    for game, hits in result.games.told.items():
        first, end = untold.stretch(game)
        if end > first:
            told[game] = found_module.trimmed(hits, columns, first, end)
    found = FoundGames(columns, told, result.games.untold)
    return data.replace(result, games=found, order=tuple(order), orbits=recounted(result.orbits, columns))


def recounted(listed: Iterable[hit_model.Orbit], columns: Columns) -> tuple[hit_model.Orbit, ...]:
    """Orbits with the counts of their elements among some hits; an element counts once for a hit."""
    listed = tuple(listed)
    counts = iter(found_module.counts(columns, [len(orbit.elements) for orbit in listed]).tolist())
    return tuple(
        orbits.counted(orbit, dict(enumerate(itertools.islice(counts, len(orbit.elements)))))
        for orbit in listed
    )


OPERATIONS: Final[Mapping[str, Callable[[Any, Any], search_model.SearchResult]]] = {
    "and": both,
    "or": either,
    "minus": without,
}
"""The operations that make a result from two results, by the words in the menu."""

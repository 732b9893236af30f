"""Results made from other results: some hits of one result, or the intersection, union, difference or
symmetric difference of two results.

Hits are sorted numbers, so plain NumPy is enough. Compressed bitmaps would gain nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import numpy as np

from cqlgui.base import data
from cqlgui.engine.passes import orbit_pass
from cqlgui.tasks.results import found as found_module
from cqlgui.tasks.results import hit_model, search_model
from cqlgui.tasks.results.found import Columns, FoundGames, Integers, Mask
from cqlgui.tasks.search import orbits


def matching(result: search_model.SearchResult, orbit: int, element: int) -> search_model.SearchResult:
    """The hits of a result where an element of an orbit matched."""
    return kept(result, found_module.having(result.games.columns, orbit_pass.code_of(orbit, element)))


def among(result: search_model.SearchResult, hits: Integers) -> search_model.SearchResult:
    """The hits of a result that are among `hits`. Games without hits are left out."""
    return kept(result, np.isin(result.games.columns.hits, hits, assume_unique=True))


def both(one: search_model.SearchResult, other: search_model.SearchResult) -> search_model.SearchResult:
    """The hits of one result that are also in another result."""
    bare, others = _bare(one), _bare(other)
    left = {game: hits for game, hits in bare.items() if game in others}
    return kept(one, _among(one.games, other.games), left)


def without(one: search_model.SearchResult, other: search_model.SearchResult) -> search_model.SearchResult:
    """The hits of one result that are not in another result."""
    bare, others = _bare(one), _bare(other)
    left = {game: hits for game, hits in bare.items() if game not in others}
    return kept(one, ~_among(one.games, other.games), left)


def either(one: search_model.SearchResult, other: search_model.SearchResult) -> search_model.SearchResult:
    """The hits of both results, in the order of the games. If a hit is in both results, the details of the
    hit come from the first result, and its comments from both. If the second result comes from another query,
    the orbit elements of the second result's hits are dropped."""
    again = other.query == one.query
    plain = again and one.options == other.options and not (one.parts or other.parts)
    whole_again = plain and _is_separable(one)
    parts = () if whole_again or (_is_told(one) and _is_told(other)) else (one, other)
    one, other = (data.replace(result, games=result.games.spelt_out()) for result in (one, other))
    first, second = _ascending(one.games), _ascending(other.games)
    more = second.columns.take(~_among(second, first))
    # If a result has no `untold`, all its games have details.
    untold = one.games.untold or other.games.untold
    if not again:
        more = Columns(more.hits, found_module.no_ends(len(more)), np.zeros(0, np.int32))
        if untold is not None and untold is not one.games.untold:
            untold = data.replace(untold, valued=False, writes=False)
    whole = found_module.joined([first.columns, more])
    columns = whole.take(np.argsort(whole.hits, kind="stable"))
    with_hits = set(found_module.each_game(columns.hits).tolist())
    bare = {game: hits for game, hits in {**_bare(other), **_bare(one)}.items() if game not in with_hits}
    # The games whose details are known in all results that have them.
    told = {game: hits for game, hits in one.games.told.items() if game not in other.games}
    for game, hits in other.games.told.items():
        theirs = hits if again else found_module.foreign(hits)
        if game not in one.games:
            told[game] = theirs
        elif game in one.games.told:
            told[game] = found_module.told_by_both(one.games.told[game], theirs, again=again)
    joined = data.replace(
        one,
        games=FoundGames(one.games.columns, told, untold),
        # If variations were searched in one of the results, the positionid of a position may differ from its
        # ply.
        variations=one.variations or other.variations,
        parts=parts,
        also=tuple(
            dict.fromkeys(text for text in (*one.also, other.query, *other.also) if text != one.query)
        ),
    )
    return _made(joined, columns, sorted({*one.order, *other.order}), bare)


def _is_told(result: search_model.SearchResult) -> bool:
    """Whether all details of a result are known."""
    return not result.games.not_told(result.order)


def _is_separable(result: search_model.SearchResult) -> bool:
    """Whether the details of a hit depend on this hit alone."""
    return result.games.untold is not None and result.games.untold.separable


def of_games(result: search_model.SearchResult, games: Integers) -> search_model.SearchResult:
    """The part of a result that lies in some games."""
    wanted = set(games.tolist())
    bare = {game: hits for game, hits in _bare(result).items() if game in wanted}
    return kept(result, np.isin(result.games.columns.games, games), bare)


def only_one(one: search_model.SearchResult, other: search_model.SearchResult) -> search_model.SearchResult:
    """The hits that are in one of two results but not in both, in the order of the games. The details of hits
    are those that `either` gives them."""
    return without(either(one, other), both(one, other))


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


def kept(
    result: search_model.SearchResult, mask: Mask, bare: Mapping[int, hit_model.GameHits] | None = None
) -> search_model.SearchResult:
    """Some hits of a result. `mask` selects the hits, and `bare` has those games without hits that stay."""
    columns = result.games.columns.take(mask)
    if not (result.parts or _is_separable(result) or _is_told(result)):
        # The details can only be found for all hits of a game together.
        result = data.replace(result, parts=(result,))
    order = np.fromiter(result.order, np.int64, len(result.order))
    left = np.zeros(int(order.max(initial=0)) + 1, np.bool_)
    left[found_module.each_game(columns.hits)] = True
    left[list(bare or ())] = True
    return _made(result, columns, order[left[order]].tolist(), bare or {})


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
    "xor": only_one,
}
"""The operations that make a result from two results, by the words in the menu."""

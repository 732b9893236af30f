"""Sorted rows of hits as records, for the command line and for exports, and the spelling of an order on the
command line."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from cqlgui.base import arrays, errors, progress
from cqlgui.tasks.analysis import arranging
from cqlgui.tasks.analysis.arranging import Key, Sort
from cqlgui.tasks.export import exporting, hit_table, records
from cqlgui.tasks.results import base_model, hit_model, search_model
from cqlgui.tasks.results import found as found_module

NAMES = tuple(sort.name.lower() for sort in Sort)
"""The names of the columns that rows can be sorted by."""


def spelt(keys: Sequence[Key]) -> str:
    """The columns to sort by as one word: `-white_elo,date`. A minus means that the largest values come
    first."""
    return ",".join(f"{'-' if key.descending else ''}{key.sort.name.lower()}" for key in keys)


def parsed(text: str) -> tuple[Key, ...]:
    """The opposite of `spelt`. Raises `CqlguiError` for a column that is unknown or named twice."""
    keys: list[Key] = []
    for word in text.split(","):
        name = word.strip().removeprefix("-")
        if name not in NAMES:
            raise errors.CqlguiError(f"rows cannot be sorted by {name!r}; known are {', '.join(NAMES)}")
        sort = Sort[name.upper()]
        if any(key.sort is sort for key in keys):
            raise errors.CqlguiError(f"{name} is named twice")
        keys.append(Key(sort, word.strip().startswith("-")))
    return tuple(keys)


def arranged(
    base: base_model.Base,
    *,
    rows: hit_table.Rows,
    sorts: Sequence[Key],
    normalise: bool,
    cancel: progress.CancelToken,
) -> exporting.Arranged | None:
    """What `exporting.export` needs to write sorted rows; None if nothing is to be sorted."""
    if not sorts:
        return None
    return functools.partial(tables, base, rows=rows, sorts=sorts, normalise=normalise, cancel=cancel)


def tables(
    base: base_model.Base,
    result: search_model.SearchResult,
    *,
    rows: hit_table.Rows,
    sorts: Sequence[Key],
    normalise: bool = False,
    cancel: progress.CancelToken | None = None,
) -> Iterator[list[dict[str, Any]]]:
    """The rows of a result in the order that `arranging.arrange` makes, with the fields of `rows`, some
    rows at a time. The hits must have all their details. If a game is a row, it shows the hit that comes
    first in the order. With `normalise` (see `records.records`) the details of all games must be objects.

    Raises `errors.Cancelled`, and `CqlguiError` for a base that can no longer be read.
    """
    found = result.games.in_order(result.order)
    columns = found.columns
    arranged = arranging.arrange(base, result, columns, kind=rows, sorts=sorts, cancel=cancel)
    # What other hits of a game say may stand at a hit, too. Then the rows of whole games are made.
    alone = found.untold is not None and found.untold.separable
    of_objects: _Rows = {}

    def made(
        some: found_module.Columns, games: Sequence[int], told: Mapping[int, hit_model.GameHits]
    ) -> _Rows:
        if normalise:
            listed = records.records(base, told.values(), result.orbits, normalise=True)
        else:
            part = found_module.FoundGames(some, told, found.untold)
            listed = records.of_games(base, part, games, result.orbits, variations=result.variations)
        return {(row["game"], row["positionid"]): row for row in listed}

    def whole(games: Sequence[int]) -> found_module.Columns:
        return columns.take(found.places_of(np.array(games, np.int64)))

    for begin in range(0, len(arranged.numbers), hit_table.PIECE):
        numbers = arranged.numbers[begin : begin + hit_table.PIECE]
        sizes = arranged.sizes[begin : begin + hit_table.PIECE]
        games = arrays.distinct(columns.games[numbers]).tolist()
        # A game with objects as details brings all its hits, so its rows are made once.
        fresh = [game for game in games if game in found.told and (game, _DONE) not in of_objects]
        if fresh:
            of_objects |= made(whole(fresh), fresh, {game: found.told[game] for game in fresh})
            of_objects |= {(game, _DONE): {} for game in fresh}
        plain = [game for game in games if game not in found.told]
        own = numbers[~np.isin(columns.games[numbers], list(found.told))] if found.told else numbers
        known = made(columns.take(np.sort(own)) if alone else whole(plain), plain, {})
        places = (columns.hits[numbers] & found_module.PLACE_MASK).tolist()
        keys = zip(columns.games[numbers].tolist(), places, strict=True)
        pairs = zip(keys, sizes.tolist(), strict=True)
        yield [_with_size(known.get(key) or of_objects[key], size, rows) for key, size in pairs]


_Rows = dict[tuple[int, int], dict[str, Any]]
"""Rows by game and positionid."""
_DONE: Final = -1
"""Stands for a positionid: the rows of the game have been made."""


def _with_size(row: dict[str, Any], size: int, rows: hit_table.Rows) -> dict[str, Any]:
    """The row of a hit with the fields that a span or a game has besides."""
    if rows is hit_table.Rows.SPANS:
        return row | {"until": row["ply"] + size - 1, "plies": size}
    return row | {"hits": size} if rows is hit_table.Rows.GAMES else row

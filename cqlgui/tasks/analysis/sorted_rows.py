"""Sorted rows of hits as records, for the command line, and the spelling of an order on the command line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from cqlgui.base import errors, progress
from cqlgui.tasks.analysis import arranging
from cqlgui.tasks.analysis.arranging import Key, Sort
from cqlgui.tasks.export import hit_table, records
from cqlgui.tasks.results import base_model, search_model
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


def tables(
    base: base_model.Base,
    result: search_model.SearchResult,
    *,
    rows: hit_table.Rows,
    sorts: Sequence[Key],
    cancel: progress.CancelToken | None = None,
) -> Iterator[list[dict[str, Any]]]:
    """The rows of a result in the order that `arranging.arrange` makes, with the fields of `rows`, some
    rows at a time. The hits must have all their details. If a game is a row, it shows the hit that comes
    first in the order.

    Raises `errors.Cancelled`, and `CqlguiError` for a base that can no longer be read.
    """
    found = result.games.in_order(result.order)
    columns = found.columns
    arranged = arranging.arrange(base, result, columns, kind=rows, sorts=sorts, cancel=cancel)
    for begin in range(0, len(arranged.numbers), hit_table.PIECE):
        numbers = arranged.numbers[begin : begin + hit_table.PIECE]
        sizes = arranged.sizes[begin : begin + hit_table.PIECE]
        some = columns.take(np.sort(numbers))
        games = found_module.each_game(some.hits).tolist()
        told = {game: found.told[game] for game in games if game in found.told}
        part = found_module.FoundGames(some, told, found.untold)
        # A game with objects as details brings all its hits, so the rows are found by their positions.
        made = {
            (row["game"], row["positionid"]): row
            for row in records.of_games(base, part, games, result.orbits, variations=result.variations)
        }
        places = (columns.hits[numbers] & found_module.PLACE_MASK).tolist()
        keys = zip(columns.games[numbers].tolist(), places, strict=True)
        yield [_with_size(made[key], size, rows) for key, size in zip(keys, sizes.tolist(), strict=True)]


def _with_size(row: dict[str, Any], size: int, rows: hit_table.Rows) -> dict[str, Any]:
    """The row of a hit with the fields that a span or a game has besides."""
    if rows is hit_table.Rows.SPANS:
        return row | {"until": row["ply"] + size - 1, "plies": size}
    return row | {"hits": size} if rows is hit_table.Rows.GAMES else row

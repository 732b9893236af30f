"""Hits as a table of pyarrow in memory. The package pyarrow is imported only when a table is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from cqlgui.base import arrays, errors
from cqlgui.base import progress as progress_module
from cqlgui.jit import native
from cqlgui.tasks.databases import games as games_module
from cqlgui.tasks.export import hit_table, records
from cqlgui.tasks.export.formats import arrow_files
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.results import found as found_module
from cqlgui.tasks.search import hit_details

QUICK: Final = (
    *("file", "game", "gamenumber", *hit_table.HEADERS),
    *("ply", "positionid", "element", "transform"),
)
"""The fields that need no game to be played again. With variations, the ply is not among them."""


def table(
    base: base_model.Base,
    result: search_model.SearchResult,
    fields: Sequence[str] | None = None,
    *,
    cancel: progress_module.CancelToken | None = None,
) -> Any:
    """The hits as a `pyarrow.Table` with the columns `fields` (`hit_table.FIELDS`), in output order. The
    default is `QUICK`. Texts that occur often are dictionaries. Raises `CqlguiError` if pyarrow is not
    installed or if a field does not exist, and `errors.Cancelled`."""
    arrow_files.require()
    wanted = tuple(QUICK if fields is None else fields)
    unknown = [name for name in wanted if name not in hit_table.FIELDS]
    if unknown:
        raise errors.CqlguiError(
            f"There is no field {unknown[0]}. The fields are {', '.join(hit_table.FIELDS)}."
        )
    played = result.variations and "ply" in wanted
    if not played and set(wanted) <= set(QUICK):
        return arrow_files.of_columns(_quick(base, result, wanted))
    if native.available() and set(wanted).isdisjoint(hit_table.DETAILS):
        return arrow_files.of_tables(
            _bare(base, result, wanted, cancel or progress_module.CancelToken()), wanted
        )
    tables = (
        one
        for games, found in hit_details.batches(base, result, result.order, cancel=cancel)
        for one in records.tables(base, found, games, result.orbits, variations=result.variations)
    )
    return arrow_files.of_tables(tables, wanted)


def _bare(
    base: base_model.Base,
    result: search_model.SearchResult,
    wanted: Sequence[str],
    cancel: progress_module.CancelToken,
) -> Iterator[hit_table.Block]:
    """The hits with some fields, without what only the query can tell (`hit_table.DETAILS`)."""
    for games in hit_details.parts(result.order):
        cancel.raise_if_cancelled()
        yield from hit_table.blocks(
            base, result.games, games, result.orbits, variations=result.variations, coded=wanted
        )


def _quick(
    base: base_model.Base, result: search_model.SearchResult, wanted: Sequence[str]
) -> dict[str, arrow_files.Plain]:
    """The columns of `wanted`, which are among `QUICK`."""
    columns = _ordered(result).columns
    games, places = columns.games, columns.hits & found_module.PLACE_MASK
    listed = [source for source in base.sources if source.games]
    of_hits = np.searchsorted([source.first for source in listed], games, "right") - 1
    made: dict[str, arrow_files.Plain] = {
        "file": (of_hits, [str(source.path) for source in listed]),
        "game": games,
        "gamenumber": games - np.array([source.first for source in listed], np.int64)[of_hits] + 1,
        "ply": places,
        "positionid": places,
    }
    primary, which = arrays.ranked(columns.primary())
    known = [hit_table.match(code, result.orbits) if code >= 0 else {} for code in primary.tolist()]
    for name in ("element", "transform"):
        made[name] = which, [one.get(name) for one in known]
    if not set(wanted).isdisjoint(hit_table.HEADERS):
        made |= _headers(listed, games)
    return {name: made[name] for name in wanted}


def _ordered(result: search_model.SearchResult) -> found_module.FoundGames:
    """The hits in output order."""
    return result.games.in_order(result.order) if result.sort_keys else result.games


def _headers(
    listed: Sequence[base_model.Source], games: found_module.Integers
) -> dict[str, arrow_files.Plain]:
    """The headers of the game of each hit."""
    distinct, of_hits = arrays.ranked(games)
    codes = {name: np.zeros(len(distinct), np.int64) for name in hit_table.HEADERS}
    values: dict[str, dict[Any, int]] = {name: {} for name in hit_table.HEADERS}
    for source in listed:
        begin, end = np.searchsorted(distinct, [source.first, source.first + source.games]).tolist()
        if begin == end:
            continue
        known = games_module.columns(source, distinct[begin:end] - source.first)
        for name in hit_table.HEADERS:
            # Several files may have the same text. A dictionary has each text once.
            of_name = values[name]
            column = known[name]
            numbers = np.array([of_name.setdefault(value, len(of_name)) for value in column.values], np.int64)
            codes[name][begin:end] = numbers[column.codes]
    return {name: (codes[name][of_hits], list(values[name])) for name in hit_table.HEADERS}

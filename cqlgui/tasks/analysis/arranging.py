"""Puts the hits of a result into rows: one row for each hit, for each run of plies or for each game, sorted
by one column or by several. Rows are arrays of hit numbers, so a million hits take a fraction of a second."""

from __future__ import annotations

import enum
import threading
from collections.abc import Sequence
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from cqlgui.base import arrays, progress, ranking
from cqlgui.base.data import dataclass
from cqlgui.cql.ast import types
from cqlgui.cql.ast.types import Type
from cqlgui.engine.kernels import material
from cqlgui.engine.passes import detail_pass
from cqlgui.tasks.analysis import frames
from cqlgui.tasks.asking import queries
from cqlgui.tasks.databases import games as games_module
from cqlgui.tasks.export import hit_table
from cqlgui.tasks.export.hit_table import Rows
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.results import found as found_module
from cqlgui.tasks.results.found import Columns, Integers
from cqlgui.tasks.search import hit_details

Keys: TypeAlias = "npt.NDArray[np.int64]"
"""Sort keys of hits: a smaller number comes first. Hits with equal keys keep their order."""
LAST: Final = np.iinfo(np.int64).max
"""The key of a hit that has no value. It comes last in both directions."""


class Sort(enum.Enum):
    """The columns that rows can be sorted by. The value is the name of the column of headers, or empty if the
    column is no header."""

    WHITE = "white"
    BLACK = "black"
    WHITE_ELO = "white_elo"
    BLACK_ELO = "black_elo"
    RESULT = "result"
    DATE = "date"
    EVENT = "event"
    SITE = "site"
    ROUND = "round"
    ECO = "eco"
    OPENING = "opening"
    FILE = "file"
    GAME = "game"
    PLACE = "place"
    PLY = "ply"
    ELEMENT = "element"
    VALUE = "value"
    COMMENT = "comment"
    SORT_KEY = "sort key"
    HITS = "number of hits"


@dataclass(frozen=True, slots=True)
class Key:
    """A column to sort by, and whether the largest values come first."""

    sort: Sort
    descending: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Arrangement:
    """The rows of a table of hits. Row n shows hit `numbers[n]`, and stands for `sizes[n]` hits: those from
    `numbers[n]` on in a span, and all hits of a game. `rows` has the row of each hit, or -1 for a hit without
    a row. `games` is the number of games that have rows."""

    kind: Rows
    numbers: Integers
    sizes: Integers
    rows: npt.NDArray[np.int32]
    games: int


class TextKeys:
    """The sort keys of the values and of the comments at some hits. The keys are made when they are first
    asked for. They are kept, because making the texts takes longer than sorting. Safe for several threads."""

    def __init__(self, base: base_model.Base, result: search_model.SearchResult, columns: Columns) -> None:
        self._base, self._result, self.columns = base, result, columns
        self._lock = threading.Lock()
        self._known: dict[Sort, Keys] = {}

    def of(self, sort: Sort, cancel: progress.CancelToken) -> Keys:
        """The keys for `Sort.VALUE` or `Sort.COMMENT`. Raises `errors.Cancelled`, and `CqlguiError` for a
        base that can no longer be read."""
        with self._lock:
            cancel.raise_if_cancelled()
            if sort not in self._known:
                self._known[sort] = _told(
                    self._base, self._result, self.columns, cancel, values=sort is Sort.VALUE
                )
            return self._known[sort]


def arrange(
    base: base_model.Base,
    result: search_model.SearchResult,
    columns: Columns,
    *,
    kind: Rows = Rows.HITS,
    sorts: Sequence[Key] = (),
    chosen: Integers | None = None,
    texts: TextKeys | None = None,
    cancel: progress.CancelToken | None = None,
) -> Arrangement:
    """Arrange the hits `columns` of a result. With `chosen`, only the hits with these numbers get rows; the
    numbers ascend. Rows are sorted by the first key of `sorts`, rows that are equal in it by the second
    key, and so on. Rows that are equal in all keys keep the order of the hits. If a game is a row, the row
    shows the hit that comes first in this order. `texts` are the keys of the texts of `columns`, if the
    caller keeps them.

    Raises `errors.Cancelled`, and `CqlguiError` for a base that can no longer be read.
    """
    token = cancel or progress.CancelToken()
    # The first use of new memory takes longer than sorting it. So numbers that ascend from 0 are not copied.
    every = np.arange(len(columns))
    numbers = every if chosen is None else chosen

    def taken(values: Integers, places: Integers) -> Integers:
        return values if places is every else values[places]

    if kind is Rows.HITS:
        firsts = owners = every[: len(numbers)] if chosen is not None else every
        shown, sizes = numbers, np.ones(len(numbers), np.int64)
    else:
        heads = _heads(base, result, columns, numbers, kind)
        firsts, owners = np.flatnonzero(heads), np.cumsum(heads) - 1
        shown, sizes = numbers[firsts], np.diff(firsts, append=len(numbers))
    if sorts:
        # A game is sorted by all its hits, and any other row by its first hit.
        sorted_hits = numbers if kind is Rows.GAMES else shown
        order = every
        for key in reversed(sorts):
            if key.sort is Sort.HITS and kind is not Rows.HITS:
                keys = sizes[owners] if kind is Rows.GAMES else sizes
            else:
                made = texts or TextKeys(base, result, columns)
                keys = taken(_keys(base, result, columns, key.sort, made, token), sorted_hits)
            keys = _turned(keys) if key.descending else keys
            order = _order(keys) if order is every else order[_order(keys[order])]
            token.raise_if_cancelled()
        places = arrays.inverse(order)
        if kind is Rows.GAMES and len(order):
            # The row of a game shows the hit that comes first in the order.
            best = np.minimum.reduceat(places, firsts)
            shown = numbers[order[best]]
            order = np.argsort(best)
            places = arrays.inverse(order)
        shown = order if shown is every else shown[order]
        sizes = sizes if kind is Rows.HITS else sizes[order]
        owners = taken(places, owners)
    if chosen is None:
        rows = owners.astype(np.int32)
    else:
        rows = np.full(len(columns), -1, np.int32)
        rows[chosen] = owners
    token.raise_if_cancelled()
    games = len(shown) if kind is Rows.GAMES else found_module.count_games(columns.hits[numbers])
    return Arrangement(kind, shown, sizes, rows, games)


def _order(keys: Keys) -> Integers:
    """The stable order of some keys. NumPy sorts numbers of 16 bits many times faster than longer numbers."""
    known = keys != LAST
    if not len(keys) or not known.any():
        return np.arange(len(keys))
    if known.all():
        low, high = int(keys.min()), int(keys.max())
    else:
        low, high = int(keys[known].min()), int(keys[known].max()) + 1
        keys = np.where(known, keys, high)
    if high - low >= _LONGEST:
        return np.argsort(keys, kind="stable")
    short = (keys - low).astype(np.uint32)
    order: Integers = np.argsort(short.astype(np.uint16), kind="stable")
    if high - low >= 1 << 16:
        # The keys are sorted by their lower 16 bits, and then by the upper 16 bits.
        order = order[np.argsort((short >> 16).astype(np.uint16)[order], kind="stable")]
    return order


_LONGEST: Final = 1 << 32


def _turned(keys: Keys) -> Keys:
    """Keys for the opposite direction. Hits without a value still come last."""
    return np.where(keys == LAST, LAST, -keys)


def _heads(
    base: base_model.Base,
    result: search_model.SearchResult,
    columns: Columns,
    numbers: Integers,
    kind: Rows,
) -> npt.NDArray[np.bool_]:
    """Which of the hits `numbers` begin a run of plies or a game."""
    heads = np.ones(len(numbers), np.bool_)
    if len(numbers) < 2:
        return heads
    hits = columns.hits[numbers]
    games = hits >> found_module.GAME_SHIFT
    heads[1:] = games[1:] != games[:-1]
    if kind is Rows.SPANS:
        elements = columns.primary()[numbers]
        heads[1:] |= (np.diff(hits) != 1) | (elements[1:] != elements[:-1])
        if result.variations:
            # Positionids are given in preorder. The next positionid at the next ply is a child.
            heads[1:] |= np.diff(plies(base, result, columns)[numbers]) != 1
    return heads


def plies(base: base_model.Base, result: search_model.SearchResult, columns: Columns) -> Integers:
    """The ply of each hit. Without variations, this is its positionid."""
    if not result.variations:
        return columns.hits & found_module.PLACE_MASK
    found = np.zeros(len(columns), np.int64)
    for part in frames.parts(base, columns):
        _, found[part.begin : part.end] = material.men_and_plies(part.asked, part.hits, variations=True)
    return found


def _keys(
    base: base_model.Base,
    result: search_model.SearchResult,
    columns: Columns,
    sort: Sort,
    texts: TextKeys,
    cancel: progress.CancelToken,
) -> Keys:
    """The sort key of each hit for a column."""
    match sort:
        case Sort.GAME:
            return columns.games
        case Sort.FILE:
            return _files(base, columns)
        case Sort.PLACE | Sort.HITS:
            starts = found_module.first_hits(columns.hits)
            sizes = np.diff(starts, append=len(columns))
            if sort is Sort.HITS:
                return arrays.repeated(sizes, sizes)
            return np.arange(len(columns)) - arrays.repeated(starts, sizes)
        case Sort.PLY:
            return plies(base, result, columns)
        case Sort.ELEMENT:
            codes = columns.primary()
            return np.where(codes < 0, LAST, codes)
        case Sort.VALUE | Sort.COMMENT:
            return texts.of(sort, cancel)
        case Sort.SORT_KEY:
            known = result.games.sort_keys()
            listed = found_module.each_game(columns.hits).tolist()
            ranks = _ranked([known[game][0] if known.get(game) else None for game in listed])
            starts = found_module.first_hits(columns.hits)
            return arrays.repeated(ranks, np.diff(starts, append=len(columns)))
        case _:
            return _headers(base, columns, sort)


def _files(base: base_model.Base, columns: Columns) -> Keys:
    """The ranks of the names of the files that have the hits' games. Files of one name have the order of
    their folders."""
    ranks = _ranked([f"{source.path.name}\0{source.path}" for source in base.sources])
    firsts = np.array([source.first for source in base.sources], np.int64)
    found: Keys = ranks[np.searchsorted(firsts, columns.games, "right") - 1]
    return found


def _headers(base: base_model.Base, columns: Columns, sort: Sort) -> Keys:
    """The ranks of the headers of the hits' games."""
    ranks = games_module.ranks(base, sort.value)
    found: Keys = ranks[columns.games]
    return found


def _ranked(values: Sequence[int | str | None]) -> Keys:
    """The ranks of values: numbers before texts, None last. The case of letters makes no difference."""
    kinds = np.array([0 if value is None else 2 if isinstance(value, str) else 1 for value in values])
    # Sort keys of a query may be larger than 64 bits.
    numbers = [value for value in values if isinstance(value, int)]
    places = {number: place for place, number in enumerate(sorted(set(numbers)))}
    found: Keys = np.full(len(values), LAST, np.int64)
    found[kinds == 1] = [places[number] for number in numbers]
    texts = [value.casefold() for value in values if isinstance(value, str)]
    found[kinds == 2] = len(places) + ranking.ranks(texts).astype(np.int64)
    return found


def _told(
    base: base_model.Base,
    result: search_model.SearchResult,
    columns: Columns,
    cancel: progress.CancelToken,
    *,
    values: bool,
) -> Keys:
    """The ranks of the comments that the query writes at the hits. With `values`, the ranks of the values of
    the hits, and of the comments at hits without a value. Texts that are numbers are sorted as numbers."""
    # The hits of a batch are found by their places in the ascending list of all hits.
    order = None if arrays.is_ascending(columns.hits) else np.argsort(columns.hits, kind="stable")
    ascending = columns.hits if order is None else columns.hits[order]

    def put(target: Integers, hits: Integers, some: Integers) -> None:
        at = arrays.placed(ascending, hits)
        # A game may have hits that are not to be sorted.
        here = at < len(ascending)
        here[here] = ascending[at[here]] == hits[here]
        at = at[here]
        target[at if order is None else order[at]] = some[here]

    numbers: Keys = np.full(len(columns), LAST, np.int64)
    codes = np.zeros(len(columns), np.int64)
    of_sets = values and _has_sets(result)
    coded: dict[str, int] = {"": 0}
    for games, found in hit_details.batches(
        base, result, found_module.each_game(columns.hits).tolist(), cancel=cancel
    ):
        details = found.columns.details
        told: Sequence[int] = games if details is None else [game for game in games if game in found.told]
        if details is not None and values and details.kind in _NUMERIC:
            put(numbers, found.columns.hits, _number_keys(details))
        elif details is not None:
            texts = hit_table.comments(found.columns, found)
            both = hit_table.values(found.columns) if values else None
            made = texts.values if both is None else [*texts.values, *both.values]
            known = np.array([coded.setdefault(text or "", len(coded)) for text in made], np.int64)
            some = known[texts.codes]
            if both is not None:
                has_value = np.array([text is not None for text in both.values], np.bool_)[both.codes]
                some = np.where(has_value, known[len(texts.values) + both.codes], some)
            put(codes, found.columns.hits, some)
        for game in told:
            whole = found[game]
            shown = [hit.value if values else None for hit in whole.hits]
            listed = [
                whole.comment_at(hit.positionid) if value is None else value
                for hit, value in zip(whole.hits, shown, strict=True)
            ]
            places = np.array([game << found_module.GAME_SHIFT | hit.positionid for hit in whole.hits])
            put(codes, places, np.array([coded.setdefault(text, len(coded)) for text in listed], np.int64))
            sizes = [LAST if value is None or not of_sets else _size(value) for value in shown]
            put(numbers, places, np.array(sizes, np.int64))
    if len(coded) == 1:
        return numbers
    known = numbers != LAST
    distinct = np.unique(numbers[known])
    ranks = _ranked([*map(_number, coded), *distinct.tolist()])
    keys: Keys = ranks[codes]
    keys[known] = ranks[len(coded) + np.searchsorted(distinct, numbers[known])]
    return keys


def _has_sets(result: search_model.SearchResult) -> bool:
    """Whether the values of a query are sets of squares."""
    expanded = queries.expanded(result.query, said=hit_details.said(result.options))
    return expanded.query is not None and types.infer(expanded.query.body, expanded.names) is Type.SET


def _size(text: str) -> int:
    """The number of squares of a set (`values.set_text`)."""
    return len(text.strip("[]").split(",")) if text != "[]" else 0


_NUMERIC: Final = (Type.NUMERIC, Type.SET)


def _number_keys(details: found_module.HitDetails) -> Keys:
    """The keys of values that are numbers or sets of squares. A set has the number of its squares as key."""
    if details.kind is Type.SET:
        counts: Keys = np.bitwise_count(details.values.view(np.uint64)).astype(np.int64)
        return counts
    return np.where(details.values == detail_pass.NO_VALUE, LAST, details.values)


def _number(text: str | None) -> int | str | None:
    """A value as a number if it is one; None for an empty text."""
    if not text:
        return None
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) < 19 else text

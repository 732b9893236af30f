"""Writes the beginnings of JSON lines: what all hits of a game have in common. The texts of headers are kept
as JSON under their numbers in the catalog, because players, events and dates occur in many games."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from cqlgui.base import arrays
from cqlgui.db import catalog, headers, names, openings
from cqlgui.tasks.databases import games as games_module
from cqlgui.tasks.databases import sources
from cqlgui.tasks.export import hit_table
from cqlgui.tasks.export.formats import row_kernel
from cqlgui.tasks.results import base_model
from cqlgui.tasks.results.found import Integers

FIELDS: Final = hit_table.FIELDS[: hit_table.FIELDS.index(hit_table.TAGS) + 1]
"""The fields that a beginning has."""
_TABLED: Final = {name: names.TABLES[name] for name in hit_table.HEADERS if name in names.TABLES}
"""The fields whose texts have numbers in the catalog, with the catalog's table of the texts."""
_RATING: Final = "rating"
_OPENING: Final = "opening"
_KEPT: Final = 1 << 20
"""Texts with this number or a larger one are not kept. Own texts (`db.own_texts`), which hardly occur twice,
have much larger numbers. In a large base some names have such numbers, too."""
_MANY: Final = 500
_SHARE: Final = 8
"""If at least `_MANY` texts of a table were asked for, and at least one in `_SHARE` of the table's texts, all
texts of the table are read at once."""
_MOST_BYTES: Final = 1 << 26
"""If the texts and their places take more bytes than this, they are forgotten."""


class Heads:
    """The beginnings of the lines of some blocks, one block after another."""

    def __init__(self) -> None:
        self._kept = _Kept(object())
        self._games = np.zeros(0, np.int64)
        self._written = row_kernel.Texts(b"", self._games)

    def of(self, block: hit_table.Block) -> row_kernel.Texts:
        """One text for each of `block.games`, up to the comma after the last of `FIELDS`."""
        if self._games is not block.games:
            # Most games have several rows, and blocks in a row have their games in common.
            self._written = self._write(block)
            self._games = block.games
        return self._written

    def _write(self, block: hit_table.Block) -> row_kernel.Texts:
        games, source = block.games, block.source
        known = sources.headers(source)
        if not isinstance(known, catalog.Catalog):
            pool = row_kernel.Pool()
            coded = _of_columns(pool, source, games - source.first)
        else:
            if self._kept.numbering is not known.numbering or self._kept.size > _MOST_BYTES:
                self._kept = _Kept(known.numbering)
            pool = self._kept.pool
            # An import may remove own texts as soon as the snapshot ends.
            with known.snapshot():
                coded = self._kept.of(known, games_module.numbered(source, known, games - source.first))
        numbers = {"game": games, "gamenumber": games - source.first + 1}
        file = games_module.encoded(games_module.as_json(block.file))
        literals, kinds, data = [b'{"file":' + file + b","], [], []
        for name in FIELDS[1:]:
            literals[-1] += f'"{name}":'.encode()
            literals.append(b",")
            kinds.append(row_kernel.NUMBER if name in numbers else row_kernel.TEXT)
            data.append(numbers[name] if name in numbers else coded[name])
        written = row_kernel.joined(literals, kinds, data, pool.texts())
        if pool is self._kept.pool:
            self._kept.forget_rest()
        return written


class _Asked(NamedTuple):
    """A field of some games. Game n has the number `numbers[n]`. `meant` says which values some numbers mean.
    Fields with the same `table` have the same numbers for the same values. If `table` is a table of names in
    the catalog, `name` is a column whose texts are there."""

    name: str
    table: str
    numbers: Integers
    meant: Callable[[Sequence[int]], Mapping[int, str | int | None]]


class _Kept:
    """The texts of headers in the catalog that has some `numbering`. `pool` has the texts that are kept, and
    after them those of the last block alone."""

    def __init__(self, numbering: object) -> None:
        self.numbering = numbering
        self.pool = row_kernel.Pool()
        self._places: dict[str, Integers] = {}
        """For each table, the number in `pool` of each text, or -1."""
        self._met: dict[str, int] = {}
        """For each table, how many of its texts were asked for."""
        self._next: dict[str, int] = {}
        """For each table, how many of its texts must be asked for before it is read at once."""
        self._kept = len(self.pool)

    @property
    def size(self) -> int:
        """The number of bytes of the texts and of their places."""
        return self.pool.size + sum(places.nbytes for places in self._places.values())

    def forget_rest(self) -> None:
        """Remove the texts that are not kept."""
        self.pool.cut(self._kept)

    def of(self, known: catalog.Catalog, rows: catalog.Numbered) -> dict[str, Integers]:
        """The number in `pool` of the text of each game, for all fields of games but their numbers."""
        asked = [
            _Asked(name, table, rows.texts[name].astype(np.int64), functools.partial(known.texts, name))
            for name, table in _TABLED.items()
        ]
        asked += [
            _Asked(name, _RATING, rows.numbers[name].astype(np.int64), _ratings)
            for name in headers.RATINGS.values()
        ]
        eco = next(one for one in asked if one.name == "eco")
        asked.append(
            _Asked(_OPENING, _OPENING, eco.numbers, lambda codes: _openings(eco.meant(codes), codes))
        )
        # First what is kept, because the rest is cut off later.
        for table, one in {one.table: one for one in asked}.items():
            numbers = [other.numbers for other in asked if other.table == table]
            self._learn(known, one._replace(numbers=np.concatenate(numbers)))
        self._kept = len(self.pool)
        made = {one.name: self._numbers(one) for one in asked}
        made[hit_table.TAGS], has_own = self._tags(rows)
        if has_own:
            made[_OPENING] = self._own_openings(made[hit_table.TAGS], eco)
        return made

    def _learn(self, known: catalog.Catalog, asked: _Asked) -> None:
        """Add the texts of a column to those that are kept."""
        numbers = asked.numbers[asked.numbers < _KEPT]
        places = self._room(asked.table, int(numbers.max(initial=0)))
        missing = arrays.distinct(numbers[places[numbers] < 0])
        if not len(missing):
            return
        met = self._met[asked.table] = self._met.get(asked.table, 0) + len(missing)
        if met >= self._next.get(asked.table, _MANY) and asked.table in _TABLED.values():
            # If the table cannot be read at once, it is not tried again for each block.
            self._next[asked.table] = 2 * met
            whole = known.all_texts(asked.name, min(_SHARE * met, _KEPT - 1))
            if whole is not None:
                found, text, ends = whole
                places = self._room(asked.table, int(found.max()))
                places[found] = _from(self.pool.add_quoted(text, ends), len(found))
                missing = arrays.distinct(numbers[places[numbers] < 0])
        places[missing] = _from(self._add(missing, asked), len(missing))

    def _room(self, table: str, largest: int) -> Integers:
        """`_places` of a table, with room for the number `largest`."""
        places = self._places.get(table, np.full(1, -1, np.int32))
        if largest >= len(places):
            more = max(largest + 1, 2 * len(places)) - len(places)
            places = np.concatenate([places, np.full(more, -1, np.int32)])
        self._places[table] = places
        return places

    def _numbers(self, asked: _Asked) -> Integers:
        """The number in `pool` of each text of a column."""
        places = self._places[asked.table]
        made: Integers = places[np.where(asked.numbers < _KEPT, asked.numbers, 0)].astype(np.int64)
        others = np.flatnonzero(asked.numbers >= _KEPT)
        if len(others):
            distinct, which = arrays.ranked(asked.numbers[others])
            made[others] = which + self._add(distinct, asked)
        return made

    def _add(self, numbers: Integers, asked: _Asked) -> int:
        """Add what is written for some numbers, as JSON. A text that is missing is empty. Returns the number
        of the first text in `pool`."""
        listed = numbers.tolist()
        meant = asked.meant(listed)
        values = [meant.get(number, "") for number in listed]
        texts = [value for value in values if isinstance(value, str)]
        if len(texts) == len(values):
            # The catalog has no lone surrogates, which only `as_json` can write.
            plain = row_kernel.Texts.of(texts, errors="strict")
            return self.pool.add_quoted(plain.data, plain.ends)
        return self.pool.add(list(map(games_module.as_json, values)))

    def _tags(self, rows: catalog.Numbered) -> tuple[Integers, bool]:
        """The numbers in `pool` of the other tags, and whether some games have a name of their opening
        there."""
        first, begin = len(self.pool), self.pool.size
        for data, starts, ends in rows.more:
            self.pool.add_json(data, starts, ends)
        return np.arange(first, len(self.pool)), b'"Opening"' in self.pool.bytes_from(begin)

    def _own_openings(self, tags: Integers, eco: _Asked) -> Integers:
        """The numbers in `pool` of the names of openings, where the games' own tags may name them."""
        codes = eco.meant(arrays.distinct(eco.numbers).tolist())
        said = self.pool.listed(tags)
        named = [
            openings.of_tags(str(codes.get(number, "")), more.decode("utf-8"))
            for number, more in zip(eco.numbers.tolist(), said, strict=True)
        ]
        numbers, distinct = arrays.numbered(named)
        return numbers + self.pool.add([games_module.as_json(name) for name in distinct])


def _from(first: int, count: int) -> Integers:
    return np.arange(first, first + count)


def _ratings(numbers: Sequence[int]) -> dict[int, int | None]:
    return {number: number or None for number in numbers}


def _openings(codes: Mapping[int, object], numbers: Sequence[int]) -> dict[int, str]:
    return {number: openings.name(str(codes.get(number, ""))) for number in numbers}


def _of_columns(pool: row_kernel.Pool, source: base_model.Source, ordinals: Integers) -> dict[str, Integers]:
    """As `_Kept.of`, for a source whose texts have no numbers."""
    made = {}
    columns = games_module.columns(source, ordinals, tags=True)
    for name in hit_table.HEADERS:
        made[name] = columns[name].codes + pool.add(list(map(games_module.as_json, columns[name].values)))
    tags = columns[hit_table.TAGS]
    made[hit_table.TAGS] = tags.codes + pool.add(tags.values)
    return made

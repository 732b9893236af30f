"""The texts of games and their numbers. A text that occurs in many games stands once in one of the tables of
names. The texts of a block that are nearly all different stand in a row of their own (`own_texts`).

Number 0 stands for a missing text. Names are only added and never change.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from cqlgui.base import arrays, folding
from cqlgui.db import database, headers, own_texts, proofs

TABLES: Final = {
    "white": "player",
    "black": "player",
    "event": "event",
    "site": "site",
    "result": "text",
    "date": "text",
    "round": "text",
    "eco": "text",
    "ending": "text",
}
"""For each column of texts, the name of the table with the texts."""
FOLDED: Final = {"player", "event", "site"}
"""The tables with texts that are sorted without regard to case."""
MAY_BE_OWN: Final = ("site", "round")
"""The columns whose texts may stand in rows of their own. The texts of the other columns are compared by
their numbers, as those of players and events, or there are only few."""
UNKNOWN: Final = "?.- "
"""A text that has no other signs than these stands for an unknown one, as in `????.??.??`."""
_NOT_ASCII: Final = "length(name) < length(cast(name as blob))"
"""Meets the texts that have other letters than those of ASCII, and those with a NUL."""
_LINE_END: Final = ord("\n")
_STEP: Final = 50_000
_CHUNK = 500
_MOST_NAMES = 500_000


class Names:
    """The texts in a catalog's file. Methods that add texts are called by one thread at a time, within its
    transaction. The other methods are safe for several threads."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._ids: dict[str, dict[str, int]] = {table: {} for table in TABLES.values()}
        self._texts: dict[str, dict[int, str]] = {table: {} for table in TABLES.values()}
        self._ranks: dict[str, tuple[int, np.ndarray]] = {}
        # For each table the last number that was looked at, and the numbers and folded texts of the texts
        # that are not ASCII.
        self._folded: dict[str, tuple[int, np.ndarray, folding.Folded]] = {}
        # Under the `id` of its list of texts. A coding holds its list, so no other list has this `id`.
        self._codings: dict[int, _Coding] = {}
        self._indexes_checked = False
        self.own = own_texts.OwnTexts()

    # --- from numbers to texts ---

    def named(self, connection: sqlite3.Connection, table: str, numbers: Sequence[int]) -> dict[int, str]:
        """The texts with these numbers, by number. Number 0 is left out. The texts are cached."""
        known = self._texts[table]
        missing = [number for number in numbers if 0 < number < own_texts.FIRST and number not in known]
        if missing:
            if len(known) > _MOST_NAMES:
                # The old dictionary is not cleared, because other threads may be reading it.
                known = self._texts[table] = {}
                missing = [number for number in numbers if 0 < number < own_texts.FIRST]
            for start in range(0, len(missing), _CHUNK):
                chunk = missing[start : start + _CHUNK]
                marks = ",".join("?" * len(chunk))
                known.update(connection.execute(f"select id, name from {table} where id in ({marks})", chunk))
        try:
            found = {number: known[number] for number in numbers if 0 < number < own_texts.FIRST}
        except KeyError as error:
            raise sqlite3.DatabaseError(f"malformed table {table}: there is no text {error}") from error
        own = [number for number in numbers if number >= own_texts.FIRST]
        return found | self.own.named(connection, own) if own else found

    def whole(
        self, connection: sqlite3.Connection, table: str, most: int
    ) -> tuple[np.ndarray, bytes, np.ndarray] | None:
        """All texts of a table: their numbers, the texts in UTF-8 one after another, and the end of each
        text. None if there are more than `most`, or if a text has a line end. SQLite makes one string without
        the interpreter lock, so this is several times as fast as `named`."""
        if _last(connection, table) > most:
            return None
        ids, listed = connection.execute(
            "select group_concat(id), cast(group_concat(name, char(10)) as blob) "
            f"from (select id, name from {table} not indexed)"
        ).fetchone()
        numbers = _numbers(ids)
        if not len(numbers):
            return None
        breaks = np.append(np.flatnonzero(np.frombuffer(listed, np.uint8) == _LINE_END), len(listed))
        # SQLite's functions may end a text at a NUL.
        if len(breaks) != len(numbers) or b"\0" in listed:
            return None
        return numbers, listed.replace(b"\n", b""), breaks - np.arange(len(breaks))

    def matching(self, connection: sqlite3.Connection, table: str, condition: str, value: str) -> np.ndarray:
        """The numbers of all texts in a table that meet a condition. Own texts are not in the table."""
        # The index is not used, because only the table was compared with a checksum.
        listed = connection.execute(
            f"select group_concat(id) from {table} not indexed where {condition}", (value,)
        )
        return _numbers(listed.fetchone()[0])

    def containing(
        self, connection: sqlite3.Connection, table: str, text: str, *, first: bool = False
    ) -> np.ndarray:
        """The numbers of all texts in a table that contain `text`, or with `first` begin with it. Case is
        ignored (see `base.folding`)."""
        numbers, folded = self._not_ascii(connection, table)
        found: np.ndarray = numbers[folded.containing(text, first=first)]
        wanted = folding.fold(text)
        if not wanted.isascii() or "\0" in wanted:
            # SQLite reads a pattern up to a NUL.
            return found
        escaped = wanted.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        value = f"{escaped}%" if first else f"%{escaped}%"
        plain = self.matching(connection, table, "name like ? escape '\\'", value)
        return arrays.distinct(np.concatenate([plain, found])) if len(found) else plain

    def _not_ascii(self, connection: sqlite3.Connection, table: str) -> tuple[np.ndarray, folding.Folded]:
        """The numbers of the texts of a table that are not ASCII, and these texts, folded. They are kept,
        because the user types one letter after another."""
        last = _last(connection, table)
        seen, numbers, folded = self._folded.get(table, (0, np.empty(0, np.int64), folding.Folded.of([])))
        if seen == last:
            return numbers, folded
        found, parts = [numbers], [folded]
        # In steps, because a million rows take 200 MB.
        for start in range(seen, last, _STEP):
            rows = connection.execute(
                f"select id, name from {table} not indexed where id > ? and id <= ? and {_NOT_ASCII}",
                (start, min(start + _STEP, last)),
            ).fetchall()
            found.append(np.array([number for number, _ in rows], np.int64))
            parts.append(folding.Folded.of([name for _, name in rows]))
        numbers, folded = np.concatenate(found), folding.Folded.joined(parts)
        self._folded[table] = last, numbers, folded
        return numbers, folded

    def ranks(self, connection: sqlite3.Connection, table: str) -> np.ndarray:
        """The rank of each text of a table in sort order. The index in the result is the number of the text.
        Texts that are equal in this order share a rank. An unknown, empty or missing text has rank 0, and so
        has a date whose year is unknown."""
        last = _last(connection, table)
        known = self._ranks.get(table)
        if known is not None and known[0] == last:
            return known[1]
        order = "name collate nocase" if table in FOLDED else "name"
        unknown = f"trim(name, '{UNKNOWN}') = ''"
        if table == TABLES["date"]:
            unknown += " or name like '????.%'"
        # SQLite makes this one string without the interpreter lock. Making a million small tuples would need
        # the lock.
        ids, places = connection.execute(
            "select group_concat(id), group_concat(place) from "
            f"(select id, iif({unknown}, 0, dense_rank() over (order by {order})) as place "
            f"from {table} not indexed)"
        ).fetchone()
        ranks = np.zeros(last + 1, np.int64)
        ranks[_numbers(ids)] = _numbers(places)
        self._ranks[table] = (last, ranks)
        return ranks

    # --- from texts to numbers ---

    def numbered(
        self, connection: sqlite3.Connection, block: int, tables: Sequence[headers.Table]
    ) -> dict[str, np.ndarray]:
        """The numbers of all texts of some games, which become the block `block`, by column. New texts are
        added."""
        texts = {name: headers.joined([table.texts[name] for table in tables]) for name in headers.TEXTS}
        found: dict[str, np.ndarray] = {}
        for name in MAY_BE_OWN:
            if _differ(texts[name]):
                found[name] = self._own(connection, block, TABLES[name], texts.pop(name))
        for kind in self._ids:
            mine = [column for name in texts if TABLES[name] == kind for column in texts[name]]
            self._learn(connection, kind, mine)
        for name, parts in texts.items():
            kind = TABLES[name]
            found[name] = np.concatenate([self._coding(kind, part)[part.places] for part in parts])
        # Keep the codings of the two longest lists. The fast reader uses one long list again and again, but
        # short lists are soon replaced by others.
        longest = sorted(self._codings.values(), key=lambda one: -len(one.texts))[:2]
        self._codings = {id(one.texts): one for one in longest}
        return found

    def forget(self) -> None:
        """Forget the numbers of texts, because the transaction that added texts was undone."""
        for known in self._ids.values():
            known.clear()
        self._codings.clear()

    def _own(
        self, connection: sqlite3.Connection, block: int, table: str, parts: Sequence[headers.Coded]
    ) -> np.ndarray:
        """The numbers of the texts of a column, whose texts get a row of their own."""
        texts = [text for part in parts for text in map(part.texts.__getitem__, part.places.tolist())]
        numbers = np.zeros(len(texts), np.int64)
        given = [place for place, text in enumerate(texts) if text]
        numbers[given] = own_texts.add(connection, block, [text for text in texts if text])
        empty = [place for place, text in enumerate(texts) if text == ""]
        if empty:
            numbers[empty] = self._added(connection, table, {""})[""]
        return numbers

    def _coding(self, table: str, column: headers.Coded) -> np.ndarray:
        """The numbers of the texts in a column's list, by place in the list; below 0 if the number is
        unknown."""
        found = self._codings.get(id(column.texts))
        if found is None:
            found = self._codings[id(column.texts)] = _Coding(column.texts)
        return found.numbers(table)

    def _learn(self, connection: sqlite3.Connection, table: str, columns: Sequence[headers.Coded]) -> None:
        """Look up the numbers of all texts of some columns, and add new texts."""
        wanted: set[str | None] = set()
        unknown = []
        for column in columns:
            places = column.places[self._coding(table, column)[column.places] < 0]
            if len(places):
                used = arrays.distinct(places)
                texts = list(map(column.texts.__getitem__, used.tolist()))
                wanted.update(texts)
                unknown.append((column, used, texts))
        ids = self._added(connection, table, wanted)
        for column, used, texts in unknown:
            self._coding(table, column)[used] = list(map(ids.__getitem__, texts))

    def _added(
        self, connection: sqlite3.Connection, table: str, names: Iterable[str | None]
    ) -> dict[str | None, int]:
        """The numbers of texts; None has number 0. New texts are added to the table. The numbers are
        cached."""
        known = self._ids[table]
        if len(known) > _MOST_NAMES:
            known.clear()
        missing = {name for name in names if name is not None and name not in known}
        if missing:
            self._check_indexes(connection)
            known.update(_added(connection, table, list(missing)))
            proofs.extend(connection, table)
        return {name: 0 if name is None else known[name] for name in names}

    def _check_indexes(self, connection: sqlite3.Connection) -> None:
        """Check the indexes of the tables of names, once. Opening a large file does not check these
        indexes."""
        if not self._indexes_checked:
            if self._path.stat().st_size > database.CHECKED_WHOLE:
                proofs.check_indexes(connection)
            self._indexes_checked = True


def _differ(parts: Sequence[headers.Coded]) -> bool:
    """Whether a column gets a row of its own texts, because it has more distinct texts than half of its
    games."""
    games = sum(len(part.places) for part in parts)
    if not own_texts.LEAST <= games <= own_texts.MOST:
        return False
    used = [arrays.distinct(part.places).tolist() for part in parts]
    if sum(map(len, used)) <= games // 2:
        return False
    # The parts may have texts in common.
    texts = {
        text for part, places in zip(parts, used, strict=True) for text in map(part.texts.__getitem__, places)
    }
    return len(texts) > games // 2


class _Coding:
    """For a list of texts that may grow: the numbers that these texts have in the tables, as far as the
    numbers are known."""

    def __init__(self, texts: Sequence[str | None]) -> None:
        self.texts = texts
        self._numbers: dict[str, np.ndarray] = {}

    def numbers(self, table: str) -> np.ndarray:
        """The numbers of the texts in a table, by place in the list; below 0 if the number is not known
        yet."""
        known = self._numbers.get(table)
        if known is None or len(known) < len(self.texts):
            larger = np.full(2 * len(self.texts), -1, np.int64)
            if known is not None:
                larger[: len(known)] = known
            known = self._numbers[table] = larger
        return known


def _added(connection: sqlite3.Connection, table: str, names: Sequence[str]) -> dict[str, int]:
    """The numbers of texts. New texts are added to the table."""
    found: dict[str, int] = {}
    plain = [name for name in names if "\0" not in name]
    if plain:
        # One statement handles the whole list. A statement for each name would take the interpreter lock
        # every time.
        joined = json.dumps(plain, ensure_ascii=False)
        connection.execute(f"insert or ignore into {table}(name) select value from json_each(?)", (joined,))
        listed = connection.execute(
            "select group_concat(id) from (select known.id as id from json_each(?) as asked "
            f"cross join {table} as known on known.name = asked.value)",
            (joined,),
        ).fetchone()[0]
        found.update(zip(plain, _numbers(listed).tolist(), strict=True))
    for name in names:
        if "\0" in name:
            # SQLite's JSON functions end a text at a NUL.
            connection.execute(f"insert or ignore into {table}(name) values (?)", (name,))
            row = connection.execute(f"select id from {table} where name = ?", (name,)).fetchone()
            found[name] = row[0]
    return found


def _last(connection: sqlite3.Connection, table: str) -> int:
    """The largest number in a table, 0 if the table is empty."""
    return int(connection.execute(f"select coalesce(max(id), 0) from {table}").fetchone()[0])


def _numbers(joined: str | None) -> np.ndarray:
    return np.fromstring(joined, np.int64, sep=",") if joined else np.empty(0, np.int64)

"""The catalog: sources, bases and the headers of games by (source, ordinal from 0).

Bulk rows go in by `executemany` and big reads give plain tuples; peewee makes the schema and the small
statements. The catalog can be made again from the sources at any time, so a damaged file is set aside.
"""

from __future__ import annotations

import itertools
import json
import sqlite3
import threading
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from cqlgui.base import errors
from cqlgui.db import database, schema
from cqlgui.db.headers import Header

_CHUNK = 500

SORTS = {
    "white": "coalesce(w.name, '') collate nocase",
    "black": "coalesce(b.name, '') collate nocase",
    "white_elo": "coalesce(g.white_elo, 0)",
    "black_elo": "coalesce(g.black_elo, 0)",
    "result": "coalesce(g.result, '')",
    "date": "coalesce(g.date, '')",
    "event": "coalesce(e.name, '') collate nocase",
    "site": "coalesce(s.name, '') collate nocase",
    "round": "coalesce(g.round, '')",
    "eco": "coalesce(g.eco, '')",
    "plies": "g.plies",
}
_JOINS = """
    left join player w on w.id = g.white_id
    left join player b on b.id = g.black_id
    left join event e on e.id = g.event_id
    left join site s on s.id = g.site_id
"""
_COLUMNS = """
    w.name, b.name, g.white_elo, g.black_elo, g.result, g.date, e.name, s.name, g.round, g.eco, g.plies,
    g.bad, g.more, g.ending
"""


@dataclass(frozen=True, slots=True)
class SourceRow:
    """What the catalog knows about a PGN source."""

    id: int
    path: Path
    games: int
    positions: int
    complete: bool


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts over the games of some sources; the dates are empty when none begins with a year."""

    players: int
    events: int
    first_date: str
    last_date: str
    results: dict[str, int]
    bad: int


class Catalog:
    """The catalog file. Every method may be called from any thread; several programs may share the file."""

    def __init__(self, path: Path, *, create: bool = True) -> None:
        """`create=False` is for readers of a file that was opened before: no check, no write."""
        self._file = database.File(path, schema.VERSION, "catalog", check=create)
        self._models = schema.models(self._file.database)
        self._names: dict[str, dict[str, int]] = {"player": {}, "event": {}, "site": {}}
        self._names_lock = threading.Lock()
        if not create:
            return
        with self._file.writing() as connection:
            if int(connection.execute("PRAGMA user_version").fetchone()[0]) < schema.VERSION:
                # Rows of an older version are read again from the sources when these are opened next.
                connection.execute("drop table if exists game")
            self._file.database.create_tables(self._models.all, safe=True)
            connection.execute(f"PRAGMA user_version = {schema.VERSION}")

    @property
    def path(self) -> Path:
        """The file."""
        return self._file.path

    @property
    def notice(self) -> str:
        """A sentence for the user when a damaged catalog was set aside, else empty."""
        return self._file.notice

    def close(self) -> None:
        """Close all connections."""
        self._file.close()

    # --- sources and bases ---

    def source(self, path: Path) -> SourceRow:
        """The row of a source, made when there is none."""
        text = str(path)
        with self._file.reading() as connection:
            row = connection.execute(
                "select id, path, games, positions, complete from source where path = ?", (text,)
            ).fetchone()
        if row is None:
            with self._file.writing() as connection:
                connection.execute(
                    "insert or ignore into source(path, games, positions, complete) values (?, 0, 0, 0)",
                    (text,),
                )
                row = connection.execute(
                    "select id, path, games, positions, complete from source where path = ?", (text,)
                ).fetchone()
        return SourceRow(row[0], Path(row[1]), row[2], row[3], bool(row[4]))

    def base(self, paths: Sequence[Path], name: str = "") -> tuple[int, str]:
        """Id and name of the base with exactly these sources in this order; a name given renames it."""
        key = json.dumps([str(path) for path in paths], ensure_ascii=False)
        with self._file.writing() as connection:
            connection.execute("insert or ignore into base(name, key) values (?, ?)", (name, key))
            if name:
                connection.execute("update base set name = ? where key = ?", (name, key))
            row = connection.execute("select id, name from base where key = ?", (key,)).fetchone()
        return int(row[0]), str(row[1])

    # --- writing games ---

    def begin(self, source: int, keep: int) -> None:
        """Forget the games of a source from ordinal `keep` on, before new ones are added."""
        with self._file.writing() as connection:
            connection.execute("delete from game where source_id = ? and ordinal >= ?", (source, keep))
            connection.execute("update source set games = ?, complete = 0 where id = ?", (keep, source))

    def add_games(self, source: int, first: int, headers: Sequence[Header], positions: int) -> None:
        """Add games from ordinal `first` on in one transaction; `positions` is the source's new total."""
        try:
            self._add_games(source, first, headers, positions)
        except BaseException:
            # Names remembered from a transaction that was undone would point nowhere.
            with self._names_lock:
                for known in self._names.values():
                    known.clear()
            raise

    def _add_games(self, source: int, first: int, headers: Sequence[Header], positions: int) -> None:
        with self._file.writing() as connection:
            if headers:
                self._put_rows(connection, source, first, headers)
            connection.execute(
                "update source set games = ?, positions = ? where id = ?",
                (first + len(headers), positions, source),
            )

    def _put_rows(
        self, connection: sqlite3.Connection, source: int, first: int, headers: Sequence[Header]
    ) -> None:
        # Column by column, so that the interpreter has next to nothing to do for a row.
        white, black, white_elo, black_elo, result, date, event, site, *rest = zip(*headers, strict=True)
        players = self._ids(connection, "player", {*white, *black})
        events = self._ids(connection, "event", set(event))
        sites = self._ids(connection, "site", set(site))
        connection.executemany(
            "insert or replace into game("
            "source_id, ordinal, white_id, black_id, white_elo, black_elo, result, date, "
            "event_id, site_id, round, eco, plies, bad, more, ending) "
            "values (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            zip(
                itertools.repeat(source, len(headers)),
                itertools.count(first),
                map(players.get, white),
                map(players.get, black),
                white_elo,
                black_elo,
                result,
                date,
                map(events.get, event),
                map(sites.get, site),
                *rest,
                strict=False,
            ),
        )

    def finish(self, source: int, games: int, positions: int) -> None:
        """Note that all of a source has been read."""
        with self._file.writing() as connection:
            connection.execute(
                "update source set games = ?, positions = ?, complete = 1 where id = ?",
                (games, positions, source),
            )

    # --- reading games ---

    def count(self, source: int) -> int:
        """How many games of a source have rows, counted without a gap from ordinal 0."""
        with self._file.reading() as connection:
            count, last = connection.execute(
                "select count(*), max(ordinal) from game where source_id = ?", (source,)
            ).fetchone()
        return int(count) if count and last == count - 1 else 0

    def bad_count(self, source: int) -> int:
        """How many games of a source could not be read whole."""
        with self._file.reading() as connection:
            return int(
                connection.execute(
                    "select count(*) from game where source_id = ? and bad", (source,)
                ).fetchone()[0]
            )

    def named_count(self, source: int) -> int:
        """How many games of a source have a White tag."""
        with self._file.reading() as connection:
            return int(
                connection.execute(
                    "select count(white_id) from game where source_id = ?", (source,)
                ).fetchone()[0]
            )

    def summary(self, sources: Sequence[int]) -> Summary:
        """Counts over the games of some sources."""
        marks = ",".join("?" * len(sources))
        where = f"from game where source_id in ({marks})"
        with self._file.reading() as connection:
            players = connection.execute(
                f"select count(*) from (select white_id {where} and white_id is not null "
                f"union select black_id {where} and black_id is not null)",
                (*sources, *sources),
            ).fetchone()[0]
            events, bad = connection.execute(
                f"select count(distinct event_id), total(bad) {where}", sources
            ).fetchone()
            first, last = connection.execute(
                f"select min(date), max(date) {where} and date glob '[0-9][0-9][0-9][0-9]*'", sources
            ).fetchone()
            results = connection.execute(
                f"select coalesce(result, '*'), count(*) {where} group by 1 order by 2 desc limit 8", sources
            ).fetchall()
        return Summary(players, events, first or "", last or "", dict(results), int(bad))

    def header(self, source: int, ordinal: int) -> Header | None:
        """The row of one game."""
        return self.headers(source, [ordinal]).get(ordinal)

    def headers(self, source: int, ordinals: Iterable[int]) -> dict[int, Header]:
        """The rows of some games of a source, by ordinal."""
        wanted = list(ordinals)
        found: dict[int, Header] = {}
        with self._file.reading() as connection:
            for start in range(0, len(wanted), _CHUNK):
                chunk = wanted[start : start + _CHUNK]
                marks = ",".join("?" * len(chunk))
                for row in connection.execute(
                    f"select g.ordinal, {_COLUMNS} from game g {_JOINS} "
                    f"where g.source_id = ? and g.ordinal in ({marks})",
                    (source, *chunk),
                ):
                    found[row[0]] = Header(*row[1:])
        return found

    def ids(
        self,
        sources: Sequence[tuple[int, int]],
        *,
        sort: str | None = None,
        descending: bool = False,
        text: str = "",
    ) -> array[int]:
        """Base ordinals of the games of `sources` ((source id, base ordinal of its first game) pairs),
        sorted.

        `sort` is a key of `SORTS` or None for the order of the files. Every word of `text` must stand in the
        players, event, site, date, ECO code or result of a game (case ignored); `white:x`, `black:x`,
        `event:x`, `site:x`, `eco:x`, `date:x`, `result:x` look in one of them.
        """
        if sort is not None and sort not in SORTS:
            raise errors.CqlguiError(f"Games cannot be sorted by “{sort}”.")
        if not sources:
            return array("q")
        conditions, values = _text_conditions(text)
        firsts = " union all ".join(["select ? as source, ? as first"] * len(sources))
        way = "desc" if descending else "asc"
        order = f"{SORTS[sort]} {way}, n" if sort else f"n {way}"
        numbers: list[int] = [number for pair in sources for number in pair]
        statement = (
            f"with f as ({firsts}) select g.ordinal + f.first as n "
            f"from f join game g on g.source_id = f.source {_JOINS} "
            f"{'where ' + ' and '.join(conditions) if conditions else ''} order by {order}"
        )
        with self._file.reading() as connection:
            # One string made inside SQLite leaves the interpreter lock alone, unlike a million small tuples.
            joined = connection.execute(
                f"select group_concat(n) from ({statement})", (*numbers, *values)
            ).fetchone()[0]
        return array("q", map(int, joined.split(","))) if joined else array("q")

    def _ids(self, connection: sqlite3.Connection, table: str, names: set[str | None]) -> dict[str, int]:
        """Ids of names, new ones added; those met before are remembered."""
        wanted = {name for name in names if name is not None}
        with self._names_lock:
            known = self._names[table]
            if len(known) > 500_000:
                known.clear()
            missing = [name for name in wanted if name not in known]
            connection.executemany(
                f"insert or ignore into {table}(name) values (?)", [(name,) for name in missing]
            )
            for start in range(0, len(missing), _CHUNK):
                chunk = missing[start : start + _CHUNK]
                marks = ",".join("?" * len(chunk))
                known.update(
                    connection.execute(f"select name, id from {table} where name in ({marks})", chunk)
                )
            return {name: known[name] for name in wanted}


_FIELDS = {
    "white": "w.name",
    "black": "b.name",
    "event": "e.name",
    "site": "s.name",
    "eco": "g.eco",
    "date": "g.date",
    "result": "g.result",
}
_ALL_FIELDS = (
    "coalesce(w.name,'') || char(10) || coalesce(b.name,'') || char(10) || "
    "coalesce(e.name,'') || char(10) || "
    "coalesce(s.name,'') || char(10) || coalesce(g.date,'') || char(10) || coalesce(g.eco,'') || char(10) || "
    "coalesce(g.result,'')"
)


def _text_conditions(text: str) -> tuple[list[str], list[str]]:
    conditions: list[str] = []
    values: list[str] = []
    for word in text.split():
        field, _, rest = word.partition(":")
        expression = _FIELDS.get(field.lower()) if rest else None
        needle = rest if expression else word
        escaped = needle.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        conditions.append(f"{expression or _ALL_FIELDS} like ? escape '\\'")
        values.append(f"%{escaped}%")
    return conditions, values

"""The user's own records: asked queries and recently opened files. Kept apart from the catalog, which can be
made again.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path

from cqlgui.base.data import dataclass
from cqlgui.db import database, schema

VERSION = 1
KEPT_QUERIES = 1000
KEPT_FILES = 50


@dataclass(frozen=True, slots=True)
class Asked:
    """One query of the history; `asked` is seconds since 1970, the counts are None when the search was
    stopped.
    """

    text: str
    base: str
    games: int | None
    positions: int | None
    seconds: float | None
    asked: float


class Journal:
    """The journal file; safe from several threads and programs."""

    def __init__(self, path: Path) -> None:
        self._file = database.File(path, VERSION, "history")
        if self._file.current():
            return
        with self._file.writing() as connection:
            schema.create(connection, schema.journal)
            self._file.set_version(connection)

    @property
    def is_there(self) -> bool:
        """Whether the file that was opened still stands at its path."""
        return self._file.is_there()

    def close(self) -> None:
        """Close all connections."""
        self._file.close()

    def add_query(
        self, text: str, base: str, games: int | None, positions: int | None, seconds: float | None
    ) -> None:
        """Put a query at the top of the history; the same text further down goes away."""
        with self._file.writing() as connection:
            connection.execute("delete from query where text = ?", (text,))
            connection.execute(
                "insert into query(text, base, games, positions, seconds, asked) values (?, ?, ?, ?, ?, ?)",
                (text, base, games, positions, seconds, time.time()),
            )
            connection.execute(
                "delete from query where id not in (select id from query order by id desc limit ?)",
                (KEPT_QUERIES,),
            )

    def queries(self, limit: int = KEPT_QUERIES) -> list[Asked]:
        """The history, newest first."""
        with self._file.reading() as connection:
            rows = connection.execute(
                "select text, base, games, positions, seconds, asked from query order by id desc limit ?",
                (limit,),
            ).fetchall()
        return [Asked(*row) for row in rows]

    def add_recent(self, paths: Sequence[Path]) -> None:
        """Put files that were opened together at the top of the recent ones."""
        key = json.dumps([str(path) for path in paths], ensure_ascii=False)
        with self._file.writing() as connection:
            connection.execute("insert or replace into recent(key, opened) values (?, ?)", (key, time.time()))
            connection.execute(
                "delete from recent where id not in (select id from recent order by opened desc limit ?)",
                (KEPT_FILES,),
            )

    def recent(self) -> list[tuple[Path, ...]]:
        """Files opened together, the latest first."""
        with self._file.reading() as connection:
            rows = connection.execute("select key from recent order by opened desc, id desc").fetchall()
        return [tuple(Path(text) for text in json.loads(row[0])) for row in rows]

    def forget_recent(self, paths: Sequence[Path]) -> None:
        """Take an entry off the list of recent files."""
        key = json.dumps([str(path) for path in paths], ensure_ascii=False)
        with self._file.writing() as connection:
            connection.execute("delete from recent where key = ?", (key,))

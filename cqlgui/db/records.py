"""Models of the user's own records, and the migrations that bring an older file to today's tables.

This module loads peewee. Only `journal` imports this module, and only when the first record is needed. peewee
is therefore not loaded at every start.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from typing import Final

import peewee

from cqlgui.db import database


class Records(peewee.SqliteDatabase):  # type: ignore[misc, unused-ignore]  # peewee may come without types
    """Lets peewee work on a `database.File`. The `File` opens connections and makes transactions itself."""

    def __init__(self, file: database.File) -> None:
        super().__init__(None)
        self._file = file
        self.init(str(file.path))

    def _connect(self) -> sqlite3.Connection:
        return self._file.connection()

    def _close(self, conn: sqlite3.Connection) -> None:
        """Closes nothing, because the `File` keeps its connections."""

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """Queries within the block read the file. Raises the errors of `database.File.reading`, such as
        `database.Damaged`."""
        with self._file.reading(), self._on_it():
            yield

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Queries within the block are one transaction."""
        with self._file.writing() as connection, self._on_it():
            yield connection

    @contextlib.contextmanager
    def _on_it(self) -> Iterator[None]:
        try:
            with self.connection_context():
                yield
        except peewee.DatabaseError as error:
            # Raise SQLite's own error, because `database.File` turns only this error into a sentence for the
            # user.
            raise (error.__context__ or error) from None


class Record(peewee.Model):  # type: ignore[misc, unused-ignore]  # peewee may come without types
    """A row of the user's records. The models are not bound to a file, because two files may be open in two
    threads. Each query is run by `query.execute(records)`."""

    id = peewee.AutoField()


class Query(Record):
    """A query that was asked: its text, the base's name, and the counts (None if the search was stopped)."""

    text = peewee.TextField(unique=True)
    base = peewee.TextField(default="")
    games = peewee.IntegerField(null=True)
    positions = peewee.IntegerField(null=True)
    seconds = peewee.FloatField(null=True)
    asked = peewee.FloatField()

    class Meta:
        table_name = "query"


class Recent(Record):
    """Files that were opened together: their paths as a JSON list, and the time in seconds since 1970."""

    key = peewee.TextField(unique=True)
    opened = peewee.FloatField(index=True)

    class Meta:
        table_name = "recent"


class KeptSet(Record):
    """A named result. `about` has the query, the base and the counts as compressed JSON. The other columns
    are compressed arrays, or null if the hits are not kept: the hits, the number of orbit elements at each
    hit, the elements, the games in the order of the table (null for ascending games), and a fingerprint for
    each game. `tasks.analysis.kept_sets` writes and reads all of them."""

    key = peewee.TextField(unique=True)
    name = peewee.TextField()
    asked = peewee.FloatField()
    about = peewee.BlobField()
    hits = peewee.BlobField(null=True)
    sizes = peewee.BlobField(null=True)
    codes = peewee.BlobField(null=True)
    order = peewee.BlobField(null=True)
    prints = peewee.BlobField(null=True)

    class Meta:
        table_name = "kept_set"


MODELS: Final = (Query, Recent, KeptSet)


def _texts_are_unique(connection: sqlite3.Connection) -> None:
    """Bring a file to version 2: no text occurs twice in the history. Of several entries with the same text,
    only the newest entry is kept."""
    connection.execute("delete from query where id not in (select max(id) from query group by text)")
    connection.execute("create unique index if not exists query_text on query(text)")


def _sets_are_kept(_connection: sqlite3.Connection) -> None:
    """Bring a file to version 3, which has a table of sets. `migrate` makes every table that is missing."""


MIGRATIONS: Final[Sequence[Callable[[sqlite3.Connection], None]]] = (_texts_are_unique, _sets_are_kept)
"""The migration at place n (from 0) brings a file of version n + 1 to version n + 2."""
VERSION: Final = len(MIGRATIONS) + 1


def migrate(connection: sqlite3.Connection, found: int, tables: Records) -> None:
    """Bring a file of version `found` (0: an empty file) to `VERSION`, within the transaction that is
    open."""
    if found:
        for change in MIGRATIONS[found - 1 :]:
            change(connection)
    for model in MODELS:
        peewee.SchemaManager(model, database=tables).create_all(safe=True)

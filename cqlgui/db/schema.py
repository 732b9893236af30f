"""The tables of the catalog. peewee makes the tables. It is loaded only if there are tables to make."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from typing import Any

VERSION = 6
"""The version of the tables. Version 2 added the column `game.ending`. Version 3 stores games in blocks of
columns instead of rows. Version 4 added checksums of the tables of names. Version 5 has a checksum for each
column of a block, and rows of texts that are not in the tables of names. In version 6 such a row has the
common beginning of its texts once."""


def create(connection: sqlite3.Connection, tables: Callable[[Any], Sequence[Any]]) -> None:
    """Make the missing tables, in the transaction that is open. Raises `sqlite3.Error`."""
    import peewee

    class Database(peewee.SqliteDatabase):  # type: ignore[misc, unused-ignore]  # peewee has no types
        """Works on a connection that is already open."""

        def _connect(self) -> sqlite3.Connection:
            return connection

    database = Database(":memory:")
    try:
        database.create_tables(tables(database), safe=True)
    except peewee.DatabaseError as error:
        # Raise SQLite's own error, because the callers expect this error.
        raise (error.__context__ or error) from None


def catalog(database: Any) -> Sequence[Any]:
    """The tables of the catalog, bound to `database`, in the order of their creation."""
    import peewee

    class Table(peewee.Model):  # type: ignore[misc, unused-ignore]  # peewee may come without types
        class Meta:
            pass

    Table._meta.database = database

    class Source(Table):
        path = peewee.TextField(unique=True)
        games = peewee.IntegerField(default=0)
        positions = peewee.IntegerField(default=0)
        complete = peewee.BooleanField(default=False)

        class Meta:
            table_name = "source"

    class Base(Table):
        name = peewee.TextField(default="")
        key = peewee.TextField(unique=True)

        class Meta:
            table_name = "base"

    class Player(Table):
        name = peewee.TextField(unique=True)

        class Meta:
            table_name = "player"

    class Event(Table):
        name = peewee.TextField(unique=True)

        class Meta:
            table_name = "event"

    class Site(Table):
        name = peewee.TextField(unique=True)

        class Meta:
            table_name = "site"

    class Text(Table):
        name = peewee.TextField(unique=True)

        class Meta:
            table_name = "text"

    class Block(Table):
        """Consecutive games of a source, each column in one value (see `columns` for the format).

        No other block ever has the same number, and the content of a block never changes.
        """

        id = peewee.IntegerField(primary_key=True)
        source = peewee.ForeignKeyField(Source, index=False)
        first = peewee.IntegerField()
        games = peewee.IntegerField()
        checks = peewee.BlobField(column_name="checksums")
        bad = peewee.BlobField()
        ending = peewee.BlobField()
        result = peewee.BlobField()
        white = peewee.BlobField()
        black = peewee.BlobField()
        date = peewee.BlobField()
        white_elo = peewee.BlobField()
        black_elo = peewee.BlobField()
        eco = peewee.BlobField()
        plies = peewee.BlobField()
        event = peewee.BlobField()
        site = peewee.BlobField()
        round = peewee.BlobField()
        more_ends = peewee.BlobField()
        more = peewee.BlobField()

        class Meta:
            table_name = "block"
            indexes = ((("source", "first"), True),)

    class Own(Table):
        """The texts of a column of a block, if they are nearly all different (see `own_texts`)."""

        # SQLite gives no row the id of a row that was removed.
        id = peewee.AutoField(constraints=[peewee.SQL("AUTOINCREMENT")])
        block = peewee.ForeignKeyField(Block)
        check = peewee.IntegerField(column_name="checksum")
        prefix = peewee.IntegerField()
        ends = peewee.BlobField()
        texts = peewee.BlobField()

        class Meta:
            table_name = "own"

    class Proof(Table):
        """A checksum of another table (see the module `proofs`)."""

        name = peewee.TextField(primary_key=True)
        last = peewee.IntegerField()
        check = peewee.IntegerField(column_name="checksum")

        class Meta:
            table_name = "proof"

    return Source, Base, Player, Event, Site, Text, Block, Own, Proof

"""The tables, made anew for each database instance: peewee's process-wide binding would let two files read
each other's rows.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import peewee

VERSION = 3
"""2: `game.ending`. 3: games in blocks of columns instead of rows."""


def models(database: Any) -> SimpleNamespace:
    """Model classes bound to `database`, as attributes; `all` lists them in creation order."""

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
        """Games of a source that follow each other, a column in one value (`catalog` knows their form).

        Its number is given to no other block ever, and its content never changes.
        """

        id = peewee.IntegerField(primary_key=True)
        source = peewee.ForeignKeyField(Source, index=False)
        first = peewee.IntegerField()
        games = peewee.IntegerField()
        check = peewee.IntegerField(column_name="checksum")
        white = peewee.BlobField()
        black = peewee.BlobField()
        event = peewee.BlobField()
        site = peewee.BlobField()
        result = peewee.BlobField()
        date = peewee.BlobField()
        round = peewee.BlobField()
        eco = peewee.BlobField()
        ending = peewee.BlobField()
        white_elo = peewee.BlobField()
        black_elo = peewee.BlobField()
        plies = peewee.BlobField()
        bad = peewee.BlobField()
        more_ends = peewee.BlobField()
        more = peewee.BlobField()

        class Meta:
            table_name = "block"
            indexes = ((("source", "first"), True),)

    return SimpleNamespace(
        source=Source,
        base=Base,
        player=Player,
        event=Event,
        site=Site,
        text=Text,
        block=Block,
        all=(Source, Base, Player, Event, Site, Text, Block),
    )


def journal_models(database: Any) -> SimpleNamespace:
    """Models of the user's own records (history of queries, recently opened files)."""

    class Table(peewee.Model):  # type: ignore[misc, unused-ignore]  # peewee may come without types
        class Meta:
            pass

    Table._meta.database = database

    class Query(Table):
        text = peewee.TextField()
        base = peewee.TextField(default="")
        games = peewee.IntegerField(null=True)
        positions = peewee.IntegerField(null=True)
        seconds = peewee.FloatField(null=True)
        asked = peewee.FloatField()

        class Meta:
            table_name = "query"

    class Recent(Table):
        key = peewee.TextField(unique=True)
        opened = peewee.FloatField(index=True)

        class Meta:
            table_name = "recent"

    return SimpleNamespace(query=Query, recent=Recent, all=(Query, Recent))

"""The tables, made anew for each database instance: peewee's process-wide binding would let two files read
each other's rows.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import peewee

VERSION = 2
"""2: `game.ending`."""


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

    class Game(Table):
        source = peewee.ForeignKeyField(Source, index=False)
        ordinal = peewee.IntegerField()
        # Names are found by a walk over the games: an index would cost each import a third of its time.
        white = peewee.ForeignKeyField(Player, null=True, index=False)
        black = peewee.ForeignKeyField(Player, null=True, index=False)
        white_elo = peewee.IntegerField(null=True)
        black_elo = peewee.IntegerField(null=True)
        result = peewee.TextField(null=True)
        date = peewee.TextField(null=True)
        event = peewee.ForeignKeyField(Event, null=True, index=False)
        site = peewee.ForeignKeyField(Site, null=True, index=False)
        round = peewee.TextField(null=True)
        eco = peewee.TextField(null=True)
        plies = peewee.IntegerField()
        bad = peewee.BooleanField(default=False)
        more = peewee.TextField(default="")
        ending = peewee.TextField(null=True)

        class Meta:
            table_name = "game"
            primary_key = peewee.CompositeKey("source", "ordinal")
            without_rowid = True

    return SimpleNamespace(
        source=Source,
        base=Base,
        player=Player,
        event=Event,
        site=Site,
        game=Game,
        all=(Source, Base, Player, Event, Site, Game),
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

"""The user's own records: the queries that were asked, the files that were opened recently, and the named
sets of hits. Only a limited number of queries and files is kept. Sets stay until the user drops them. The
records are not in the catalog, because a damaged catalog is set aside and made again from the sources."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path

import peewee

from cqlgui.base import data
from cqlgui.base.data import dataclass
from cqlgui.db import database, records
from cqlgui.db.records import KeptSet, Query, Recent

KEPT_QUERIES = 1000
KEPT_FILES = 50
KEPT_BYTES = 16 << 20
"""Maximum of bytes for the hits of all sets. If there are more, the oldest sets lose their hits, but not
their queries. The file is checked for damage at a start, so it must stay small."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One query of the history; `asked` is the time in seconds since 1970. The counts are None if the search
    was stopped.
    """

    text: str
    base: str
    games: int | None
    positions: int | None
    seconds: float | None
    asked: float


@dataclass(frozen=True, slots=True)
class SetRow:
    """A named set as it is stored (`records.KeptSet`). `key` identifies it; names may occur twice."""

    key: str
    name: str
    asked: float
    about: bytes
    hits: bytes | None = None
    sizes: bytes | None = None
    codes: bytes | None = None
    order: bytes | None = None
    prints: bytes | None = None


_HITS = ("hits", "sizes", "codes", "order", "prints")


class Journal:
    """The journal file. Several threads and programs may use the file at once."""

    def __init__(self, path: Path) -> None:
        self._file = database.File(path, records.VERSION, "history")
        self._records = records.Records(self._file)
        if self._file.current():
            return
        with self._records.writing() as connection:
            # Another program may have migrated the file while this program waited for the transaction.
            if not self._file.current():
                records.migrate(connection, self._file.version(), self._records)
                self._file.set_version(connection)

    @property
    def is_there(self) -> bool:
        """Whether the opened file is still at its path."""
        return self._file.is_there()

    def close(self) -> None:
        """Close all connections."""
        self._file.close()

    def add_query(
        self, text: str, base: str, games: int | None, positions: int | None, seconds: float | None
    ) -> None:
        """Put a query at the top of the history; an older entry with the same text is removed."""
        row = {"text": text, "base": base, "games": games, "positions": positions, "seconds": seconds}
        newest = Query.select(Query.id).order_by(Query.id.desc()).limit(KEPT_QUERIES)
        with self._records.writing():
            Query.delete().where(Query.text == text).execute(self._records)
            Query.insert(**row, asked=time.time()).execute(self._records)
            Query.delete().where(Query.id.not_in(newest)).execute(self._records)

    def queries(self, limit: int = KEPT_QUERIES) -> list[Asked]:
        """The history, newest first."""
        columns = (Query.text, Query.base, Query.games, Query.positions, Query.seconds, Query.asked)
        asked = Query.select(*columns).order_by(Query.id.desc()).limit(limit).tuples()
        with self._records.reading():
            return [Asked(*row) for row in asked.execute(self._records)]

    def add_recent(self, paths: Sequence[Path]) -> None:
        """Put files that were opened together at the top of the recent files."""
        latest = Recent.select(Recent.id).order_by(Recent.opened.desc()).limit(KEPT_FILES)
        with self._records.writing():
            Recent.insert(key=_key(paths), opened=time.time()).on_conflict_replace().execute(self._records)
            Recent.delete().where(Recent.id.not_in(latest)).execute(self._records)

    def recent(self) -> list[tuple[Path, ...]]:
        """The entries of recent files, the latest first. Each entry has the files that were opened
        together."""
        listed = Recent.select(Recent.key).order_by(Recent.opened.desc(), Recent.id.desc()).tuples()
        with self._records.reading():
            return [tuple(Path(text) for text in json.loads(key)) for (key,) in listed.execute(self._records)]

    def forget_recent(self, paths: Sequence[Path]) -> None:
        """Take an entry off the list of recent files."""
        with self._records.writing():
            Recent.delete().where(Recent.key == _key(paths)).execute(self._records)

    def add_set(self, row: SetRow) -> list[str]:
        """Keep a set. The oldest sets beyond `KEPT_BYTES` lose their hits. The result has their names."""
        with self._records.writing():
            KeptSet.insert(**data.named(row)).on_conflict_replace().execute(self._records)
            size = sum(peewee.fn.coalesce(peewee.fn.length(getattr(KeptSet, name)), 0) for name in _HITS)
            sized = KeptSet.select(KeptSet.id, KeptSet.name, size).order_by(KeptSet.id.desc()).tuples()
            total, full = 0, {}
            for number, name, taken in sized.execute(self._records):
                total += taken
                if taken and total > KEPT_BYTES:
                    full[number] = name
            if full:
                bare = dict.fromkeys(_HITS)
                KeptSet.update(**bare).where(KeptSet.id.in_(list(full))).execute(self._records)
        return list(full.values())

    def put_last(self, keys: Sequence[str]) -> None:
        """Put sets behind all others, in this order."""
        last = peewee.fn.max(KeptSet.id) + 1
        with self._records.writing():
            for key in keys:
                (number,) = KeptSet.select(last).tuples().execute(self._records)[0]
                KeptSet.update(id=number).where(KeptSet.key == key).execute(self._records)

    def rename_set(self, key: str, name: str) -> None:
        """Give a set another name."""
        with self._records.writing():
            KeptSet.update(name=name).where(KeptSet.key == key).execute(self._records)

    def drop_sets(self, keys: Sequence[str]) -> None:
        """Delete sets. Keys that are not known are passed over."""
        with self._records.writing():
            KeptSet.delete().where(KeptSet.key.in_(list(keys))).execute(self._records)

    def set_names(self) -> dict[str, str]:
        """The names of all sets by their keys. The oldest set comes first."""
        named = KeptSet.select(KeptSet.key, KeptSet.name).order_by(KeptSet.id).tuples()
        with self._records.reading():
            return dict(named.execute(self._records))

    def sets(self) -> list[SetRow]:
        """All sets with what they are about, but without their hits. The oldest set comes first."""
        columns = (KeptSet.key, KeptSet.name, KeptSet.asked, KeptSet.about)
        with self._records.reading():
            rows = KeptSet.select(*columns).order_by(KeptSet.id).tuples().execute(self._records)
            return [SetRow(key, name, asked, bytes(about)) for key, name, asked, about in rows]

    def set_with_hits(self, key: str) -> SetRow | None:
        """A set with its hits; None if there is no such set."""
        columns = tuple(getattr(KeptSet, name) for name in ("key", "name", "asked", "about", *_HITS))
        with self._records.reading():
            rows = KeptSet.select(*columns).where(KeptSet.key == key).tuples().execute(self._records)
            for row in rows:
                key, name, asked, about, *parts = row
                own = (None if part is None else bytes(part) for part in parts)
                return SetRow(key, name, asked, bytes(about), **dict(zip(_HITS, own, strict=True)))
        return None


def _key(paths: Sequence[Path]) -> str:
    return json.dumps([str(path) for path in paths], ensure_ascii=False)

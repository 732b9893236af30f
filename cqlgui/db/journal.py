"""The user's own records: the queries that were asked and the files that were opened recently. Only a limited
number of records is kept. The records are not in the catalog, because a damaged catalog is set aside and made
again from the sources."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path

from cqlgui.base.data import dataclass
from cqlgui.db import database, records
from cqlgui.db.records import Query, Recent

KEPT_QUERIES = 1000
KEPT_FILES = 50


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


def _key(paths: Sequence[Path]) -> str:
    return json.dumps([str(path) for path in paths], ensure_ascii=False)

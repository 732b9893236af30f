"""What tablebases and engines said of positions, so that no position is judged twice.

A judge is named by a text that says which program or which tables it is, and how long it thinks. A position
is named by the first four fields of its FEN.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeAlias

from cqlgui.db import database

Said: TypeAlias = "tuple[int | str | None, ...]"
"""What a judge said: some numbers and texts, in an order that the judge knows."""
_VERSION: Final = 1
_AT_ONCE: Final = 500
"""Number of positions that one statement asks for."""


class Judgements:
    """The file of judgements. Several threads and programs may use the file at once."""

    def __init__(self, path: Path) -> None:
        self._file = database.File(path, _VERSION, "store of judgements")
        if self._file.current():
            return
        with self._file.writing() as connection:
            # Another program may have made the tables while this program waited for the transaction.
            if not self._file.current():
                connection.execute(
                    "create table if not exists judge (id integer primary key, name text not null unique)"
                )
                connection.execute(
                    "create table if not exists judged (judge integer not null, position text not null, "
                    "said text not null, primary key (judge, position)) without rowid"
                )
                self._file.set_version(connection)

    @property
    def is_there(self) -> bool:
        """Whether the opened file is still at its path."""
        return self._file.is_there()

    def close(self) -> None:
        """Close all connections."""
        self._file.close()

    def known(self, judge: str, positions: Sequence[str]) -> dict[str, Said]:
        """What a judge said of some positions. Positions that it has not judged are missing."""
        found: dict[str, Said] = {}
        with self._file.reading() as connection:
            for begin in range(0, len(positions), _AT_ONCE):
                some = positions[begin : begin + _AT_ONCE]
                marks = ",".join("?" * len(some))
                rows = connection.execute(
                    "select position, said from judged where judge = (select id from judge where name = ?) "
                    f"and position in ({marks})",
                    [judge, *some],
                )
                found.update((position, tuple(json.loads(said))) for position, said in rows)
        return found

    def keep(self, judge: str, said: Mapping[str, Said] | Iterable[tuple[str, Said]]) -> None:
        """Keep what a judge said of some positions. What it said of them before is replaced."""
        rows = [(position, json.dumps(one)) for position, one in dict(said).items()]
        with self._file.writing() as connection:
            connection.execute("insert or ignore into judge (name) values (?)", [judge])
            (number,) = connection.execute("select id from judge where name = ?", [judge]).fetchone()
            connection.executemany(
                "insert or replace into judged (judge, position, said) values (?, ?, ?)",
                [(number, position, one) for position, one in rows],
            )

"""Checksums of the tables of names. Comparing the checksums of a large catalog takes only a fraction of the
time that SQLite's own check would take.

Names are only added and never change, so a checksum can be extended by the new names. Table `proof` has a row
for each table: its name, the last number that the checksum covers, and the checksum.
"""

from __future__ import annotations

import sqlite3
import zlib
from typing import Final

NAMES: Final = ("player", "event", "site", "text")
"""The tables that only grow."""
_TEXTS: Final = {
    **dict.fromkeys(NAMES, "case typeof(name) when 'text' then name end"),
    "base": "case typeof(name) || typeof(key) when 'texttext' then name || ' ' || key end",
}
"""For each table, the texts that the checksum covers. The checksum also covers the numbers of the rows. A
value that is not a text becomes null, and the checksum leaves out the row of this value. Damage to a single
bit can turn a text into bytes with the same content. This damage is noticed, because the checksum leaves out
the row."""
_STEP: Final = 50_000
"""Rows are concatenated in steps of this many row numbers."""


def extend(connection: sqlite3.Connection, table: str) -> None:
    """Extend the checksum by the rows that were added to a table, in the transaction that is open."""
    row = connection.execute("select last, checksum from proof where name = ?", (table,)).fetchone()
    last, check = _checksum(connection, table, *(row or (0, 0)))
    connection.execute(
        "insert or replace into proof(name, last, checksum) values (?, ?, ?)", (table, last, check)
    )


def renew(connection: sqlite3.Connection, *tables: str) -> None:
    """Compute the checksums of tables again, by default of all."""
    for table in tables or _TEXTS:
        connection.execute("delete from proof where name = ?", (table,))
        extend(connection, table)


def check(connection: sqlite3.Connection) -> None:
    """Compare all checksums; raises `sqlite3.DatabaseError` for damage."""
    # The check needs a transaction, because another program may be adding names.
    connection.execute("begin")
    try:
        known = {row[0]: row[1:] for row in connection.execute("select name, last, checksum from proof")}
        if known.keys() != _TEXTS.keys():
            raise sqlite3.DatabaseError("malformed table proof")
        for table, expected in known.items():
            # The last number is compared first: a damaged number could be so large that concatenating the
            # rows would not end.
            if _end(connection, table) != expected[0] or _checksum(connection, table, 0, 0) != expected:
                raise sqlite3.DatabaseError(f"malformed table {table}: its checksum is wrong")
    finally:
        connection.rollback()


def check_indexes(connection: sqlite3.Connection) -> None:
    """Compare the tables of names with their indexes; raises `sqlite3.DatabaseError` for damage. The indexes
    are used only for adding names."""
    for table in NAMES:
        answer = connection.execute(f"PRAGMA integrity_check({table})").fetchone()[0]
        if answer != "ok":
            raise sqlite3.DatabaseError(f"malformed index of {table}: {answer}")


def _checksum(connection: sqlite3.Connection, table: str, last: int, check: int) -> tuple[int, int]:
    """The last number in a table, and the checksum of all rows. The argument `check` is the known checksum of
    the rows up to number `last`; only the later rows are read."""
    end = _end(connection, table)
    for start in range(last, end, _STEP):
        # SQLite makes this one value without the interpreter lock. Making many small tuples would need the
        # lock.
        lines = connection.execute(
            f"select cast(group_concat(id || ' ' || {_TEXTS[table]}, char(10)) || char(10) as blob) "
            f"from {table} not indexed where id > ? and id <= ?",
            (start, start + _STEP),
        ).fetchone()[0]
        check = zlib.crc32(lines or b"", check)
    return end, check


def _end(connection: sqlite3.Connection, table: str) -> int:
    """The last number in a table, 0 if the table is empty."""
    return int(connection.execute(f"select coalesce(max(id), 0) from {table}").fetchone()[0])

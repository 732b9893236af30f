"""The columns of games as the catalog keeps them, in blocks of some thousand games.

In a block, each number of a column takes as many bytes as the largest number of the column needs. A column of
zeros takes no bytes. Blocks never change, so cached columns stay valid. Each column has a checksum, which is
compared whenever the column is read from the file.
"""

from __future__ import annotations

import bisect
import collections
import sqlite3
import struct
import threading
import weakref
import zlib
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from cqlgui.base import errors, priority

COLUMNS: Final = (
    "bad", "ending", "result", "white", "black", "date", "white_elo", "black_elo", "eco", "plies", "event",
    "site", "round", "more_ends", "more",
)  # fmt: skip
"""The columns in the order in which a row of the table has them. SQLite reads a row from its beginning, so
the columns that searches ask for come first. The last column has texts, the others have numbers."""
NUMBERS: Final = COLUMNS[:-1]
_MOST_BYTES: Final = 8 << 20
"""Maximum size of the cached columns. New memory costs as much time as reading a column again, so a larger
cache would slow a search of millions of games."""
_SIZES: Final = (1, 2, 4, 8)


class Block(NamedTuple):
    """Place of a block: its number, its first game in the source, its number of games."""

    id: int
    first: int
    games: int


def packed(column: np.ndarray) -> bytes:
    """A column of numbers (0 or more) as bytes."""
    largest = int(column.max(initial=0))
    if not largest:
        return b""
    size = next(size for size in _SIZES if largest < 1 << 8 * size)
    return column.astype(f"<u{size}").tobytes()


def unpacked(data: bytes, games: int) -> np.ndarray:
    """The inverse of `packed`; raises `sqlite3.DatabaseError` if `packed` cannot have made these bytes."""
    if not data:
        return np.zeros(games, np.uint8)
    size = len(data) // max(games, 1)
    if size not in _SIZES or size * games != len(data):
        raise sqlite3.DatabaseError("malformed block of games")
    return np.frombuffer(data, f"<u{size}")


def checksums(first: int, games: int, values: Sequence[bytes]) -> bytes:
    """The checksums of all columns of a block, four bytes each. `values` has the columns as they are stored,
    in the order of `COLUMNS`."""
    return b"".join(
        _CHECK.pack(_checksum(first, games, name, value)) for name, value in zip(COLUMNS, values, strict=True)
    )


def verify(block: Block, checks: object, values: Mapping[str, object]) -> None:
    """Compare some columns of a block with their checksums. Raises `sqlite3.DatabaseError` for damage."""
    if not (isinstance(checks, bytes) and len(checks) == _CHECK.size * len(COLUMNS)):
        raise sqlite3.DatabaseError("malformed block of games")
    for name, value in values.items():
        # A text or a number in place of bytes is damage, too.
        if not isinstance(value, bytes):
            raise sqlite3.DatabaseError("malformed block of games")
        expected = _CHECK.unpack_from(checks, _CHECK.size * COLUMNS.index(name))[0]
        if _checksum(block.first, block.games, name, value) != expected:
            raise sqlite3.DatabaseError("malformed block of games: a checksum is wrong")


_CHECK: Final = struct.Struct("<I")


def _checksum(first: int, games: int, name: str, value: bytes) -> int:
    return zlib.crc32(value, zlib.crc32(f"{first} {games} {name}".encode("ascii")))


class Store:
    """Reads columns and caches recently used columns; safe for several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: collections.OrderedDict[tuple[int, str], np.ndarray] = collections.OrderedDict()
        self._bytes = 0
        self._layouts: dict[int, tuple[tuple[float, ...], list[Block]]] = {}
        # For each connection the state of the file at the last look, and the layouts that were known then.
        self._seen: weakref.WeakKeyDictionary[
            sqlite3.Connection, tuple[tuple[int, int], dict[int, list[Block]]]
        ] = weakref.WeakKeyDictionary()

    def blocks(self, connection: sqlite3.Connection, source: int) -> list[Block]:
        """The blocks of a source, as in `blocks`. They are read again only if a block was added or removed. A
        large source has a thousand blocks, and a search asks for them at each segment. Raises
        `errors.SourceError` for a source that the catalog lacks: no two catalogs have sources with one
        number."""
        # The first number changes if another connection writes, the second one if this connection writes.
        version = connection.execute("PRAGMA data_version").fetchone()[0], connection.total_changes
        with self._lock:
            before, layouts = self._seen.get(connection, ((-1, -1), {}))
            if before != version:
                layouts = {}
                self._seen[connection] = version, layouts
            found = layouts.get(source)
        if found is None:
            found = layouts[source] = self._layout(connection, source)
        return found

    def _layout(self, connection: sqlite3.Connection, source: int) -> list[Block]:
        # The numbers of blocks are random. Two layouts with equal sums are as improbable as two equal
        # numbers.
        state = connection.execute(
            "select count(*), total(id & 268435455), total(first), total(games) from block "
            "where source_id = ?",
            (source,),
        ).fetchone()
        if not state[0] and not connection.execute("select 1 from source where id = ?", (source,)).fetchone():
            raise errors.SourceError("The catalog was made anew since this file was opened. Open it again.")
        with self._lock:
            known = self._layouts.get(source)
        if known is None or known[0] != state:
            known = state, blocks(connection, source)
            with self._lock:
                self._layouts[source] = known
        return known[1]

    def column(self, connection: sqlite3.Connection, block: Block, name: str) -> np.ndarray:
        """A column of an existing block. The column `more` is returned as bytes."""
        return self.columns(connection, block, (name,))[name]

    def more(self, connection: sqlite3.Connection, block: Block) -> tuple[bytes, np.ndarray]:
        """The JSON texts of the tags without a column of all games of a block, and the end of each text."""
        ends = self.column(connection, block, "more_ends").astype(np.int64)
        return (self.column(connection, block, "more").tobytes() if ends[-1] else b""), ends

    def columns(
        self, connection: sqlite3.Connection, block: Block, names: Sequence[str]
    ) -> dict[str, np.ndarray]:
        """Several columns of an existing block, by name. One query reads those that are not cached."""
        found: dict[str, np.ndarray] = {}
        missing = []
        priority.pause()
        with self._lock:
            for name in names:
                known = self._known.get((block.id, name))
                if known is None:
                    missing.append(name)
                else:
                    self._known.move_to_end((block.id, name))
                    found[name] = known
        if missing:
            row = connection.execute(
                f"select checksums, {', '.join(missing)} from block where id = ?", (block.id,)
            ).fetchone()
            if row is None:
                raise sqlite3.DatabaseError("malformed block of games: it is missing")
            values = dict(zip(missing, row[1:], strict=True))
            verify(block, row[0], values)
            for name, data in values.items():
                if name == "more":
                    found[name] = np.frombuffer(data, np.uint8)
                else:
                    found[name] = unpacked(data, block.games)
                self._keep((block.id, name), found[name])
        return found

    def _keep(self, key: tuple[int, str], column: np.ndarray) -> None:
        with self._lock:
            known = self._known.pop(key, None)
            self._known[key] = column
            self._bytes += column.nbytes - (0 if known is None else known.nbytes)
            while self._bytes > _MOST_BYTES and len(self._known) > 1:
                self._bytes -= self._known.popitem(last=False)[1].nbytes

    def whole(self, connection: sqlite3.Connection, blocks: Sequence[Block], name: str) -> np.ndarray:
        """A column of several blocks."""
        parts = [self.column(connection, block, name) for block in blocks]
        return np.concatenate([np.empty(0, np.uint8), *parts])

    def part(
        self, connection: sqlite3.Connection, blocks: Sequence[Block], name: str, first: int, end: int
    ) -> np.ndarray:
        """A column of the games `first` to `end` - 1 of a source. Only the blocks with these games are read.
        Games that the source lacks are left out."""
        some = overlapping(blocks, first, end)
        begin = some[0].first if some else 0
        return self.whole(connection, some, name)[first - begin : end - begin]


def overlapping(blocks: Sequence[Block], first: int, end: int) -> Sequence[Block]:
    """Those of a source's blocks that hold games among `first` to `end` - 1."""
    begin = bisect.bisect_right(blocks, first, key=_end)
    return blocks[begin : bisect.bisect_left(blocks, end, lo=begin, key=_first)]


def _first(block: Block) -> int:
    return block.first


def _end(block: Block) -> int:
    return block.first + block.games


def blocks(connection: sqlite3.Connection, source: int) -> list[Block]:
    """The blocks of a source in order, up to the first missing game. Raises `sqlite3.DatabaseError` if the
    place of a block is impossible, or if two blocks have a game in common."""
    found = []
    end = 0
    for row in connection.execute(
        "select id, first, games from block where source_id = ? order by first", (source,)
    ):
        block = Block(*row)
        if not all(isinstance(number, int) for number in row) or block.games < 1 or block.first < end:
            # If two blocks overlap, it is unknown which block is right. If the program dropped one of the
            # blocks, the games that remain could come from the wrong block.
            raise sqlite3.DatabaseError("malformed block of games")
        if block.first > end:
            break
        found.append(block)
        end += block.games
    return found

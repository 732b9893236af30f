"""One segment of an index: at most 32,000 games in one immutable file.

Little-endian. The header has the size of every part, so a file that is too short or too long is noticed at
once:

    header   magic "CQLGSEG1", version u32, games u32, words u64, fen bytes u64, problem bytes u64,
             file size u64, blake2b-16 of everything after the header, crc32 of the header's bytes before it
    rows     per game: text offset u64, text length u64, line u64, first word u64, words u32, plies u32,
             positions u32, fen offset u32 (0xFFFFFFFF: the usual start), fen length u16, flags u16
    words    packed moves (see `board.moves`), u16 each in the machine's byte order (an index stays on its
             machine)
    fens     ASCII
    problems JSON lines [game in the segment, offset, line, reason, severity]
"""

from __future__ import annotations

import bisect
import contextlib
import hashlib
import json
import mmap
import os
import struct
import zlib
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from cqlgui.base import errors, priority
from cqlgui.base.data import dataclass
from cqlgui.base.files import disk, soundness

MAGIC = b"CQLGSEG1"
VERSION = 1
LARGEST = 32_000
"""The most games in a segment. Measured with ten million games: with 100,000 games in a segment, searches are
not faster, and imports and sorting by site take several times as long, because the catalog then keeps fewer
texts in rows of their own (`db.own_texts.MOST`)."""
NOTE: Final = "sound"
"""The name of the ledger of the segments that were found sound (`base.files.soundness`)."""

BAD = 1
CHESS960 = 2
VARIATIONS = 4
PLAYABLE = 8
COMMENTS = 16
CLEAN = 32
"""The fast reader has read the game (`pgn.kernel`)."""
OTHER_ENCODING = 64
"""The text of the game is not UTF-8. This flag is set only for clean games."""

_HEADER = struct.Struct("<8sIIQQQQ16sI")
_ROW = struct.Struct("<QQQQIIIIHH")
ROW: Final = np.dtype(
    [
        ("offset", "<u8"), ("length", "<u8"), ("line", "<u8"), ("first", "<u8"), ("words", "<u4"),
        ("plies", "<u4"), ("positions", "<u4"), ("fen", "<u4"), ("fen_length", "<u2"), ("flags", "<u2"),
    ]
)  # fmt: skip
"""A game's row, as NumPy reads it."""
USUAL_START: Final = 0xFFFFFFFF
"""This number replaces the offset of a FEN if the game begins from the usual start."""


class Problem(NamedTuple):
    """A flaw of a game: 0-based ordinal, byte offset and line in the text, a sentence, `error` or `note`."""

    game: int
    offset: int
    line: int
    reason: str
    severity: str


class Span(NamedTuple):
    """The place of a game in its text: byte offset, length, 1-based line."""

    offset: int
    length: int
    line: int


@dataclass(frozen=True, slots=True)
class GameRecord:
    """What the index stores about a game. `problems` are (offset, line, reason, severity), with absolute
    offsets and lines."""

    offset: int
    length: int
    line: int
    words: array[int]
    start_fen: str | None
    plies: int
    positions: int
    flags: int
    problems: tuple[tuple[int, int, str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Block:
    """Games in columns, as a segment holds them. `rows` has a row for each game (see `ROW`). The first word
    and the FEN of a row are indices into `words` and `fens`. `problems` are the flaws in game order, with
    games counted from the start of the block."""

    rows: np.ndarray
    words: np.ndarray
    fens: bytes = b""
    problems: tuple[Problem, ...] = ()

    def __len__(self) -> int:
        return len(self.rows)

    @classmethod
    def of(cls, games: Sequence[GameRecord]) -> Block:
        """The games as a `Block`."""
        rows = []
        words = array("H")
        fens = bytearray()
        problems: list[Problem] = []
        for number, game in enumerate(games):
            fen = game.start_fen.encode("ascii") if game.start_fen is not None else None
            rows.append(
                (
                    game.offset, game.length, game.line, len(words), len(game.words), game.plies,
                    game.positions, USUAL_START if fen is None else len(fens), len(fen or b""),
                    game.flags,
                )
            )  # fmt: skip
            words.extend(game.words)
            fens += fen or b""
            problems.extend(Problem(number, *problem) for problem in game.problems)
        return cls(np.array(rows, ROW), np.array(words, np.uint16), bytes(fens), tuple(problems))

    @classmethod
    def joined(cls, blocks: Sequence[Block]) -> Block:
        """The games of several blocks as one `Block`."""
        if len(blocks) == 1:
            return blocks[0]
        rows = np.concatenate([np.empty(0, ROW), *(block.rows for block in blocks)])
        problems: list[Problem] = []
        games = words = fens = 0
        for block in blocks:
            part = rows[games : games + len(block)]
            part["first"] += words
            part["fen"][part["fen"] != USUAL_START] += fens
            problems.extend(problem._replace(game=problem.game + games) for problem in block.problems)
            games += len(block)
            words += len(block.words)
            fens += len(block.fens)
        packed = np.concatenate([np.empty(0, np.uint16), *(block.words for block in blocks)])
        return cls(rows, packed, b"".join(block.fens for block in blocks), tuple(problems))

    def part(self, start: int, stop: int) -> Block:
        """The games `start` to `stop` - 1 as a `Block`."""
        if (start, stop) == (0, len(self)):
            return self
        rows = self.rows[start:stop].copy()
        if not len(rows):
            return Block(rows, self.words[:0])
        first = int(rows["first"][0])
        end = int(rows["first"][-1]) + int(rows["words"][-1])
        rows["first"] -= first
        low = bisect.bisect_left(self.problems, start, key=lambda problem: problem.game)
        high = bisect.bisect_left(self.problems, stop, key=lambda problem: problem.game)
        problems = tuple(problem._replace(game=problem.game - start) for problem in self.problems[low:high])
        # The FENs stand in the order of the games. Only those of the part are kept, so the bytes of a segment
        # do not depend on the blocks that its games came in.
        own = rows["fen"] != USUAL_START
        starts, lengths = rows["fen"][own], rows["fen_length"][own]
        fens = b""
        if len(starts):
            begin = int(starts[0])
            fens = self.fens[begin : int(starts[-1]) + int(lengths[-1])]
            rows["fen"][own] -= begin
        return Block(rows, self.words[first:end], fens, problems)


class Segment:
    """A segment opened for reading, memory-mapped. Ordinals are 0-based within the segment."""

    __slots__ = (
        "_fens",
        "_map",
        "_problems",
        "_proven",
        "_rows",
        "_view",
        "_words",
        "checksum",
        "games",
        "ledger",
        "path",
        "words",
    )

    def __init__(self, path: Path, ledger: soundness.Ledger | None = None) -> None:
        """Map the file. Raises `errors.IndexDamaged` if the file is missing or truncated, or if its header
        was altered. With a `ledger` the content is compared with its checksum when it is first used
        (`prove`)."""
        self.path = path
        self.ledger = ledger
        """Where it is noted which files of the folder are sound."""
        self._proven = ledger is None
        priority.pause()
        try:
            with path.open("rb") as file:
                size = os.fstat(file.fileno()).st_size
                if size < _HEADER.size:
                    raise _damaged(path, "it is cut off")
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except OSError as error:
            raise _damaged(path, error.strerror or str(error)) from error
        self._view = memoryview(self._map)
        try:
            self._lay_out(size)
        except errors.IndexDamaged:
            self.close()
            raise

    def _lay_out(self, size: int) -> None:
        head = bytes(self._view[: _HEADER.size])
        magic, version, games, words, fens, problems, length, checksum, check = _HEADER.unpack(head)
        if magic != MAGIC or zlib.crc32(head[:-4]) != check:
            raise _damaged(self.path, "its header is altered")
        if version != VERSION:
            raise _damaged(self.path, f"it has version {version}, not {VERSION}")
        rows_end = _HEADER.size + games * _ROW.size
        words_end = rows_end + 2 * words
        fens_end = words_end + fens
        if length != size or fens_end + problems != size:
            raise _damaged(self.path, "its length is wrong")
        self.checksum: bytes = checksum
        """The checksum of everything after the header, as it stands in the header. `verify` compares it with
        the content."""
        self.games: int = games
        self.words: int = words
        self._rows = rows = self._view[_HEADER.size : rows_end]
        assert len(rows) == games * _ROW.size
        self._words = self._view[rows_end:words_end].cast("H")
        self._fens = bytes(self._view[words_end:fens_end])
        self._problems = self._view[fens_end:size]

    def close(self) -> None:
        """Unmap the file. If a caller still has a view of the file, the file stays mapped until the last view
        is gone."""
        for name in ("_rows", "_words", "_problems", "_view"):
            view = getattr(self, name, None)
            if view is not None:
                view.release()
        try:
            self._map.close()
        except BufferError:
            # A caller still has a view of the moves. The map is closed when that view is deleted.
            return

    def prove(self) -> None:
        """Compare the content with its checksum, unless this was done before. Raises
        `errors.IndexDamaged`."""
        if self._proven:
            return
        assert self.ledger is not None
        checked = soundness.Checked.of([self.path])
        if checked is None or not self.ledger.has(self.path, checked):
            self.verify()
            if checked is not None:
                self.ledger.add(self.path, checked)
        self._proven = True

    def _row(self, game: int, *, proven: bool = True) -> tuple[int, ...]:
        if proven:
            self.prove()
        return _ROW.unpack_from(self._rows, game * _ROW.size)

    def moves(self, game: int) -> memoryview:
        """The packed tree of a game as u16 words."""
        row = self._row(game)
        if row[3] + row[4] > self.words:
            raise _damaged(self.path, f"game {game} points outside")
        return self._words[row[3] : row[3] + row[4]]

    def table(self, *, proven: bool = True) -> memoryview:
        """The rows of all games as they stand in the file (`ROW`). Without `proven` they may be altered; the
        caller calls `prove` before a game is read."""
        if proven:
            self.prove()
        return self._rows[:]

    def all_moves(self, *, proven: bool = True) -> memoryview:
        """The u16 words of all games. The row of a game says which words belong to the game. `proven` is that
        of `table`."""
        if proven:
            self.prove()
        return self._words[:]

    def start_fen(self, game: int) -> str | None:
        """The FEN of a game's start; None for the usual start."""
        row = self._row(game)
        if row[7] == USUAL_START:
            return None
        try:
            return self._fens[row[7] : row[7] + row[8]].decode("ascii")
        except UnicodeDecodeError as error:
            raise _damaged(self.path, f"the FEN of game {game} is altered") from error

    def span(self, game: int, *, proven: bool = True) -> Span:
        """The place of a game in its text. Without `proven` the place may be wrong."""
        row = self._row(game, proven=proven)
        return Span(row[0], row[1], row[2])

    def flags(self, game: int) -> int:
        """The flags of a game, `BAD` to `OTHER_ENCODING`."""
        return self._row(game)[9]

    def plies(self, game: int) -> int:
        """The number of half-moves in the main line."""
        return self._row(game)[5]

    def positions(self, game: int) -> int:
        """The number of positions in the tree, including the start."""
        return self._row(game)[6]

    def total_positions(self) -> int:
        """The number of positions in all games."""
        self.prove()
        return sum(row[6] for row in _ROW.iter_unpack(self._rows))

    def block(self) -> Block:
        """All games of the segment, in memory."""
        self.prove()
        rows = np.frombuffer(bytes(self._rows), ROW)
        return Block(rows, np.array(self._words, np.uint16), self._fens, tuple(self.problems()))

    def problems(self, first: int = 0) -> list[Problem]:
        """Every flaw of the segment's games; `first` is added to the ordinals. The list is read when a base
        is opened, and is not proven, because no answer depends on it."""
        try:
            rows = [json.loads(line) for line in bytes(self._problems).splitlines()]
            return [
                Problem(first + int(game), int(offset), int(line), str(reason), str(severity))
                for game, offset, line, reason, severity in rows
            ]
        except (ValueError, TypeError) as error:
            raise _damaged(self.path, "its list of problems is altered") from error

    def verify(self) -> None:
        """Read the whole file and compare the content with the checksum; raises `errors.IndexDamaged` if the
        content is altered."""
        expected = _HEADER.unpack(self._view[: _HEADER.size])[7]
        if hashlib.blake2b(self._view[_HEADER.size :], digest_size=16).digest() != expected:
            raise _damaged(self.path, "its content is altered")


def write(path: Path, games: Block) -> None:
    """Write a segment under a temporary name, sync and rename it. After an `OSError` no file is left."""
    assert len(games) <= LARGEST
    listed = "".join(json.dumps(list(problem)) + "\n" for problem in games.problems).encode("ascii")
    body = games.rows.tobytes() + games.words.tobytes() + games.fens + listed
    head = _HEADER.pack(
        MAGIC, VERSION, len(games), len(games.words), len(games.fens), len(listed), _HEADER.size + len(body),
        hashlib.blake2b(body, digest_size=16).digest(), 0,
    )[:-4]  # fmt: skip
    disk.replace_file(path, head + struct.pack("<I", zlib.crc32(head)) + body)


def _damaged(path: Path, why: str) -> errors.IndexDamaged:
    # Without the ledger, the next start reads all segments, even if no program has written to them.
    with contextlib.suppress(OSError):
        path.with_name(NOTE).unlink()
    return errors.IndexDamaged(f"The index file {path.name} is damaged: {why}.")

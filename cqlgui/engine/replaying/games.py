"""Packed games as the arrays that replay reads, and the working memory of one thread."""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Iterator, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from cqlgui.base import errors
from cqlgui.base.data import dataclass, field, replace
from cqlgui.board.position import START_FEN, Position
from cqlgui.engine.replaying import layout
from cqlgui.store import segments

Integers: TypeAlias = "npt.NDArray[np.int64]"
Words: TypeAlias = "npt.NDArray[np.uint64]"
Bytes: TypeAlias = "npt.NDArray[np.uint8]"
Lengths: TypeAlias = "npt.NDArray[np.uint32]"

MOST_POSITIONS: Final = 200_000
"""The maximum number of positions of one game that are laid out in memory. The interpreter searches games
with more positions."""


@dataclass(frozen=True, slots=True)
class Games:
    """Games in one array of words. The games are numbered from 0. `positions` is an upper bound for the
    number of positions in a game. The bound is one more than the number of words in the largest game.

    `starts` has the number of each game's starting position, or -1 for a game that cannot be searched or was
    not read.
    """

    packed: npt.NDArray[np.uint16]
    firsts: Integers
    counts: Integers
    branching: Bytes
    starts: Integers
    start_records: Words
    start_boards: Bytes
    positions: int

    def __len__(self) -> int:
        return len(self.firsts)


def of_segment(segment: segments.Segment, numbers: Integers | None = None, *, proven: bool = True) -> Games:
    """The games of a segment. The array of moves is not a copy: it is the memory of the mapped file. If
    `numbers` is given, only the games with these numbers are read. The other games keep their places in all
    arrays, and have no words and no positions. Without `proven` the games may be altered; the caller calls
    `Segment.prove` before a game is read."""
    rows = np.frombuffer(segment.table(proven=proven), dtype=segments.ROW)
    if numbers is None:
        return _of_rows(segment, rows, proven)
    some = _of_rows(segment, rows[numbers], proven, numbers)

    def spread(values: Any, other: int = 0) -> Any:
        # New memory is zero before it is used, and only what is used of it costs time.
        found = np.full(len(rows), other, values.dtype) if other else np.zeros(len(rows), values.dtype)
        found[numbers] = values
        return found

    return replace(
        some,
        firsts=spread(some.firsts),
        counts=spread(some.counts),
        branching=spread(some.branching),
        starts=spread(some.starts, -1),
    )


@functools.cache
def none() -> Games:
    """No games."""
    numbers = np.zeros(0, np.int64)
    nothing = np.zeros(0, np.uint8)
    return Games(np.zeros(0, np.uint16), numbers, numbers, nothing, numbers, *Starts().arrays(), 1)


def lengths(segment: segments.Segment, *, variations: bool) -> Lengths:
    """The number of moves in each main line of a segment, or with `variations` in each game. There is one
    position more. The numbers may be altered, as in `of_segment` without `proven`."""
    rows = np.frombuffer(segment.table(proven=False), dtype=segments.ROW)
    found: Lengths = rows["positions"] - np.uint32(1) if variations else rows["plies"]
    return found


def _of_rows(
    segment: segments.Segment, rows: np.ndarray, proven: bool, numbers: Integers | None = None
) -> Games:
    """The games with these rows. `numbers` are their numbers in the segment; None for all games."""
    packed = np.frombuffer(segment.all_moves(proven=proven), dtype=np.uint16)
    firsts, counts = rows["first"].astype(np.int64), rows["words"].astype(np.int64)
    starts = np.zeros(len(rows), np.int64)
    table = Starts()
    for game in np.flatnonzero(rows["fen"] != segments.USUAL_START).tolist():
        try:
            starts[game] = table.number(segment.start_fen(game if numbers is None else int(numbers[game])))
        except (ValueError, errors.IndexDamaged):
            starts[game] = -1
    size = len(packed)
    # Most segments are sound, and this is decided without an array for each comparison. In a damaged segment
    # the sum may overflow, but then the first condition has found the damage.
    is_damaged = firsts.min(initial=0) < 0 or firsts.max(initial=0) > size
    if is_damaged or (firsts + counts).max(initial=0) > size:
        starts[(firsts < 0) | (firsts > size - counts)] = -1
    if starts.min(initial=0) < 0:
        # A damaged row may point outside the words, or may require too much memory.
        firsts[starts < 0] = counts[starts < 0] = 0
    branching = ((rows["flags"] & segments.VARIATIONS) != 0).astype(np.uint8)
    largest = int(counts.max(initial=0)) + 1
    return Games(packed, firsts, counts, branching, starts, *table.arrays(), largest)


def counters(segment: segments.Segment, numbers: Integers) -> tuple[Integers, Integers]:
    """The halfmove clock and the move number at the start of each game of a segment (PGN standard 16.1.3.5
    and 16.1.3.6). Only the values of the games with these `numbers` in the segment are valid: reading the
    FENs of all games would take time."""
    rows = np.frombuffer(segment.table(), segments.ROW)
    halfmoves, fullmoves = np.zeros(len(rows), np.int64), np.ones(len(rows), np.int64)
    for game in numbers[rows["fen"][numbers] != segments.USUAL_START].tolist():
        # A damaged FEN is no reason to stop: such a game has no positions.
        with contextlib.suppress(ValueError, errors.IndexDamaged):
            start = Position.from_fen(segment.start_fen(game) or START_FEN)
            halfmoves[game], fullmoves[game] = start.halfmove, start.fullmove
    return halfmoves, fullmoves


def some(games: Games, numbers: Integers) -> Games:
    """The games with the given `numbers`, copied and renumbered from 0."""
    counts = np.where(games.starts[numbers] >= 0, games.counts[numbers], 0)
    firsts = np.cumsum(counts) - counts
    pieces = [
        games.packed[first : first + count]
        for first, count in zip(games.firsts[numbers].tolist(), counts.tolist(), strict=True)
    ]
    return replace(
        games,
        packed=np.concatenate([np.zeros(0, np.uint16), *pieces]),
        firsts=firsts,
        counts=counts,
        branching=games.branching[numbers],
        starts=games.starts[numbers],
        positions=int(counts.max(initial=0)) + 1,
    )


def joined(parts: Sequence[Games]) -> Games:
    """The games of all parts, one part after another, renumbered from 0. There must be at least one part."""
    words, tables = 0, 0
    firsts, starts = [], []
    for part in parts:
        firsts.append(part.firsts + words)
        starts.append(np.where(part.starts < 0, part.starts, part.starts + tables))
        words += len(part.packed)
        tables += len(part.start_boards) // 64
    return Games(
        np.concatenate([part.packed for part in parts]),
        np.concatenate(firsts),
        np.concatenate([part.counts for part in parts]),
        np.concatenate([part.branching for part in parts]),
        np.concatenate(starts),
        np.concatenate([part.start_records for part in parts]),
        np.concatenate([part.start_boards for part in parts]),
        max(part.positions for part in parts),
    )


class Starts:
    """Collects starting positions. The usual starting position has number 0."""

    def __init__(self) -> None:
        self._positions = [Position.start()]

    def number(self, fen: str | None) -> int:
        """The number of a position; raises `ValueError` for a FEN that cannot be read."""
        if fen is None:
            return 0
        self._positions.append(Position.from_fen(fen))
        return len(self._positions) - 1

    def arrays(self) -> tuple[Words, Bytes]:
        """The positions as records and boards."""
        records = np.zeros(len(self._positions) * layout.SIZE, np.uint64)
        boards = np.zeros(len(self._positions) * 64, np.uint8)
        for number, position in enumerate(self._positions):
            record = records[number * layout.SIZE : (number + 1) * layout.SIZE]
            record[:13] = position.men
            record[layout.TURN] = position.turn
            record[layout.CASTLING] = position.castling
            record[layout.PASSED] = 1 << position.ep if position.ep >= 0 else 0
            boards[number * 64 : (number + 1) * 64] = np.frombuffer(position.squares, np.uint8)
        return records, boards


@dataclass(frozen=True, slots=True)
class Workspace:
    """The memory that one thread needs for a search. This memory has room for `room` positions that are laid
    out, and for one more record after the last position."""

    room: int
    records: Words
    boards: Bytes
    hits: Integers
    doubtful: Integers
    tally: Integers
    frame: Words = field(repr=False)

    def fits(self, positions: int, slice_size: int, frame_size: int, *, planes: bool) -> bool:
        """Whether this memory is enough for the parameters of `make`, and not much larger."""
        room = min(max(positions, 2), MOST_POSITIONS)
        frame = layout.PLANES + room * layout.PLANE_COUNT if planes else frame_size
        return (
            room <= self.room <= max(4 * room, _ROOM)
            and frame <= len(self.frame)
            and max(positions, 1 << 16) <= len(self.hits)
            and slice_size <= len(self.doubtful)
        )

    @classmethod
    def make(cls, positions: int, slice_size: int, frame_size: int, *, planes: bool) -> Workspace:
        """Memory for `slice_size` games at a time, with at most `positions` positions in each game. `planes`
        is True if the query searches for sequences."""
        room = min(max(positions, 2), MOST_POSITIONS)
        if planes:
            frame_size = layout.PLANES + room * layout.PLANE_COUNT
        return cls(
            room,
            _aligned((room + 1) * layout.SIZE, 0),
            _aligned((room + 1) * 8, 1024).view(np.uint8),
            np.zeros(max(positions, 1 << 16), np.int64),
            np.zeros(slice_size, np.int64),
            np.zeros(6, np.int64),
            _aligned(frame_size, 2048),
        )


@contextlib.contextmanager
def workspace(positions: int, slice_size: int, frame_size: int, *, planes: bool) -> Iterator[Workspace]:
    """A context with a workspace that is at least as large as `Workspace.make` would make it. The workspace
    is used again later, because new memory must be cleared by the system, page after page."""
    work = None
    with _lock:
        for place, one in enumerate(_free):
            if one.fits(positions, slice_size, frame_size, planes=planes):
                work = _free.pop(place)
                break
    if work is None:
        work = Workspace.make(positions, max(slice_size, _SLICE), frame_size, planes=planes)
    work.tally[:] = 0
    if planes:
        # The serial numbers and bans of another query must not be taken for those of this query.
        work.frame[layout.SERIAL] = 0
        work.frame[layout.PLANES :] = 0
    try:
        yield work
    finally:
        with _lock:
            _free.append(work)
            del _free[:-_MOST_FREE]


_free: Final[list[Workspace]] = []
_lock: Final = threading.Lock()
_MOST_FREE: Final = 4
"""Number of workspaces that are kept for later. Most of them have one or two megabytes."""
_SLICE: Final = 4_096
_ROOM: Final = 1_000
"""A workspace for this number of positions is used even if a query needs much less."""


def everything(games: Games) -> Integers:
    """The numbers of all games."""
    numbers: Any = np.arange(len(games), dtype=np.int64)
    found: Integers = numbers
    return found


def _aligned(count: int, offset: int) -> Words:
    """`count` words that begin `offset` bytes after the beginning of a memory page. Tables that are written
    and read together are slower if they begin at equal offsets within a page."""
    whole = np.zeros(count + 1024, np.uint64)
    start = (offset - whole.ctypes.data) % 4096 // 8
    return whole[start : start + count]

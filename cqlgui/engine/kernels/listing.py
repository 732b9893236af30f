"""Lists positions of packed games: their FENs, and the moves before and after them."""

from __future__ import annotations

import itertools
from typing import Any, Final

import numpy as np

from cqlgui.base.data import dataclass
from cqlgui.board import attacks, legality, moves, position
from cqlgui.engine.kernels import fens, notation, routines
from cqlgui.engine.replaying import games, layout, replay
from cqlgui.engine.replaying.games import Integers
from cqlgui.jit import kernels
from cqlgui.jit.words import Bytes, Ints, Shorts, Words

UNIT: Final = kernels.Unit(
    "listing", [attacks, fens, layout, legality, moves, notation, position, replay, routines]
)

FOLLOWING: Final = 8
"""The maximum number of moves in the text of the moves that follow."""
FEN, LAST, LAST_UCI, SAN, UCI, NEXT, NEXT_UCI = range(7)
"""The texts of a position: its FEN, the move that led to it, the move that was played in it, and the moves
that followed, as far as the main continuation has moves. A text is empty if there is no such move."""
TEXTS: Final = 7
_LONGEST: Final = fens.LONGEST + (2 + FOLLOWING) * (notation.LONGEST_SAN + notation.LONGEST_UCI + 2)
_MOST_AT_ONCE: Final = 20_000
_SPACE: Final = 32


@dataclass(frozen=True, slots=True)
class Listed:
    """Texts of several positions. Text k of position n ends at `ends[TEXTS * n + k]` in `text`, and begins at
    the end of the text before. `plies` has the ply of each position, or -1 if the position is not listed. All
    texts are ASCII."""

    text: bytes
    ends: Integers
    plies: Integers

    def texts(self) -> list[list[str]]:
        """The texts of each position."""
        whole, ends = self.text.decode("ascii"), [0, *self.ends.tolist()]
        found = [whole[begin:end] for begin, end in itertools.pairwise(ends)]
        return [found[at : at + TEXTS] for at in range(0, len(found), TEXTS)]


def positions(
    asked: games.Games, hits: Integers, halfmoves: Integers, fullmoves: Integers, *, variations: bool
) -> Listed:
    """The texts of hits (game << 32 | positionid), which must ascend. `halfmoves` and `fullmoves` have the
    two counters of the starting position of each game (PGN standard 16.1.3.5 and 16.1.3.6). The FENs equal
    those of `board.position.Position.fen`. Positions of games that cannot be laid out are not listed."""
    ends, plies = np.zeros(TEXTS * len(hits), np.int64), np.zeros(len(hits), np.int64)
    parts: list[bytes] = []
    size = at = 0
    listed: Any = list_positions
    out = np.zeros(_LONGEST * min(len(hits), _MOST_AT_ONCE), np.uint8)
    with games.workspace(asked.positions, 1, layout.LOCALS, planes=False) as work:
        sans = np.empty(notation.LONGEST_SAN * (work.room + 1), np.uint8)
        san_sizes = np.empty(work.room + 1, np.uint8)
        while at < len(hits):
            end = min(at + _MOST_AT_ONCE, len(hits))
            written = listed(
                asked.packed, asked.firsts, asked.counts, asked.starts, asked.start_records,
                asked.start_boards, halfmoves, fullmoves, hits, at, end, variations, work.records,
                work.boards, work.room, sans, san_sizes, out, ends, plies,
            )  # fmt: skip
            parts.append(out[:written].tobytes())
            ends[TEXTS * at : TEXTS * end] += size
            size += written
            at = end
    return Listed(b"".join(parts), ends, plies)


@UNIT.kernel
def list_positions(
    packed: Shorts,
    firsts: Ints,
    counts: Ints,
    starts: Ints,
    start_records: Words,
    start_boards: Bytes,
    halfmoves: Ints,
    fullmoves: Ints,
    hits: Ints,
    begin: int,
    end: int,
    variations: bool,
    records: Words,
    boards: Bytes,
    room: int,
    sans: Bytes,
    san_sizes: Bytes,
    out: Bytes,
    ends: Ints,
    plies: Ints,
) -> int:
    """Write the texts of `hits[begin:end]` to `out`. Returns the number of bytes. `sans` and `san_sizes` have
    room for the SAN of the move to each position of a game, because hits in a row have moves in common."""
    written = 0
    at = begin
    while at < end:
        game = hits[at] >> 32
        total = replay.game_laid_out(
            packed, firsts, counts, starts, start_records, start_boards, int(game), variations,
            replay.last_place(hits, at, end) + FOLLOWING, records, boards, room,
        )  # fmt: skip
        for place in range(total):
            san_sizes[place] = 0
        root = int(records[layout.TURN])
        while at < end and hits[at] >> 32 == game:
            place = int(hits[at] & 0xFFFFFFFF)
            plies[at] = -1
            if place < total:
                ply = int(records[place * layout.SIZE + layout.PLY])
                quiet = _quiet_moves(records, place, int(halfmoves[game]))
                number = int(fullmoves[game]) + (ply + root) // 2
                written = fens.write_fen(
                    records[place * layout.SIZE :], boards[place * 64 :], quiet, number, out, written
                )
                plies[at] = ply
                ends[TEXTS * at + FEN] = written
                written = _moves(records, boards, sans, san_sizes, place, out, written, ends, TEXTS * at)
            else:
                for text in range(TEXTS):
                    ends[TEXTS * at + text] = written
            at += 1
    return written


def _moves(
    records: Words,
    boards: Bytes,
    sans: Bytes,
    san_sizes: Bytes,
    place: int,
    out: Bytes,
    at: int,
    ends: Ints,
    first: int,
) -> int:
    """Append the texts of moves at a position; returns the new end. `first` is the place of the position's
    texts in `ends`."""
    above = records[place * layout.SIZE + layout.PARENT]
    if above != layout.NONE:
        at = _san(records, boards, sans, san_sizes, place, out, at)
    ends[first + LAST] = at
    if above != layout.NONE:
        at = notation.write_uci(records[int(above) * layout.SIZE :], records[place * layout.SIZE :], out, at)
    ends[first + LAST_UCI] = at
    child = records[place * layout.SIZE + layout.CHILD]
    if child != layout.NONE:
        at = _san(records, boards, sans, san_sizes, int(child), out, at)
    ends[first + SAN] = at
    if child != layout.NONE:
        at = notation.write_uci(records[place * layout.SIZE :], records[int(child) * layout.SIZE :], out, at)
    ends[first + UCI] = at
    last, count = place, 0
    while child != layout.NONE and count < FOLLOWING:
        if count > 0:
            out[at] = _SPACE
            at += 1
        at = _san(records, boards, sans, san_sizes, int(child), out, at)
        last = int(child)
        child = records[last * layout.SIZE + layout.CHILD]
        count += 1
    ends[first + NEXT] = at
    for number in range(count):
        if number > 0:
            out[at] = _SPACE
            at += 1
        child = records[place * layout.SIZE + layout.CHILD]
        at = notation.write_uci(records[place * layout.SIZE :], records[int(child) * layout.SIZE :], out, at)
        place = int(child)
    ends[first + NEXT_UCI] = at
    return at


def _san(records: Words, boards: Bytes, sans: Bytes, san_sizes: Bytes, here: int, out: Bytes, at: int) -> int:
    """Append the SAN of the move that leads to a record."""
    first = notation.LONGEST_SAN * here
    if san_sizes[here] == 0:
        above = int(records[here * layout.SIZE + layout.PARENT])
        end = notation.write_san(
            records[above * layout.SIZE :], boards[above * 64 :], records[here * layout.SIZE :], sans, first
        )
        san_sizes[here] = end - first
    size = int(san_sizes[here])
    for place in range(size):
        out[at + place] = sans[first + place]
    return at + size


def _quiet_moves(records: Words, place: int, before: int) -> int:
    """The number of half-moves since the last capture or pawn move. `before` is the number at the start."""
    found = 0
    while records[place * layout.SIZE + layout.PARENT] != layout.NONE:
        here = place * layout.SIZE
        above = int(records[here + layout.PARENT]) * layout.SIZE
        pawns = records[here + 1] ^ records[above + 1] | records[here + 7] ^ records[above + 7]
        if pawns != 0 or records[here].bit_count() != records[above].bit_count():
            return found
        found += 1
        place = int(records[here + layout.PARENT])
    return found + before

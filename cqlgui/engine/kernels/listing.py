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
    out = np.empty(_LONGEST * min(len(hits), _MOST_AT_ONCE), np.uint8)
    with games.workspace(asked.positions, 1, layout.LOCALS, planes=False) as work:
        sans = np.empty((notation.LONGEST_SAN + 1) * (work.room + 1), np.uint8)
        ucis = np.empty((notation.LONGEST_UCI + 1) * (work.room + 1), np.uint8)
        places = np.empty(4 * (work.room + 1), np.int64)
        while at < len(hits):
            end = min(at + _MOST_AT_ONCE, len(hits))
            written = listed(
                asked.packed, asked.firsts, asked.counts, asked.starts, asked.start_records,
                asked.start_boards, halfmoves, fullmoves, hits, at, end, variations, work.records,
                work.boards, work.room, sans, ucis, places, out, ends, plies,
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
    ucis: Bytes,
    places: Ints,
    out: Bytes,
    ends: Ints,
    plies: Ints,
) -> int:
    """Write the texts of `hits[begin:end]` to `out`. Returns the number of bytes. `sans` and `ucis` have room
    for the moves to all positions of a game, one after another with spaces between them. `places` has room
    for where each move begins and ends in both. Hits in a row have moves in common, and a position's main
    continuation has the number after it, so the moves that follow a position stand in one piece."""
    written = 0
    at = begin
    while at < end:
        game = hits[at] >> 32
        total = replay.game_laid_out(
            packed, firsts, counts, starts, start_records, start_boards, int(game), variations,
            replay.last_place(hits, at, end) + FOLLOWING, records, boards, room,
        )  # fmt: skip
        # The moves to the positions up to `done` are written.
        done = 0
        san_end = 0
        uci_end = 0
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
                stop = place
                while stop < place + FOLLOWING and records[stop * layout.SIZE + layout.CHILD] != layout.NONE:
                    stop += 1
                # No hit before this one needs the moves to the positions that are left out here.
                done = max(done, place - 1)
                while done < stop:
                    done += 1
                    here = done * layout.SIZE
                    above = int(records[here + layout.PARENT])
                    places[4 * done] = san_end
                    places[4 * done + 2] = uci_end
                    parent = above * layout.SIZE
                    san_end = notation.write_san(
                        records[parent:], boards[above * 64 :], records[here:], sans, san_end
                    )
                    uci_end = notation.write_uci(records[parent:], records[here:], ucis, uci_end)
                    places[4 * done + 1] = san_end
                    places[4 * done + 3] = uci_end
                    sans[san_end] = _SPACE
                    ucis[uci_end] = _SPACE
                    san_end += 1
                    uci_end += 1
                written = _moves(sans, ucis, places, place, stop, out, written, ends, TEXTS * at)
            else:
                for text in range(TEXTS):
                    ends[TEXTS * at + text] = written
            at += 1
    return written


def _moves(
    sans: Bytes,
    ucis: Bytes,
    places: Ints,
    place: int,
    stop: int,
    out: Bytes,
    at: int,
    ends: Ints,
    first: int,
) -> int:
    """Append the texts of moves at a position; returns the new end. The moves that follow it lead to the
    positions up to `stop`. `first` is the place of the position's texts in `ends`."""
    if place > 0:
        at = fens.copied(sans, int(places[4 * place]), int(places[4 * place + 1]), out, at)
    ends[first + LAST] = at
    if place > 0:
        at = fens.copied(ucis, int(places[4 * place + 2]), int(places[4 * place + 3]), out, at)
    ends[first + LAST_UCI] = at
    child = 4 * (place + 1)
    if stop > place:
        at = fens.copied(sans, int(places[child]), int(places[child + 1]), out, at)
    ends[first + SAN] = at
    if stop > place:
        at = fens.copied(ucis, int(places[child + 2]), int(places[child + 3]), out, at)
    ends[first + UCI] = at
    if stop > place:
        at = fens.copied(sans, int(places[child]), int(places[4 * stop + 1]), out, at)
    ends[first + NEXT] = at
    if stop > place:
        at = fens.copied(ucis, int(places[child + 2]), int(places[4 * stop + 3]), out, at)
    ends[first + NEXT_UCI] = at
    return at


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

"""Counts the men on the board at hits."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from cqlgui.board import attacks, moves, position
from cqlgui.engine.replaying import games, layout, replay
from cqlgui.engine.replaying.games import Integers
from cqlgui.jit import kernels
from cqlgui.jit.words import Bytes, Ints, Shorts, Words

UNIT: Final = kernels.Unit("material", [attacks, layout, moves, position, replay])

UNKNOWN: Final = -1
"""Stands for the numbers of a position in a game that cannot be laid out."""
_MOST_AT_ONCE: Final = 20_000
"""Number of hits in one call. A call cannot be interrupted."""


def men_and_plies(asked: games.Games, hits: Integers, *, variations: bool) -> tuple[Integers, Integers]:
    """The number of men on the board at each hit (game << 32 | positionid), and the ply of the hit; both are
    `UNKNOWN` in a game that cannot be laid out. All hits of a game must be consecutive."""
    men = np.full(len(hits), UNKNOWN, np.int64)
    plies = np.full(len(hits), UNKNOWN, np.int64)
    write: Any = write_counts
    with games.workspace(asked.positions, 1, layout.LOCALS, planes=False) as work:
        for begin in range(0, len(hits), _MOST_AT_ONCE):
            end = min(begin + _MOST_AT_ONCE, len(hits))
            write(
                asked.packed, asked.firsts, asked.counts, asked.starts, asked.start_records,
                asked.start_boards, hits, begin, end, variations, work.records, work.boards, work.room, men,
                plies,
            )  # fmt: skip
    return men, plies


@UNIT.kernel
def write_counts(
    packed: Shorts,
    firsts: Ints,
    counts: Ints,
    starts: Ints,
    start_records: Words,
    start_boards: Bytes,
    hits: Ints,
    begin: int,
    end: int,
    variations: bool,
    records: Words,
    boards: Bytes,
    room: int,
    men: Ints,
    plies: Ints,
) -> None:
    """Write the number of men and the ply of `hits[begin:end]`."""
    at = begin
    while at < end:
        game = int(hits[at] >> 32)
        total = replay.game_laid_out(
            packed, firsts, counts, starts, start_records, start_boards, game, variations,
            replay.last_place(hits, at, end), records, boards, room,
        )  # fmt: skip
        while at < end and hits[at] >> 32 == game:
            place = int(hits[at] & 0xFFFFFFFF)
            if place < total:
                # Word 0 of a record has the empty squares.
                men[at] = 64 - int(records[place * layout.SIZE].bit_count())
                plies[at] = int(records[place * layout.SIZE + layout.PLY])
            at += 1

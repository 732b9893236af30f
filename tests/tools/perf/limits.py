"""What limits the search: playing moves on a single record, nothing being asked of the positions, and nothing
kept that only some query might ask."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from cqlgui.board import moves, position
from cqlgui.engine.replaying import games, layout
from cqlgui.jit import kernels, words
from cqlgui.jit.words import Bytes, Ints, Shorts, Words

THERE: Final = 330.0
"""Million positions a second and core that `rate` finds on a machine for which the floors are."""
_LEAST_SECONDS: Final = 0.3
UNIT: Final = kernels.Unit("limits", [layout, moves, position])


@UNIT.kernel
def played(
    packed: Shorts,
    firsts: Ints,
    counts: Ints,
    begin: int,
    end: int,
    start: Words,
    start_board: Bytes,
    record: Words,
    board: Bytes,
) -> int:
    """Play games that begin from the usual position and have no variations; gives the number of positions."""
    positions = 0
    for game in range(begin, end):
        for place in range(layout.SIZE):
            record[place] = start[place]
        for square in range(64):
            board[square] = start_board[square]
        _play(packed, firsts[game], firsts[game] + counts[game], record, board)
        positions += counts[game] + 1
    return positions


@words.apart
def _play(packed: Shorts, first: int, last: int, record: Words, board: Bytes) -> None:
    empty = record[0]
    castling = record[layout.CASTLING]
    turn = record[layout.TURN]
    for place in range(first, last):
        word = int(packed[place])
        leaving = words.word(1 << (word & 63))
        reached = words.word(1 << (word >> 6 & 63))
        if word >> 12 != moves.NORMAL:
            _special(record, board, word)
            empty = record[0]
        else:
            man = int(board[word & 63])
            captured = int(board[word >> 6 & 63])
            board[word & 63] = 0
            board[word >> 6 & 63] = man
            record[captured | captured - 1 >> 63 & layout.STATES] ^= reached
            record[man] ^= leaving | reached
            empty = empty & ~reached | leaving
            record[0] = empty
        castling &= ~(leaving | reached)
        record[layout.CASTLING] = castling
        turn ^= 1
        record[layout.TURN] = turn
        record[layout.MOVE] = word


@words.apart
def _special(record: Words, board: Bytes, word: int) -> None:
    position.play(record, board, word)


def rate(parts: Sequence[games.Games]) -> float:
    """Positions a second of `played`, in the games that begin as usual and have no variations."""
    plain = []
    for part in parts:
        usual = np.flatnonzero((part.starts == 0) & (part.branching == 0))
        plain.append(part if len(usual) == len(part) else games.some(part, usual))
    record, board = np.zeros(layout.SIZE, np.uint64), np.zeros(64, np.uint8)
    # A kernel's arrays are declared as sequences, which NumPy's are not for the type checker.
    run: Any = played

    def work() -> int:
        return sum(
            run(
                part.packed, part.firsts, part.counts, 0, len(part), part.start_records, part.start_boards,
                record, board,
            )
            for part in plain
        )  # fmt: skip

    work()
    return best(work)


def best(run: Callable[[], Any]) -> float:
    """Work done a second of processor time, the best of several times."""
    found = spent = 0.0
    while spent < _LEAST_SECONDS:
        start = time.thread_time()
        done = run()
        seconds = max(time.thread_time() - start, 1e-9)
        spent += seconds
        found = max(found, done / seconds)
    return found

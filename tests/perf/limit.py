"""What replay can reach on the machine at hand: a loop that moves men on one board and asks nothing.

It keeps neither castling rights nor the side to move, checks nothing and plays main lines only, so that no
search can be faster. Floors that were set for a machine whose limit is known are read against it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from cqlgui.board import attacks, moves, position
from cqlgui.engine import layout
from cqlgui.engine.games import Games
from cqlgui.jit import kernels
from cqlgui.jit.words import Bytes, Ints, Shorts, Words

UNIT = kernels.Unit("limit", [layout, position, attacks, moves])

_BACK_WORD = moves.BACK << 12


@UNIT.kernel
def replay(
    packed: Shorts,
    firsts: Ints,
    counts: Ints,
    begin: int,
    end: int,
    start: Words,
    start_board: Bytes,
    men: Words,
    board: Bytes,
) -> int:
    """Play the games from `begin` to `end` - 1 from one starting position; gives the number of positions."""
    visited = 0
    for game in range(begin, end):
        for man in range(16):
            men[man] = start[man]
        for square in range(64):
            board[square] = start_board[square]
        place = firsts[game]
        last = place + counts[game]
        while place < last and packed[place] < _BACK_WORD:
            word = int(packed[place])
            if word >> 12 == moves.NORMAL:
                source = word & 63
                goal = word >> 6 & 63
                man = int(board[source])
                captured = int(board[goal])
                board[source] = 0
                board[goal] = man
                men[captured] ^= 1 << goal
                men[man] ^= 1 << source | 1 << goal
            else:
                position.play(men, board, word)
            place += 1
        visited += place - firsts[game] + 1
    return visited


def rate(parts: Sequence[Games], budget: float) -> float:
    """Positions a second of processor time, over as many games as the budget (seconds) is enough for. All
    games are played from the usual position, legal there or not."""
    usual = games_start()
    men, board = np.zeros(layout.SIZE, np.uint64), np.zeros(64, np.uint8)
    run: Any = replay
    visited, spent = 0, 0.0
    for part in parts:
        for begin in range(0, len(part), 1_000):
            end = min(begin + 1_000, len(part))
            started = time.thread_time()
            visited += run(part.packed, part.firsts, part.counts, begin, end, *usual, men, board)
            spent += time.thread_time() - started
            if spent > budget:
                return visited / spent
    return visited / max(spent, 1e-9)


def games_start() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The usual position as men and board."""
    usual = position.Position.start()
    men = np.zeros(16, np.uint64)
    men[:13] = usual.men
    return men, np.frombuffer(usual.squares, np.uint8).copy()

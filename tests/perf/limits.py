"""What limits the search: playing moves on a single record, nothing being asked of the positions, and nothing
kept that only some query might ask."""

from __future__ import annotations

from typing import Final

from cqlgui.board import moves, position
from cqlgui.engine import layout
from cqlgui.jit import kernels, words
from cqlgui.jit.words import Bytes, Ints, Shorts, Words

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

"""Moves as 16-bit words: origin in the low six bits, target in the next six, a flag in the top four."""

from __future__ import annotations

from typing import TypeAlias

from cqlgui.board import squares
from cqlgui.board.men import Colour
from cqlgui.board.squares import Square

Move: TypeAlias = int

NORMAL = 0
NULL = 1
"""A passed move; origin and target are the mover's king square (a1 if the mover has no king)."""
CASTLE = 2
"""Castling; the target is the square of the rook, as Chess960 needs."""
EN_PASSANT = 3
PROMOTE_N = 4
PROMOTE_B = 5
PROMOTE_R = 6
PROMOTE_Q = 7
BACK = 15
"""Not a move. The other twelve bits are a number of plies: the next move starts that many plies before the
last position."""

BACK_LIMIT = 0xFFF
"""The most plies that one `BACK` word goes back. Going back further takes several words."""

NO_MOVE: Move = 0
"""The word of "a1 to a1", which is never a move. At the root of a tree, this word stands in place of the
missing move."""


def pack(origin: Square, target: Square, flag: int = NORMAL) -> Move:
    """The word of a move."""
    return origin | target << 6 | flag << 12


def pack_back(plies: int) -> list[int]:
    """The `BACK` words that go back `plies` (at least 0) plies."""
    words = [BACK << 12 | BACK_LIMIT] * (plies // BACK_LIMIT)
    if plies % BACK_LIMIT:
        words.append(BACK << 12 | plies % BACK_LIMIT)
    return words


def origin(move: Move) -> Square:
    """The square that the man leaves."""
    return move & 63


def target(move: Move) -> Square:
    """The square where the man arrives; for castling, the square of the rook."""
    return move >> 6 & 63


def flag(move: Move) -> int:
    """The kind of move, one of the flags above."""
    return move >> 12


def promotion(move: Move) -> int:
    """The kind of man that a pawn becomes (2 knight .. 5 queen), or 0 for any other move."""
    kind = move >> 12
    return kind - 2 if PROMOTE_N <= kind <= PROMOTE_Q else 0


def king_target(move: Move) -> Square:
    """The square where the king arrives by a castling move (on the c- or g-file of its rank)."""
    king = move & 63
    return king & 56 | (6 if (move >> 6 & 63) > king else 2)


def rook_target(move: Move) -> Square:
    """The square where the rook arrives by a castling move (on the d- or f-file of its rank)."""
    king = move & 63
    return king & 56 | (5 if (move >> 6 & 63) > king else 3)


def uci(turn: Colour, move: Move) -> str:
    """A move of the side `turn` in UCI notation: `e2e4`, `e7e8q`, `0000`.

    If king and rook stand on their usual squares, castling is written as the king's move of two squares. From
    other squares, castling is written as "king takes own rook".
    """
    kind = flag(move)
    start, end = origin(move), target(move)
    if kind == NULL:
        return "0000"
    if kind == CASTLE and start & 7 == 4 and end & 7 in (0, 7) and start >> 3 == (7 if turn else 0):
        end = king_target(move)
    letter = ("", "n", "b", "r", "q")[promotion(move) - 1] if promotion(move) else ""
    return squares.NAMES[start] + squares.NAMES[end] + letter

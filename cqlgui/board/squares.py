"""Squares as numbers 0..63 (a1 = 0, b1 = 1, h8 = 63) and sets of squares as 64-bit integers (a1 = bit 0)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from cqlgui.jit import words

Square: TypeAlias = int
Bitboard: TypeAlias = words.Word

NONE: Square = -1
"""The number for "no square"."""

ALL: Bitboard = (1 << 64) - 1
FILES: tuple[Bitboard, ...] = tuple(0x0101010101010101 << file for file in range(8))
"""The squares of each file, a to h."""
RANKS: tuple[Bitboard, ...] = tuple(0xFF << 8 * rank for rank in range(8))
"""The squares of each rank, 1 to 8."""
LIGHT: Bitboard = 0x55AA55AA55AA55AA
DARK: Bitboard = ALL ^ LIGHT
"""The dark squares; a1 is dark."""

BIT: tuple[Bitboard, ...] = tuple(1 << square for square in range(64))
"""For each square, the set that holds only this square."""
NAMES: tuple[str, ...] = tuple(file + rank for rank in "12345678" for file in "abcdefgh")
"""Algebraic names in square order."""


def square_name(square: Square) -> str:
    """Algebraic name of a square, such as `e4`."""
    return NAMES[square]


def parse_square(text: str) -> Square:
    """The square of an algebraic name such as `e4`; raises `ValueError` for any other text."""
    if len(text) != 2 or text[0] not in "abcdefgh" or text[1] not in "12345678":
        raise ValueError(f"{text!r} is not the name of a square.")
    return (ord(text[1]) - ord("1")) * 8 + ord(text[0]) - ord("a")


def make_square(file: int, rank: int) -> Square:
    """The square on a file 0..7 and a rank 0..7, or `NONE` when either is off the board."""
    if 0 <= file < 8 and 0 <= rank < 8:
        return rank * 8 + file
    return NONE


def file_of(square: Square) -> int:
    """File of a square, 0 (a) to 7 (h)."""
    return square & 7


def rank_of(square: Square) -> int:
    """Rank of a square, 0 (first) to 7 (eighth)."""
    return square >> 3


def bits(board: Bitboard) -> Iterator[Square]:
    """The squares of a set, in ascending order."""
    while board:
        bit = board & -board
        yield bit.bit_length() - 1
        board ^= bit


def lowest(board: Bitboard) -> Square:
    """The first square of a set in the order a1, b1, ..., h8; `NONE` when the set is empty."""
    return (board & -board).bit_length() - 1


def highest(board: Bitboard) -> Square:
    """The last square of a set in the order a1, b1, ..., h8; `NONE` when the set is empty."""
    return board.bit_length() - 1


def popcount(board: Bitboard) -> int:
    """Number of squares in a set."""
    return board.bit_count()

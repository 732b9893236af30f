"""Men as codes 0..12 and sets of men as 13-bit masks (bit n = man n); code 0 is the empty square."""

from __future__ import annotations

from typing import TypeAlias

Man: TypeAlias = int
ManMask: TypeAlias = int
Colour: TypeAlias = int

WHITE: Colour = 0
BLACK: Colour = 1

EMPTY: Man = 0
WP: Man = 1
WN: Man = 2
WB: Man = 3
WR: Man = 4
WQ: Man = 5
WK: Man = 6
BP: Man = 7
BN: Man = 8
BB: Man = 9
BR: Man = 10
BQ: Man = 11
BK: Man = 12

PAWN = 1
KNIGHT = 2
BISHOP = 3
ROOK = 4
QUEEN = 5
KING = 6

SYMBOLS = ".PNBRQKpnbrqk"
"""FEN letter of each man, in code order; a dot for the empty square."""
FIGURINES = " ♙♘♗♖♕♔♟♞♝♜♛♚"
"""Chess symbol of each man, in code order; a blank for the empty square."""

EMPTY_MASK: ManMask = 1
WHITE_MASK: ManMask = 0b0000001111110
BLACK_MASK: ManMask = 0b1111110000000
MAN_MASK: ManMask = WHITE_MASK | BLACK_MASK
"""Any man of either colour."""
ANY_MASK: ManMask = 0b1111111111111
"""All 13 codes: any man, and the empty square too."""


def swap_colours(mask: ManMask) -> ManMask:
    """The mask with the colour of every man changed. The kinds of the men do not change."""
    return mask & EMPTY_MASK | (mask & WHITE_MASK) << 6 | (mask & BLACK_MASK) >> 6


def kind(man: Man) -> int:
    """Kind without colour: 0 empty, 1 pawn, 2 knight, 3 bishop, 4 rook, 5 queen, 6 king."""
    return man if man <= WK else man - 6


def is_white(man: Man) -> bool:
    """True for the six white men."""
    return WP <= man <= WK


def is_black(man: Man) -> bool:
    """True for the six black men."""
    return man >= BP

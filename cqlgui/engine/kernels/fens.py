"""Writes FENs of records, and searches them for a text. The module is compiled to machine code. The FENs
equal those of `board.position.Position.fen`."""

from __future__ import annotations

from typing import Final

from cqlgui.engine.kernels import routines
from cqlgui.engine.replaying import layout
from cqlgui.jit import kernels, words
from cqlgui.jit.words import Bytes, Words

UNIT: Final = kernels.Unit("fens", [layout, routines])

LONGEST: Final = 120
"""No FEN has more characters. Each of the two numbers has at most 12 digits."""
_PIECES: Final = tuple(ord(letter) for letter in "?PNBRQKpnbrqk")


@UNIT.kernel
def fen_holds(record: Words, board: Bytes, room: Bytes, wanted: Bytes, size: int) -> bool:
    """Whether a text occurs in the FEN that queries see, which has the counters 0 and 1 (spec 8.1). `wanted`
    has the `size` bytes of the text, and `room` has space for `LONGEST` bytes."""
    end = write_fen(record, board, 0, 1, room, 0)
    for first in range(end - size + 1):
        same = 0
        while same < size and room[first + same] == wanted[same]:
            same += 1
        if same == size:
            return True
    return False


@words.apart
def write_fen(record: Words, board: Bytes, quiet: int, number: int, out: Bytes, at: int) -> int:
    """Append a FEN; returns the new end."""
    for row in range(7, -1, -1):
        men = ~record[0] >> words.word(8 * row) & words.word(0xFF)
        column = 0
        while men != 0:
            here = words.lowest(men)
            if here > column:
                out[at] = 48 + here - column
                at += 1
            out[at] = _PIECES[board[8 * row + here]]
            at += 1
            column = here + 1
            men &= men - 1
        if column < 8:
            out[at] = 56 - column
            at += 1
        out[at] = 47 if row > 0 else 32
        at += 1
    out[at] = 119 if record[layout.TURN] == 0 else 98
    out[at + 1] = 32
    at = _write_castling(record, out, at + 2)
    out[at] = 32
    at += 1
    passed = routines.passed_over(record)
    if passed == 0:
        out[at] = 45
        at += 1
    else:
        square = words.lowest(passed)
        out[at] = 97 + (square & 7)
        out[at + 1] = 49 + (square >> 3)
        at += 2
    out[at] = 32
    at = decimal(quiet, out, at + 1)
    out[at] = 32
    return decimal(number, out, at + 1)


def _write_castling(record: Words, out: Bytes, at: int) -> int:
    """Append the castling field, like `position.castling_field`."""
    first = at
    for colour in range(2):
        row = words.word(0xFF) << words.word(56 * colour)
        king = words.highest(record[12 if colour == 1 else 6])
        rooks = record[10 if colour == 1 else 4] & row
        for column in range(7, -1, -1):
            rook = 56 * colour + column
            if record[layout.CASTLING] >> rook & 1 != 0:
                queenside = rook < king
                below = (words.word(1) << words.word(rook)) - 1
                above = ~(below | words.word(1) << words.word(rook))
                outer = rooks & (below if queenside else above)
                letter = 97 + column if outer != 0 else 113 if queenside else 107
                out[at] = letter if colour == 1 else letter - 32
                at += 1
    if at == first:
        out[at] = 45
        at += 1
    return at


def decimal(number: int, out: Bytes, at: int) -> int:
    """Append the decimal digits of a number; returns the new end."""
    if number < 0:
        out[at] = 45
        at += 1
        number = -number
    size = 1
    limit = 10
    while limit <= number and size < 18:
        limit *= 10
        size += 1
    for place in range(size - 1, -1, -1):
        out[at + place] = 48 + number % 10
        number //= 10
    return at + size


@words.inlined
def copied(source: Bytes, begin: int, end: int, out: Bytes, at: int) -> int:
    """Append a part of `source`; returns the new end."""
    for place in range(begin, end):
        out[at + place - begin] = source[place]
    return at + end - begin

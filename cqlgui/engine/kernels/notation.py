"""Writes moves of packed games in SAN and in UCI notation. The module is compiled to machine code. The texts
equal those of `board.san.san` and `board.moves.uci`."""

from __future__ import annotations

from typing import Final

from cqlgui.board import attacks, legality, moves
from cqlgui.engine.kernels import routines
from cqlgui.engine.replaying import layout
from cqlgui.jit import words
from cqlgui.jit.words import Bytes, Word, Words

_LETTERS: Final = tuple(ord(letter) for letter in "?PNBRQK")
_SMALL: Final = tuple(ord(letter) for letter in "?pnbrqk")
_O, _DASH, _TAKES, _BECOMES, _CHECK, _MATE, _ZERO = (ord(sign) for sign in "O-x=+#0")
LONGEST_SAN: Final = 8
LONGEST_UCI: Final = 5


@words.apart
def write_san(above: Words, board: Bytes, here: Words, out: Bytes, at: int) -> int:
    """Append the SAN of the move that leads from the position `above` with the men `board` to the position
    `here`. Returns the new end."""
    move = int(here[layout.MOVE])
    flag = move >> 12
    start = move & 63
    end = move >> 6 & 63
    if flag == moves.NULL:
        out[at] = _DASH
        out[at + 1] = _DASH
        return at + 2
    if flag == moves.CASTLE:
        out[at] = _O
        out[at + 1] = _DASH
        out[at + 2] = _O
        at += 3
        if end < start:
            out[at] = _DASH
            out[at + 1] = _O
            at += 2
    else:
        man = int(board[start])
        kind = man if man <= 6 else man - 6
        captures = flag == moves.EN_PASSANT or board[end] != 0
        if kind != 1:
            out[at] = _LETTERS[kind]
            at = _origin_marks(above, man, start, end, out, at + 1)
        elif captures:
            out[at] = 97 + (start & 7)
            at += 1
        if captures:
            out[at] = _TAKES
            at += 1
        at = _square(end, out, at)
        if flag >= moves.PROMOTE_N:
            out[at] = _BECOMES
            out[at + 1] = _LETTERS[flag - 2]
            at += 2
    if routines.in_check(here):
        out[at] = _MATE if routines.is_mate(here) else _CHECK
        at += 1
    return at


def _origin_marks(above: Words, man: int, start: int, end: int, out: Bytes, at: int) -> int:
    """Append file, rank or both of the origin, if another man of the same kind can legally go to the target
    too."""
    occupied = ~above[0]
    rivals = above[man] & attacks.attacks_from(man, end, occupied) & ~words.word(1 << start)
    turn = int(above[layout.TURN])
    able = words.word(0)
    while rivals != 0:
        if legality.leaves_king_safe(above, turn, words.lowest(rivals) | end << 6):
            able |= rivals & -rivals
        rivals &= rivals - 1
    if able == 0:
        return at
    if able & _file(start) == 0:
        out[at] = 97 + (start & 7)
        return at + 1
    if able & _rank(start) == 0:
        out[at] = 49 + (start >> 3)
        return at + 1
    return _square(start, out, at)


def _file(square: int) -> Word:
    return words.word(0x0101010101010101 << (square & 7))


def _rank(square: int) -> Word:
    return words.word(0xFF << (square & 56))


def _square(square: int, out: Bytes, at: int) -> int:
    out[at] = 97 + (square & 7)
    out[at + 1] = 49 + (square >> 3)
    return at + 2


@words.apart
def write_uci(above: Words, here: Words, out: Bytes, at: int) -> int:
    """Append the move that leads from the position `above` to the position `here` in UCI notation. Returns
    the new end."""
    move = int(here[layout.MOVE])
    flag = move >> 12
    if flag == moves.NULL:
        for place in range(4):
            out[at + place] = _ZERO
        return at + 4
    start = move & 63
    end = move >> 6 & 63
    if flag == moves.CASTLE:
        column = end & 7
        home = 56 if above[layout.TURN] != 0 else 0
        if start == home + 4 and (column == 0 or column == 7):
            end = moves.king_target(move)
    at = _square(end, out, _square(start, out, at))
    if flag >= moves.PROMOTE_N:
        out[at] = _SMALL[flag - 2]
        at += 1
    return at

"""Writes standard algebraic notation (SAN). This module does not read SAN: the package `pgn` reads it."""

from __future__ import annotations

from cqlgui.board import attacks, legality, men, motions, moves, position, squares
from cqlgui.board.moves import Move
from cqlgui.board.position import Position

NULL_SAN = "--"
OFF = "~"
"""The sign that replaces the name of a square if a motion takes the square off the board."""
_LETTERS = " PNBRQK"
_FIGURES = " ♙♘♗♖♕♔"


def san(p: Position, move: Move, figurine: bool = False, frame: motions.Motion = motions.STILL) -> str:
    """The move in SAN, with `+` or `#`. A null move is `--`.

    With `figurine`, chess symbols replace the letters. Both colours have the same symbols, as in printed
    books. Each square has the name of its image under the motion `frame`. Castling, check and mate are
    written as in the game that was played, because the rules of chess need not hold after a motion. Raises
    `ValueError` if the move cannot be played.
    """
    after = p.copy()
    after.make(move)
    kind = moves.flag(move)
    if kind == moves.NULL:
        return NULL_SAN
    symbols = _FIGURES if figurine else _LETTERS
    start, end = moves.origin(move), moves.target(move)
    if kind == moves.CASTLE:
        text = "O-O" if end > start else "O-O-O"
    else:
        man = p.squares[start]
        piece = men.kind(man)
        capture = kind == moves.EN_PASSANT or p.squares[end] != men.EMPTY
        if piece == men.PAWN:
            place = frame.square(start)
            # If files become ranks, one letter does not distinguish two pawns.
            letters = 2 if frame.crosses else 1
            origin = OFF if place < 0 else squares.NAMES[place][:letters]
            text = origin if capture else ""
        else:
            text = symbols[piece] + _origin_marks(p, move, frame)
        place = frame.square(end)
        text += ("x" if capture else "") + (OFF if place < 0 else squares.NAMES[place])
        if moves.promotion(move):
            text += "=" + symbols[moves.promotion(move)]
    if position.in_check(after):
        text += "+" if legality.has_legal_move(after) else "#"
    return text


def _origin_marks(p: Position, move: Move, frame: motions.Motion) -> str:
    """File, rank or both of the origin, if another man of the same kind can legally go to the target too. An
    empty text if no other man can go to the target."""
    start, end = move & 63, move >> 6 & 63
    man = p.squares[start]
    candidates = p.men[man] & attacks.attacks_from(man, end, p.occupied) & ~(1 << start)
    rivals = 0
    for other in squares.bits(candidates):
        if legality.leaves_king_safe(p.men, p.turn, moves.pack(other, end)):
            rivals |= 1 << other
    if not rivals:
        return ""
    place, rivals = frame.square(start), frame.set(rivals)
    if place < 0:
        return OFF
    if not rivals & squares.FILES[place & 7]:
        return squares.NAMES[place][0]
    if not rivals & squares.RANKS[place >> 3]:
        return squares.NAMES[place][1]
    return squares.NAMES[place]

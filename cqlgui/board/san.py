"""Standard algebraic notation, written; reading it is the PGN reader's work."""

from __future__ import annotations

from cqlgui.board import attacks, legality, men, moves, position, squares
from cqlgui.board.moves import Move
from cqlgui.board.position import Position

NULL_SAN = "--"
_LETTERS = " PNBRQK"
_FIGURES = " ♙♘♗♖♕♔"


def san(p: Position, move: Move, figurine: bool = False) -> str:
    """The move in algebraic notation, with `+` or `#`; a null move is `--`.

    With `figurine`, chess symbols stand for the letters, the same ones for both colours as in printed books.
    Raises `ValueError` when the move cannot be played.
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
            text = "abcdefgh"[start & 7] if capture else ""
        else:
            text = symbols[piece] + _origin_marks(p, move)
        text += ("x" if capture else "") + squares.NAMES[end]
        if moves.promotion(move):
            text += "=" + symbols[moves.promotion(move)]
    if position.in_check(after):
        text += "+" if legality.has_legal_move(after) else "#"
    return text


def _origin_marks(p: Position, move: Move) -> str:
    """File, rank or both of the origin, if another man of the kind can legally go to the same square."""
    start, end = move & 63, move >> 6 & 63
    man = p.squares[start]
    candidates = p.men[man] & attacks.attacks_from(man, end, p.occupied) & ~(1 << start)
    rivals = 0
    for other in squares.bits(candidates):
        if legality.leaves_king_safe(p.men, p.turn, moves.pack(other, end)):
            rivals |= 1 << other
    if not rivals:
        return ""
    if not rivals & squares.FILES[start & 7]:
        return squares.NAMES[start][0]
    if not rivals & squares.RANKS[start >> 3]:
        return squares.NAMES[start][1]
    return squares.NAMES[start]

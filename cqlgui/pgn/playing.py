"""Plays written moves on python-chess boards, and returns them as packed moves of the program.

A `Spelling` has the parts of a move's text. It is made once for each distinct text. `play` finds the one
legal move that a spelling can mean, and makes this move. Ordinary moves are found with the board's bitboards,
several times faster than with the general method of python-chess. Castling moves are found with python-chess.
Spellings beyond SAN (long form, coordinates, zeros, `ep`, hyphens, colons, lower-case promotions, figurines)
are read too. If two legal moves fit, neither is chosen.
"""

from __future__ import annotations

import re
from typing import Final

import chess

from cqlgui.base.data import dataclass
from cqlgui.board import moves

Board = chess.Board
"""The board of python-chess, under a name that other modules of this package use."""

_CASTLE_SHORT: Final = -1
_CASTLE_LONG: Final = -2
_NULL: Final = -3

_PIECES = {
    "": chess.PAWN,
    "P": chess.PAWN,
    "N": chess.KNIGHT,
    "B": chess.BISHOP,
    "R": chess.ROOK,
    "Q": chess.QUEEN,
}
_PIECES["K"] = chess.KING
_PROMOTED = {"N": chess.KNIGHT, "B": chess.BISHOP, "R": chess.ROOK, "Q": chess.QUEEN}
_PROMOTION_FLAGS = {
    chess.KNIGHT: moves.PROMOTE_N,
    chess.BISHOP: moves.PROMOTE_B,
    chess.ROOK: moves.PROMOTE_R,
    chess.QUEEN: moves.PROMOTE_Q,
}
_SAN = re.compile(r"([NBRQK])?([a-h])?([1-8])?x?([a-h][1-8])(?:=?([NBRQ]))?[+#]?")
_LENIENT = re.compile(
    r"([NBRQKP])?([a-h])?([1-8])?[-–x:×]?([a-h][1-8])(?:[=/]?\(?([NBRQnbrq])\)?)?:?(?:[+#x‡†]|dbl|ch|mate)*",
)
_CASTLING = re.compile(r"([O0oОо])[-–]?\1(?:[-–]?(\1))?[+#]*")
_NULL_SPELLINGS = frozenset(("--", "Z0"))
_OTHER_NULLS = frozenset(("@@@@", "0000", "null", "pass", "Null", "Pass", "NULL", "PASS", "z0", "<>"))
_FIGURINES = str.maketrans("♔♕♖♗♘♙♚♛♜♝♞♟", "KQRBNPKQRBNP")
_EN_PASSANT = re.compile(r"/?[eE]\.?[ ]?[pP]$")


class MoveError(Exception):
    """A move that cannot be played. The message says why."""


@dataclass(frozen=True, slots=True)
class Spelling:
    """The parts of a move's text. `origin` is the set of squares where the man may stand before the move.
    `note` says what is unusual about the text."""

    piece: int
    origin: int
    target: int
    promotion: int
    has_file: bool
    note: str = ""


def spelling(text: str) -> Spelling | None:
    """The parts of `text`, or None if `text` cannot be a move."""
    found = _SAN.fullmatch(text)
    if found:
        return _taken_apart(found, "")
    if text in _NULL_SPELLINGS:
        return Spelling(_NULL, 0, 0, 0, False)
    if text in _OTHER_NULLS:
        return Spelling(_NULL, 0, 0, 0, False, f"the null move is spelt {text}")
    castling = _CASTLING.fullmatch(text)
    if castling:
        usual = castling[0].rstrip("+#") in ("O-O", "O-O-O")
        kind = _CASTLE_LONG if castling[2] else _CASTLE_SHORT
        return Spelling(kind, 0, 0, 0, False, "" if usual else f"castling is spelt {text}")
    cleaned = _EN_PASSANT.sub("", text.translate(_FIGURINES))
    found = _LENIENT.fullmatch(cleaned)
    if found:
        return _taken_apart(found, f"{text} is not in standard notation")
    return None


def _taken_apart(found: re.Match[str], note: str) -> Spelling:
    letter, file, rank, target, promotion = found.groups("")
    origin = chess.BB_ALL
    if file:
        origin &= chess.BB_FILES[ord(file) - 97]
    if rank:
        origin &= chess.BB_RANKS[int(rank) - 1]
    piece = _PIECES[letter]
    if not letter and file and rank:
        # The text has coordinates (g1f3): the man on the first square moves, whatever its kind.
        piece = 0
        note = note or f"{found[0]} is not in standard notation"
    elif piece == chess.PAWN and not file:
        origin &= chess.BB_FILES[ord(target[0]) - 97]
    return Spelling(
        piece,
        origin,
        chess.parse_square(target),
        _PROMOTED[promotion.upper()] if promotion else 0,
        bool(file),
        note,
    )


def play(board: chess.Board, wanted: Spelling) -> moves.Move:
    """Make the one legal move that `wanted` can mean. Raises `MoveError` and leaves the board unchanged if no
    legal move or several legal moves fit."""
    piece = wanted.piece
    if piece <= 0:
        return _play_special(board, wanted)
    to = wanted.target
    turn = board.turn
    own = board.occupied_co[turn]
    to_bb = 1 << to
    if own & to_bb:
        raise MoveError("is illegal: one's own piece stands there")
    occupied = board.occupied
    if piece == 1:
        return _play_pawn(board, wanted)
    if wanted.promotion:
        raise MoveError("is illegal: only pawns promote")
    if piece == 2:
        candidates = chess.BB_KNIGHT_ATTACKS[to] & board.knights
    elif piece == 6:
        candidates = chess.BB_KING_ATTACKS[to] & board.kings
    else:
        candidates = 0
        if piece != 4:
            pieces = board.bishops if piece == 3 else board.queens
            candidates = chess.BB_DIAG_ATTACKS[to][chess.BB_DIAG_MASKS[to] & occupied] & pieces
        if piece != 3:
            pieces = board.rooks if piece == 4 else board.queens
            candidates |= (
                chess.BB_RANK_ATTACKS[to][chess.BB_RANK_MASKS[to] & occupied]
                | chess.BB_FILE_ATTACKS[to][chess.BB_FILE_MASKS[to] & occupied]
            ) & pieces
    candidates &= own & wanted.origin
    if candidates & (candidates - 1):
        candidates = sum(
            1 << square for square in chess.scan_forward(candidates) if _safe(board, 1 << square, to_bb, 0)
        )
        if candidates & (candidates - 1):
            fitting = " and ".join(chess.square_name(square) for square in chess.scan_forward(candidates))
            raise MoveError(f"is ambiguous: it fits the pieces on {fitting}")
    if not candidates:
        raise MoveError("is illegal: no such piece can go there")
    if not _safe(board, candidates, to_bb, 0):
        raise MoveError("is illegal: the king would be left in check")
    _make(board, piece, candidates, to_bb, 0)
    board.ep_square = None
    return (candidates.bit_length() - 1) | to << 6


def _play_pawn(board: chess.Board, wanted: Spelling) -> moves.Move:
    to = wanted.target
    to_bb = 1 << to
    turn = board.turn
    mine = board.pawns & board.occupied_co[turn]
    step = 8 if turn else -8
    captured_ep = 0
    double = False
    if board.occupied_co[not turn] & to_bb or (to == board.ep_square and wanted.has_file):
        candidates = chess.BB_PAWN_ATTACKS[not turn][to] & mine & wanted.origin
        if to == board.ep_square and not board.occupied & to_bb:
            captured_ep = 1 << (to - step)
    else:
        candidates = 0
        below = to - step
        if 0 <= below < 64:
            behind = 1 << below
            if behind & mine:
                candidates = behind
            elif to >> 3 == (3 if turn else 4) and not board.occupied & behind:
                candidates = (1 << (below - step)) & mine
                double = True
        candidates &= wanted.origin
    last_rank = to_bb & chess.BB_BACKRANKS != 0
    if not candidates:
        raise MoveError("is illegal: no pawn can go there")
    if candidates & (candidates - 1):
        candidates = sum(
            1 << square
            for square in chess.scan_forward(candidates)
            if _safe(board, 1 << square, to_bb, captured_ep)
        )
        if candidates & (candidates - 1):
            raise MoveError("is ambiguous: two pawns can capture there")
    if last_rank != bool(wanted.promotion):
        raise MoveError(
            "does not say what the pawn becomes" if last_rank else "is illegal: too early to promote"
        )
    if not candidates or not _safe(board, candidates, to_bb, captured_ep):
        raise MoveError("is illegal: the king would be left in check")
    _make(board, 1, candidates, to_bb, captured_ep, wanted.promotion)
    board.ep_square = to - step if double else None
    origin = candidates.bit_length() - 1
    if wanted.promotion:
        return origin | to << 6 | _PROMOTION_FLAGS[wanted.promotion] << 12
    return origin | to << 6 | (moves.EN_PASSANT << 12 if captured_ep else 0)


def _play_special(board: chess.Board, wanted: Spelling) -> moves.Move:
    if wanted.piece == _NULL:
        king = board.king(board.turn)
        if king is None or board.is_check():
            raise MoveError("is illegal: a king in check cannot pass")
        board.ep_square = None
        board.halfmove_clock += 1
        _pass_turn(board)
        return moves.pack(king, king, moves.NULL)
    if wanted.piece:
        return _castle(board, wanted.piece == _CASTLE_SHORT)
    # The text has coordinates. A king that moves two files, or onto his own rook, castles.
    origin = wanted.origin.bit_length() - 1
    piece = board.piece_type_at(origin)
    if piece is None or not board.occupied_co[board.turn] & wanted.origin:
        raise MoveError("is illegal: none of the mover's pieces stands there")
    if piece == chess.KING:
        onto_rook = board.occupied_co[board.turn] & board.rooks & 1 << wanted.target
        far = abs(origin % 8 - wanted.target % 8) > 1 and origin // 8 == wanted.target // 8
        if onto_rook or far:
            return _castle(board, wanted.target > origin)
    return play(board, Spelling(piece, wanted.origin, wanted.target, wanted.promotion, True))


def _castle(board: chess.Board, short: bool) -> moves.Move:
    wanted = None
    for move in board.generate_castling_moves():
        if board.is_kingside_castling(move) == short:
            wanted = move
    if wanted is None:
        raise MoveError("is illegal: castling is not possible")
    king = wanted.from_square
    backrank = chess.BB_RANK_1 if board.turn else chess.BB_RANK_8
    rooks = board.clean_castling_rights() & backrank
    rook = (chess.msb(rooks) if short else chess.lsb(rooks)) if rooks else wanted.to_square
    board.push(wanted)
    board.clear_stack()
    return moves.pack(king, rook, moves.CASTLE)


def _safe(board: chess.Board, origin: int, target: int, captured_ep: int) -> bool:
    """Whether the mover's king is safe after a move that obeys all other rules."""
    own = board.occupied_co[board.turn]
    foe = board.occupied_co[not board.turn] & ~target & ~captured_ep
    kings = board.kings & own
    king = (target if kings & origin else kings).bit_length() - 1
    if king < 0:
        return True
    queens = board.queens
    if (
        chess.BB_KNIGHT_ATTACKS[king] & board.knights & foe
        or chess.BB_PAWN_ATTACKS[board.turn][king] & board.pawns & foe
        or chess.BB_KING_ATTACKS[king] & board.kings & foe
    ):
        return False
    occupied = board.occupied & ~origin & ~captured_ep | target
    sliders = (board.bishops | queens) & foe
    if sliders and chess.BB_DIAG_ATTACKS[king][chess.BB_DIAG_MASKS[king] & occupied] & sliders:
        return False
    sliders = (board.rooks | queens) & foe
    return not sliders or not (
        (
            chess.BB_RANK_ATTACKS[king][chess.BB_RANK_MASKS[king] & occupied]
            | chess.BB_FILE_ATTACKS[king][chess.BB_FILE_MASKS[king] & occupied]
        )
        & sliders
    )


def _make(
    board: chess.Board, piece: int, origin: int, target: int, captured_ep: int, promotion: int = 0
) -> None:
    """Move a man on the bitboards of python-chess, without adding to the board's history. The caller sets the
    en passant square."""
    turn = board.turn
    colours = board.occupied_co
    taken = colours[not turn] & target | captured_ep
    if taken:
        keep = ~taken
        board.pawns &= keep
        board.knights &= keep
        board.bishops &= keep
        board.rooks &= keep
        board.queens &= keep
        board.kings &= keep
        colours[not turn] &= keep
    change = origin | target
    if piece == 1:
        if promotion:
            board.pawns ^= origin
            if promotion == 5:
                board.queens |= target
            elif promotion == 2:
                board.knights |= target
            elif promotion == 4:
                board.rooks |= target
            else:
                board.bishops |= target
        else:
            board.pawns ^= change
    elif piece == 2:
        board.knights ^= change
    elif piece == 3:
        board.bishops ^= change
    elif piece == 4:
        board.rooks ^= change
    elif piece == 5:
        board.queens ^= change
    else:
        board.kings ^= change
        board.castling_rights &= chess.BB_RANK_8 if turn else chess.BB_RANK_1
    colours[turn] ^= change
    board.occupied = colours[0] | colours[1]
    board.promoted = 0
    if board.castling_rights:
        board.castling_rights &= ~change
    if piece == 1 or taken:
        board.halfmove_clock = 0
    else:
        board.halfmove_clock += 1
    _pass_turn(board)


def _pass_turn(board: chess.Board) -> None:
    if not board.turn:
        board.fullmove_number += 1
    board.turn = not board.turn

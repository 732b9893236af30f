"""Finds the one legal move that a text can mean, and plays this move. The module is compiled to machine code.
The functions do not see the text: the callers parse the text and pass its parts, such as the target square.

These functions decide as `playing` does: both modules have the same candidates and the same order of tests.
`playing` uses the boards of python-chess. These functions use bitboards in an array. A position is twelve
words from `base` on:

    0 pawns, 1 knights, 2 bishops, 3 rooks, 4 queens, 5 kings, 6 White's men, 7 Black's men,
    8 the rooks that may castle, 9 en passant square plus one (0 = none), 10 side to move,
    11 free for the caller

Each side has exactly one king. If a move cannot be played, the function returns -1 and leaves the board
unchanged.
"""

from __future__ import annotations

from cqlgui.board import attacks, moves, squares
from cqlgui.jit import words
from cqlgui.jit.words import Word, Words

WORDS = 12
"""The number of words of a position."""

_BACK_RANKS: tuple[Word, ...] = (squares.RANKS[0], squares.RANKS[7])
_ENDS: Word = squares.RANKS[0] | squares.RANKS[7]


@words.apart
def play_piece(board: Words, base: int, kind: int, origin: Word, to: int) -> int:
    """Move a man from one of the squares `origin` to the square `to`. `kind` is the kind of the man, from 2
    (knight) to 6 (king)."""
    turn = int(board[base + 10])
    own = board[base + 6 + turn]
    target = squares.BIT[to]
    if (own | board[base + 5]) & target:
        # Capturing a king would leave a side without a king.
        return -1
    occupied = board[base + 6] | board[base + 7]
    candidates = board[base + kind - 1] & own & origin
    if kind == 2:
        candidates &= attacks.KNIGHT_ATTACKS[to]
    elif kind == 6:
        candidates &= attacks.KING_ATTACKS[to]
    elif kind == 3:
        candidates &= attacks.bishop_attacks(to, occupied)
    elif kind == 4:
        candidates &= attacks.rook_attacks(to, occupied)
    else:
        candidates &= attacks.bishop_attacks(to, occupied) | attacks.rook_attacks(to, occupied)
    chosen = _only_safe(board, base, candidates, target, words.word(0))
    if not chosen:
        return -1
    _make(board, base, kind, chosen, target, words.word(0), 0)
    board[base + 9] = 0
    return words.lowest(chosen) | to << 6


@words.apart
def play_pawn(board: Words, base: int, origin: Word, to: int, named: bool, promotion: int) -> int:
    """Move a pawn from one of the squares `origin` to the square `to`. `named` says that the text names the
    pawn's file. `promotion` is 0, or a kind from 2 (knight) to 5 (queen)."""
    turn = int(board[base + 10])
    own = board[base + 6 + turn]
    foe = board[base + 7 - turn]
    target = squares.BIT[to]
    if (own | board[base + 5]) & target:
        # Capturing a king would leave a side without a king.
        return -1
    occupied = own | foe
    mine = board[base] & own
    passed = int(board[base + 9]) - 1
    step = 8 - 16 * turn
    taken = words.word(0)
    candidates = words.word(0)
    double = False
    if foe & target or (to == passed and named):
        candidates = attacks.PAWN_ATTACKS[to + 64 * (1 - turn)] & mine & origin
        if to == passed and not occupied & target:
            taken = squares.BIT[to - step]
    else:
        below = to - step
        if 0 <= below < 64:
            behind = squares.BIT[below]
            if behind & mine:
                candidates = behind
            elif to >> 3 == 3 + turn and not occupied & behind:
                candidates = squares.BIT[below - step] & mine
                double = True
        candidates &= origin
    if bool(target & _ENDS) != bool(promotion):
        return -1
    chosen = _only_safe(board, base, candidates, target, taken)
    if not chosen:
        return -1
    _make(board, base, 1, chosen, target, taken, promotion)
    board[base + 9] = to - step + 1 if double else 0
    flag = promotion + moves.PROMOTE_N - 2 if promotion else moves.EN_PASSANT if taken else 0
    return words.lowest(chosen) | to << 6 | flag << 12


@words.apart
def play_castling(board: Words, base: int, short: bool) -> int:
    """Castle on the king's or the queen's side."""
    turn = int(board[base + 10])
    own = board[base + 6 + turn]
    occupied = own | board[base + 7 - turn]
    king_bit = board[base + 5] & own & _BACK_RANKS[turn]
    if not king_bit:
        return -1
    king = words.lowest(king_bit)
    rights = board[base + 8] & board[base + 3] & own & _BACK_RANKS[turn]
    # There is at most one rook with a castling right on each side of the king.
    rights &= ~(king_bit - 1) if short else king_bit - 1
    if not rights:
        return -1
    rook = words.lowest(rights)
    king_end = king & 56 | (6 if short else 2)
    rook_end = king & 56 | (5 if short else 3)
    king_way = attacks.BETWEEN[king][king_end]
    others = occupied & ~(king_bit | rights)
    landing = squares.BIT[king_end] | squares.BIT[rook_end]
    if others & (king_way | attacks.BETWEEN[rook][rook_end] | landing):
        return -1
    way = king_way | king_bit
    while way:
        if attacked(board, base, words.lowest(way), occupied & ~king_bit):
            return -1
        way &= way - 1
    # In Chess960 the castling rook may have shielded the square where the king arrives.
    if attacked(board, base, king_end, others | squares.BIT[rook_end]):
        return -1
    board[base + 5] = board[base + 5] & ~king_bit | squares.BIT[king_end]
    board[base + 3] = board[base + 3] & ~rights | squares.BIT[rook_end]
    board[base + 6 + turn] = own & ~(king_bit | rights) | landing
    board[base + 8] = board[base + 8] & ~_BACK_RANKS[turn]
    board[base + 9] = 0
    board[base + 10] = 1 - turn
    return king | rook << 6 | moves.CASTLE << 12


@words.apart
def play_null(board: Words, base: int) -> int:
    """Make a null move. A side in check cannot make a null move."""
    turn = int(board[base + 10])
    own = board[base + 6 + turn]
    king = words.lowest(board[base + 5] & own)
    if attacked(board, base, king, own | board[base + 7 - turn]):
        return -1
    board[base + 9] = 0
    board[base + 10] = 1 - turn
    return king | king << 6 | moves.NULL << 12


def attacked(board: Words, base: int, square: int, occupied: Word) -> bool:
    """Whether a man of the side that is not to move attacks a square, given the occupied squares."""
    turn = int(board[base + 10])
    foe = board[base + 7 - turn]
    queens = board[base + 4]
    if (
        attacks.KNIGHT_ATTACKS[square] & board[base + 1]
        | attacks.PAWN_ATTACKS[square + 64 * turn] & board[base]
        | attacks.KING_ATTACKS[square] & board[base + 5]
    ) & foe:
        return True
    bishops = (board[base + 2] | queens) & foe
    if bishops & (attacks.DIAGONAL_LINES[square] | attacks.COUNTER_LINES[square]) and (
        attacks.bishop_attacks(square, occupied) & bishops
    ):
        return True
    rooks = (board[base + 3] | queens) & foe
    return bool(rooks & (attacks.RANK_LINES[square] | attacks.FILE_LINES[square])) and bool(
        attacks.rook_attacks(square, occupied) & rooks
    )


def _only_safe(board: Words, base: int, candidates: Word, target: Word, taken: Word) -> Word:
    """The only candidate that can move to `target` without leaving the king attacked; 0 if no candidate or
    several candidates can."""
    chosen = words.word(0)
    while candidates:
        start = candidates & -candidates
        candidates ^= start
        if _safe(board, base, start, target, taken):
            if chosen:
                return words.word(0)
            chosen = start
    return chosen


def _safe(board: Words, base: int, start: Word, target: Word, taken: Word) -> bool:
    """Whether the mover's king is safe after a move that obeys all other rules."""
    turn = int(board[base + 10])
    own = board[base + 6 + turn]
    foe = board[base + 7 - turn] & ~(target | taken)
    kings = board[base + 5] & own
    king = words.lowest(target if kings & start else kings)
    queens = board[base + 4]
    if (
        attacks.KNIGHT_ATTACKS[king] & board[base + 1]
        | attacks.PAWN_ATTACKS[king + 64 * turn] & board[base]
        | attacks.KING_ATTACKS[king] & board[base + 5]
    ) & foe:
        return False
    occupied = (own | board[base + 7 - turn]) & ~(start | taken) | target
    bishops = (board[base + 2] | queens) & foe
    if bishops & (attacks.DIAGONAL_LINES[king] | attacks.COUNTER_LINES[king]) and (
        attacks.bishop_attacks(king, occupied) & bishops
    ):
        return False
    rooks = (board[base + 3] | queens) & foe
    return not (rooks & (attacks.RANK_LINES[king] | attacks.FILE_LINES[king])) or not (
        attacks.rook_attacks(king, occupied) & rooks
    )


def _make(board: Words, base: int, kind: int, start: Word, target: Word, taken: Word, promotion: int) -> None:
    """Move a man and change the side to move. The caller sets the en passant square."""
    turn = int(board[base + 10])
    gone = board[base + 7 - turn] & (target | taken)
    if gone:
        for place in range(6):
            board[base + place] = board[base + place] & ~gone
        board[base + 7 - turn] = board[base + 7 - turn] & ~gone
    change = start | target
    if promotion:
        board[base] = board[base] ^ start
        board[base + promotion - 1] = board[base + promotion - 1] | target
    else:
        board[base + kind - 1] = board[base + kind - 1] ^ change
    board[base + 6 + turn] = board[base + 6 + turn] ^ change
    rights = board[base + 8]
    if rights:
        rights &= ~change
        if kind == 6:
            rights &= ~_BACK_RANKS[turn]
        board[base + 8] = rights
    board[base + 10] = 1 - turn

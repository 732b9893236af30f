"""Legal moves, mate and stalemate."""

from __future__ import annotations

from cqlgui.board import attacks, men, moves, position, squares
from cqlgui.board.men import Colour
from cqlgui.board.moves import Move
from cqlgui.board.position import Position
from cqlgui.board.squares import Bitboard, Square
from cqlgui.jit.words import Words


def legal_moves(p: Position) -> list[Move]:
    """The legal moves, including castling but no null moves. If the side to move has no king, all pseudolegal
    moves are legal."""
    king = position.king_square(p.men, p.turn)
    if king < 0:
        return pseudolegal_moves(p)
    checked = position.attackers(p, king, 1 - p.turn) != 0
    pinned = 0 if checked else _pinned(p.men, king, p.turn)
    found = []
    for move in pseudolegal_moves(p):
        kind = move >> 12
        start = move & 63
        doubtful = checked or start == king or pinned >> start & 1 or kind == moves.EN_PASSANT
        if kind == moves.CASTLE or not doubtful or leaves_king_safe(p.men, p.turn, move):
            found.append(move)
    return found


def pseudolegal_moves(p: Position) -> list[Move]:
    """The moves that obey the rules of movement. They may leave the mover's king in check, but castling moves
    obey all rules."""
    found: list[Move] = []
    turn = p.turn
    base = 6 * turn
    own = p.black if turn else p.white
    occupied = squares.ALL ^ p.men[0]
    for kind in (2, 3, 4, 5, 6):
        standing = p.men[base + kind]
        while standing:
            bit = standing & -standing
            standing ^= bit
            start = bit.bit_length() - 1
            reached = attacks.attacks_from(kind, start, occupied) & ~own
            while reached:
                target = reached & -reached
                reached ^= target
                found.append(start | target.bit_length() - 1 << 6)
    _pawn_moves(found, p.men[base + 1], occupied, occupied & ~own, turn, p.ep)
    if p.castling:
        _castling_moves(found, p.men, p.castling, turn)
    return found


def is_pseudolegal(p: Position, move: Move) -> bool:
    """True when `move` is one of `pseudolegal_moves`."""
    start, end = move & 63, move >> 6 & 63
    man = p.squares[start]
    if man == men.EMPTY or men.is_black(man) != (p.turn == men.BLACK):
        return False
    kind = man - 6 * p.turn
    own = p.black if p.turn else p.white
    occupied = squares.ALL ^ p.men[0]
    found: list[Move] = []
    if move >> 12 == moves.CASTLE:
        if p.castling:
            _castling_moves(found, p.men, p.castling, p.turn)
        return move in found
    if kind == men.PAWN:
        _pawn_moves(found, 1 << start, occupied, occupied & ~own, p.turn, p.ep)
        return move in found
    return move >> 12 == moves.NORMAL and attacks.attacks_from(man, start, occupied) & ~own & 1 << end != 0


def has_legal_move(p: Position) -> bool:
    """True when the side to move can move."""
    return any(
        move >> 12 == moves.CASTLE or leaves_king_safe(p.men, p.turn, move) for move in pseudolegal_moves(p)
    )


def is_mate(p: Position) -> bool:
    """True when the side to move is in check and has no legal move."""
    return position.in_check(p) and not has_legal_move(p)


def is_stalemate(p: Position) -> bool:
    """True when the side to move is not in check and has no legal move. It does not matter whether the game
    continues."""
    return not position.in_check(p) and not has_legal_move(p)


def leaves_king_safe(table: Words, turn: Colour, move: Move) -> bool:
    """True when the mover's king is not attacked after a pseudolegal move, or when the mover has no king. The
    move must not be castling."""
    king = position.king_square(table, turn)
    if king < 0:
        return True
    start, end = move & 63, move >> 6 & 63
    occupied = (squares.ALL ^ table[0]) & ~(1 << start) | 1 << end
    # A man on the target square is captured and no longer attacks.
    gone = 1 << end
    if move >> 12 == moves.EN_PASSANT:
        gone = 1 << (start & 56 | end & 7)
        occupied &= ~gone
    if start == king:
        king = end
    return position.attackers_given(table, king, 1 - turn, occupied) & ~gone == 0


def _pinned(table: Words, king: Square, turn: Colour) -> Bitboard:
    """The men that stand alone between the king and an enemy line piece. A pinned man of the king's colour
    must stay on the line between the king and the line piece, or capture this piece."""
    base = 6 - 6 * turn
    occupied = squares.ALL ^ table[0]
    snipers = (table[base + 3] | table[base + 5]) & (
        attacks.DIAGONAL_LINES[king] | attacks.COUNTER_LINES[king]
    )
    snipers |= (table[base + 4] | table[base + 5]) & (attacks.RANK_LINES[king] | attacks.FILE_LINES[king])
    pinned = 0
    row = attacks.BETWEEN[king]
    while snipers:
        bit = snipers & -snipers
        snipers ^= bit
        blockers = row[bit.bit_length() - 1] & occupied
        if blockers & blockers - 1 == 0:
            pinned |= blockers
    return pinned


def _pawn_moves(
    found: list[Move], pawns: Bitboard, occupied: Bitboard, enemies: Bitboard, turn: Colour, ep: Square
) -> None:
    step = -8 if turn else 8
    home, last = (6, 0) if turn else (1, 7)
    while pawns:
        bit = pawns & -pawns
        pawns ^= bit
        start = bit.bit_length() - 1
        captures = attacks.PAWN_ATTACKS[64 * turn + start]
        targets = captures & enemies
        ahead = start + step
        if 0 <= ahead < 64 and not occupied >> ahead & 1:
            targets |= 1 << ahead
            if start >> 3 == home and not occupied >> ahead + step & 1:
                targets |= 1 << ahead + step
        while targets:
            target = targets & -targets
            targets ^= target
            end = target.bit_length() - 1
            word = start | end << 6
            if end >> 3 == last:
                for kind in (7, 6, 5, 4):
                    found.append(word | kind << 12)
            else:
                found.append(word)
        if ep >= 0 and captures >> ep & 1 and start >> 3 == (3 if turn else 4) and not occupied >> ep & 1:
            found.append(start | ep << 6 | moves.EN_PASSANT << 12)


def _castling_moves(found: list[Move], table: Words, castling: Bitboard, turn: Colour) -> None:
    king = position.king_square(table, turn)
    if king < 0 or king >> 3 != 7 * turn:
        return
    rooks = castling & table[4 + 6 * turn] & 0xFF << 56 * turn
    occupied = squares.ALL ^ table[0]
    while rooks:
        bit = rooks & -rooks
        rooks ^= bit
        rook = bit.bit_length() - 1
        king_end = king & 56 | (6 if rook > king else 2)
        rook_end = king & 56 | (5 if rook > king else 3)
        king_way = attacks.BETWEEN[king][king_end]
        others = occupied & ~(1 << king | bit)
        if others & (king_way | 1 << king_end | attacks.BETWEEN[rook][rook_end] | 1 << rook_end):
            continue
        if _attacked(table, king_way | 1 << king, 1 - turn, occupied & ~(1 << king)):
            continue
        # In Chess960 the castling rook may have shielded the square where the king arrives.
        if _attacked(table, 1 << king_end, 1 - turn, others | 1 << rook_end):
            continue
        found.append(king | rook << 6 | moves.CASTLE << 12)


def _attacked(table: Words, targets: Bitboard, by_colour: Colour, occupied: Bitboard) -> bool:
    while targets:
        bit = targets & -targets
        targets ^= bit
        if position.attackers_given(table, bit.bit_length() - 1, by_colour, occupied):
            return True
    return False

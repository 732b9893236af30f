"""Economy of mates and stalemates (spec 15): which men take part, and whether each square around the king is
guarded only once.

The functions depend only on a position. The loser is the side whose king is mated or stalemated. The other
side is the winner. `king` is the loser's king. A man is *pinned* if he stands alone on a line between his
king and an enemy piece that moves along this line.
"""

from __future__ import annotations

from typing import Final

from cqlgui.base.data import dataclass
from cqlgui.board import attacks, legality, men, moves, position
from cqlgui.board.position import Position
from cqlgui.board.squares import Bitboard, Square, bits
from cqlgui.cql.interpreting.runtime import relations


def mate(p: Position, demand: str) -> Bitboard:
    """The men that take part in a mate of the side to move. If the mate does not meet the demand, the set is
    empty.

    `demand` is `pure`, `model` (pure, and all officers of the winner take part) or `ideal` (pure, and all men
    of both sides take part). The caller must make sure that the side to move is mated.
    """
    scene = _scene(p)
    if not _is_pure_mate(scene):
        return 0
    winners, losers = _mating_men(scene), _mated_men(scene)
    if demand == "model" and _officers(scene) & ~winners:
        return 0
    if demand == "ideal" and (scene.winners & ~winners or scene.losers & ~losers):
        return 0
    return winners | losers


def stalemate(p: Position, demand: str) -> Bitboard:
    """The men that take part in a stalemate of the side to move. If the stalemate does not meet the demand,
    the set is empty.

    All men of the loser take part. `demand` is `pure`, `model` (pure, and all officers of the winner take
    part) or `ideal` (pure, and all men of the winner take part). The caller must make sure that the side to
    move is stalemated.
    """
    if position.king_square(p.men, p.turn) < 0:
        return 0
    scene = _scene(p)
    free = scene.field & ~scene.losers
    for square in bits(scene.field):
        due = 1 if (free | scene.pinned) >> square & 1 else 0
        if position.attackers(p, square, scene.winner).bit_count() != due:
            return 0
    winners = _pinned_winners(scene) | _pinners(scene, scene.losers) | _attackers_of_field(scene)
    if demand == "model" and _officers(scene) & ~winners:
        return 0
    if demand == "ideal" and scene.winners & ~winners:
        return 0
    return winners | scene.losers


@dataclass(frozen=True, slots=True)
class _Scene:
    """Data about one position, shared by the functions of this module."""

    position: Position
    king: Square
    winner: int
    winners: Bitboard
    losers: Bitboard
    occupied: Bitboard
    field: Bitboard
    """The squares around the king."""
    checkers: Bitboard
    pinned: Bitboard
    """The loser's men that are pinned to their king."""


def _scene(p: Position) -> _Scene:
    king = position.king_square(p.men, p.turn)
    occupied = p.occupied
    losers = p.black if p.turn else p.white
    winners = occupied ^ losers
    pinned = 0
    for pinner in bits(_line_pieces(p, 1 - p.turn)):
        between = _reach(p, pinner, king) & occupied
        if between and between & between - 1 == 0:
            pinned |= between & losers
    return _Scene(
        p, king, 1 - p.turn, winners, losers, occupied, attacks.KING_ATTACKS[king],
        position.attackers(p, king, 1 - p.turn), pinned,
    )  # fmt: skip


def _line_pieces(p: Position, colour: int) -> Bitboard:
    base = 6 * colour
    return p.men[base + men.WB] | p.men[base + men.WR] | p.men[base + men.WQ]


def _reach(p: Position, start: Square, end: Square) -> Bitboard:
    """The squares strictly between the line piece on `start` and the square `end`. If the piece does not move
    along a line through both squares, the set is empty."""
    return attacks.BETWEEN[start][end] if _aims(p, start, end) else 0


def _aims(p: Position, start: Square, end: Square) -> bool:
    """Whether a line piece stands on `start` and moves along a line through `end`. Men between the two
    squares are ignored."""
    direction = attacks.direction_between(start, end)
    return direction >= 0 and relations.line_piece_directions(p.squares[start]) >> direction & 1 == 1


# --- mates --------------------------------------------------------------------------------------------------


def _is_pure_mate(scene: _Scene) -> bool:
    for square in bits(scene.field):
        guards = _guards(scene, square)
        if not scene.losers >> square & 1:
            if guards.bit_count() != 1:
                return False
        elif guards and not (guards.bit_count() == 1 and _must_stay(scene, square)):
            return False
    if scene.checkers.bit_count() < 2:
        return True
    if scene.checkers.bit_count() > 2:
        # More than two checkers occur only in constructed positions. A mate by more than two checkers is not
        # pure: if one checker were removed, no man could answer the other checks.
        return False
    return all(_is_needed(scene, checker) for checker in bits(scene.checkers))


def _guards(scene: _Scene, square: Square) -> Bitboard:
    """The winner's men that guard a square against the loser's king. These men attack the square, or would
    attack the square if the king did not stand in between."""
    found = position.attackers(scene.position, square, scene.winner)
    for checker in bits(scene.checkers):
        if _reach(scene.position, checker, square) >> scene.king & 1:
            found |= 1 << checker
    return found


def _must_stay(scene: _Scene, square: Square) -> bool:
    """Whether a man of the winner may guard `square` in a pure mate. The square is beside the loser's king,
    and a loser's man stands on the square. The guard is allowed if there is exactly one checker, and the
    loser's man is pinned and could answer the check if he were not pinned."""
    if scene.checkers.bit_count() != 1 or not scene.pinned >> square & 1:
        return False
    checker = scene.checkers.bit_length() - 1
    answers = scene.checkers | attacks.BETWEEN[checker][scene.king]
    reached, en_passant = _pseudolegal_targets(scene.position).get(square, (0, False))
    return bool(reached & answers) or en_passant


def _is_needed(scene: _Scene, checker: Square) -> bool:
    """Whether a checker of a double check is needed. The checker is needed if an unpinned man other than the
    king could answer the check of the other checker."""
    (other,) = bits(scene.checkers ^ 1 << checker)
    squares = 1 << other | attacks.BETWEEN[other][scene.king]
    free = scene.losers & ~scene.pinned & ~(1 << scene.king)
    return any(_attacked_from(scene, man) & squares for man in bits(free))


def _attacked_from(scene: _Scene, square: Square) -> Bitboard:
    return attacks.attacks_from(scene.position.squares[square], square, scene.occupied)


def _pseudolegal_targets(p: Position) -> dict[Square, tuple[Bitboard, bool]]:
    """For each man of the side to move, the target squares of his pseudolegal moves, and whether he could
    capture en passant. Castling is left out."""
    found: dict[Square, tuple[Bitboard, bool]] = {}
    for move in legality.pseudolegal_moves(p):
        kind = moves.flag(move)
        if kind == moves.CASTLE:
            continue
        squares, en_passant = found.get(moves.origin(move), (0, False))
        found[moves.origin(move)] = (
            squares | 1 << moves.target(move),
            en_passant or kind == moves.EN_PASSANT,
        )
    return found


def _answers(scene: _Scene) -> Bitboard:
    """The squares that the loser's men would have to reach to answer the check. These are the squares of the
    winner's king and of the checkers, and the squares between the checkers and the loser's king."""
    found = scene.checkers | scene.position.men[men.KING + 6 * scene.winner]
    for checker in bits(scene.checkers):
        found |= attacks.BETWEEN[checker][scene.king]
    return found


def _mating_men(scene: _Scene) -> Bitboard:
    """The winner's men that take part in a mate."""
    found = scene.checkers | _attackers_of_field(scene) | _pinned_winners(scene)
    if scene.checkers.bit_count() == 1:
        answers = _answers(scene)
        refuters = 0
        for square, (reached, _) in _pseudolegal_targets(scene.position).items():
            if reached & answers:
                refuters |= 1 << square
        found |= _pinners(scene, refuters) | _blockers(scene, refuters, answers) & scene.winners
    return found


def _mated_men(scene: _Scene) -> Bitboard:
    """The loser's men that take part in a mate."""
    p = scene.position
    lines = _line_pieces(p, p.turn)
    winning_king = p.men[men.KING + 6 * scene.winner]
    found = 1 << scene.king | scene.field & scene.losers | _blockers(scene, lines, winning_king)
    if scene.checkers.bit_count() == 1:
        found |= _blockers(scene, lines, _answers(scene))
    return found & scene.losers


# --- parts --------------------------------------------------------------------------------------------------

_OFFICERS: Final = (men.WN, men.WB, men.WR, men.WQ)


def _officers(scene: _Scene) -> Bitboard:
    found = 0
    for man in _OFFICERS:
        found |= scene.position.men[man + 6 * scene.winner]
    return found


def _attackers_of_field(scene: _Scene) -> Bitboard:
    found = 0
    for man in bits(scene.winners):
        if _attacked_from(scene, man) & scene.field:
            found |= 1 << man
    return found


def _pinned_winners(scene: _Scene) -> Bitboard:
    """The winner's men that are pinned to the winner's king."""
    kings = scene.position.men[men.KING + 6 * scene.winner]
    return _blockers(scene, _line_pieces(scene.position, 1 - scene.winner), kings) & scene.winners


def _pinners(scene: _Scene, pinned: Bitboard) -> Bitboard:
    """The winner's men that pin a man of `pinned` to the loser's king."""
    found = 0
    for pinner in bits(_line_pieces(scene.position, scene.winner)):
        between = _reach(scene.position, pinner, scene.king) & scene.occupied
        if between & between - 1 == 0 and between & pinned & scene.pinned:
            found |= 1 << pinner
    return found


def _blockers(scene: _Scene, lines: Bitboard, targets: Bitboard) -> Bitboard:
    """The men that stand alone between a square of `targets` and a line piece (queen, rook or bishop) on a
    square of `lines`. Bishops count only on diagonals, and rooks only on ranks and files."""
    found = 0
    for start in bits(lines):
        for end in bits(targets):
            between = _reach(scene.position, start, end) & scene.occupied
            if between and between & between - 1 == 0:
                found |= between
    return found

"""Kernels for economical mates and stalemates. Each kernel works on one record (`layout`). The rules agree
with `cql.interpreting.runtime.economy`.

The *losers* are the men of the side to move, and `king` is the square of the losers' king. `economy` explains
all other terms.
"""

from __future__ import annotations

from typing import Final

from cqlgui.board import attacks, directions, legality, moves, position, squares
from cqlgui.cql.interpreting.runtime import relations
from cqlgui.engine.kernels import routines
from cqlgui.engine.replaying import layout
from cqlgui.jit import kernels, words
from cqlgui.jit.words import Bytes, Word, Words

UNIT: Final = kernels.Unit(
    "routines_mates", [layout, attacks, directions, legality, moves, position, relations, routines, squares]
)

PURE: Final = 0
MODEL: Final = 1
IDEAL: Final = 2

_ALL: Final[Word] = squares.ALL


@UNIT.kernel
def mate_picture(record: Words, board: Bytes, demand: int) -> Word:
    """The men that take part in a mate of the side to move. The result is empty if the mate is less
    economical than `demand` (`PURE`, `MODEL`, `IDEAL`). The position must be a mate."""
    turn = int(record[layout.TURN])
    king = position.king_square(record, turn)
    losers = _side(record, turn)
    pinned = _pinned(record, board, king, losers)
    checkers = position.attackers_given(record, king, 1 - turn, _ALL ^ record[0])
    if not _is_pure(record, board, king, losers, pinned, checkers):
        return words.word(0)
    winners = _mating_men(record, board, king, pinned, checkers)
    mated = _mated_men(record, board, king, losers, checkers)
    if demand == MODEL and _officers(record, 1 - turn) & ~winners != 0:
        return words.word(0)
    if demand == IDEAL and (_side(record, 1 - turn) & ~winners != 0 or losers & ~mated != 0):
        return words.word(0)
    return winners | mated


@UNIT.kernel
def stalemate_picture(record: Words, board: Bytes, demand: int) -> Word:
    """The men that take part in a stalemate of the side to move. The result is empty if the stalemate is less
    economical than `demand` (`PURE`, `MODEL`, `IDEAL`). The position must be a stalemate."""
    turn = int(record[layout.TURN])
    king = position.king_square(record, turn)
    if king < 0:
        return words.word(0)
    losers = _side(record, turn)
    pinned = _pinned(record, board, king, losers)
    field = attacks.KING_ATTACKS[king]
    due = field & ~losers | pinned
    left = words.word(field)
    while left != 0:
        square = words.lowest(left)
        guards = position.attackers_given(record, square, 1 - turn, _ALL ^ record[0]).bit_count()
        if guards != (1 if due >> square & 1 != 0 else 0):
            return words.word(0)
        left &= left - 1
    winners = _shields(record, board, 1 - turn)
    winners |= _pinners(record, board, king, losers & pinned)
    winners |= _attackers_of(record, board, 1 - turn, field)
    if demand == MODEL and _officers(record, 1 - turn) & ~winners != 0:
        return words.word(0)
    if demand == IDEAL and _side(record, 1 - turn) & ~winners != 0:
        return words.word(0)
    return winners | losers


# --- purity of a mate ---------------------------------------------------------------------------------------


def _is_pure(record: Words, board: Bytes, king: int, losers: Word, pinned: Word, checkers: Word) -> bool:
    winner = 1 - int(record[layout.TURN])
    left = words.word(attacks.KING_ATTACKS[king])
    while left != 0:
        square = words.lowest(left)
        bit = left & -left
        left &= left - 1
        guards = _guards(record, board, king, square, winner, checkers)
        count = guards.bit_count()
        if losers & bit == 0:
            if count != 1:
                return False
        elif count > 1 or (count == 1 and not _must_stay(record, king, square, pinned, checkers)):
            return False
    if checkers.bit_count() < 2:
        return True
    if checkers.bit_count() > 2:
        return False
    left = checkers
    while left != 0:
        if not _is_needed(record, board, king, losers & ~pinned, checkers ^ (left & -left)):
            return False
        left &= left - 1
    return True


@words.apart
def _guards(record: Words, board: Bytes, king: int, square: int, winner: int, checkers: Word) -> Word:
    """The winner's men that keep the king from a square. A guard attacks the square, or is a checker that
    would attack the square through the king."""
    found = position.attackers_given(record, square, winner, _ALL ^ record[0])
    left = checkers
    while left != 0:
        if _reach(board, words.lowest(left), square) >> king & 1 != 0:
            found |= left & -left
        left &= left - 1
    return found


@words.apart
def _must_stay(record: Words, king: int, square: int, pinned: Word, checkers: Word) -> bool:
    """A man of the losers stands on `square`, beside his king. Returns whether the winner may guard this
    square in a pure mate. The winner may guard the square if there is only one checker, the man is pinned,
    and the man could meet the check if he were not pinned."""
    if checkers.bit_count() != 1 or pinned >> square & 1 == 0:
        return False
    answers = checkers | attacks.BETWEEN[words.lowest(checkers)][king]
    if _goals(record, square, routines.ANY_MOVE) & answers != 0:
        return True
    return _goals(record, square, routines.IN_PASSING) != 0


@words.apart
def _is_needed(record: Words, board: Bytes, king: int, free: Word, other: Word) -> bool:
    """Whether one of the two checkers in a double check is needed. `other` is the other checker. Without the
    first checker, only `other` would give check. The first checker is needed if some man could then meet the
    check."""
    answers = other | attacks.BETWEEN[words.lowest(other)][king]
    left = free & ~(1 << king)
    while left != 0:
        if _attacked_from(record, board, words.lowest(left)) & answers != 0:
            return True
        left &= left - 1
    return False


# --- who takes part -----------------------------------------------------------------------------------------


def _mating_men(record: Words, board: Bytes, king: int, pinned: Word, checkers: Word) -> Word:
    turn = int(record[layout.TURN])
    found = checkers | _attackers_of(record, board, 1 - turn, attacks.KING_ATTACKS[king])
    found |= _shields(record, board, 1 - turn)
    if checkers.bit_count() == 1:
        answers = _answers(record, king, checkers)
        refuters = words.word(0)
        left = _side(record, turn)
        while left != 0:
            reached = _goals(record, words.lowest(left), routines.ANY_MOVE)
            if reached & answers != 0:
                refuters |= left & -left
            left &= left - 1
        found |= _pinners(record, board, king, refuters & pinned)
        found |= _blockers(record, board, refuters, answers) & _side(record, 1 - turn)
    return found


def _mated_men(record: Words, board: Bytes, king: int, losers: Word, checkers: Word) -> Word:
    turn = int(record[layout.TURN])
    lines = _line_pieces(record, turn)
    found = 1 << king | attacks.KING_ATTACKS[king] | _blockers(record, board, lines, record[12 - 6 * turn])
    if checkers.bit_count() == 1:
        found |= _blockers(record, board, lines, _answers(record, king, checkers))
    return found & losers


def _answers(record: Words, king: int, checkers: Word) -> Word:
    """The squares that the losers would have to reach to meet the check. These squares hold a checker or the
    winner's king, or lie between a checker and the losers' king."""
    found = checkers | record[12 - 6 * int(record[layout.TURN])]
    left = checkers
    while left != 0:
        found |= attacks.BETWEEN[words.lowest(left)][king]
        left &= left - 1
    return found


@words.apart
def _attackers_of(record: Words, board: Bytes, colour: int, area: Word) -> Word:
    """The men of a colour that attack a square of a set."""
    found = words.word(0)
    left = _side(record, colour)
    while left != 0:
        if _attacked_from(record, board, words.lowest(left)) & area != 0:
            found |= left & -left
        left &= left - 1
    return found


def _shields(record: Words, board: Bytes, colour: int) -> Word:
    """The men of a colour that are pinned to their own king."""
    kings = record[6 + 6 * colour]
    return _blockers(record, board, _line_pieces(record, 1 - colour), kings) & _side(record, colour)


@words.apart
def _pinned(record: Words, board: Bytes, king: int, losers: Word) -> Word:
    """The losers' men that are pinned to their king."""
    found = words.word(0)
    left = _line_pieces(record, 1 - int(record[layout.TURN]))
    while left != 0:
        between = _reach(board, words.lowest(left), king) & ~record[0]
        if between & between - 1 == 0:
            found |= between & losers
        left &= left - 1
    return found


@words.apart
def _pinners(record: Words, board: Bytes, king: int, pinned: Word) -> Word:
    """The winner's men that pin one of the men `pinned` to the king."""
    found = words.word(0)
    left = _line_pieces(record, 1 - int(record[layout.TURN]))
    while left != 0:
        between = _reach(board, words.lowest(left), king) & ~record[0]
        if between & between - 1 == 0 and between & pinned != 0:
            found |= left & -left
        left &= left - 1
    return found


# --- parts --------------------------------------------------------------------------------------------------


def _side(record: Words, colour: int) -> Word:
    base = 6 * colour
    found = record[base + 1] | record[base + 2] | record[base + 3]
    return found | record[base + 4] | record[base + 5] | record[base + 6]


def _officers(record: Words, colour: int) -> Word:
    base = 6 * colour
    return record[base + 2] | record[base + 3] | record[base + 4] | record[base + 5]


def _line_pieces(record: Words, colour: int) -> Word:
    base = 6 * colour
    return record[base + 3] | record[base + 4] | record[base + 5]


@words.apart
def _reach(board: Bytes, start: int, end: int) -> Word:
    """Squares strictly between a line piece on `start` and the square `end`. There are no squares if the
    piece does not move along a line from `start` to `end`."""
    direction = attacks.direction_between(start, end)
    if direction < 0 or relations.line_piece_directions(int(board[start])) >> direction & 1 == 0:
        return words.word(0)
    return words.word(attacks.BETWEEN[start][end])


@words.apart
def _goals(record: Words, square: int, kind: int) -> Word:
    """The squares that the man on a square can reach, even if the move exposes his king."""
    return routines.possible(record, 1 << square, _ALL, 1, kind, routines.GOALS)


@words.apart
def _attacked_from(record: Words, board: Bytes, square: int) -> Word:
    return attacks.attacks_from(int(board[square]), square, _ALL ^ record[0])


@words.apart
def _blockers(record: Words, board: Bytes, lines: Word, targets: Word) -> Word:
    """Each man that is the only man between a line piece of `lines` and a square of `targets`. The line piece
    must be a piece that moves along the line to this square."""
    found = words.word(0)
    while lines != 0:
        start = words.lowest(lines)
        left = targets
        while left != 0:
            between = _reach(board, start, words.lowest(left)) & ~record[0]
            if between & between - 1 == 0:
                found |= between
            left &= left - 1
        lines &= lines - 1
    return found

"""The rules of chess for compiled queries. The kernels of this module work on one record, and generated code
calls the kernels by address.

`record` is the position (`layout`), and `board` has the sixty-four man codes of the position. Each kernel
returns the result of the interpreter's function for the same filter. All results, and all arguments except
`record` and `board`, are sets, numbers and truth values.
"""

from __future__ import annotations

from typing import Final

from cqlgui.board import attacks, directions, legality, moves, position, squares
from cqlgui.engine.replaying import layout
from cqlgui.jit import kernels, words
from cqlgui.jit.words import Word, Words

UNIT: Final = kernels.Unit("routines", [layout, attacks, directions, legality, moves, position, squares])

_ALL: Final[Word] = squares.ALL
_NOT_A: Final[Word] = squares.ALL ^ squares.FILES[0]
_NOT_H: Final[Word] = squares.ALL ^ squares.FILES[7]
_NOT_AB: Final[Word] = _NOT_A ^ squares.FILES[1]
_NOT_GH: Final[Word] = _NOT_H ^ squares.FILES[6]


# --- attacks ------------------------------------------------------------------------------------------------


@UNIT.kernel
def attackers(record: Words, sources: Word, targets: Word) -> Word:
    """Squares of `sources` with a man that attacks a square of `targets`."""
    standing = sources & (_ALL ^ record[0])
    if targets == 0 or standing == 0:
        return words.word(0)
    beside_up = (targets & _NOT_H) >> 7 | (targets & _NOT_A) >> 9
    beside_down = words.word((targets & _NOT_A) << 7 | (targets & _NOT_H) << 9)
    found = standing & (record[1] & beside_up | record[7] & beside_down)
    leapers = standing & (record[2] | record[8])
    if leapers != 0:
        found |= leapers & leaps(targets)
    kings = standing & (record[6] | record[12])
    if kings != 0:
        found |= kings & steps_around(targets)
    straight = record[4] | record[5] | record[10] | record[11]
    slanted = record[3] | record[5] | record[9] | record[11]
    if standing & (straight | slanted) != 0:
        found |= _line_attackers(record, standing, straight, slanted, targets)
    return found


def _line_attackers(record: Words, standing: Word, straight: Word, slanted: Word, targets: Word) -> Word:
    """The attackers that are line pieces. The search starts from the targets or from the line pieces,
    whichever are fewer."""
    occupied = _ALL ^ record[0]
    straight &= standing
    slanted &= standing
    found = words.word(0)
    if targets.bit_count() < (straight | slanted).bit_count():
        while targets != 0:
            square = words.lowest(targets)
            targets &= targets - 1
            if straight & _STRAIGHT_LINES[square] != 0:
                found |= straight & attacks.rook_attacks(square, occupied)
            if slanted & _SLANTED_LINES[square] != 0:
                found |= slanted & attacks.bishop_attacks(square, occupied)
        return found
    left = straight
    while left != 0:
        square = words.lowest(left)
        if attacks.rook_attacks(square, occupied) & targets != 0:
            found |= left & -left
        left &= left - 1
    left = slanted
    while left != 0:
        square = words.lowest(left)
        if attacks.bishop_attacks(square, occupied) & targets != 0:
            found |= left & -left
        left &= left - 1
    return found


@UNIT.kernel
def attacked(record: Words, targets: Word, sources: Word) -> Word:
    """Squares of `targets` that a man on `sources` attacks."""
    standing = sources & (_ALL ^ record[0])
    if targets == 0 or standing == 0:
        return words.word(0)
    white = standing & record[1]
    black = standing & record[7]
    reached = words.word((white & _NOT_A) << 7 | (white & _NOT_H) << 9)
    reached |= (black & _NOT_H) >> 7 | (black & _NOT_A) >> 9
    leapers = standing & (record[2] | record[8])
    if leapers != 0:
        reached |= leaps(leapers)
    kings = standing & (record[6] | record[12])
    if kings != 0:
        reached |= steps_around(kings)
    occupied = _ALL ^ record[0]
    left = standing & (record[4] | record[5] | record[10] | record[11])
    while left != 0:
        reached |= attacks.rook_attacks(words.lowest(left), occupied)
        left &= left - 1
    left = standing & (record[3] | record[5] | record[9] | record[11])
    while left != 0:
        reached |= attacks.bishop_attacks(words.lowest(left), occupied)
        left &= left - 1
    return reached & targets


@UNIT.kernel
def leaps(area: Word) -> Word:
    """Squares a knight's move away from a square of a set."""
    one = area >> 1 & _NOT_H | words.word(area << 1) & _NOT_A
    two = area >> 2 & _NOT_GH | words.word(area << 2) & _NOT_AB
    return words.word(one << 16) | one >> 16 | words.word(two << 8) | two >> 8


@UNIT.kernel
def steps_around(area: Word) -> Word:
    """Squares a king's step away from a square of a set."""
    wide = _beside(area)
    return area >> 1 & _NOT_H | words.word(area << 1) & _NOT_A | words.word(wide << 8) | wide >> 8


@UNIT.kernel
def between(left: Word, right: Word) -> Word:
    """Squares strictly between a square of `left` and a square of `right` on the same line."""
    found = words.word(0)
    while left != 0:
        start = words.lowest(left)
        others = right
        while others != 0:
            found |= attacks.BETWEEN[start][words.lowest(others)]
            others &= others - 1
        left &= left - 1
    return found


ENDS: Final = 0
STARTS: Final = 1


@UNIT.kernel
def rays(record: Words, sets: Words, count: int, mask: int, attack: int, side: int) -> Word:
    """The first squares (`STARTS`) or the last squares (`ENDS`) of the rays that pass through the sets in
    order. If `attack` is not 0, a line piece that moves along the ray must stand on the first square of the
    ray."""
    found = words.word(0)
    firsts = sets[0]
    if attack != 0:
        firsts &= _line_pieces(record)
    left = sets[count - 1]
    if not _can_pass(sets, count) or left == 0:
        return found
    if firsts.bit_count() < left.bit_count():
        while firsts != 0:
            ends = _ends(record, sets, count, mask, attack, firsts & -firsts, left)
            if side == ENDS:
                found |= ends
            elif ends != 0:
                found |= firsts & -firsts
            firsts &= firsts - 1
        return found
    while left != 0:
        starts = _starts(record, sets, count, mask, attack, firsts, left & -left)
        if side == STARTS:
            found |= starts
        elif starts != 0:
            found |= left & -left
        left &= left - 1
    return found


@UNIT.kernel
def ray_men(record: Words, sets: Words, count: int, mask: int, attack: int) -> Word:
    """The first and last squares of the rays that `rays` would find, and the squares of all men in
    between."""
    occupied = _ALL ^ record[0]
    found = words.word(0)
    firsts = sets[0]
    if attack != 0:
        firsts &= _line_pieces(record)
    left = sets[count - 1]
    if not _can_pass(sets, count):
        return found
    while left != 0:
        starts = _starts(record, sets, count, mask, attack, firsts, left & -left)
        if starts != 0:
            end = words.lowest(left)
            found |= starts | left & -left
            while starts != 0:
                found |= attacks.BETWEEN[words.lowest(starts)][end] & occupied
                starts &= starts - 1
        left &= left - 1
    return found


@UNIT.kernel
def ray_count(record: Words, sets: Words, count: int, mask: int, attack: int) -> int:
    """The number of rays that `rays` would find. Rays with the same first square and the same last square
    count as one ray."""
    found = 0
    firsts = sets[0]
    if attack != 0:
        firsts &= _line_pieces(record)
    left = sets[count - 1]
    if not _can_pass(sets, count):
        return 0
    while left != 0:
        found += _starts(record, sets, count, mask, attack, firsts, left & -left).bit_count()
        left &= left - 1
    return found


def _line_pieces(record: Words) -> Word:
    return record[3] | record[4] | record[5] | record[9] | record[10] | record[11]


_MOST_SETS: Final = 8
"""A ray through more sets than this number never matches. A line has eight squares, and each set takes one
square."""


def _can_pass(sets: Words, count: int) -> bool:
    """Whether a line has room for one square of each set. Every set between the first and the last must
    contain a square."""
    if count > _MOST_SETS:
        return False
    missing = False
    for number in range(1, count - 1):
        missing |= sets[number] == 0
    return not missing


def _starts(
    record: Words, sets: Words, count: int, mask: int, attack: int, firsts: Word, end_bit: Word
) -> Word:
    """The squares of `firsts` where a ray to the square `end_bit` begins."""
    end = words.lowest(end_bit)
    straight = _STRAIGHT_LINES[end]
    slanted = _SLANTED_LINES[end]
    if attack != 0:
        straight &= record[4] | record[5] | record[10] | record[11]
        slanted &= record[3] | record[5] | record[9] | record[11]
    left = firsts & (straight | slanted)
    starts = words.word(0)
    while left != 0:
        if _joins(record, sets, count, mask, words.lowest(left), end):
            starts |= left & -left
        left &= left - 1
    return starts


def _ends(
    record: Words, sets: Words, count: int, mask: int, attack: int, start_bit: Word, lasts: Word
) -> Word:
    """The squares of `lasts` where a ray from the square `start_bit` ends."""
    start = words.lowest(start_bit)
    straight = _STRAIGHT_LINES[start]
    slanted = _SLANTED_LINES[start]
    if attack != 0:
        if start_bit & (record[3] | record[9]) != 0:
            straight = words.word(0)
        if start_bit & (record[4] | record[10]) != 0:
            slanted = words.word(0)
    left = lasts & (straight | slanted)
    ends = words.word(0)
    while left != 0:
        if _joins(record, sets, count, mask, start, words.lowest(left)):
            ends |= left & -left
        left &= left - 1
    return ends


def _joins(record: Words, sets: Words, count: int, mask: int, start: int, end: int) -> bool:
    """Whether a ray leads from `start` to `end`. The two squares must be on the same line."""
    between = words.word(attacks.BETWEEN[start][end])
    standing = between & (_ALL ^ record[0])
    # If a man stands between the two squares, the man's square must belong to one of the sets between the
    # first set and the last set.
    if mask != 0xFF and mask >> attacks.DIRECTION_TO[start << 6 | end] & 1 == 0:
        return False
    if count == 2:
        return standing == 0
    if count == 3:
        return standing & standing - 1 == 0 and (between if standing == 0 else standing) & sets[1] != 0
    return standing.bit_count() <= count - 2 and _passes(
        sets, count, between, between & standing, start < end
    )


def _passes(sets: Words, count: int, between: Word, occupied: Word, upwards: bool) -> bool:
    """Whether the sets between the first and the last can be placed in order on the squares `between`. Each
    set takes one of its own squares, and every square in `occupied` must be taken."""
    last = count - 1
    if last == 1:
        return True
    # Bit k says that the first k + 1 sets can be placed on the squares passed so far.
    reached = 1
    while between != 0:
        square = words.lowest(between) if upwards else words.highest(between)
        bit = 1 << square
        between &= ~bit
        advanced = 0
        for k in range(last - 1):
            if reached >> k & 1 != 0 and sets[k + 1] & bit != 0:
                advanced |= 2 << k
        if occupied & bit != 0:
            reached = advanced
            if reached == 0:
                return False
        else:
            reached |= advanced
    return reached >> last - 1 & 1 != 0


PIN_FROM: Final = 0
PIN_THROUGH: Final = 1


@UNIT.kernel
def pins(record: Words, sources: Word, shields: Word, goals: Word, chosen: int) -> Word:
    """The squares of all pins: the pinning men (`PIN_FROM`), the pinned men (`PIN_THROUGH`), or the squares
    behind the pinned men. A square behind a pinned man is empty or holds a man of the pinned man's colour."""
    occupied = _ALL ^ record[0]
    found = words.word(0)
    for colour in range(2):
        base = 6 * colour
        own = record[base + 1] | record[base + 2] | record[base + 3]
        own |= record[base + 4] | record[base + 5] | record[base + 6]
        straight = (record[base + 5] | record[base + 4]) & sources
        slanted = (record[base + 5] | record[base + 3]) & sources
        pinned = occupied & ~own & shields
        if straight | slanted == 0 or pinned == 0:
            continue
        left = goals & ~own
        while left != 0:
            goal = words.lowest(left)
            left &= left - 1
            snipers = straight & _STRAIGHT_LINES[goal]
            snipers |= slanted & _SLANTED_LINES[goal]
            while snipers != 0:
                source = words.lowest(snipers)
                snipers &= snipers - 1
                shield = attacks.BETWEEN[goal][source] & occupied
                if shield & pinned != 0 and shield & shield - 1 == 0:
                    if chosen == PIN_FROM:
                        found |= 1 << source
                    elif chosen == PIN_THROUGH:
                        found |= shield
                    else:
                        found |= 1 << goal
    return found


# --- pawns --------------------------------------------------------------------------------------------------


@UNIT.kernel
def passed_pawns(record: Words) -> Word:
    """Pawns with no enemy pawn in front on the same file or on a neighbouring file."""
    white = record[1]
    black = record[7]
    return white & ~_beside(_behind(black)) | black & ~_beside(_ahead(white))


@UNIT.kernel
def connected_pawns(record: Words) -> Word:
    """Pawns with another pawn of their colour on a neighbouring file."""
    return _connected(record[1]) | _connected(record[7])


@UNIT.kernel
def isolated_pawns(record: Words) -> Word:
    """Pawns with no other pawn of their colour on a neighbouring file."""
    return record[1] & ~_connected(record[1]) | record[7] & ~_connected(record[7])


@UNIT.kernel
def doubled_pawns(record: Words) -> Word:
    """Pawns with another pawn of their colour on the same file."""
    white = record[1]
    black = record[7]
    return white & (_ahead(white) | _behind(white)) | black & (_ahead(black) | _behind(black))


def _beside(area: Word) -> Word:
    return area | (area & _NOT_H) << 1 | (area & _NOT_A) >> 1


def _ahead(area: Word) -> Word:
    area = words.word(area << 8)
    area |= words.word(area << 8)
    area |= words.word(area << 16)
    return area | words.word(area << 32)


def _behind(area: Word) -> Word:
    area >>= 8
    area |= area >> 8
    area |= area >> 16
    return area | area >> 32


def _connected(pawns: Word) -> Word:
    files = pawns | _ahead(pawns) | _behind(pawns)
    return pawns & ((files & _NOT_H) << 1 | (files & _NOT_A) >> 1)


# --- check, mate, moves -------------------------------------------------------------------------------------


@UNIT.kernel
def in_check(record: Words) -> bool:
    """Whether the king of the side to move is attacked."""
    turn = int(record[layout.TURN])
    kings = record[6 + 6 * turn]
    if kings == 0:
        return False
    king = words.highest(kings)
    base = 6 - 6 * turn
    near = attacks.PAWN_ATTACKS[64 * turn + king] & record[base + 1]
    near |= attacks.KNIGHT_ATTACKS[king] & record[base + 2]
    near |= attacks.KING_ATTACKS[king] & record[base + 6]
    if near != 0:
        return True
    # Most line pieces share no line with the king. If a line piece shares a line with the king, another man
    # usually stands between the two.
    queens = record[base + 5]
    far = _STRAIGHT_LINES[king] & (record[base + 4] | queens)
    far |= _SLANTED_LINES[king] & (record[base + 3] | queens)
    while far != 0:
        if attacks.BETWEEN[king][words.lowest(far)] & ~record[0] == 0:
            return True
        far &= far - 1
    return False


_STRAIGHT_LINES: Final[tuple[Word, ...]] = tuple(
    attacks.RANK_LINES[square] | attacks.FILE_LINES[square] for square in range(64)
)
_SLANTED_LINES: Final[tuple[Word, ...]] = tuple(
    attacks.DIAGONAL_LINES[square] | attacks.COUNTER_LINES[square] for square in range(64)
)
"""For each square, the other squares of its rank and file, and the other squares of its diagonals."""


@UNIT.kernel
def is_mate(record: Words) -> bool:
    """Whether the side to move is in check and has no legal move."""
    return in_check(record) and not _can_move(record, words.word(0))


@UNIT.kernel
def is_stalemate(record: Words) -> bool:
    """Whether the side to move is not in check and has no legal move."""
    turn = int(record[layout.TURN])
    kings = record[6 + 6 * turn]
    if kings != 0:
        # A man that shares no line with its king is not pinned. Most sides have such a man that can move.
        # Then they are not stalemated, whether they are in check or not.
        king = words.highest(kings)
        if _moves_at_once(record, _ALL ^ (_STRAIGHT_LINES[king] | _SLANTED_LINES[king])):
            return False
    return not in_check(record) and not _can_move(record, _free(record))


GOALS: Final = 0
ORIGINS: Final = 1

ANY_MOVE: Final = 0
CASTLES: Final = 1
SHORT: Final = 2
LONG: Final = 3
IN_PASSING: Final = 4
"""Kinds of moves that a query can ask for."""


@UNIT.kernel
def possible(record: Words, sources: Word, goals: Word, pseudo: int, kind: int, side: int) -> Word:
    """The origins (`ORIGINS`) or the target squares (`GOALS`) of the possible moves from `sources` to
    `goals`. Castling counts as a move of the king."""
    found = words.word(0)
    left = _movers(record, sources, kind)
    free = words.word(0)
    if pseudo == 0 and left != 0 and not in_check(record):
        free = _free(record)
    while left != 0:
        start = words.lowest(left)
        reached = _targets(record, start, pseudo, kind, free) & goals
        if side == ORIGINS:
            if reached != 0:
                found |= left & -left
        else:
            found |= reached
        left &= left - 1
    return found


@UNIT.kernel
def possible_count(record: Words, sources: Word, goals: Word, pseudo: int, kind: int) -> int:
    """The number of different moves that `possible` would find. Moves with the same origin and the same
    target square count as one move."""
    turn = int(record[layout.TURN])
    left = _movers(record, sources, kind)
    free = words.word(0)
    if pseudo != 0:
        free = _ALL
    elif left != 0 and not in_check(record):
        free = _free(record)
    found = 0
    counted = words.word(0)
    if kind == ANY_MOVE:
        # The kings may castle, so they are not counted together with others.
        counted = left & free & ~record[6 + 6 * turn]
        found = _count_of_free(record, turn, counted, goals)
        left ^= counted & ~_may_pass(record, turn)
    while left != 0:
        start = words.lowest(left)
        one = IN_PASSING if counted >> start & 1 != 0 else kind
        found += (_targets(record, start, pseudo, one, free) & goals).bit_count()
        left &= left - 1
    return found


def _may_pass(record: Words, turn: int) -> Word:
    """The pawns that stand where they can capture en passant."""
    passed = passed_over(record)
    if passed == 0:
        return passed
    return record[1 + 6 * turn] & attacks.PAWN_ATTACKS[64 * (1 - turn) + words.lowest(passed)]


def _count_of_free(record: Words, turn: int, standing: Word, goals: Word) -> int:
    """The number of moves to `goals` of men that cannot expose their king, without captures en passant. There
    are no kings among these men. Moves with the same origin and the same target square count as one move."""
    base = 6 * turn
    empty = record[0]
    own = _own(record, turn)
    occupied = _ALL ^ empty
    enemies = occupied & ~own
    pawns = standing & record[base + 1]
    if turn == 0:
        steps = words.word(pawns << 8) & empty
        double = words.word((steps & 0xFF << 16) << 8) & empty
        west = words.word((pawns & _NOT_A) << 7) & enemies
        east = words.word((pawns & _NOT_H) << 9) & enemies
    else:
        steps = pawns >> 8 & empty
        double = (steps & 0xFF << 40) >> 8 & empty
        west = (pawns & _NOT_A) >> 9 & enemies
        east = (pawns & _NOT_H) >> 7 & enemies
    found = (steps & goals).bit_count() + (double & goals).bit_count()
    found += (west & goals).bit_count() + (east & goals).bit_count()
    goals &= ~own
    left = standing & record[base + 2]
    while left != 0:
        found += (attacks.KNIGHT_ATTACKS[words.lowest(left)] & goals).bit_count()
        left &= left - 1
    left = standing & (record[base + 3] | record[base + 5])
    while left != 0:
        found += (attacks.bishop_attacks(words.lowest(left), occupied) & goals).bit_count()
        left &= left - 1
    left = standing & (record[base + 4] | record[base + 5])
    while left != 0:
        found += (attacks.rook_attacks(words.lowest(left), occupied) & goals).bit_count()
        left &= left - 1
    return found


@UNIT.kernel
def is_possible(record: Words, sources: Word, goals: Word, pseudo: int, kind: int) -> bool:
    """Whether `possible` would find a move."""
    left = _movers(record, sources, kind)
    free = words.word(0)
    if pseudo == 0 and left != 0 and not in_check(record):
        free = _free(record)
    if pseudo == 0 and kind == ANY_MOVE and sources & goals == _ALL:
        return _can_move(record, free)
    while left != 0:
        if _targets(record, words.lowest(left), pseudo, kind, free) & goals != 0:
            return True
        left &= left - 1
    return False


def _free(record: Words) -> Word:
    """The men of the side to move that cannot expose their king by a move, except by a capture en passant.
    The side to move must not be in check."""
    turn = int(record[layout.TURN])
    own = _own(record, turn)
    king = position.king_square(record, turn)
    if king < 0:
        return own
    base = 6 - 6 * turn
    occupied = _ALL ^ record[0]
    queens = record[base + 5]
    snipers = _STRAIGHT_LINES[king] & (record[base + 4] | queens)
    snipers |= _SLANTED_LINES[king] & (record[base + 3] | queens)
    pinned = words.word(1 << king)
    while snipers != 0:
        shield = attacks.BETWEEN[king][words.lowest(snipers)] & occupied
        if shield & shield - 1 == 0:
            pinned |= shield
        snipers &= snipers - 1
    return own & ~pinned


def _movers(record: Words, sources: Word, kind: int) -> Word:
    """The men on `sources` that can have moves of a kind, as far as this is seen at once."""
    turn = int(record[layout.TURN])
    if kind == ANY_MOVE:
        return sources & _own(record, turn)
    if kind == IN_PASSING:
        return sources & record[1 + 6 * turn] if passed_over(record) != 0 else words.word(0)
    rooks = record[layout.CASTLING] & 0xFF << 56 * turn
    return sources & record[6 + 6 * turn] if rooks != 0 else words.word(0)


def _own(record: Words, turn: int) -> Word:
    base = 6 * turn
    return (
        record[base + 1] | record[base + 2] | record[base + 3]
        | record[base + 4] | record[base + 5] | record[base + 6]
    )  # fmt: skip


def _can_move(record: Words, free: Word) -> bool:
    """Whether the side to move has a legal move, including castling. `free` are men that certainly cannot
    expose their king."""
    if _moves_at_once(record, free):
        return True
    turn = int(record[layout.TURN])
    base = 6 * turn
    own = _own(record, turn)
    # The king is tested first, because he can usually move.
    if _steps(record, record[base + 6], 0, ANY_MOVE, free) != 0:
        return True
    return _steps(record, own & ~record[base + 6], 0, ANY_MOVE, free) != 0


def _moves_at_once(record: Words, free: Word) -> bool:
    """Whether a pawn of the side to move can go one step, or a knight can move. Only the men on `free` count,
    and they must not be pinned."""
    turn = int(record[layout.TURN])
    base = 6 * turn
    pawns = free & record[base + 1]
    if (words.word(pawns << 8) if turn == 0 else pawns >> 8) & record[0] != 0:
        return True
    return leaps(free & record[base + 2]) & ~_own(record, turn) != 0


def _steps(record: Words, standing: Word, pseudo: int, kind: int, free: Word) -> Word:
    left = standing
    while left != 0:
        start = words.lowest(left)
        if _targets(record, start, pseudo, kind, free) != 0:
            return 1 << start
        left &= left - 1
    return words.word(0)


@words.apart
def _targets(record: Words, start: int, pseudo: int, kind: int, free: Word) -> Word:
    """The squares that the man on a square can reach. A man of the other side has no squares."""
    turn = int(record[layout.TURN])
    base = 6 * turn
    bit = 1 << start
    if record[base + 1] & bit != 0:
        man = 1
    elif record[base + 2] & bit != 0:
        man = 2
    elif record[base + 3] & bit != 0:
        man = 3
    elif record[base + 4] & bit != 0:
        man = 4
    elif record[base + 5] & bit != 0:
        man = 5
    elif record[base + 6] & bit != 0:
        man = 6
    else:
        return words.word(0)
    own = record[base + 1] | record[base + 2] | record[base + 3]
    own |= record[base + 4] | record[base + 5] | record[base + 6]
    occupied = _ALL ^ record[0]
    enemies = occupied & ~own
    reached = words.word(0)
    passed = words.word(0)
    if man == 1:
        captures = attacks.PAWN_ATTACKS[64 * turn + start]
        reached = captures & enemies
        step = -8 if turn != 0 else 8
        ahead = start + step
        if 0 <= ahead < 64 and occupied >> ahead & 1 == 0:
            reached |= 1 << ahead
            if start >> 3 == (6 if turn != 0 else 1) and occupied >> ahead + step & 1 == 0:
                reached |= 1 << ahead + step
        if start >> 3 == (3 if turn != 0 else 4):
            passed = captures & passed_over(record) & record[0]
    else:
        reached = attacks.attacks_from(man, start, occupied) & ~own
    if kind == IN_PASSING:
        reached = words.word(0)
    elif kind != ANY_MOVE:
        reached = words.word(0)
        passed = words.word(0)
    if pseudo == 0:
        if free & bit == 0:
            reached = _safe(record, turn, start, reached, moves.NORMAL)
        passed = _safe(record, turn, start, passed, moves.EN_PASSANT)
    reached |= passed
    if man == 6 and record[layout.CASTLING] != 0 and kind <= LONG:
        reached |= _castlings(record, turn, start, kind)
    return reached


def _safe(record: Words, turn: int, start: int, reached: Word, flag: int) -> Word:
    """The squares of `reached` to which the man on `start` can move without exposing his king to check."""
    found = words.word(0)
    while reached != 0:
        end = words.lowest(reached)
        if legality.leaves_king_safe(record, turn, start | end << 6 | flag << 12):
            found |= reached & -reached
        reached &= reached - 1
    return found


@words.apart
def _castlings(record: Words, turn: int, king: int, kind: int) -> Word:
    """The squares where the king arrives by castling."""
    if king != position.king_square(record, turn) or king >> 3 != 7 * turn:
        return words.word(0)
    found = words.word(0)
    occupied = _ALL ^ record[0]
    rooks = record[layout.CASTLING] & record[4 + 6 * turn] & 0xFF << 56 * turn
    while rooks != 0:
        bit = rooks & -rooks
        rook = words.lowest(rooks)
        rooks &= rooks - 1
        right = rook > king
        if (kind == SHORT and not right) or (kind == LONG and right):
            continue
        king_end = king & 56 | (6 if right else 2)
        rook_end = king & 56 | (5 if right else 3)
        king_way = attacks.BETWEEN[king][king_end]
        others = occupied & ~(1 << king | bit)
        if others & (king_way | 1 << king_end | attacks.BETWEEN[rook][rook_end] | 1 << rook_end) != 0:
            continue
        if _any_attacked(record, king_way | 1 << king, 1 - turn, occupied & ~(1 << king)):
            continue
        if _any_attacked(record, 1 << king_end, 1 - turn, others | 1 << rook_end):
            continue
        found |= 1 << king_end
    return found


def _any_attacked(record: Words, targets: Word, by_colour: int, occupied: Word) -> bool:
    while targets != 0:
        if position.attackers_given(record, words.lowest(targets), by_colour, occupied) != 0:
            return True
        targets &= targets - 1
    return False


# --- moves of the game --------------------------------------------------------------------------------------

FITS_FROM: Final = 0
FITS_TO: Final = 1


@UNIT.kernel
def fits(record: Words, move: int, sources: Word, goals: Word, capture: int, kinds: int, side: int) -> Word:
    """The from-squares (`FITS_FROM`) or to-squares (`FITS_TO`) of a move for a dash filter (`--`). There are
    no squares if the move does not fit the dash. `record` is the position before the move. `kinds` are the
    wanted promotions as bits; 0 admits any move."""
    start = 1 << (move & 63)
    end = move >> 6 & 63
    goal = 1 << end
    flag = move >> 12
    if flag == moves.CASTLE:
        if capture != 0 or kinds != 0:
            return words.word(0)
        row = move & 56
        right = end > move & 63
        king_end = 1 << (row | (6 if right else 2))
        rook_end = 1 << (row | (5 if right else 3))
        origins = words.word(0)
        landings = words.word(0)
        if sources & start != 0 and goals & king_end != 0:
            origins |= start
            landings |= king_end
        if sources & goal != 0 and goals & rook_end != 0:
            origins |= goal
            landings |= rook_end
        return origins if side == FITS_FROM else landings
    if sources & start == 0:
        return words.word(0)
    if capture != 0:
        if captured(record, move) & goals == 0:
            return words.word(0)
    elif goal & goals == 0:
        return words.word(0)
    if kinds != 0:
        promoted = flag - 2 if moves.PROMOTE_N <= flag <= moves.PROMOTE_Q else 0
        if kinds >> promoted & 1 == 0:
            return words.word(0)
    return start if side == FITS_FROM else goal


@UNIT.kernel
def captured(record: Words, move: int) -> Word:
    """The square of the man that a move captures. `record` is the position before the move."""
    flag = move >> 12
    end = move >> 6 & 63
    if flag == moves.EN_PASSANT:
        return words.word(1 << (move & 56 | end & 7))
    if flag == moves.CASTLE or flag == moves.NULL:
        return words.word(0)
    return words.word(1 << end) & ~record[0]


@UNIT.kernel
def moved(move: int, side: int) -> Word:
    """The from-squares or to-squares of the move that led to a position. There are no squares at the root.
    For castling, the result has the squares of both men."""
    if move == moves.NO_MOVE:
        return words.word(0)
    start = words.word(1 << (move & 63))
    end = move >> 6 & 63
    if move >> 12 == moves.CASTLE:
        row = move & 56
        if side == FITS_FROM:
            return start | 1 << end
        return words.word(3 << (row | 5)) if end > move & 63 else words.word(3 << (row | 2))
    return start if side == FITS_FROM else words.word(1 << end)


@UNIT.kernel
def passed_over(record: Words) -> Word:
    """The square that a pawn passed over in the move that led to a position, as a set. After any move other
    than a pawn's double step, the set is empty. The square is computed on demand, because few queries need
    it."""
    move = int(record[layout.MOVE])
    if move == moves.NO_MOVE:
        return record[layout.PASSED]
    start = move & 63
    end = move >> 6 & 63
    white = (start >> 3 == 1) & (end == start + 16) & (record[1] >> end & 1 != 0)
    black = (start >> 3 == 6) & (end == start - 16) & (record[7] >> end & 1 != 0)
    if move >> 12 == moves.NORMAL and white | black:
        return words.word(1 << (start + end >> 1))
    return words.word(0)


@UNIT.kernel
def landing(move: int) -> Word:
    """The square where the moving man arrives. For castling, this is the square of the king."""
    end = move >> 6 & 63
    if move >> 12 == moves.CASTLE:
        end = move & 56 | (6 if end > move & 63 else 2)
    return words.word(1 << end)


@UNIT.kernel
def promotes(move: int, kinds: int) -> int:
    """1 if `kinds` admits the promotion of a move, and 0 if `kinds` does not. `kinds` has a bit for each kind
    of man. A move without a promotion counts as kind 0."""
    flag = move >> 12
    promoted = flag - 2 if moves.PROMOTE_N <= flag <= moves.PROMOTE_Q else 0
    return kinds >> promoted & 1

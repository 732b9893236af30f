"""Kernels that visit the positions of a game: they find ancestors and children, and follow men from one
position to another. They also find the next position of a `line`, and compare the moves of two variations.

`records` has all positions of a game (`layout`). Work that may take long is counted in the frame's `STEPS`.
"""

from __future__ import annotations

from typing import Final

from cqlgui.board import moves
from cqlgui.engine.kernels import routines
from cqlgui.engine.replaying import layout
from cqlgui.jit import kernels, words
from cqlgui.jit.words import Bytes, Word, Words

UNIT: Final = kernels.Unit("routines_tree", [layout, moves, routines])

_SIZE: Final = layout.SIZE
RUN_BITS: Final = 15
PLACE_BITS: Final = 24
"""The widths of the numbers in the result of `common_run`. Every positionid fits into `PLACE_BITS`."""
_ASKED: Final = 1 << PLACE_BITS + 6
"""This bit stands above a position and a square in the words that `followed` remembers."""


# --- kin ----------------------------------------------------------------------------------------------------


@UNIT.kernel
def ancestor(records: Words, frame: Words, first: int, second: int) -> int:
    """The last common ancestor of two positions. If one position leads to the other position, the result is
    the earlier position."""
    older = first if first < second else second
    younger = second if first < second else first
    steps = 0
    while int(records[older * _SIZE + layout.END]) <= younger:
        older = int(records[older * _SIZE + layout.PARENT])
        steps += 1
    _charge(frame, steps)
    return older


@UNIT.kernel
def above(records: Words, place: int, far: int) -> int:
    """The position `far` moves before a position."""
    while far > 0 and records[place * _SIZE + layout.PARENT] != layout.NONE:
        place = int(records[place * _SIZE + layout.PARENT])
        far -= 1
    return place


@UNIT.kernel
def child(records: Words, frame: Words, place: int, index: int) -> int:
    """The child with the number `index`; -1 if there is no child with this number."""
    if index < 0:
        return -1
    found = records[place * _SIZE + layout.CHILD]
    steps = 0
    while steps < index and found != layout.NONE:
        found = records[int(found) * _SIZE + layout.SIBLING]
        steps += 1
    _charge(frame, steps)
    return -1 if found == layout.NONE else int(found)


@UNIT.kernel
def tries(records: Words, frame: Words, place: int) -> int:
    """Count White's moves on the way from the root to a position. Main continuations do not count."""
    found = 0
    steps = 0
    while records[place * _SIZE + layout.PARENT] != layout.NONE:
        found += _strays(records, place)
        place = int(records[place * _SIZE + layout.PARENT])
        steps += 1
    _charge(frame, steps)
    return found


@UNIT.kernel
def in_virtual_mainline(records: Words, frame: Words, place: int) -> bool:
    """Whether White made only main continuations between the root and a position, and nobody made a null
    move."""
    steps = 0
    stays = True
    while stays and records[place * _SIZE + layout.PARENT] != layout.NONE:
        null = records[place * _SIZE + layout.MOVE] >> 12 == moves.NULL
        stays = not null and _strays(records, place) == 0
        place = int(records[place * _SIZE + layout.PARENT])
        steps += 1
    _charge(frame, steps)
    return stays


def _strays(records: Words, place: int) -> int:
    """1 if the move that leads to a position is a move of White and not a main continuation; 0 for any other
    move."""
    above = int(records[place * _SIZE + layout.PARENT]) * _SIZE
    mine = records[above + layout.TURN] == 0
    return 1 if mine and int(records[above + layout.CHILD]) != place else 0


# --- men ----------------------------------------------------------------------------------------------------


@UNIT.kernel
def carried(men: Word, move: int) -> Word:
    """The squares of some men after a move. A captured man is left out."""
    start = 1 << (move & 63)
    end = move >> 6 & 63
    goal = 1 << end
    flag = move >> 12
    if flag == moves.NULL:
        return men
    if flag == moves.CASTLE:
        row = move & 56
        right = end > move & 63
        found = men & ~(start | goal)
        if men & start != 0:
            found |= 1 << (row | (6 if right else 2))
        if men & goal != 0:
            found |= 1 << (row | (5 if right else 3))
        return found
    found = men & ~(start | goal)
    if flag == moves.EN_PASSANT:
        found &= ~(1 << (move & 56 | end & 7))
    if men & start != 0:
        found |= goal
    return found


@UNIT.kernel
def concerns(men: Word, move: int, capture: int) -> bool:
    """Whether a move moves one of the men that stand on the squares `men` before the move. With `capture`, a
    move that captures one of these men counts too."""
    start = 1 << (move & 63)
    end = move >> 6 & 63
    flag = move >> 12
    if men & start != 0:
        return True
    if flag == moves.CASTLE:
        return men & 1 << end != 0
    if capture == 0 or flag == moves.NULL:
        return False
    victim = (move & 56 | end & 7) if flag == moves.EN_PASSANT else end
    return men & 1 << victim != 0


@UNIT.kernel
def followed(records: Words, frame: Words, start: int, square: Word, goal: int, memo: int) -> Word:
    """The square where a man stands at the position `goal`, as a set. At the position `start` the man stands
    on `square` (a set of one square). The result is empty if `square` is empty, or if the man does not exist
    at `goal` (for example, after a capture).

    `memo` is the place of two words of the frame that remember the last answer, or 0. They shorten the way if
    the same man is followed to one position after another. Without them, a loop over the positions of a game
    would follow the man from `start` each time. The words are 0 at the beginning of each game."""
    if square == 0 or records[start * _SIZE] & square != 0:
        return words.word(0)
    key = _ASKED | words.lowest(square) << PLACE_BITS | start
    if memo != 0 and int(frame[memo]) == key:
        known = int(frame[memo + 1])
        last = known & (1 << PLACE_BITS) - 1
        if last <= goal and goal < int(records[last * _SIZE + layout.END]):
            # The way to `goal` leads through the position of the last answer.
            start = last
            square = words.word(0) if known >> PLACE_BITS == 0 else words.word(1 << (known >> PLACE_BITS) - 1)
            if square == 0:
                return square
    fork = ancestor(records, frame, start, goal)
    ply = int(records[fork * _SIZE + layout.PLY])
    far = int(records[start * _SIZE + layout.PLY]) + int(records[goal * _SIZE + layout.PLY]) - 2 * ply
    if not _charge(frame, far + 1):
        return words.word(0)
    at = start
    while at != fork:
        square = _origin(square, int(records[at * _SIZE + layout.MOVE]))
        at = int(records[at * _SIZE + layout.PARENT])
    while at != goal and square != 0:
        at = int(records[at * _SIZE + layout.CHILD])
        while int(records[at * _SIZE + layout.END]) <= goal:
            if not _charge(frame, 1):
                return words.word(0)
            at = int(records[at * _SIZE + layout.SIBLING])
        square = carried(square, int(records[at * _SIZE + layout.MOVE]))
    if memo != 0 and fork == start and far > 0:
        number = 0 if square == 0 else words.lowest(square) + 1
        frame[memo] = key
        frame[memo + 1] = number << PLACE_BITS | goal
    return square


def _charge(frame: Words, runs: int) -> bool:
    """Count work. After too much work in a game, the function marks the game as doubtful and returns
    False."""
    left = int(frame[layout.STEPS])
    if left <= runs:
        frame[layout.STEPS] = 0
        frame[layout.DOUBT] = 1
        return False
    frame[layout.STEPS] = left - runs
    return True


def _origin(square: Word, move: int) -> Word:
    """The square where a man stood before `move`. After `move`, the man stands on `square`."""
    start = 1 << (move & 63)
    end = move >> 6 & 63
    goal = words.word(1 << end)
    flag = move >> 12
    if flag == moves.NULL:
        return square
    if flag == moves.CASTLE:
        row = move & 56
        right = end > move & 63
        if square == 1 << (row | (6 if right else 2)):
            return words.word(start)
        if square == 1 << (row | (5 if right else 3)):
            return goal
        return square
    return words.word(start) if square == goal else square


@UNIT.kernel
def man_number(records: Words, frame: Words, place: int, square: int) -> int:
    """The number of the man on a square; -1 for an empty square. The men at the root are numbered from a1
    on."""
    first = followed(records, frame, place, words.word(1 << square), 0, 0)
    if first == 0:
        return -1
    return (~records[0] & (first - 1)).bit_count()


@UNIT.kernel
def square_root(number: int) -> int:
    """The square root of `number`, rounded down. `number` must not be negative."""
    root = 0
    bit = 1 << 31
    while bit > 0:
        larger = root + bit
        # 3037000499 is the largest integer n with n * n < 2**63.
        if larger <= 3037000499 and larger * larger <= number:
            root = larger
        bit >>= 1
    return root


# --- lines --------------------------------------------------------------------------------------------------

BACKWARD: Final = 1
PRIMARY: Final = 2
SECONDARY: Final = 4
SINGLE: Final = 8
"""Bits that say which positions may follow in a line. `BACKWARD`: earlier positions. `PRIMARY`: positions
after first moves. `SECONDARY`: positions after all other moves. `SINGLE`: positions with the same side to
move as the previous position of the line."""


@UNIT.kernel
def onward(records: Words, place: int, last: int, order: int) -> int:
    """The next position that may follow `place` in a line; -1 if there is no next position. `last` is the
    position that the previous call returned. If `last` is -1, the result is the first position."""
    if order & BACKWARD != 0:
        if last >= 0:
            return -1
        above = _link(records, place, layout.PARENT)
        if order & SINGLE != 0 and above >= 0:
            return _link(records, above, layout.PARENT)
        return above
    if order & SINGLE == 0:
        return _first(records, place, order) if last < 0 else _next(records, last, order)
    if last < 0:
        between = _first(records, place, order)
    else:
        sister = _next(records, last, order)
        if sister >= 0:
            return sister
        between = _next(records, int(records[last * _SIZE + layout.PARENT]), order)
    while between >= 0:
        found = _first(records, between, order)
        if found >= 0:
            return found
        between = _next(records, between, order)
    return -1


def _link(records: Words, place: int, link: int) -> int:
    found = records[place * _SIZE + link]
    return -1 if found == layout.NONE else int(found)


def _first(records: Words, place: int, order: int) -> int:
    child = _link(records, place, layout.CHILD)
    if order & SECONDARY != 0 and child >= 0:
        return _link(records, child, layout.SIBLING)
    return child


def _next(records: Words, place: int, order: int) -> int:
    if order & PRIMARY != 0:
        return -1
    return _link(records, place, layout.SIBLING)


# --- runs of moves ------------------------------------------------------------------------------------------


@UNIT.kernel
def common_run(records: Words, boards: Bytes, frame: Words, first: int, second: int) -> int:
    """The longest run of equal moves in two variations. The variations lead from the last common ancestor to
    the positions `first` and `second`. The result has the length of the run in its lowest `RUN_BITS` bits,
    then the position after the run in the first variation, in `PLACE_BITS` bits, and then the position in the
    second variation. Of several runs with this length, the result has the run that ends first in the second
    variation, and then in the first one. The result is 0 if one of the positions is the ancestor."""
    fork = ancestor(records, frame, first, second)
    if fork in (first, second):
        return 0
    depth = int(records[fork * _SIZE + layout.PLY])
    far = int(records[first * _SIZE + layout.PLY]) - depth
    wide = int(records[second * _SIZE + layout.PLY]) - depth
    if not _charge(frame, far * wide):
        return 0
    best = 0
    best_first = 0
    best_second = 0
    # The pairs of moves, one move from each variation, form a table. Every diagonal of the table is walked
    # towards the ancestor.
    for offset in range(far + wide - 1):
        a = first
        b = second
        skipped = offset if offset < far else offset - far + 1
        for _ in range(skipped):
            if offset < far:
                a = int(records[a * _SIZE + layout.PARENT])
            else:
                b = int(records[b * _SIZE + layout.PARENT])
        run = 0
        end_first = a
        end_second = b
        while a != fork and b != fork:
            if _same_move(records, boards, a, b):
                if run == 0:
                    end_first = a
                    end_second = b
                run += 1
                earlier = end_second < best_second or (end_second == best_second and end_first < best_first)
                if run > best or (run == best and earlier):
                    best = run
                    best_first = end_first
                    best_second = end_second
            else:
                run = 0
            a = int(records[a * _SIZE + layout.PARENT])
            b = int(records[b * _SIZE + layout.PARENT])
    if best >= 1 << RUN_BITS:
        frame[layout.DOUBT] = 1
        return 0
    return best | best_first << RUN_BITS | best_second << RUN_BITS + PLACE_BITS


def _same_move(records: Words, boards: Bytes, first: int, second: int) -> bool:
    """Whether the moves that lead to two positions have equal squares and equal men."""
    move = records[first * _SIZE + layout.MOVE]
    other = records[second * _SIZE + layout.MOVE]
    if (move ^ other) & 0xFFF != 0:
        return False
    square = int(move & 63)
    man = boards[int(records[first * _SIZE + layout.PARENT]) * 64 + square]
    return man == boards[int(records[second * _SIZE + layout.PARENT]) * 64 + square]

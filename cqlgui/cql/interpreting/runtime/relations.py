"""Relations between sets of squares on a board: steps in directions, rays, squares between two sets, attacks.

The functions work on bitboards, and take the occupied squares as an argument. This module does not depend on
queries or games.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from cqlgui.board import attacks, directions
from cqlgui.board.squares import Bitboard, Square, bits

MAX_STEP: Final = 7


@lru_cache(maxsize=512)
def step_tables(mask: int, low: int, high: int) -> tuple[Bitboard, ...]:
    """A table with a set of squares for each square. The set contains the squares that are k steps away in a
    direction of `mask`, where k takes all values from `low` to `high`.

    A negative k stands for steps in the opposite direction, and k = 0 stands for no step. Both bounds must
    lie in -7..7.
    """
    table = [0] * 64
    for file_step, rank_step in (directions.STEPS[d] for d in directions.members(mask)):
        for distance in range(low, high + 1):
            for square in range(64):
                file = (square & 7) + file_step * distance
                rank = (square >> 3) + rank_step * distance
                if 0 <= file < 8 and 0 <= rank < 8:
                    table[square] |= 1 << (rank * 8 + file)
    return tuple(table)


@lru_cache(maxsize=512)
def step_shifts(mask: int, low: int, high: int) -> tuple[tuple[Bitboard, int], ...]:
    """The steps of `step_tables` as pairs. The first part of a pair contains the squares where the step can
    start without leaving the board. The second part is a number of bits: the step shifts the bitboard to the
    left by this number. A negative number shifts the bitboard to the right."""
    shifts = []
    for direction in directions.members(mask):
        file_step, rank_step = directions.STEPS[direction]
        for distance in range(low, high + 1):
            table = step_tables(1 << direction, distance, distance)
            sources = sum(1 << square for square in range(64) if table[square])
            shifts.append((sources, (rank_step * 8 + file_step) * distance))
    return tuple(shifts)


def between(left: Bitboard, right: Bitboard) -> Bitboard:
    """The squares strictly between a square of `left` and a square of `right` on a common line."""
    found = 0
    for start in bits(left):
        row = attacks.BETWEEN[start]
        for end in bits(right):
            found |= row[end]
    return found


def line_piece_directions(man: int) -> int:
    """The directions of a man's attacks along lines: eight for queens, four for rooks and bishops, none for
    all other men."""
    return _LINE_DIRECTIONS[man]


_LINE_DIRECTIONS: Final = tuple(
    {3: directions.DIAGONAL, 4: directions.ORTHOGONAL, 5: directions.ANY_DIRECTION}.get(
        man - 6 if man > 6 else man, 0
    )
    for man in range(13)
)


def rays(
    sets: Sequence[Bitboard], mask: int, occupied: Bitboard, men: Sequence[int] | None
) -> Iterator[tuple[Square, Square]]:
    """All rays that pass through the sets in order (spec 8.3), as pairs (start, end) without repeats.

    The squares strictly between start and end must be empty, except the squares where the ray meets a set. If
    `men` (the men by square) is given, the start must hold a line piece that moves in the direction of the
    ray.
    """
    last = len(sets) - 1
    for start in bits(sets[0]):
        allowed = mask if men is None else mask & _LINE_DIRECTIONS[men[start]]
        for direction in directions.members(allowed):
            # Bit k of `reached` is 1 if the first k + 1 sets can be assigned to squares passed so far.
            reached = 1
            for square in attacks.RAYS[direction][start]:
                bit = 1 << square
                advanced = 0
                for k in range(last):
                    if reached >> k & 1 and sets[k + 1] & bit:
                        advanced |= 2 << k
                if advanced >> last & 1:
                    yield start, square
                if occupied & bit:
                    reached = advanced
                    if not reached:
                        break
                else:
                    reached |= advanced

"""The eight directions, clockwise from `up` (towards rank 8), and sets of them as 8-bit masks."""

from __future__ import annotations

from typing import TypeAlias

Direction: TypeAlias = int
DirectionMask: TypeAlias = int

UP: Direction = 0
NORTHEAST: Direction = 1
RIGHT: Direction = 2
SOUTHEAST: Direction = 3
DOWN: Direction = 4
SOUTHWEST: Direction = 5
LEFT: Direction = 6
NORTHWEST: Direction = 7

STEPS: tuple[tuple[int, int], ...] = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
"""For each direction, the change of file and the change of rank by one step."""

ORTHOGONAL: DirectionMask = 0b01010101
DIAGONAL: DirectionMask = 0b10101010
ANY_DIRECTION: DirectionMask = 0b11111111

WORDS: dict[str, DirectionMask] = {
    "up": 1 << UP,
    "northeast": 1 << NORTHEAST,
    "right": 1 << RIGHT,
    "southeast": 1 << SOUTHEAST,
    "down": 1 << DOWN,
    "southwest": 1 << SOUTHWEST,
    "left": 1 << LEFT,
    "northwest": 1 << NORTHWEST,
    "diagonal": DIAGONAL,
    "orthogonal": ORTHOGONAL,
    "vertical": 1 << UP | 1 << DOWN,
    "horizontal": 1 << RIGHT | 1 << LEFT,
    "maindiagonal": 1 << NORTHEAST | 1 << SOUTHWEST,
    "offdiagonal": 1 << NORTHWEST | 1 << SOUTHEAST,
    "anydirection": ANY_DIRECTION,
}
"""The fifteen direction words of CQL, each with the basic directions that it means."""

_WORD_OF = {mask: word for word, mask in WORDS.items()}


def word_of(mask: DirectionMask) -> str | None:
    """The direction word that means exactly these directions, or None if no word does."""
    return _WORD_OF.get(mask)


def members(mask: DirectionMask) -> tuple[Direction, ...]:
    """The directions of a mask, in ascending order."""
    return tuple(direction for direction in range(8) if mask >> direction & 1)


def rotate45(mask: DirectionMask, eighths: int = 1) -> DirectionMask:
    """Every direction turned clockwise by `eighths` times 45 degrees (negative: counterclockwise)."""
    turn = eighths % 8
    return (mask << turn | mask >> 8 - turn) & 0xFF

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
"""Change of file and of rank made by one step in each direction."""
OPPOSITE: tuple[Direction, ...] = (4, 5, 6, 7, 0, 1, 2, 3)

NO_DIRECTION: DirectionMask = 0
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
"""The fifteen direction words of the language and the basic directions each stands for."""

_WORD_OF = {mask: word for word, mask in WORDS.items()}


def word_of(mask: DirectionMask) -> str | None:
    """The direction word that stands for exactly these directions, or None where there is none."""
    return _WORD_OF.get(mask)


def members(mask: DirectionMask) -> tuple[Direction, ...]:
    """The directions of a mask, ascending."""
    return tuple(direction for direction in range(8) if mask >> direction & 1)


def rotate45(mask: DirectionMask, eighths: int = 1) -> DirectionMask:
    """Every direction turned clockwise by `eighths` times 45 degrees (negative: counterclockwise)."""
    turn = eighths % 8
    return (mask << turn | mask >> 8 - turn) & 0xFF


def rotate90(mask: DirectionMask) -> DirectionMask:
    """Every direction turned counterclockwise by 90 degrees: up, left, down, right."""
    return rotate45(mask, -2)


def rotate180(mask: DirectionMask) -> DirectionMask:
    """Every direction turned into its opposite."""
    return rotate45(mask, 4)


def rotate270(mask: DirectionMask) -> DirectionMask:
    """Every direction turned counterclockwise by 270 degrees, which is 90 degrees clockwise."""
    return rotate45(mask, 2)


def reflect_left_right(mask: DirectionMask) -> DirectionMask:
    """Files exchanged (a for h): left and right change places."""
    return _reflect(mask, 0)


def reflect_up_down(mask: DirectionMask) -> DirectionMask:
    """Ranks exchanged (1 for 8): up and down change places."""
    return _reflect(mask, 4)


def reflect_main_diagonal(mask: DirectionMask) -> DirectionMask:
    """Mirrored in the diagonal a1-h8: up and right change places."""
    return _reflect(mask, 2)


def reflect_off_diagonal(mask: DirectionMask) -> DirectionMask:
    """Mirrored in the diagonal h1-a8: up and left change places."""
    return _reflect(mask, 6)


def _reflect(mask: DirectionMask, total: int) -> DirectionMask:
    """Direction d becomes `total` - d (mod 8), which mirrors in the axis at `total` / 2 eighths of a turn."""
    image = 0
    for direction in range(8):
        if mask >> direction & 1:
            image |= 1 << (total - direction) % 8
    return image

"""Basic transforms: the images of squares, men and directions under each transform (transforms spec 2 and 3).

A `Basic` is one indivisible map: a symmetry of the board, a swap of colours, a turn of directions by a
multiple of 45 degrees, or a shift. A composition is a list of `Basic` objects. A composition cannot be
replaced by one table with an image for each square. The reason is that a shift leaves complete files and
ranks in place, so the image of a square depends on the whole set. This module works only with square sets,
men masks and direction masks.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from cqlgui.base.data import dataclass
from cqlgui.board import directions as board_directions
from cqlgui.board import men as board_men
from cqlgui.board import motions
from cqlgui.board import squares as board_squares

ALL_SQUARES: Final = board_squares.ALL


class RotatedSquaresError(ValueError):
    """An eighth turn was applied to particular squares or to a square colour. Squares cannot be turned by 45
    degrees."""


@dataclass(frozen=True, slots=True)
class Basic:
    """One basic transform. A basic transform is exactly one of three things: a symmetry (perhaps with a swap
    of colours), a shift, or a turn of directions. A shift first moves squares by `up` ranks, and after that
    by `right` files.

    `name` is CQL's spelling without brackets, empty for the identity. `symmetry` is an index in `SYMMETRIES`.
    `eighths` is the number of counter-clockwise turns of directions by 45 degrees.
    """

    name: str = ""
    symmetry: int = 0
    invert: bool = False
    right: int = 0
    up: int = 0
    eighths: int = 0

    @property
    def swaps_shades(self) -> bool:
        """True if light squares become dark squares."""
        return (self.symmetry in _SHADE_SWAPPING) != bool((self.right + self.up) & 1)


@lru_cache(maxsize=1 << 16)
def map_squares(basic: Basic, squares: int) -> int:
    """The image of a square set. The image may be empty after a shift. Raises `RotatedSquaresError` for an
    eighth turn of particular squares.
    """
    if squares in (0, ALL_SQUARES):
        return squares
    if basic.eighths:
        raise RotatedSquaresError
    if basic.symmetry:
        table = _SQUARE_MAPS[basic.symmetry]
        image = 0
        while squares:
            low = squares & -squares
            image |= 1 << table[low.bit_length() - 1]
            squares ^= low
        squares = image
    if basic.up:
        squares = _shift_up(squares, basic.up)
    if basic.right:
        # The squares are mirrored in the diagonal a1-h8, shifted vertically, and mirrored back.
        squares = _transpose(_shift_up(_transpose(squares), basic.right))
    return squares


def map_men(basic: Basic, men: int) -> int:
    """The image of a men mask. Colours are swapped if the transform inverts colours."""
    return board_men.swap_colours(men) if basic.invert else men


@lru_cache(maxsize=1 << 12)
def map_directions(basic: Basic, directions: int) -> int:
    """The image of a direction mask. Symmetries and turns change directions; shifts do not."""
    sign, turn = _TURNS[basic.symmetry]
    image = 0
    for index in range(8):
        if directions >> index & 1:
            image |= 1 << ((sign * index + turn - basic.eighths) % 8)
    return image


def direction_steps(directions: int) -> tuple[tuple[int, int], ...]:
    """The (file step, rank step) pairs of a direction mask, ascending. Direction sets are sorted by these
    pairs."""
    return tuple(sorted(board_directions.STEPS[index] for index in range(8) if directions >> index & 1))


def of_word(word: str) -> tuple[Basic, ...]:
    """The basic transforms for a transform keyword. The identity, if included, comes first. If
    several transforms give the same image, the first transform names the image."""
    return WORDS[word]


@lru_cache(maxsize=1 << 10)
def motion(transform: str) -> motions.Motion | None:
    """The motion of the board that equals a composed transform such as `<up^3 reflect_v>`. The result is None
    for a turn of directions by an odd multiple of 45 degrees. A shift leaves complete files and ranks in
    place, but the motion does not describe this exception."""
    whole = motions.STILL
    # The outermost part comes first in the name and acts last.
    for name in reversed(transform.strip("<>").split()):
        word, _, number = name.partition("^")
        part = _motion_of(word, int(number or 0))
        if part is None:
            return None
        whole = whole.then(part)
    return whole


def names_of(moved: motions.Motion) -> tuple[str, ...]:
    """The names of the basic transforms of a motion, the outermost first: `motion` of these names, joined by
    blanks, is the same motion. A swap of colours is spelt `invertcolor reflect_h`, as in CQL's orbits."""
    shift = _shift(moved.right, moved.up).name
    symmetry = moved.symmetry
    swap = ""
    if moved.swapped:
        # The swap mirrors the ranks, so the symmetry before it is the one that gives `moved` with it.
        symmetry = motions.Motion(symmetry).then(motions.Motion(_INVERTED.symmetry)).symmetry
        swap = _INVERTED.name
    return tuple(name for name in (shift, swap, SYMMETRIES[symmetry]) if name)


def _motion_of(word: str, number: int) -> motions.Motion | None:
    if word == "invertcolor":
        return motions.Motion(swapped=True)
    if word == "rotate45":
        return None if number % 2 else motions.Motion(_QUARTER_TURNS[number // 2 % 4])
    if word in SYMMETRIES:
        return motions.Motion(SYMMETRIES.index(word))
    return {
        "right": motions.Motion(right=number),
        "left": motions.Motion(right=-number),
        "up": motions.Motion(up=number),
        "down": motions.Motion(up=-number),
    }.get(word)


def _shift_up(squares: int, count: int) -> int:
    """Squares shifted up by `count` ranks (down if negative). A file whose squares are all in the set does
    not move. Other squares that leave the board are removed from the set."""
    files = squares
    for turn in (8, 16, 32):
        files &= (files >> turn) | (files << (64 - turn)) & ALL_SQUARES
    rest = squares & ~files
    moved = rest << (8 * count) & ALL_SQUARES if count > 0 else rest >> (-8 * count)
    return moved | files


def _transpose(squares: int) -> int:
    image = 0
    while squares:
        low = squares & -squares
        square = low.bit_length() - 1
        image |= 1 << ((square & 7) << 3 | square >> 3)
        squares ^= low
    return image


# The symmetries by index. `SYMMETRIES` has the names (transforms spec 7.1). `_TURNS` has a pair (sign, turn)
# for each symmetry and gives the images of direction indices: image = sign * index + turn (mod 8).
SYMMETRIES: Final = (
    "", "reflect_h", "reflect_v", "reflect_a1h8", "reflect_a8h1", "counterclockwise90", "rotate180",
    "clockwise90",
)  # fmt: skip
_TURNS: Final = ((1, 0), (-1, 4), (-1, 0), (-1, 2), (-1, 6), (1, -2), (1, 4), (1, 2))
_QUARTER_TURNS: Final = (0, 5, 6, 7)
_SHADE_SWAPPING: Final = frozenset({1, 2, 5, 7})


def _square_map(symmetry: int) -> tuple[int, ...]:
    images = (motions.image(symmetry, square & 7, square >> 3) for square in range(64))
    return tuple(y * 8 + x for x, y in images)


_SQUARE_MAPS: Final = tuple(_square_map(symmetry) for symmetry in range(8))


def _shift(right: int, up: int) -> Basic:
    parts = []
    if right:
        parts.append(f"right^{right}" if right > 0 else f"left^{-right}")
    if up:
        parts.append(f"up^{up}" if up > 0 else f"down^{-up}")
    return Basic(" ".join(parts), right=right, up=up)


# 0, 1, -1, 2, -2 ...: the shortest shift comes first. If several shifts give the same element, the first
# shift names the element.
_DISTANCES: Final = (0, *(sign * n for n in range(1, 8) for sign in (1, -1)))
_SYMMETRIES: Final = tuple(Basic(name, symmetry=index) for index, name in enumerate(SYMMETRIES))
_INVERTED: Final = Basic("invertcolor reflect_h", symmetry=1, invert=True)

WORDS: Final[dict[str, tuple[Basic, ...]]] = {
    "flip": _SYMMETRIES,
    "flipvertical": (_SYMMETRIES[0], _SYMMETRIES[2]),
    "fliphorizontal": (_SYMMETRIES[0], _SYMMETRIES[1]),
    "flipcolor": (_SYMMETRIES[0], _INVERTED),
    "reversecolor": (_INVERTED,),
    "rotate90": (_SYMMETRIES[0], _SYMMETRIES[5], _SYMMETRIES[6], _SYMMETRIES[7]),
    "rotate45": tuple(Basic(f"rotate45^{n}" if n else "", eighths=n) for n in range(8)),
    "shift": tuple(_shift(right, up) for right in _DISTANCES for up in _DISTANCES),
    "shiftvertical": tuple(_shift(0, up) for up in _DISTANCES),
    "shifthorizontal": tuple(_shift(right, 0) for right in _DISTANCES),
}

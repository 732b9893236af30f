"""Motions of the board: a symmetry, then a shift, and perhaps a change of colours. The motions form a group.

A motion moves points of the plane, so it has an inverse even if squares leave the board. This module does not
use CQL: `cql.transforming.geometry.motion` returns the motion of a transform.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from cqlgui.base.data import dataclass
from cqlgui.board import men, squares
from cqlgui.board.position import Position
from cqlgui.board.squares import Bitboard, Square

Point = tuple[float, float]
"""File and rank, counted from the centre of a1."""


@dataclass(frozen=True, slots=True)
class Motion:
    """A symmetry of the board, then a shift by `right` and `up`.

    `symmetry` is an index of `cql.transforming.geometry.SYMMETRIES`. If the colours are `swapped`, White's
    men become Black's and Black's men become White's. In CQL a swap of colours also mirrors the ranks. Here
    only `symmetry` mirrors the ranks.
    """

    symmetry: int = 0
    right: int = 0
    up: int = 0
    swapped: bool = False

    def point(self, file: int, rank: int) -> tuple[int, int]:
        """The image of a point of the plane, on the board or off it."""
        x, y = image(self.symmetry, file, rank)
        return x + self.right, y + self.up

    def square(self, square: Square) -> Square:
        """The image of a square; `squares.NONE` if the image is off the board."""
        return squares.NONE if square < 0 else _table(self)[square]

    def set(self, board: Bitboard) -> Bitboard:
        """The images of the squares of a set. Squares that leave the board are left out."""
        if self.symmetry == self.right == self.up == 0:
            return board
        moved = 0
        for square in squares.bits(board):
            target = self.square(square)
            moved |= 1 << target if target >= 0 else 0
        return moved

    def man(self, man: men.Man) -> men.Man:
        """The image of a man."""
        if not self.swapped or man == men.EMPTY:
            return man
        return man + 6 if men.is_white(man) else man - 6

    def then(self, other: Motion) -> Motion:
        """This motion followed by another motion."""
        origin = other.point(*self.point(0, 0))
        axes = [other.point(*self.point(*unit)) for unit in ((1, 0), (0, 1))]
        linear = tuple((x - origin[0], y - origin[1]) for x, y in axes)
        symmetry = _LINEAR.index(linear)
        x, y = image(symmetry, 0, 0)
        return Motion(symmetry, origin[0] - x, origin[1] - y, self.swapped != other.swapped)

    @property
    def inverse(self) -> Motion:
        """The inverse motion."""
        back = Motion(_INVERSES[self.symmetry], swapped=self.swapped)
        x, y = back.point(*self.point(0, 0))
        return Motion(back.symmetry, -x, -y, self.swapped)

    @property
    def shifted(self) -> bool:
        """Whether some squares leave the board."""
        return bool(self.right or self.up)

    @property
    def crosses(self) -> bool:
        """Whether files become ranks."""
        return self.symmetry in _CROSSING

    def position(self, shown: Position) -> Position:
        """The position with its men moved. Men that leave the board are removed.

        The en passant square is kept only if the pawns of each colour keep their direction and no square is
        shifted up or down. Castling rights are kept only if, in addition, every file keeps its place.
        """
        moved = Position()
        for square, man in enumerate(shown.squares):
            target = self.square(square)
            if man and target >= 0:
                code, bit = self.man(man), 1 << target
                moved.squares[target] = code
                moved.men[code] |= bit
                moved.men[men.EMPTY] ^= bit
        moved.turn = shown.turn ^ self.swapped
        moved.halfmove = shown.halfmove
        # After a swap of colours, Black's move is shown as a move of White. A move of White begins a new move
        # number.
        moved.fullmove = shown.fullmove + (self.swapped and shown.turn == men.BLACK)
        if self.keeps_pawns and not self.up:
            moved.ep = self.square(shown.ep)
            if self.keeps_castling:
                moved.castling = self.set(shown.castling)
        return moved

    @property
    def mirrors_wings(self) -> bool:
        """Whether the two wings change places."""
        return self.symmetry in (2, 6)

    @property
    def keeps_pawns(self) -> bool:
        """Whether the pawns of each colour keep their direction."""
        return self.symmetry in ((1, 6) if self.swapped else (0, 2))

    @property
    def keeps_castling(self) -> bool:
        """Whether castling is castling after the motion: the pawns keep their direction, and each file keeps
        its place."""
        return self.keeps_pawns and self.symmetry in (0, 1) and not self.shifted


STILL: Final = Motion()
"""The motion that moves nothing (the identity)."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A motion as it can be drawn. A reflection has an `axis` (a point and a direction). A rotation has a
    `centre` and a number of `quarters`, which are quarter turns to the left. A shift has a `vector`."""

    axis: tuple[Point, Point] | None = None
    centre: Point | None = None
    quarters: int = 0
    vector: Point | None = None


def figure(motion: Motion) -> Figure:
    """The axis, centre and vector of a motion; a reflection with a shift may have an axis and a vector."""
    # `right` and `up` are the shift that remains if the symmetry is taken about the centre of the board.
    right, up = float(motion.right), float(motion.up)
    if motion.symmetry in _AXES:
        x, y = _AXES[motion.symmetry]
        along = (right * x + up * y) / (x * x + y * y)
        across = right - along * x, up - along * y
        axis = (_MIDDLE + across[0] / 2, _MIDDLE + across[1] / 2), (float(x), float(y))
        return Figure(axis=axis, vector=(along * x, along * y) if along else None)
    quarters = _QUARTERS.get(motion.symmetry, 0)
    if quarters == 2:
        return Figure(centre=(_MIDDLE + right / 2, _MIDDLE + up / 2), quarters=2)
    if quarters:
        # The centre is the fixed point c, with c = turn(c) + shift.
        sign = 1 if quarters == 1 else -1
        centre = _MIDDLE + (right - sign * up) / 2, _MIDDLE + (sign * right + up) / 2
        return Figure(centre=centre, quarters=quarters)
    return Figure(vector=(right, up) if motion.shifted else None)


def image(symmetry: int, x: int, y: int) -> tuple[int, int]:
    """The image of a point (file, rank) under a symmetry of the board."""
    return (
        (x, y), (x, 7 - y), (7 - x, y), (y, x), (7 - y, 7 - x), (7 - y, x), (7 - x, 7 - y), (y, 7 - x),
    )[symmetry]  # fmt: skip


@lru_cache(maxsize=1 << 10)
def _table(motion: Motion) -> tuple[Square, ...]:
    points = (motion.point(square & 7, square >> 3) for square in range(64))
    return tuple(squares.make_square(x, y) for x, y in points)


def _linear(symmetry: int) -> tuple[tuple[int, int], ...]:
    x, y = image(symmetry, 0, 0)
    return tuple((a - x, b - y) for a, b in (image(symmetry, 1, 0), image(symmetry, 0, 1)))


_MIDDLE: Final = 3.5
_LINEAR: Final = tuple(_linear(symmetry) for symmetry in range(8))
_INVERSES: Final = (0, 1, 2, 3, 4, 7, 6, 5)
_CROSSING: Final = frozenset({3, 4, 5, 7})
_AXES: Final = {1: (1, 0), 2: (0, 1), 3: (1, 1), 4: (1, -1)}
_QUARTERS: Final = {5: 1, 6: 2, 7: 3}

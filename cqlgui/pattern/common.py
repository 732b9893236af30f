"""What several positions have in common, even if the colours are swapped or the wings are mirrored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cqlgui.board import men as codes
from cqlgui.board import squares as boards
from cqlgui.board.position import Position
from cqlgui.pattern.marks import Mark, Pattern

_Placed = frozenset[tuple[int, int]]
"""Men with their squares."""


def common(positions: Sequence[Position]) -> Pattern:
    """The men that stand on the same squares in all of the positions. The result has the colours and the
    wings of the first position.

    Each further position is replaced by one of its four images: unchanged, with left and right exchanged,
    with colours swapped, or with both changes. The image with the most men in common with the earlier
    positions is taken. If several images have equally many men in common, the first of these images is taken.
    """
    if not positions:
        return Pattern()
    first, *others = positions
    shared = _placed(first)
    for position in others:
        # `max` returns the first of several equally good images, so the same positions always give the same
        # pattern.
        shared &= max(_images(_placed(position)), key=lambda image: len(shared & image))
    ordered = sorted(shared, key=lambda one: (codes.is_black(one[0]), -codes.kind(one[0]), one[1]))
    return Pattern(tuple(Mark(1 << man, boards.BIT[square]) for man, square in ordered))


def _placed(position: Position) -> _Placed:
    return frozenset((man, square) for square, man in enumerate(position.squares) if man != codes.EMPTY)


def _images(placed: _Placed) -> Iterator[_Placed]:
    swapped = frozenset((_other_colour(man), square ^ 56) for man, square in placed)
    for one in (placed, swapped):
        yield one
        yield frozenset((man, square ^ 7) for man, square in one)


def _other_colour(man: int) -> int:
    return man - 6 if codes.is_black(man) else man + 6

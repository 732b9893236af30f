"""The square where a mark of a pattern is drawn and can be grabbed. This module does not use Qt.

If a mark has few squares, its men are drawn on every square. A mark with many squares is called an area. The
men of an area are drawn on only one square, the *anchor*. Two overlapping areas have different anchors, so
that the user can see and grab both.
"""

from __future__ import annotations

from collections.abc import Mapping

from cqlgui.board import squares
from cqlgui.pattern import marks

FEW = 8
"""If a mark has at most this number of squares, its men are drawn on every square. A mark with more squares
is an area."""


def anchors(pattern: marks.Pattern, wanted: Mapping[int, int] | None = None) -> tuple[int, ...]:
    """The anchor of each mark; -1 for a mark without squares.

    `wanted` maps the index of a mark to a square. If this square belongs to the mark, it becomes the anchor.
    In all other cases, the anchor is the square nearest to the middle of the mark. Squares that other marks
    use are avoided if possible.
    """
    wanted = wanted or {}
    taken = 0
    for mark in pattern.marks:
        if mark.squares.bit_count() <= FEW:
            taken |= mark.squares
    found = []
    for place, mark in enumerate(pattern.marks):
        square = wanted.get(place, squares.NONE)
        if square < 0 or not mark.squares >> square & 1:
            free = mark.squares & ~taken or mark.squares
            square = _middle(mark.squares, free)
        found.append(square)
        if square >= 0:
            taken |= squares.BIT[square]
    return tuple(found)


def mark_at(pattern: marks.Pattern, places: tuple[int, ...], square: int) -> int:
    """The index of the mark on which a gesture on a square acts; -1 if the gesture acts on no mark.

    The first choice is a mark with few squares that has this square. The second choice is an area with its
    anchor on this square. The third choice is the smallest area that covers this square.
    """
    found = pattern.at(square)
    if found >= 0 and pattern.marks[found].squares.bit_count() <= FEW:
        return found
    anchored = [place for place, at in enumerate(places) if at == square]
    return anchored[-1] if anchored else found


def _middle(board: int, among: int) -> int:
    """The square of `among` nearest to the middle of a bitboard. If several squares are equally near, the
    result is the square with the lowest number."""
    if not board:
        return squares.NONE
    every = list(squares.bits(board))
    file = sum(map(squares.file_of, every)) / len(every)
    rank = sum(map(squares.rank_of, every)) / len(every)

    def distance(square: int) -> float:
        return (squares.file_of(square) - file) ** 2 + (squares.rank_of(square) - rank) ** 2

    return min(squares.bits(among), key=distance)

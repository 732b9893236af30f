"""On which square a mark of a pattern is drawn and taken hold of. No Qt.

A mark with few squares is drawn on each of them. One with many is an area with one sign; that stands on a
square of its own, the *anchor*, so that two areas that cover each other can be told apart.
"""

from __future__ import annotations

from collections.abc import Mapping

from cqlgui.board import squares
from cqlgui.pattern import marks

FEW = 8
"""Squares on each of which the men are drawn."""


def anchors(pattern: marks.Pattern, wanted: Mapping[int, int] | None = None) -> tuple[int, ...]:
    """A square for each mark: the wanted one where it belongs to the mark, else one near the middle of its
    squares which no other mark has; -1 for a mark without squares."""
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
    """The mark that is meant on a square: one that is drawn there, else the one with the fewest squares; -1
    without one."""
    found = pattern.at(square)
    if found >= 0 and pattern.marks[found].squares.bit_count() <= FEW:
        return found
    anchored = [place for place, at in enumerate(places) if at == square]
    return anchored[-1] if anchored else found


def _middle(board: int, among: int) -> int:
    """The square of `among` next to the middle of a set; of equals the lowest."""
    if not board:
        return squares.NONE
    every = list(squares.bits(board))
    file = sum(map(squares.file_of, every)) / len(every)
    rank = sum(map(squares.rank_of, every)) / len(every)

    def distance(square: int) -> float:
        return (squares.file_of(square) - file) ** 2 + (squares.rank_of(square) - rank) ** 2

    return min(squares.bits(among), key=distance)

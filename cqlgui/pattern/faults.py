"""Reasons why a pattern is impossible, with a sentence for each mark concerned.

The user can still search for an impossible pattern.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cqlgui.board import men as codes
from cqlgui.board import squares as boards
from cqlgui.pattern.marks import Mark, Pattern, Relation, Role


def faults(pattern: Pattern) -> dict[int, str]:
    """For each mark that no game can satisfy, a sentence that says why."""
    found: dict[int, str] = {}
    for place, sentence in _all(pattern):
        found.setdefault(place, sentence)
    return found


def _all(pattern: Pattern) -> Iterator[tuple[int, str]]:
    must = [(place, mark) for place, mark in enumerate(pattern.marks) if mark.role is Role.MUST]
    for place, mark in enumerate(pattern.marks):
        if mark.role is not Role.NOT and not mark.men & ~_PAWNS and not mark.squares & ~_NO_PAWNS:
            yield place, "A pawn never stands on the first or the last rank."
    for name, king in (("White", 1 << codes.WK), ("Black", 1 << codes.BK)):
        kings = [(place, mark) for place, mark in must if mark.men == king]
        yield from ((place, f"{name} has only one king.") for place, _ in _apart(kings))
    singles = [(place, mark) for place, mark in must if mark.squares.bit_count() == 1]
    for place, mark in singles:
        for other, twin in must:
            if other != place and not twin.squares & ~mark.squares and not twin.men & mark.men:
                yield (
                    max(place, other),
                    f"Another man must stand on {boards.NAMES[boards.lowest(mark.squares)]}.",
                )
        for twin in pattern.marks:
            if twin.role is Role.NOT and not mark.squares & ~twin.squares and not mark.men & ~twin.men:
                yield place, "This man must stand here and must not."
    for arrow in pattern.arrows:
        for place in (arrow.origin, arrow.target):
            if pattern.marks[place].role is Role.NOT:
                yield place, "An arrow needs a man, and here one must not stand."
        if arrow.relation is Relation.ATTACKS and pattern.marks[arrow.origin].empty:
            yield arrow.origin, "An empty square attacks nothing."
        if arrow.relation is Relation.MOVES and pattern.marks[arrow.origin].empty:
            yield arrow.origin, "From an empty square nothing moves."


_PAWNS: Final = 1 << codes.WP | 1 << codes.BP
_NO_PAWNS: Final = boards.RANKS[0] | boards.RANKS[7]


def _apart(marks: list[tuple[int, Mark]]) -> list[tuple[int, Mark]]:
    """Every mark for which the list has another mark, and the two marks have no square in common."""
    return [
        (place, mark)
        for place, mark in marks
        if any(not mark.squares & other.squares for one, other in marks if one != place)
    ]

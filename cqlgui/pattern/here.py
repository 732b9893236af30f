"""Queries that find positions like a given position: with the same men, the same pawns or the same
material."""

from __future__ import annotations

from cqlgui.board import men as codes
from cqlgui.board import squares as boards
from cqlgui.board.position import Position
from cqlgui.cql.ast import nodes
from cqlgui.cql.editing import structure
from cqlgui.pattern import editing, writing
from cqlgui.pattern.marks import Condition, Mark, Pattern, Role


def exact(position: Position) -> str:
    """A query for positions with the same men on the same squares, no other men, and the same side to move.
    Castling rights and en passant are ignored."""
    turn = Condition("turn", "btm" if position.turn else "wtm")
    anyone = codes.WHITE_MASK | codes.BLACK_MASK
    return writing.text_of(Pattern(_men(position, anyone), conditions=(turn,)))


def skeleton(position: Position) -> str:
    """A query for positions with the same pawns of both colours on the same squares, and no other pawns."""
    return writing.text_of(Pattern(_men(position, 1 << codes.WP | 1 << codes.BP)))


def material(position: Position) -> str:
    """A query for positions with the same number of men of each kind, on any squares. Kings are counted only
    for a side that has no king or several kings."""
    counted = []
    for man in _ORDER:
        count = boards.popcount(position.men[man])
        if codes.kind(man) != codes.KING or count != 1:
            counted.append(Condition("material", f"{writing.designator(1 << man, boards.ALL)} == {count}"))
    return writing.text_of(Pattern(conditions=tuple(counted)))


def twins(text: str) -> str:
    """A query under transforms: it also matches with colours swapped, with left and right exchanged, and with
    both changes. A transform that would change nothing is left out."""
    query = structure.checked(text).query
    if query is None:
        return text
    turned = any(
        isinstance(node, nodes.Designator) and node.squares != boards.ALL for node in nodes.walk(query.body)
    )
    words = ("flipcolor", "flipvertical") if turned else ("flipcolor",)
    return editing.set_transforms(text, len(text), words).applied(text)


_ORDER = (codes.WK, codes.BK, codes.WQ, codes.BQ, codes.WR, codes.BR, codes.WB, codes.BB, codes.WN, codes.BN,
          codes.WP, codes.BP)  # fmt: skip


def _men(position: Position, mask: int) -> tuple[Mark, ...]:
    """Marks for the men of `position` that `mask` contains, each man on his square. One more mark says that
    no other square holds a man of `mask`."""
    found, free = [], boards.ALL
    for man in _ORDER:
        if mask >> man & 1:
            found += [Mark(1 << man, boards.BIT[square]) for square in boards.bits(position.men[man])]
            free &= ~position.men[man]
    return (*found, Mark(mask, free, Role.NOT)) if free else tuple(found)

"""The content of a filter's thumbnail (small picture): the men that the filter names, and the squares of
these men. This module does not use Qt."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from cqlgui.base.data import dataclass
from cqlgui.board import men, squares
from cqlgui.cql.ast import nodes
from cqlgui.cql.checking import check

MANY = 8  # a designator of more squares than this is drawn as an area, not as men


@dataclass(frozen=True, slots=True)
class Cell:
    """One square of the picture. `symbol` is the man on it; empty for a square that is named without a man.

    The symbols are used as in designators: `KQRBNPkqrbnp`, `A` any white man, `a` any black man, `*` any man,
    `_` empty. `sure` is False if the filter leaves a choice (several squares or several kinds of men);
    `absent` is True if the man must *not* be there.
    """

    square: int
    symbol: str
    sure: bool = True
    absent: bool = False


@dataclass(frozen=True, slots=True)
class Picture:
    """The picture of one filter: cells by square, the area that wide designators name, and the side to move
    if the filter names a side."""

    cells: tuple[Cell, ...] = ()
    area: int = 0
    turn: str = ""

    @property
    def squares(self) -> int:
        """Bitboard of every square that the picture marks."""
        board = self.area
        for cell in self.cells:
            board |= 1 << cell.square
        return board


NOTHING = Picture()


def of_text(text: str) -> Picture:
    """The picture of a filter as CQL text; a text that is not a query gives an empty picture."""
    checked = check.check(text)
    return NOTHING if checked.query is None else of_node(checked.query.body)


def of_node(node: nodes.Node) -> Picture:
    """The picture of a filter. Every designator in the filter is drawn as if it stood alone."""
    cells: dict[int, Cell] = {}
    area = 0
    turn = ""
    for part, absent in _parts(node, absent=False):
        if isinstance(part, nodes.SideToMove):
            turn = turn or part.colour
            continue
        if part.squares == squares.ALL:
            continue
        many = squares.popcount(part.squares)
        if many > MANY:
            area |= part.squares
            continue
        symbol, one = symbol_of(part.men)
        for square in squares.bits(part.squares):
            cell = Cell(square, symbol, one and many == 1, absent)
            cells[square] = _merged(cells[square], cell) if square in cells else cell
    ordered = tuple(cells[square] for square in sorted(cells))
    return Picture(ordered, area, turn)


def symbol_of(mask: int) -> tuple[str, bool]:
    """Symbol of a men mask (`nodes.Designator.men`), and whether the mask means one kind alone."""
    if mask == men.ANY_MASK:
        return "", True  # a plain square: marked, without a man
    for man in range(13):
        if mask == 1 << man:
            return ("_" if man == men.EMPTY else men.SYMBOLS[man]), True
    occupied = mask & ~1
    if mask == men.WHITE_MASK:
        return "A", True
    if mask == men.BLACK_MASK:
        return "a", True
    if mask == men.MAN_MASK:
        return "*", True
    # A designator of several kinds shows its greatest man, faded. The picture is only a hint; the text beside
    # the picture is exact.
    white = [man for man in range(men.WK, men.WP - 1, -1) if occupied >> man & 1]
    black = [man for man in range(men.BK, men.BP - 1, -1) if occupied >> man & 1]
    if white and black:
        return "*", False
    if white or black:
        return men.SYMBOLS[(white or black)[0]], False
    return "", False


def _merged(first: Cell, second: Cell) -> Cell:
    if not first.symbol:
        return second
    if not second.symbol or (first.symbol, first.absent) == (second.symbol, second.absent):
        return first
    return dataclasses.replace(first, sure=False)


def _parts(node: nodes.Node, *, absent: bool) -> Iterator[tuple[nodes.Designator | nodes.SideToMove, bool]]:
    """The designators and sides to move in text order. The flag says whether the node is negated."""
    if isinstance(node, nodes.Designator):
        yield node, absent
        return
    if isinstance(node, nodes.SideToMove):
        if not absent:
            yield node, absent
        return
    if isinstance(node, (nodes.Not, nodes.Complement)):
        absent = not absent
    for field in dataclasses.fields(node):
        value = getattr(node, field.name)
        for child in value if isinstance(value, tuple) else (value,):
            if isinstance(child, nodes.Node):
                yield from _parts(child, absent=absent)
            elif isinstance(child, nodes.Element):
                yield from _parts(child.filter, absent=absent)

"""The ladder of a mark: the steps of the mouse wheel, from one man on one square to this man on any square.
Each step (rung) is wider than the step before.

`Nf5`, `[BN]f5` (men of equal worth), `Af5` (any man of the colour), `Nf4-6` (a square up and down), `Nf1-8`
(the file), `Ne-g4-6` (the squares around), `N`. A rung that equals an earlier rung is left out.
"""

from __future__ import annotations

from typing import Final

from cqlgui.board import men as codes
from cqlgui.board import squares as boards
from cqlgui.cql.source import designators


def rungs(men: int, square: int) -> tuple[tuple[int, int], ...]:
    """The ladder from narrow to wide, as pairs of men and squares, for a mark of these men at `square`."""
    first = _NARROWER.get(men, men)
    file, rank = boards.file_of(square), boards.rank_of(square)
    found = [
        (first, 1 << square),
        (_alike(first), 1 << square),
        (_colour(first), 1 << square),
        (first, _around(file, rank, 0, 1)),
        (first, boards.FILES[file]),
        (first, _around(file, rank, 1, 1)),
        (first, boards.ALL),
    ]
    return tuple(dict.fromkeys(found))


def step(men: int, squares: int, square: int, by: int, began: int = 0) -> tuple[int, int]:
    """The next rung: wider for `by` 1, narrower for -1. At the ends of the ladder the mark stays as it is.

    `began` are the men of the mark when the user began to turn the wheel. Without `began`, turning the wheel
    back from `Af5` would not lead to `Nf5`. A mark that is on no rung goes to the next wider (or narrower)
    rung. A rung is wider if it has more squares, or equally many squares and more men.
    """
    ladder = rungs(began or men, square)
    now = (men, squares)
    if now in ladder:
        place = ladder.index(now) + by
        return ladder[place] if 0 <= place < len(ladder) else now
    if by > 0:
        return next((one for one in ladder if _width(one) > _width(now)), now)
    return next((one for one in reversed(ladder) if _width(one) < _width(now)), now)


_MINOR: Final = 1 << codes.WN | 1 << codes.WB
_MAJOR: Final = 1 << codes.WR | 1 << codes.WQ
_ALIKE: Final = (_MINOR, _MAJOR, _MINOR << 6, _MAJOR << 6)
_NARROWER: Final = dict(
    zip(_ALIKE, (1 << codes.WN, 1 << codes.WR, 1 << codes.BN, 1 << codes.BR), strict=True)
)
"""The ladder of two men of equal worth, such as `[BN]`, begins with a single man. This table maps the mask of
the two men to the mask of the single man."""


def _alike(men: int) -> int:
    """The men of equal worth: knight and bishop, rook and queen; other men stay as they are."""
    return next((pair for pair in _ALIKE if not men & ~pair), men)


def _colour(men: int) -> int:
    """Any man of the same colour; men of both colours, and the empty square, stay as they are."""
    return next((side for side in (codes.WHITE_MASK, codes.BLACK_MASK) if not men & ~side), men)


def _around(file: int, rank: int, files: int, ranks: int) -> int:
    """The squares at most `files` files and `ranks` ranks away."""
    return designators.rectangle(
        max(file - files, 0), min(file + files, 7), max(rank - ranks, 0), min(rank + ranks, 7)
    )


def _width(rung: tuple[int, int]) -> tuple[int, int]:
    return rung[1].bit_count(), rung[0].bit_count()

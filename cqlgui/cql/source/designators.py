"""Converts the spelling of a designator (pieces, squares or both) to a men mask and a square set (language
spec, section 7).

designator = pieces? squares?          at least one part, no inner whitespace
pieces     = piece | "[" piece+ "]" | figurine+ | "[" figurine+ "]"
squares    = range | "[" range ("," range)* "]"
range      = files ranks               files a or a-h, ranks 1 or 1-8, ascending
"""

from __future__ import annotations

import re

from cqlgui.base.data import dataclass
from cqlgui.base.patterns import pattern
from cqlgui.board import men

ANY_MEN = men.ANY_MASK
ALL_SQUARES = (1 << 64) - 1

PIECES = {
    "_": 1, "P": 1 << 1, "N": 1 << 2, "B": 1 << 3, "R": 1 << 4, "Q": 1 << 5, "K": 1 << 6,
    "p": 1 << 7, "n": 1 << 8, "b": 1 << 9, "r": 1 << 10, "q": 1 << 11, "k": 1 << 12,
    "A": men.WHITE_MASK, "a": men.BLACK_MASK,
}  # fmt: skip
FIGURINES = dict(zip("♔♕♖♗♘♙♚♛♜♝♞♟△▲□◭", "KQRBNPkqrbnpAa_", strict=False))
_MASKS = {
    **PIECES,
    **{sign: PIECES[letter] for sign, letter in FIGURINES.items()},
    "◭": men.WHITE_MASK | men.BLACK_MASK,
}

_LETTER = "[KQRBNPkqrbnpAa_]"
_FIGURINE = "[♔♕♖♗♘♙♚♛♜♝♞♟△▲□◭]"
_PIECES = rf"(?:{_LETTER}|\[{_LETTER}+\]|{_FIGURINE}+|\[{_FIGURINE}+\])"
_RANGE = "[a-h](?:-[a-h])?[1-8](?:-[1-8])?"
_SQUARES = rf"(?:{_RANGE}|\[{_RANGE}(?:,{_RANGE})*\])"
# No word character may follow a designator. A bracket may follow only if it begins an operator such as `[x]`.
_END = r"(?![A-Za-z0-9_$])(?!\[(?!x\]|element\]|forall\]|[<>]|\]))"
PATTERN = rf"(?:{_PIECES}{_SQUARES}|{_SQUARES}|{_PIECES}){_END}"
# Pieces with a `[` directly after the pieces. The lexer tries this pattern only where `PATTERN` does not
# match.
HALF_PATTERN = rf"{_PIECES}\[(?!x\]|element\]|forall\]|[<>]|\])"

_WHOLE = pattern(PATTERN)
_PARTS = pattern(rf"(?P<pieces>{_PIECES})?(?P<squares>{_SQUARES})?")
_ONE_RANGE = pattern("([a-h])(?:-([a-h]))?([1-8])(?:-([1-8]))?")


@dataclass(frozen=True, slots=True)
class Reading:
    """The meaning of a designator. Each fault is a tuple (place, length, message). `place` counts from the
    beginning of the designator."""

    men: int
    squares: int
    faults: tuple[tuple[int, int, str], ...]


def match_length(text: str, at: int) -> int:
    """Length of the complete designator at `at`, 0 if there is none."""
    found = _WHOLE.match(text, at)
    return len(found.group()) if found else 0


def read(text: str) -> Reading:
    """The masks and the faults of a designator that `PATTERN` accepts."""
    parts = _PARTS.fullmatch(text)
    assert parts is not None
    faults: list[tuple[int, int, str]] = []
    pieces, squares = parts.group("pieces"), parts.group("squares")
    mask, figures = (0 if pieces else ANY_MEN), set()
    for sign in (pieces or "").strip("[]"):
        if sign in FIGURINES and sign in figures:
            faults.append((0, len(pieces), "A figurine stands twice in one designator."))
        figures.add(sign)
        mask |= _MASKS[sign]
    board = 0 if squares else ALL_SQUARES
    start = len(pieces or "")
    for one in _ONE_RANGE.finditer(squares or ""):
        file, last_file, rank, last_rank = one.groups()
        if last_file and last_file < file:
            faults.append(
                (start + one.start(), len(one.group()), "The files of a range ascend: a-d, not d-a.")
            )
            file, last_file = last_file, file
        if last_rank and last_rank < rank:
            faults.append(
                (start + one.start(3), one.end() - one.start(3), "The ranks of a range ascend: 2-5, not 5-2.")
            )
            rank, last_rank = last_rank, rank
        board |= rectangle(
            ord(file) - 97, ord(last_file or file) - 97, int(rank) - 1, int(last_rank or rank) - 1
        )
    return Reading(mask, board, tuple(faults))


def rectangle(file: int, last_file: int, rank: int, last_rank: int) -> int:
    """All squares between two files and between two ranks, as a bitboard. Files and ranks count from 0, and
    both limits are included."""
    row = ((1 << (last_file - file + 1)) - 1) << file
    board = 0
    for r in range(rank, last_rank + 1):
        board |= row << (8 * r)
    return board


def explain(text: str) -> tuple[int, int, str, str]:
    """Why the list `text` is no designator: place, length, message and hint. `text` begins with `[`."""
    gap = next((i for i, sign in enumerate(text) if sign.isspace()), -1)
    if not text.endswith("]"):
        return 0, len(text.split()[0]), "This list is never closed.", "a list ends with ]"
    if gap >= 0:
        end = gap
        while end < len(text) - 1 and text[end].isspace():
            end += 1
        return end, len(text) - end, "No blank may stand inside a designator.", "write [a1,b1]"
    if any(sign in FIGURINES for sign in text):
        return 0, len(text), "Letters and figurines may not be mixed in one list.", "write [KQ] or [♔♕]"
    if re.search("[KQRBNPkqrbnpA_][a-h][1-8]", text):
        return (
            0,
            len(text),
            "A list holds pieces or squares, not both together.",
            "join them with |, as in Ra1|Nb1",
        )
    return (
        0,
        len(text),
        "This list is no list of pieces or squares.",
        "write [RB], [a1,c3-5] or [RB][a1,c3-5]",
    )

"""Reads piece designators of old scripts and spells them as in CQL 6.

A designator is a piece part and a square part without blanks between them: `Ra1`, `[RB]?4`, `U[a1,c-d3-5]`.
CQL 6 does not have the old letters `U` (any man), `M` and `I` (major and minor pieces), `.` (empty) and `?`
(anything).

The output is canonical. The letters are in the same order as in the script. The squares are written as
rectangles. Each rectangle begins at the first square that is not in an earlier rectangle, in the order a1,
a2, ..., a8, b1, ..., h8. The rectangle is extended upwards as far as possible, and after that to the right.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from cqlgui.base.data import dataclass
from cqlgui.cql.source import designators

ALL: Final = designators.ALL_SQUARES
LIGHT: Final = 0x55AA55AA55AA55AA
DARK: Final = ALL ^ LIGHT

LETTERS: Final = {
    **{letter: letter for letter in "KQRBNPkqrbnpAa"},
    "M": "QR", "m": "qr", "I": "BN", "i": "bn", "U": "Aa", ".": "_", "?": "Aa_",
}  # fmt: skip
"""The CQL 6 letters for each old piece letter."""

_BARE_SQUARE = re.compile("[a-h?][1-8?]")
_RECTANGLE = re.compile(r"([a-h?])(?:-([a-h]))?([1-8?])(?:-([1-8]))?")
_SHADED = re.compile(r"([LD])([1-8?])|([a-h?])([LD])")
_PIECES = re.compile(r"\[([^\]]*)\]|\$(\w+)|(.)", re.DOTALL)
_FILES = "abcdefgh"


@dataclass(frozen=True, slots=True)
class Designator:
    """A set of men on a set of squares.

    `pieces` holds canonical CQL 6 letters; the empty string means any man or no man. `squares` is a bitboard
    (a1 = bit 0). `shade` is "light", "dark" or empty. `promoted` is True for promoted men only, False for men
    that were not promoted, and None for all men. `tag` is a name that `:forany` gives to a man, or empty. A
    designator with a tag means the man with this tag; `pieces` is then empty.
    """

    pieces: str = ""
    squares: int = ALL
    shade: str = ""
    promoted: bool | None = None
    tag: str = ""

    @property
    def reached(self) -> int:
        """`squares`, limited to the light or dark squares if there is a shade."""
        return self.squares & {"light": LIGHT, "dark": DARK, "": ALL}[self.shade]


@dataclass(frozen=True, slots=True)
class Reading:
    """The result of reading a text as a designator. If the text is no designator, `designator` is None and
    `fault` is the reason; `start` and `length` give the place of the fault in the text. `warning` is a
    message about bad style, or empty."""

    designator: Designator | None
    fault: str = ""
    start: int = 0
    length: int = 1
    warning: str = ""


NONE: Final = Designator("", 0)
ANYTHING: Final = Designator()


def read(text: str) -> Reading:
    """Parse `text` as a designator."""
    if _BARE_SQUARE.fullmatch(text):
        return Reading(Designator("", _rectangle(text)))
    if text in ("[]", "[ ]") or re.fullmatch(r"\[\s*\]", text):
        return Reading(NONE)
    if text.startswith("[") and (list_end := text.find("]")) > 0 and not _is_piece_list(text[1:list_end]):
        return _with_squares(Designator(), text, 0)
    part = _PIECES.match(text)
    if part is None:
        return Reading(None, "bad square part", 0, max(1, len(text)))
    listed, tag, letter = part.groups()
    if tag is not None:
        return _with_squares(Designator(tag=tag), text, part.end())
    old = listed if listed is not None else letter
    for place, sign in enumerate(old):
        if sign not in LETTERS:
            at = place + (listed is not None)
            return _no_piece(text, at, sign)
    found = Designator(canonical("".join(LETTERS[sign] for sign in old)))
    at = part.end()
    if text.startswith("~~", at):
        found, at = Designator(found.pieces, promoted=False), at + 2
    elif text.startswith("~", at):
        found, at = Designator(found.pieces, promoted=True), at + 1
    return _with_squares(found, text, at)


def canonical(letters: str) -> str:
    """CQL 6 letters without repetitions. `A` replaces all letters of white men, and `a` all letters of black
    men. The result is empty if the letters stand for all men and the empty square."""
    kept = dict.fromkeys(letters)
    if "A" in kept:
        kept = dict.fromkeys(c for c in kept if c == "A" or not c.isupper())
    if "a" in kept:
        kept = dict.fromkeys(c for c in kept if c == "a" or not c.islower())
    return "" if {"A", "a", "_"} <= kept.keys() else "".join(kept)


def spelled(found: Designator) -> str:
    """Pieces and squares in CQL 6 spelling. The caller adds shade, promotion and tag."""
    if not found.squares:
        return "[]"
    pieces = bracketed(found.pieces)
    squares = spelled_squares(found.squares)
    return pieces + squares or "."


def bracketed(letters: str) -> str:
    """One letter by itself, or several letters in square brackets."""
    return f"[{letters}]" if len(letters) > 1 else letters


@lru_cache(maxsize=1 << 12)
def spelled_squares(squares: int) -> str:
    """A square set in canonical spelling: nothing for the whole board, `[]` for the empty set."""
    if squares == ALL:
        return ""
    left, blocks = squares, []
    for file in range(8):
        for rank in range(8):
            if left >> (8 * rank + file) & 1:
                block, taken = _block(left, file, rank)
                blocks.append(block)
                left &= ~taken
    return blocks[0] if len(blocks) == 1 else f"[{','.join(blocks)}]"


def _block(squares: int, file: int, rank: int) -> tuple[str, int]:
    top = rank
    while top < 7 and squares >> (8 * (top + 1) + file) & 1:
        top += 1
    column = designators.rectangle(file, file, rank, top)
    right, taken = file, column
    while right < 7 and squares & (column << (right + 1 - file)) == column << (right + 1 - file):
        right += 1
        taken |= column << (right - file)
    files = _FILES[file] if right == file else f"{_FILES[file]}-{_FILES[right]}"
    ranks = str(rank + 1) if top == rank else f"{rank + 1}-{top + 1}"
    return files + ranks, taken


def _is_piece_list(inner: str) -> bool:
    """Whether the text in square brackets is a list of pieces. A digit, comma, hyphen, `+` or `*` shows that
    the text is a list of squares."""
    return bool(inner) and not re.search(r"[1-8,+*-]", inner) and not inner.isspace()


def _no_piece(text: str, at: int, sign: str) -> Reading:
    return Reading(None, f"unknown piece letter {sign}", at, 1)


def _with_squares(found: Designator, text: str, at: int) -> Reading:
    """Parse the square part that begins at `at` and add it to a designator."""
    part = text[at:]
    if not part:
        return Reading(found)
    warning = ""
    if shaded := _SHADED.fullmatch(part):
        shade = "light" if "L" in part else "dark"
        squares = _rectangle(f"?{shaded[2]}" if shaded[1] else f"{shaded[3]}?")
        return Reading(Designator(found.pieces, squares, shade, found.promoted, found.tag))
    if part.startswith("[") and part.endswith("]"):
        squares_or_fault = _list(part[1:-1])
        if isinstance(squares_or_fault, str):
            inner = squares_or_fault
            start = at + 1 + part[1:-1].find(inner)
            return Reading(None, f"bad square part {inner or part}", start, max(1, len(inner)))
        squares = squares_or_fault
    elif _BARE_SQUARE.fullmatch(part) and not found.tag:
        squares = _rectangle(part)
    elif _RECTANGLE.fullmatch(part) and "-" in part and _rectangle(part) and not found.tag:
        squares = _rectangle(part)
        warning = f"square part {part} without square brackets"
    elif not found.tag and len(part) == 1 and at == 1 and part not in "12345678?" and part not in _FILES:
        return Reading(None, f"bad square part {part}", at, 1)
    else:
        return Reading(None, f"bad square part {part}", at, len(part))
    return Reading(Designator(found.pieces, squares, found.shade, found.promoted, found.tag), warning=warning)


def _list(inner: str) -> int | str:
    """The squares of a list in square brackets, or the part of the list that is wrong."""
    if not inner.strip():
        return 0
    squares = 0
    for part in inner.split(","):
        bare = part.strip()
        if bare == "+":
            continue
        if bare == "*":
            squares = ALL
            continue
        rectangle = _rectangle(bare)
        if not rectangle:
            return part
        squares |= rectangle
    return squares


def _rectangle(text: str) -> int:
    """The squares of one rectangle such as `a-c1` or `?4-8`; 0 if the text is no rectangle."""
    found = _RECTANGLE.fullmatch(text)
    if found is None:
        return 0
    file, last_file, rank, last_rank = found.groups()
    if (file == "?" and last_file) or (rank == "?" and last_rank):
        return 0
    left, right = (0, 7) if file == "?" else (_FILES.index(file), _FILES.index(last_file or file))
    low, high = (0, 7) if rank == "?" else (int(rank) - 1, int(last_rank or rank) - 1)
    return designators.rectangle(left, right, low, high) if left <= right and low <= high else 0

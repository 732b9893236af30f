"""The annotation glyphs that `originalcomment` can find, written as signs or as `$n` (spec 8.7)."""

from __future__ import annotations

from typing import Final

from cqlgui.base.patterns import pattern

NUMBERS: Final = {
    "!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6, "=": 10, "+/=": 14, "=/+": 15, "+/-": 16, "-/+": 17,
    "+-": 18, "-+": 19,
}  # fmt: skip
"""The number of each glyph that has a sign, keyed by the sign."""

_SIGNS: Final = {number: sign for sign, number in NUMBERS.items()}
_DOLLAR = pattern(r"\$([0-9]+)")
LAST: Final = 255


def number_of(text: str) -> int | None:
    """The number of the glyph that a text names. The result is 0 if the number is less than 1 or greater than
    255. The result is None if the text names no glyph."""
    if text in NUMBERS:
        return NUMBERS[text]
    found = _DOLLAR.fullmatch(text)
    if found is None:
        return None
    digits = found[1].lstrip("0")
    return int(digits) if digits and len(digits) <= 3 and int(digits) <= LAST else 0


def spelling(number: int) -> str:
    """The spelling of a glyph in a query: the sign of the glyph, or `$n` for a glyph without a sign."""
    return _SIGNS.get(number, f"${number}")

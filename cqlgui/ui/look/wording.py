"""Numbers, counts and times as the panels write them."""

from __future__ import annotations

import html


def number(value: int) -> str:
    """A number with thousands separators: `12,345`."""
    return f"{value:,}"


def widest(value: int) -> str:
    """A number as wide as any number up to this one, with thousands separators."""
    return number(value).translate(_ZEROES)


def counted(value: int, one: str, many: str) -> str:
    """A number with its noun."""
    return f"{number(value)} {one if value == 1 else many}"


def games(value: int) -> str:
    """`1 game`, `2 games`."""
    return counted(value, "game", "games")


def hits(value: int) -> str:
    """`1 hit`, `2 hits`."""
    return counted(value, "hit", "hits")


def duration(seconds: float) -> str:
    """A duration for a quick look: `0.4 s`, `12 s`, `3 min 05 s`, `2 h 10 min`."""
    if seconds < 0.095:
        return f"{seconds:.2f} s"
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02} min"


def straight(text: str) -> str:
    """A stranger's text without the signs that change the direction of writing. These signs also act on what
    follows the text, so the program's own words there would be reversed."""
    return text.translate(_TURNS)


_ZEROES = dict.fromkeys(range(ord("0"), ord("9") + 1), "0")
_TURNS = dict.fromkeys((0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)))


def plain_tip(text: str) -> str:
    """A tool tip that shows a text as it is, line by line. Qt would show a text with tags as rich text, and
    the texts of queries and games come from strangers. Of a very long text only the beginning is shown."""
    text = straight(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…")
    if len(text) <= _SHORT and not _MARKS.intersection(text):
        # Assistive technology reads the tool tip of a button as it is.
        return text
    lines = html.escape(text).replace("\t", "    ").replace("  ", " &nbsp;").replace("\n", "<br>")
    return f"<qt>{lines}</qt>"


_LONGEST = 5_000
"""The greatest number of characters in a tool tip: more than fit on a screen. The window stands still while a
tool tip is laid out."""
_SHORT = 80
"""Characters. Longer lines are broken, which works in rich text only."""
_MARKS = frozenset("<&\n")


def markup_tip(text: str) -> str:
    """A tool tip that the program itself writes as rich text. The caller escapes strangers' texts in it.

    Every tool tip is made by this function, by `plain_tip`, or is a constant without tags.
    """
    return text

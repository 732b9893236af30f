"""Numbers, counts and times in the form that the panels use."""

from __future__ import annotations

import html
from datetime import datetime
from typing import Final


def number(value: int) -> str:
    """A number with thousands separators: `12,345`."""
    return f"{value:,}"


def widest(value: int) -> str:
    """The number `value` with a 0 for every digit, with thousands separators. No number up to `value` is
    wider."""
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


def moment(seconds: float) -> str:
    """A time in seconds since 1970: the hour if it was today (`14:05`), else the date as well."""
    at = datetime.fromtimestamp(seconds)
    return at.strftime("%H:%M" if at.date() == datetime.now().date() else "%Y-%m-%d %H:%M")


def duration(seconds: float) -> str:
    """A duration in a short form: `0.4 s`, `12 s`, `3 min 05 s`, `2 h 10 min`."""
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
    """A stranger's text without the characters that change the direction of writing. These characters would
    also reverse the program's own words after the text."""
    return text.translate(_TURNS)


_ZEROES = dict.fromkeys(range(ord("0"), ord("9") + 1), "0")
_TURNS = dict.fromkeys((0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)))


def pictured_tip(picture: str, text: str) -> str:
    """A tooltip with a picture above a text. `picture` is an image of the program's own as rich text, or
    empty. The text is shown as it is (`plain_tip`)."""
    tip = plain_tip(text)
    if not picture:
        return tip
    words = tip if tip.startswith("<qt>") else html.escape(tip)
    return f"<table><tr><td>{picture}</td></tr><tr><td>{words}</td></tr></table>"


ONE_FRAME: Final = "The query has no transforms, so both are the same."
"""Why the query's own frame and the games as played are not offered both."""


def plain_tip(text: str) -> str:
    """A tooltip that shows a text as it is, line by line. Qt would show a text with tags as rich text, and
    the texts of queries and games come from strangers. If a text is very long, only the beginning is
    shown."""
    text = straight(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…")
    if len(text) <= _SHORT and not _MARKS.intersection(text):
        # A short text is returned without tags, because assistive technology would read the tags in the
        # tooltip of a button.
        return text
    lines = html.escape(text).replace("\t", "    ").replace("  ", " &nbsp;").replace("\n", "<br>")
    return f"<qt>{lines}</qt>"


_LONGEST = 5_000
"""The greatest number of characters in a tooltip. Even a whole screen has no room for so many characters. A
longer tooltip would block the window while Qt lays out the tooltip."""
_SHORT = 80
"""A number of characters. Longer texts become rich text, because Qt breaks lines only in rich text."""
_MARKS = frozenset("<&\n")


def markup_tip(text: str) -> str:
    """A tooltip that the program writes as rich text. The caller must escape strangers' texts in the tooltip.

    Every tooltip must be a result of this function or of `plain_tip`, or a constant without tags.
    """
    return text

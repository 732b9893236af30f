"""Converts the contents of tags to the form that queries use: names of players, dates and years (language
spec, R2-7)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from cqlgui.base.patterns import pattern

TAGS: Final = {"event": "Event", "site": "Site", "date": "Date", "eventdate": "EventDate", "eco": "ECO"}
"""The tags that string words of queries read."""
_TIGHT_COMMA = pattern(r",(?! )")


def player_name(tag: str | None) -> str | None:
    """A player's name in the form that queries use. None if the name is empty.

    The reference program (build 9.493) changes names when reading a game, as the program's results on 2,450
    games show. The program puts a blank after a comma. At the end of a name, the program removes first the
    blanks, and after that the full stops. The program changes `van ` at the beginning of a name to `Van `. A
    game without the tag gets the name `?`.
    """
    if tag is None:
        return "?"
    # Counting is several times as fast as the expression, and most names have a blank after each comma.
    spaced = tag if tag.count(",") == tag.count(", ") else _TIGHT_COMMA.sub(", ", tag)
    name = spaced.rstrip().rstrip(".")
    return ("V" + name[1:] if name.startswith("van ") else name) or None


def players_with(needle: str, tags: Iterable[str | None]) -> list[bool]:
    """For each tag, whether the player's name (`player_name`) contains `needle`, which is not empty."""
    part = part_of_tags(needle)
    if part is None:
        return [needle in (player_name(tag) or "") for tag in tags]
    return [tag is not None and part in tag and needle in (player_name(tag) or "") for tag in tags]


def part_of_tags(needle: str) -> str | None:
    """A text that all tags contain whose player's name (`player_name`) contains `needle`. Few other tags
    contain it. None if there is no such text."""
    # A name has only two kinds of characters that its tag lacks: blanks after commas, and a V at the
    # beginning. Signs that cannot be printed are left out, because a database may not find them.
    if not needle or needle == "?" or needle.startswith((" ", "V")) or "," in needle:
        return None
    return needle if needle.isprintable() else None


def normal_date(date: str) -> str:
    """A date tag as `yyyy.mm.dd`, with `?` for unknown digits. A month above 12 makes the month and the day
    unknown. A day above 31 makes the day unknown (language spec, R2-7)."""
    fields = re.split(r"[.\-/\s]+", date.strip())
    normal: list[str] = []
    for index, (width, last) in enumerate(((4, 9999), (2, 12), (2, 31))):
        field = fields[index] if index < len(fields) else ""
        known = re.fullmatch(r"[\d?]+", field) is not None and len(field) <= width
        if known and field.isdigit() and int(field) > last:
            fields = fields[:index]
            known = False
        if not known or (field.isdigit() and int(field) == 0):
            normal.append("?" * width)
        else:
            normal.append(field.rjust(width, "0" if field.isdigit() else "?"))
    return ".".join(normal)


def year_of(date: str) -> int | None:
    """The year of a Date tag, or None if the year is unknown."""
    found = re.match(r"\s*(\d{1,4})(?!\d)", date)
    return int(found[1]) or None if found else None

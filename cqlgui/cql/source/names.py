"""How queries see what tags say: names of players, dates and years (language spec, R2-7)."""

from __future__ import annotations

import re

from cqlgui.base.patterns import pattern

_TIGHT_COMMA = pattern(r",(?! )")


def player_name(tag: str | None) -> str | None:
    """A player's name as queries see it; None when it is empty.

    The reference (build 9.493) tidies names while it reads them, as its results on 2,450 games show. It puts
    a blank after a comma, removes blanks and then full stops at the end, writes `van ` at the beginning with
    a capital, and gives a game without the tag the name `?`.
    """
    if tag is None:
        return "?"
    name = _TIGHT_COMMA.sub(", ", tag).rstrip().rstrip(".")
    return ("V" + name[1:] if name.startswith("van ") else name) or None


def normal_date(date: str) -> str:
    """A date tag as `yyyy.mm.dd`, with `?` for unknown digits. After a month above 12 or a day above 31
    everything is unknown (language spec, R2-7)."""
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
    """The year of a Date tag, or None when it is unknown."""
    found = re.match(r"\s*(\d{1,4})(?!\d)", date)
    return int(found[1]) or None if found else None

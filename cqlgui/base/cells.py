"""Makes the fields of tables safe for spreadsheets, which run some texts as formulas, and makes texts of
tables for the clipboard."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from cqlgui.base import patterns

_NUMBER: Final = patterns.pattern(r"[-+]?[0-9]+(?:[.,][0-9]+)?")
_FORMULA: Final = patterns.pattern(r"(?:^|(?<=[;\t\r\n]))(?=[-=+@＝＋－＠][^;\t\r\n]|[\t\r])")


def text_only(field: str) -> str:
    """Return the field with `'` before each text that a spreadsheet would run as a formula (advice of OWASP).
    A formula begins with `= + - @`, a full-width form of these signs, a tab or a carriage return. A formula
    may also begin after a semicolon, a tab or a line end, because a new cell may begin there. Numbers stay as
    they are, and so does a sign that stands alone."""
    if _NUMBER.fullmatch(field):
        return field
    return _FORMULA.sub("'", field)


def tabbed(rows: Iterable[Sequence[str]]) -> str:
    """Rows of cells as lines with tabs between the cells, for the clipboard. Each run of white space within a
    cell becomes one space."""
    return "".join("\t".join(" ".join(cell.split()) for cell in row) + "\n" for row in rows)

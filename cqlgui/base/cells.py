"""Makes fields of tables safe for spreadsheets, which run some texts as formulas."""

from __future__ import annotations

from typing import Final

from cqlgui.base import patterns

_NUMBER: Final = patterns.pattern(r"[-+]?[0-9]+(?:[.,][0-9]+)?")
_FORMULA: Final = patterns.pattern(r"(?:^|(?<=[;\t\r\n]))(?=[-=+@\t\r＝＋－＠])")


def text_only(field: str) -> str:
    """The field with `'` before anything that a spreadsheet would run as a formula, as OWASP advises: a text
    that begins with `= + - @`, their wide forms, a tab or a return. Where a semicolon or a tab separates
    fields, or a line ends, another cell may begin. Numbers stay as they are."""
    if _NUMBER.fullmatch(field):
        return field
    return _FORMULA.sub("'", field)

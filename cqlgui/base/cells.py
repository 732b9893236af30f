"""Fields of tables that a spreadsheet may open, which takes some texts for formulas and runs them."""

from __future__ import annotations

from typing import Final

from cqlgui.base import patterns

_NUMBER: Final = patterns.pattern(r"[-+]?[0-9]+(?:[.,][0-9]+)?")
_FORMULA: Final = patterns.pattern(r"(?:^|(?<=[;\t\r\n]))(?=[-=+@\t\r＝＋－＠])")


def text_only(field: str) -> str:
    """The field with `'` before what a spreadsheet would take for a formula, as OWASP advises: a text that
    begins with `= + - @`, their wide forms, a tab or a return. Where a semicolon or a tab parts fields, or a
    line ends, another cell may begin. Numbers stay as they are.
    """
    if _NUMBER.fullmatch(field):
        return field
    return _FORMULA.sub("'", field)

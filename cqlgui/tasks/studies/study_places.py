"""Finds where the keys and the texts of a study stand in its TOML text."""

from __future__ import annotations

import re
from typing import Final

from cqlgui.base.patterns import pattern
from cqlgui.cql.source import diagnostics

_TOKENS = pattern(
    r"#[^\n]*"
    r"|\"\"\"(?:\\.|[^\\])*?\"{3,5}"
    r"|'''.*?'{3,5}"
    r"|\"(?:\\.|[^\"\\\n])*\""
    r"|'[^'\n]*'",
    re.DOTALL,
)
"""A comment or a string of TOML."""
_LINE = pattern(r"^[ \t]*(?:\[\[?[ \t]*([\w-]+)[ \t]*\]\]?|([\w-]+)[ \t]*=[ \t]*)", re.MULTILINE)
"""The head of a table, or a key with its sign."""
_MASK: Final = "~"


class Places:
    """Where the keys of a study stand in its text, because `tomllib` does not tell. A key that is written in
    another way than usual, such as in an inline table, has no place."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.keys: dict[tuple[str, int, str], tuple[int, int]] = {}
        masked = _TOKENS.sub(lambda match: re.sub(r"[^\n]", _MASK, match[0]), text)
        table, number = "", 0
        counts: dict[str, int] = {}
        for match in _LINE.finditer(masked):
            if match[1] is not None:
                table = match[1]
                number = counts[table] = counts.get(table, -1) + 1
                self.keys.setdefault((table, number, ""), (match.start(1), match.end()))
            else:
                self.keys.setdefault((table, number, match[2]), (match.start(2), match.end()))

    def line(self, table: str, number: int, key: str = "") -> int | None:
        """The line of a key, or of the head of its table."""
        found = self.keys.get((table, number, key)) or self.keys.get((table, number, ""))
        return None if found is None else diagnostics.line_and_column(self.text, found[0])[0]

    def content(self, table: str, number: int, key: str, value: str) -> int | None:
        """Where the text of a string begins. None if the string is not written letter by letter."""
        found = self.keys.get((table, number, key))
        if found is None:
            return None
        at = found[1]
        quotes = 3 if self.text[at : at + 3] in ("'''", '"""') else 1
        at += quotes
        if quotes == 3 and self.text[at : at + 1] == "\n":
            at += 1
        return at if self.text.startswith(value, at) else None

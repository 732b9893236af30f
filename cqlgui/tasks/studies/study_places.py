"""Finds where the keys and the texts of a study stand in its TOML text."""

from __future__ import annotations

import re
from collections.abc import Sequence
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
_NAME: Final = r"[\w~-]+(?:[ \t]*\.[ \t]*[\w~-]+)*"
_LINE = pattern(rf"^[ \t]*(?:\[\[?[ \t]*({_NAME})[ \t]*\]\]?|({_NAME})[ \t]*=[ \t]*)", re.MULTILINE)
"""The head of a table, or a key with its sign. A name may be in quotes and have dots."""
_MASK: Final = "~"
"""Stands for each letter of a string and of a comment."""
_PARTS = pattern(r"\"((?:\\.|[^\"\\])*)\"|'([^']*)'|([\w-]+)")


_DEPTH: Final = {"[": 1, "{": 1, "]": -1, "}": -1}


class Places:
    """Where the keys of a study stand in its text, because `tomllib` does not tell. A key that is written in
    another way than usual, such as in an inline table, has no place of its own."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.keys: dict[tuple[str, int, str], tuple[int, int]] = {}
        masked = _TOKENS.sub(lambda match: re.sub(r"[^\n]", _MASK, match[0]), text)
        table, number = "", 0
        counts: dict[str, int] = {}
        depth, counted = 0, 0
        for match in _LINE.finditer(masked):
            # A line within a list or a table in braces is no key and no head.
            depth += sum(_DEPTH.get(sign, 0) for sign in masked[counted : match.start()])
            counted = match.start()
            if depth:
                continue
            place = match.span(1 if match[1] is not None else 2)
            names = [one[1] or one[2] or one[3] or "" for one in _PARTS.finditer(text[slice(*place)])]
            if not names:
                # Such a text is no TOML.
                continue
            if match[1] is not None:
                table, *inner = names
                number = counts[table] = counts.get(table, -1) + (not inner or table not in counts)
                self.keys.setdefault((table, number, ""), (place[0], match.end()))
            else:
                inner = names
            self._put(table, number, inner, (place[0], match.end()))

    def _put(self, table: str, number: int, names: Sequence[str], place: tuple[int, int]) -> None:
        """Remember the place of a key, and of the table that a key with dots makes."""
        self.keys.setdefault((table, number, names[0] if names else ""), place)
        if not table and len(names) > 1:
            self.keys.setdefault((names[0], 0, names[1]), place)

    def line(self, table: str, number: int, key: str = "") -> int | None:
        """The line of a key, or of the head of its table. A table without a head is a key of the study."""
        names = (table, number, key), (table, number, ""), (key, 0, "") if not table else ("", 0, table)
        found = next((self.keys[name] for name in names if name in self.keys), None)
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

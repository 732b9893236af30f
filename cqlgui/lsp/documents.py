"""The texts that an editor has open, and the positions in these texts.

LSP counts lines from 0. A line ends with `\\n`, `\\r\\n` or `\\r`. The place in a line counts the units of
the encoding that client and server agreed on, which is UTF-16 unless the client prefers another one.
"""

from __future__ import annotations

import bisect
import functools
import itertools
from collections.abc import Iterable
from typing import Final

from lsprotocol import types

from cqlgui.base.patterns import pattern
from cqlgui.cql.source import diagnostics
from cqlgui.cql.source.tokens import Token
from cqlgui.cql.syntax.reading import lexer
from cqlgui.tasks.asking import queries

_LINE_END = pattern(r"\r\n|\r|\n")
_SURROGATE = pattern("[\ud800-\udfff]")
_UNITS: Final = {
    "utf-8": lambda sign: 1 if sign < "\x80" else 2 if sign < "\u0800" else 3 if sign < "\U00010000" else 4,
    "utf-16": lambda sign: 1 if sign < "\U00010000" else 2,
    "utf-32": lambda _sign: 1,
}


class Document:
    """One version of a text. What is found out about the text is kept. A change makes another document.

    A half of a surrogate pair is no character, and a JSON message may have one. U+FFFD takes its place, which
    is one unit of UTF-16 too.
    """

    def __init__(self, uri: str, version: int, text: str, encoding: str = "utf-16") -> None:
        self.uri = uri
        self.version = version
        self.text = _SURROGATE.sub("\ufffd", text)
        self.encoding = encoding
        self._starts = [0, *(found.end() for found in _LINE_END.finditer(self.text))]

    @functools.cached_property
    def tokens(self) -> tuple[Token, ...]:
        """The tokens of the text; together they are the whole text."""
        return lexer.tokens(self.text)

    @functools.cached_property
    def findings(self) -> tuple[diagnostics.Diagnostic, ...]:
        """The errors and warnings, as in the window."""
        return queries.findings(self.text)

    def token_at(self, offset: int) -> Token | None:
        """The token that the character at `offset` belongs to; None at the end of the text."""
        found = bisect.bisect_right(self.tokens, offset, key=lambda token: token.offset) - 1
        if found < 0 or offset >= self.tokens[found].end:
            return None
        return self.tokens[found]

    def line(self, offset: int) -> int:
        """The number of the line of a code-point offset."""
        return bisect.bisect_right(self._starts, offset) - 1

    def line_start(self, line: int) -> int:
        """The code-point offset where a line begins. A line behind the last one begins at the end."""
        return self._starts[line] if line < len(self._starts) else len(self.text)

    def offset(self, position: types.Position) -> int:
        """The code-point offset of a position. A place behind the end of its line becomes the end of the
        line, and a line behind the last one becomes the end of the text (LSP 3.17, Position)."""
        if position.line >= len(self._starts):
            return len(self.text)
        content = self._content(position.line)
        if content.isascii():
            place = min(position.character, len(content))
        else:
            # The middle of a character becomes its start.
            place = bisect.bisect_right(_table(content, self.encoding), position.character) - 1
        return self._starts[position.line] + place

    def position(self, offset: int) -> types.Position:
        """The position of a code-point offset. An offset outside the text is moved to its nearest end."""
        offset = min(max(offset, 0), len(self.text))
        line = self.line(offset)
        content = self._content(line)
        # The place between `\r` and `\n` is the end of the line.
        place = min(offset - self._starts[line], len(content))
        units = place if content.isascii() else _table(content, self.encoding)[place]
        return types.Position(line, units)

    def range(self, start: int, end: int) -> types.Range:
        """The range of the code points `start`..`end`."""
        return types.Range(self.position(start), self.position(end))

    def changed(self, version: int, changes: Iterable[types.TextDocumentContentChangeEvent]) -> Document:
        """The document after changes. Each change refers to the text after the changes before it."""
        made = self
        for change in changes:
            text = change.text
            if isinstance(change, types.TextDocumentContentChangePartial):
                start, end = sorted((made.offset(change.range.start), made.offset(change.range.end)))
                text = made.text[:start] + text + made.text[end:]
            made = Document(self.uri, version, text, self.encoding)
        return made

    def _content(self, line: int) -> str:
        """The text of a line without its end."""
        start, end = self.line_start(line), self.line_start(line + 1)
        return self.text[start:end].rstrip("\r\n")


@functools.lru_cache(maxsize=64)
def _table(content: str, encoding: str) -> tuple[int, ...]:
    """The number of units before each character of a line, and the number of all units at the end."""
    width = _UNITS.get(encoding, _UNITS["utf-16"])
    return tuple(itertools.accumulate(map(width, content), initial=0))

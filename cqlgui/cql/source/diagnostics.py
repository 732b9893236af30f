"""What is wrong with a query, and where. `render` writes one error or warning as text for the terminal."""

from __future__ import annotations

from typing import Literal

from cqlgui.base.data import dataclass

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Span:
    """A part of the query text. `offset` and `length` count code points, and `offset` counts from 0."""

    offset: int
    length: int

    @property
    def end(self) -> int:
        """Offset of the first code point after the span."""
        return self.offset + self.length

    def to(self, other: Span) -> Span:
        """The smallest span that covers both this span and `other`."""
        start = min(self.offset, other.offset)
        return Span(start, max(self.end, other.end) - start)


NOWHERE = Span(0, 0)


@dataclass(frozen=True, slots=True)
class Fix:
    """A correction that a program can apply. `new` replaces the text at `span`, and `title` describes the
    correction to the user."""

    title: str
    span: Span
    new: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """An error, a warning, or a note about a query that is in order. `code` is a stable kebab-case word,
    `message` says what is wrong, and `hint` says how to correct the query."""

    span: Span
    code: str
    message: str
    hint: str = ""
    severity: Severity = "error"
    fix: Fix | None = None


def fixed(text: str, fix: Fix) -> str:
    """`text` with a fix applied."""
    return text[: fix.span.offset] + fix.new + text[fix.span.end :]


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    """The line and the column of a code-point offset in `text`, both counted from 1."""
    before = text[:offset]
    return before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1


SHOWN_WIDTH = 100


def render(text: str, diagnostic: Diagnostic, name: str = "query") -> str:
    """`name:line:col: error[code]: message`, the source line, a caret under the span, and the hint.

    A long line is cropped to the part around the span. Control characters become blanks, because control
    characters in a text from an unknown author could manipulate the terminal.
    """
    line, column = line_and_column(text, diagnostic.span.offset)
    parts = [f"{name}:{line}:{column}: {diagnostic.severity}[{diagnostic.code}]: {diagnostic.message}"]
    source, caret = _cropped(text.split("\n")[line - 1], column - 1)
    if source.strip():
        width = max(1, min(diagnostic.span.length, len(source) - caret))
        parts += [f"    {source}", "    " + " " * caret + "^" * width]
    if diagnostic.hint:
        parts.append(f"    hint: {diagnostic.hint}")
    if diagnostic.fix is not None:
        parts.append(f"    fix: {diagnostic.fix.title}")
    return "\n".join(parts)


def _cropped(row: str, place: int) -> tuple[str, int]:
    """At most `SHOWN_WIDTH` characters of a line around a place, and the offset of the place in the shown
    part."""
    start = max(0, min(place - SHOWN_WIDTH // 2, len(row) - SHOWN_WIDTH))
    shown = "".join(c if c.isprintable() else " " for c in row[start : start + SHOWN_WIDTH])
    before = "..." if start else ""
    after = "..." if start + SHOWN_WIDTH < len(row) else ""
    return before + shown + after, len(before) + place - start

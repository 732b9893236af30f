"""Reads the text of an old script (CQL 1-3, CQL-S 1.0) into nested lists of items. Every item has a span.

A script is one list. An item is a list in round brackets, a string in double quotes, or a word. A word is a
run of characters other than blanks, round brackets and `;`. Blanks inside `[...]` belong to the word. A
comment runs from `;` to the end of its line. Reading never fails: faults are reported to `Problems`, and the
nesting is limited.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cqlgui.base.data import dataclass, field
from cqlgui.cql.source import diagnostics

MAX_NESTING = 60
MAX_NOTES = 1000

# Possessive quantifiers prevent backtracking.
_BLANKS = re.compile(r"(?:[\s\ufeff]|;[^\n]*+)*+")
_WORD = re.compile(r'(?:\[[^\]\[();":\n]*\]|[^\s();])++')
_STRING = re.compile(r'"((?:[^"\\]|\\.)*+)"', re.DOTALL)
# `(position 0:check)` is CQL 6 text, because only CQL 6 has a number after `position`. The last look-ahead
# excludes this text.
_OLD = re.compile(r"\((?:\s|;[^\n]*+)*+(?:match(?![\w-])|position(?![\w-])(?!\s*[\d(#-]))")
_SCIDB = "; CQL-S"


@dataclass(frozen=True, slots=True)
class Note:
    """A message of the translator about a place in the script."""

    span: diagnostics.Span
    severity: diagnostics.Severity
    message: str


@dataclass(slots=True)
class Problems:
    """Collects notes. Equal notes at one place are stored only once. At most `MAX_NOTES` notes are stored.

    `tags` are the places where the script uses a tag `$name`. The tags can be checked only after the whole
    script has been read.
    """

    found: dict[Note, None] = field(default_factory=dict)
    tags: list[tuple[diagnostics.Span, str]] = field(default_factory=list)

    def error(self, span: diagnostics.Span, message: str) -> None:
        self._add(Note(span, "error", message))

    def warning(self, span: diagnostics.Span, message: str) -> None:
        self._add(Note(span, "warning", message))

    @property
    def failed(self) -> bool:
        """True when there is an error among the notes."""
        return any(note.severity == "error" for note in self.found)

    def notes(self) -> tuple[Note, ...]:
        """All notes in the order of the text."""
        return tuple(sorted(self.found, key=lambda note: note.span.offset))

    def _add(self, note: Note) -> None:
        if len(self.found) < MAX_NOTES:
            self.found[note] = None


@dataclass(frozen=True, slots=True)
class Word:
    """A run of characters: a keyword (it begins with `:` or `!:`), a designator, a number or a name."""

    span: diagnostics.Span
    text: str

    @property
    def is_keyword(self) -> bool:
        """Whether the word begins with `:` or `!:`."""
        return self.text.startswith((":", "!:"))


@dataclass(frozen=True, slots=True)
class Quoted:
    """A string; `text` is the part between the quotes, including backslashes."""

    span: diagnostics.Span
    text: str


@dataclass(frozen=True, slots=True)
class Listing:
    """A list of items in round brackets."""

    span: diagnostics.Span
    items: tuple[Item, ...]

    @property
    def head(self) -> str:
        """The first word of the list, such as `match` or `position`; empty if the list does not begin with a
        word."""
        return self.items[0].text if self.items and isinstance(self.items[0], Word) else ""


Item = Word | Quoted | Listing


def looks_old(text: str) -> bool:
    """Whether a text is a script of an old dialect. An old script begins with `; CQL-S`, or with `(` and the
    word `match` or `position`. A query of CQL 5 or 6 begins with `cql` or with a filter."""
    if text.lstrip("\ufeff").startswith(_SCIDB):
        return True
    return _OLD.match(text, _after_blanks(text, 0)) is not None


def read(text: str, problems: Problems) -> tuple[Item, ...]:
    """All top-level items of a script."""
    stack: list[tuple[int, list[Item]]] = [(0, [])]
    skipped: list[int] = []
    at = _after_blanks(text, 0)
    while at < len(text):
        sign = text[at]
        if sign == "(":
            if len(stack) > MAX_NESTING:
                if not skipped:
                    problems.error(
                        diagnostics.Span(at, 1), f"lists are nested more than {MAX_NESTING} deep here"
                    )
                skipped.append(at)
            else:
                stack.append((at, []))
            end = at + 1
        elif sign == ")":
            end = at + 1
            if skipped:
                skipped.pop()
            elif len(stack) == 1:
                problems.error(diagnostics.Span(at, 1), "unbalanced parenthesis")
            else:
                start, items = stack.pop()
                stack[-1][1].append(Listing(diagnostics.Span(start, end - start), tuple(items)))
        else:
            item, end = _leaf(text, at, problems)
            if not skipped:
                stack[-1][1].append(item)
        at = _after_blanks(text, end)
    for start in [start for start, _ in stack[1:]] + skipped:
        problems.error(diagnostics.Span(start, 1), "unbalanced parenthesis")
    while len(stack) > 1:
        start, items = stack.pop()
        stack[-1][1].append(Listing(diagnostics.Span(start, len(text) - start), tuple(items)))
    return tuple(stack[0][1])


class Items:
    """A cursor over the items of a list, for readers of keywords and their parameters."""

    def __init__(self, items: tuple[Item, ...], owner: diagnostics.Span, start: int = 0) -> None:
        self._items = items
        self._owner = owner
        self._at = start

    def __iter__(self) -> Iterator[Item]:
        """Take the remaining items one by one. During the iteration, the caller may take further items, for
        example the parameters of a keyword."""
        while (item := self.peek()) is not None:
            self._at += 1
            yield item

    def peek(self, ahead: int = 0) -> Item | None:
        """The item `ahead` places after the next item (0: the next item itself), or None after the end. The
        item is not taken."""
        return self._items[self._at + ahead] if self._at + ahead < len(self._items) else None

    def word(self) -> Word | None:
        """The next item if it is a word but not a keyword, else None. The item is not taken."""
        item = self.peek()
        return item if isinstance(item, Word) and not item.is_keyword else None

    def listing(self, head: str | None = None) -> Listing | None:
        """The next item if it is a list, else None. With `head`, the list must begin with that word. The item
        is not taken."""
        item = self.peek()
        return item if isinstance(item, Listing) and head in (None, item.head) else None

    def take(self) -> Item | None:
        """Take the next item; None at the end."""
        item = self.peek()
        if item is not None:
            self._at += 1
        return item

    def skip(self) -> None:
        """Skip the parameters of a keyword that is not understood."""
        while (item := self.peek()) is not None and not (isinstance(item, Word) and item.is_keyword):
            self._at += 1

    def skip_plain(self) -> None:
        """Skip words and strings after a keyword that is not understood. A list is not skipped, because the
        caller can read a list on its own."""
        while self.word() is not None or isinstance(self.peek(), Quoted):
            self._at += 1

    @property
    def place(self) -> diagnostics.Span:
        """The span of the next item; at the end, the last character of the list."""
        item = self.peek()
        return item.span if item is not None else diagnostics.Span(max(0, self._owner.end - 1), 1)


def _leaf(text: str, at: int, problems: Problems) -> tuple[Item, int]:
    if text[at] == '"':
        found = _STRING.match(text, at)
        if found is None:
            line_end = text.find("\n", at)
            end = len(text) if line_end < 0 else line_end
            problems.error(diagnostics.Span(at, end - at), "this string is never closed")
            return Quoted(diagnostics.Span(at, end - at), text[at + 1 : end]), end
        return Quoted(diagnostics.Span(at, found.end() - at), found.group(1)), found.end()
    found = _WORD.match(text, at)
    assert found is not None
    return Word(diagnostics.Span(at, found.end() - at), found.group()), found.end()


def _after_blanks(text: str, at: int) -> int:
    found = _BLANKS.match(text, at)
    assert found is not None
    return found.end()

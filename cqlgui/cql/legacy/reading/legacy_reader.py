"""From the text of an old script (CQL 1-3, CQL-S 1.0) to nested lists of items with their places.

A script is one list. An item is a list in round brackets, a string in double quotes, or a word: a run of
characters without blanks, brackets and `;`, where blanks inside `[...]` belong to the word. A comment runs
from `;` to the end of its line. Reading never fails: what is wrong is told to `Problems`, and nesting has a
limit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cqlgui.base.data import dataclass, field
from cqlgui.cql.source import diagnostics

MAX_NESTING = 60
MAX_NOTES = 1000

# Possessive, so that no text makes them go back and try again.
_BLANKS = re.compile(r"(?:[\s\ufeff]|;[^\n]*+)*+")
_WORD = re.compile(r'(?:\[[^\]\[();":\n]*\]|[^\s();])++')
_STRING = re.compile(r'"((?:[^"\\]|\\.)*+)"', re.DOTALL)
# `(position 0:check)` is CQL 6, where `position` takes a number.
_OLD = re.compile(r"\((?:\s|;[^\n]*+)*+(?:match(?![\w-])|position(?![\w-])(?!\s*[\d(#-]))")
_SCIDB = "; CQL-S"


@dataclass(frozen=True, slots=True)
class Note:
    """What the translation of a script has to say about a place of it."""

    span: diagnostics.Span
    severity: diagnostics.Severity
    message: str


@dataclass(slots=True)
class Problems:
    """Collects notes; the same one at the same place is kept once, and `MAX_NOTES` at most.

    `tags` are the uses of `$name` met on the way, which can be judged only when the whole script was read.
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
    """A run of characters: a keyword (it begins with `:` or `!:`), a designator, a number, a name."""

    span: diagnostics.Span
    text: str

    @property
    def is_keyword(self) -> bool:
        return self.text.startswith((":", "!:"))


@dataclass(frozen=True, slots=True)
class Quoted:
    """A string; `text` is what stands between the quotes, backslashes included."""

    span: diagnostics.Span
    text: str


@dataclass(frozen=True, slots=True)
class Listing:
    """A list of items in round brackets."""

    span: diagnostics.Span
    items: tuple[Item, ...]

    @property
    def head(self) -> str:
        """The first word of the list, such as `match` or `position`; empty where there is none."""
        return self.items[0].text if self.items and isinstance(self.items[0], Word) else ""


Item = Word | Quoted | Listing


def looks_old(text: str) -> bool:
    """True for a script of the old dialects: it says so in its first line, or its first token is `(` and the
    next one `match` or `position`. Queries of CQL 5 and 6 begin with `cql` or with a filter.
    """
    if text.lstrip("\ufeff").startswith(_SCIDB):
        return True
    return _OLD.match(text, _after_blanks(text, 0)) is not None


def read(text: str, problems: Problems) -> tuple[Item, ...]:
    """All items at the top of a script."""
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
    """A place in the items of a list, for whoever reads keywords and their parameters."""

    def __init__(self, items: tuple[Item, ...], owner: diagnostics.Span, start: int = 0) -> None:
        self._items = items
        self._owner = owner
        self._at = start

    def __iter__(self) -> Iterator[Item]:
        """Take what is left, one item after the other; parameters may be taken in between."""
        while (item := self.peek()) is not None:
            self._at += 1
            yield item

    def peek(self, ahead: int = 0) -> Item | None:
        """The next item, or None at the end."""
        return self._items[self._at + ahead] if self._at + ahead < len(self._items) else None

    def word(self) -> Word | None:
        """The next item when it is a word and no keyword; it is not taken."""
        item = self.peek()
        return item if isinstance(item, Word) and not item.is_keyword else None

    def listing(self, head: str | None = None) -> Listing | None:
        """The next item when it is a list (that begins with `head`); it is not taken."""
        item = self.peek()
        return item if isinstance(item, Listing) and head in (None, item.head) else None

    def take(self) -> Item | None:
        item = self.peek()
        if item is not None:
            self._at += 1
        return item

    def skip(self) -> None:
        """Pass over the parameters of a keyword that is not understood."""
        while (item := self.peek()) is not None and not (isinstance(item, Word) and item.is_keyword):
            self._at += 1

    def skip_plain(self) -> None:
        """Pass over words and strings behind a keyword that is not understood; lists may be of use by
        themselves.
        """
        while self.word() is not None or isinstance(self.peek(), Quoted):
            self._at += 1

    @property
    def place(self) -> diagnostics.Span:
        """Where the next item stands; at the end the last character of the list."""
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

"""The errors that the library raises. Each error is a `CqlguiError`. Its text is a sentence for the user."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Iterator
from typing import Any, SupportsIndex

from cqlgui.base import errors
from cqlgui.base.data import dataclass
from cqlgui.cql.source import diagnostics
from cqlgui.tasks.asking import queries

CqlguiError = errors.CqlguiError
SourceError = errors.SourceError
Cancelled = errors.Cancelled


@dataclass(frozen=True, slots=True)
class Problem:
    """An error or a warning in a query.

    `severity` is `error` or `warning`. `code` is a word that does not change between versions. `offset` and
    `length` are the place in the query in code points, from 0; `line` and `column` count from 1. `fix` is the
    corrected query if the program knows a correction, else None.
    """

    severity: str
    code: str
    message: str
    hint: str
    offset: int
    length: int
    line: int
    column: int
    fix: str | None = None

    @classmethod
    def of(cls, text: str, found: diagnostics.Diagnostic) -> Problem:
        """The problem that a diagnostic of the query `text` describes."""
        line, column = diagnostics.line_and_column(text, found.span.offset)
        return cls(
            found.severity,
            found.code,
            found.message,
            found.hint,
            found.span.offset,
            found.span.length,
            line,
            column,
            None if found.fix is None else diagnostics.fixed(text, found.fix),
        )


class QueryError(CqlguiError):
    """A query has errors. `query` is its text, and `problems` has the errors with their places. The text of
    the error shows each of them under its line of the query."""

    def __init__(self, query: str, found: tuple[diagnostics.Diagnostic, ...]) -> None:
        shown = [diagnostics.render(query, one) for one in found]
        super().__init__("\n".join(shown) or "The query was rejected.")
        self.query = query
        self.problems = tuple(Problem.of(query, one) for one in found)
        self._found = found

    def __reduce__(self) -> tuple[type[QueryError], tuple[Any, ...]]:
        # A process pool sends the error from one process to another.
        return type(self), (self.query, self._found)


@contextlib.contextmanager
def told() -> Iterator[None]:
    """Within this context, a rejected query raises `QueryError`."""
    try:
        yield
    except queries.Rejected as rejected:
        raise QueryError(rejected.text, rejected.diagnostics) from None


def number(value: SupportsIndex) -> int:
    """A whole number. Raises `TypeError` for anything else. A bool is refused too, although Python takes it
    for 0 or 1."""
    if isinstance(value, bool):
        raise TypeError("'bool' object cannot be interpreted as an integer")
    return operator.index(value)


__all__ = ["Cancelled", "CqlguiError", "Problem", "QueryError", "SourceError", "number", "told"]

"""The table of readers. `READERS` maps the first word of a filter to the function that reads the filter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from cqlgui.cql.ast import nodes
from cqlgui.cql.source.tokens import Kind, Token
from cqlgui.cql.syntax.reading.cursor import Cursor

Reader = Callable[[Cursor, Token], nodes.Node]
"""A function that reads one filter. The caller has already consumed the first token of the filter."""

READERS: Final[dict[str, Reader]] = {}
"""The readers, keyed by the word of the first token. Each module of the grammar adds the readers of its
filters to this table."""


def can_begin(token: Token) -> bool:
    """True when a filter may begin with `token`."""
    return token.kind is Kind.NAME or token.kind is Kind.ERROR or token.word in READERS

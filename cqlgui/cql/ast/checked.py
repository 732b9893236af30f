"""A query text together with its tree, its types and the findings about it."""

from __future__ import annotations

from cqlgui.base.data import dataclass
from cqlgui.cql.ast import nodes
from cqlgui.cql.ast.types import Names
from cqlgui.cql.source.diagnostics import Diagnostic


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of checking a text. `query` is None if and only if there are errors. Diagnostics are in text
    order."""

    text: str
    query: nodes.Query | None
    names: Names
    diagnostics: tuple[Diagnostic, ...]

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """The findings that prevent the query from running."""
        return tuple(one for one in self.diagnostics if one.severity == "error")

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """The findings that do not prevent the query from running."""
        return tuple(one for one in self.diagnostics if one.severity == "warning")

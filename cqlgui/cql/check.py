"""What everybody calls with a query text: parse it, check it statically, and say all that is wrong with
it."""

from __future__ import annotations

from cqlgui.base.data import dataclass
from cqlgui.cql import lints, nodes, parser, quick_fixes
from cqlgui.cql.diagnostics import Diagnostic
from cqlgui.cql.types import Names


@dataclass(frozen=True, slots=True)
class Checked:
    """A text and its meaning: `query` is None iff there are errors. Diagnostics are in text order."""

    text: str
    query: nodes.Query | None
    names: Names
    diagnostics: tuple[Diagnostic, ...]

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """The findings that keep the query from running."""
        return tuple(one for one in self.diagnostics if one.severity == "error")

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """The findings that do not."""
        return tuple(one for one in self.diagnostics if one.severity == "warning")


def check(text: str) -> Checked:
    """Parse and check `text`; never raises, whatever it is."""
    parsed = parser.parse(text)
    found = parsed.diagnostics
    if parsed.query is not None:
        found += lints.findings(text, parsed.query, parsed.names)
    else:
        found = quick_fixes.offered(text, found)
    found = tuple(sorted(found, key=lambda one: one.span.offset))
    return Checked(text, parsed.query, parsed.names, found)

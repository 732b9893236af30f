"""Entry point for checking a query text: parses it, runs the static checks, and returns all diagnostics."""

from __future__ import annotations

from cqlgui.cql.ast.checked import Checked
from cqlgui.cql.checking import lints, quick_fixes
from cqlgui.cql.syntax import parser


def check(text: str) -> Checked:
    """Parse and check any text. This function never raises an exception."""
    parsed = parser.parse(text)
    found = parsed.diagnostics
    if parsed.query is not None:
        found += lints.findings(text, parsed.query, parsed.names)
    else:
        found = quick_fixes.offered(text, found)
    found = tuple(sorted(found, key=lambda one: one.span.offset))
    return Checked(text, parsed.query, parsed.names, found)

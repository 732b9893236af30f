"""What everybody calls with a query text: parse it, check it statically, and say all that is wrong with
it."""

from __future__ import annotations

from cqlgui.cql import lints, parser, quick_fixes
from cqlgui.cql.checked import Checked


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

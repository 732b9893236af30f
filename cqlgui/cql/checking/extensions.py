"""Names the filters of a query that only cqlgui knows, for users who take the query to another program."""

from __future__ import annotations

from cqlgui.cql.ast import nodes, nodes_facts
from cqlgui.cql.source.diagnostics import Diagnostic


def notes(query: nodes.Query) -> tuple[Diagnostic, ...]:
    """A note for each extension of cqlgui that a query uses, at its first place in the text."""
    first: dict[str, Diagnostic] = {}
    for node in sorted(nodes.walk(query.body), key=lambda one: one.span.offset):
        if isinstance(node, nodes_facts.CommandNumber):
            word = f"pgn {node.key}"
            message = f"`{word}` is an extension of cqlgui. CQL 6.2 does not know it."
            first.setdefault(word, Diagnostic(node.span, "extension", message, severity="note"))
    return tuple(first.values())

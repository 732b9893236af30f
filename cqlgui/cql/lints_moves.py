"""Mistakes about moves: a set beside a dash that the blank between them keeps apart."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from cqlgui.cql import nodes, nodes_moves
from cqlgui.cql.diagnostics import Diagnostic, Fix, Span


def findings(text: str, body: nodes.Node) -> Iterator[Diagnostic]:
    """Warnings about the dashes of a query."""
    for node in nodes.walk(body):
        if isinstance(node, nodes.Compound):
            for before, after in itertools.pairwise(node.filters):
                yield from _apart(text, before, after)


def _apart(text: str, before: nodes.Node, after: nodes.Node) -> Iterator[Diagnostic]:
    """`N --e4`, `N-- e4`: a designator that looks like a part of the dash and is a filter of its own."""
    gap = Span(before.span.end, after.span.offset - before.span.end)
    between = text[gap.offset : gap.end]
    if between.strip(" ") or not between:
        return
    if isinstance(before, nodes.Designator) and isinstance(after, nodes_moves.Dash) and after.left is None:
        set_node, words = before, "the move may start from anywhere"
    elif (
        isinstance(before, nodes_moves.Dash)
        and before.right is before.promotion is before.target is None
        and isinstance(after, nodes.Designator)
    ):
        set_node, words = after, "the move may go anywhere"
    else:
        return
    source = text[set_node.span.offset : set_node.span.end]
    yield Diagnostic(
        set_node.span,
        "loose-set",
        f"The blank keeps `{source}` apart from the move: {words}.",
        "write them without a blank, or on lines of their own",
        "warning",
        Fix("Take the blank away", gap, ""),
    )

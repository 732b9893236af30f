"""Lints about ranges (language spec, 2.4): a range whose larger bound comes first contains no number."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cqlgui.base.patterns import pattern
from cqlgui.cql.ast import nodes, nodes_paths, nodes_tree
from cqlgui.cql.source.diagnostics import Diagnostic, Fix, Span


def findings(text: str, query: nodes.Query) -> Iterator[Diagnostic]:
    """Warnings about the ranges of a query. A range in a function is reported once, however often the
    function is called.

    Ranges of directions are not included, because the parser rejects them when the larger bound comes first.
    """
    told: set[Span] = set()
    for bounds, outcome in _ranges(query):
        low, high, span = bounds.low, bounds.high, bounds.span
        if isinstance(low, str) or isinstance(high, str) or low <= high or span in told:
            continue
        told.add(span)
        # If a comment stands between the bounds, there is no fix, because the fix would delete the comment.
        plain = _BOUNDS.fullmatch(text, span.offset, span.end)
        meant = f"{high} {low}"
        why = "The larger bound stands first"
        if plain is not None and 0 <= low <= -high:
            meant = f"{low} {-high}"
            why = "A dash is the sign of the number behind it, and the larger bound stands first"
        yield Diagnostic(
            span, "empty-range", f"{why}, so no number is in this range: {outcome}.",
            f"write {meant}", "warning", Fix(f"Write {meant}", span, meant) if plain is not None else None,
        )  # fmt: skip


_BOUNDS: Final = pattern(r"-?\s*\d+\s*-?\s*\d+")


def _ranges(query: nodes.Query) -> Iterator[tuple[nodes.Range, str]]:
    """Every range in the query, each with a text. The text describes the consequence if the range contains no
    number."""
    for one in (query.header.gamenumber, query.header.matchcount):
        if one is not None:
            yield one, "no game is found"
    for node in nodes.walk(query.body):
        match node:
            case (
                nodes.Transform(range=bounds)
                | nodes.Ray(range=bounds)
                | nodes.Find(range=bounds)
                | nodes_paths.Path(range=bounds)
                | nodes_paths.Line(range=bounds)
                | nodes_tree.ConsecutiveMoves(range=bounds)
            ):
                if bounds is not None:
                    yield bounds, "this never matches"

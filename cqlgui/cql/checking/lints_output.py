"""Lints about studies: `hhdb` keys that are meaningless in a search of main lines only."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from cqlgui.cql.ast import nodes, nodes_studies
from cqlgui.cql.source.diagnostics import Diagnostic, Fix, Span
from cqlgui.cql.vocabulary import study_meanings


def findings(text: str, query: nodes.Query) -> Iterator[Diagnostic]:
    """Warnings about `query`, which must have no errors."""
    if not query.header.variations:
        yield from _about_variations(text, query, "warning")


def faults(text: str, query: nodes.Query) -> tuple[Diagnostic, ...]:
    """The diagnostics of `findings` as errors: keys about variations in a search that omits variations (spec
    14). The errors stop the query from running. Call this function only when it is certain whether the search
    includes variations."""
    return () if query.header.variations else tuple(_about_variations(text, query, "error"))


def _about_variations(
    text: str, query: nodes.Query, severity: Literal["error", "warning"]
) -> Iterator[Diagnostic]:
    for node in nodes.walk(query.body):
        if isinstance(node, nodes_studies.Study) and node.key in study_meanings.NEEDS_VARIATIONS:
            yield Diagnostic(
                node.span, "needs-variations",
                "This key is about variations, and the search leaves them out.",
                "write cql(variations) at the head, or choose to search variations", severity,
                _with_variations(text, query.header),
            )  # fmt: skip


def _with_variations(text: str, header: nodes.Header) -> Fix:
    title = "Search variations"
    opening = text.find("(", header.span.offset, header.span.end)
    if opening < 0:
        return Fix(title, Span(0, 0), "cql(variations)\n")
    rest = text[opening + 1 : header.span.end]
    return Fix(title, Span(opening + 1, 0), "variations" if rest.lstrip().startswith(")") else "variations ")

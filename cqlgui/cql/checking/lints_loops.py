"""Lints about loop variables that are used outside their loop, or bound by two nested loops. Such a variable
can stop a search with an error. Only the search itself shows whether this error occurs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cqlgui.cql.ast import nodes, nodes_programs, nodes_tree
from cqlgui.cql.source.diagnostics import Diagnostic, Span

_Loop = nodes.SquareLoop | nodes.PieceLoop | nodes_programs.EntryLoop
_NOBODY: frozenset[str] = frozenset()


def findings(text: str, body: nodes.Node) -> Iterator[Diagnostic]:
    """Warnings about variables that only loops bind (language spec, R2-9 and R2-13)."""
    looped, others = _bound(body)
    # Pairs of a filter and the variables of the loops around this filter.
    pending = [(body, _NOBODY)]
    while pending:
        node, around = pending.pop()
        if isinstance(node, nodes.Name) and node.name in looped - others - around:
            yield Diagnostic(
                node.span, "unbound-variable",
                f"`{node.name}` has a value in its loop only, and this stands outside: a search stops here.",
                "put it into the loop, with the rest of the body in braces { }", "warning",
            )  # fmt: skip
        inside = around
        if isinstance(node, _Loop):
            if node.name in around:
                yield Diagnostic(
                    _named(text, node), "already-bound",
                    f"`{node.name}` is the variable of a filter around this one already: a search that "
                    "reaches this loop stops.",
                    "take another name inside", "warning",
                )  # fmt: skip
            inside = around | {node.name}
        elif isinstance(node, nodes_tree.Echo):
            inside = around | {node.source, node.target}
        domain = node.domain if isinstance(node, nodes.SquareLoop | nodes.PieceLoop) else None
        pending.extend((child, around if child is domain else inside) for child in nodes.children(node))


def _bound(body: nodes.Node) -> tuple[frozenset[str], frozenset[str]]:
    """The variables that loops bind, and the variables that get a value in another way."""
    looped: set[str] = set()
    others: set[str] = set()
    for node in nodes.walk(body):
        match node:
            case nodes.SquareLoop() | nodes.PieceLoop() | nodes_programs.EntryLoop():
                looped.add(node.name)
            case nodes_tree.Echo():
                looped |= {node.source, node.target}
            case nodes.Assign() | nodes.PieceAssign():
                others.add(node.name)
            case nodes_programs.Call():
                others |= set(node.hidden)
            case _:
                pass
    return frozenset(looped), frozenset(others)


def _named(text: str, loop: _Loop) -> Span:
    """The span of the variable in the head of a loop."""
    found = re.search(rf"(?<![\w$]){re.escape(loop.name)}(?![\w$])", text[loop.span.offset : loop.span.end])
    return loop.span if found is None else Span(loop.span.offset + found.start(), len(loop.name))

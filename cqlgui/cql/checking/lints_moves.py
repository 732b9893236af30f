"""Lints about moves: a set that a blank or a bracket separates from a dash, and a second bracket after the
target of a move."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from cqlgui.cql.ast import nodes, nodes_moves, nodes_paths, types
from cqlgui.cql.ast.types import SETS, Names
from cqlgui.cql.source.diagnostics import Diagnostic, Fix, Span


def findings(text: str, body: nodes.Node, names: Names) -> Iterator[Diagnostic]:
    """Warnings about the dashes of a query."""
    # The end offsets of all dashes with a target. These offsets are also the ends of filters such as
    # `countmoves` that end with a dash.
    targets: set[int] = set()
    neighbours: list[tuple[nodes.Node, nodes.Node]] = []
    for node in nodes.walk(body):
        if isinstance(node, nodes.Compound):
            neighbours += itertools.pairwise(node.filters)
        elif isinstance(node, nodes_moves.Dash) and node.target is not None:
            targets.add(node.span.end)
        elif isinstance(node, nodes_paths.Path | nodes_paths.Chain):
            for before, after in itertools.pairwise(node.constituents):
                yield from _bracketed(text, before, after, names)
    for before, after in neighbours:
        yield from _apart(text, before, after)
        if before.span.end in targets:
            yield from _second_bracket(text, before, after)


def _apart(text: str, before: nodes.Node, after: nodes.Node) -> Iterator[Diagnostic]:
    """`N --e4`, `N-- e4`: a designator that looks like part of the dash but is a filter of its own."""
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


def _second_bracket(text: str, before: nodes.Node, after: nodes.Node) -> Iterator[Diagnostic]:
    """`--(K)(check)`: the second bracket is a filter of its own, tested before the move (spec 20, R2-14)."""
    bracket = _with_brackets(text, after.span)
    if text[before.span.end : bracket.offset].strip(" ") or text[bracket.offset] != "(":
        return
    joint = before.span.end - 1
    fix = Fix("Make it part of the target", Span(joint, bracket.offset + 1 - joint), " ")
    yield Diagnostic(
        bracket,
        "second-bracket",
        "This second bracket is no part of the move's target: it is asked before the move.",
        "one bracket holds all of the target; braces make it plain that this is another filter",
        "warning",
        fix if bracket != after.span else None,
    )


def _bracketed(text: str, before: nodes.Node, after: nodes.Node, names: Names) -> Iterator[Diagnostic]:
    """`path (P)--`: the bracket is a constituent of its own, and the dash has no left set (spec 20, R2-3)."""
    step = after.operand if isinstance(after, nodes_paths.Repeat) else after
    if not isinstance(step, nodes_paths.Step) or step.dash.left is not None:
        return
    end = step.dash.span.offset
    if text[end - 1] != ")":
        return
    inner, target = before, False
    if isinstance(before, nodes_paths.Step) and before.targets:
        inner, target = before.targets[-1], True
    while isinstance(inner, nodes_paths.Chain) and len(inner.constituents) == 1:
        (inner,) = inner.constituents
    if types.infer(inner, names) not in SETS:
        return
    bracket = _with_brackets(text, inner.span)
    if target and not text[bracket.offset - 1].isspace():
        # The bracket is the target of the previous dash.
        return
    source = text[inner.span.offset : inner.span.end]
    yield Diagnostic(
        bracket,
        "tied-bracket",
        "In a path such a bracket is a condition of its own, and the move behind it may start from anywhere.",
        "braces make it the set that the move starts from; a blank before the dash makes its meaning plain",
        "warning",
        Fix("Make it the start of the move", bracket, f"{{{source}}}") if bracket.end == end else None,
    )


def _with_brackets(text: str, span: Span) -> Span:
    """`span`, extended by the round brackets around the text of the span."""
    start, end = span.offset, span.end
    while True:
        left, right = start - 1, end
        while left >= 0 and text[left] == " ":
            left -= 1
        while right < len(text) and text[right] == " ":
            right += 1
        if left < 0 or right == len(text) or text[left] + text[right] != "()":
            return Span(start, end - start)
        start, end = left, right + 1

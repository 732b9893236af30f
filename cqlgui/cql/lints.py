"""Legal but probably wrong: filters used as conditions that match whenever they have a value (D4)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from cqlgui.cql import nodes, types
from cqlgui.cql.diagnostics import Diagnostic
from cqlgui.cql.types import Names, Type

MAX_WARNINGS = 100


def useless_conditions(query: nodes.Query, names: Names) -> tuple[Diagnostic, ...]:
    """A warning for every value that stands where only true or false counts."""
    found = (
        Diagnostic(
            node.span, "useless-condition",
            "This matches whenever it has a value, so it is no real condition.",
            "compare it with something", "warning",
        )
        for node in _conditions(query.body)
        if _useless(node, names)
    )  # fmt: skip
    return tuple(itertools.islice(found, MAX_WARNINGS))


def _conditions(root: nodes.Node) -> Iterator[nodes.Node]:
    """Every filter of which only matching counts: conjuncts, operands of `not`, `and`, `or`, bodies of
    loops."""
    pending = [(root, True)]
    while pending:
        node, condition = pending.pop()
        if isinstance(node, nodes.Compound):
            pending.extend((one, True) for one in node.filters[:-1])
            pending.append((node.filters[-1], condition))
        elif isinstance(node, nodes.Not):
            pending.append((node.operand, True))
        elif isinstance(node, nodes.Logic):
            pending += [(node.left, True), (node.right, True)]
        elif isinstance(node, nodes.Find):
            pending.append((node.operand, True))
        elif isinstance(node, nodes.SquareLoop | nodes.PieceLoop):
            pending += [(node.domain, False), (node.body, True)]
        elif isinstance(node, nodes.Transform):
            pending.append((node.operand, condition or node.range is not None))
        elif isinstance(node, nodes.NoTransform):
            pending.append((node.operand, condition))
        else:
            if condition:
                yield node
            pending.extend((child, False) for child in nodes.children(node))


def _useless(node: nodes.Node, names: Names) -> bool:
    if isinstance(
        node, nodes.Number | nodes.String | nodes.Numeric | nodes.Extremum | nodes.CurrentTransform
    ):
        return True
    if isinstance(node, nodes.Name):
        return types.infer(node, names) in (Type.NUMERIC, Type.STRING, Type.POSITION)
    if isinstance(node, nodes.Measure):
        return node.word == "positionid"
    if isinstance(node, nodes.Count):
        return types.infer(node.operand, names) is Type.STRING
    if isinstance(node, nodes.Arithmetic):
        return types.infer(node, names) is Type.STRING
    if isinstance(node, nodes.SetOperation):
        return types.infer(node.left, names) is Type.POSITION
    return False

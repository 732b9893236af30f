"""Filters that no position can match: a pawn on the first or last rank. Transforms can turn a possible
pattern into an impossible filter. This module examines only the syntax tree. If it is uncertain whether a
filter can match, the filter is not reported."""

from __future__ import annotations

from typing import Final

from cqlgui.board import men
from cqlgui.cql.ast import nodes

_PAWNS: Final = 1 << men.WP | 1 << men.BP
_EDGE: Final = 0xFF000000000000FF


def names_pawns(node: nodes.Node) -> bool:
    """Whether a filter contains a designator that names only pawns. Transforms can make a filter impossible
    only if the filter contains such a designator."""
    return any(
        isinstance(part, nodes.Designator) and part.men and not part.men & ~_PAWNS
        for part in nodes.walk(node)
    )


def reason(node: nodes.Node) -> str:
    """Why a filter can never match, in a few words; empty for a filter that may match."""
    match node:
        case nodes.Designator():
            alone = node.men and not node.men & ~_PAWNS and node.squares and not node.squares & ~_EDGE
            return "a pawn never stands on rank 1 or 8" if alone else ""
        case nodes.Compound():
            return _first(*node.filters)
        case nodes.Logic(word="or") | nodes.SetOperation(operator="|"):
            return reason(node.left) and reason(node.right)
        case nodes.Logic() | nodes.SetOperation() | nodes.Attack():
            return _first(node.left, node.right)
        case nodes.Arrow():
            return _first(*node.operands)
        case nodes.NoTransform() | nodes.Find(range=None):
            return reason(node.operand)
    return ""


def _first(*parts: nodes.Node) -> str:
    return next(filter(None, map(reason, parts)), "")

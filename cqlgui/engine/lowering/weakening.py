"""Finds the part of a query that must hold at a position and depends only on that position.

For a query that looks at other positions, all positions of a game must be laid out in memory. Most of these
queries have a part that depends only on one position. In most games this part fails at all positions. A game
where this part fails everywhere need not be laid out.
"""

from __future__ import annotations

from collections.abc import Callable

from cqlgui.base.data import replace
from cqlgui.cql.ast import nodes

MOST_ELEMENTS = 200
"""Orbits with more elements than this number are not examined. The examination takes time for each
element."""


def weakened(
    node: nodes.Node, is_idle: Callable[[nodes.Node], bool], is_told: Callable[[nodes.Node], bool]
) -> nodes.Node | None:
    """A filter that holds at every position where `node` holds. This weaker filter consists of the parts of
    `node` that are idle and depend only on the position. None if `node` has no such parts.

    If the weaker filter fails at a position, the evaluation of `node` at this position has no side effects.
    The reason is that the weaker filter omits all parts after a filter that is not idle.
    """

    def weaker(one: nodes.Node) -> nodes.Node | None:
        return weakened(one, is_idle, is_told)

    match node:
        case nodes.Compound():
            parts = []
            for one in node.filters:
                part = weaker(one)
                if part is not None:
                    parts.append(part)
                if not is_idle(one):
                    break
            if len(parts) < 2:
                return parts[0] if parts else None
            return nodes.Compound(node.span, tuple(parts))
        case nodes.Orbit(range=None) if 0 < len(node.elements) <= MOST_ELEMENTS:
            elements = []
            for element in node.elements:
                part = weaker(element.filter)
                if part is None:
                    return None
                elements.append(replace(element, filter=part))
            return replace(node, elements=tuple(elements))
        case nodes.Logic():
            left = weaker(node.left)
            right = weaker(node.right) if node.word == "or" or is_idle(node.left) else None
            if left is not None and right is not None:
                return replace(node, left=left, right=right)
            return (left or right) if node.word == "and" else None
        case _:
            return node if is_idle(node) and is_told(node) else None

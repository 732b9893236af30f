"""The part of a query that must hold at a position and depends on that position alone.

A query that looks at other positions needs all positions of a game laid out. Mostly some part of the query
depends on one position alone, and fails at all positions of most games. Those games need not be laid out.
"""

from __future__ import annotations

from collections.abc import Callable

from cqlgui.base.data import replace
from cqlgui.cql.ast import nodes

MOST_ELEMENTS = 200
"""Maximum of elements of an orbit that is examined. The examination takes time for each element."""


def weakened(
    node: nodes.Node, is_idle: Callable[[nodes.Node], bool], is_told: Callable[[nodes.Node], bool]
) -> nodes.Node | None:
    """A filter that holds wherever `node` holds. It is made of the parts of `node` that are idle and depend
    on the position alone; None if there are no such parts.

    Where the weaker filter fails, `node` leaves no trace, because everything after a filter that is not idle
    is left out.
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

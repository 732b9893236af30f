"""Finds the part of a query that must hold at a position, and depends only on the position and the next move.

For a query that looks at other positions, all positions of a game must be laid out in memory. Most of these
queries have a part that depends only on one position. In most games this part fails at all positions. A game
where this part fails everywhere need not be laid out. The part may also be about the position before a match
(`weakened_before`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from cqlgui.base.data import replace
from cqlgui.cql.ast import nodes, nodes_moves, nodes_paths, nodes_tree
from cqlgui.cql.interpreting.families import closures_moves

_Weaker: TypeAlias = Callable[[nodes.Node], nodes.Node | None]

MOST_ELEMENTS = 200
"""Orbits with more elements than this number are not examined. The examination takes time for each
element."""


def weakened(
    node: nodes.Node, is_idle: Callable[[nodes.Node], bool], is_told: Callable[[nodes.Node], bool]
) -> nodes.Node | None:
    """A filter that holds at every position where `node` holds. This weaker filter consists of the parts of
    `node` that are idle and depend only on the position and the next move. None if `node` has no such parts.

    If the weaker filter fails at a position, the evaluation of `node` at this position has no side effects.
    The reason is that the weaker filter omits all parts after a filter that is not idle.
    """

    def weaker(one: nodes.Node) -> nodes.Node | None:
        return weakened(one, is_idle, is_told)

    if isinstance(node, _COMPOSED):
        return _composed(node, weaker, is_idle)
    if isinstance(node, nodes_moves.Dash) and _fits_all(node):
        return None
    if is_idle(node) and is_told(node):
        return node
    match node:
        case nodes_moves.Dash():
            untargeted = replace(node, target=None)
            return untargeted if is_idle(untargeted) and is_told(untargeted) else None
        case nodes_paths.Path(focus=None, singlecolor=False):
            return _joined(_at_start(node.constituents, weaker, is_idle))
        case nodes_paths.Line(backward=False, singlecolor=False):
            return _joined(_at_start(node.constituents[:1], weaker, is_idle))
        case _:
            return None


def weakened_before(
    node: nodes.Node, is_idle: Callable[[nodes.Node], bool], is_told: Callable[[nodes.Node], bool]
) -> nodes.Node | None:
    """A filter that holds at the parent of every position where `node` holds, and depends only on the parent
    and its next move. None if `node` has no parts that say this. It is of use where `weakened` finds nothing:
    all matches come after the first position where this filter holds."""

    def weaker(one: nodes.Node) -> nodes.Node | None:
        return weakened_before(one, is_idle, is_told)

    match node:
        case nodes_moves.CurrentMove():
            return weakened(node.dash, is_idle, is_told)
        case nodes_tree.At(position=nodes_tree.Parent()):
            return weakened(node.filter, is_idle, is_told)
        case _:
            return _composed(node, weaker, is_idle)


_COMPOSED: Final = nodes.Compound, nodes.Orbit, nodes.Logic


def _composed(node: nodes.Node, weaker: _Weaker, is_idle: Callable[[nodes.Node], bool]) -> nodes.Node | None:
    """A filter that is made of others, with weaker ones."""
    match node:
        case nodes.Compound():
            parts = []
            for one in node.filters:
                part = weaker(one)
                if part is not None:
                    parts.append(part)
                if not is_idle(one):
                    break
            return _joined(parts)
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
            return None


def _at_start(
    constituents: Sequence[nodes.Node], weaker: _Weaker, is_idle: Callable[[nodes.Node], bool]
) -> list[nodes.Node]:
    """What must hold at the position where a path starts: the first constituents, up to the first move. Of a
    line, the caller gives the first constituent only, because each one takes a position of its own."""
    parts: list[nodes.Node] = []
    for one in constituents:
        match one:
            case nodes_paths.Chain():
                return parts + _at_start(one.constituents, weaker, is_idle)
            case nodes_paths.LineChain():
                first = () if one.backward else one.constituents[:1]
                return parts + _at_start(first, weaker, is_idle)
            case nodes_paths.Repeat():
                return parts + (_at_start((one.operand,), weaker, is_idle) if one.low > 0 else [])
            case nodes_paths.Step():
                step = weaker(one.dash)
                return parts if step is None else [*parts, step]
            case _ if _is_about_the_sequence(one):
                return parts
        part = weaker(one)
        if part is not None:
            parts.append(part)
        if not is_idle(one):
            break
    return parts


def _is_about_the_sequence(node: nodes.Node) -> bool:
    """Whether the result of a filter depends on the path or line that it stands in."""
    return any(closures_moves.future_moves(node)) or any(
        isinstance(one, nodes_paths.PathFact) for one in nodes.walk(node)
    )


def _fits_all(node: nodes_moves.Dash) -> bool:
    """Whether every move fits a dash, if the target is left out."""
    return not (node.left or node.right or node.capture or node.promotion)


def _joined(parts: Sequence[nodes.Node]) -> nodes.Node | None:
    """A filter that holds where all parts hold; None for no parts."""
    if len(parts) < 2:
        return parts[0] if parts else None
    return nodes.Compound(parts[0].span, tuple(parts))

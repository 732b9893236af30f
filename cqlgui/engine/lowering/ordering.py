"""The order of tests for filters that must hold together: cheap filters come first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cqlgui.cql.ast import (
    nodes,
    nodes_moves,
    nodes_paths,
    nodes_tree,
)
from cqlgui.engine.lowering.dispatch import Lowering
from cqlgui.engine.lowering.scope import Scope


def insist(low: Lowering, s: Scope, filters: Sequence[nodes.Node], no: str) -> None:
    """Write code that continues if all of the filters hold, and goes to `no` if one of the filters fails."""
    for one in ordered(low, s, filters):
        good = s.f.label()
        low.test(s, one, good, no)
        s.f.begin(good)


def ordered(low: Lowering, s: Scope, filters: Sequence[nodes.Node]) -> list[nodes.Node]:
    """The filters in the order of their tests, cheap filters first. A filter changes its place only if the
    change cannot be observed. If the query has filters about a path that matched, the order is unchanged."""
    if low.tells_ways or len(filters) < 2:
        return list(filters)
    found: list[nodes.Node] = []
    run: list[nodes.Node] = []
    for one in filters:
        if low.is_idle(s, one):
            run.append(one)
            continue
        found += [*sorted(run, key=_cost), one]
        run = []
    return found + sorted(run, key=_cost)


def _cost(node: nodes.Node) -> int:
    """The approximate cost of a filter. The unit is a test of a few instructions."""
    own = _COSTS.get(type(node), 1)
    inner = sum(_cost(child) for child in nodes.children(node))
    return own * inner if isinstance(node, _REPEATED) else own + inner


_COSTS: Final[dict[type[nodes.Node], int]] = {
    nodes.State: 8,
    nodes.Attack: 6,
    nodes.Arrow: 8,
    nodes.Ray: 10,
    nodes.Between: 4,
    nodes.Power: 4,
    nodes.SquareLoop: 4,
    nodes.PieceLoop: 4,
    nodes.Find: 40,
    nodes_tree.Echo: 80,
    nodes_paths.Path: 200,
    nodes_paths.Line: 200,
    nodes_moves.Pin: 12,
    nodes_moves.Dash: 10,
    nodes_moves.Move: 10,
    nodes_moves.PossibleMoves: 40,
    nodes_moves.CountMoves: 40,
}
_REPEATED: Final = (nodes.SquareLoop, nodes.PieceLoop, nodes.Find, nodes_tree.Echo)

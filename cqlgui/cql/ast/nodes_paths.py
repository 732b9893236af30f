"""Nodes of sequences: `path` with its constituents, the older `line`, and facts about a path."""

from __future__ import annotations

from typing import Literal

from cqlgui.cql.ast.nodes import Node, Range, node
from cqlgui.cql.ast.nodes_moves import Dash


@node
class Path(Node):
    """`path` (spec 10). A constituent is a `Step`, a `Chain`, a `Repeat` of a constituent, or another filter.

    `focus` is the set of men whose moves count. With `capture`, moves that capture one of these men count
    too. The best path is the path with the greatest value of `max`. If `max` is None, the best path is the
    path with the most moves.
    """

    range: Range | None
    focus: Node | None
    capture: bool
    singlecolor: bool
    primary: bool
    max: Node | None
    firstmatch: bool
    lastposition: bool
    nestban: bool
    keepallbest: bool
    quiet: bool
    verbose: bool
    title: str | None
    piecepath: bool
    constituents: tuple[Node, ...]


@node
class Step(Node):
    """A dash as a constituent of a path. All filters in `targets` must match after the move. `dash.target` is
    None."""

    dash: Dash
    targets: tuple[Node, ...]


@node
class Chain(Node):
    """`( ... )` in a path: a sequence of constituents."""

    constituents: tuple[Node, ...]


@node
class Repeat(Node):
    """A constituent with a wildcard: repeated from `low` to `high` times. If `high` is None, there is no
    upper limit."""

    low: int
    high: int | None
    operand: Node


@node
class Line(Node):
    """`line` (spec 11). A constituent is a filter, a `LineChain`, or a `Repeat` of a constituent."""

    backward: bool
    range: Range | None
    order: Literal["", "primary", "secondary"]
    singlecolor: bool
    nestban: bool
    firstmatch: bool
    lastposition: bool
    quiet: bool
    constituents: tuple[Node, ...]


@node
class LineChain(Node):
    """`( con --> con ... )` in a line, two constituents at least."""

    backward: bool
    constituents: tuple[Node, ...]


PathFactWord = Literal["pathstart", "pathcount", "pathlastposition", "pathcountunfocused"]


@node
class PathFact(Node):
    """A fact about the path that is being searched. If no path is being searched, the fact is about the last
    path found (spec 10.7)."""

    word: PathFactWord

"""Node kinds that go to other positions of a game, compare positions, or look for similar positions."""

from __future__ import annotations

from typing import Literal

from cqlgui.cql.ast import nodes


@nodes.node
class At(nodes.Node):
    """`X:F`: `filter` evaluated in the position X (spec 6.5)."""

    position: nodes.Node
    filter: nodes.Node


@nodes.node
class Parent(nodes.Node):
    """`parent`."""


@nodes.node
class Child(nodes.Node):
    """`child`, or `child (n)`, where n is the number of the child, counted from 0."""

    index: nodes.Node | None


@nodes.node
class InitialPosition(nodes.Node):
    """`initialposition`."""


@nodes.node
class PositionNumber(nodes.Node):
    """`position n`: the position whose id is n."""

    operand: nodes.Node


@nodes.node
class CommonAncestor(nodes.Node):
    """`lca (X Y)`."""

    left: nodes.Node
    right: nodes.Node


@nodes.node
class Distance(nodes.Node):
    """`distance (X Y)`."""

    left: nodes.Node
    right: nodes.Node


@nodes.node
class Kinship(nodes.Node):
    """`ancestor (X Y)`, `descendant (X Y)`: X is a proper ancestor or descendant of Y."""

    word: Literal["ancestor", "descendant"]
    left: nodes.Node
    right: nodes.Node


Lineage = Literal["[<]", "[<=]", "[>]", "[>=]"]


@nodes.node
class Descent(nodes.Node):
    """`X [<] Y`, and the other signs of `Lineage` (spec 6.7). The value is X."""

    operator: Lineage
    left: nodes.Node
    right: nodes.Node


@nodes.node
class Echo(nodes.Node):
    """`echo (s t) F`. With `whole`, the node means `echo (s t) in all F`: t is also bound to the current
    position."""

    quiet: bool
    source: str
    target: str
    whole: bool
    operand: nodes.Node


@nodes.node
class ConsecutiveMoves(nodes.Node):
    """`consecutivemoves quiet? range? (x y)`; x and y are names of position variables."""

    quiet: bool
    range: nodes.Range | None
    left: str
    right: str


@nodes.node
class SimilarPosition(nodes.Node):
    """`similarposition nosort? notransform? "file.pgn"`."""

    nosort: bool
    notransform: bool
    file: str


@nodes.node
class Equal(nodes.Node):
    """`equal (F G)`: F and G have the same value, or both have no value."""

    left: nodes.Node
    right: nodes.Node

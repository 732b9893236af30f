"""Every node kind is interpreted."""

from __future__ import annotations

from cqlgui.cql.ast import nodes, nodes_paths
from cqlgui.cql.interpreting import interpreter
from cqlgui.cql.interpreting.expressions import closures
from tests.helpers import kinds

PARTS = {nodes_paths.Step, nodes_paths.Chain, nodes_paths.Repeat, nodes_paths.LineChain}
"""Compiled by the path or line they stand in."""


def test_every_filter_kind_has_a_compiler() -> None:
    assert interpreter.Program is not None
    assert kinds.FILTERS - {nodes.Transform} - PARTS == set(closures.COMPILERS)

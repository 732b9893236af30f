"""Every node kind is interpreted."""

from __future__ import annotations

from cqlgui.cql import closures, interpreter, nodes
from tests.helpers import kinds


def test_every_filter_kind_has_a_compiler() -> None:
    assert interpreter.Program is not None
    assert kinds.FILTERS - {nodes.Transform} == set(closures.COMPILERS)

"""Every node kind is interpreted."""

from __future__ import annotations

from cqlgui.cql import closures, interpreter, nodes


def test_every_filter_kind_has_a_compiler() -> None:
    assert interpreter.Program is not None
    filters = {
        kind for kind in vars(nodes).values()
        if isinstance(kind, type) and issubclass(kind, nodes.Node) and kind is not nodes.Node
    } - {nodes.Range, nodes.Header, nodes.Query, nodes.Transform}  # fmt: skip
    assert filters == set(closures.COMPILERS)

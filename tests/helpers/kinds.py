"""Every node kind of the language, from `cqlgui.cql.nodes` and all modules `nodes_…` beside it."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType

import cqlgui.cql
from cqlgui.cql import nodes


def _modules() -> list[ModuleType]:
    names = [found.name for found in pkgutil.iter_modules(cqlgui.cql.__path__)]
    return [importlib.import_module(f"cqlgui.cql.{name}") for name in names if name.split("_")[0] == "nodes"]


FILTERS: frozenset[type[nodes.Node]] = frozenset(
    kind
    for module in _modules()
    for kind in vars(module).values()
    if isinstance(kind, type) and issubclass(kind, nodes.Node)
) - {nodes.Node, nodes.Range, nodes.Header, nodes.Query}
"""Those that are filters."""

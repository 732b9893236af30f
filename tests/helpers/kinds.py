"""Every node kind of the language, from `cqlgui.cql.ast.nodes` and all modules `nodes_…` beside it."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType

from cqlgui.cql import ast
from cqlgui.cql.ast import nodes


def _modules() -> list[ModuleType]:
    names = [found.name for found in pkgutil.iter_modules(ast.__path__) if found.name.startswith("nodes")]
    return [importlib.import_module(f"cqlgui.cql.ast.{name}") for name in names]


FILTERS: frozenset[type[nodes.Node]] = frozenset(
    kind
    for module in _modules()
    for kind in vars(module).values()
    if isinstance(kind, type) and issubclass(kind, nodes.Node)
) - {nodes.Node, nodes.Range, nodes.Header, nodes.Query}
"""Those that are filters."""

"""Imports the compilers of all node kinds. Every module in `MODULES` registers its compilers in
`closures.COMPILERS` when it is imported. Other modules get a `closures.Compiler` only from the function
`compiler` below. Therefore all node kinds are registered before a query is compiled."""

from __future__ import annotations

from collections.abc import Callable

from cqlgui.cql.ast import nodes, types
from cqlgui.cql.interpreting.expressions import (
    closures,
    closures_board,
    closures_logic,
    closures_numbers,
    closures_output,
    closures_squares,
    closures_strings,
    closures_tree,
)
from cqlgui.cql.interpreting.families import (
    closures_echo,
    closures_facts,
    closures_find,
    closures_mates,
    closures_moves,
    closures_orbits,
    closures_paths,
    closures_programs,
    closures_similar,
    closures_studies,
)

MODULES = (
    closures_board,
    closures_echo,
    closures_facts,
    closures_find,
    closures_studies,
    closures_logic,
    closures_moves,
    closures_mates,
    closures_numbers,
    closures_orbits,
    closures_output,
    closures_paths,
    closures_similar,
    closures_squares,
    closures_tree,
    closures_programs,
    closures_strings,
)
"""The modules with the compilers. When a module is imported, the module registers its compilers in
`closures.COMPILERS`."""


def compiler(
    names: types.Names, watch: Callable[[nodes.Node, closures.Code], closures.Code] | None = None
) -> closures.Compiler:
    """A compiler for the filters of one query. For `watch`, see `closures.Compiler`."""
    return closures.Compiler(names, watch)

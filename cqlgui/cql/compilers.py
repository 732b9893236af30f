"""All compilers of filters together: whoever needs a `closures.Compiler` makes it here, so that every node
kind has its compiler by then.
"""

from __future__ import annotations

from collections.abc import Callable

from cqlgui.cql import (
    closures,
    closures_board,
    closures_facts,
    closures_find,
    closures_hhdb,
    closures_logic,
    closures_moves,
    closures_numbers,
    closures_orbit,
    closures_output,
    closures_paths,
    nodes,
    types,
)

MODULES = (
    closures_board,
    closures_facts,
    closures_find,
    closures_hhdb,
    closures_logic,
    closures_moves,
    closures_numbers,
    closures_orbit,
    closures_output,
    closures_paths,
)
"""They enter their compilers in `closures.COMPILERS` when they are imported."""


def compiler(
    names: types.Names, watch: Callable[[nodes.Node, closures.Code], closures.Code] | None = None
) -> closures.Compiler:
    """A compiler for the filters of one query; `watch` as in `closures.Compiler`."""
    return closures.Compiler(names, watch)

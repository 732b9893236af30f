"""What a query writes into games: which filters may write comments or note matches of orbit elements, and the
sort keys.

The interpreter's own closures give the answers, so that machine code and the interpreter agree.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from cqlgui.base.data import dataclass, field
from cqlgui.cql.ast import nodes, nodes_facts, nodes_moves, nodes_paths, nodes_strings, nodes_tree
from cqlgui.cql.interpreting.expressions import closures
from cqlgui.cql.transforming import transforms


@dataclass(frozen=True, slots=True)
class Writing:
    """What a query writes. `filters` has the `id`s of the filters that may write comments or note matches
    (`closures.Code.logs`). `comments` says whether the query may write comments. `keys` has the number of the
    sort key for each `sort`, by the `id` of the filter, and `specs` describes the sort keys. `apart` has the
    `id`s of the filters whose value does not show whether the filter holds (`closures.Code.apart`).
    `automatic` says whether filters write comments of their own, and `explicit` whether the query writes
    comments at all."""

    filters: frozenset[int] = frozenset()
    comments: bool = False
    keys: Mapping[int, int] = field(default_factory=dict)
    specs: tuple[closures.SortSpec, ...] = ()
    apart: frozenset[int] = frozenset()
    automatic: bool = True
    explicit: bool = True
    lasting: bool = False
    """Whether the query sets tags or removes comments of the file."""


def of(expanded: transforms.Expanded, *, matches: bool) -> Writing:
    """What a query writes. Without `matches`, `Writing.filters` may lack filters that only note matches."""
    assert expanded.query is not None
    header, body = expanded.query.header, expanded.query.body
    automatic, explicit = not (header.quiet or header.silent), not header.silent
    if not matches and all(isinstance(node, _SILENT) for node in nodes.walk(body)):
        # Return without making closures, because making the closures of an orbit takes long.
        return Writing(automatic=automatic, explicit=explicit)
    from cqlgui.cql.interpreting import compilers

    filters: set[int] = set()
    apart: set[int] = set()

    def watch(node: nodes.Node, code: closures.Code) -> closures.Code:
        if code.logs:
            filters.add(id(node))
        if code.apart:
            apart.add(id(node))
        return code

    compiler = compilers.compiler(expanded.names, watch)
    code = compiler.compile(body)
    comments = code.logs and any(
        _may_comment(node, header.variations, automatic, explicit) for node in nodes.walk(body)
    )
    keys = {id(node): compiler.sort_key(node) for node in nodes.walk(body) if isinstance(node, nodes.Sort)}
    return Writing(
        frozenset(filters),
        comments,
        keys,
        compiler.sort_specs,
        frozenset(apart),
        automatic,
        explicit,
        any(isinstance(node, nodes_facts.SetTag | nodes_facts.RemoveComment) for node in nodes.walk(body)),
    )


def _may_comment(node: nodes.Node, variations: bool, automatic: bool, explicit: bool) -> bool:
    """Whether a filter may itself write comments."""
    match node:
        case nodes.Find() | nodes_tree.Echo() | nodes_tree.ConsecutiveMoves() | nodes_paths.Line():
            return automatic and not node.quiet
        case nodes_paths.Path():
            return (automatic and not node.quiet) or (
                explicit and bool(node.title or node.piecepath or node.verbose)
            )
        case nodes.Comment():
            return explicit
        case nodes_moves.Move():
            return explicit and node.comment is not None
        case nodes_strings.Str() | nodes_facts.Message():
            # The text of a position in a variation comes with a comment at the position.
            return variations and explicit
        case _:
            return False


_SILENT: Final = (
    nodes.AllSquares, nodes.Attack, nodes.Compare, nodes.Compound, nodes.Designator, nodes.Logic, nodes.Not,
    nodes.Number, nodes.Orbit, nodes.Ray, nodes.SideToMove, nodes.State,
)  # fmt: skip
"""Filters that write no comments themselves. Other filters inside these filters may write comments."""

"""Joins the filters of a query that pass data about a game as a whole to each other, so that they form one
question."""

from __future__ import annotations

from typing import Final

from cqlgui.base.data import replace
from cqlgui.cql.ast import nodes, nodes_programs, nodes_strings
from cqlgui.engine.facts import questions


def gathered(body: nodes.Node) -> tuple[nodes.Node, frozenset[int]]:
    """A query whose filters about strings depend on the game alone, with these filters in one new compound.
    Returns the query and the `id` of the compound. A query that assigns strings, or reads the groups of a
    regular expression, has such filters only together, because they pass data to each other. If this is not
    possible, the result is the query itself and an empty set.

    `x = 0 while (player white ~~ "[aeiou]") x += 1 sort x` becomes `sort {x = 0 while ... x}`.
    """
    special = {id(node) for node in nodes.walk(body) if passes_data(node)}
    if not special:
        return body, frozenset()
    made: list[nodes.Node] = []
    new = _gather(body, body, special, made)
    return (new, frozenset(map(id, made))) if made else (body, frozenset())


def passes_data(node: nodes.Node) -> bool:
    """Whether a filter sets or reads a group or a variable."""
    if isinstance(node, nodes_strings.Group | nodes_strings.SliceAssign):
        return True
    if isinstance(node, nodes_programs.While):
        return True
    return isinstance(node, nodes.Assign) and any(questions.is_asked(one) for one in nodes.walk(node.value))


def _gather(node: nodes.Node, body: nodes.Node, special: set[int], made: list[nodes.Node]) -> nodes.Node:
    """`node` with the compound; the compound is added to `made`. All filters in `special` lie in `node`."""
    if not isinstance(node, nodes.Compound):
        return node
    inside = [{id(one) for one in nodes.walk(part)} & special for part in node.filters]
    places = [place for place, found in enumerate(inside) if found]
    if len(places) == 1 and isinstance(node.filters[places[0]], nodes.Compound):
        place = places[0]
        inner = _gather(node.filters[place], body, special, made)
        return replace(node, filters=(*node.filters[:place], inner, *node.filters[place + 1 :]))
    first, last = places[0], places[-1] + 1
    # A search may come before the filters that read its groups.
    while first and _is_local(node.filters[first - 1]):
        first -= 1
    while last < len(node.filters) and _is_local(node.filters[last]):
        last += 1
    run = list(node.filters[first:last])
    sort = run[-1] if isinstance(run[-1], nodes.Sort) else None
    if sort is not None:
        run[-1] = sort.operand
    elif last < len(node.filters):
        following = node.filters[last]
        if isinstance(following, nodes.Sort):
            sort = following
            run.append(sort.operand)
            last += 1
    if not all(map(_is_local, run)) or not any(
        questions.is_asked(one) for part in run for one in nodes.walk(part)
    ):
        return node
    own = {id(one) for part in run for one in nodes.walk(part)}
    assigned = {one.name for part in run for one in nodes.walk(part) if isinstance(one, nodes.Assign)}
    for one in nodes.walk(body):
        name = getattr(one, "name", None)
        if isinstance(one, _NAMED) and (id(one) in own) != (name in assigned):
            return node
    compound = nodes.Compound(node.span, tuple(run))
    made.append(compound)
    part = compound if sort is None else replace(sort, operand=compound)
    return replace(node, filters=(*node.filters[:first], part, *node.filters[last:]))


_NAMED: Final = (nodes.Name, nodes.Assign, nodes_strings.SliceAssign, nodes_programs.IsBound)
"""Filters that use a variable by its name."""


def _is_local(node: nodes.Node) -> bool:
    """Whether a filter depends on the game as a whole, on groups and on variables alone."""
    match node:
        case nodes.Assign(persistent=False, atomic=False) | nodes.Name() | nodes_strings.Group():
            pass
        case nodes_strings.SliceAssign() | nodes_strings.Search() | nodes_programs.While():
            pass
        case _ if not isinstance(node, questions.JOINING) and not questions.is_asked(node):
            return False
    return all(map(_is_local, nodes.children(node)))

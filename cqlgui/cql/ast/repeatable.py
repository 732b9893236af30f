"""Determines which filters are repeatable. A repeatable filter gives the same result each time it is
evaluated at one position. If a search reaches a position a second time, the filter need not be evaluated
again."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Final

from cqlgui.base import data
from cqlgui.cql.ast import (
    nodes,
    nodes_facts,
    nodes_moves,
    nodes_paths,
    nodes_programs,
    nodes_squares,
    nodes_strings,
    nodes_studies,
    nodes_tree,
)


def is_repeatable(node: nodes.Node) -> bool:
    """True if a filter gives the same result each time it is evaluated at one position. A repeatable filter
    has no side effects except comments and orbit matches. Nodes of a kind that `_REPEATABLE` lacks count as
    not repeatable."""
    return is_repeatable_itself(node) and all(is_repeatable(child) for child in nodes.children(node))


def is_repeatable_itself(node: nodes.Node) -> bool:
    """True if a filter is repeatable whenever its children are repeatable."""
    if type(node) not in _REPEATABLE:
        return False
    if isinstance(node, nodes_paths.Path | nodes_paths.Line) and node.nestban:
        return False
    # Within a path, `pathlastposition` is the end of the best path so far. The best path changes during the
    # search.
    return not (isinstance(node, nodes_paths.PathFact) and node.word == "pathlastposition")


def is_endless(loop: nodes_programs.Loop | nodes_programs.While) -> bool:
    """True if nothing in a loop can change the loop's condition. If the condition holds at the beginning, the
    loop runs forever."""
    if isinstance(loop, nodes_programs.Loop):
        condition = body = loop.operand
    elif loop.iterates:
        return False
    else:
        condition, body = loop.condition, loop.body
    assigned: set[str] = set()
    if not all(_only_assigns(part, assigned) for part in (condition, body)):
        return False
    return assigned.isdisjoint(itertools.chain.from_iterable(map(_words, nodes.walk(condition))))


def _only_assigns(node: nodes.Node, assigned: set[str]) -> bool:
    """Whether a filter has no effect except assignments to variables. The names of the variables are added to
    `assigned`."""
    if isinstance(node, nodes.Assign) and node.operator == "=":
        assigned.add(node.name)
    elif type(node) not in _REPEATABLE or isinstance(node, nodes_paths.Path | nodes_paths.Line):
        return is_repeatable(node)
    return all(_only_assigns(child, assigned) for child in nodes.children(node))


def _words(node: nodes.Node) -> Iterator[str]:
    """Every name in a filter, including the names of variables that are read."""
    if isinstance(node, nodes.Assign):
        return
    for field in data.fields(node):
        value = getattr(node, field.name)
        if isinstance(value, str):
            yield value


_REPEATABLE: Final = frozenset({
    nodes.Designator, nodes.AllSquares, nodes.EmptySet, nodes.Number, nodes.String, nodes.Name, nodes.Truth,
    nodes.SideToMove, nodes.State, nodes.CurrentPosition, nodes.Measure, nodes.Elo, nodes.Player,
    nodes.Result, nodes.TagText, nodes.ImplicitSearch, nodes.CurrentTransform, nodes.Not, nodes.Complement,
    nodes.Negate, nodes.Count, nodes.Numeric, nodes.Extremum, nodes.Power, nodes.Shade, nodes.Direction,
    nodes.Between, nodes.Ray, nodes.Find, nodes.Comment, nodes.NoTransform, nodes.Compound, nodes.Orbit,
    nodes.SetOperation, nodes.Attack, nodes.Arrow, nodes.Compare, nodes.Arithmetic, nodes.In, nodes.Logic,
    nodes.SquareLoop, nodes.PieceLoop,
    nodes_facts.Tag, nodes_facts.OriginalComment, nodes_facts.Glyph, nodes_facts.CommandNumber,
    nodes_studies.Study,
    nodes_moves.Dash, nodes_moves.PossibleMoves, nodes_moves.CountMoves, nodes_moves.CurrentMove,
    nodes_moves.PreviousMove, nodes_moves.PreviousSquares, nodes_moves.Move, nodes_moves.Pin,
    nodes_paths.Path, nodes_paths.Step, nodes_paths.Chain, nodes_paths.Repeat, nodes_paths.Line,
    nodes_paths.LineChain, nodes_paths.PathFact,
    nodes_programs.If, nodes_programs.IsBound, nodes_programs.Entry, nodes_programs.EntryCount,
    nodes_strings.Index, nodes_strings.Slice, nodes_strings.Case, nodes_strings.IndexOf, nodes_strings.Int,
    nodes_strings.Ascii, nodes_strings.Str,
    nodes_squares.ColourNumber, nodes_squares.SquareFact, nodes_squares.MakeSquare, nodes_squares.Fen,
    nodes_squares.Placement, nodes_squares.PawnSet, nodes_squares.Picture,
    nodes_tree.At, nodes_tree.Parent, nodes_tree.Child, nodes_tree.InitialPosition, nodes_tree.PositionNumber,
    nodes_tree.CommonAncestor, nodes_tree.Distance, nodes_tree.Kinship, nodes_tree.Descent, nodes_tree.Echo,
    nodes_tree.Equal,
})  # fmt: skip

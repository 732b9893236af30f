"""Compilers of `echo` and `consecutivemoves`. These filters compare positions and lines of one game with each
other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cqlgui.cql.ast import nodes_tree
from cqlgui.cql.ast.types import Type
from cqlgui.cql.interpreting.expressions import closures_output
from cqlgui.cql.interpreting.expressions.closures import Code, Compiler, code, compiles
from cqlgui.cql.interpreting.runtime.evaluation import UNBOUND, Evaluation
from cqlgui.cql.interpreting.runtime.game_log import RunNote


@compiles(nodes_tree.Echo)
def _echo(compiler: Compiler, node: nodes_tree.Echo) -> Code:
    operand = compiler.compile(node.operand)
    source, target = compiler.slot(node.source), compiler.slot(node.target)
    numeric = operand.type is Type.NUMERIC
    run = operand.value if numeric else operand.test
    # Inside a `sort`, an `echo` keeps only the comments about the target position with the best value (output
    # spec 3.4).
    best_only = numeric and compiler.sorting > 0
    whole, says = node.whole, not node.quiet

    def echo(s: Evaluation) -> Any:
        here, variables = s.id, s.variables
        for slot, name in ((source, node.source), (target, node.target)):
            if variables[slot] is not UNBOUND:
                raise s.fault(f"The variable {name} of an echo already has a value here", node.span, name)
        best: Any = None
        start = len(s.log)
        try:
            variables[source] = here
            for other in range(len(s.tree)):
                if other == here and not whole:
                    continue
                s.step()
                s.goto(other)
                variables[target] = other
                mark = len(s.log)
                found = run(s)
                if found is None if numeric else not found:
                    continue
                if says and not s.quiet_comments:
                    _describe(s, node, here, other)
                if best is None or (numeric and found > best):
                    best = found
                    if best_only:
                        s.log.cut(start, mark)
                elif best_only:
                    s.log.cut(mark)
        finally:
            variables[source] = variables[target] = UNBOUND
            s.goto(here)
        return best

    if numeric:
        return code(Type.NUMERIC, echo, logs=True)
    return code(Type.LOGICAL, lambda s: echo(s) is not None, logs=True)


def _describe(s: Evaluation, node: nodes_tree.Echo, source: int, target: int) -> None:
    """Write the comments that describe a matching pair of positions."""
    fork = s.tree.common_ancestor(source, target)
    if fork not in (source, target):
        s.log.append((fork, "LCA"))
    s.log.extend([(source, node.source), (target, node.target)])
    there, back = closures_output.position_text(s, target), closures_output.position_text(s, source)
    s.log.extend([(source, f"<--{there}"), (target, f"-->{back}")])


@compiles(nodes_tree.ConsecutiveMoves)
def _consecutive_moves(compiler: Compiler, node: nodes_tree.ConsecutiveMoves) -> Code:
    first, second = (compiler.variable(name, node.span) for name in (node.left, node.right))
    within: Callable[[Evaluation, int], bool]
    within = (lambda s, number: True) if node.range is None else compiler.within(node.range)
    says = not node.quiet

    def length(s: Evaluation) -> int | None:
        run = _longest_run(s, first(s), second(s))
        if run is None or not within(s, run[0]):
            return None
        if says and not s.quiet_comments:
            _number_moves(s, node, *run)
        return run[0]

    return code(Type.NUMERIC, length, logs=says)


def _longest_run(s: Evaluation, first: int, second: int) -> tuple[int, int, int] | None:
    """The longest run of moves that occurs in two sequences of moves. Both sequences start at the common
    ancestor of `first` and `second`. One sequence leads to `first`, and the other sequence leads to `second`.
    Returns the length of the run, and for each sequence the position after the last move of the run. Returns
    None if the sequences have no common move. If several runs are equally long, the first run is returned."""
    tree = s.tree
    fork = tree.common_ancestor(first, second)
    if fork in (first, second):
        return None
    places: dict[int, list[int]] = {}
    ways = []
    for end in (first, second):
        way = []
        while end != fork:
            way.append(end)
            end = tree.parents[end]
        way.reverse()
        ways.append(way)
    for place, positionid in enumerate(ways[0]):
        places.setdefault(_move_key(s, positionid), []).append(place)
    best: tuple[int, int, int] | None = None
    # `runs[i]` is the length of the common run that ends with move i of the first sequence and the current
    # move of the second sequence.
    runs: dict[int, int] = {}
    for positionid in ways[1]:
        longer = {}
        for place in places.get(_move_key(s, positionid), ()):
            length = longer[place] = runs.get(place - 1, 0) + 1
            if best is None or length > best[0]:
                best = (length, ways[0][place], positionid)
        runs = longer
    return best


def _move_key(s: Evaluation, positionid: int) -> int:
    """From-square, to-square and moving man of the move that leads to a position."""
    keys = s.memo.get("moves")
    if keys is None:
        tree, positions = s.tree, s.positions
        keys = s.memo["moves"] = [
            (move & 0xFFF) << 4 | positions[max(parent, 0)].squares[move & 63]
            for move, parent in zip(tree.moves, tree.parents, strict=True)
        ]
    key: int = keys[positionid]
    return key


def _number_moves(
    s: Evaluation, node: nodes_tree.ConsecutiveMoves, length: int, first: int, second: int
) -> None:
    """Write a comment with a number for each move of a run, in both sequences. At the end of the game, only
    the comments about the longest run are kept."""
    run = object()
    for name, end in ((node.left, first), (node.right, second)):
        for number in range(length, 0, -1):
            s.log.append(RunNote(end, f"{name}-move[{number}]", node.span.offset, length, run))
            end = s.tree.parents[end]

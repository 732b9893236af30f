"""Compilers of filters that go to other positions of the game, and of filters that compare the places of two
positions in the game tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from cqlgui.board import men, moves
from cqlgui.cql.ast import nodes_tree
from cqlgui.cql.ast.types import SETS, Type
from cqlgui.cql.interpreting.expressions.closures import Code, Compiler, Run, code, compiles
from cqlgui.cql.interpreting.runtime.evaluation import Evaluation


@compiles(nodes_tree.At)
def _at(compiler: Compiler, node: nodes_tree.At) -> Code:
    where, inner = compiler.compile(node.position), compiler.compile(node.filter)
    kind = Type.SET if inner.is_set else inner.type
    logs = where.logs or inner.logs
    failed: Any = 0 if kind in SETS else False if kind is Type.LOGICAL else None
    value = _elsewhere(where.value, inner.value, failed)
    test = value if inner.test is inner.value else _elsewhere(where.value, inner.test, False)
    return code(kind, value, logs=logs, test=test, apart=inner.apart)


def _elsewhere(where: Run, run: Run, failed: Any) -> Run:
    """A closure that evaluates `run` at the position given by `where`. If `where` gives no position, the
    closure returns `failed`."""

    def run_elsewhere(s: Evaluation) -> Any:
        place = where(s)
        if place is None:
            return failed
        here = s.id
        s.goto(place)
        try:
            return run(s)
        finally:
            s.goto(here)

    return run_elsewhere


@compiles(nodes_tree.Parent)
def _parent(compiler: Compiler, node: nodes_tree.Parent) -> Code:
    return code(Type.POSITION, lambda s: s.tree.parents[s.id] if s.id else None)


@compiles(nodes_tree.Child)
def _child(compiler: Compiler, node: nodes_tree.Child) -> Code:
    if node.index is None:

        def first(s: Evaluation) -> int | None:
            children = s.tree.children[s.id]
            return children[0] if children else None

        return code(Type.POSITION, first)
    index = compiler.compile(node.index)
    number = index.value

    def child(s: Evaluation) -> int | None:
        place = number(s)
        children = s.tree.children[s.id]
        return children[place] if place is not None and 0 <= place < len(children) else None

    return code(Type.POSITION, child, logs=index.logs)


@compiles(nodes_tree.InitialPosition)
def _initial_position(compiler: Compiler, node: nodes_tree.InitialPosition) -> Code:
    return code(Type.POSITION, lambda s: 0)


@compiles(nodes_tree.PositionNumber)
def _position_number(compiler: Compiler, node: nodes_tree.PositionNumber) -> Code:
    operand = compiler.compile(node.operand)
    number = operand.value

    def position(s: Evaluation) -> int | None:
        place: int | None = number(s)
        return place if place is not None and 0 <= place < len(s.tree) else None

    return code(Type.POSITION, position, logs=operand.logs)


def _of_two(
    compiler: Compiler,
    node: nodes_tree.CommonAncestor | nodes_tree.Distance | nodes_tree.Kinship | nodes_tree.Descent,
    kind: Type,
    relation: Callable[[Evaluation, int, int], Any],
) -> Code:
    """A filter with two operands. The operands give positions, and `relation` computes the value from the two
    positions. The filter fails if an operand gives no position."""
    left, right = compiler.compile(node.left), compiler.compile(node.right)
    a, b = left.value, right.value
    failed = False if kind is Type.LOGICAL else None

    def value(s: Evaluation) -> Any:
        first = a(s)
        if first is None:
            return failed
        second = b(s)
        return failed if second is None else relation(s, first, second)

    return code(kind, value, logs=left.logs or right.logs)


@compiles(nodes_tree.CommonAncestor)
def _common_ancestor(compiler: Compiler, node: nodes_tree.CommonAncestor) -> Code:
    return _of_two(compiler, node, Type.POSITION, lambda s, x, y: s.tree.common_ancestor(x, y))


@compiles(nodes_tree.Distance)
def _distance(compiler: Compiler, node: nodes_tree.Distance) -> Code:
    def distance(s: Evaluation, first: int, second: int) -> int:
        plies = s.tree.plies
        return plies[first] + plies[second] - 2 * plies[s.tree.common_ancestor(first, second)]

    return _of_two(compiler, node, Type.NUMERIC, distance)


def _above(s: Evaluation, first: int, second: int) -> bool:
    """Whether the first position is a proper ancestor of the second."""
    return first < second < s.subtree_end(first)


@compiles(nodes_tree.Kinship)
def _kinship(compiler: Compiler, node: nodes_tree.Kinship) -> Code:
    if node.word == "ancestor":
        return _of_two(compiler, node, Type.LOGICAL, _above)
    return _of_two(compiler, node, Type.LOGICAL, lambda s, x, y: _above(s, y, x))


_LINEAGE: Final[dict[nodes_tree.Lineage, Callable[[Evaluation, int, int], bool]]] = {
    "[<]": _above,
    "[<=]": lambda s, x, y: x == y or _above(s, x, y),
    "[>]": lambda s, x, y: _above(s, y, x),
    "[>=]": lambda s, x, y: x == y or _above(s, y, x),
}


@compiles(nodes_tree.Descent)
def _descent(compiler: Compiler, node: nodes_tree.Descent) -> Code:
    holds = _LINEAGE[node.operator]
    return _of_two(compiler, node, Type.POSITION, lambda s, x, y: x if holds(s, x, y) else None)


# --- where the current position stands ----------------------------------------------------------------------


def tries(s: Evaluation) -> int:
    """Number of White's moves, on the way to the current position, that are not the main continuation."""
    counts = s.memo.get("tries")
    if counts is None:
        counts = s.memo["tries"] = [0] * len(s.tree)
        for positionid in range(1, len(counts)):
            counts[positionid] = counts[s.tree.parents[positionid]] + _strays(s, positionid)
    number: int = counts[s.id]
    return number


def in_virtual_mainline(s: Evaluation) -> bool:
    """Whether all moves up to the current position are real moves (no null moves), and all of White's moves
    are main continuations."""
    known = s.memo.get("virtual mainline")
    if known is None:
        tree = s.tree
        known = s.memo["virtual mainline"] = [True] * len(tree)
        for positionid in range(1, len(known)):
            known[positionid] = (
                known[tree.parents[positionid]]
                and moves.flag(tree.moves[positionid]) != moves.NULL
                and not _strays(s, positionid)
            )
    answer: bool = known[s.id]
    return answer


def _strays(s: Evaluation, positionid: int) -> bool:
    """Whether the move that leads to a position is a move by White and is not the main continuation."""
    tree = s.tree
    return tree.mover(positionid) == men.WHITE and tree.children[tree.parents[positionid]][0] != positionid


@compiles(nodes_tree.Equal)
def _equal(compiler: Compiler, node: nodes_tree.Equal) -> Code:
    left, right = compiler.compile(node.left), compiler.compile(node.right)
    logs = left.logs or right.logs
    a, b = left.value, right.value
    if left.is_set and right.is_set:
        return code(Type.LOGICAL, lambda s: a(s) == b(s), logs=logs)
    if left.type is not right.type:

        def differ(s: Evaluation) -> bool:
            # Values of different types are never equal. Both operands are still evaluated, because they can
            # have side effects.
            a(s), b(s)
            return False

        return code(Type.LOGICAL, differ, logs=logs)
    if left.type is Type.LOGICAL:
        return code(Type.LOGICAL, lambda s: bool(a(s)) == bool(b(s)), logs=logs)
    return code(Type.LOGICAL, lambda s: a(s) == b(s), logs=logs)

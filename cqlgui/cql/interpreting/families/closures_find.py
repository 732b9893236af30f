"""Compiler of `find`: searches in the tree of the game."""

from __future__ import annotations

from collections.abc import Callable

from cqlgui.cql.ast import nodes
from cqlgui.cql.ast.types import Type
from cqlgui.cql.interpreting.expressions.closures import Code, Compiler, code, compiles
from cqlgui.cql.interpreting.runtime.evaluation import Evaluation


@compiles(nodes.Find)
def _find(compiler: Compiler, node: nodes.Find) -> Code:
    operand = compiler.compile(node.operand)
    test, quiet = operand.test, node.quiet
    candidates = _backwards if node.backwards else _forwards

    if node.range is None and not node.all:

        def first(s: Evaluation) -> int | None:
            here = s.id
            try:
                for candidate in candidates(s, here):
                    s.step()
                    s.goto(candidate)
                    if test(s):
                        if not quiet and not s.quiet_comments:
                            s.log.append((candidate, "Found"))
                        return candidate
                return None
            finally:
                s.goto(here)

        return code(Type.POSITION, first, logs=True)
    within: Callable[[Evaluation, int], bool]
    within = (lambda s, number: number >= 1) if node.range is None else compiler.within(node.range)

    def number(s: Evaluation) -> int | None:
        here = s.id
        found = []
        try:
            for candidate in candidates(s, here):
                s.step()
                s.goto(candidate)
                if test(s):
                    found.append(candidate)
        finally:
            s.goto(here)
        if not within(s, len(found)):
            return None
        if not quiet and not s.quiet_comments:
            for index, candidate in enumerate(found, 1):
                s.log.append((candidate, f"Found {index} of {len(found)}"))
        return len(found)

    return code(Type.NUMERIC, number, logs=True)


def _forwards(s: Evaluation, start: int) -> range:
    return range(start, s.subtree_end(start))


def _backwards(s: Evaluation, start: int) -> list[int]:
    parents, line = s.tree.parents, []
    while start >= 0:
        line.append(start)
        start = parents[start]
    return line

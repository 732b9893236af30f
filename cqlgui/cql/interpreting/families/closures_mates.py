"""Compilers of the words for economical mates and stalemates."""

from __future__ import annotations

from cqlgui.cql.ast import nodes_squares
from cqlgui.cql.ast.types import Type
from cqlgui.cql.interpreting.expressions.closures import Code, Compiler, code, compiles
from cqlgui.cql.interpreting.runtime import economy
from cqlgui.cql.interpreting.runtime.evaluation import Evaluation


@compiles(nodes_squares.Picture)
def _picture(compiler: Compiler, node: nodes_squares.Picture) -> Code:
    word = node.word
    demand = word.removesuffix("stalemate").removesuffix("mate")
    if word.endswith("stalemate"):

        def in_stalemate(s: Evaluation) -> int:
            return _remembered(s, word, demand, stale=True) if s.is_stalemate() else 0

        return code(Type.SET, in_stalemate)

    def in_mate(s: Evaluation) -> int:
        return _remembered(s, word, demand, stale=False) if s.is_mate() else 0

    return code(Type.SET, in_mate)


def _remembered(s: Evaluation, word: str, demand: str, *, stale: bool) -> int:
    key = (word, s.id)
    known: int | None = s.memo.get(key)
    if known is None:
        find = economy.stalemate if stale else economy.mate
        known = s.memo[key] = find(s.position, demand)
    return known

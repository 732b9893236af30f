"""What a query asks of a game rather than of a position: its result, players' ratings, tags.

Compiled code finds the answers in the frame. They are worked out beforehand, by the interpreter's own
closures, so that they are the same; a game whose answers are not given is left in doubt when they are asked
for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from cqlgui.board import tree
from cqlgui.board.position import Position
from cqlgui.cql import closures, compilers, evaluation, nodes, nodes_facts, types
from cqlgui.cql import host as hosts
from cqlgui.cql.types import Type
from cqlgui.engine.games import Words

UNKNOWN: Final = 0
GIVEN: Final = 1
MISSING: Final = 2
"""The state of an answer, which stands behind its value."""

Fact: TypeAlias = nodes.Node


def is_fact(node: nodes.Node) -> bool:
    """Whether a filter is asked of the game alone, and answered by a number or a truth."""
    match node:
        case nodes.Result() | nodes.Elo():
            return True
        case nodes.Measure():
            return node.word == "year"
        case nodes.ImplicitSearch():
            return isinstance(node.text, nodes.Player | nodes.TagText | nodes_facts.Tag)
        case _:
            return False


class Asker:
    """Answers the facts of one query for any game; for one thread."""

    def __init__(self, facts: Sequence[Fact], names: types.Names) -> None:
        compiler = compilers.compiler(names)
        self._answers = [_answer(compiler.compile(fact)) for fact in facts]
        self._evaluation: evaluation.Evaluation | None = None

    def answers(self, host: hosts.Host) -> list[int]:
        """Value and state of each fact, one pair after the other."""
        s = self._evaluation
        if s is None:
            nothing = tree.GameTree(Position.start())
            s = self._evaluation = evaluation.Evaluation(
                nothing, host, variables=0, sort_keys=0, automatic_comments=False, explicit_comments=False
            )
        else:
            # Making a new one for each game would take longer than the answers.
            s.host = host
            s.memo.clear()
        return [number for answer in self._answers for number in answer(s)]

    def table(self, listed: Iterable[hosts.Host]) -> Words:
        """The answers for several games, one row after the other."""
        rows = [self.answers(host) for host in listed]
        found: Words = np.array(rows, np.uint64).reshape(-1)
        return found


def _answer(code: closures.Code) -> Callable[[evaluation.Evaluation], tuple[int, int]]:
    if code.type is Type.NUMERIC:
        return lambda s: _number(code.value(s))
    return lambda s: (int(bool(code.test(s))), GIVEN)


def _number(found: Any) -> tuple[int, int]:
    return (0, MISSING) if found is None else (found, GIVEN)

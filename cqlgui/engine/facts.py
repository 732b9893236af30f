"""What a query asks of a game rather than of a position: its result, players' ratings, tags, and whatever is
made of these alone.

Compiled code finds the answers in the frame. They are worked out beforehand, by the interpreter's own
closures, so that they are the same; a game whose answers are not given is left in doubt when they are asked
for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from cqlgui.board import tree
from cqlgui.board.position import Position
from cqlgui.cql import (
    closures,
    closures_hhdb,
    compilers,
    evaluation,
    nodes,
    nodes_facts,
    nodes_hhdb,
    nodes_strings,
    nodes_tree,
    types,
)
from cqlgui.cql import host as hosts
from cqlgui.engine.games import Words
from cqlgui.jit.words import MASK

UNKNOWN: Final = 0
GIVEN: Final = 1
MISSING: Final = 2
"""The state of an answer, which stands behind its value."""

LARGEST: Final = 1 << 31
"""Answers that are numbers lie below this, either way."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A filter of which a game has one answer: its number, or its truth."""

    node: nodes.Node
    number: bool


_ASKED: Final = (
    nodes.Result, nodes.Elo, nodes.Player, nodes.TagText, nodes_facts.Tag, nodes.String,
    nodes_hhdb.StudyAward,
)  # fmt: skip
_JOINING: Final = (
    nodes.Number, nodes.Truth, nodes.Not, nodes.Logic, nodes.Compound, nodes.Compare, nodes.Arithmetic,
    nodes.Negate, nodes.Numeric, nodes.Extremum, nodes.In, nodes.Count, nodes.ImplicitSearch,
    nodes_strings.Index, nodes_strings.Slice, nodes_strings.Case, nodes_strings.IndexOf, nodes_strings.Int,
    nodes_strings.Ascii, nodes_strings.Str, nodes_tree.Equal,
)  # fmt: skip


def is_fact(node: nodes.Node, *, searches: bool) -> bool:
    """Whether a filter is asked of the game alone. `searches`: no trace that searching a text leaves is read
    anywhere in the query."""
    return _is_constant(node, searches) and any(_is_asked(one) for one in nodes.walk(node))


def _is_asked(node: nodes.Node) -> bool:
    match node:
        case nodes.Measure():
            return node.word in ("year", "lastgamenumber")
        case nodes_hhdb.Study():
            return node.key in closures_hhdb.TOLD_BY_TAGS
        case _:
            return isinstance(node, _ASKED)


def _is_constant(node: nodes.Node, searches: bool) -> bool:
    match node:
        case nodes.Measure(word="gamenumber"):
            return True
        case nodes_strings.Search():
            return searches and _is_constant(node.text, searches)
        case _ if isinstance(node, _JOINING):
            return all(_is_constant(one, searches) for one in nodes.children(node))
        case _:
            return _is_asked(node)


class Asker:
    """Answers the facts of one query for any game; for one thread."""

    def __init__(self, facts: Sequence[Fact], names: types.Names, last_game: int | None) -> None:
        """`last_game`: the highest game number that the query's header admits, where it sets a limit."""
        compiler = compilers.compiler(names)
        self._answers = [_answer(compiler.compile(fact.node), fact.number) for fact in facts]
        self._last_game = last_game
        self._evaluation: evaluation.Evaluation | None = None

    def answers(self, host: hosts.Host) -> list[int]:
        """Value and state of each fact, one pair after the other."""
        s = self._evaluation
        if s is None:
            nothing = tree.GameTree(Position.start())
            s = self._evaluation = evaluation.Evaluation(
                nothing, host, variables=0, sort_keys=0, automatic_comments=False, explicit_comments=False,
                last_game=self._last_game,
            )  # fmt: skip
        else:
            # Making a new one for each game would take longer than the answers.
            s.host = host
            s.memo.clear()
        found: list[int] = []
        for place, answer in enumerate(self._answers):
            try:
                found += answer(s)
            except evaluation.QueryError:
                # It may have taken long, so it is not tried again.
                self._answers[place] = _unknown
                found += _unknown(s)
        return found

    def table(self, listed: Iterable[hosts.Host]) -> Words:
        """The answers for several games, one row after the other."""
        rows = [self.answers(host) for host in listed]
        found: Words = np.array(rows, np.uint64).reshape(-1)
        return found


def _answer(code: closures.Code, number: bool) -> Callable[[evaluation.Evaluation], tuple[int, int]]:
    if number:
        return lambda s: _number(code.value(s))
    return lambda s: (int(bool(code.test(s))), GIVEN)


def _number(found: Any) -> tuple[int, int]:
    if found is None:
        return 0, MISSING
    return (found & MASK, GIVEN) if -LARGEST < found < LARGEST else (0, UNKNOWN)


def _unknown(s: evaluation.Evaluation) -> tuple[int, int]:
    return 0, UNKNOWN

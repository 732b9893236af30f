"""Answers to questions about the comment and the glyphs at a position. A question is answered once for each
distinct comment, or for each distinct row of glyphs."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from cqlgui.base.data import replace
from cqlgui.cql.ast import nodes, nodes_facts, nodes_strings
from cqlgui.cql.interpreting.runtime import evaluation
from cqlgui.engine.facts import answering, evaluating, matching, patience, questions
from cqlgui.engine.facts.answering import GIVEN, UNKNOWN, Spread
from cqlgui.engine.facts.questions import Fact
from cqlgui.store import remarks


class RemarkAsker:
    """Computes the answers to questions about remarks."""

    def __init__(
        self,
        facts: Sequence[Fact],
        closures: evaluating.Closures,
        matches: matching.Matches,
        limit: patience.Patience,
    ) -> None:
        self._facts = facts
        self._closures = closures
        self._matches = matches
        self._patience = limit
        self._said: dict[Fact, dict[Hashable, tuple[int, int]]] = {}
        """The known answers by what the question reads: by comment, by row of glyphs, or by both."""
        self._host = _Host()
        self._evaluation = evaluating.state(self._host)
        # A filter about glyphs fails at the root. The evaluation therefore stands at a position after a move.
        # `Remarks` has no glyphs at the root.
        self._evaluation.id = 1

    def spread(self, fact: Fact, told: remarks.Remarks) -> Spread:
        """The answers to one question at all positions."""
        text = replace(fact, text=True)
        if not fact.number and text in self._facts and not self._closures.code(fact.node).apart:
            # A string filter whose text is asked for too. The filter holds if it has a text.
            found = self._answers(text, told)
            if fact.text:
                return found
            usual = int(found.usual[1] == GIVEN), UNKNOWN if found.usual[1] == UNKNOWN else GIVEN
            states = np.where(found.states == UNKNOWN, UNKNOWN, GIVEN).astype(np.uint64)
            values = (found.states == GIVEN).astype(np.uint64)
            return replace(found, values=values, states=states, usual=usual)
        return self._answers(fact, told)

    def _answers(self, fact: Fact, found: remarks.Remarks) -> Spread:
        """The answers to a question about positions. The question is answered once for each distinct comment,
        or for each distinct row of glyphs, if it reads only one of these."""
        node = fact.node
        match node:
            case (
                nodes.ImplicitSearch(text=nodes_facts.OriginalComment())
                | nodes_strings.Search(text=nodes_facts.OriginalComment())
            ) if not fact.number:
                texts = [one or None for one in found.comments]
                return _spread_over(found, found.said, *self._matches.answers(node, texts, fact.text))
        asked: Sequence[Any]
        show: Callable[[Any], None]
        reads_glyphs = any(isinstance(one, nodes_facts.Glyph) for one in nodes.walk(node))
        if not reads_glyphs:
            codes, asked, show = found.said, found.comments, self._host.show_comment
        elif all(isinstance(one, nodes_facts.Glyph) for one in nodes.walk(node) if questions.is_said(one)):
            codes, asked, show = found.signed, found.glyphs, self._host.show_glyphs
        else:
            pairs = np.concatenate([[0], found.said * len(found.glyphs) + found.signed])
            met, places = np.unique(pairs, return_inverse=True)
            codes, show = places[1:], self._host.show
            asked = [
                (found.comments[one // len(found.glyphs)], found.glyphs[one % len(found.glyphs)])
                for one in met.tolist()
            ]
        # The first of `asked` is what the file says about most positions: nothing.
        known = self._said.setdefault(fact, {})
        if len(known) > evaluating.MOST_KNOWN:
            known.clear()
        self._find_out(fact, asked, show, known)
        values, states = np.array([known.get(one, answering.TOO_MUCH) for one in asked], np.uint64).T
        return _spread_over(found, codes, values, states)

    def _find_out(
        self,
        fact: Fact,
        asked: Sequence[Any],
        show: Callable[[Any], None],
        known: dict[Hashable, tuple[int, int]],
    ) -> None:
        """Add the answers for the remarks `asked` to `known`. `show` gives a remark to the host. After too
        much time, the other answers stay unknown."""
        node, state = fact.node, self._evaluation
        code = self._closures.code(node)
        timed = any(isinstance(one, nodes_strings.Search) for one in nodes.walk(node))
        if self._patience.is_spent(node):
            return
        own_time = 0.0
        for number, remark in enumerate(asked):
            if number % patience.PAUSE == 0:
                self._patience.pause()
                own_time = time.thread_time()
            if remark in known:
                continue
            show(remark)
            state.groups = None
            started = time.perf_counter()
            try:
                known[remark] = self._closures.answer(fact, code, state)
            except evaluation.QueryError:
                known[remark] = answering.TOO_MUCH
            if timed and time.perf_counter() - started > patience.SLOW:
                if self._patience.is_spent_after(node, (started, own_time)):
                    return
                own_time = time.thread_time()


def _spread_over(found: remarks.Remarks, codes: Any, values: Any, states: Any) -> Spread:
    """Answers by number. `codes` has the number of the answer for each position where the file says
    something. The answer 0 is that of all other positions."""
    odd = (values != values[0]) | (states != states[0])
    which = np.flatnonzero(odd[codes])
    codes = codes[which]
    usual = int(values[0]), int(states[0])
    return Spread(np.searchsorted(which, found.firsts), found.ids[which], values[codes], states[codes], usual)


class _Host(evaluating.Host):
    """The host of a game that has the same comment and glyphs at all positions."""

    _comment: str | None = None
    _glyphs: remarks.Glyphs = ()

    def show(self, remark: tuple[str | None, remarks.Glyphs]) -> None:
        """Switch to a game with another comment and other glyphs."""
        self._comment, self._glyphs = remark

    def show_comment(self, comment: str | None) -> None:
        """Switch to a game with another comment."""
        self._comment = comment

    def show_glyphs(self, glyphs: remarks.Glyphs) -> None:
        """Switch to a game with other glyphs."""
        self._glyphs = glyphs

    def comment(self, positionid: int) -> str | None:
        return self._comment

    def nags(self, positionid: int) -> remarks.Glyphs:
        return self._glyphs

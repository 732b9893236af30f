"""Answers all questions of one query about any games."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cqlgui.cql.ast import types
from cqlgui.engine.facts import by_commands, by_remarks, by_tags, evaluating, matching, patience, questions
from cqlgui.engine.facts.answering import Answers, Spread
from cqlgui.engine.facts.columns import Tags
from cqlgui.engine.facts.questions import Fact


class Asker:
    """Computes the answer to each `Fact` of one query, for any games. Each thread needs its own `Asker`."""

    def __init__(self, facts: Sequence[Fact], declared: types.Names, last_game: int | None) -> None:
        """`last_game` is the highest game number that the header of the query admits, or None if the header
        sets no limit."""
        self._facts = facts
        closures, limit = evaluating.Closures(declared), patience.Patience()
        matches = matching.Matches(closures, limit)
        self._patience = limit
        self._of_tags = by_tags.TagAsker(facts, closures, matches, limit, last_game)
        self._of_remarks = by_remarks.RemarkAsker(facts, closures, matches, limit)
        self.texts = closures.texts
        """The texts of answers. Texts are added, but never removed."""

    def answers(
        self, tags: Tags, is_over: Callable[[], bool] = patience.never
    ) -> dict[Fact, Answers | Spread]:
        """The answers for each fact, and a `Spread` for each question about positions. Raises
        `errors.Cancelled` once `is_over` returns True.

        If an answer takes too long, the answer is unknown in this call and in later calls. A slow regular
        expression may cause this delay.
        """
        self._patience.is_over = is_over
        return {
            fact: self._spread(fact, tags) if fact.remark else self._of_tags.answers(fact, tags)
            for fact in self._facts
        }

    def _spread(self, fact: Fact, tags: Tags) -> Spread:
        if questions.is_calculated(fact.node):
            return by_commands.spread(fact, tags.commands)
        return self._of_remarks.spread(fact, tags.remarks)

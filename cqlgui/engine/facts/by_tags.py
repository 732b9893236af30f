"""Answers to questions about games as a whole. A question is answered once for each distinct text."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final

import numpy as np

from cqlgui.base import arrays
from cqlgui.base.data import replace
from cqlgui.cql.ast import nodes, nodes_facts, nodes_strings, types
from cqlgui.cql.ast.types import Type
from cqlgui.cql.interpreting.expressions import closures
from cqlgui.cql.interpreting.runtime import evaluation
from cqlgui.cql.source import names
from cqlgui.engine.facts import answering, columns, evaluating, gathering, matching, patience, questions
from cqlgui.engine.facts.answering import GIVEN, MISSING, UNKNOWN, Answers
from cqlgui.engine.facts.columns import Coded, Tags
from cqlgui.engine.facts.questions import Fact

_TEXTS: Final = (nodes.Player, nodes.TagText, nodes_facts.Tag)


class TagAsker:
    """Computes the answers to questions about games as a whole."""

    def __init__(
        self,
        facts: Sequence[Fact],
        closures: evaluating.Closures,
        matches: matching.Matches,
        limit: patience.Patience,
        last_game: int | None,
    ) -> None:
        self._facts = facts
        self._closures = closures
        self._matches = matches
        self._patience = limit
        self._asked: dict[nodes.Node, set[str]] = {}
        self._host = evaluating.Host()
        self._evaluation = evaluating.state(self._host, last_game)
        self._known: dict[Hashable, dict[tuple[Any, ...], Any]] = {}
        """Values of filters that read one tag, by the text of the tag. The values are kept, because many
        texts occur again in other segments of a database."""

    def answers(self, fact: Fact, tags: Tags) -> Answers:
        """The answers to one question for all games."""
        return (
            self._shown(fact, tags)
            or self._by_number(fact, tags)
            or self._joined(fact, tags)
            or self._one_by_one(fact, tags)
        )

    def _by_number(self, fact: Fact, tags: Tags) -> Answers | None:
        """The answers to a question about one tag. A number that was met before, in other games of the base
        or in an earlier search, has the same answer again. Returns None if this is not possible."""
        name = None if fact.text else questions.only_tag(fact.node)
        numbered = None if name is None else tags.numbered(name)
        if name is None or numbered is None:
            return None
        values, states = numbered.answers(fact)
        if (states[: numbered.size] == GIVEN).all():
            given = states.dtype.type(GIVEN)
            return numbered.take(values), np.broadcast_to(given, sum(map(len, numbered.numbers)))
        found = numbered.take(states)
        unknown = found == UNKNOWN
        if unknown.any():
            part = questions.part_of_names(fact)
            if part is None:
                new = arrays.distinct(np.concatenate(numbered.numbers)[unknown])
            else:
                # The database compares tens of thousands of names more quickly than they can be fetched.
                new = numbered.with_text(part)
                new = new[new < numbered.size]
                others = np.ones(numbered.size, np.bool_)
                others[new] = False
                states[: numbered.size][others] = GIVEN
            # Other threads may read at any time, so the states are written last.
            values[new], states[new] = self.answers(fact, columns.Texts(name, numbered.texts(new.tolist())))
            found = numbered.take(states)
        return numbered.take(values), found

    def _shown(self, fact: Fact, tags: Tags) -> Answers | None:
        """The truth of a string filter whose text is asked for too. The filter holds if it has a text."""
        text = replace(fact, text=True)
        if fact.number or fact.text or text not in self._facts or self._closures.code(fact.node).apart:
            return None
        known = self.answers(text, tags)[1]
        states = np.where(known == UNKNOWN, UNKNOWN, GIVEN).astype(np.uint64)
        return (known == GIVEN).astype(np.uint64), states

    # --- on whole columns

    def _joined(self, fact: Fact, tags: Tags) -> Answers | None:
        """Combine the answers for the parts of a filter. Returns None for a filter that is answered more
        quickly as a whole."""
        match fact:
            case Fact(nodes.Not(operand=operand), number=False, text=False):
                return answering.opposite(self.answers(Fact(operand, number=False), tags))
            case Fact(nodes.Logic() as node, number=False, text=False):
                parts = [self.answers(Fact(one, number=False), tags) for one in (node.left, node.right)]
                return answering.joined(node.word, *parts)
            case Fact(nodes.Compound(filters=filters) as node, number=False, text=False) if not any(
                map(gathering.passes_data, nodes.walk(node))
            ):
                # The parts are answered separately, because the texts of all parts together would form many
                # more distinct rows.
                return functools.reduce(
                    answering.both, [self.answers(Fact(one, number=False), tags) for one in filters]
                )
            case Fact(nodes.Compare() as node, text=False) if self._are_numbers(node.left, node.right):
                parts = [self.answers(Fact(one, number=True), tags) for one in (node.left, node.right)]
                return answering.compared(node.operator, *parts, number=fact.number)
            case Fact(nodes.Arithmetic() as node, number=True):
                parts = [self.answers(Fact(one, number=True), tags) for one in (node.left, node.right)]
                return answering.computed(node.operator, *parts)
            case Fact(nodes.Measure(word="gamenumber"), number=True):
                numbers = np.array(tags.gamenumbers, np.uint64)
                return numbers, np.full(len(numbers), GIVEN, np.uint64)
            case Fact(nodes.ImplicitSearch() as node, number=False, text=False) if isinstance(
                node.text, _TEXTS
            ):
                return self._containing(node, tags)
            case Fact(nodes_strings.Search() as node, number=False) if isinstance(node.text, _TEXTS):
                return self._searched(node, fact.text, tags)
            case Fact(nodes.Elo(colour=None) as node, number=True):
                ratings = [nodes.Elo(node.span, "white"), nodes.Elo(node.span, "black")]
                first, second = (self.answers(Fact(one, number=True), tags) for one in ratings)
                # A player without a rating has the value 0 and the larger state (`MISSING`). The other
                # player's rating therefore becomes the answer.
                return np.maximum(first[0], second[0]), np.minimum(first[1], second[1])
            case Fact(nodes.Elo() | nodes.Measure(word="year") as node, number=True):
                values = self._remembered(node, tags)
                pairs = np.array([answering.of_number(value) for value in values.values], np.uint64).reshape(
                    -1, 2
                )
                return pairs[values.codes, 0], pairs[values.codes, 1]
            case _:
                return None

    def _containing(self, node: nodes.ImplicitSearch, tags: Tags) -> Answers:
        """For each game, whether a text contains another text."""
        needle, text = node.needle, node.text
        if isinstance(text, nodes.Player) and text.colour is None and needle and "\n" not in needle:
            # The needle must be in one of the two names. Single names are searched more quickly than pairs of
            # names, because there are fewer names than pairs.
            white, black = nodes.Player(text.span, "white"), nodes.Player(text.span, "black")
            (first, known), (second, _) = (
                self.answers(Fact(nodes.ImplicitSearch(text.span, needle, one), number=False), tags)
                for one in (white, black)
            )
            return first | second, known
        if isinstance(text, nodes.Player) and text.colour and needle:
            # Tens of thousands of names are compared without a call of a closure for each.
            texts = tags.tag(text.colour.capitalize())
            found = np.array(names.players_with(needle, texts.values), np.uint64)
            return found[texts.codes], np.full(len(texts.codes), GIVEN, np.uint64)
        return self._searched(node, False, tags)

    def _searched(
        self, node: nodes.ImplicitSearch | nodes_strings.Search, wants_text: bool, tags: Tags
    ) -> Answers:
        """What a search finds in a text of each game (`Matches.answers`). Each distinct text is searched
        once."""
        texts = self._remembered(node.text, tags)
        values, states = self._matches.answers(node, texts.values, wants_text)
        return values[texts.codes], states[texts.codes]

    def _are_numbers(self, *parts: nodes.Node) -> bool:
        return all(types.infer(part, self._closures.declared) is Type.NUMERIC for part in parts)

    # --- one by one

    def _one_by_one(self, fact: Fact, tags: Tags) -> Answers:
        """The answers to a fact. Two games share one evaluation if all tags that the filter reads have equal
        texts."""

        def answer(code: closures.Code) -> tuple[int, int]:
            return self._closures.answer(fact, code, self._evaluation)

        if fact.text and isinstance(fact.node, _TEXTS):
            texts = self._remembered(fact.node, tags)
            numbers = np.array(
                [0 if one is None else self._closures.number_of(one) for one in texts.values], np.uint64
            )
            states = np.array([MISSING if one is None else GIVEN for one in texts.values], np.uint64)
            return numbers[texts.codes], states[texts.codes]
        found = self._found(fact, fact.node, answer, answering.TOO_MUCH, tags)
        pairs = np.array(found.values, np.uint64).reshape(-1, 2)
        return pairs[found.codes, 0], pairs[found.codes, 1]

    def _remembered(self, node: nodes.Node, tags: Tags) -> Coded:
        """The values of a filter that never raises an error. The values are kept with the tags."""
        known = tags.memo.get(node)
        if known is None:
            key: Any = node
            if isinstance(node, nodes.Player | nodes.Elo) and node.colour is not None:
                # Both players share one key, because equal texts of the two players' tags give equal values.
                key = type(node)
            known = self._found(key, node, lambda code: code.value(self._evaluation), None, tags)
            tags.memo[node] = known
        return known

    def _found(
        self,
        key: Hashable,
        node: nodes.Node,
        ask: Callable[[closures.Code], Any],
        fault: Any,
        tags: Tags,
    ) -> Coded:
        """The value of a filter in each game. The value is `fault` in games where the filter raises an error.
        The values of a filter that reads only one tag are kept under `key`. Two filters of this kind may
        share a `key` only if both filters have the same value for the same text."""
        if self._patience.is_spent(node):
            return Coded(np.zeros(len(tags.gamenumbers), np.int64), [fault])
        code = self._closures.code(node)
        asked = self._asked.setdefault(node, set())
        timed = any(isinstance(one, nodes_strings.Search) for one in nodes.walk(node))
        while True:
            listed = sorted(asked)
            rows, codes = columns.met([columns.named(tags, name) for name in listed], len(tags.gamenumbers))
            known = self._known_of(key, listed)
            self._host.set({})
            for row in rows:
                if row in known:
                    continue
                self._host.set(dict(zip(listed, row, strict=True)))
                self._evaluation.memo.clear()
                self._evaluation.variables = [evaluation.UNBOUND] * self._closures.variables
                self._evaluation.groups = None
                self._patience.pause()
                started = (time.perf_counter(), time.thread_time()) if timed else (0.0, 0.0)
                try:
                    value, faults = ask(code), False
                except evaluation.QueryError:
                    value, faults = fault, True
                too_long = timed and self._patience.is_spent_after(node, started)
                if faults or not self._host.asked <= asked:
                    # If one text causes an error, the other texts would probably cause an error too. The loop
                    # therefore ends.
                    break
                known[row] = value
                if too_long:
                    break
            if self._host.asked <= asked:
                return Coded(codes, [known.get(row, fault) for row in rows])
            # The filter has read a tag that it had not read before.
            asked |= self._host.asked

    def _known_of(self, key: Hashable, listed: Sequence[str]) -> dict[tuple[Any, ...], Any]:
        """A dictionary of the known values. Each key is a row of texts, one text for each of the tags
        `listed`. The caller adds new values to the dictionary."""
        if len(listed) != 1 or listed[0] == columns.GAMENUMBER:
            # Few pairs of texts occur twice, and no game number occurs twice. The values are therefore not
            # kept.
            return {}
        known = self._known.setdefault(key, {})
        if len(known) > evaluating.MOST_KNOWN:
            known.clear()
        return known

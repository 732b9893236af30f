"""Runs the interpreter's closures for the filters of a query, on games of which only a few data are given."""

from __future__ import annotations

import functools
from typing import Any, Final

from cqlgui.board import tree
from cqlgui.board.position import Position
from cqlgui.cql.ast import nodes, types
from cqlgui.cql.interpreting.expressions import closures
from cqlgui.cql.interpreting.runtime import evaluation
from cqlgui.engine.facts import answering, columns, patience
from cqlgui.engine.facts.answering import GIVEN, MISSING
from cqlgui.engine.facts.questions import Fact

MOST_KNOWN: Final = 200_000
"""The maximum number of texts for which the answers to one question are kept."""


class Closures:
    """The closures of the filters of one query. A closure is made when it is needed for the first time."""

    def __init__(self, declared: types.Names) -> None:
        self.declared = declared
        self.texts: list[str] = []
        """The texts of answers. Texts are added, but never removed."""
        self._numbers: dict[str, int] = {}
        self._codes: dict[nodes.Node, closures.Code] = {}

    @functools.cached_property
    def _compiler(self) -> closures.Compiler:
        # The module is imported late, because most queries contain no questions about games and do
        # not need the module.
        from cqlgui.cql.interpreting import compilers

        return compilers.compiler(self.declared)

    @property
    def variables(self) -> int:
        """The number of variables of the filters so far."""
        return len(self._compiler.slots)

    def code(self, node: nodes.Node) -> closures.Code:
        """The closures of a filter."""
        code = self._codes.get(node)
        if code is None:
            code = self._codes[node] = self._compiler.compile(node)
        return code

    def answer(self, fact: Fact, code: closures.Code, state: evaluation.Evaluation) -> tuple[int, int]:
        """The value and the state of the answer in a state of the evaluation."""
        if fact.number:
            return answering.of_number(code.value(state))
        if fact.text:
            value = code.value(state)
            return (0, MISSING) if value is None else (self.number_of(value), GIVEN)
        return int(bool(code.test(state))), GIVEN

    def number_of(self, text: str) -> int:
        """The number of a text in `texts`. A new text is added."""
        number = self._numbers.setdefault(text, len(self.texts))
        if number == len(self.texts):
            self.texts.append(text)
        return number


def state(host: Any, last_game: int | None = None) -> evaluation.Evaluation:
    """The state of an evaluation on a game of which only `host` is known."""
    found = evaluation.Evaluation(
        tree.GameTree(Position.start()), host, variables=0, sort_keys=0, automatic_comments=False,
        explicit_comments=False, last_game=last_game,
    )  # fmt: skip
    found.patience = patience.SECONDS
    return found


class Host:
    """A game with some tags, a result, a number and a first comment. Filters can read only these data from a
    host. A host notes which tags were read. A tag that is not given counts as missing."""

    def __init__(self) -> None:
        self.texts: dict[str, Any] = {}
        self.asked: set[str] = set()

    @property
    def result(self) -> str | None:
        return self.tag(columns.RESULT)

    @property
    def gamenumber(self) -> int:
        return self._number(columns.GAMENUMBER)

    @property
    def game_count(self) -> int:
        return self._number(columns.GAME_COUNT)

    def comment(self, positionid: int) -> str | None:
        assert positionid == 0
        return self.tag(columns.FIRST_COMMENT)

    def text(self) -> str:
        return self.tag(columns.COOKED) or ""

    def set(self, texts: dict[str, Any]) -> None:
        """Switch to another game."""
        self.texts = texts
        self.asked = set()

    def tag(self, name: str) -> str | None:
        self.asked.add(name)
        text: str | None = self.texts.get(name)
        return text

    def _number(self, name: str) -> int:
        self.asked.add(name)
        number: int = self.texts.get(name, 0)
        return number

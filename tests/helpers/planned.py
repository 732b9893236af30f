"""What is known of games before they are searched: the facts that a query asks, and whether it may match."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cqlgui.cql.interpreting import interpreter
from cqlgui.cql.transforming import transforms
from cqlgui.engine.facts import asking, questions, tables
from cqlgui.engine.pruning import pruner, signatures
from cqlgui.engine.replaying import games
from tests.helpers import games as readings


def columns(made: signatures.Signatures, variations: bool) -> games.Words:
    """All words of the signatures, one in each row."""
    return np.array([made.column(word, variations) for word in range(signatures.WIDTH)])


class Planned:
    """Games with their signatures."""

    def __init__(self, listed: Sequence[readings.Game], packed: games.Games) -> None:
        self._games = listed
        self.texts: Sequence[str] = ()
        """The texts of the facts that were asked last."""
        made = signatures.make(packed)
        self._columns = [columns(made, variations) for variations in (False, True)]

    def of(
        self, expanded: transforms.Expanded, compiled: Sequence[questions.Fact] = ()
    ) -> tuple[games.Words, list[bool]]:
        """The table of the facts of the compiled query, and of each game whether it must be searched."""
        assert expanded.query is not None
        header = expanded.query.header
        question = pruner.Question(expanded)
        asked = list(dict.fromkeys([*compiled, *question.facts]))
        asker = asking.Asker(asked, expanded.names, interpreter.last_game(header))
        self.texts = asker.texts
        answers = asker.answers(readings.Tags(game.host for game in self._games))
        columns = self._columns[header.variations]
        known = pruner.Known(
            len(self._games),
            lambda word, some: columns[word] if some is None else columns[word][some],
            0,
            answers,
        )
        chosen = set(pruner.candidates(question, known).tolist())
        kept = [game in chosen for game in range(len(self._games))]
        return tables.table(compiled, answers, len(self._games)), kept

"""What the searches of a query find in texts: literal searches and regular expressions."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from cqlgui.cql.ast import nodes, nodes_strings
from cqlgui.cql.source import ecmascript
from cqlgui.engine.facts import evaluating, patience
from cqlgui.engine.facts.answering import GIVEN, MISSING, UNKNOWN


class Matches:
    """Searches texts for one query. A regular expression searches each distinct text once."""

    def __init__(self, closures: evaluating.Closures, limit: patience.Patience) -> None:
        self._closures = closures
        self._patience = limit
        self._matched: dict[nodes.Node, dict[str | None, str | None]] = {}
        """For each filter with a regular expression, the part of each known text that matched, or None."""

    def answers(
        self, node: nodes.ImplicitSearch | nodes_strings.Search, texts: Sequence[str | None], wants_text: bool
    ) -> tuple[Any, Any]:
        """The values and the states of the answers for some texts. With `wants_text`, the answer to
        a regular expression is the part that matched. All other answers say whether something was found.
        After too much time, the answers that are missing stay unknown."""
        if isinstance(node, nodes.ImplicitSearch):
            # This is many times faster than a call of a closure for each text.
            holds = [text is not None and node.needle in text for text in texts]
            return np.array(holds, np.uint64), np.full(len(holds), GIVEN, np.uint64)
        known = self._matched.setdefault(node, {None: None})
        if len(known) > evaluating.MOST_KNOWN:
            known.clear()
            known[None] = None
        if not self._patience.is_spent(node):
            self._match(node, texts, known)
        parts = [known.get(text) for text in texts]
        answered = np.array([text in known for text in texts], bool)
        matched = np.array([part is not None for part in parts], bool)
        given, missing, unknown = map(np.uint64, (GIVEN, MISSING, UNKNOWN))
        if not wants_text:
            return matched.astype(np.uint64), np.where(answered, given, unknown)
        distinct = dict.fromkeys(part for part in parts if part is not None)
        numbers = {part: self._closures.number_of(part) for part in distinct}
        values = [0 if part is None else numbers[part] for part in parts]
        return np.array(values, np.uint64), np.select([matched, answered], [given, missing], unknown)

    def _match(
        self, node: nodes_strings.Search, texts: Sequence[str | None], known: dict[str | None, str | None]
    ) -> None:
        """Add the part of each text that matched to `known`, until the time is over."""
        own_time = started = 0.0
        new = [text for text in dict.fromkeys(texts) if text is not None and text not in known]
        for number, text in enumerate(new):
            if number % patience.PAUSE == 0:
                self._patience.pause()
                own_time, started = time.thread_time(), time.perf_counter()
            try:
                found = ecmascript.first(node.pattern, text, 0, patience.SECONDS)
            except TimeoutError:
                self._patience.end(node)
                return
            known[text] = None if found is None else found.group()
            ended = time.perf_counter()
            if ended - started > patience.SLOW:
                if self._patience.is_spent_after(node, (started, own_time)):
                    return
                own_time = time.thread_time()
            started = ended

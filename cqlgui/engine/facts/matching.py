"""What the searches of a query find in texts: literal searches and regular expressions."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cqlgui.cql.ast import nodes, nodes_strings
from cqlgui.cql.source import ecmascript
from cqlgui.engine.facts import answering, evaluating, patience
from cqlgui.engine.facts.answering import GIVEN, MISSING


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
        pairs = np.array([self._told(known, text, wants_text) for text in texts], np.uint64)
        values, states = pairs.reshape(-1, 2).T
        return values, states

    def _match(
        self, node: nodes_strings.Search, texts: Sequence[str | None], known: dict[str | None, str | None]
    ) -> None:
        """Add the part of each text that matched to `known`, until the time is over."""
        own_time = 0.0
        for number, text in enumerate(texts):
            if number % patience.PAUSE == 0:
                self._patience.pause()
                own_time = time.thread_time()
            if text is None or text in known:
                continue
            started = time.perf_counter()
            try:
                found = ecmascript.first(node.pattern, text, 0, patience.SECONDS)
            except TimeoutError:
                self._patience.end(node)
                return
            known[text] = None if found is None else found.group()
            if time.perf_counter() - started > patience.SLOW:
                if self._patience.is_spent_after(node, (started, own_time)):
                    return
                own_time = time.thread_time()

    def _told(
        self, known: Mapping[str | None, str | None], text: str | None, wants_text: bool
    ) -> tuple[int, int]:
        """The value and the state of the answer for a text, if `known` has the part of each text that
        matched."""
        if text not in known:
            return answering.TOO_MUCH
        found = known[text]
        if not wants_text:
            return int(found is not None), GIVEN
        return (0, MISSING) if found is None else (self._closures.number_of(found), GIVEN)

"""Says of each segment which of its games a query must be searched in, before any position is looked at.

Headers come from the catalog (`tags`), signatures from the files beside the segments; missing ones are made
and kept. What is passed over cannot match (`engine.pruning`).
"""

from __future__ import annotations

import collections
import functools
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cqlgui.cql import interpreter, transforms
from cqlgui.engine import facts, games, pruning, signatures
from cqlgui.store import beside, segments
from cqlgui.tasks import model, tags

_MOST_KEPT: Final = 24
"""Segments whose signatures stay in memory, some 30 MB."""


@dataclass(frozen=True, slots=True)
class Part:
    """What is to be searched of a segment: `numbers` of its games in order, of the first `count` that the
    base knows. `facts` are those of the compiled query for all games, as `scanning.scan` takes them."""

    asked: games.Games
    count: int
    numbers: games.Integers
    facts: games.Words


class Planner:
    """Plans the search of one query; for one thread. `compiled` are the facts that compiled code asks for;
    not `pruned`, nothing is passed over."""

    def __init__(
        self, expanded: transforms.Expanded, compiled: Sequence[facts.Fact] = (), *, pruned: bool = True
    ) -> None:
        assert expanded.query is not None
        self.variations = expanded.query.header.variations
        """Whether the whole tree of a game is searched."""
        self._question = pruning.Question(expanded)
        self._compiled = compiled
        self._pruned = pruned and pruning.stand_alone(expanded.query)
        known = self._question.facts if self._pruned else []
        asked = list(dict.fromkeys([*compiled, *known]))
        self._asker = facts.Asker(asked, expanded.names, interpreter.last_game(expanded.query.header))

    def part(self, source: model.Source, stamp: str, first: int, segment: segments.Segment) -> Part:
        """Plan a segment of a source, whose first game has the ordinal `first` there; `stamp` is the
        source's."""
        asked = games.of_segment(segment)
        count = max(min(len(asked), source.games - first), 0)
        answers = self._asker.answers(tags.of_games(source, stamp, first, len(asked)))
        numbers = games.everything(asked)[:count]
        if self._pruned:
            load = functools.partial(_columns, segment, asked, self.variations)
            known = pruning.Known(len(asked), load, first, answers)
            numbers = numbers[pruning.candidates(self._question, known)[:count]]
        return Part(asked, count, numbers, facts.table(self._compiled, answers, len(asked)))


_kept: collections.OrderedDict[tuple[Path, bytes], signatures.Signatures] = collections.OrderedDict()
_lock = threading.Lock()


def _columns(segment: segments.Segment, asked: games.Games, variations: bool) -> games.Words:
    key = segment.path, segment.checksum
    with _lock:
        found = _kept.get(key)
        if found is not None:
            _kept.move_to_end(key)
    if found is None:
        found = _read(segment) or _made(segment, asked)
        with _lock:
            _kept[key] = found
            while len(_kept) > _MOST_KEPT:
                _kept.popitem(last=False)
    return found.columns(variations)


def _read(segment: segments.Segment) -> signatures.Signatures | None:
    data = beside.read(segment, signatures.VERSION)
    return None if data is None else signatures.Signatures.unpacked(data, segment.games)


def _made(segment: segments.Segment, asked: games.Games) -> signatures.Signatures:
    found = signatures.make(asked)
    beside.write(segment, signatures.VERSION, found.packed())
    return found

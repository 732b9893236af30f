"""Predicts how long a search will take. The prediction uses the number of games that the plan does not
exclude, and the time that the search of some of these games takes.

For a prediction, this module plans a part of the base, and searches a sample of the games that the plan does
not exclude. A prediction takes some milliseconds. Only a query whose hits come straight from the engine gets
a prediction.
"""

from __future__ import annotations

import collections
import math
import os
import time
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from cqlgui.base import errors, progress
from cqlgui.base.data import dataclass
from cqlgui.engine.replaying import scanning
from cqlgui.tasks.databases import sources
from cqlgui.tasks.results import base_model
from cqlgui.tasks.results import found as found_module
from cqlgui.tasks.results.found import Integers
from cqlgui.tasks.search import planning, sieving

_ASKED: Final = 3
"""Number of segments that are planned. These segments are spread over the base. The other segments are
assumed to be similar."""
_GROWTH: Final = 4
"""The first sample is one game, because a single game may take long. As long as a sample costs little, the
next sample is larger by this factor."""
_ENOUGH_SECONDS: Final = 0.002
_DOUBTFUL_SECONDS: Final = 0.05
"""A sample that costs at least `_ENOUGH_SECONDS`, but less than `_DOUBTFUL_SECONDS`, is searched twice."""
_HIT_SECONDS: Final = 80e-9
"""Time in seconds that it takes to add a hit to the result."""
_CODE_SECONDS: Final = 20e-9
"""Time in seconds that it takes to add a matching element of a hit to the result."""


class TooLong(errors.CqlguiError):  # a refusal, not a fault
    """A search would take longer than allowed, or its time cannot be predicted."""


@dataclass(frozen=True, slots=True)
class Foresight:
    """Prediction of a search: the numbers of games, positions and hits. `seconds` is the predicted time for
    the whole search."""

    games: int
    positions: int
    hits: int
    seconds: float


@dataclass(slots=True)
class _Sampled:
    """The cost of a sample of games, in seconds of one processor."""

    games: int
    positions: int
    hits: int
    seconds: float


def admit(foreseen: Foresight | None, most_seconds: float) -> None:
    """Raise `TooLong` if the predicted time is longer than `most_seconds`, or if there is no prediction."""
    if foreseen is None:
        raise TooLong("Nobody can tell how long this search takes.")
    if foreseen.seconds > most_seconds:
        raise TooLong(f"This search may take {foreseen.seconds:.1f} seconds.")


def foresee(
    chosen: sieving.Plan,
    listed: Sequence[base_model.Source],
    within: Integers | None = None,
    *,
    threads: int | None = None,
    cancel: progress.CancelToken | None = None,
) -> Foresight | None:
    """The prediction for a search by the plan `chosen`, in the sources `listed` or only in their games
    `within` (ascending base ordinals). None if no prediction is possible. Raises `errors.Cancelled`, and
    `errors.CqlguiError` for a source that cannot be read."""
    if chosen.compiled is None or chosen.planner is None or chosen.straight is None:
        return None
    if chosen.straight.detail_pass is not None:
        # Making the details of all hits takes longer than the search itself.
        return None
    token = cancel or progress.CancelToken()
    planned = left = 0
    sampled = _Sampled(0, 0, 0, 0.0)
    # Seconds that planning takes for a game. The smallest value counts, because the first segments may have
    # to be read before they are planned.
    begun, planning_seconds = time.thread_time(), math.inf
    total = sum(source.games for source in listed) if within is None else len(within)
    for part, source, first in _parts(chosen.planner, listed, within, token):
        token.raise_if_cancelled()
        planning_seconds = min(planning_seconds, (time.thread_time() - begun) / max(part.count, 1))
        numbers, wanted = part.numbers, part.count
        if within is not None:
            numbers, wanted = part.among(within, source.first + first)
        planned += wanted
        left += len(numbers)
        if len(numbers) and sampled.seconds < _ENOUGH_SECONDS:
            more = _sample(chosen, part, numbers, first, token)
            if more.games > sampled.games:
                sampled = more
        begun = time.thread_time()
    if not planned:
        return Foresight(0, 0, 0, 0.0)
    games = round(left * total / planned)
    share = games / max(sampled.games, 1)
    count = max(1, threads or os.cpu_count() or 1)
    return Foresight(
        games,
        round(sampled.positions * share),
        round(sampled.hits * share),
        # Segments are planned one by one, so more threads do not make planning faster.
        planning_seconds * sum(source.games for source in listed) + sampled.seconds * share / count,
    )


def _parts(
    planner: planning.Planner,
    listed: Sequence[base_model.Source],
    within: Integers | None,
    token: progress.CancelToken,
) -> Iterator[tuple[planning.Part, base_model.Source, int]]:
    """The plans of some segments, each with its source and its first game. The segments are spread over the
    games to be searched."""
    total = sum(source.games for source in listed) if within is None else len(within)
    spread = [total * (2 * number + 1) // (2 * _ASKED) for number in range(_ASKED)] if total else []
    # Base ordinals begin with 1.
    wanted = collections.deque(spread if within is None else (within[spread] - 1).tolist())
    before = 0
    for source in listed:
        if wanted and wanted[0] < before + source.games:
            with sources.indexed(source) as opened:
                for first, segment in opened.parts:
                    chosen = False
                    while wanted and wanted[0] < before + min(first + segment.games, source.games):
                        wanted.popleft()
                        chosen = True
                    if chosen:
                        yield planner.part(source, first, segment, lambda: token.cancelled), source, first
        before += source.games


def _sample(
    chosen: sieving.Plan, part: planning.Part, numbers: Integers, first: int, token: progress.CancelToken
) -> _Sampled:
    """Search some of the games `numbers` of a segment. `numbers` must not be empty. `first` is the ordinal of
    the segment's first game."""
    assert chosen.compiled is not None
    assert chosen.straight is not None
    told = chosen.straight.orbit_pass
    # The very first call also compiles code. The cost of compiling must not count as a cost of the search.
    for _ in chosen.compiled.scan(part.asked, numbers[:1], before=first, facts=part.facts, slice_size=1):
        pass
    if told is not None:
        told.tell(part.asked, numbers[:1] << found_module.GAME_SHIFT, before=first, facts=part.facts)
    size = 1
    while True:
        # The games are spread over the segment, because neighbouring games are often alike.
        some = numbers[np.linspace(0, len(numbers) - 1, size).astype(np.int64)]
        found = _measured(chosen, part, some, first, token)
        if _ENOUGH_SECONDS <= found.seconds < _DOUBTFUL_SECONDS:
            # Measure a second time, because a small sample may have taken long by chance.
            found = min(found, _measured(chosen, part, some, first, token), key=lambda one: one.seconds)
        if found.seconds >= _ENOUGH_SECONDS or size == len(numbers):
            return found
        size = min(_GROWTH * size, len(numbers))


def _measured(
    chosen: sieving.Plan, part: planning.Part, some: Integers, first: int, token: progress.CancelToken
) -> _Sampled:
    """Search some games of a segment."""
    assert chosen.compiled is not None
    assert chosen.straight is not None
    told = chosen.straight.orbit_pass
    while True:
        token.raise_if_cancelled()
        functions = chosen.compiled.tiers.functions
        start = time.thread_time()
        positions = hits = codes = games = 0
        for found in chosen.compiled.scan(
            part.asked, some, before=first, most=scanning.ALL_HITS, facts=part.facts, slice_size=len(some)
        ):
            games += found.games
            positions += found.visited
            hits += len(found.hits)
            if told is not None and len(found.hits):
                codes += len(told.tell(part.asked, found.hits, before=first, facts=part.facts).codes)
            token.raise_if_cancelled()
        spent = time.thread_time() - start
        if chosen.compiled.tiers.functions is functions:
            return _Sampled(games, positions, hits, spent + _HIT_SECONDS * hits + _CODE_SECONDS * codes)
        # The query was compiled with optimisation during the measurement, so the sample is measured again.
        # The query is compiled with optimisation only once.

"""Runs a query over many games, slice by slice, so that the caller can stop in between."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from cqlgui.base.data import dataclass
from cqlgui.engine.replaying import games, replay
from cqlgui.engine.replaying.games import Games, Integers, Words, Workspace
from cqlgui.engine.replaying.tiers import Tiers
from cqlgui.jit import kernels

SLICE: Final = 1_000
"""Maximum of games searched before control returns to the caller."""
ALL_HITS: Final = 1 << 40


@dataclass(frozen=True, slots=True)
class ScanResult:
    """The result of one call of the kernel. A hit is a game's number shifted by 32, with the positionid.
    `doubtful` are the games that the query could not decide; they have no hits here."""

    games: int
    hits: Integers
    doubtful: Integers
    visited: int


def scan(
    asking: Tiers,
    asked: Games,
    numbers: Integers | None = None,
    *,
    mode: int,
    before: int = 0,
    most: int = ALL_HITS,
    frame_size: int,
    planes: bool = False,
    facts: Words | None = None,
    fact_places: Sequence[int] = (),
    slice_size: int = SLICE,
) -> Iterator[ScanResult]:
    """Search games, all or those of the given numbers, in order.

    `facts` are those of `facts.table` for all games, for the frame's `fact_places`; without them the facts
    are unknown. `planes`: the query searches for sequences. `mode` is that of `replay.search`; `before` is
    the number before the `gamenumber` of game 0; `most` is how many hits of each game are wanted. Any number
    of threads may do this at once, each with its own iterator.
    """
    chosen = games.everything(asked) if numbers is None else numbers
    work = Workspace.make(asked.positions, slice_size, frame_size, planes=planes)
    given = np.zeros(2 * len(fact_places) * len(asked), np.uint64) if facts is None else facts
    places = np.array(fact_places, np.int64)
    # A kernel declares arrays as sequences; for the type checker NumPy's arrays are none.
    search: Any = replay.search
    held = kernels.Held
    game_arrays = [
        held(one)
        for one in (
            asked.packed, asked.firsts, asked.counts, asked.branching, asked.starts, asked.start_records,
            asked.start_boards, chosen,
        )
    ]  # fmt: skip
    records, boards, frame = held(work.records), held(work.boards), held(work.frame)
    facts_arrays = held(given), held(places)
    outcomes = held(work.hits), held(work.doubtful), held(work.tally)
    at = 0
    while at < len(chosen):
        # The rest of the tally is what the records hold.
        work.tally[: replay.LINKED] = 0
        functions = asking.functions
        start = time.thread_time()
        end = search(
            functions.ask, functions.first, functions.stream, *game_arrays, at,
            min(at + slice_size, len(chosen)), before, mode, most, records, boards, work.room, frame,
            frame_size, *facts_arrays, len(places), outcomes[0], len(work.hits), *outcomes[1:],
        )  # fmt: skip
        asking.spend(time.thread_time() - start)
        found, doubted, visited = work.tally[: replay.LINKED].tolist()
        yield ScanResult(end - at, work.hits[:found].copy(), work.doubtful[:doubted].copy(), visited)
        at = end

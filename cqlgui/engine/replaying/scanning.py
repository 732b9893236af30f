"""Runs a query over many games, slice by slice, so that the caller can stop in between."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from cqlgui.base.data import dataclass
from cqlgui.engine.replaying import games, replay
from cqlgui.engine.replaying.games import Games, Integers, Words
from cqlgui.engine.replaying.tiers import Tiers
from cqlgui.jit import kernels

SLICE: Final = 1_000
"""The maximum number of games searched before control returns to the caller."""
ALL_HITS: Final = 1 << 40


@dataclass(frozen=True, slots=True)
class ScanResult:
    """The result of one call of the kernel. A hit combines the number of the game, shifted by 32, with the
    positionid. `doubtful` has the numbers of the doubtful games. `hits` has no hits of doubtful games."""

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
    """Search the games with the given `numbers`, in the given order. Without `numbers`, search all games.

    `facts` is the `tables.table` for all games, not a copy of it, because the table has addresses of its own
    parts. The pairs of words in `facts` are copied to the `fact_places` of the frame. Without `facts`, all
    answers are unknown. `planes` is True if the query searches for sequences. `mode` is the `mode` of
    `replay.search`. `before` is one less than the `gamenumber` of game 0. `most` is the number of hits wanted
    in each game. Any number of threads may search at once, each with its own iterator."""
    chosen = games.everything(asked) if numbers is None else numbers
    given = np.zeros(2 * len(fact_places) * len(asked), np.uint64) if facts is None else facts
    places = np.array(fact_places, np.int64)
    with games.workspace(asked.positions, slice_size, frame_size, planes=planes) as work:
        # A kernel declares arrays as sequences. For the type checker, NumPy arrays are not sequences, so
        # `search` has the type `Any`.
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
            # The entry `LINKED` is not cleared, because `LINKED` describes the records, and the records keep
            # their contents.
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

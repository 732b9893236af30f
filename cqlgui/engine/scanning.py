"""Asks a query of many games, slice by slice, so that whoever searches can stop in between."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from cqlgui.engine import games, replay
from cqlgui.engine.games import Games, Integers, Workspace

SLICE: Final = 1_000
"""Games searched before the caller is heard again."""
ALL_HITS: Final = 1 << 40


@dataclass(frozen=True, slots=True)
class Found:
    """What one slice gave. A hit is a game's number shifted by 32, with the positionid; `doubtful` are the
    games about which the query could not tell, and which have no hits here."""

    games: int
    hits: Integers
    doubtful: Integers
    visited: int


def scan(
    ask: Any,
    asked: Games,
    numbers: Integers | None = None,
    *,
    mode: int = 0,
    before: int = 0,
    most: int = ALL_HITS,
    frame_size: int,
    slice_size: int = SLICE,
) -> Iterator[Found]:
    """Search games, all or those of the given numbers, in order; `ask` is what `replay.search` calls.

    `mode` is that of `replay.search`; `before` is what comes before the `gamenumber` of game 0, `most` how
    many hits of each game are wanted. Any number of threads may do this at once, each with its own iterator.
    """
    chosen = games.everything(asked) if numbers is None else numbers
    work = Workspace.make(asked.positions, min(slice_size, max(len(chosen), 1)), frame_size)
    # A kernel's arrays are declared as sequences, which NumPy's are not for the type checker.
    search: Any = replay.search
    begin = 0
    while begin < len(chosen):
        end = min(begin + slice_size, len(chosen))
        hits: list[Integers] = []
        work.tally[:] = 0
        at = begin
        while at < end:
            work.tally[replay.FOUND] = 0
            at = search(
                ask, asked.packed, asked.firsts, asked.counts, asked.branching, asked.starts,
                asked.start_records, asked.start_boards, chosen, at, end, before, mode, most, work.records,
                work.boards, work.room, work.frame, len(work.frame), work.hits, len(work.hits), work.doubtful,
                work.tally,
            )  # fmt: skip
            hits.append(work.hits[: work.tally[replay.FOUND]].copy())
        doubtful = work.doubtful[: work.tally[replay.DOUBTED]].copy()
        found = hits[0] if len(hits) == 1 else np.concatenate(hits)
        yield Found(end - begin, found, doubtful, int(work.tally[replay.VISITED]))
        begin = end

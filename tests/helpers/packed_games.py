"""Games for the engine, from packed words."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence

import numpy as np

from cqlgui.board import moves
from cqlgui.engine.replaying.games import Games, Starts


def of_words(games: Iterable[tuple[str | None, Sequence[int]]]) -> Games:
    """Games given as starting position (None: the usual one) and packed words."""
    words: list[int] = []
    firsts, counts, starts, branching = [], [], [], []
    table = Starts()
    for fen, own in games:
        firsts.append(len(words))
        counts.append(len(own))
        starts.append(-1)
        with contextlib.suppress(ValueError):
            starts[-1] = table.number(fen)
        backs = [place for place, word in enumerate(own) if word >> 12 == moves.BACK]
        branching.append(len(backs) > 0)
        words.extend(own)
    return Games(
        np.array(words, np.uint16), np.array(firsts, np.int64), np.array(counts, np.int64),
        np.array(branching, np.uint8), np.array(starts, np.int64), *table.arrays(),
        max(counts, default=0) + 1,
    )  # fmt: skip

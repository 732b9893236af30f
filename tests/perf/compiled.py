"""Speed of replay and of compiled queries, in thread CPU time on one core, beside what they must reach.

The floors are for a processor on which `limits.played` plays 330 million positions a second; where it plays
fewer, all are as much lower.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from cqlgui.cql import check, transforms
from cqlgui.engine import compiling, games, layout, lowering
from cqlgui.jit import native
from cqlgui.tasks import model, sources
from tests.perf import limits
from tests.perf.headless import Figure

LIMIT = 330.0
QUERIES: dict[str, tuple[str, float | None]] = {
    "nothing (replay)": ("false", None),
    "nothing (all positions laid out)": ("initialposition:false", None),
    "Ra1 kg8": ("Ra1 kg8", 200.0),
    "flipcolor {P>=6 [QqRr]==0}": ("flipcolor {P>=6 [QqRr]==0}", 120.0),
    "mate": ("mate", 60.0),
    "ray attack (A n k)": ("ray attack (A n k)", 60.0),
    "shift {Kb1 kb3 wtm}": ("shift {Kb1 kb3 wtm}", 60.0),
    "loop over knights": ("piece x in N {x attacks r and x attacks k}", 120.0),
    "find in flipcolor": ("flipcolor {Ra8 kg8 find Qh7}", LIMIT / 10),
    "dash to a check": ("N--(check)", None),
    "path of three steps": ("path (N-- [x] --(check))", LIMIT / 10),
}
LEAST_SECONDS = 0.3


def scanning(base: model.Base) -> list[Figure]:
    """Positions a second of each query, with the time its compilation took."""
    if not native.available():
        return []
    parts = []
    for source in base.sources:
        with sources.opened(source) as reader:
            parts += [games.of_segment(segment) for _, segment in reader.index.parts]
    limit = _limit(parts)
    figures = [Figure("limit of replay", limit / 1e6, "M positions/s")]
    for name, (text, floor) in QUERIES.items():
        expanded = transforms.expand(check.check(text))
        start = time.thread_time()
        compiled = compiling.compile_query(expanded)
        seconds = time.thread_time() - start
        assert not isinstance(compiled, lowering.Unsupported)
        rate = _rate(compiled, parts)
        here = "" if floor is None else f", floor {floor * limit / 1e6 / LIMIT:.0f}"
        label = f"compiled: {name} ({seconds * 1000:.1f} ms{here})"
        figures.append(Figure(label, rate / 1e6, "M positions/s"))
    return figures


def _limit(parts: Sequence[games.Games]) -> float:
    """Positions a second of replay alone, of the parts that begin as usual and have no variations."""
    plain = [part for part in parts if not part.starts.any() and not part.branching.any()]
    record, board = np.zeros(layout.SIZE, np.uint64), np.zeros(64, np.uint8)
    # A kernel's arrays are declared as sequences, which NumPy's are not for the type checker.
    played: Any = limits.played

    def run() -> int:
        return sum(
            played(
                part.packed, part.firsts, part.counts, 0, len(part), part.start_records, part.start_boards,
                record, board,
            )
            for part in plain
        )  # fmt: skip

    return _best(run) if plain else LIMIT * 1e6


def _rate(compiled: compiling.Compiled, parts: Sequence[games.Games]) -> float:
    def run() -> int:
        return sum(found.visited for part in parts for found in compiled.scan(part))

    run()
    return _best(run)


def _best(run: Callable[[], Any]) -> float:
    """Work done a second, the best of several times."""
    best = spent = 0.0
    while spent < LEAST_SECONDS:
        start = time.thread_time()
        done = run()
        seconds = max(time.thread_time() - start, 1e-9)
        spent += seconds
        best = max(best, done / seconds)
    return best

"""Speed of replay and of compiled queries, in thread CPU time on one core."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from cqlgui.cql import check, transforms
from cqlgui.engine import compiling, games, lowering
from cqlgui.jit import native
from cqlgui.tasks import model, sources
from tests.perf.headless import Figure

QUERIES = {
    "nothing (replay)": "false",
    "nothing (all positions laid out)": "false find false",
    "Ra1 kg8": "Ra1 kg8",
    "flipcolor {P>=6 [QqRr]==0}": "flipcolor {P>=6 [QqRr]==0}",
    "mate": "mate",
    "ray attack (A n k)": "ray attack (A n k)",
    "shift {Kb1 kb3 wtm}": "shift {Kb1 kb3 wtm}",
    "loop over knights": "piece x in N {x attacks r and x attacks k}",
    "find in flipcolor": "flipcolor {Ra8 kg8 find Qh7}",
    "dash to a check": "N--(check)",
    "path of three steps": "path (N-- [x] --(check))",
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
    figures = []
    for name, text in QUERIES.items():
        expanded = transforms.expand(check.check(text))
        start = time.thread_time()
        compiled = compiling.compile_query(expanded)
        seconds = time.thread_time() - start
        assert not isinstance(compiled, lowering.Unsupported)
        rate = _rate(compiled, parts)
        label = f"compiled: {name} ({seconds * 1000:.1f} ms)"
        figures.append(Figure(label, rate / 1e6, "M positions/s"))
    return figures


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

"""Speed of replay and of compiled queries, in thread CPU time on one core, beside what they must reach.

The floors are for a processor on which `limits.played` plays 330 million positions a second; where it plays
fewer, all are as much lower.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from cqlgui.cql.checking import check
from cqlgui.cql.transforming import transforms
from cqlgui.engine import compiling
from cqlgui.engine.lowering.scope import Unsupported
from cqlgui.engine.replaying import games
from cqlgui.jit import native
from cqlgui.tasks.databases import sources
from cqlgui.tasks.results import base_model
from tests.tools.perf import limits
from tests.tools.perf.headless import Figure

QUERIES: dict[str, tuple[str, float | None]] = {
    "nothing (replay)": ("false", None),
    "nothing (all positions laid out)": ("initialposition:false", None),
    "Ra1 kg8": ("Ra1 kg8", 200.0),
    "flipcolor {P>=6 [QqRr]==0}": ("flipcolor {P>=6 [QqRr]==0}", 120.0),
    "mate": ("mate", 60.0),
    "ray attack (A n k)": ("ray attack (A n k)", 60.0),
    "shift {Kb1 kb3 wtm}": ("shift {Kb1 kb3 wtm}", 60.0),
    "loop over knights": ("piece x in N {x attacks r and x attacks k}", 120.0),
    "find in flipcolor": ("flipcolor {find Qh7}", limits.THERE / 10),
    "dash to a check": ("N--(check)", None),
    "path of three steps": ("path (N-- [x] --(check))", limits.THERE / 10),
}


def scanning(base: base_model.Base) -> list[Figure]:
    """Positions a second of each query, with the time its compilation took."""
    if not native.available():
        return []
    parts = []
    for source in base.sources:
        with sources.opened(source) as reader:
            parts += [games.of_segment(segment) for _, segment in reader.index.parts]
    limit = limits.rate(parts)
    figures = [Figure("limit of replay", limit / 1e6, "M positions/s")]
    for name, (text, floor) in QUERIES.items():
        expanded = transforms.expand(check.check(text))
        start = time.thread_time()
        compiled = compiling.compile_query(expanded)
        seconds = time.thread_time() - start
        assert not isinstance(compiled, Unsupported)
        rate = _rate(compiled, parts)
        here = "" if floor is None else f", floor {floor * limit / 1e6 / limits.THERE:.0f}"
        label = f"compiled: {name} ({seconds * 1000:.1f} ms{here})"
        figures.append(Figure(label, rate / 1e6, "M positions/s"))
    return figures


def _rate(compiled: compiling.Compiled, parts: Sequence[games.Games]) -> float:
    def run() -> int:
        return sum(found.visited for part in parts for found in compiled.scan(part))

    run()
    return limits.best(run)

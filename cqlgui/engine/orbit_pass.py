"""Which orbit elements matched at each hit, by a second function of the query that runs at hits only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from cqlgui.base.data import dataclass, field
from cqlgui.cql.transforming import transforms
from cqlgui.engine.lowering import lowering_matches
from cqlgui.engine.lowering.dispatch import Lowering
from cqlgui.engine.lowering.scope import TooLargeError
from cqlgui.engine.replaying import games, replay
from cqlgui.engine.replaying.games import Games, Integers, Words
from cqlgui.jit import emitter, native
from cqlgui.jit.words import Scalar

ELEMENT_BITS: Final = 16
"""The number of an element combines the number of its orbit, shifted by this, with its place in the orbit. An
orbit has at most 20,000 elements."""

Codes: TypeAlias = "npt.NDArray[np.int32]"
Ends: TypeAlias = "npt.NDArray[np.int64]"

_ROOM: Final = 1 << 14


def code_of(orbit: int, element: int) -> int:
    """The number of an element."""
    return orbit << ELEMENT_BITS | element


@dataclass(frozen=True, slots=True)
class Told:
    """The elements that matched at several hits. `codes` has a row of elements for each hit, row after row;
    the row of hit n ends at `ends[n]`. The rows of games in `doubtful` are not valid."""

    ends: Ends
    codes: Codes
    doubtful: Integers


@dataclass(frozen=True, slots=True)
class OrbitPass:
    """The second function. `tell` may run in any number of threads."""

    _tell: Any = field(repr=False)
    _code: native.Code = field(repr=False)
    _codes: Codes = field(repr=False)
    _width: int
    _mode: int
    _frame_size: int
    _planes: bool
    _fact_places: tuple[int, ...]

    def tell(self, asked: Games, hits: Integers, *, before: int, facts: Words) -> Told:
        """The elements that matched at `hits`. The hits come from a `scanning.ScanResult` for the same games
        and the same facts."""
        work = games.Workspace.make(asked.positions, max(len(hits), 1), self._frame_size, planes=self._planes)
        places = np.array(self._fact_places, np.int64)
        bits = np.zeros(self._width, np.uint64)
        elements = np.zeros(max(_ROOM, 64 * self._width), np.int64)
        ends = np.zeros(len(hits), np.int64)
        parts: list[Codes] = []
        # A kernel declares arrays as sequences. For the type checker, NumPy arrays are no sequences.
        tell: Any = replay.tell
        at, written = 0, 0
        while at < len(hits):
            work.tally[replay.FOUND] = 0
            end = tell(
                self._tell, asked.packed, asked.firsts, asked.counts, asked.starts, asked.start_records,
                asked.start_boards, hits, at, len(hits), before, self._mode, work.records, work.boards,
                work.room, work.frame, self._frame_size, facts, places, len(places), bits, self._width, ends,
                elements, len(elements), work.doubtful, work.tally,
            )  # fmt: skip
            ends[at:end] += written
            parts.append(self._codes[elements[: work.tally[replay.FOUND]]])
            written += len(parts[-1])
            at = end
        codes: Any = np.concatenate(parts) if parts else np.zeros(0, np.int32)
        return Told(ends, codes, work.doubtful[: work.tally[replay.DOUBTED]].copy())


def make(
    expanded: transforms.Expanded, low: Lowering, fact_places: Sequence[int], mode: int
) -> OrbitPass | None:
    """The second function of a query that `low` compiled wholly; None if the interpreter must find the
    elements.

    The result is also None if the query has no outermost transform.
    """
    assert expanded.query is not None
    body, sizes = expanded.query.body, [len(info.elements) for info in expanded.orbits]
    second = low.another()
    names = ("records", "boards", "place", "frame", "bits")
    f = second.module.function(
        "tell", list(zip(names, replay.TELL.parameters, strict=True)), Scalar.BOOL, exported=True
    )
    records, boards, place, frame, bits = f.arguments
    scope = second.at(f, records, boards, place, frame)
    if not sizes or not lowering_matches.can_tell(second, scope, body):
        return None
    places = lowering_matches.words_of(sizes)
    try:
        lowering_matches.write(second, scope, body, bits, places)
        second.check_frame()
    except TooLargeError:
        return None
    f.leave(emitter.TRUE)
    f.finish()
    if second.unsupported or len(second.facts) != len(fact_places):
        return None
    code = native.Code(second.module.text(), optimise=False)
    callee = emitter.Callee("@tell", replay.TELL.parameters, replay.TELL.result)
    table = np.zeros(64 * places[-1], np.int32)
    for orbit, size in enumerate(sizes):
        first = 64 * places[orbit]
        table[first : first + size] = code_of(orbit, 0) + np.arange(size)
    return OrbitPass(
        code.function(callee), code, table, places[-1], mode, second.frame_size, second.planes,
        tuple(fact_places),
    )  # fmt: skip

"""Finds which orbit elements matched at each hit, with a second function of the query that runs only at
hits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from cqlgui.base import arrays
from cqlgui.base.data import dataclass, field
from cqlgui.cql.transforming import transforms
from cqlgui.engine.lowering.dispatch import Lowering
from cqlgui.engine.lowering.scope import TooLargeError
from cqlgui.engine.passes import lowering_matches
from cqlgui.engine.replaying import games, layout, replay
from cqlgui.engine.replaying.games import Games, Integers, Words
from cqlgui.jit import emitter, native, recalling
from cqlgui.jit.words import Scalar

ELEMENT_BITS: Final = 16
"""The number of an element combines the number of the orbit, shifted by `ELEMENT_BITS`, with the element's
place in the orbit. An orbit has at most 20,000 elements, so the element's place fits into 16 bits."""

Codes: TypeAlias = "npt.NDArray[np.int32]"
Ends: TypeAlias = "npt.NDArray[np.int64]"

PARAMETERS: Final = tuple(zip(("records", "boards", "place", "frame"), replay.ASK.parameters, strict=True))
"""The parameters of a function that is evaluated at a position."""

_ROOM: Final = 1 << 18
"""The number of elements that one call of the kernel may find."""
_EVENTS: Final = 1 << 14


def code_of(orbit: int, element: int) -> int:
    """The number of an element."""
    return orbit << ELEMENT_BITS | element


@dataclass(frozen=True, slots=True)
class Told:
    """The elements that matched at several hits. `codes` has a row of element numbers for each hit, one row
    after another. The row of hit n ends at `ends[n]`. The rows of games in `doubtful` are not valid."""

    ends: Ends
    codes: Codes
    doubtful: Integers


@dataclass(frozen=True, slots=True)
class GameRows:
    """The sort keys of several games, in the order of the games. `best` has the best measure for each game
    and key, and `known` says whether there is a measure. The events of game n, after the events of the
    game's last hit, end at `ends[n]`. All arrays are empty if the query has no sort keys and no lasting
    events."""

    best: Integers
    known: npt.NDArray[np.bool_]
    ends: Ends


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers of `replay.tell` about several hits. Without `replay.DETAILED`, `marks`, `values` and
    `squares` are empty."""

    ends: Ends
    codes: Codes
    marks: Words
    values: Words
    squares: Words
    event_ends: Ends
    events: Words
    games: GameRows
    doubtful: Integers


@dataclass(frozen=True, slots=True)
class Runner:
    """Runs the compiled function `tell` of a query at hits. Any number of threads may run the function at
    once."""

    _tell: Any = field(repr=False)
    _step: Any = field(repr=False)
    _code: native.Code = field(repr=False)
    _codes: Codes = field(repr=False)
    _orbit_ends: Integers = field(repr=False)
    """The number 0, and for each orbit the place after its last word (`lowering_matches.words_of`)."""
    _mode: int
    _frame_size: int
    _planes: bool
    _fact_places: tuple[int, ...]
    _keys: tuple[tuple[int, int], ...]
    _lasting: tuple[int, int] | None

    @classmethod
    def make(
        cls,
        low: Lowering,
        sizes: Sequence[int],
        fact_places: Sequence[int],
        mode: int,
        *,
        stepped: bool = False,
        keys: Sequence[tuple[int, int]] = (),
        lasting: tuple[int, int] | None = None,
    ) -> Runner:
        """Compile the module of `low`. The module has the function `tell`, and with `stepped` also the
        function `step`. `sizes` has the number of elements in each orbit. `keys` has the two places of each
        sort key in the frame, and `lasting` those of the lasting events."""
        places = lowering_matches.words_of(sizes)
        code = recalling.code(low.module.assembly())
        callee = emitter.Callee("@tell", replay.TELL.parameters, replay.TELL.result)
        # Without `STEPPED`, the kernel never calls `step`, so any function can be passed for `step`.
        name = "@step" if stepped else "@tell"
        step = emitter.Callee(name, replay.ASK.parameters, replay.ASK.result)
        table = np.zeros(64 * places[-1], np.int32)
        if not low.buffered and not mode & (replay.WHOLE | replay.VARIATIONS):
            mode |= replay.NEAR
        for orbit, size in enumerate(sizes):
            first = 64 * places[orbit]
            table[first : first + size] = code_of(orbit, 0) + np.arange(size)
        return cls(
            code.function(callee), code.function(step), code, table, np.array(places, np.int64), mode,
            low.frame_size, low.planes, tuple(fact_places), tuple(keys), lasting,
        )  # fmt: skip

    def code_of(self, bit: int) -> int:
        """The number of the element that a bit stands for (`code_of`)."""
        return int(self._codes[bit])

    def run(self, asked: Games, hits: Integers, *, before: int, facts: Words) -> Answers:
        """The answers about `hits`. The hits come from a `scanning.ScanResult` for the same games and the
        same facts."""
        with games.workspace(
            asked.positions, max(len(hits), 1), self._frame_size, planes=self._planes
        ) as work:
            return self._run(work, asked, hits, before, facts)

    def _run(self, work: games.Workspace, asked: Games, hits: Integers, before: int, facts: Words) -> Answers:
        places = np.array(self._fact_places, np.int64)
        width = int(self._orbit_ends[-1])
        detailed = bool(self._mode & replay.DETAILED)
        out = np.zeros(width + (2 + 64 * width) * detailed, np.uint64)
        # The kernel writes all that is read of these two arrays and of `events`. The arrays are large and are
        # made often, so they are not filled with zeros.
        elements = np.empty(max(_ROOM, 64 * width), np.int64)
        marks = np.empty(len(elements) if detailed else 0, np.uint64)
        values, squares = (np.zeros(len(hits) if detailed else 0, np.uint64) for _ in range(2))
        spare = np.zeros(self._frame_size, np.uint64)
        room = max(_EVENTS, layout.MOST_EVENTS * (2 + len(self._keys))) if self._mode & replay.LOGGED else 0
        events = np.empty(layout.EVENT_SIZE * room, np.uint64)
        event_ends, ends = np.zeros(len(hits), np.int64), np.zeros(len(hits), np.int64)
        games_hit = len(arrays.distinct(hits >> 32)) if self._keys or self._lasting else 0
        rows = np.zeros(2 * len(self._keys) * games_hit, np.uint64)
        row_ends = np.zeros(games_hit, np.int64)
        key_places = np.array(self._keys, np.int64).reshape(-1)
        parts: list[tuple[Codes, Words, Words]] = []
        # A kernel declares arrays as sequences. For the type checker, NumPy arrays are not sequences, so
        # `tell` has the type `Any`.
        tell: Any = replay.tell
        at = written = noted = 0
        while at < len(hits):
            work.tally[replay.FOUND] = work.tally[replay.NOTED] = 0
            row = int(work.tally[replay.ROWS])
            end = tell(
                self._step, self._tell, asked.packed, asked.firsts, asked.counts, asked.starts,
                asked.start_records, asked.start_boards, hits, at, len(hits), before, self._mode,
                work.records, work.boards, work.room, work.frame, self._frame_size, spare, facts, places,
                len(places), out, width, self._orbit_ends[1:], ends, elements, marks, len(elements), values,
                squares, events, room, event_ends, key_places, len(self._keys),
                0 if self._lasting is None else self._lasting[1], rows, row_ends, work.doubtful,
                work.tally,
            )  # fmt: skip
            found, logged = int(work.tally[replay.FOUND]), int(work.tally[replay.NOTED])
            ends[at:end] += written
            event_ends[at:end] += noted
            row_ends[row : int(work.tally[replay.ROWS])] += noted
            own = events[: layout.EVENT_SIZE * logged].copy()
            parts.append((self._codes[elements[:found]], marks[:found].copy(), own))
            written += found
            noted += logged
            at = end
        codes, marked, told = zip(*parts, strict=True) if parts else ((), (), ())
        pairs = rows.reshape(games_hit, len(self._keys), 2)
        return Answers(
            ends,
            np.concatenate(codes) if codes else np.zeros(0, np.int32),
            np.concatenate(marked) if marked else np.zeros(0, np.uint64),
            values,
            squares,
            event_ends,
            np.concatenate(told) if told else np.zeros(0, np.uint64),
            GameRows(pairs[:, :, 0].view(np.int64), pairs[:, :, 1] != 0, row_ends),
            work.doubtful[: work.tally[replay.DOUBTED]].copy(),
        )


@dataclass(frozen=True, slots=True)
class OrbitPass:
    """The second function of a query. Any number of threads may run `tell` at once."""

    _runner: Runner = field(repr=False)

    def tell(self, asked: Games, hits: Integers, *, before: int, facts: Words) -> Told:
        """The elements that matched at `hits`. The parameters are those of `Runner.run`."""
        found = self._runner.run(asked, hits, before=before, facts=facts)
        return Told(found.ends, found.codes, found.doubtful)


def make(
    expanded: transforms.Expanded, low: Lowering, fact_places: Sequence[int], mode: int
) -> OrbitPass | None:
    """Make the second function of a query. `low` must have compiled the whole query before. Returns None if
    the interpreter must find the elements, or if the query has no outermost transform.
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
    return OrbitPass(Runner.make(second, sizes, fact_places, mode))

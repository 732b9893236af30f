"""Passes over the games that cannot match, and those in which a compiled query finds nothing, in a thread
beside the search.
"""

from __future__ import annotations

import collections
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from cqlgui.base import errors
from cqlgui.cql import diagnostics, transforms
from cqlgui.engine import compiling, lowering, pruning
from cqlgui.store import index
from cqlgui.tasks import model, planning, sources, workspace

_SLICE_SECONDS: Final = 0.015
_PATIENCE_SECONDS: Final = 0.05
_BLOCK: Final = 1_000
"""Games that are given out together where there is no compiled query."""
_MOST_WAITING: Final = 64
"""Chunks that wait to be taken; the thread pauses then."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Games `begin` to `end` - 1 (from 0) of a source: those left to the interpreter, and how many positions
    the others have."""

    place: int
    begin: int
    end: int
    left: list[int]
    passed_positions: int


@dataclass(frozen=True, slots=True)
class Plan:
    """How a query is searched: compiled wholly, in part, or not (`compiled` None), and why not."""

    compiled: compiling.Compiled | None
    reason: str
    span: diagnostics.Span | None = None
    """Where the first part stands that was not compiled."""
    planner: planning.Planner | None = None
    """What says which games must be searched at all; None where all must be interpreted."""

    @property
    def engine(self) -> str:
        """As results name it."""
        return "compiled" if self.compiled is not None and self.compiled.wholly else "interpreted"


def plan(expanded: transforms.Expanded, *, pruned: bool = True) -> Plan:
    """Compile a query as far as that goes; not `pruned`, the search looks at every game."""
    assert expanded.query is not None
    wanted = expanded.query.header.matchcount
    if wanted is not None and (wanted.count or (isinstance(wanted.low, int) and wanted.low <= 0)):
        return Plan(None, "games without a match count too")
    found = compiling.compile_query(expanded)
    if isinstance(found, lowering.Unsupported):
        passes_over = pruned and pruning.stand_alone(expanded.query)
        planner = planning.Planner(expanded) if passes_over else None
        return Plan(None, found.reason, found.span, planner)
    planner = planning.Planner(expanded, found.facts, pruned=pruned)
    if found.wholly:
        return Plan(found, "", None, planner)
    reasons = dict.fromkeys(one.reason for one in found.unsupported)
    return Plan(found, "; ".join(reasons), found.unsupported[0].span, planner)


class Sieve:
    """The thread and what it found; a context manager. Where it stops early the rest of the games is left to
    the interpreter."""

    def __init__(self, chosen: Plan, listed: Sequence[model.Source]) -> None:
        assert chosen.planner is not None
        self._compiled = chosen.compiled
        self._planner = chosen.planner
        self._sources = listed
        self._chunks: collections.deque[Chunk] = collections.deque()
        self._changed = threading.Condition()
        self._ended = False
        self._unwanted = False
        # Nobody waits long for the end of a slice that holds a giant game.
        self._thread = threading.Thread(target=self._run, name="sieve", daemon=True)

    def __enter__(self) -> Sieve:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._unwanted = True
            self._changed.notify_all()
        self._thread.join(_PATIENCE_SECONDS)

    def take(self, seconds: float) -> Chunk | None:
        """The next chunk, in game order; None when there is none within that time, or none any more."""
        with self._changed:
            self._changed.wait_for(lambda: self._chunks or self._ended, seconds)
            if not self._chunks:
                return None
            self._changed.notify_all()
            return self._chunks.popleft()

    @property
    def exhausted(self) -> bool:
        """Whether there is and will be no further chunk."""
        with self._changed:
            return self._ended and not self._chunks

    def _run(self) -> None:
        try:
            for place, source in enumerate(self._sources):
                self._sift(place, source)
        except (_UnwantedError, errors.CqlguiError):
            # The interpreter opens what cannot be opened too, and reports what is wrong.
            pass
        finally:
            with self._changed:
                self._ended = True
                self._changed.notify_all()

    def _sift(self, place: int, source: model.Source) -> None:
        stamp = sources.stamp(source.path)
        with index.SourceIndex.open(workspace.index_folder(source.path)) as opened:
            for first, segment in opened.parts:
                part = self._planner.part(source, stamp, first, segment)
                begin = 0
                for end, left, passed in self._found(part, first):
                    own = [first + game for game in left]
                    self._put(Chunk(place, first + begin, first + end, own, passed))
                    begin = end

    def _found(self, part: planning.Part, first: int) -> Iterator[tuple[int, list[int], int]]:
        """Slice by slice: the end of a row of games, those left of them, and the positions of the others."""
        compiled, numbers = self._compiled, part.numbers
        variations = self._planner.variations
        sizes = part.asked.whole if variations else part.asked.mainline
        # What stands behind the last game that is looked at was passed over as well.
        ends = np.append(numbers[1:], part.count)
        place = begin = 0
        for count, left in self._slices(compiled, part, first):
            place += count
            end = int(ends[place - 1])
            yield end, left, int(sizes[begin:end].sum()) - int(sizes[left].sum())
            begin = end
        if not place and part.count:
            yield part.count, [], int(sizes[: part.count].sum())

    @staticmethod
    def _slices(
        compiled: compiling.Compiled | None, part: planning.Part, first: int
    ) -> Iterator[tuple[int, list[int]]]:
        """How many of the games to be searched were, and which of them are left."""
        numbers = part.numbers
        if compiled is None:
            for start in range(0, len(numbers), _BLOCK):
                block = numbers[start : start + _BLOCK]
                yield len(block), block.tolist()
            return
        for found in compiled.scan(
            part.asked, numbers, before=first, most=1, facts=part.facts, seconds=_SLICE_SECONDS
        ):
            yield found.games, sorted({*(found.hits >> 32).tolist(), *found.doubtful.tolist()})

    def _put(self, chunk: Chunk) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._unwanted or len(self._chunks) < _MOST_WAITING)
            if self._unwanted:
                raise _UnwantedError
            self._chunks.append(chunk)
            self._changed.notify_all()


class _UnwantedError(Exception):
    """Nobody waits for the rest."""


INTERPRETER: Final = Plan(None, "the interpreter was asked for")

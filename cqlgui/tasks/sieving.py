"""Passes over the games in which a compiled query finds nothing, in a thread beside the search."""

from __future__ import annotations

import collections
import functools
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from cqlgui.base import errors
from cqlgui.cql import diagnostics, transforms
from cqlgui.db import headers
from cqlgui.engine import compiling, games, lowering, replay
from cqlgui.store import index
from cqlgui.tasks import hosts, model, workspace

_SLICE_SECONDS: Final = 0.015
_PATIENCE_SECONDS: Final = 0.05
_BLOCK: Final = 1_000
"""Games whose headers are fetched together."""
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

    @property
    def engine(self) -> str:
        """As results name it."""
        return "compiled" if self.compiled is not None and self.compiled.wholly else "interpreted"


def plan(expanded: transforms.Expanded) -> Plan:
    """Compile a query as far as that goes."""
    assert expanded.query is not None
    wanted = expanded.query.header.matchcount
    if wanted is not None and (wanted.count or (isinstance(wanted.low, int) and wanted.low <= 0)):
        return Plan(None, "games without a match count too")
    found = compiling.compile_query(expanded)
    if isinstance(found, lowering.Unsupported):
        return Plan(None, found.reason, found.span)
    if found.wholly:
        return Plan(found, "")
    reasons = dict.fromkeys(one.reason for one in found.unsupported)
    return Plan(found, "; ".join(reasons), found.unsupported[0].span)


class Sieve:
    """The thread and what it found; a context manager. Where it stops early the rest of the games is left to
    the interpreter."""

    def __init__(self, compiled: compiling.Compiled, listed: Sequence[model.Source]) -> None:
        self._compiled = compiled
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
        named = functools.cache(lambda: workspace.catalog().named_count(source.id))
        with index.SourceIndex.open(workspace.index_folder(source.path)) as opened:
            for first, segment in opened.parts:
                self._sift_part(place, first, games.of_segment(segment), source, named)

    def _sift_part(
        self, place: int, first: int, asked: games.Games, source: model.Source, named: Callable[[], int]
    ) -> None:
        """The games of one segment, as far as the base knows them."""
        compiled = self._compiled
        sizes = asked.whole if compiled.mode & replay.VARIATIONS else asked.mainline
        numbers = games.everything(asked)[: max(source.games - first, 0)]
        asker = compiled.asker()
        width = 2 * len(compiled.facts)
        facts = np.zeros(width * len(asked), np.uint64)
        for start in range(0, len(numbers), _BLOCK):
            block = numbers[start : start + _BLOCK]
            if width:
                listed = _hosts(source, first + start, len(block), named)
                facts[width * start : width * (start + len(block))] = asker.table(listed)
            begin = start
            for found in compiled.scan(
                asked, block, before=first, most=1, facts=facts, seconds=_SLICE_SECONDS
            ):
                end = begin + found.games
                left = sorted({*(found.hits >> 32).tolist(), *found.doubtful.tolist()})
                passed = int(sizes[begin:end].sum()) - int(sizes[left].sum())
                self._put(Chunk(place, first + begin, first + end, [first + game for game in left], passed))
                begin = end

    def _put(self, chunk: Chunk) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._unwanted or len(self._chunks) < _MOST_WAITING)
            if self._unwanted:
                raise _UnwantedError
            self._chunks.append(chunk)
            self._changed.notify_all()


class _HeaderHost(hosts.BareHost):
    """A game of which the header is known."""

    def __init__(self, ordinal: int, header: headers.Header | None, count: Callable[[], int]) -> None:
        """`count` tells the number of games."""
        self.gamenumber = ordinal + 1
        self._count = count
        self._header = header
        self._tags: dict[str, str] | None = None

    @property
    def game_count(self) -> int:  # type: ignore[override]  # a source has some
        """Games of the source with a White tag, as `hosts.GameHost` tells it."""
        return self._count()

    @property
    def result(self) -> str | None:  # type: ignore[override]  # a game has one
        """The result at the end of the text, else the tag's, as `hosts.GameHost` tells it."""
        return (self._header.ending if self._header else None) or self.tag("Result")

    def tag(self, name: str) -> str | None:
        """A tag's text."""
        if self._tags is None:
            self._tags = headers.to_tags(self._header) if self._header else {}
        return self._tags.get(name)


def _hosts(source: model.Source, first: int, count: int, named: Callable[[], int]) -> list[_HeaderHost]:
    """What is known of a row of games without their text; `named` tells how many games have a White tag."""
    known = workspace.catalog().headers(source.id, range(first, first + count))
    return [_HeaderHost(ordinal, known.get(ordinal), named) for ordinal in range(first, first + count)]


class _UnwantedError(Exception):
    """Nobody waits for the rest."""


INTERPRETER: Final = Plan(None, "the interpreter was asked for")

"""Searches games with a compiled query, in threads beside the thread that takes the results.

If only the hits of a query are wanted, they come straight from this module (`Straight`). If a search must
return more than hits, this module excludes games without a match, and the interpreter takes the other games.
"""

from __future__ import annotations

import functools
import os
import threading
import time
from collections.abc import Callable, Generator, Sequence
from typing import Any, Final

import numpy as np

from cqlgui.base import errors, priority, progress
from cqlgui.base.data import dataclass
from cqlgui.cql.ast import nodes, nodes_facts, nodes_studies, nodes_tree
from cqlgui.cql.ast.types import Type
from cqlgui.cql.interpreting.expressions import closures
from cqlgui.cql.source import diagnostics
from cqlgui.cql.transforming import transforms
from cqlgui.engine import compiling
from cqlgui.engine.facts import patience
from cqlgui.engine.lowering.scope import Unsupported
from cqlgui.engine.passes import detail_pass, orbit_pass
from cqlgui.engine.pruning import pruner
from cqlgui.engine.replaying import scanning
from cqlgui.tasks.asking import queries
from cqlgui.tasks.databases import sources, tags
from cqlgui.tasks.processes import frames
from cqlgui.tasks.results import base_model, hit_model, search_model
from cqlgui.tasks.results import found as found_module
from cqlgui.tasks.results.found import Columns, Integers
from cqlgui.tasks.search import planning, speaking

_SLICE_SECONDS: Final = 0.01
_FIRST_SLICE: Final = 1
"""Number of games in the first slice. The time for this slice shows how long a game takes."""
_GROWTH: Final = 16
"""The number of games may grow at most by this factor from one slice to the next."""
_LARGEST_SLICE: Final = 4_096
_LAST_SLICE: Final = 256
"""Number of games in the last slices. The last slices are small, so that no thread has to wait long for
another thread."""
_TOGETHER: Final = 32
"""A thread takes up to this number of slices at once while they have fewer games than one slice should."""
_LITTLE: Final = 8
"""If slices have on average less than this part of the games that one slice should have, they are searched
before the next slices are planned. Two threads of which each does a little at a time hinder each other more
than they help: only one of them at a time runs Python code."""
_PATIENCE_SECONDS: Final = 0.05
_BLOCK: Final = 1_000
"""Number of games that are handed out together if there is no compiled query."""
_MOST_WAITING: Final = 64
"""While this many chunks wait to be taken, the threads pause."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Games `begin` to `end` - 1 (from 0) of a source. `left` are the games that are left to the interpreter.
    `columns` has the hits of the other games. `passed` is the number of the other games that were searched,
    and `passed_positions` is the number of their positions."""

    place: int
    begin: int
    end: int
    left: list[int]
    columns: Columns
    passed: int
    passed_positions: int
    told: dict[int, hit_model.GameHits]
    """Games with their details and comments, by base ordinal. `columns` does not have the hits of these
    games."""
    places: dict[int, list[int]]
    """The positions to be interpreted, for some games in `left`. In games without an entry, all positions are
    interpreted."""
    replies: Sequence[tuple[list[int], frames.Envelope]] = ()
    """What workers of another computer answered about games in `left`: the games, and the answer."""
    lost: Sequence[tuple[int, str]] = ()
    """The games in `left` that ended such a worker, each with the reason."""
    written: search_model.HitFile | None = None
    """The file with the hits of these games, if whoever searched them has written it. The chunk then has no
    hits."""


@dataclass(frozen=True, slots=True)
class Straight:
    """Makes hits from the results of the compiled query. `header` has the conditions of the query's header.
    `orbit_pass` is set if the query has outermost transforms. With `detail_pass`, the hits also get their
    details. A plan has a `detail_pass` if all searches need it."""

    header: nodes.Header
    orbit_pass: orbit_pass.OrbitPass | None
    detail_pass: detail_pass.DetailPass | None = None
    defaults: found_module.GameDefaults | None = None
    """The facts that are needed for comments that come as events (`DetailPass.speaks`)."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How a query is searched: compiled wholly, in part, or not (`compiled` is None). `reason` says why the
    query is not compiled wholly."""

    compiled: compiling.Compiled | None
    reason: str
    span: diagnostics.Span | None = None
    """The place of the first part that was not compiled."""
    planner: planning.Planner | None = None
    """Decides which games must be searched; None if all games must be interpreted."""
    straight: Straight | None = None
    """Set if hits can be listed without the interpreter."""
    separable: bool = False
    """Whether the interpreter may evaluate only the hits of a game. This is allowed if an evaluation of the
    whole game would give the same results at the hits."""

    @property
    def engine(self) -> str:
        """The name of the engine in results."""
        return "compiled" if self.compiled is not None and self.compiled.wholly else "interpreted"


def plan(
    expanded: transforms.Expanded, *, pruned: bool = True, cancel: progress.CancelToken | None = None
) -> Plan:
    """Compile a query as far as possible. If `pruned` is false, the search visits every game. Raises
    `errors.Cancelled` between the steps of the work. Each step may take a tenth of a second for a large
    orbit."""
    token = cancel or progress.CancelToken()
    assert expanded.query is not None
    wanted = expanded.query.header.matchcount
    if wanted is not None and not wants_hits(wanted):
        return Plan(None, "games without a match count too")
    found = compiled(expanded)
    token.raise_if_cancelled()
    if isinstance(found, Unsupported):
        passes_over = pruned and pruner.stand_alone(expanded.query)
        planner = planning.Planner(expanded) if passes_over else None
        return Plan(None, found.reason, found.span, planner)
    planner = planning.Planner(expanded, found.facts, pruned=pruned)
    token.raise_if_cancelled()
    if found.wholly:
        return Plan(found, "", None, planner, _straight(expanded, found), _separable(expanded.query, found))
    reasons = dict.fromkeys(one.reason for one in found.unsupported)
    separable = _separable(expanded.query, found)
    return Plan(found, "; ".join(reasons), found.unsupported[0].span, planner, separable=separable)


@functools.lru_cache(maxsize=2)
def compiled(expanded: transforms.Expanded) -> compiling.Compiled | Unsupported:
    """A query's machine code. The last results are cached, like the results of `queries.expanded`."""
    return compiling.compile_query(expanded)


def _straight(expanded: transforms.Expanded, compiled: compiling.Compiled) -> Straight | None:
    """The object that makes hits straight from the results of the engine. None if the interpreter must find
    messages or matching elements."""
    query = expanded.query
    assert query is not None
    if any(isinstance(node, nodes_facts.Message) for node in nodes.walk(query.body)):
        return None
    told = compiled.orbit_pass()
    if not queries.sorts_games(query) and (told is not None or not expanded.orbits):
        return Straight(query.header, told)
    # Only the details have the matching elements, or the sort keys.
    asking = compiled.detail_pass()
    return None if isinstance(asking, Unsupported) else Straight(query.header, told, asking)


def _separable(query: nodes.Query, compiled: compiling.Compiled) -> bool:
    """Whether each hit can be interpreted alone: nothing is counted or compared over a whole game, and
    nothing is written where the query fails. The second part assumes `Settings.smart_comments`."""
    whole = query.header.sort_matchcount or query.header.matchcount is not None
    lasting = any(isinstance(node, _LASTING) for node in nodes.walk(query.body))
    return compiled.steady and not whole and not lasting


_LASTING: Final = (
    nodes.Sort,
    nodes_facts.SetTag,
    nodes_facts.RemoveComment,
    nodes_studies.StudySort,
    nodes_tree.ConsecutiveMoves,
)
"""Filters that compare results over a whole game, and filters with an effect that remains even if the query
fails at the position."""


def wants_hits(matchcount: nodes.Range) -> bool:
    """Whether the header's `matchcount` requires at least one hit in a game."""
    return not matchcount.count and isinstance(matchcount.low, int) and matchcount.low > 0


class Sieve:
    """A context manager with the searching threads and their results, in game order. If the threads stop
    early, the interpreter takes the remaining games. `within` are the base ordinals to search, ascending;
    None for all games."""

    def __init__(
        self,
        chosen: Plan,
        listed: Sequence[base_model.Source],
        straight: Straight | None = None,
        *,
        threads: int | None = None,
        within: Integers | None = None,
    ) -> None:
        assert chosen.planner is not None
        self._chosen = chosen
        self._planner = chosen.planner
        self._sources = listed
        self._straight = straight
        self._within = within
        self.fault: errors.CqlguiError | None = None
        """The error that ended the threads early."""
        self.left_out: Sequence[str] = ()
        self.at_work = False
        self.notices: Sequence[str] = ()
        """The threads leave nothing out, and have nothing to tell (`scheduling.Chunks`)."""
        self._chunks: dict[int, Chunk] = {}
        self._changed = threading.Condition()
        self._tasks = self._slices()
        self._feeding = threading.Lock()
        self._given = 0
        self._taken = 0
        # The number of the first slice that will never be finished.
        self._end: int | None = None
        self._size = _FIRST_SLICE
        # The event is a separate object, because a reference to the event may be cached for longer than the
        # sieve is used. A cached reference to the sieve itself would keep the compiled code in memory.
        self._unwanted = threading.Event()
        count = max(1, threads or os.cpu_count() or 1)
        self._running = count
        # The threads are daemons, because the caller does not wait for a slice with a giant game to end.
        self._threads = [
            threading.Thread(target=self._run, name=f"sieve-{number}", daemon=True) for number in range(count)
        ]

    def __enter__(self) -> Sieve:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.dismiss()
        limit = time.monotonic() + _PATIENCE_SECONDS
        for thread in self._threads:
            thread.join(max(0.0, limit - time.monotonic()))

    def dismiss(self) -> None:
        """Let the threads end as soon as they can, without waiting for them."""
        with self._changed:
            self._unwanted.set()
            self._changed.notify_all()

    def take(self, seconds: float) -> Chunk | None:
        """The next chunk, in game order. None if no chunk comes within `seconds`, or if there are no more
        chunks."""
        with self._changed:
            self._changed.wait_for(lambda: self._taken in self._chunks or self._is_over, seconds)
            chunk = self._chunks.pop(self._taken, None)
            if chunk is not None:
                self._taken += 1
                self._changed.notify_all()
            return chunk

    @property
    def exhausted(self) -> bool:
        """Whether all chunks were taken and no further chunk will come."""
        with self._changed:
            return self._taken not in self._chunks and self._is_over

    @property
    def _is_over(self) -> bool:
        return (self._end is not None and self._taken >= self._end) or not self._running

    def _run(self) -> None:
        number = -1
        try:
            while True:
                with self._feeding:
                    number, tasks = self._planned()
                    games = sum(len(task.numbers) for task in tasks)
                    is_little = games * _LITTLE < self._size * len(tasks)
                    if is_little:
                        self._search(number, tasks)
                if not tasks:
                    return
                if not is_little:
                    self._search(number, tasks)
        except errors.CqlguiError as fault:
            self._note(fault)
            with self._changed:
                self._stop_at(number)
        finally:
            with self._changed:
                self._running -= 1
                if not self._running:
                    # If the search stopped early, the generator still holds an index open. Other programs may
                    # have to replace the files of that index.
                    self._tasks.close()
                if self._given > self._taken and self._end is None:
                    # If a bug ended this thread, its chunk will not come. The caller must not wait for this
                    # chunk.
                    self._stop_at(number)
                self._changed.notify_all()

    def _search(self, number: int, tasks: Sequence[Slice]) -> None:
        """Search several slices. `number` is the number of the first one."""
        for place, task in enumerate(tasks, number):
            priority.pause()
            started = time.perf_counter()
            chunk = scan_part(self._chosen, task, self._straight, self._within, self._unwanted.is_set)
            spent = max(time.perf_counter() - started, 1e-6)
            with self._changed:
                self._chunks[place] = chunk
                wished = int(max(len(task.numbers), 1) * _SLICE_SECONDS / spent)
                self._size = max(1, min(wished, _GROWTH * self._size, _LARGEST_SLICE))
                if task is tasks[-1]:
                    # Waking the caller for each small slice takes longer than searching it.
                    self._changed.notify_all()

    def _planned(self) -> tuple[int, list[Slice]]:
        """The next slices, and the number of the first one; no slices if there are no more. Slices with few
        games are taken together, because handing over to another thread takes longer than searching them. The
        caller holds `_feeding`."""
        tasks: list[Slice] = []
        games = 0
        # Planning a segment may take a while. Planning holds only the lock `_feeding`. Threads that wait for
        # `_changed` therefore need not wait for planning.
        with self._changed:
            self._changed.wait_for(lambda: self._unwanted.is_set() or self._room > 0)
            begin = self._given
        while len(tasks) < _TOGETHER and games < self._size and self._room > 0:
            with self._changed:
                wanted = not self._unwanted.is_set() and self._end is None
            priority.pause()
            try:
                task = next(self._tasks, None) if wanted else None
            except errors.CqlguiError as fault:
                self._note(fault)
                task = None
            with self._changed:
                if task is None:
                    self._stop_at(self._given)
                    break
                self._given += 1
            tasks.append(task)
            games += len(task.numbers)
        return begin, tasks

    def _note(self, fault: errors.CqlguiError) -> None:
        """Keep an error. It is not reported here: the interpreter later opens the same source, gets the same
        error and reports it."""
        # The traceback would keep the compiled code in memory.
        self.fault = fault.with_traceback(None)

    @property
    def _room(self) -> int:
        """The number of slices that may be handed out now."""
        return _MOST_WAITING - (self._given - self._taken)

    def _stop_at(self, number: int) -> None:
        self._end = number if self._end is None else min(self._end, number)

    def _wants(self, source: base_model.Source, begin: int, end: int) -> bool:
        """Whether one of the games `begin` to `end` - 1 of a source is to be searched."""
        if self._within is None:
            return True
        low, high = np.searchsorted(self._within, [source.first + begin, source.first + end]).tolist()
        return bool(low < high)

    def _slices(self) -> Generator[Slice]:
        """All games, in slices. The size of each slice depends on the speed of the search so far. Only one
        thread at a time uses this generator."""
        remaining = sum(source.games for source in self._sources)
        for place, source in enumerate(self._sources):
            if not self._wants(source, 0, source.games):
                continue
            wanted = functools.partial(self._wants, source)
            with sources.indexed(source) as opened:
                # Games at the end may have been added after the base was opened. The catalog may not have
                # their rows yet. A part of a published base that cannot be read may be left out.
                listed = opened.parts_among(0, source.games, wanted)
                for first, part in self._planner.parts(source, listed, self._unwanted.is_set):
                    numbers = part.numbers
                    if self._within is not None:
                        numbers, _ = part.among(self._within, source.first + first)
                    begin, at = 0, 0
                    while begin < part.count:
                        shared = max(remaining // len(self._threads), _LAST_SLICE)
                        last = min(
                            at + (min(self._size, shared) if self._chosen.compiled else _BLOCK), len(numbers)
                        )
                        # The slice reaches up to the next game that may match. The excluded games before that
                        # game belong to the slice.
                        end = int(numbers[last]) if last < len(numbers) else part.count
                        yield Slice(place, source, first, part, numbers[at:last], begin, end)
                        remaining -= end - begin
                        begin, at = end, last


@dataclass(frozen=True, slots=True)
class Slice:
    """Games `begin` to `end` - 1 of a segment. `numbers` are the games of the slice that are to be searched.
    `first` is the ordinal, in the source, of the segment's first game."""

    place: int
    source: base_model.Source
    first: int
    part: planning.Part
    numbers: Integers
    begin: int
    end: int


def scan_part(
    chosen: Plan,
    task: Slice,
    straight: Straight | None,
    within: Integers | None,
    is_over: Callable[[], bool] = patience.never,
) -> Chunk:
    """Search a slice with the compiled query. `within` are the base ordinals to search, ascending; None for
    all games. Raises `errors.Cancelled` once `is_over` returns True."""
    assert chosen.planner is not None
    asked, before, numbers = task.part.asked, task.source.first + task.first, task.numbers
    hits: list[Integers] = []
    left: set[int] = set()
    if chosen.compiled is None:
        left.update(numbers.tolist())
    elif len(numbers):
        for found in chosen.compiled.scan(
            asked,
            numbers,
            before=task.first,
            most=scanning.ALL_HITS if straight or chosen.separable else 1,
            facts=task.part.facts,
            slice_size=len(numbers),
        ):
            if is_over():
                raise errors.Cancelled
            hits.append(found.hits)
            left.update(found.doubtful.tolist())
    every: Integers = np.concatenate(hits) if hits else np.zeros(0, np.int64)
    columns = found_module.NOTHING
    told: dict[int, hit_model.GameHits] = {}
    places: dict[int, list[int]] = {}
    if straight is None:
        left.update((every >> found_module.GAME_SHIFT).tolist())
        if chosen.separable:
            places = found_module.places(every + (task.first << found_module.GAME_SHIFT))
    elif len(every):
        columns = _columns(task, straight, every, left, told, before)
    lengths = task.part.lengths
    passed = lengths[task.begin : task.end]
    if within is not None:
        low, high = np.searchsorted(within, [before + task.begin, before + task.end]).tolist()
        passed = lengths[within[low:high] - before]
    remaining = sorted(left)
    count = len(passed) - len(remaining)
    return Chunk(
        task.place,
        task.first + task.begin,
        task.first + task.end,
        [task.first + game for game in remaining],
        columns,
        count,
        count + int(passed.sum(dtype=np.int64)) - int(lengths[remaining].sum(dtype=np.int64)),
        told,
        places,
    )


def _columns(
    task: Slice,
    straight: Straight,
    hits: Integers,
    left: set[int],
    told: dict[int, hit_model.GameHits],
    base: int,
) -> Columns:
    """The hits as columns of a result. If the orbit pass cannot find the matching elements in a game, the
    game is added to `left`."""
    hits = hits[_admitted(task, straight.header, hits)]
    if straight.detail_pass is not None:
        found = detailed(
            straight.detail_pass, task.part, hits, straight.defaults, before=task.first, base=base
        )
        left.update(found.doubtful)
        told.update(found.told)
        return found.columns
    matched = None
    if straight.orbit_pass is not None and len(hits):
        matched = straight.orbit_pass.tell(task.part.asked, hits, before=task.first, facts=task.part.facts)
        left.update(matched.doubtful.tolist())
    numbered = hits + (base << found_module.GAME_SHIFT)
    if matched is None:
        return Columns(numbered, found_module.no_ends(len(hits)), found_module.NOTHING.codes)
    columns = Columns(numbered, matched.ends, matched.codes)
    if len(matched.doubtful):
        columns = columns.take(~np.isin(hits >> found_module.GAME_SHIFT, matched.doubtful))
    return columns


def _admitted(task: Slice, header: nodes.Header, hits: Integers) -> found_module.Mask:
    """A mask of the hits in admitted games. The header admits a game by its number, its result and its
    number of hits."""
    if header.gamenumber is None and header.matchcount is None and not header.results:
        return np.ones(len(hits), np.bool_)
    found = hits >> found_module.GAME_SHIFT
    listed, places, counts = np.unique(found, return_inverse=True, return_counts=True)
    good = np.ones(len(listed), np.bool_)
    results = None
    if header.results:
        results = tags.SegmentTags(task.source, task.first, len(task.part.asked)).result
    for at, (game, count) in enumerate(zip(listed.tolist(), counts.tolist(), strict=True)):
        number = task.first + game + 1
        good[at] = (
            (header.gamenumber is None or closures.constant_range(header.gamenumber, number))
            and (header.matchcount is None or closures.constant_range(header.matchcount, count))
            and (
                results is None
                or all(results.values[results.codes[game]] == result for result in header.results)
            )
        )
    admitted: found_module.Mask = good[places]
    return admitted


@dataclass(frozen=True, slots=True)
class Details:
    """Hits with their details: as columns, or as whole games (`told`) where columns cannot hold them. For the
    games in `doubtful`, the interpreter must find the details. The numbers in `doubtful` count the games of a
    part from 0."""

    columns: Columns
    told: dict[int, hit_model.GameHits]
    doubtful: list[int]


def detailed(
    asking: detail_pass.DetailPass,
    part: planning.Part,
    hits: Integers,
    defaults: found_module.GameDefaults | None,
    *,
    before: int,
    base: int,
) -> Details:
    """The details of hits in games of a part. `before` is the number of games before the part in its source.
    `base` is the number of games before the part in the whole base. `defaults` are needed if the query's
    comments come as events (`DetailPass.speaks`).
    """
    found = asking.tell(part.asked, hits, before=before, facts=part.facts)
    values: Any = found.values
    if asking.valued is Type.STRING:
        values = _texts(found.values, part.texts if asking.value_texts is None else asking.value_texts)
    spoken = None
    if asking.speaks:
        assert defaults is not None
        spoken = speaking.notes(asking, found, hits, defaults, part)
    notes, ends = (None, None) if spoken is None else spoken
    details = found_module.HitDetails(asking.valued, values, found.squares, found.marks, notes, ends)
    numbered = hits + (base << found_module.GAME_SHIFT)
    columns = Columns(numbered, found.ends, found.codes, details)
    told: dict[int, hit_model.GameHits] = {}
    doubtful = found.doubtful.tolist()
    if asking.speaks and spoken is None and len(columns):
        assert defaults is not None
        told = speaking.told(asking, found, columns, defaults, part, base)
        columns = found_module.NOTHING
        for game in doubtful:
            told.pop(base + game, None)
    elif doubtful:
        columns = columns.take(~np.isin(hits >> found_module.GAME_SHIFT, found.doubtful))
    return Details(columns, told, doubtful)


def _texts(numbers: Integers, texts: Sequence[str]) -> Any:
    """The texts with some numbers, in an array of objects. The text is None for `detail_pass.NO_VALUE`."""
    made = np.full(len(numbers), None, object)
    known = numbers != detail_pass.NO_VALUE
    if known.any():
        # A thread that plans another segment may add texts at any time.
        kept = list(texts)
        listed = np.empty(len(kept), object)
        listed[:] = kept
        made[known] = listed[numbers[known]]
    return made


INTERPRETER: Final = Plan(None, "the interpreter was asked for")

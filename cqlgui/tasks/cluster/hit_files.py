"""Searches whose hits are written as Parquet files by those who find them: workers of a cluster, or threads.

    hits-0000000001.parquet   the rows of the hits in the games of a task, which begins with game 1
    hits-0000080001.parquet   those of the next task: the names sort in game order
    _unfinished               names the search while it runs, so that each worker knows the folder
    _complete.json            the query, numbers and the list of the files; written last

Only numbers come back, so there may be more hits than one computer can hold. A folder without `COMPLETE` has
not all hits. Each of its Parquet files is whole all the same, and its footer has the numbers of games and
hits.
"""

from __future__ import annotations

import collections
import io
import itertools
import json
import os
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent import futures
from types import TracebackType
from typing import Final

import numpy as np

from cqlgui.base import errors, plurals
from cqlgui.base import progress as progress_module
from cqlgui.base.data import dataclass, replace
from cqlgui.cql.interpreting import interpreter
from cqlgui.cql.interpreting.runtime import memory
from cqlgui.store import places
from cqlgui.tasks.asking import queries
from cqlgui.tasks.cluster import versions
from cqlgui.tasks.export import exporting, hit_table
from cqlgui.tasks.export.formats import arrow_files
from cqlgui.tasks.results import base_model, hit_model, search_model
from cqlgui.tasks.results.found import NOTHING
from cqlgui.tasks.search import hit_details, scheduling, searching, sieving

COMPLETE: Final = "_complete.json"
_UNFINISHED: Final = "_unfinished"
_GAMES: Final = "cqlgui.games"
_HITS: Final = "cqlgui.hits"
_ENDING: Final = arrow_files.PARQUET
_TAKE_SECONDS: Final = 0.05
_PARTS: Final = 8
"""Maximum number of segments that a thread searches for one file. A segment has about ten thousand games."""
_WAITING: Final = 2
"""Number of tasks for each thread that are handed out at the same time."""


def write(
    base: base_model.Base,
    text: str,
    options: search_model.SearchOptions,
    place: str,
    *,
    rows: hit_table.Rows = hit_table.Rows.HITS,
    normalise: bool = False,
    scheduler: scheduling.Scheduler | None = None,
    cancel: progress_module.CancelToken | None = None,
    progress: progress_module.ProgressSink = progress_module.ignore,
    on_messages: Callable[[Sequence[hit_model.QueryMessage]], None] | None = None,
) -> search_model.HitsReport:
    """Search a base, and let those who search write the rows of the hits into `place`: a folder that all of
    them see under this name, or an address (`places.spelt`).

    The files together have the rows, in game order, that `exporting.export` writes to one Parquet file. By
    default the threads of this process search. If the search is cancelled, stops or fails, the files of
    finished tasks stay, and `COMPLETE` is missing. The report then has the files that stand there, also if
    nobody told this process of them. `on_messages` gets the messages of the query in game
    order. Raises `CqlguiError` if the place is not empty, if pyarrow is not installed, or if a base or the
    place cannot be used. Raises `Rejected` for a bad query. A query that sorts games, remembers something
    from game to game, or uses files is refused with one of these errors, and so is a limit; nothing is
    written then.
    """
    started = time.perf_counter()
    token = cancel or progress_module.CancelToken()
    expanded = queries.expanded(text, said=hit_details.said(options))
    queries.refuse_files(expanded, reading=False, writing=False)
    job = scheduling.job(base, text, options, expanded, token)
    _refuse(job)
    target = places.Place(place)
    listed = target.names()
    if listed:
        raise errors.CqlguiError(
            f"{place} is not empty: it has {', '.join(listed[:3])}{', ...' if len(listed) > 3 else ''}. Hits "
            "are written into a folder that is empty or does not exist yet."
        )
    output = search_model.HitFolder(place, uuid.uuid4().hex, rows.value, normalise)
    chunks = (scheduler or Threads()).chunks(replace(job, output=output), None)
    assert chunks is not None
    target.write(_UNFINISHED, output.search.encode("ascii"))
    total = sum(source.games for source in job.sources) if options.within is None else len(options.within)
    files: list[search_model.HitFile] = []
    searched = positions = hits = 0
    cancelled = False
    try:
        with chunks:
            while not chunks.exhausted and not (files and files[-1].stopped):
                token.raise_if_cancelled()
                chunk = chunks.take(_TAKE_SECONDS)
                if chunk is None:
                    continue
                searched, positions = searched + chunk.passed, positions + chunk.passed_positions
                # A part that was left out has no file.
                if chunk.written is not None:
                    files.append(chunk.written)
                    hits += chunk.written.hits
                    if on_messages is not None and chunk.written.messages:
                        on_messages(chunk.written.messages)
                progress(progress_module.Progress(searched, total, f"{hits} hits in {len(files)} files"))
    except errors.Cancelled:
        cancelled = True
    except errors.CqlguiError as error:
        kept = _left_behind(target, files, at_work=chunks.at_work)
        if kept is not None and kept.files:
            raise type(error)(f"{error} The hits in {place} are not complete: {kept.words}.") from error
        raise
    report = search_model.HitsReport(
        place=place,
        games=sum(file.games for file in files),
        hits=hits,
        games_matched=sum(file.games for file in files),
        positions_matched=hits,
        files=tuple(file.name for file in files if file.name),
        size=sum(file.size for file in files),
        games_searched=searched,
        positions_searched=positions,
        seconds=time.perf_counter() - started,
        engine=job.plan.engine,
        reason=job.plan.reason,
        failed_games=tuple(bad for file in files for bad in file.failed),
        stopped=files[-1].stopped if files else None,
        cancelled=cancelled,
        left_out=(*options.left_out, *chunks.left_out),
        notices=tuple(chunks.notices),
    )
    if report.complete:
        _finish(target, job, report)
        return report
    left = _left_behind(target, files, at_work=chunks.at_work)
    return replace(report, at_least=True) if left is None else left.told(report)


def _refuse(job: scheduling.Job) -> None:
    """Raise `CqlguiError` for a search whose files would not have the hits, or the order, of the search."""
    if job.options.limit is not None:
        raise errors.CqlguiError(
            "A limit of games does not go with a folder of hits: who searches does not know how many games "
            "match elsewhere. Write so few hits to one file."
        )
    # A large program takes a while to make. Machine code that finds all details knows how games are sorted.
    program = None
    if job.straight is None or job.plan.engine != "compiled":
        program = interpreter.Program(job.expanded, job.said)
    asking = None if job.straight is None else job.straight.detail_pass
    if (program is not None and program.sort_specs) or (asking is not None and asking.specs):
        raise errors.CqlguiError(
            "The query sorts games, and a folder of hits has them in game order. Leave the sorting out, or "
            "write the hits to one file."
        )
    if program is not None and job.plan.engine != "compiled" and program.sequential:
        raise errors.CqlguiError(
            "The query remembers something from game to game, so its games cannot be searched apart from "
            "each other. Write the hits to one file."
        )


def _finish(target: places.Place, job: scheduling.Job, report: search_model.HitsReport) -> None:
    """Write `COMPLETE`. Raises `CqlguiError` if a file is missing."""
    there = set(target.names())
    missing = [name for name in report.files if name not in there]
    if missing:
        raise errors.CqlguiError(
            f"{missing[0]} is missing in {target.name}, though it was written. All computers must see the "
            "same folder under this name."
        )
    # A worker that was taken for dead may have written games that others were given.
    for name in there.difference(report.files):
        if name.endswith(_ENDING):
            target.remove(name)
    words = {
        "query": job.text,
        "variations": job.options.variations,
        "games": report.games,
        "hits": report.hits,
        "games_searched": report.games_searched,
        "failed_games": [[bad.game, bad.reason] for bad in report.failed_games],
        "left_out": report.left_out,
        "sources": [
            {"file": str(source.path), "first": source.first, "games": source.games, "digest": source.digest}
            for source in job.sources
        ],
        "files": report.files,
    }
    target.sweep()
    target.write(COMPLETE, json.dumps(words, indent=1).encode("ascii"))
    target.remove(_UNFINISHED)


@dataclass(frozen=True, slots=True)
class _Left:
    """The files that a search left behind, and what is in them. With `at_least`, more may come."""

    files: tuple[str, ...]
    games: int
    hits: int
    size: int
    at_least: bool

    @property
    def words(self) -> str:
        """What is in the files, in words."""
        count = len(self.files)
        what = f"{plurals.games(self.games)}, {plurals.hits(self.hits)} in {count} "
        return f"{'at least ' if self.at_least else ''}{what}{'file' if count == 1 else 'files'}"

    def told(self, report: search_model.HitsReport) -> search_model.HitsReport:
        """The report about these files."""
        return replace(
            report,
            files=self.files,
            games=self.games,
            hits=self.hits,
            size=self.size,
            at_least=self.at_least,
        )


def _left_behind(
    target: places.Place, told: Sequence[search_model.HitFile], *, at_work: bool
) -> _Left | None:
    """What a search has left behind that did not come to its end. What it has not finished is removed. `told`
    are the files that are known. With `at_work`, somebody may be writing still. None if the place cannot be
    read."""
    known = {file.name: file for file in told}
    found: list[tuple[str, int, int, int]] = []
    try:
        # Whoever has not begun to write a file does not write it any more.
        target.remove(_UNFINISHED)
        target.sweep()
        for name in target.names():
            if not name.endswith(_ENDING):
                continue
            file = known.get(name)
            if file is None:
                data = target.read(name)
                notes = arrow_files.notes_of(io.BytesIO(data))
                found.append((name, int(notes[_GAMES]), int(notes[_HITS]), len(data)))
            else:
                found.append((name, file.games, file.hits, file.size))
    except (errors.CqlguiError, OSError, ValueError, KeyError):
        return None
    names, games, hits, sizes = zip(*found, strict=True) if found else ((), (), (), ())
    return _Left(tuple(names), sum(games), sum(hits), sum(sizes), at_work)


def chunk(
    base: base_model.Base,
    text: str,
    options: search_model.SearchOptions,
    begin: int,
    end: int,
    output: search_model.HitFolder,
    cancel: progress_module.CancelToken,
) -> sieving.Chunk:
    """Search games `begin` to `end` - 1 (base ordinals) of one source, and write the rows of their hits into
    a file of `output`, as a whole or not at all. `options.within` are those of the games to search; None for
    all of them. Raises `errors.Cancelled`, and `CqlguiError` if the base or the folder cannot be used."""
    target = places.Place(output.place)
    _insist(target, output)
    listed = [source for source in base.sources if source.games]
    place = next(number for number, one in enumerate(listed) if begin < one.first + one.games)
    source = listed[place]
    within = np.arange(begin, end) if options.within is None else options.within
    # A thread or a worker has one task at a time, and the base may have thousands of sources.
    chosen = replace(options, within=within, workers=1, details=search_model.Details.ALL)
    alone = replace(base, sources=(source,))
    result = searching.search(alone, text, chosen, cancel=cancel)
    if result.cancelled:
        raise errors.Cancelled("Stopped.")
    name, data = "", io.BytesIO()
    if result.stopped is None:
        name = f"hits-{begin:010d}{_ENDING}"
        rows = hit_table.Rows(output.rows)
        notes = {_GAMES: str(len(result.games)), _HITS: str(result.positions)}
        exporting.write_parquet(
            alone, result, data, normalise=output.normalise, rows=rows, notes=notes, cancel=cancel
        )
        # The search may have ended since.
        cancel.raise_if_cancelled()
        _insist(target, output)
        target.write(name, data.getvalue())
    file = search_model.HitFile(
        name,
        len(result.games),
        result.positions,
        data.tell(),
        result.failed_games,
        result.messages,
        result.stopped,
    )
    first, passed = source.first, (result.games_searched, result.positions_searched)
    return sieving.Chunk(place, begin - first, end - first, [], NOTHING, *passed, {}, {}, written=file)


def _insist(target: places.Place, output: search_model.HitFolder) -> None:
    """Raise `CqlguiError` if the folder is not that of the search."""
    try:
        found = target.read(_UNFINISHED)
    except FileNotFoundError:
        found = b""
    if found != output.search.encode("ascii"):
        raise errors.CqlguiError(
            f"{output.place} on {versions.here()} is not the folder of this search. All computers must see "
            "the same folder under this name."
        )


class Threads:
    """A `scheduling.Scheduler` for jobs with an `output`: each thread of this process searches some segments
    and writes their hits. Raises `CqlguiError` if pyarrow is not installed."""

    def __init__(self) -> None:
        arrow_files.require()

    def chunks(self, job: scheduling.Job, _remembered: memory.Memory | None) -> scheduling.Chunks:
        """See `scheduling.Scheduler`."""
        return _Chunks(job)


class _Chunks:
    """The chunks of the tasks of threads (`scheduling.Chunks`)."""

    def __init__(self, job: scheduling.Job) -> None:
        self.left_out: Sequence[str] = ()
        self.at_work = False
        self.notices: Sequence[str] = ()
        self._job = job
        self._threads = max(1, job.options.workers or os.cpu_count() or 1)
        self._tasks = collections.deque(_tasks(job, self._threads))
        self._coming: collections.deque[futures.Future[sieving.Chunk]] = collections.deque()
        self._unwanted = progress_module.CancelToken()
        self._pool = futures.ThreadPoolExecutor(self._threads)

    def __enter__(self) -> _Chunks:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.dismiss()
        # A file that is just being written becomes whole.
        self._pool.shutdown(wait=True, cancel_futures=True)

    def dismiss(self) -> None:
        """See `scheduling.Chunks`."""
        self._tasks.clear()
        self._unwanted.cancel()

    @property
    def exhausted(self) -> bool:
        """See `scheduling.Chunks`."""
        return not self._tasks and not self._coming

    def take(self, seconds: float) -> sieving.Chunk | None:
        """See `scheduling.Chunks`. Raises what went wrong in a thread."""
        while self._tasks and len(self._coming) < _WAITING * self._threads:
            self._coming.append(self._pool.submit(self._chunk, *self._tasks.popleft()))
        if not self._coming or not futures.wait([self._coming[0]], seconds).done:
            return None
        return self._coming.popleft().result()

    def _chunk(self, begin: int, end: int) -> sieving.Chunk:
        job = self._job
        assert job.output is not None
        options = replace(job.options, within=scheduling.within(job, begin, end))
        return chunk(job.base, job.text, options, begin, end, job.output, self._unwanted)


def _tasks(job: scheduling.Job, threads: int) -> Iterator[tuple[int, int]]:
    """The first game of each task, and the game after its last one. Each task has games of one source."""
    listed = list(scheduling.parts(job))
    # At the end, every thread should have something to do.
    size = max(1, min(_PARTS, len(listed) // (_WAITING * threads)))
    for _, of_source in itertools.groupby(listed, key=lambda part: part[0]):
        parts = list(of_source)
        for at in range(0, len(parts), size):
            yield parts[at][1], parts[min(at + size, len(parts)) - 1][2]

"""What a worker of a cluster does: it searches some games of a published base, and answers with their hits.

A worker opens no catalog. Machine code searches the games in the worker's own process. Games that machine
code cannot decide are interpreted in a process beside it (`processes.pool`), which may hang or die.
"""

from __future__ import annotations

import collections
import contextlib
import functools
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from cqlgui.base import errors, progress
from cqlgui.base.data import replace
from cqlgui.tasks.asking import queries
from cqlgui.tasks.cluster import messages, versions
from cqlgui.tasks.databases import published, sources
from cqlgui.tasks.processes import frames
from cqlgui.tasks.processes import pool as pool_module
from cqlgui.tasks.results import search_model
from cqlgui.tasks.results.found import NOTHING, Integers
from cqlgui.tasks.search import hit_details, scheduling, sieving

_RECURSION: Final = 20_000
"""As in the other processes that read queries (`search.worker`)."""
_POLL_SECONDS: Final = 0.02
_MOST_KNOWN: Final = 100

_tokens: Final[collections.OrderedDict[str, progress.CancelToken]] = collections.OrderedDict()
"""The searches that this worker heard of last."""
_writing: Final[collections.Counter[str]] = collections.Counter()
"""The number of tasks that write hits now, for each search."""
_lock: Final = threading.Lock()


async def stop(search: str) -> None:
    """Stop the work for a search, also in the midst of a task, and the tasks that come later. Dask calls this
    function in the event loop of each worker, and waits only for functions that are not asynchronous."""
    token(search).cancel()


async def stopped(search: str) -> int:
    """Stop the work for a search. The answer is the number of its tasks that may still write a file."""
    token(search).cancel()
    with _lock:
        return _writing[search]


def token(search: str) -> progress.CancelToken:
    """The token of a search, or of other work that goes by a name."""
    with _lock:
        found = _tokens.setdefault(search, progress.CancelToken())
        _tokens.move_to_end(search)
        while len(_tokens) > _MOST_KNOWN:
            _tokens.popitem(last=False)
        return found


def answer(request: bytes) -> bytes:
    """Search the games of a `messages.Request`. The answer is a `messages.reply`, or an error (`guarded`)."""
    began = time.perf_counter()
    sys.setrecursionlimit(max(sys.getrecursionlimit(), _RECURSION))

    def work(words: dict[str, Any], arrays: dict[str, np.ndarray]) -> bytes:
        asked = messages.Request.of(words, arrays)
        if asked.output is not None:
            return messages.reply([_written(asked, asked.output)], None, time.perf_counter() - began)
        chunks, memory = _searched(asked)
        return messages.reply(chunks, memory, time.perf_counter() - began)

    return guarded(request, work)


def guarded(request: bytes, work: Callable[[dict[str, Any], dict[str, np.ndarray]], bytes]) -> bytes:
    """The answer of `work` to the words and arrays of a request. If something is wrong, the answer is an
    error (`messages.insist`): its kind (`version`, `damaged`, `cancelled` or `other`) and a sentence."""
    try:
        words, arrays = messages.unpacked(request)
        theirs = words.get("versions")
        if theirs != versions.own():
            return _fault(
                "version",
                f"The program that asks is cqlgui {theirs}, and the worker on {versions.here()} has cqlgui "
                f"{versions.own()}. Install the same version on all computers of the cluster.",
            )
        return work(words, arrays)
    except errors.Cancelled:
        return _fault("cancelled", "Stopped.")
    except errors.IndexDamaged as error:
        return _fault("damaged", str(error))
    except errors.CqlguiError as error:
        return _fault("other", str(error))


def _fault(kind: str, sentence: str) -> bytes:
    return messages.packed({"error": kind, "sentence": sentence})


def _written(asked: messages.Request, output: search_model.HitFolder) -> sieving.Chunk:
    """The chunk of the games, whose hits are in a file."""
    # A worker that only answers does not need the modules that write.
    from cqlgui.tasks.cluster import hit_files

    options = replace(asked.options, within=asked.within)
    if asked.plainly:
        options = replace(options, compiled=False)
    with _lock:
        _writing[asked.search] += 1
    try:
        stopped = token(asked.search)
        stopped.raise_if_cancelled()
        base = published.base_of(asked.place, asked.check)
        return hit_files.chunk(base, asked.text, options, asked.begin, asked.end, output, stopped)
    finally:
        with _lock:
            _writing[asked.search] -= 1
            if not _writing[asked.search]:
                del _writing[asked.search]


def _searched(asked: messages.Request) -> tuple[list[sieving.Chunk], Any]:
    """The chunks in game order, and the memory that the query has afterwards."""
    stopped = token(asked.search)
    stopped.raise_if_cancelled()
    options = replace(asked.options, compiled=asked.options.compiled and not asked.plainly)
    job = _job(threading.get_ident(), asked.place, asked.check, asked.text, options)
    stopped.raise_if_cancelled()
    place = next(
        number for number, source in enumerate(job.sources) if asked.begin < source.first + source.games
    )
    within = np.arange(asked.begin, asked.end) if asked.within is None else asked.within
    chunks: list[sieving.Chunk] = []
    memory = asked.memory
    for chunk in _sifted(job, place, within, asked, stopped):
        done = _interpreted(job, chunk, memory, stopped) if chunk.left else chunk
        for _, reply in done.replies:
            memory = reply["memory"]
        chunks.append(done)
    # A bug may have ended the thread that searches.
    first = job.sources[place].first
    assert chunks
    assert (chunks[0].begin, chunks[-1].end) == (asked.begin - first, asked.end - first)
    assert {chunk.place for chunk in chunks} == {place}
    return chunks, memory


@functools.lru_cache(maxsize=8)
def _job(
    _thread: int, place: str, check: str, text: str, options: search_model.SearchOptions
) -> scheduling.Job:
    """The plan of a search, made once for all tasks of a search. A plan belongs to one thread."""
    expanded = queries.expanded(text, said=hit_details.said(options))
    base = published.base_of(place, check)
    return scheduling.job(base, text, options, expanded, progress.CancelToken())


def _sifted(
    job: scheduling.Job,
    place: int,
    within: Integers,
    asked: messages.Request,
    stopped: progress.CancelToken,
) -> Iterator[sieving.Chunk]:
    """The chunks of the games, from the compiled query."""
    first = job.sources[place].first
    if job.plan.planner is None:
        left = (within - first).tolist()
        yield sieving.Chunk(place, asked.begin - first, asked.end - first, left, NOTHING, 0, 0, {}, {})
        return
    with sieving.Sieve(job.plan, job.sources, job.straight, threads=1, within=within) as sieve:
        while not sieve.exhausted:
            stopped.raise_if_cancelled()
            chunk = sieve.take(_POLL_SECONDS)
            if chunk is not None:
                yield chunk
    if sieve.fault is not None:
        raise sieve.fault


def _interpreted(
    job: scheduling.Job, chunk: sieving.Chunk, memory: Any, stopped: progress.CancelToken
) -> sieving.Chunk:
    """The chunk, with the answers of the interpreter about the games that are left. `memory` is what the
    query remembers of earlier games."""
    waiting = list(reversed(chunk.left))
    replies: list[tuple[list[int], frames.Envelope]] = []
    lost: list[tuple[int, str]] = []
    source = sources.words(job.sources[chunk.place])

    def take(size: int) -> list[int]:
        return [waiting.pop() for _ in range(min(size, len(waiting)))]

    def message(games: list[int]) -> frames.Envelope:
        remembered = replies[-1][1]["memory"] if replies else memory
        places = [chunk.places.get(game) for game in games]
        asked = hit_details.request(job.text, job.said, source, games, job.options, places)
        return {**asked, "memory": remembered}

    work = pool_module.Work(
        take=take,
        message=message,
        done=lambda games, reply: replies.append((list(games), reply)),
        lost=lambda game, reason: lost.append((game, reason)),
        undone=lambda reply: len(reply["undone"]),
    )
    with contextlib.ExitStack() as stack:
        crew = stack.enter_context(pool_module.shared().lease(1))
        if not crew.run(work, stopped):
            raise errors.Cancelled("Stopped.")
    return replace(chunk, replies=replies, lost=lost)

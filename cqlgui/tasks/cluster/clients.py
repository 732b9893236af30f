"""Searches on the workers of a Dask cluster (`distributed`).

The games of a published base are handed out in tasks of whole parts, the earliest first. The first tasks have
one part each, so that first hits come soon; later tasks are long enough for the scheduler to keep up. Chunks
are given to the search in game order. `admission` says which schedulers are reached.

No call waits for ever: a scheduler may hang, or be stopped, while its connection stands. What is asked goes
to the thread of Dask (`_asked`), and the thread that searches looks whether the answer is there.
"""

from __future__ import annotations

import asyncio
import bisect
import collections
import contextlib
import functools
import itertools
import logging
import threading
import time
import uuid
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from concurrent import futures
from types import TracebackType
from typing import Any, Final

import dask
import distributed

from cqlgui.base import errors, progress
from cqlgui.base.data import dataclass
from cqlgui.cql.interpreting.runtime import memory
from cqlgui.tasks.cluster import admission, messages, versions, working
from cqlgui.tasks.databases import published
from cqlgui.tasks.results import found as found_module
from cqlgui.tasks.search import scheduling, sieving

_CONNECT_SECONDS: Final = 10.0
_TASK_SECONDS: Final = 0.1
_OVERHEAD_SECONDS: Final = 0.008
"""What a task costs in the scheduler and in this process, reckoned twice. With W workers, a task lasts W
times as long at least, and `_TASK_SECONDS` at least."""
_FILE_SECONDS: Final = 1.0
"""A task lasts so long at least if it writes a file. Small files would be read slowly."""
_WAITING: Final = 2
"""Number of tasks for each worker that are handed out at the same time."""
_FIRST: Final = 1
"""Number of parts in each of the first tasks."""
_LONELY_SECONDS: Final = 60.0
"""How long a search waits while there are no workers."""
_SILENT_SECONDS: Final = 60.0
"""How long a search waits for a scheduler that does not answer."""
_LEAVE_SECONDS: Final = 3.0
"""How long a search that ends waits until its tasks are cancelled, and until it is disconnected."""
_SETTLE_SECONDS: Final = 10.0
"""How long a search that ends waits for the files that are just being written."""
_WATCH_SECONDS: Final = 1.0
"""How often a worker looks whether its task is still wanted."""
_AT_WORK: Final = ("executing", "long-running")
_ENDING: Final = (distributed.Status.closing, distributed.Status.closed, distributed.Status.failed)
_POLL_SECONDS: Final = 0.002
_ANSWER_SECONDS: Final = 0.02
_COUNT_SECONDS: Final = 1.0
"""How often the threads of the cluster are counted. Workers may join and leave."""
_PLAIN_GAMES: Final = 500
"""Number of games that are interpreted together after they ended a worker."""
_CHAIN: Final = (
    "The query remembers something from game to game, so the workers searched one after the other."
)
_NO_CERTIFICATE: Final = (
    "tls:// needs a certificate. Name its files in ~/.config/dask/distributed.yaml (distributed.comm.tls)."
)
_UNREACHED: Final = (OSError, TimeoutError, RuntimeError, futures.CancelledError)
"""What Dask raises if it does not reach the scheduler."""
_log = logging.getLogger(__name__)


class Dask:
    """A `scheduling.Scheduler` that searches published bases on the workers of a cluster; a context manager.

    `address` is that of the scheduler. With `partial`, parts that cannot be read are left out, and the result
    names them. Raises `CqlguiError` if the address is refused, or if nothing answers there, and
    `errors.Cancelled`.
    """

    def __init__(
        self, address: str, *, partial: bool = False, cancel: progress.CancelToken | None = None
    ) -> None:
        admission.admit(address)
        # What goes wrong is an error of this module. Dask would print the tracebacks of its attempts.
        logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
        self.address = address
        self.partial = partial
        try:
            if address.startswith("tls://") and not _has_certificate():
                raise errors.CqlguiError(_NO_CERTIFICATE)
            _greet(address, cancel or progress.CancelToken())
            self._client = distributed.Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError, TypeError, RuntimeError) as error:
            raise errors.CqlguiError(f"No Dask scheduler answers at {address}: {error}.") from error

    def __enter__(self) -> Dask:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Leave the cluster. It goes on running."""
        with contextlib.suppress(*_UNREACHED):
            self._client.close(timeout=_LEAVE_SECONDS)

    @property
    def workers(self) -> int:
        """The number of workers. Raises `CqlguiError` if the scheduler is gone, or does not answer."""
        try:
            return len(_asked(self._client, self._client.scheduler.ncores).result(_CONNECT_SECONDS))
        except TimeoutError as error:
            raise self.silent(_CONNECT_SECONDS) from error
        except _UNREACHED as error:
            raise self.gone() from error

    def chunks(self, job: scheduling.Job, remembered: memory.Memory | None) -> scheduling.Chunks:
        """The chunks of a search. Raises `CqlguiError` if the base is not published, or if the query reads or
        writes files."""
        admission.refuse(job.sources, files=bool(job.options.allow_read or job.options.allow_write))
        return _Chunks(self, self._client, job, remembered)

    def answers(
        self,
        work: Callable[[bytes], bytes],
        requests: Sequence[bytes],
        search: str,
        cancel: progress.CancelToken,
    ) -> Iterator[tuple[int, bytes]]:
        """See `pieces.Cluster`. All requests are handed out at once, the first ones first."""
        with self.errands(work, search, cancel) as errands:
            for request in requests:
                errands.give(request)
            while errands.waiting:
                yield from errands.taken()

    def errands(self, work: Callable[[bytes], bytes], search: str, cancel: progress.CancelToken) -> Errands:
        """See `remote_reading.Cluster`."""
        return Errands(self, self._client, work, search, cancel)

    def gone(self) -> errors.CqlguiError:
        """The error if the scheduler does not answer any more."""
        return errors.CqlguiError(f"The scheduler at {self.address} is gone.")

    def silent(self, seconds: float) -> errors.CqlguiError:
        """The error if the scheduler is there and does not answer."""
        return errors.CqlguiError(
            f"The scheduler at {self.address} has not answered for {seconds:.0f} seconds, so it was left. It "
            "may be stopped or overloaded."
        )

    def failed(self, fault: BaseException) -> errors.CqlguiError:
        """The error for a bug on a worker, or for a worker that died again and again."""
        return errors.CqlguiError(
            f"A worker of {self.address} failed ({type(fault).__name__}: {fault}). cqlgui must be installed "
            "there as it is here."
        )


def _greet(address: str, cancel: progress.CancelToken) -> None:
    """Connect with a scheduler, and disconnect. `distributed.Client` waits for ever for the greeting of a
    program that accepts connections and says nothing. Raises `OSError` and `errors.Cancelled`."""

    async def greet() -> None:
        arguments = distributed.Security().get_connection_args("client")
        greeting = asyncio.ensure_future(
            distributed.comm.connect(address, timeout=_CONNECT_SECONDS, **arguments)
        )
        limit = time.monotonic() + _CONNECT_SECONDS
        while not greeting.done() and time.monotonic() < limit and not cancel.cancelled:
            await asyncio.wait({greeting}, timeout=_ANSWER_SECONDS)
        if greeting.done():
            greeting.result().abort()
            return
        greeting.cancel()
        with contextlib.suppress(asyncio.CancelledError, OSError):
            await greeting
        cancel.raise_if_cancelled()
        raise OSError(f"no answer came within {_CONNECT_SECONDS:.0f} seconds")

    # The thread of the caller may have an event loop of its own.
    with futures.ThreadPoolExecutor(1) as pool:
        pool.submit(lambda: asyncio.run(greet())).result()


def _has_certificate() -> bool:
    """Whether Dask is told how to connect by TLS. Without this test, Dask would fail in the midst of its
    start, and hang when the program ends. Raises `OSError` for files that cannot be read."""
    if dask.config.get("distributed.client.security-loader", None):
        return True
    return distributed.Security().get_connection_args("client")["ssl_context"] is not None


def _asked(client: distributed.Client, question: Callable[[], Awaitable[Any]]) -> futures.Future[Any]:
    """The answer to a question, which is asked in the thread of Dask. Nothing waits for it."""

    async def ask() -> Any:
        return await question()

    # A client that is closed has no loop any more. Its status says so.
    if client.status != "running":
        raise RuntimeError("The client is closed.")
    return asyncio.run_coroutine_threadsafe(ask(), client.loop.asyncio_loop)


def _leave(client: distributed.Client, search: str, running: Sequence[distributed.Future]) -> None:
    """Let the workers stop the tasks of a search. A scheduler that goes away just now has no tasks either."""

    async def leave() -> None:
        await client.run(working.stop, search, wait=False, asynchronous=True)
        await client.cancel(running, asynchronous=True)

    with contextlib.suppress(*_UNREACHED):
        _asked(client, leave).result(_LEAVE_SECONDS)


def _done(work: Callable[[bytes], bytes], search: str, request: bytes) -> bytes:
    """Do a task on a worker. If Dask no longer wants the task, or if the worker is to end, the search is
    stopped: the program that asked is gone, or the scheduler, so nobody else says so."""
    worker = distributed.get_worker()
    key = worker.get_current_task()
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(_WATCH_SECONDS):
            task = worker.state.tasks.get(key)
            is_wanted = task is not None and task.state in _AT_WORK and worker.status not in _ENDING
            # The task may have ended just now.
            if not is_wanted and not ended.is_set():
                working.token(search).cancel()
                return

    threading.Thread(target=watch, name="watch a task", daemon=True).start()
    try:
        return work(request)
    finally:
        ended.set()


class _Pulse:
    """Asks the scheduler again and again how many threads its workers have, and waits for no answer."""

    def __init__(self, cluster: Dask, client: distributed.Client) -> None:
        self._cluster = cluster
        self._client = client
        self._answer: futures.Future[Any] | None = None
        self._threads = 0
        self._heard = self._seen = time.monotonic()
        self._begun = 0.0
        self.is_silent = False
        """Whether the scheduler did not answer for so long that it was given up."""

    def beat(self) -> int:
        """The number of threads, as far as known. Raises `CqlguiError` if the scheduler is gone or does not
        answer, or if there have been no workers for long."""
        if self._client.status != "running":
            raise self._cluster.gone()
        now = time.monotonic()
        if self._answer is None:
            if now - self._begun > (_COUNT_SECONDS if self._threads else _POLL_SECONDS):
                self._begun = now
                self._answer = _asked(self._client, self._client.scheduler.ncores)
        elif self._answer.done():
            self._threads, self._heard = sum(self._answer.result().values()), now
            self._answer = None
        elif now - max(self._heard, self._begun) > _SILENT_SECONDS:
            self.is_silent = True
            raise self._cluster.silent(_SILENT_SECONDS)
        if self._threads:
            self._seen = now
        elif self._answer is None and now - self._seen > _LONELY_SECONDS:
            raise errors.CqlguiError(f"The scheduler at {self._cluster.address} has no workers.")
        return self._threads


class Errands:
    """Work that is handed out piece by piece; a context manager. At its end, what is not done is stopped."""

    def __init__(
        self,
        cluster: Dask,
        client: distributed.Client,
        work: Callable[[bytes], bytes],
        search: str,
        cancel: progress.CancelToken,
    ) -> None:
        self._cluster = cluster
        self._client = client
        self._work = work
        self._search = search
        self._cancel = cancel
        self._pulse = _Pulse(cluster, client)
        self._given = 0
        self._waiting: dict[distributed.Future, int] = {}
        self.threads = 0
        """The number of threads of the workers, as far as known."""

    def __enter__(self) -> Errands:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._waiting and not self._pulse.is_silent:
            _leave(self._client, self._search, list(self._waiting))

    @property
    def waiting(self) -> int:
        """The number of requests that are not answered."""
        return len(self._waiting)

    def give(self, request: bytes) -> int:
        """Hand out a request. Requests that are given first are done first. Returns the number of the
        request, from 0. Raises `CqlguiError` if the scheduler is gone."""
        number = self._given
        self._given += 1
        key = f"cqlgui-{self._search}-{number}"
        try:
            future = self._client.submit(
                _done, self._work, self._search, request, key=key, pure=False, priority=-number
            )
        except _UNREACHED as error:
            raise self._cluster.gone() from error
        self._waiting[future] = number
        return number

    def taken(self) -> list[tuple[int, bytes]]:
        """The requests that were answered since the last call, with their answers. If there are none, wait a
        moment. Raises `errors.Cancelled`, and `CqlguiError` if a worker fails, if there are no workers for
        long, and if the scheduler is gone or does not answer."""
        try:
            self._beat()
            done = [future for future in self._waiting if future.done()]
            if not done:
                self._cancel.wait(_ANSWER_SECONDS)
                return []
            for future in done:
                if future.status == "error":
                    raise self._cluster.failed(future.exception())
                if future.status != "finished":
                    raise self._cluster.gone()
            fetched = _asked(self._client, functools.partial(self._client.gather, done, asynchronous=True))
            while not fetched.done():
                self._beat()
                self._cancel.wait(_ANSWER_SECONDS)
            return [
                (self._waiting.pop(future), data) for future, data in zip(done, fetched.result(), strict=True)
            ]
        except _UNREACHED as error:
            raise self._cluster.gone() from error

    def _beat(self) -> None:
        self._cancel.raise_if_cancelled()
        self.threads = self._pulse.beat()


@dataclass(frozen=True, slots=True)
class _Task:
    """Stretches of games of one source that are searched together, from the first game to before the last one
    (base ordinals). With `plainly`, see `messages.Request`."""

    stretches: tuple[tuple[int, int], ...]
    plainly: bool = False

    @property
    def begin(self) -> int:
        return self.stretches[0][0]

    @property
    def end(self) -> int:
        return self.stretches[-1][1]


class _Chunks:
    """The chunks of one search. All methods belong to the thread that searches."""

    def __init__(
        self,
        cluster: Dask,
        client: distributed.Client,
        job: scheduling.Job,
        remembered: memory.Memory | None,
    ) -> None:
        self._cluster = cluster
        self._client = client
        self._job = job
        self._name = uuid.uuid4().hex
        # A query with a memory has one task at a time, which gets the memory that the task before has left.
        self._is_chain = remembered is not None
        self._memory = None if remembered is None else remembered.packed()
        self.left_out: list[str] = []
        self.notices = [_CHAIN] if self._is_chain else []
        self._parts = collections.deque(scheduling.parts(job))
        self._place = "" if not self._parts else _place(job)
        self._check = published.opened(self._place).listing.check if self._parts else ""
        # The first games of the tasks that are handed out, in order. Chunks are given in this order.
        self._order: list[int] = []
        self._tasks: dict[int, tuple[_Task, distributed.Future]] = {}
        self._chunks: dict[int, sieving.Chunk] = {}
        self._numbers = itertools.count()
        self._size = _FIRST
        self._threads = 0
        self._pulse = _Pulse(cluster, client)
        # The tasks whose answers are being fetched, and the answers.
        self._fetching: tuple[list[_Task], futures.Future[Any]] | None = None
        self.at_work = False

    def __enter__(self) -> _Chunks:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.dismiss()
        if self.at_work and self._job.output is not None:
            self.at_work = not self._settled()

    def dismiss(self) -> None:
        """Cancel the tasks that are not finished. Tasks that run stop at their next slice."""
        running = [future for _, future in self._tasks.values()]
        self._parts.clear()
        self._tasks.clear()
        self._order.clear()
        self._fetching = None
        if running and not self._pulse.is_silent:
            _leave(self._client, self._name, running)
        self.at_work = self.at_work or bool(running)

    def _settled(self) -> bool:
        """Wait until no worker writes for this search any more. False if this is not known."""
        limit = time.monotonic() + _SETTLE_SECONDS
        left = functools.partial(self._client.run, working.stopped, self._name, asynchronous=True)
        with contextlib.suppress(*_UNREACHED):
            while not self._pulse.is_silent and (rest := limit - time.monotonic()) > 0:
                if not any(_asked(self._client, left).result(rest).values()):
                    return True
                time.sleep(_ANSWER_SECONDS)
        return False

    @property
    def exhausted(self) -> bool:
        """See `scheduling.Chunks`."""
        return not self._parts and not self._order

    def take(self, seconds: float) -> sieving.Chunk | None:
        """See `scheduling.Chunks`. Raises `CqlguiError` for what went wrong on a worker."""
        try:
            limit = time.monotonic() + seconds
            self._feed()
            while self._order and self._order[0] not in self._chunks:
                self._collect()
                self._feed()
                if time.monotonic() > limit:
                    break
                if self._order[0] not in self._chunks:
                    time.sleep(_POLL_SECONDS)
            if not self._order and self._parts:
                # There are no workers yet.
                time.sleep(min(seconds, _ANSWER_SECONDS))
        except _UNREACHED as error:
            raise self._cluster.gone() from error
        if not self._order or self._order[0] not in self._chunks:
            return None
        return self._chunks.pop(self._order.pop(0))

    def _feed(self) -> None:
        """Hand out tasks while workers have few."""
        if not self._parts and not self._tasks:
            return
        self._threads = self._pulse.beat()
        most = 1 if self._is_chain else _WAITING * self._threads
        while self._parts and len(self._tasks) < most:
            self._submit(self._grouped())

    def _grouped(self) -> _Task:
        """The next parts of a source, as many as a task should have."""
        # At the end, every thread should have something to do.
        most = max(1, min(self._size, len(self._parts) // (_WAITING * max(self._threads, 1))))
        source, begin, end = self._parts.popleft()
        stretches = [(begin, end)]
        while self._parts and len(stretches) < most and self._parts[0][0] == source:
            stretches.append(self._parts.popleft()[1:])
        return _Task(tuple(stretches))

    def _submit(self, task: _Task) -> None:
        begin = task.begin
        request = messages.Request(
            versions=versions.own(),
            search=self._name,
            place=self._place,
            check=self._check,
            text=self._job.text,
            options=self._job.options,
            begin=begin,
            end=task.end,
            within=scheduling.within(self._job, begin, task.end),
            memory=self._memory,
            plainly=task.plainly,
            output=self._job.output,
        )
        key = f"cqlgui-{self._name}-{next(self._numbers)}"
        # The earliest games come first.
        future = self._client.submit(
            _done, working.answer, self._name, request.packed(), key=key, pure=False, priority=-begin
        )
        self._tasks[begin] = task, future
        if begin not in self._order:
            bisect.insort(self._order, begin)

    def _collect(self) -> None:
        """Take over the answers that have come, and let those be fetched that are ready."""
        if self._fetching is not None:
            tasks, answers = self._fetching
            if not answers.done():
                return
            self._fetching = None
            for task, data in zip(tasks, answers.result(), strict=True):
                del self._tasks[task.begin]
                self._take_over(task, data)
        good: list[tuple[_Task, distributed.Future]] = []
        for task, future in [one for one in self._tasks.values() if one[1].done()]:
            if future.status == "finished":
                good.append((task, future))
            elif future.status == "error":
                self._failed(task, future.exception())
            else:
                # Dask cancels all tasks when it loses the scheduler.
                raise self._cluster.gone()
        if good:
            # The answers are fetched together, because each call takes as long as an answer.
            wished = [future for _, future in good]
            answers = _asked(self._client, functools.partial(self._client.gather, wished, asynchronous=True))
            self._fetching = [task for task, _ in good], answers

    def _take_over(self, task: _Task, data: bytes) -> None:
        """Keep the chunk of a task until its turn comes."""
        words, arrays = messages.unpacked(data)
        if words.get("error") == "damaged" and self._cluster.partial:
            if len(task.stretches) > 1:
                self._split(task)
                return
            self.left_out.append(f"Games {task.begin} to {task.end - 1}: {words['sentence']}")
            self._chunks[task.begin] = _nothing(self._job, task)
            return
        messages.insist(words)
        self._chunks[task.begin] = messages.chunk(words, arrays)
        if self._is_chain:
            self._memory = words["memory"]
        least = _TASK_SECONDS if self._job.output is None else _FILE_SECONDS
        wished = max(least, _OVERHEAD_SECONDS * self._threads) * len(task.stretches)
        self._size = max(1, min(2 * self._size, int(wished / max(words["seconds"], 1e-4))))

    def _failed(self, task: _Task, fault: BaseException) -> None:
        """A task ended its workers, or failed otherwise."""
        if not isinstance(fault, distributed.KilledWorker):
            raise self._cluster.failed(fault) from fault
        if task.plainly:
            raise errors.CqlguiError(
                f"Games {task.begin} to {task.end - 1} ended one worker after the other, so the search was "
                "stopped."
            ) from fault
        _log.info("games %d to %d ended their workers", task.begin, task.end - 1)
        del self._tasks[task.begin]
        self._split(task)

    def _split(self, task: _Task) -> None:
        """Hand out a task, which is no longer in `_tasks`, again in smaller tasks. The games of a single part
        are interpreted, in a process that may die."""
        plainly = len(task.stretches) == 1
        stretches: Iterable[tuple[int, int]] = task.stretches
        if plainly:
            starts = range(task.begin, task.end, _PLAIN_GAMES)
            stretches = [(start, min(start + _PLAIN_GAMES, task.end)) for start in starts]
        for stretch in stretches:
            self._submit(_Task((stretch,), plainly))


def _place(job: scheduling.Job) -> str:
    """Where the base of a search stands."""
    place = job.sources[0].place
    assert place is not None
    return place[0]


def _nothing(job: scheduling.Job, task: _Task) -> sieving.Chunk:
    """The chunk of games that were left out."""
    place = next(
        number for number, source in enumerate(job.sources) if task.begin < source.first + source.games
    )
    first = job.sources[place].first
    return sieving.Chunk(place, task.begin - first, task.end - first, [], found_module.NOTHING, 0, 0, {}, {})

"""Searches on the workers of a Dask cluster (`distributed`).

The games of a published base are handed out in tasks of whole parts, the earliest first. The first tasks have
one part each, so that first hits come soon; later tasks are long enough for the scheduler to keep up. Chunks
are given to the search in game order. `admission` says which schedulers are reached.
"""

from __future__ import annotations

import bisect
import collections
import contextlib
import itertools
import logging
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent import futures
from types import TracebackType
from typing import Final

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
_LONELY_PAUSE: Final = 0.05
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
    names them. Raises `CqlguiError` if the address is refused, or if nothing answers there.
    """

    def __init__(self, address: str, *, partial: bool = False) -> None:
        admission.admit(address)
        # What goes wrong is an error of this module. Dask would print the tracebacks of its attempts.
        logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
        self.address = address
        self.partial = partial
        try:
            if address.startswith("tls://") and not _has_certificate():
                raise errors.CqlguiError(_NO_CERTIFICATE)
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
            self._client.close()

    @property
    def workers(self) -> int:
        """The number of workers. Raises `CqlguiError` if the scheduler is gone."""
        try:
            return len(self._client.nthreads())
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
        waiting: dict[distributed.Future, int] = {}
        try:
            for number, request in enumerate(requests):
                key = f"cqlgui-{search}-{number}"
                future = self._client.submit(work, request, key=key, pure=False, priority=-number)
                waiting[future] = number
            while waiting:
                cancel.raise_if_cancelled()
                done = [future for future in waiting if future.done()]
                if not done and self._client.status != "running":
                    raise self.gone()
                if not done:
                    cancel.wait(_ANSWER_SECONDS)
                for future in done:
                    if future.status == "error":
                        raise self.failed(future.exception())
                    if future.status != "finished":
                        raise self.gone()
                    yield waiting.pop(future), future.result()
        except _UNREACHED as error:
            raise self.gone() from error
        finally:
            if waiting and self._client.status == "running":
                with contextlib.suppress(*_UNREACHED):
                    self._client.run(working.stop, search, wait=False)
                    self._client.cancel(list(waiting))

    def gone(self) -> errors.CqlguiError:
        """The error if the scheduler does not answer any more."""
        return errors.CqlguiError(f"The scheduler at {self.address} is gone.")

    def failed(self, fault: BaseException) -> errors.CqlguiError:
        """The error for a bug on a worker, or for a worker that died again and again."""
        return errors.CqlguiError(
            f"A worker of {self.address} failed ({type(fault).__name__}: {fault}). cqlgui must be installed "
            "there as it is here."
        )


def _has_certificate() -> bool:
    """Whether Dask is told how to connect by TLS. Without this test, Dask would fail in the midst of its
    start, and hang when the program ends. Raises `OSError` for files that cannot be read."""
    if dask.config.get("distributed.client.security-loader", None):
        return True
    return distributed.Security().get_connection_args("client")["ssl_context"] is not None


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
        self._counted = 0.0
        self._seen = time.monotonic()

    def __enter__(self) -> _Chunks:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.dismiss()

    def dismiss(self) -> None:
        """Cancel the tasks that are not finished. Tasks that run stop at their next slice."""
        running = [future for _, future in self._tasks.values()]
        self._parts.clear()
        self._tasks.clear()
        self._order.clear()
        if running and self._client.status == "running":
            # A scheduler that goes away just now has no tasks either.
            with contextlib.suppress(*_UNREACHED):
                self._client.run(working.stop, self._name, wait=False)
                self._client.cancel(running)

    @property
    def exhausted(self) -> bool:
        """See `scheduling.Chunks`."""
        return not self._parts and not self._order

    def take(self, seconds: float) -> sieving.Chunk | None:
        """See `scheduling.Chunks`. Raises `CqlguiError` for what went wrong on a worker."""
        try:
            self._feed()
            if self._order and self._order[0] not in self._chunks:
                self._collect(seconds)
                self._feed()
        except _UNREACHED as error:
            raise self._cluster.gone() from error
        if not self._order or self._order[0] not in self._chunks:
            return None
        return self._chunks.pop(self._order.pop(0))

    def _feed(self) -> None:
        """Hand out tasks while workers have few."""
        if not self._parts and not self._tasks:
            return
        if self._client.status != "running":
            raise self._cluster.gone()
        self._count()
        most = 1 if self._is_chain else _WAITING * self._threads
        while self._parts and len(self._tasks) < most:
            self._submit(self._grouped())

    def _count(self) -> None:
        """Count the threads of the cluster. Raises `CqlguiError` if there has been none for long."""
        now = time.monotonic()
        if self._threads and now - self._counted <= _COUNT_SECONDS:
            return
        self._threads, self._counted = sum(self._client.nthreads().values()), now
        if self._threads:
            self._seen = now
        elif now - self._seen > _LONELY_SECONDS:
            raise errors.CqlguiError(f"The scheduler at {self._cluster.address} has no workers.")
        else:
            time.sleep(_LONELY_PAUSE)

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
        future = self._client.submit(working.answer, request.packed(), key=key, pure=False, priority=-begin)
        self._tasks[begin] = task, future
        if begin not in self._order:
            bisect.insort(self._order, begin)

    def _collect(self, seconds: float) -> None:
        """Take over the answers that have come. Waits at most `seconds` for the first one."""
        limit = time.monotonic() + seconds
        while not (listed := [one for one in self._tasks.values() if one[1].done()]):
            if time.monotonic() > limit:
                return
            time.sleep(_POLL_SECONDS)
        good: list[tuple[_Task, distributed.Future]] = []
        for task, future in listed:
            if future.status == "finished":
                good.append((task, future))
            elif future.status == "error":
                self._failed(task, future.exception())
            else:
                # Dask cancels all tasks when it loses the scheduler.
                raise self._cluster.gone()
        # The answers are fetched together, because each call takes as long as an answer.
        for (task, _), data in zip(good, self._client.gather([future for _, future in good]), strict=True):
            del self._tasks[task.begin]
            self._take_over(task, data)

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

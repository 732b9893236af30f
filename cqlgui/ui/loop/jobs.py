"""The only way to run work outside the GUI thread: a pool of threads, cancel tokens and signals. Results of
stale jobs are dropped.

Work is a plain function that uses no widget. The callbacks get the results, and run on the GUI thread. This
module is independent of chess.
"""

from __future__ import annotations

import collections
import itertools
import logging
import time
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QObject, Qt, QThreadPool, QTimer, Signal

from cqlgui.base import errors, priority, progress
from cqlgui.base.data import dataclass, field
from cqlgui.ui.loop import turns

T = TypeVar("T")
Work = Callable[[progress.CancelToken, progress.ProgressSink], T]

REPORT_SECONDS = 0.05
"""The time in seconds between progress reports. With 20 reports a second the progress looks smooth. More
reports would only cost repaints."""

FORMER_MS = 200
"""New work waits at most this many milliseconds until cancelled work with the same name has ended."""

_Call = tuple["Job | None", Callable[..., None], tuple[Any, ...]]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Calls:
    """The work and the callbacks of a job. The GUI thread keeps these functions until a thread of the pool
    has done the work. These functions may hold Qt objects, and deleting a Qt object in a thread of the pool
    crashes the process."""

    work: Work[Any]
    done: Callable[[Any], None] | None
    failed: Callable[[errors.CqlguiError], None]
    progress: Callable[[progress.Progress], None] | None
    cancelled: Callable[[], None] | None


@dataclass(eq=False, slots=True)
class Job:
    """One piece of work. If `stale` is True, the result is not wanted any more. If `begun` is True, the job
    was given to the pool of threads."""

    id: int
    name: str
    token: progress.CancelToken = field(default_factory=progress.CancelToken)
    stale: bool = False
    begun: bool = False
    running: bool = True
    calls: _Calls | None = field(default=None, repr=False)
    """The functions to call; None once the job has ended."""

    def cancel(self) -> None:
        """Ask the work to stop. A result of the work is still delivered."""
        self.token.cancel()

    def drop(self) -> None:
        """Ask the work to stop. A result of the work is not delivered."""
        self.stale = True
        self.token.cancel()


class Jobs(QObject):
    """Runs work on a pool of threads and returns the results to the GUI thread.

    If several jobs have the same `name`, only the latest job counts. Starting a job cancels the earlier job
    with this name, drops the earlier result, and waits a moment for the earlier work to end. Without this
    wait, a caller that starts many jobs quickly would run all of them at once. A dozen threads would compete
    with the window for the interpreter lock.
    """

    failed = Signal(str)
    """The message of a failure, if the job has no `on_failed`."""
    _arrived = Signal(object, object, tuple)

    def __init__(self, parent: QObject | None = None, threads: int = 8) -> None:
        super().__init__(parent)
        self._pool = QThreadPool()
        self._pool.setMaxThreadCount(threads)
        self._ids = itertools.count(1)
        self._jobs: dict[int, Job] = {}
        # Maps a name to the job that waits for earlier work with this name.
        self._next: dict[str, Job] = {}
        self._closed = False
        # Results that wait for a turn of the event loop, and whether a turn is requested.
        self._waiting: collections.deque[_Call] = collections.deque()
        self._asked = False
        self.turns = turns.Turns(self)
        self._arrived.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def run(
        self,
        work: Work[T],
        on_done: Callable[[T], None] | None = None,
        on_failed: Callable[[errors.CqlguiError], None] | None = None,
        on_progress: Callable[[progress.Progress], None] | None = None,
        name: str = "",
        on_cancelled: Callable[[], None] | None = None,
    ) -> Job:
        """Start `work(token, sink)`. At the end, `on_done`, `on_cancelled` or `on_failed` is called. If the
        job becomes stale, no function is called.

        `on_done` gets the result, and `on_cancelled` gets nothing. `on_failed` gets the `CqlguiError` that
        the work raised. If the work raises another exception, the exception is logged, and `on_failed` gets a
        `CqlguiError` that names the exception.
        """
        if name:
            self.cancel(name, drop=True)
        waits = self._under_way(name)
        job = Job(next(self._ids), name)
        if self._closed:
            job.drop()
            job.running = False
            return job
        job.calls = _Calls(work, on_done, on_failed or self._report, on_progress, on_cancelled)
        self._jobs[job.id] = job
        if waits:
            self._give_up(name)
            self._next[name] = job
            # The wait has a limit, because the earlier work may be in a step that cannot be cancelled.
            QTimer.singleShot(FORMER_MS, lambda: self._begin_next(job))
        else:
            self._begin(job)
        return job

    def _under_way(self, name: str) -> bool:
        """Whether a thread runs work with this name. Stale work counts, too."""
        return bool(name) and any(job.begun for job in self._jobs.values() if job.name == name)

    def _begin_next(self, job: Job) -> None:
        if self._next.get(job.name) is job:
            del self._next[job.name]
            self._begin(job)

    def _begin(self, job: Job) -> None:
        job.begun = True
        # The pool gets a function, not a `QRunnable`. If Qt does not delete a `QRunnable`, PySide keeps the
        # `QRunnable` and the objects of its work for ever.
        self._pool.start(lambda: self._work(job))

    def _work(self, job: Job) -> None:
        """Do the work of a job in a thread of the pool. This thread keeps no reference to the functions of
        the job. The result must not be a Qt object, because this thread may delete the result."""
        # The thread gets a lower priority, because a repaint must come before the work.
        priority.give_way()
        assert job.calls is not None
        sink = _Throttle(lambda report: self._post(job, self._tell, job, report))
        try:
            job.token.raise_if_cancelled()
            ended: tuple[str, tuple[Any, ...]] = "done", (job.calls.work(job.token, sink),)
        except errors.Cancelled:
            ended = "cancelled", ()
        except errors.CqlguiError as error:
            ended = "failed", (_bare(error),)
        except Exception as error:  # a bug in the work must not end the whole program
            _log.exception("a job failed: %s", job.name or job.id)
            sentence = f"Something went wrong inside the program: {type(error).__name__}: {error}"
            ended = "failed", (errors.CqlguiError(sentence),)
        else:
            sink.flush()
        self._post(job, self._finish, job, *ended)

    def channel(self, receive: Callable[[list[T]], None]) -> Channel[T]:
        """A `Channel` for items from running work."""
        return Channel(self, receive)

    def cancel(self, name: str, *, drop: bool = False) -> bool:
        """Stop the running job called `name`. Returns True if there was a running job. If `drop` is True, the
        result of the job is dropped."""
        found = False
        for job in self._jobs.values():
            if job.name == name and not job.stale:
                found = True
                if drop:
                    job.drop()
                else:
                    job.cancel()
        if found:
            self._give_up(name)
        return found

    def _give_up(self, name: str) -> None:
        """If a job called `name` waits for earlier work, cancel the job. No thread would report the end of
        this job, and therefore this method reports the end."""
        job = self._next.pop(name, None)
        if job is not None:
            job.cancel()
            self._post(job, self._finish, job, "cancelled", ())

    def active(self, name: str) -> bool:
        """Whether a job called `name` is running and is not stale."""
        return any(job.name == name and not job.stale for job in self._jobs.values())

    @property
    def count(self) -> int:
        """The number of jobs that are not finished, including stale jobs."""
        return len(self._jobs)

    def close(self, seconds: float = 10.0) -> bool:
        """Cancel all jobs, wait for the threads, and deliver no more results. Returns False if a thread does
        not end."""
        self._closed = True
        priority.let_go()
        self._next.clear()
        for job in self._jobs.values():
            job.drop()
        ended = self._pool.waitForDone(int(seconds * 1000))
        self.turns.close()
        if ended:
            self._jobs.clear()
        return ended

    def _post(self, job: Job | None, call: Callable[..., None], *arguments: object) -> None:
        """Give a call to the GUI thread. Any thread may call this method."""
        try:
            self._arrived.emit(job, call, arguments)
        except RuntimeError:  # Qt has deleted this object while the work was ending
            _log.debug("a result came after the window had gone")

    def _deliver(self, job: Job | None, call: Callable[..., None], arguments: tuple[Any, ...]) -> None:
        self._waiting.append((job, call, arguments))
        self._ask_turn()

    def _ask_turn(self) -> None:
        if not self._asked:
            self._asked = True
            self.turns.ask(self._take_turn)

    def _take_turn(self) -> None:
        self._asked = False
        end = time.monotonic() + turns.TURN_SECONDS
        while self._waiting:
            one = self._waiting.popleft()
            if self._waiting:
                # The next turn is requested before the call. The call may open a dialog, and the dialog may
                # need the other results.
                self._ask_turn()
            self._call(*one)
            if time.monotonic() >= end:
                break

    def _call(self, job: Job | None, call: Callable[..., None], arguments: tuple[Any, ...]) -> None:
        if self._closed:
            return
        # `call` is compared with `==` and not with `is`, because each use of `self._finish` makes a new bound
        # method.
        if job is None or not job.stale or call == self._finish:
            call(*arguments)

    def _tell(self, job: Job, report: progress.Progress) -> None:
        if job.calls is not None and job.calls.progress is not None:
            job.calls.progress(report)

    def _finish(self, job: Job, how: str, arguments: tuple[Any, ...]) -> None:
        job.running = False
        self._jobs.pop(job.id, None)
        calls, job.calls = job.calls, None
        waiting = self._next.get(job.name)
        if waiting is not None and not self._under_way(job.name):
            self._begin_next(waiting)
        call = None if calls is None else getattr(calls, how)
        if call is not None and not job.stale:
            call(*arguments)

    def _report(self, error: errors.CqlguiError) -> None:
        self.failed.emit(str(error))


def _bare(error: errors.CqlguiError) -> errors.CqlguiError:
    """An error without its traceback. The frames of a traceback would keep objects alive."""
    chain: list[BaseException | None] = [error]
    seen: set[int] = set()
    while chain:
        one = chain.pop()
        if one is not None and id(one) not in seen:
            seen.add(id(one))
            one.__traceback__ = None
            chain += one.__cause__, one.__context__
    return error


class Channel(Generic[T]):
    """Carries items from running work to the GUI thread in batches.

    Any thread may call `send`. The receiver gets a list of all items that have arrived since the last list. A
    search that finds thousands of games a second therefore costs only a few calls.
    """

    def __init__(self, jobs: Jobs, receive: Callable[[list[T]], None]) -> None:
        self._jobs = jobs
        self._receive = receive
        self._items: collections.deque[T] = collections.deque()
        self._announced = False
        self._last = 0.0
        self.closed = False

    def send(self, item: T) -> None:
        """Queue one item for the GUI thread."""
        self._items.append(item)
        now = time.monotonic()
        # The first item is delivered at once. Later items are delivered in batches. A call of `drain` at the
        # end delivers the rest.
        if not self._announced and now - self._last >= REPORT_SECONDS:
            self._announced = True
            self._last = now
            self._jobs._post(None, self.drain)

    def drain(self) -> None:
        """Deliver the queued items. The GUI thread must call this method once more when the work has
        ended."""
        self._announced = False
        items: list[T] = []
        while self._items:
            items.append(self._items.popleft())
        if items and not self.closed:
            self._receive(items)

    def close(self) -> None:
        """Drop the queued items and all later items."""
        self.closed = True
        self._items.clear()


class _Throttle:
    """A progress sink that passes on the first report, the last report, and at most 20 reports a second in
    between."""

    def __init__(self, sink: progress.ProgressSink) -> None:
        self._sink = sink
        self._last = 0.0
        self._held: progress.Progress | None = None

    def __call__(self, report: progress.Progress) -> None:
        now = time.monotonic()
        if now - self._last >= REPORT_SECONDS:
            self._last = now
            self._held = None
            self._sink(report)
        else:
            self._held = report

    def flush(self) -> None:
        if self._held is not None:
            self._sink(self._held)
            self._held = None

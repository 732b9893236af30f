"""Worker processes: started on demand, lent to one job at a time, kept for the next job, replaced when they
hang or die.

A job leases a `Crew` and gives it work in small pieces; the crew runs in the caller's thread. If the worker
of a piece dies or does not answer in time, the piece is cut into single items. If a single item kills its
worker, the item is reported as lost. One bad game therefore never stops the other games.
"""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import queue
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import IO, Generic, TypeVar

from cqlgui.base import errors, places, priority, progress
from cqlgui.base.data import dataclass, field
from cqlgui.tasks.processes import frames

HANG_SECONDS = 120.0
SILENT_SECONDS = 30.0
"""How long a new worker may take to report that it is ready."""
TARGET_SECONDS = 0.075
_POLL_SECONDS = 0.02
_STARTS_LOST = 3
_STOP_SECONDS = 0.25
_START_SECONDS = 5.0

_log = logging.getLogger(__name__)
Item = TypeVar("Item")


@dataclass
class Piece(Generic[Item]):
    """Items sent to a worker together. `retried` is true if an earlier worker died or hung while it had these
    items."""

    items: list[Item]
    retried: bool
    started: float = 0.0


@dataclass
class Work(Generic[Item]):
    """The work of a crew. All functions are called in the thread that runs the crew.

    `take(n)` returns the next items, at most n, and may wait a moment for items. An empty list means that
    there are no more items. None means that no item is ready yet. `message` makes the request to a worker.
    `done` gets the reply. If two workers died or hung at the same item, `lost` gets the item and the reason.
    `size` is the size of the first piece; later pieces are sized to take `target` seconds each. `begun` is
    called a single time, when a worker is ready and at work.
    """

    take: Callable[[int], list[Item] | None]
    message: Callable[[list[Item]], frames.Envelope]
    done: Callable[[list[Item], frames.Envelope], None]
    lost: Callable[[Item, str], None]
    size: int = 8
    largest: int = 4096
    target: float = TARGET_SECONDS
    hang: float = field(default_factory=lambda: HANG_SECONDS)
    begun: Callable[[], None] | None = None
    undone: Callable[[frames.Envelope], int] = lambda _reply: 0
    """Takes a worker's reply, and returns the number of items that the worker left undone. A worker leaves
    the last items of a piece undone if earlier items took long. The undone items are sent again."""


class Pool:
    """The worker processes of this program. Use the pool that `shared()` returns."""

    def __init__(self, command: Sequence[str] | None = None, size: int | None = None) -> None:
        self._command = list(command) if command else worker_command()
        self.size = size or os.cpu_count() or 1
        # The pool keeps one worker more than `size`. This worker serves short requests while a search keeps
        # all other workers busy.
        self._kept = self.size + 1
        self._lock = threading.Lock()
        self._idle: list[Worker] = []
        self._closed = False

    @contextlib.contextmanager
    def lease(self, count: int | None = None) -> Iterator[Crew]:
        """A crew of `count` workers (default: one for each processor) for one job. The workers return to the
        pool afterwards."""
        crew = Crew(self, max(1, count or self.size))
        try:
            yield crew
        finally:
            crew.disband()

    def ask(
        self,
        request: frames.Envelope,
        cancel: progress.CancelToken | None = None,
        begun: Callable[[], None] | None = None,
    ) -> frames.Envelope:
        """A worker's reply to a single request. `begun` is called when a worker is ready and at work. Raises
        the error that the worker reports, `CqlguiError` if the request kills the worker, and
        `errors.Cancelled`."""
        waiting = [request]
        replies: list[frames.Envelope] = []

        def lost(_request: frames.Envelope, reason: str) -> None:
            raise errors.CqlguiError(reason)

        work = Work(
            take=lambda _size: [waiting.pop()] if waiting else [],
            message=lambda items: items[0],
            done=lambda _items, reply: replies.append(reply),
            lost=lost,
            begun=begun,
        )
        with self.lease(1) as crew:
            if not crew.run(work, cancel or progress.CancelToken()):
                raise errors.Cancelled("Stopped.")
        return replies[0]

    def warm(self) -> None:
        """Start the workers before they are needed."""
        with self._lock:
            missing = self._kept - len(self._idle)
        for _ in range(missing):
            self.give_back(Worker(self._command))

    def take(self) -> Worker:
        """A worker of the pool, or a new worker. A worker of the pool may still be busy with abandoned work.
        If the worker does not stop in time, it is killed."""
        while True:
            with self._lock:
                if self._closed:
                    raise errors.Cancelled("The program is closing.")
                found = next((worker for worker in self._idle if worker.free), None)
                if found is None:
                    found = self._idle[0] if self._idle else None
                if found is not None:
                    self._idle.remove(found)
            if found is None:
                return Worker(self._command)
            if found.comes_free(_STOP_SECONDS if found.ready else _START_SECONDS):
                return found
            found.end()

    def give_back(self, worker: Worker) -> None:
        """Tell a worker to drop abandoned work, and keep the worker for the next job. If the pool has enough
        workers, end this worker instead."""
        worker.abandon()
        with self._lock:
            if not self._closed and worker.alive and len(self._idle) < self._kept:
                self._idle.append(worker)
                return
        worker.end()

    def close(self) -> None:
        """End all idle workers. Leased workers end when they are given back."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.end()


class Crew:
    """Workers leased by one job."""

    def __init__(self, pool: Pool, count: int) -> None:
        self._pool = pool
        self._count = count
        self._workers: list[Worker] = []
        self._answers: queue.SimpleQueue[tuple[Worker, frames.Envelope | None]] = queue.SimpleQueue()
        self._starts_lost = 0

    def run(self, work: Work[Item], cancel: progress.CancelToken) -> bool:
        """Do all of `work`. If the work is cancelled, the pieces under way are dropped, and the method
        returns False within about 20 ms.

        Raises the fault that a worker reports, and `CqlguiError` if no worker can be started.
        """
        again: deque[Piece[Item]] = deque()
        size = work.size
        busy: dict[Worker, Piece[Item]] = {}
        idle = list(self._workers)
        exhausted = False
        begun = work.begun
        while True:
            if cancel.cancelled:
                return False
            while not exhausted or again:
                if not idle and len(self._workers) >= self._count:
                    break
                piece: Piece[Item]
                if again:
                    piece = again.popleft()
                else:
                    items = work.take(size)
                    if items is None:
                        break
                    if not items:
                        exhausted = True
                        break
                    piece = Piece(items, False)
                worker = idle.pop() if idle else self._new()
                piece.started = time.monotonic()
                busy[worker] = piece
                worker.ask(work.message(piece.items), self._answers.put)
                if cancel.cancelled:
                    return False
            if not busy:
                if exhausted and not again:
                    return True
                continue
            answered = self._answer(busy, work.hang)
            if begun is not None and any(worker.ready for worker in busy):
                begun()
                begun = None
            if answered is None:
                continue
            worker, reply = answered
            piece_done = busy.pop(worker, None)
            if piece_done is None:
                continue
            if reply is None:
                why = self._bury(worker)
                if piece_done.retried:
                    work.lost(piece_done.items[0], why)
                else:
                    again.extend(Piece([item], True) for item in piece_done.items)
                continue
            self._starts_lost = 0
            idle.append(worker)
            if "error" in reply:
                kind = errors.IndexDamaged if reply.get("damaged") else errors.CqlguiError
                raise kind(str(reply["error"]))
            seconds = time.monotonic() - piece_done.started
            if not piece_done.retried:
                per_item = max(seconds, 1e-4) / len(piece_done.items)
                size = max(1, min(int(work.target / per_item), size * 4, work.largest))
            undone = work.undone(reply)
            if undone:
                again.append(Piece(piece_done.items[-undone:], False))
                del piece_done.items[-undone:]
            work.done(piece_done.items, reply)

    def disband(self) -> None:
        """Return the workers to the pool."""
        for worker in self._workers:
            self._pool.give_back(worker)
        self._workers.clear()

    def _new(self) -> Worker:
        worker = self._pool.take()
        self._workers.append(worker)
        return worker

    def _answer(
        self, busy: dict[Worker, Piece[Item]], limit: float
    ) -> tuple[Worker, frames.Envelope | None] | None:
        """A worker and its reply. The reply is None if the worker died or hangs. If nothing happened for a
        moment, the function returns None instead of the pair."""
        try:
            return self._answers.get(timeout=_POLL_SECONDS)
        except queue.Empty:
            hanging = self._hanging(busy, limit)
            return None if hanging is None else (hanging, None)

    def _hanging(self, busy: dict[Worker, Piece[Item]], limit: float) -> Worker | None:
        now = time.monotonic()
        for worker, piece in busy.items():
            patience = limit if worker.ready else SILENT_SECONDS
            # The time for starting a worker does not count towards the limit. On a busy machine, a start may
            # take longer than the limit for a game.
            if now - max(piece.started, worker.ready_since) > patience:
                _log.warning("Worker %d gave no answer for %.0f s and is ended.", worker.pid, patience)
                worker.hung = True
                return worker
        return None

    def _bury(self, worker: Worker) -> str:
        """End a lost worker. Returns a sentence about what happened. Raises `CqlguiError` if `_STARTS_LOST`
        workers were lost before they were ready, and no worker answered in between."""
        self._workers.remove(worker)
        if not worker.ready:
            self._starts_lost += 1
        worker.end()
        if self._starts_lost >= _STARTS_LOST:
            silent = "they give no sign of life." if worker.hung else "no reason given."
            raise errors.CqlguiError(f"Worker processes cannot be started: {worker.last_words or silent}")
        if worker.hung:
            return "The worker gave no answer in time and was ended."
        return "The worker process died."


class Worker:
    """One process and the two threads that listen to it."""

    def __init__(self, command: Sequence[str]) -> None:
        self.ready = False
        self.ready_since = 0.0
        self.hung = False
        self.last_words = ""
        self.sink: Callable[[tuple[Worker, frames.Envelope | None]], None] | None = None
        self._number = 0
        self._lock = threading.Lock()
        self._idle = threading.Event()
        self._idle.set()
        try:
            self._process = subprocess.Popen(
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                # The worker gets its own process group, so that Ctrl+C does not reach the worker. The worker
                # ends when its stdin is closed. The worker must not get its own session. Linux divides
                # processor time among sessions, so the niceness of the worker would count only within its own
                # session.
                process_group=0 if os.name == "posix" else None,
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
        except OSError as error:
            raise errors.CqlguiError(
                f"A worker process cannot be started: {error.strerror or error}."
            ) from error
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._stdin: IO[bytes] = self._process.stdin
        self._listeners = [
            threading.Thread(
                target=self._listen, args=(self._process.stdout,), daemon=True, name="worker-answers"
            ),
            threading.Thread(
                target=self._hear, args=(self._process.stderr,), daemon=True, name="worker-messages"
            ),
        ]
        for thread in self._listeners:
            thread.start()

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """True while the process runs."""
        return self._process.poll() is None

    @property
    def free(self) -> bool:
        """True if the process runs and has answered every request."""
        return self._idle.is_set() and self.alive

    def comes_free(self, seconds: float) -> bool:
        """Wait until the worker is free, for at most `seconds`. Returns whether the worker is free."""
        return self._idle.wait(seconds) and self.alive

    def abandon(self) -> None:
        """Tell the worker to stop its work, and ignore the answer."""
        self.sink = None
        if not self._idle.is_set():
            with contextlib.suppress(OSError, ValueError):
                frames.write(self._stdin, {"op": "stop", "id": self._number})

    def ask(
        self, message: frames.Envelope, sink: Callable[[tuple[Worker, frames.Envelope | None]], None]
    ) -> None:
        """Send a message. `sink` gets (worker, reply) in another thread; the reply is None if the worker
        died."""
        with self._lock:
            self._number += 1
            self._idle.clear()
        self.sink = sink
        try:
            frames.write(self._stdin, {**message, "id": self._number})
        except (OSError, ValueError):
            sink((self, None))

    def end(self) -> None:
        """Kill the process and wait for its end."""
        self.sink = None
        with contextlib.suppress(OSError):
            self._process.kill()
        self._process.wait()
        for thread in self._listeners:
            thread.join(timeout=1.0)
        for stream in (self._stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()

    def _listen(self, stream: IO[bytes]) -> None:
        while True:
            message = frames.read(stream)
            if message is not None and message.get("ready"):
                self.ready_since = time.monotonic()
                self.ready = True
                continue
            priority.pause()
            sink = self.sink
            if message is None:
                # Wake threads that wait for the worker to become free.
                self._idle.set()
                if sink is not None:
                    sink((self, None))
                return
            with self._lock:
                current = message.get("id") == self._number
                if current:
                    self._idle.set()
            if current and sink is not None:
                sink((self, message))

    def _hear(self, stream: IO[bytes]) -> None:
        for line in stream:
            text = line.decode("utf-8", "replace").rstrip()
            if text:
                self.last_words = text
                _log.warning("worker %d: %s", self.pid, text)


def worker_command() -> list[str]:
    """The command that starts a worker, also in a frozen program."""
    if getattr(sys, "frozen", False):
        return [sys.executable, "--worker"]
    return places.command("cqlgui.tasks.search.worker")


_shared: Pool | None = None
_shared_lock = threading.Lock()


def shared() -> Pool:
    """The pool of this process."""
    global _shared
    with _shared_lock:
        if _shared is None:
            _shared = Pool()
        return _shared


def close() -> None:
    """End the shared pool's idle workers. The next job starts new workers."""
    global _shared
    with _shared_lock:
        if _shared is not None:
            _shared.close()
            _shared = None


atexit.register(close)

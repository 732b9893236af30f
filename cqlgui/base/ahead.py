"""Work in the background: it starts before its result is needed, or it goes on behind the caller."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent import futures
from typing import Final, Generic, TypeVar

K = TypeVar("K")
T = TypeVar("T")


def each(items: Iterator[T], most: int = 1) -> Iterator[T]:
    """The items of an iterator. While the caller works with one item, a thread makes the next ones. It waits
    while `most` items have not been taken. If the caller stops early, the thread ends after the item that it
    is making."""
    room, given_up = threading.Semaphore(most), threading.Event()
    made: queue.SimpleQueue[tuple[T] | BaseException | None] = queue.SimpleQueue()

    def work() -> None:
        try:
            while room.acquire() and not given_up.is_set() and (found := next(items, _END)) is not _END:
                made.put((found,))  # type: ignore[arg-type]  # `_END` was compared
        except BaseException as fault:
            # The caller raises the fault.
            made.put(fault)
        else:
            made.put(None)

    threading.Thread(target=work, name="ahead", daemon=True).start()
    try:
        while (taken := made.get()) is not None:
            if isinstance(taken, BaseException):
                raise taken
            room.release()
            yield taken[0]
    finally:
        given_up.set()
        room.release()


def in_order(calls: Mapping[K, Callable[[], T]]) -> dict[K, futures.Future[T]]:
    """The futures of some calls. One thread makes the calls, one after the other: to start a thread for each
    call would take longer than many calls do."""
    coming: dict[K, futures.Future[T]] = {key: futures.Future() for key in calls}

    def work() -> None:
        for key, future in coming.items():
            try:
                future.set_result(calls[key]())
            except Exception as fault:
                # `Future.result` raises the fault.
                future.set_exception(fault)

    Ahead(work)
    return coming


_END: Final = object()


class Behind(Generic[T]):
    """A call of `work` in a thread of its own, with an iterator. The iterator gives the items of `put`, in
    their order. As a context manager, a `Behind` waits for the call at the end of the context."""

    def __init__(self, work: Callable[[Iterator[T]], None], most: int = 1) -> None:
        self._work = work
        self._room = threading.Semaphore(most)
        self._given: queue.SimpleQueue[tuple[T] | None] = queue.SimpleQueue()
        self._ended = False
        self._fault: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="behind", daemon=True)
        self._thread.start()

    def put(self, item: T) -> None:
        """Give an item. Waits while `most` items have not been taken. If the call has ended, the item is
        dropped. Raises the exception that the call raised."""
        self._room.acquire()
        if self._ended:
            self._room.release()
            self._raise()
        else:
            self._given.put((item,))

    def __enter__(self) -> Behind[T]:
        return self

    def __exit__(self, kind: object, fault: object, trace: object) -> None:
        self._given.put(None)
        self._thread.join()
        # The fault of the caller comes first.
        if fault is None:
            self._raise()

    def _raise(self) -> None:
        if self._fault is not None:
            raise self._fault

    def _items(self) -> Iterator[T]:
        while (taken := self._given.get()) is not None:
            self._room.release()
            yield taken[0]

    def _run(self) -> None:
        try:
            self._work(self._items())
        except BaseException as fault:
            # `put` or the end of the context raises the fault.
            self._fault = fault
        finally:
            self._ended = True
            # The caller may be waiting for room.
            self._room.release()


class Ahead(Generic[T]):
    """A call that runs in its own daemon thread. The process may end before the call has finished, so a call
    that stops half-way must do no harm."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._found: T
        self._fault: Exception | None = None
        self._thread = threading.Thread(target=self._run, name="ahead", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._found = self._work()
        except Exception as fault:
            # `result` raises the fault.
            self._fault = fault

    def result(self) -> T:
        """Wait for the call and return its result. Raises the exception that the call raised."""
        self._thread.join()
        if self._fault is not None:
            raise self._fault
        return self._found

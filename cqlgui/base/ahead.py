"""Starts work in the background before its result is needed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Final, Generic, TypeVar

T = TypeVar("T")


def each(items: Iterator[T]) -> Iterator[T]:
    """The items of an iterator. While the caller works with one item, a thread makes the next item."""
    coming = Ahead(lambda: next(items, _END))
    while (found := coming.result()) is not _END:
        coming = Ahead(lambda: next(items, _END))
        yield found  # type: ignore[misc]  # `_END` was compared


_END: Final = object()


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

"""Starts work in the background before its result is needed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Ahead(Generic[T]):
    """A call that runs in its own daemon thread. A process that ends does not wait for this thread, so the
    call must leave nothing half done."""

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
            # `result` raises it.
            self._fault = fault

    def result(self) -> T:
        """Wait for the call and return its result. Raises what the call raised."""
        self._thread.join()
        if self._fault is not None:
            raise self._fault
        return self._found

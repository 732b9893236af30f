"""Cancellation and progress: a caller can stop a long task, and the task reports its progress to the
caller."""

from __future__ import annotations

import threading
from collections.abc import Callable

from cqlgui.base import errors, priority
from cqlgui.base.data import dataclass


class CancelToken:
    """A flag that one thread sets and a worker checks, once for each chunk of games."""

    __slots__ = ("_event",)

    def __init__(self) -> None:
        self._event = threading.Event()

    def cancel(self) -> None:
        """Ask the work to stop. Any thread may call this method, any number of times."""
        self._event.set()

    @property
    def cancelled(self) -> bool:
        """True once `cancel` was called."""
        return self._event.is_set()

    def raise_if_cancelled(self) -> None:
        """Wait while the window is busy, as `priority.pause` does. Raise `errors.Cancelled` if `cancel` was
        called."""
        priority.pause()
        if self._event.is_set():
            raise errors.Cancelled("Stopped.")

    def wait(self, seconds: float) -> bool:
        """Sleep at most `seconds`. Returns True as soon as the work is cancelled."""
        return self._event.wait(seconds)


@dataclass(frozen=True, slots=True)
class Progress:
    """One report: `done` of `total` units (`total` is None if unknown). `words` describes the work."""

    done: int
    total: int | None
    words: str = ""


ProgressSink = Callable[[Progress], None]


def ignore(_: Progress) -> None:
    """A sink that drops every report."""

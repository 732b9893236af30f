"""Cancellation and progress: how long work and the one who waits for it talk to each other."""

from __future__ import annotations

import threading
from collections.abc import Callable

from cqlgui.base import errors, priority
from cqlgui.base.data import dataclass


class CancelToken:
    """A flag one thread sets and a worker polls, once per chunk of games rather than per game."""

    __slots__ = ("_event",)

    def __init__(self) -> None:
        self._event = threading.Event()

    def cancel(self) -> None:
        """Ask the work to stop; safe from any thread, any number of times."""
        self._event.set()

    @property
    def cancelled(self) -> bool:
        """True once `cancel` was called."""
        return self._event.is_set()

    def raise_if_cancelled(self) -> None:
        """Raise `errors.Cancelled` once `cancel` was called; lets the window go first, as
        `priority.pause` does."""
        priority.pause()
        if self._event.is_set():
            raise errors.Cancelled("Stopped.")

    def wait(self, seconds: float) -> bool:
        """Sleep at most `seconds`; True as soon as the work was cancelled."""
        return self._event.wait(seconds)


@dataclass(frozen=True, slots=True)
class Progress:
    """One report: `done` of `total` units (`total` None when unknown); `words` say what is being done."""

    done: int
    total: int | None
    words: str = ""


ProgressSink = Callable[[Progress], None]


def ignore(_: Progress) -> None:
    """A sink that drops every report."""

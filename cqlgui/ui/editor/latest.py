"""Asks a pure function about a text that keeps changing: off the window's thread, after a pause, the latest one wins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, QRunnable, Qt, QThreadPool, QTimer, Signal


class Latest(QObject):
    """`ask(text)` calls `work(text)` in the pool `delay` milliseconds after the last call.

    One call runs at a time; answers to a text that was overtaken are dropped. `answered` carries (text, answer), or
    (text, the exception) of a fault listed in `faults`. Any other fault is a bug and is raised.
    """

    answered = Signal(str, object)

    def __init__(
        self,
        work: Callable[[str], Any],
        delay: int,
        parent: QObject,
        faults: tuple[type[Exception], ...] = (),
    ) -> None:
        super().__init__(parent)
        self._work = work
        self._faults = faults
        self._text = ""
        self._running = False
        self._waiting = False
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)
        self._job: _Job | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(delay)
        self._timer.timeout.connect(self._start)

    @property
    def busy(self) -> bool:
        """True while an answer is still to come."""
        return self._running or self._waiting or self._timer.isActive()

    def ask(self, text: str, *, at_once: bool = False) -> None:
        """Want the answer to this text; earlier questions are forgotten."""
        self._text = text
        if at_once:
            self._timer.stop()
            self._start()
        else:
            self._timer.start()

    def close(self) -> None:
        """Forget all questions and wait for the one that runs; nothing is answered afterwards."""
        self._timer.stop()
        self._waiting = False
        if self._job is not None:
            self._job.answer.done.disconnect(self._finished)
            self._job = None
        self._running = False
        self._pool.waitForDone()

    def _start(self) -> None:
        if self._running:
            self._waiting = True
            return
        self._running = True
        self._job = _Job(self._work, self._text)
        self._job.answer.done.connect(self._finished, Qt.ConnectionType.QueuedConnection)
        self._pool.start(self._job)

    def _finished(self, text: str, answer: object) -> None:
        self._running = False
        self._job = None
        again = self._waiting
        self._waiting = False
        if again and text != self._text:
            self._start()
            return
        if isinstance(answer, Exception) and not isinstance(answer, self._faults):
            raise answer
        if text == self._text:
            self.answered.emit(text, answer)


class _Answer(QObject):
    """Carries a job's answer to the thread that asked; it belongs to that thread."""

    done = Signal(str, object)


class _Job(QRunnable):
    """One call; Python owns it, since the pool must not delete what the asker still holds."""

    def __init__(self, work: Callable[[str], Any], text: str) -> None:
        super().__init__()
        self.setAutoDelete(False)
        self._work = work
        self._text = text
        self.answer = _Answer()

    def run(self) -> None:
        answer: object
        try:
            answer = self._work(self._text)
        except Exception as fault:  # the job boundary: what went wrong is judged in the asker's thread
            answer = fault
        self.answer.done.emit(self._text, answer)

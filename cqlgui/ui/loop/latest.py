"""Runs a pure function on a text that keeps changing: off the GUI thread, after a pause; the latest text
wins."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from cqlgui.base import errors
from cqlgui.ui.loop import jobs

_LONGEST_DELAY = 1_000  # milliseconds


class Latest(QObject):
    """`ask(text)` calls `work(text)` in a job, `delay` milliseconds after the last call of `ask`.

    Answers to an outdated text are dropped. `answered` carries (text, answer), `refused` (text, sentence) if
    the work raised a `CqlguiError`.
    """

    answered = Signal(str, object)
    refused = Signal(str, str)

    def __init__(self, work: Callable[[str], Any], delay: int, parent: QObject) -> None:
        super().__init__(parent)
        self._work = work
        self._delay = delay
        self._text = ""
        # One thread: texts come faster than answers only if the machine is busy, and two threads would not be
        # faster then.
        self._jobs = jobs.Jobs(self, threads=1)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(delay)
        self._timer.timeout.connect(self._start)

    @property
    def busy(self) -> bool:
        """True while an answer is still to come."""
        return self._timer.isActive() or self._jobs.active("latest")

    def ask(self, text: str, *, at_once: bool = False) -> None:
        """Ask about this text; earlier questions are dropped."""
        self._text = text
        if at_once:
            self._timer.stop()
            self._start()
        else:
            self._timer.start()

    def close(self) -> None:
        """Drop all questions and wait for the work that is running. Nothing is answered afterwards."""
        self._timer.stop()
        self._jobs.close()

    def _start(self) -> None:
        text, work = self._text, self._work
        begun = time.monotonic()
        self._jobs.run(
            lambda _token, _sink: work(text),
            on_done=lambda answer: self._answer(text, answer, time.monotonic() - begun),
            on_failed=lambda fault: self._refuse(text, fault),
            name="latest",
        )

    def _answer(self, text: str, answer: object, seconds: float) -> None:
        # A text that takes long is asked about less often, so that typing stays smooth.
        self._timer.setInterval(max(self._delay, min(_LONGEST_DELAY, int(seconds * 1000))))
        self.answered.emit(text, answer)

    def _refuse(self, text: str, fault: errors.CqlguiError) -> None:
        self.refused.emit(text, str(fault))

"""Asks a pure function about a text that keeps changing: off the window's thread, after a pause, the
latest one wins."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from cqlgui.base import errors
from cqlgui.ui.loop import jobs

_LONGEST_DELAY = 1_000  # milliseconds


class Latest(QObject):
    """`ask(text)` calls `work(text)` in a job `delay` milliseconds after the last call.

    Answers to a text that was overtaken are dropped. `answered` carries (text, answer), `refused` (text,
    sentence) when the work raised a `CqlguiError`.
    """

    answered = Signal(str, object)
    refused = Signal(str, str)

    def __init__(self, work: Callable[[str], Any], delay: int, parent: QObject) -> None:
        super().__init__(parent)
        self._work = work
        self._delay = delay
        self._text = ""
        # One thread: texts come faster than answers only when the machine is busy, and two would not be
        # quicker then.
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
        # A text that takes long is asked about less often, so that typing in it stays light.
        self._timer.setInterval(max(self._delay, min(_LONGEST_DELAY, int(seconds * 1000))))
        self.answered.emit(text, answer)

    def _refuse(self, text: str, fault: errors.CqlguiError) -> None:
        self.refused.emit(text, str(fault))

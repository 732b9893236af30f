"""Runs a pure function on a text that changes often. The function runs outside the GUI thread, after a pause
in the changes, and on the latest text only."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from cqlgui.base import errors
from cqlgui.ui.loop import jobs

_LONGEST_DELAY = 1_000  # the longest pause, in milliseconds


class Latest(QObject):
    """`ask(text)` calls `work(text)` in a job, `delay` milliseconds after the last call of `ask`.

    Answers to an outdated text are dropped. The signal `answered` carries the text and the answer. If the
    work raised a `CqlguiError`, the signal `refused` carries the text and the message.
    """

    answered = Signal(str, object)
    refused = Signal(str, str)

    def __init__(self, work: Callable[[str], Any], delay: int, parent: QObject) -> None:
        super().__init__(parent)
        self._work = work
        self._delay = delay
        self._text = ""
        # One thread is enough. If texts come faster than answers, the machine is busy, and a second thread
        # would not help.
        self._jobs = jobs.Jobs(self, threads=1)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(delay)
        self._timer.timeout.connect(self._start)

    @property
    def busy(self) -> bool:
        """True while the answer to the last text has not come."""
        return self._timer.isActive() or self._jobs.active("latest")

    def ask(self, text: str, *, at_once: bool = False) -> None:
        """Ask for the answer to a text; earlier questions are dropped."""
        self._text = text
        if at_once:
            self._timer.stop()
            self._start()
        else:
            self._timer.start()

    def close(self) -> None:
        """Drop all questions, and wait for the running work. No signal is emitted after this call."""
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
        # If the work takes long, the pause becomes longer, because frequent work would disturb typing.
        self._timer.setInterval(max(self._delay, min(_LONGEST_DELAY, int(seconds * 1000))))
        self.answered.emit(text, answer)

    def _refuse(self, text: str, fault: errors.CqlguiError) -> None:
        self.refused.emit(text, str(fault))

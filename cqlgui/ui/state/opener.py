"""Opens PGN sources as a base in the background and reports the progress. This module draws nothing."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from cqlgui.base import errors, progress
from cqlgui.tasks.asking import pasting
from cqlgui.tasks.databases import bases, importing
from cqlgui.tasks.results import base_model
from cqlgui.ui.loop import jobs

_JOB = "open"


class Opener(QObject):
    """Only one call of `open` is carried out at a time: the next call replaces it.

    `grown` carries the base whenever more of its games can be browsed. `opened` carries the report at the
    end, also after Cancel. `progressed` carries done, total (0 if unknown), words, and the number of games
    per second.
    """

    started = Signal(list)
    grown = Signal(object)
    progressed = Signal(int, int, str, float)
    opened = Signal(object)
    failed = Signal(str)

    def __init__(self, door: jobs.Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = door
        self._began = 0.0
        self._channel: jobs.Channel[base_model.Base] | None = None

    @property
    def busy(self) -> bool:
        """Whether files are being opened."""
        return self._jobs.active(_JOB)

    def open(self, paths: Sequence[Path]) -> None:
        """Open these files as one base. Files that are not indexed yet are indexed."""
        if self._channel is not None:
            self._channel.close()
        wanted = [Path(path).absolute() for path in paths]
        channel: jobs.Channel[base_model.Base] = self._jobs.channel(lambda grown: self.grown.emit(grown[-1]))
        self._channel = channel
        self._began = time.monotonic()

        def work(token: progress.CancelToken, sink: progress.ProgressSink) -> base_model.ImportReport:
            report = importing.open_base(wanted, cancel=token, progress=sink, on_base=channel.send)
            bases.remember(wanted)
            pasting.note_opened(wanted)
            return report

        def done(report: base_model.ImportReport) -> None:
            channel.drain()
            self.opened.emit(report)

        self.started.emit(wanted)
        self._jobs.run(work, done, self._failed, self._progressed, _JOB, lambda: self.failed.emit(""))

    def cancel(self) -> None:
        """Stop reading, and keep the games that were read."""
        self._jobs.cancel(_JOB)

    def _progressed(self, report: progress.Progress) -> None:
        seconds = max(time.monotonic() - self._began, 0.001)
        self.progressed.emit(report.done, report.total or 0, report.words, report.done / seconds)

    def _failed(self, error: errors.CqlguiError) -> None:
        self.failed.emit(str(error))

"""The Dask scheduler that the user has chosen for searches of published bases. This module draws nothing."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from cqlgui.base import errors, progress
from cqlgui.tasks.cluster import joining
from cqlgui.ui.loop import jobs

_JOB = "cluster"


class Cluster(QObject):
    """Keeps the address of the scheduler, and finds out whether it answers.

    No connection is kept. Each search connects in its own thread, and disconnects at its end. So a scheduler
    that was started again is found again, and nothing has to be closed with the window.

    `changed` is emitted when `address` or `trying` has changed. `answered` carries the number of workers of a
    scheduler that was chosen. `failed` carries a sentence: the scheduler was not reached, and is not used.
    """

    changed = Signal()
    answered = Signal(int)
    failed = Signal(str)

    def __init__(self, door: jobs.Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = door
        self.address = ""
        """The scheduler that searches published bases; empty if this computer searches them."""
        self.last = ""
        """The address that the user named last, also in an earlier session."""
        self.trying = False
        """Whether it is not known yet if the scheduler answers."""

    def join(self, address: str) -> None:
        """Use the scheduler at an address from now on, unless it does not answer."""
        address = address.strip()
        self.address = self.last = address
        self.trying = True

        def work(token: progress.CancelToken, _sink: progress.ProgressSink) -> int:
            with joining.joined(address, cancel=token) as joined:
                return joined.workers

        self._jobs.run(work, self._answered, self._failed, name=_JOB)
        self.changed.emit()

    def leave(self) -> None:
        """Search all bases on this computer from now on."""
        self._jobs.cancel(_JOB, drop=True)
        self.address, self.trying = "", False
        self.changed.emit()

    def _answered(self, workers: int) -> None:
        self.trying = False
        self.changed.emit()
        self.answered.emit(workers)

    def _failed(self, error: errors.CqlguiError) -> None:
        self.leave()
        self.failed.emit(str(error))

"""Whether the hits shown belong to the query in the editor, judged by the meaning of the query. This module
draws nothing."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from cqlgui.tasks.asking import queries
from cqlgui.ui.loop import jobs

_JOB = "compare queries"


class Earlier(QObject):
    """Compares queries in the background, because the comparison of a long query takes time. `changed` is
    emitted whenever `differs` changes. During a comparison `differs` keeps its value, so that the display
    does not flicker at each key."""

    changed = Signal()

    def __init__(self, door: jobs.Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = door
        self._found_by: str | None = None
        self._differs = False

    @property
    def differs(self) -> bool:
        """Whether there are hits of a query that has another meaning than the query in the editor."""
        return self._differs

    def set_found_by(self, text: str | None, now: str) -> None:
        """Set the query that found the hits shown (None for no hits). `now` is the text in the editor."""
        self._found_by = text
        self.compare(now)

    def compare(self, now: str) -> None:
        """Compare the query of the hits with `now`, the text in the editor."""
        former = self._found_by
        if former is None or former == now:
            self._jobs.cancel(_JOB, drop=True)
            self._take(False)
            return
        self._jobs.run(
            lambda _token, _sink: not queries.mean_the_same(former, now),
            self._take,
            lambda _error: self._take(True),
            name=_JOB,
        )

    def _take(self, differs: bool) -> None:
        if differs != self._differs:
            self._differs = differs
            self.changed.emit()

"""A progress bar that is repainted with the next frame, not at once."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QProgressBar, QWidget

STEPS = 1000
"""Resolution of a bar. Values are scaled to it, because sizes may exceed the integers of Qt's bar."""
_NARROWEST = 30


class Bar(QProgressBar):
    """A bar without text. Qt's own bar repaints its whole window at once whenever the value changes. While a
    table below the bar fills, each of these repaints costs a frame. This bar is painted together with
    everything else."""

    def __init__(self, width: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextVisible(False)
        self.setMinimumWidth(_NARROWEST)
        self.setMaximumWidth(width)
        self._width = width

    def sizeHint(self) -> QSize:
        return QSize(self._width, super().sizeHint().height())

    def say(self, done: int, total: int) -> None:
        """Show that `done` of `total` is done; a `total` of 0 means that the total is unknown."""
        self.setUpdatesEnabled(False)
        self.setRange(0, STEPS if total else 0)
        if total:
            self.setValue(min(done, total) * STEPS // total)
        self.setUpdatesEnabled(True)

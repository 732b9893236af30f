"""A progress bar that is repainted together with the rest of the window, and not at once."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QProgressBar, QWidget

STEPS = 1000
"""The number of steps of a bar. Values are scaled to this number, because the size of a file in bytes may be
too large for Qt's progress bar."""
_NARROWEST = 30


class Bar(QProgressBar):
    """A bar without text. Qt's own bar repaints the whole window at once whenever the value changes. While a
    table fills during a search, these repaints would take too much time. This bar is repainted together with
    the rest of the window."""

    def __init__(self, width: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextVisible(False)
        self.setMinimumWidth(_NARROWEST)
        self.setMaximumWidth(width)
        self._width = width

    def sizeHint(self) -> QSize:
        return QSize(self._width, super().sizeHint().height())

    def say(self, done: int, total: int) -> None:
        """Show the progress: `done` out of `total`. If `total` is 0, the total is unknown."""
        self.setUpdatesEnabled(False)
        self.setRange(0, STEPS if total else 0)
        if total:
            self.setValue(min(done, total) * STEPS // total)
        self.setUpdatesEnabled(True)

"""A line in the status bar that says what was done. The line has an Undo button."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from cqlgui.ui.look import labels

_SECONDS = 9


class Notice(QWidget):
    """A message that is hidden after 9 seconds. The Undo button takes back what the message says."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = labels.ElidedLabel("", self)
        self._words.setAccessibleName("What was done")
        self.undo = QPushButton("Undo", self)
        self.undo.setFlat(True)
        self.undo.setToolTip("Take it back (Ctrl+Z)")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self._words)
        row.addWidget(self.undo)
        self._time = QTimer(self)
        self._time.setSingleShot(True)
        self._time.setInterval(_SECONDS * 1000)
        self._time.timeout.connect(self.hide)
        self.undo.clicked.connect(self._undo)
        self._undoing: Callable[[], None] | None = None
        self.hide()

    def say(self, words: str, undoing: Callable[[], None] | None = None) -> None:
        """Show a message; an empty message hides the notice. The Undo button calls `undoing`."""
        self._words.say(words)
        self._undoing = undoing
        self.undo.setVisible(undoing is not None)
        self.setVisible(bool(words))
        self._time.start()

    def text(self) -> str:
        """The message shown; empty if the notice is hidden."""
        return "" if self.isHidden() else self._words.text()

    def _undo(self) -> None:
        self.hide()
        if self._undoing is not None:
            self._undoing()

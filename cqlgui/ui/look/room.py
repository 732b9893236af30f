"""Room for a pane that is taller than the window can always give it."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

LOWEST = 120
"""Pixels of height that are left of a pane at the least; the rest is scrolled to."""


class Room(QScrollArea):
    """Holds one widget. It fills all the room there is, and is scrolled up and down where it needs more, so
    that a pane behind others, which Qt counts all the same, does not decide how low the window can be.
    """

    def __init__(self, content: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # What stands in it takes the keyboard, and is scrolled to when it does.
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._whole = _Whole(content)
        self.setWidget(self._whole)
        # To Qt nothing is visible of a pane that an opaque child fills, and the keys would pass it by.
        for layer in (self, self.viewport(), self._whole):
            layer.setAutoFillBackground(False)

    def sizeHint(self) -> QSize:
        return self._whole.sizeHint()

    def minimumSizeHint(self) -> QSize:
        needed = self._whole.minimumSizeHint()
        bar = self.verticalScrollBar().sizeHint().width()
        return QSize(needed.width() + bar, min(needed.height(), LOWEST))


class _Whole(QWidget):
    """What is scrolled. A scroll area gives what folds its lines the height it would like to have; here the
    least that it can do with is asked for, and the rest is given as far as there is room.
    """

    def __init__(self, content: QWidget) -> None:
        super().__init__()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addWidget(content)

    def heightForWidth(self, width: int) -> int:
        folds = self._column.hasHeightForWidth()
        return self._column.totalMinimumHeightForWidth(width) if folds else -1

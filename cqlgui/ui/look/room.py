"""Scrolling for a pane that may be taller than the window."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

LOWEST = 120
"""Least height of a pane in pixels; the rest is scrolled."""


class Room(QScrollArea):
    """Holds one widget. The widget fills all the room, and can be scrolled vertically if it needs more. Qt
    also counts the height of a pane behind other panes. Scrolling keeps such a pane from limiting how low the
    window can be."""

    def __init__(self, content: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # The inner widgets take the keyboard, and are scrolled into view when they do.
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._whole = _Whole(content)
        self.setWidget(self._whole)
        # Qt would count a pane that is filled by an opaque child as invisible, and keys would skip the pane.
        for layer in (self, self.viewport(), self._whole):
            layer.setAutoFillBackground(False)

    def sizeHint(self) -> QSize:
        return self._whole.sizeHint()

    def minimumSizeHint(self) -> QSize:
        needed = self._whole.minimumSizeHint()
        bar = self.verticalScrollBar().sizeHint().width()
        return QSize(needed.width() + bar, min(needed.height(), LOWEST))


class _Whole(QWidget):
    """The scrolled content. A scroll area would give its preferred height to a widget that folds its lines.
    Here the widget gets at least its minimum height, and more as far as there is room."""

    def __init__(self, content: QWidget) -> None:
        super().__init__()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addWidget(content)

    def heightForWidth(self, width: int) -> int:
        folds = self._column.hasHeightForWidth()
        return self._column.totalMinimumHeightForWidth(width) if folds else -1

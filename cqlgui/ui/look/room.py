"""Scrolling for a pane that may be taller than the window."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

LOWEST = 120
"""The least height of a pane in pixels. If the content needs more height than the pane has, the content is
scrolled."""


class Room(QScrollArea):
    """Holds one widget. The widget fills all the room. If the widget needs more height, the widget can be
    scrolled. Without scrolling, a high pane would force the window to be high, even if the pane is behind
    other panes."""

    def __init__(self, content: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # The scroll area itself never has the keyboard focus, but its inner widgets can have the focus. An
        # inner widget that gets the focus is scrolled into view.
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._whole = _Whole(content)
        self.setWidget(self._whole)
        # These widgets are not opaque. Qt would count a pane under an opaque child as invisible, and the key
        # F6 would skip the pane.
        for layer in (self, self.viewport(), self._whole):
            layer.setAutoFillBackground(False)

    def sizeHint(self) -> QSize:
        return self._whole.sizeHint()

    def minimumSizeHint(self) -> QSize:
        needed = self._whole.minimumSizeHint()
        bar = self.verticalScrollBar().sizeHint().width()
        return QSize(needed.width() + bar, min(needed.height(), LOWEST))


class _Whole(QWidget):
    """The scrolled content. A scroll area would give the preferred height to a widget that wraps lines. This
    class gives the widget at least its minimum height, and more height if there is room."""

    def __init__(self, content: QWidget) -> None:
        super().__init__()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addWidget(content)

    def heightForWidth(self, width: int) -> int:
        folds = self._column.hasHeightForWidth()
        return self._column.totalMinimumHeightForWidth(width) if folds else -1

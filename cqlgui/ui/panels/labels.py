"""A label that gives way: it shows as much of its text as there is room for, and all of it on hovering."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QStyle, QWidget

NARROWEST = 40
"""Pixels a label keeps whatever happens."""


class ElidedLabel(QLabel):
    """Plain text in one line, cut with an ellipsis where the room ends."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def say(self, text: str) -> None:
        """Show a text; assistive technology and the tool tip get all of it."""
        if text != self.text():
            self.setText(text)
            self.setToolTip(text)

    def minimumSizeHint(self) -> QSize:
        return QSize(NARROWEST, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        room = self.contentsRect()
        cut = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, room.width())
        style = self.style()
        flags = QStyle.visualAlignment(self.layoutDirection(), self.alignment())
        style.drawItemText(
            painter, room, int(flags), self.palette(), self.isEnabled(), cut, self.foregroundRole()
        )
        painter.end()

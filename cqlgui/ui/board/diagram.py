"""A small board that only displays: the diagram beside a query of the library."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from cqlgui.board import position as position_module
from cqlgui.ui.board import painting, widget
from cqlgui.ui.look import canvas, theme

_CELL, _SMALLEST_CELL = 14, 9


class Diagram(QWidget):
    """Draws one position. The height of the widget decides the size of a square, which is a whole number of
    pixels."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._position: position_module.Position | None = None
        self.setAccessibleName("Diagram")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        theme.theme().changed.connect(self.update)

    def set_fen(self, fen: str) -> None:
        """Show the position of a FEN that the library has checked. Without a FEN the diagram is hidden."""
        self._position = position_module.Position.from_fen(fen) if fen else None
        self.setVisible(self._position is not None)
        self.setAccessibleDescription(widget.spoken(self._position))
        self.update()

    @property
    def position(self) -> position_module.Position | None:
        """The position shown."""
        return self._position

    def sizeHint(self) -> QSize:
        return QSize(8 * _CELL + 2, 8 * _CELL + 2)

    def minimumSizeHint(self) -> QSize:
        return QSize(8 * _SMALLEST_CELL + 2, 8 * _SMALLEST_CELL + 2)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        cell = max(_SMALLEST_CELL, min(_CELL, (self.height() - 2) // 8))
        self.setFixedWidth(8 * cell + 2)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._position is None:
            return
        with canvas.Painter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            frame = painting.Frame(1, 1, (min(self.width(), self.height()) - 2) // 8, False)
            painting.draw_squares(painter, frame, theme.colours())
            painting.draw_men(painter, frame, self._position.squares, self.devicePixelRatioF())

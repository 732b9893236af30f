"""Line numbers beside the query, with a mark of its own shape on lines that have a diagnostic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRect, QSize, Qt
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPolygonF, QTextCursor
from PySide6.QtWidgets import QWidget

from cqlgui.ui.editor import colours

if TYPE_CHECKING:
    from cqlgui.ui.editor import edit

_SIDE = 6


class Gutter(QWidget):
    """Painted at the editor's left edge; a click selects the line."""

    def __init__(self, editor: edit.QueryEdit) -> None:
        super().__init__(editor)
        self._editor = editor
        self.setAccessibleName("Line numbers")

    def needed_width(self) -> int:
        """Width in pixels for the numbers of all lines, three digits at least."""
        digits = max(3, len(str(self._editor.blockCount())))
        return 3 * _SIDE + digits * self._editor.fontMetrics().horizontalAdvance("9") + self._mark_size()

    def _mark_size(self) -> int:
        return max(7, self._editor.fontMetrics().height() // 2)

    def sizeHint(self) -> QSize:
        return QSize(self.needed_width(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(event.rect(), colours.of(self, "gutter"))
        painter.setFont(self._editor.font())
        current = self._editor.textCursor().blockNumber()
        severities = self._editor.line_severities()
        mark = self._mark_size()
        here, elsewhere = colours.of(self, "gutter-current"), colours.of(self, "gutter-text")
        for block, top, height in self._editor.visible_blocks():
            if top + height < event.rect().top() or top > event.rect().bottom():
                continue
            number = block.blockNumber()
            painter.setPen(here if number == current else elsewhere)
            line_height = self._editor.fontMetrics().height()
            box = QRect(_SIDE + mark, int(top), self.width() - 2 * _SIDE - mark, line_height)
            painter.drawText(
                box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, str(number + 1)
            )
            if number in severities:
                _draw_mark(
                    painter,
                    self,
                    severities[number],
                    QPointF(_SIDE / 2 + mark / 2, top + line_height / 2),
                    mark,
                )
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        for block, top, height in self._editor.visible_blocks():
            if top <= event.position().y() < top + height:
                cursor = QTextCursor(block)
                cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
                self._editor.setTextCursor(cursor)
                self._editor.setFocus()
                return


def _draw_mark(painter: QPainter, widget: QWidget, severity: str, centre: QPointF, size: int) -> None:
    """A filled disc for an error, a triangle for a warning: the shape tells, not only the colour."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colours.of(widget, severity))
    half = size / 2
    if severity == "error":
        painter.drawEllipse(centre, half, half)
        return
    x, y = centre.x(), centre.y()
    painter.drawPolygon(
        QPolygonF([QPointF(x, y - half), QPointF(x + half, y + half), QPointF(x - half, y + half)])
    )

"""The list of findings under the query: a shape for the severity, the place, the sentence, the way out."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QIcon, QKeyEvent, QPainter, QPixmap, QPolygonF
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from cqlgui.cql import diagnostics
from cqlgui.ui.editor import colours

_OFFSET = Qt.ItemDataRole.UserRole


class ProblemsList(QListWidget):
    """Shows diagnostics; `chosen` carries the code-point offset of the one that was clicked or entered."""

    chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Problems in the query")
        self.setWordWrap(True)
        self.setIconSize(QSize(14, 14))
        self.setFrameShape(QListWidget.Shape.NoFrame)
        self.setUniformItemSizes(False)
        self.setSpacing(2)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.itemClicked.connect(self._choose)

    def set_diagnostics(self, text: str, found: tuple[diagnostics.Diagnostic, ...]) -> None:
        """Show the findings of a check of `text`, in the order given."""
        self.clear()
        for finding in found:
            line, column = diagnostics.line_and_column(text, finding.span.offset)
            hint = finding.hint[:1].upper() + finding.hint[1:]
            words = f"{line}:{column}  {finding.message}" + (f"\n{hint}" if hint else "")
            item = QListWidgetItem(severity_icon(finding.severity, colours.of(self, finding.severity)), words)
            item.setData(_OFFSET, finding.span.offset)
            item.setToolTip(f"{finding.code}: click to go there")
            item.setData(
                Qt.ItemDataRole.AccessibleTextRole,
                f"{finding.severity}, line {line}, column {column}: {finding.message} {finding.hint}",
            )
            self.addItem(item)

    def wanted_height(self) -> int:
        """Pixels that show every row."""
        rows = sum(self.sizeHintForRow(row) + 2 * self.spacing() for row in range(self.count()))
        return rows + 2 * self.frameWidth() + 2

    def _choose(self, item: QListWidgetItem) -> None:
        self.chosen.emit(int(item.data(_OFFSET)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        item = self.currentItem()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and item is not None:
            self._choose(item)
            event.accept()
            return
        super().keyPressEvent(event)


def severity_icon(severity: str, colour: QColor) -> QIcon:
    """A disc with a cross for an error, a triangle with a bar for a warning, in any colour."""
    size = 28
    pixmap = QPixmap(size, size)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    white = QColor("white") if colour.lightness() < 160 else QColor("black")
    pen = painter.pen()
    pen.setStyle(Qt.PenStyle.SolidLine)
    pen.setColor(white)
    pen.setWidthF(3)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    if severity == "error":
        painter.drawEllipse(1, 1, size - 2, size - 2)
        painter.setPen(pen)
        painter.drawLine(9, 9, 19, 19)
        painter.drawLine(19, 9, 9, 19)
    else:
        painter.drawPolygon(QPolygonF([QPointF(14, 1), QPointF(27, 26), QPointF(1, 26)]))
        painter.setPen(pen)
        painter.drawLine(14, 10, 14, 17)
        painter.drawPoint(14, 22)
    painter.end()
    return QIcon(pixmap)


def good_icon(colour: QColor) -> QIcon:
    """A tick: nothing to complain about."""
    pixmap = QPixmap(28, 28)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    pen = painter.pen()
    pen.setColor(colour)
    pen.setWidthF(4)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    painter.setPen(pen)
    painter.drawPolyline(QPolygonF([QPointF(5, 15), QPointF(11, 22), QPointF(23, 6)]))
    painter.end()
    return QIcon(pixmap)

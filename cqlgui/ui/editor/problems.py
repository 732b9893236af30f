"""The list of findings under the query. Each row has an icon for the severity, the place, the message and the
fix."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QIcon, QKeyEvent, QMouseEvent, QPainter, QPixmap, QPolygonF
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from cqlgui.cql.source import diagnostics
from cqlgui.ui.editor import gutter
from cqlgui.ui.look import canvas, colours, wording

_OFFSET = Qt.ItemDataRole.UserRole
_FIX = Qt.ItemDataRole.UserRole + 1


class ProblemsList(QListWidget):
    """Shows diagnostics, each with its fix as a link. A click on a row, or Enter, emits `chosen` with the
    code-point offset of the finding. A click on the link of a row, or Ctrl+period, emits `fix_chosen` with a
    `diagnostics.Fix`."""

    chosen = Signal(int)
    fix_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Problems in the query")
        self.setWordWrap(True)
        self.setIconSize(QSize(14, 14))
        self.setFrameShape(QListWidget.Shape.NoFrame)
        self.setUniformItemSizes(False)
        self.setSpacing(2)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setItemDelegate(_Delegate(self))
        self.setMouseTracking(True)
        self.itemClicked.connect(self._choose)

    def set_diagnostics(self, text: str, found: tuple[diagnostics.Diagnostic, ...]) -> None:
        """Show the findings of a check of `text`, in the order of the tuple."""
        self.clear()
        for finding in found:
            line, column = diagnostics.line_and_column(text, finding.span.offset)
            # If a finding has a fix, the hint is left out, because the link would repeat the hint.
            hint = "" if finding.fix else finding.hint[:1].upper() + finding.hint[1:]
            words = f"{line}:{column}  {finding.message}" + (f"\n{hint}" if hint else "")
            item = QListWidgetItem(severity_icon(finding.severity, colours.of(self, finding.severity)), words)
            item.setData(_OFFSET, finding.span.offset)
            item.setData(_FIX, finding.fix)
            tip = f"{finding.code}: click to go there" + (f"\n{finding.hint}" if finding.hint else "")
            item.setToolTip(wording.plain_tip(tip))
            item.setData(
                Qt.ItemDataRole.AccessibleTextRole,
                f"{finding.severity}, line {line}, column {column}: {finding.message} {finding.hint}"
                + (f" Control+period: {finding.fix.title}." if finding.fix else ""),
            )
            self.addItem(item)

    def wanted_height(self) -> int:
        """The height in pixels that the list needs if all rows are to be visible."""
        rows = sum(self.sizeHintForRow(row) + 2 * self.spacing() for row in range(self.count()))
        if self.isVisible() and self.count():
            # At the real width of the list, a row may take more lines than its size hint assumes.
            last = self.visualItemRect(self.item(self.count() - 1))
            rows = max(rows, last.bottom() + self.verticalOffset() + self.spacing())
        return rows + 2 * self.frameWidth() + 4

    def _choose(self, item: QListWidgetItem) -> None:
        self.chosen.emit(int(item.data(_OFFSET)))

    def fix_at(self, row: int) -> diagnostics.Fix | None:
        """The fix that a row offers; None if the row has no fix."""
        fix = self.item(row).data(_FIX)
        return fix if isinstance(fix, diagnostics.Fix) else None

    def link(self, row: int) -> QRect:
        """The rectangle of the link in a row."""
        area = self.visualItemRect(self.item(row))
        return _link(area, self.fontMetrics().height())

    def _link_under(self, event: QMouseEvent) -> diagnostics.Fix | None:
        place = event.position().toPoint()
        item = self.itemAt(place)
        if item is None or not self.link(self.row(item)).contains(place):
            return None
        return self.fix_at(self.row(item))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        over = self._link_under(event) is not None
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.ArrowCursor)
        super().mouseMoveEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        fix = self._link_under(event) if event.button() == Qt.MouseButton.LeftButton else None
        if fix is not None:
            event.accept()
            self.fix_chosen.emit(fix)
            return
        super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        item = self.currentItem()
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if event.key() == Qt.Key.Key_Period and control and item is not None:
            fix = self.fix_at(self.row(item))
            if fix is not None:
                self.fix_chosen.emit(fix)
            event.accept()
            return
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and item is not None:
            self._choose(item)
            event.accept()
            return
        super().keyPressEvent(event)


class _Delegate(QStyledItemDelegate):
    """Draws a finding like any other item. Below the finding, the title of the fix is drawn as a link."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        size = super().sizeHint(option, index)
        if index.data(_FIX) is not None:
            size.setHeight(size.height() + option.fontMetrics.height() + 2)
        return size

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        fix = index.data(_FIX)
        if not isinstance(fix, diagnostics.Fix):
            super().paint(painter, option, index)
            return
        view = self.parent()
        assert isinstance(view, QWidget)
        whole: QRect = option.rect
        link = _link(whole, option.fontMetrics.height())
        upper = QStyleOptionViewItem(option)
        upper.rect = whole.adjusted(0, 0, 0, -link.height())
        super().paint(painter, upper, index)
        painter.save()
        painter.setPen(colours.of(view, "link"))
        font = painter.font()
        font.setUnderline(True)
        painter.setFont(font)
        words = painter.fontMetrics().elidedText(fix.title, Qt.TextElideMode.ElideRight, link.width())
        painter.drawText(link, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)
        painter.restore()


def _link(area: QRect, line: int) -> QRect:
    """The rectangle of the last line in a row, to the right of the icon."""
    return QRect(area.left() + 22, area.bottom() - line - 3, area.width() - 26, line + 2)


def severity_icon(severity: str, colour: QColor) -> QIcon:
    """An icon in a colour: a disc with a cross for an error, or a triangle with a bar for a warning."""
    size = 28
    pixmap = QPixmap(size, size)
    pixmap.fill(Qt.GlobalColor.transparent)
    with canvas.Painter(pixmap) as painter:
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
    return QIcon(pixmap)


def good_icon(colour: QColor) -> QIcon:
    """A tick, for a query without findings."""
    pixmap = QPixmap(28, 28)
    pixmap.fill(Qt.GlobalColor.transparent)
    with canvas.Painter(pixmap) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen = painter.pen()
        pen.setColor(colour)
        pen.setWidthF(4)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        painter.setPen(pen)
        painter.drawPolyline(QPolygonF([QPointF(5, 15), QPointF(11, 22), QPointF(23, 6)]))
    return QIcon(pixmap)


def truth_icon(widget: QWidget, holds: bool) -> QIcon:
    """The gutter's tick or cross as an icon."""
    pixmap = QPixmap(28, 28)
    pixmap.fill(Qt.GlobalColor.transparent)
    with canvas.Painter(pixmap) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        gutter.draw_truth(
            painter, colours.of(widget, "truth_yes" if holds else "truth_no"), holds, QPointF(14, 14), 22
        )
    return QIcon(pixmap)

"""Draws rows of lists in two lines: a text, and a muted text below it."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFont, QPainter, QPalette
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from cqlgui.ui.look import colours

Index = QModelIndex | QPersistentModelIndex
ABOUT: Final = int(Qt.ItemDataRole.UserRole)
"""The role of the second line."""
SIGN: Final = ABOUT + 1
"""The role of a sign before the row. A row with a sign is indented."""
HEAD: Final = ABOUT + 2
"""The role that says whether a row begins a group. Its text is bold, and a line is above it."""


class TwoLines(QStyledItemDelegate):
    """Draws the rows of a view, which is its parent."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(120, 2 * option.fontMetrics.height() + 10)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        palette: QPalette = option.palette
        view = self.parent()
        assert isinstance(view, QWidget)
        area: QRect = option.rect
        painter.save()
        painter.fillRect(area, palette.highlight() if chosen else palette.base())
        head, sign = bool(index.data(HEAD)), str(index.data(SIGN) or "")
        if head and index.row():
            painter.setPen(colours.of(view, "frame"))
            painter.drawLine(area.topLeft(), area.topRight())
        ink = palette.color(QPalette.ColorRole.HighlightedText if chosen else QPalette.ColorRole.Text)
        muted = ink if chosen else colours.of(view, "muted")
        inner = area.adjusted(8, 4, -8, -4)
        elide = Qt.TextElideMode.ElideRight
        if sign:
            painter.setPen(muted)
            painter.drawText(inner.adjusted(4, 0, 0, 0), Qt.AlignmentFlag.AlignTop, sign)
            inner.adjust(_INDENT, 0, 0, 0)
        font = QFont(option.font)
        font.setBold(head)
        painter.setFont(font)
        painter.setPen(ink)
        top = painter.fontMetrics().elidedText(str(index.data() or ""), elide, inner.width())
        painter.drawText(inner, Qt.AlignmentFlag.AlignTop, top)
        painter.setFont(option.font)
        painter.setPen(muted)
        about = painter.fontMetrics().elidedText(str(index.data(ABOUT) or ""), elide, inner.width())
        painter.drawText(inner, Qt.AlignmentFlag.AlignBottom, about)
        painter.restore()


_INDENT: Final = 20
"""The indentation of a row with a sign, in pixels."""

"""Paints a pattern as a small board: men where they are asked for, rings on plain squares, tinted areas."""

from __future__ import annotations

import functools

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QWidget

from cqlgui.base import resources
from cqlgui.board import squares
from cqlgui.ui.editor import colours
from cqlgui.ui.picker import pattern

_FAINT = 0.45


def paint(painter: QPainter, area: QRectF, shown: pattern.Pattern, widget: QWidget) -> None:
    """Draw `shown` into a square area; colours come from the widget's palette."""
    side = min(area.width(), area.height())
    cell = side / 8
    light, dark = colours.of(widget, "square-light"), colours.of(widget, "square-dark")
    painter.fillRect(QRectF(area.left(), area.top(), side, side), light)
    tint = colours.of(widget, "area")
    tint.setAlpha(100)
    for square in range(64):
        box = _box(area, cell, square)
        if 1 << square & squares.DARK:
            painter.fillRect(box, dark)
        if shown.area >> square & 1:
            painter.fillRect(box, tint)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for one in shown.cells:
        _cell(painter, _box(area, cell, one.square), one, widget)
    painter.setPen(QPen(colours.of(widget, "frame"), 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(QRectF(area.left(), area.top(), side, side))


def _box(area: QRectF, cell: float, square: int) -> QRectF:
    left = area.left() + squares.file_of(square) * cell
    top = area.top() + (7 - squares.rank_of(square)) * cell
    return QRectF(left, top, cell, cell)


def _cell(painter: QPainter, box: QRectF, one: pattern.Cell, widget: QWidget) -> None:
    painter.setOpacity(1.0 if one.sure else _FAINT)
    ring = QColor(colours.of(widget, "ring"))
    inner = box.adjusted(1, 1, -1, -1)
    if one.symbol in "KQRBNPkqrbnp" and one.symbol:
        _piece(one.symbol).render(painter, inner)
    elif one.symbol in ("A", "a", "*"):
        # Any man of a colour is a disc of that colour; any man at all is half and half.
        painter.setPen(QPen(QColor("black"), 1))
        disc = inner.adjusted(
            inner.width() * 0.15, inner.height() * 0.15, -inner.width() * 0.15, -inner.height() * 0.15
        )
        painter.setBrush(QColor("black" if one.symbol == "a" else "white"))
        painter.drawEllipse(disc)
        if one.symbol == "*":
            painter.setBrush(QColor("black"))
            painter.drawPie(disc, 270 * 16, 180 * 16)
    else:
        painter.setPen(QPen(ring, max(1.0, box.width() / 9)))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if one.symbol == "_":
            painter.drawRect(inner.adjusted(2, 2, -2, -2))
        else:
            painter.drawEllipse(inner)
    if one.absent:
        painter.setOpacity(1.0)
        painter.setPen(QPen(ring, max(1.2, box.width() / 8)))
        painter.drawLine(inner.topLeft(), inner.bottomRight())
        painter.drawLine(inner.topRight(), inner.bottomLeft())
    painter.setOpacity(1.0)


@functools.cache
def _piece(symbol: str) -> QSvgRenderer:
    colour = "w" if symbol.isupper() else "b"
    return QSvgRenderer(str(resources.resource(f"pieces/cburnett/{colour}{symbol.upper()}.svg")))

"""Small drawings of what each transform does, painted in the text's colour."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPen, QPixmap, QPolygonF

from cqlgui.ui.look import canvas

_SIZE = 64.0  # drawn large, scaled down by Qt
_MIDDLE = QPointF(32, 32)


def icon(word: str, ink: QColor, accent: QColor) -> QIcon:
    """The drawing of one transform: the pattern in `ink`, its images and movements in `accent`."""
    pixmap = QPixmap(int(_SIZE), int(_SIZE))
    pixmap.fill(Qt.GlobalColor.transparent)
    with canvas.Painter(pixmap) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen = QPen(ink, 5)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        painter.setPen(pen)
        _draw(painter, word, ink, accent)
    return QIcon(pixmap)


def _draw(painter: QPainter, word: str, ink: QColor, accent: QColor) -> None:
    pen = painter.pen()
    if word in ("flipvertical", "fliphorizontal"):
        painter.translate(_MIDDLE)
        painter.rotate(0 if word == "flipvertical" else 90)
        _triangle(painter, -1, ink, filled=True)
        _triangle(painter, 1, accent, filled=False)
        _axis(painter, ink, 0)
    elif word == "flip":
        painter.translate(_MIDDLE)
        for angle in (0, 45, 90, 135):
            _axis(painter, ink, angle)
        for place in range(8):
            turn = math.radians(22.5 + 45 * place)
            painter.setPen(QPen(accent, 3))
            painter.setBrush(ink if place == 0 else Qt.BrushStyle.NoBrush)
            painter.drawEllipse(QPointF(22 * math.cos(turn), 22 * math.sin(turn)), 5, 5)
    elif word in ("flipcolor", "reversecolor"):
        both = word == "flipcolor"
        painter.setBrush(ink)
        if both:
            painter.drawEllipse(QPointF(20, 32), 13, 13)
        painter.setPen(QPen(accent, 5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawEllipse(QPointF(46, 32), 13, 13)
        if not both:
            _arrow(painter, QPointF(6, 32), QPointF(27, 32), accent)
    elif word == "rotate90":
        _turn(painter, accent, 300)
        painter.setBrush(ink)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.drawRect(QRectF(25, 25, 14, 14))
    elif word == "rotate45":
        painter.translate(_MIDDLE)
        for place in range(8):
            turn = math.radians(45 * place)
            end = QPointF(26 * math.cos(turn), -26 * math.sin(turn))
            _arrow(painter, QPointF(end.x() * 0.25, end.y() * 0.25), end, ink if place == 2 else accent, 9)
    else:
        painter.setPen(pen)
        painter.setBrush(ink)
        painter.drawRect(QRectF(26, 26, 12, 12))
        steps = {"shift": ((1, 0), (-1, 0), (0, 1), (0, -1)), "shiftvertical": ((0, 1), (0, -1))}
        for x, y in steps.get(word, ((1, 0), (-1, 0))):
            _arrow(painter, QPointF(32 + 12 * x, 32 + 12 * y), QPointF(32 + 28 * x, 32 + 28 * y), accent, 10)


def _triangle(painter: QPainter, side: int, colour: QColor, *, filled: bool) -> None:
    painter.setPen(QPen(colour, 4))
    painter.setBrush(colour if filled else Qt.BrushStyle.NoBrush)
    painter.drawPolygon(QPolygonF([QPointF(side * 8, -18), QPointF(side * 27, 18), QPointF(side * 8, 18)]))


def _axis(painter: QPainter, colour: QColor, angle: float) -> None:
    painter.save()
    painter.rotate(angle)
    pen = QPen(colour, 3, Qt.PenStyle.DotLine)
    painter.setPen(pen)
    painter.drawLine(QPointF(0, -30), QPointF(0, 30))
    painter.restore()


def _turn(painter: QPainter, colour: QColor, degrees: int) -> None:
    painter.setPen(QPen(colour, 5))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawArc(QRectF(8, 8, 48, 48), 30 * 16, degrees * 16)
    angle = math.radians(30 + degrees)
    tip = QPointF(32 + 24 * math.cos(angle), 32 - 24 * math.sin(angle))
    _head(painter, tip, math.atan2(-math.cos(angle), -math.sin(angle)), colour, 13)


def _arrow(painter: QPainter, start: QPointF, end: QPointF, colour: QColor, head: float = 12) -> None:
    painter.setPen(QPen(colour, 4))
    painter.drawLine(start, end)
    _head(painter, end, math.atan2(end.y() - start.y(), end.x() - start.x()), colour, head)


def _head(painter: QPainter, tip: QPointF, angle: float, colour: QColor, size: float) -> None:
    wings = [
        QPointF(tip.x() - size * math.cos(angle + turn), tip.y() - size * math.sin(angle + turn))
        for turn in (0.55, -0.55)
    ]
    painter.setPen(QPen(colour, 2))
    painter.setBrush(colour)
    painter.drawPolygon(QPolygonF([tip, *wings]))

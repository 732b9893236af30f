"""Draws the signs that stand on a square instead of a man: the signs for a man of any kind, an empty square
and any square."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen

from cqlgui.board import men

WHITE, BLACK, EDGE = "#ffffff", "#10151b", "#38424e"
"""Colours of the discs for men of any kind. Like the colours of all men, these colours do not depend on the
theme."""


def draw_empty(painter: QPainter, box: QRectF) -> None:
    """Draw the sign for an empty square: a hollow square."""
    size = box.width() * 0.44
    hole = QRectF(box.center().x() - size / 2, box.center().y() - size / 2, size, size)
    width = max(1.5, box.width() * 0.07)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for ink, stroke in ((WHITE, width + 2.0), (BLACK, width)):
        painter.setPen(QPen(QColor(ink), stroke, Qt.PenStyle.SolidLine, Qt.PenCapStyle.SquareCap))
        painter.drawRect(hole)


def draw_dots(painter: QPainter, box: QRectF) -> None:
    """Draw the sign for any square: a small round dot."""
    size = box.width() * 0.13
    painter.setPen(QPen(QColor(WHITE), max(1.0, size * 0.3)))
    painter.setBrush(QColor(BLACK))
    painter.drawEllipse(box.center(), size, size)


def draw_disc(painter: QPainter, box: QRectF, mask: men.ManMask) -> None:
    """Draw the sign for a man of any kind: a disc in the colour of the man, with a question mark."""
    size = box.width() * 0.62
    disc = QRectF(box.center().x() - size / 2, box.center().y() - size / 2, size, size)
    painter.setPen(Qt.PenStyle.NoPen)
    if mask == men.MAN_MASK:
        for ink, start in ((WHITE, 90), (BLACK, 270)):
            painter.setBrush(QColor(ink))
            painter.drawPie(disc, start * 16, 180 * 16)
    else:
        painter.setBrush(QColor(WHITE if mask == men.WHITE_MASK else BLACK))
        painter.drawEllipse(disc)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    width = max(1.2, box.width() * 0.045)
    painter.setPen(QPen(QColor(BLACK if mask & men.WHITE_MASK else WHITE), width))
    painter.drawEllipse(disc)
    font = QFont(painter.font())
    font.setPixelSize(max(6, round(size * 0.66)))
    font.setBold(True)
    painter.setFont(font)
    if mask == men.MAN_MASK:
        path = QPainterPath()
        metrics = QFontMetricsF(font)
        path.addText(
            disc.center().x() - metrics.horizontalAdvance("?") / 2,
            disc.center().y() + metrics.capHeight() / 2,
            font,
            "?",
        )
        painter.setPen(QPen(QColor(WHITE), max(1.6, size * 0.1)))
        painter.drawPath(path)
        painter.fillPath(path, QColor(EDGE))
    else:
        painter.setPen(QColor(EDGE if mask == men.WHITE_MASK else WHITE))
        painter.drawText(disc, Qt.AlignmentFlag.AlignCenter, "?")

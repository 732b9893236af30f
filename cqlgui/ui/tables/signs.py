"""Small signs for the elements of an orbit: a drawing for each part of a transform."""

from __future__ import annotations

import functools
import math

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap, QPolygonF

from cqlgui.cql.transforming import words
from cqlgui.ui.look import canvas

_COLOURS = "invertcolor"
_SWAPPED = "invertcolor reflect_h"
_AXES = {"reflect_v": 0, "reflect_h": 90, "reflect_a1h8": 45, "reflect_a8h1": -45}
_TURNS = {"counterclockwise90": 90, "rotate180": 180, "clockwise90": -90}
_WAYS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
_CELL = 16.0
"""Side in pixels of the drawings that `_draw` makes. The drawings are scaled to the wanted size."""


def parts(transform: str) -> tuple[str, ...]:
    """The parts of a transform in CQL's spelling (`<reflect_v invertcolor reflect_h>`). The part that acts
    first comes first. All shifts together are one part."""
    if transform in ("", words.AS_WRITTEN):
        return ("=",)
    inner = transform.strip("<>").replace(_SWAPPED, _COLOURS).split()
    shifts = " ".join(part for part in inner if part.partition("^")[0] in _WAYS)
    others = [part for part in inner if part.partition("^")[0] not in _WAYS]
    return tuple(filter(None, (shifts, *reversed(others)))) or ("=",)


@functools.lru_cache(maxsize=1024)
def sign(transform: str, width: int, height: int, ink: str, ratio: float) -> QPixmap:
    """The signs of a transform in one picture of this size, from left to right."""
    made = canvas.picture(width, height, ratio)
    found = parts(transform)
    side = min(float(height), width / len(found))
    with canvas.Painter(made) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for place, part in enumerate(found):
            painter.save()
            painter.translate(place * side + side / 2, height / 2)
            painter.scale(side / _CELL, side / _CELL)
            pen = QPen(QColor(ink), 1.5)
            pen.setCapStyle(Qt.PenCapStyle.RoundCap)
            painter.setPen(pen)
            _draw(painter, part, QColor(ink))
            painter.restore()
    return made


def _draw(painter: QPainter, part: str, ink: QColor) -> None:
    """Draw one part around the origin, in a square with sides of `_CELL` pixels."""
    if part == "=":
        painter.drawLine(QPointF(-4, -2), QPointF(4, -2))
        painter.drawLine(QPointF(-4, 2), QPointF(4, 2))
    elif part == _COLOURS:
        disc = QRectF(-5, -5, 10, 10)
        painter.drawEllipse(disc)
        painter.setBrush(ink)
        painter.drawPie(disc, 90 * 16, 180 * 16)
    elif part in _AXES:
        painter.rotate(_AXES[part])
        painter.drawLine(QPointF(0, -6.5), QPointF(0, 6.5))
        painter.drawPolygon(QPolygonF([QPointF(2.5, -4), QPointF(6.5, 4), QPointF(2.5, 4)]))
        painter.setBrush(ink)
        painter.drawPolygon(QPolygonF([QPointF(-2.5, -4), QPointF(-6.5, 4), QPointF(-2.5, 4)]))
    elif part in _TURNS:
        degrees = _TURNS[part]
        painter.drawArc(QRectF(-5, -5, 10, 10), 0, degrees * 16)
        end = math.radians(degrees)
        tip = QPointF(5 * math.cos(end), -5 * math.sin(end))
        _head(painter, tip, end + math.copysign(math.pi / 2, degrees), ink)
        painter.setBrush(ink)
        painter.drawEllipse(QPointF(0, 0), 0.6, 0.6)
    elif part.startswith("rotate45"):
        for place in range(8):
            turn = math.radians(45 * place)
            painter.drawLine(
                QPointF(2 * math.cos(turn), 2 * math.sin(turn)),
                QPointF(6 * math.cos(turn), 6 * math.sin(turn)),
            )
    else:
        x = y = 0
        for step in part.split():
            name, _, count = step.partition("^")
            way = _WAYS.get(name)
            if way is not None:
                number = int(count) if count.isdecimal() else 1
                x, y = x + way[0] * number, y + way[1] * number
        angle = math.atan2(-y, x)
        tip = QPointF(6 * math.cos(angle), -6 * math.sin(angle))
        painter.drawLine(-tip, tip)
        _head(painter, tip, angle, ink)


def _head(painter: QPainter, tip: QPointF, angle: float, ink: QColor) -> None:
    """The head of an arrow that points in the direction of an angle."""
    painter.setBrush(ink)
    wings = [
        tip - QPointF(4 * math.cos(angle + by), -4 * math.sin(angle + by))
        for by in (math.radians(28), -math.radians(28))
    ]
    painter.drawPolygon(QPolygonF([tip, *wings]))

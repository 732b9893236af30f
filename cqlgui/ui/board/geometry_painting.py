"""Draws transforms: the axis of a reflection, the centre of a rotation, the arrow of a shift, and the border
of the query's own frame. This module does not use widgets."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen, QPolygonF

from cqlgui.board import motions, squares
from cqlgui.ui.board import painting
from cqlgui.ui.look import theme

FRAME = 4
"""Width in pixels of the border round a board that shows the query's frame. Half of the border lies on the
squares."""


def draw_motion(
    painter: QPainter, frame: painting.Frame, motion: motions.Motion, colours: theme.Colours
) -> None:
    """Draw the axis of a reflection and the centre of a rotation. A centre outside the board is not drawn."""
    figure = motions.figure(motion)
    painter.save()
    painter.setClipRect(frame.rect.adjusted(-FRAME, -FRAME, FRAME, FRAME))
    if figure.axis is not None:
        _draw_axis(painter, frame, *figure.axis, colours)
    if figure.centre is not None:
        centre = place(frame, figure.centre)
        if frame.rect.adjusted(-1, -1, 1, 1).contains(centre):
            _draw_centre(painter, frame, centre, figure.quarters, colours)
    painter.restore()


def place(frame: painting.Frame, point: motions.Point) -> QPointF:
    """The pixel position of a point on a board. `point` is a horizontal and a vertical distance from the
    centre of a1, in squares."""
    x, y = point[0] + 0.5, 7.5 - point[1]
    if frame.turned:
        x, y = 8 - x, 8 - y
    return QPointF(frame.left + x * frame.cell, frame.top + y * frame.cell)


def _draw_axis(
    painter: QPainter,
    frame: painting.Frame,
    point: motions.Point,
    direction: motions.Point,
    colours: theme.Colours,
) -> None:
    # The axis is drawn longer than the board. The painter clips the axis at the edges of the board.
    first, last = (
        place(frame, (point[0] + sign * 12 * direction[0], point[1] + sign * 12 * direction[1]))
        for sign in (-1, 1)
    )
    width = max(2.0, frame.cell * 0.045)
    halo = colours.colour("ring_halo")
    halo.setAlpha(190)
    for colour, stroke in ((halo, width + 2.5), (colours.colour("transform"), width)):
        pen = QPen(colour, stroke, Qt.PenStyle.CustomDashLine, Qt.PenCapStyle.FlatCap)
        # The line has long strokes and dots. Qt multiplies the lengths of a dash pattern by the width of the
        # pen. So the lengths are divided by the width of the pen here. If they were not, the wider pen would
        # draw longer dashes.
        pen.setDashPattern([length * width / stroke for length in (7, 2.5, 1.5, 2.5)])
        painter.setPen(pen)
        painter.drawLine(first, last)


def _draw_centre(
    painter: QPainter, frame: painting.Frame, centre: QPointF, quarters: int, colours: theme.Colours
) -> None:
    """Draw a cross, and a curved arrow around the cross. The arrow shows the direction of the rotation."""
    width, radius = max(2.0, frame.cell * 0.05), frame.cell * 0.42
    box = QRectF(centre.x() - radius, centre.y() - radius, 2 * radius, 2 * radius)
    # Qt counts degrees counter-clockwise; a clockwise turn is negative.
    sweep = {1: 90.0, 2: 180.0, 3: -90.0}[quarters]
    start = 0.0 if sweep > 0 else 180.0
    arc = QPainterPath()
    arc.arcMoveTo(box, start)
    arc.arcTo(box, start, sweep)
    end, way = arc.currentPosition(), math.radians(start + sweep)
    along = QPointF(-math.sin(way), -math.cos(way)) * (1 if sweep > 0 else -1)
    reach = frame.cell * 0.13
    halo = colours.colour("ring_halo")
    halo.setAlpha(190)
    for colour, stroke in ((halo, width + 2.5), (colours.colour("transform"), width)):
        painter.setPen(QPen(colour, stroke, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(arc)
        for cross in (QPointF(reach, 0), QPointF(0, reach)):
            painter.drawLine(centre - cross, centre + cross)
        painter.setBrush(colour)
        painter.drawPolygon(_head(end + along * reach * 1.2, along, reach * 1.4))


def draw_way(
    painter: QPainter, frame: painting.Frame, motion: motions.Motion, colours: theme.Colours
) -> None:
    """Draw a shift as a broad, pale arrow in the middle of the board. The arrow is as long as the shift, and
    is drawn below the men."""
    vector = motions.figure(motion).vector
    if vector is None:
        return
    middle = place(frame, (3.5, 3.5))
    half = (place(frame, vector) - place(frame, (0, 0))) / 2
    start, end = middle - half, middle + half
    length = math.hypot(half.x(), half.y())
    along = half / length
    across = QPointF(-along.y(), along.x())
    breadth = frame.cell * 0.13
    neck = end - along * min(frame.cell * 0.5, 1.4 * length)
    outline = QPolygonF(
        [
            start - across * breadth,
            neck - across * breadth,
            neck - across * breadth * 2.3,
            end,
            neck + across * breadth * 2.3,
            neck + across * breadth,
            start + across * breadth,
        ]
    )
    fill = colours.colour("transform")
    fill.setAlpha(70)
    edge = colours.colour("transform")
    painter.setPen(QPen(edge, max(1.5, frame.cell * 0.025)))
    painter.setBrush(fill)
    painter.drawPolygon(outline)


def _head(tip: QPointF, along: QPointF, length: float) -> QPolygonF:
    """The head of an arrow."""
    side = QPointF(-along.y(), along.x()) * length * 0.55
    back = tip - along * length
    return QPolygonF([tip, back + side, back - side])


def draw_frame(painter: QPainter, frame: painting.Frame, colours: theme.Colours) -> None:
    """Draw the border that marks a board in the query's own frame."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    pen = QPen(colours.colour("transform"), FRAME, Qt.PenStyle.SolidLine)
    pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    painter.setPen(pen)
    painter.drawRect(frame.rect)


def draw_outside(painter: QPainter, frame: painting.Frame, board: int, colours: theme.Colours) -> None:
    """Hatch the squares outside the game's board, and cover these squares with a translucent colour."""
    veil = colours.colour("window")
    veil.setAlpha(190)
    stroke = colours.colour("muted")
    for square in squares.bits(board):
        box = frame.square(square)
        painter.fillRect(box, veil)
        painter.setPen(QPen(stroke, 1))
        for part in (1, 2):
            # The step is a share of the square's side, so that the lines of neighbouring squares meet.
            step = box.width() / 2 * part
            painter.drawLine(box.topLeft() + QPointF(0, step), box.topLeft() + QPointF(step, 0))
            painter.drawLine(box.bottomRight() - QPointF(0, step), box.bottomRight() - QPointF(step, 0))


def draw_travel(
    painter: QPainter,
    frame: painting.Frame,
    pairs: Iterable[tuple[int, int]],
    board: Sequence[int],
    done: float,
    colours: theme.Colours,
    ratio: float,
) -> None:
    """Draw rings and faint men between the first and the second square of each pair. `done` is the share of
    the distance already covered. `board` holds 64 man codes, with each moving man on the second square of its
    pair."""
    size = max(1, round(frame.cell))
    width = max(2.0, frame.cell * 0.065)
    inset = width / 2 + 2
    for origin, target in pairs:
        corner = frame.square(origin).topLeft() * (1 - done) + frame.square(target).topLeft() * done
        if board[target]:
            painter.setOpacity(0.55)
            painter.drawPixmap(corner.toPoint(), painting.man_pixmap(board[target], size, ratio))
            painter.setOpacity(1.0)
        box = QRectF(corner.x(), corner.y(), frame.cell, frame.cell).adjusted(inset, inset, -inset, -inset)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for role, stroke in (("ring_halo", width + 2.5), ("ring", width)):
            painter.setPen(QPen(colours.colour(role), stroke))
            painter.drawEllipse(box)

"""Draws the marks and arrows of a pattern on a board of any size. This module does not use widgets.

The shape shows the role. A man that must stand on a square has a plate with a solid edge. A mark with the
role "one of several" has a dashed ring. A man that must not stand on a square has a cross. An empty square is
drawn as a hollow square.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen, QPolygonF

from cqlgui.base.data import dataclass, field
from cqlgui.board import men, squares
from cqlgui.pattern import marks
from cqlgui.ui.board import painting, tokens
from cqlgui.ui.look import theme
from cqlgui.ui.pointing import placing

RELATIONS: dict[marks.Relation, tuple[str, str, str]] = {
    marks.Relation.ATTACKS: ("×", "attacks", "Attacks"),
    marks.Relation.MOVES: ("–", "moves", "Moves there next"),
    marks.Relation.RAY: ("0", "line", "In line, nothing between"),
    marks.Relation.RAY_ONE: ("1", "line, 1", "In line, one man between"),
    marks.Relation.FILE: ("F", "file", "On the same file"),
    marks.Relation.RANK: ("R", "rank", "On the same rank"),
    marks.Relation.DIAGONAL: ("D", "diagonal", "On the same diagonal"),
}
"""The names of a relation: the name on a short arrow, the name on a longer arrow, and the name in a menu."""
_MUTUAL = (marks.Relation.FILE, marks.Relation.RANK, marks.Relation.DIAGONAL)
_LEAST_HINT = 90
"""The least width in pixels for the hint above the board. In a narrower room the hint is not drawn."""
_NEAR = 0.16
"""The greatest distance between an arrow and a click on the arrow, in widths of a square."""


@dataclass(frozen=True, slots=True)
class Picture:
    """Everything that is drawn for a pattern.

    `anchors` has a square for each mark (see `placing`). `selected` is the index of the selected mark,
    `arrow` is the index of the selected arrow, and `cursor` is a square. `selected` is -1 if no mark is
    selected, `arrow` is -1 if no arrow is selected, and `cursor` is -1 if there is no cursor. `faults` maps
    the index of a mark to a warning. `count` is shown at the square `counted`.
    """

    pattern: marks.Pattern = field(default_factory=marks.Pattern)
    anchors: tuple[int, ...] = ()
    selected: int = -1
    arrow: int = -1
    cursor: int = squares.NONE
    faults: Mapping[int, str] = field(default_factory=dict)
    greyed: bool = False
    count: str = ""
    counted: int = squares.NONE
    lasso: int = 0
    held: tuple[men.ManMask, int] = (0, squares.NONE)
    """The men that are dragged, and the square under the pointer."""
    drawn: tuple[int, int] = (squares.NONE, squares.NONE)
    """The two squares of an arrow that is being drawn."""
    hint: str = ""
    """The text above the board; a warning if `alert` is set."""
    alert: bool = False


def draw(
    painter: QPainter,
    frame: painting.Frame,
    picture: Picture,
    colours: theme.Colours,
    ratio: float,
    taken: float = 0.0,
) -> None:
    """Draw the whole pattern in this order: areas, marks, arrows, and the feedback for the running gesture.

    The hint above the board leaves `taken` pixels free at the left edge.
    """
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if picture.greyed:
        painter.setOpacity(0.4)
    for place, mark in enumerate(picture.pattern.marks):
        _draw_ground(painter, frame, mark, colours, picture.greyed, chosen=place == picture.selected)
    for place, mark in enumerate(picture.pattern.marks):
        for square in _shown_on(mark, picture.anchors[place]):
            _draw_mark(painter, frame, square, mark, colours, ratio)
            if mark.squares == squares.ALL:
                box = frame.square(square)
                edge = _ink(mark, colours, greyed=picture.greyed, chosen=place == picture.selected)
                low = QPointF(box.center().x(), box.bottom() - 4)
                _draw_plate(painter, low, "anywhere" if frame.cell >= 32 else "∀", edge, frame, colours)
    for place, arrow in enumerate(picture.pattern.arrows):
        start, end = picture.anchors[arrow.origin], picture.anchors[arrow.target]
        role = "muted" if picture.greyed else "accent" if place == picture.arrow else "line"
        _draw_arrow(painter, frame, start, end, colours.colour(role), arrow.relation, colours)
    for place in picture.faults:
        if place < len(picture.anchors) and picture.anchors[place] >= 0:
            _draw_fault(painter, frame.square(picture.anchors[place]), colours)
    painter.setOpacity(1.0)
    for square in squares.bits(picture.lasso):
        tint = colours.colour("accent")
        tint.setAlpha(90)
        painter.fillRect(frame.square(square), tint)
    mask, over = picture.held
    if mask and over >= 0:
        painter.setOpacity(0.7)
        draw_men(painter, frame.square(over), mask, ratio)
        painter.setOpacity(1.0)
    start, end = picture.drawn
    if start >= 0 and end >= 0 and start != end:
        _draw_arrow(painter, frame, start, end, colours.colour("accent"), None, colours)
    if picture.cursor >= 0:
        _draw_cursor(painter, frame.square(picture.cursor), colours)
    if picture.count and picture.counted >= 0:
        _draw_count(painter, frame, picture.counted, picture.count, colours)
    if picture.hint:
        _draw_hint(painter, frame, picture, colours, taken)
    painter.restore()


def draw_men(painter: QPainter, box: QRectF, mask: men.ManMask, ratio: float) -> None:
    """Draw a set of men in a square. One man has the full size; several men are smaller.

    A set of all men of one colour, or of all men of both colours, is drawn as one disc. The empty square is
    drawn as a hollow square. "Any square" is drawn as a dot.
    """
    if mask == men.ANY_MASK:
        tokens.draw_dots(painter, box)
    elif mask == men.EMPTY_MASK:
        tokens.draw_empty(painter, box)
    elif mask & men.MAN_MASK in (men.WHITE_MASK, men.BLACK_MASK, men.MAN_MASK):
        tokens.draw_disc(painter, box, mask & men.MAN_MASK)
    else:
        kinds = [man for man in _ORDER if mask >> man & 1]
        across = next(size for size in (1, 2, 3, 4) if size * size >= len(kinds))
        room = box.width() if across == 1 else box.width() * 0.88
        size = room / across
        rows = -(-len(kinds) // across)
        top = box.center().y() - rows * size / 2
        for place, man in enumerate(kinds):
            row, column = divmod(place, across)
            in_row = min(across, len(kinds) - row * across)
            left = box.center().x() - in_row * size / 2
            pixmap = painting.man_pixmap(man, max(1, round(size)), ratio) if man else None
            corner = QPointF(round(left + column * size), round(top + row * size))
            if pixmap is not None:
                painter.drawPixmap(corner, pixmap)
            else:
                tokens.draw_empty(painter, QRectF(corner.x(), corner.y(), size, size))


def arrow_at(frame: painting.Frame, picture: Picture, point: QPointF) -> int:
    """The index of the arrow under a point; -1 if no arrow is under the point."""
    for place in range(len(picture.pattern.arrows) - 1, -1, -1):
        arrow = picture.pattern.arrows[place]
        start, end = _ends(frame, picture.anchors[arrow.origin], picture.anchors[arrow.target])
        along, off = end - start, point - start
        length = math.hypot(along.x(), along.y())
        if not length:
            continue
        part = (along.x() * off.x() + along.y() * off.y()) / length
        aside = abs(along.x() * off.y() - along.y() * off.x()) / length
        if 0 <= part <= length and aside <= _NEAR * frame.cell:
            return place
    return -1


_ORDER = (6, 5, 4, 3, 2, 1, 12, 11, 10, 9, 8, 7, 0)


def _shown_on(mark: marks.Mark, anchor: int) -> tuple[int, ...]:
    if anchor < 0:
        return ()
    few = mark.squares.bit_count() <= placing.FEW
    return tuple(squares.bits(mark.squares)) if few else (anchor,)


def _ink(mark: marks.Mark, colours: theme.Colours, *, greyed: bool, chosen: bool) -> QColor:
    if greyed:
        return colours.colour("muted")
    if chosen:
        return colours.colour("accent")
    return colours.colour("error" if mark.role is marks.Role.NOT else "truth_yes")


def _draw_ground(
    painter: QPainter,
    frame: painting.Frame,
    mark: marks.Mark,
    colours: theme.Colours,
    greyed: bool,
    *,
    chosen: bool,
) -> None:
    """Draw the tint on the squares of a mark, and the edge around the squares."""
    ink = _ink(mark, colours, greyed=greyed, chosen=chosen)
    width = max(1.8, frame.cell * (0.065 if chosen else 0.045))
    either, alone = mark.role is marks.Role.EITHER, mark.squares.bit_count() == 1
    tint = QColor(ink)
    # A mark on all squares has hardly any tint, because a strong tint of the whole board would carry no
    # information.
    tint.setAlpha(70 if alone else 44 if mark.squares != squares.ALL else 12)
    shape = QPainterPath()
    if either and alone:
        inset = width / 2 + frame.cell * 0.03
        shape.addEllipse(frame.square(squares.lowest(mark.squares)).adjusted(inset, inset, -inset, -inset))
    else:
        inset = width / 2 + 1
        # This rule joins overlapping parts into one shape. Without this rule the overlap would be a hole.
        shape.setFillRule(Qt.FillRule.WindingFill)
        for square in squares.bits(mark.squares):
            shape.addPath(_inner(frame, square, mark.squares, inset))
        shape = shape.simplified()
    painter.setBrush(tint)
    # A light edge is drawn under the coloured edge. Without the light edge, the coloured edge would be hard
    # to see on some squares.
    painter.setPen(QPen(colours.colour("ring_halo"), width + 1.6))
    painter.drawPath(shape)
    pen = QPen(ink, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap, Qt.PenJoinStyle.RoundJoin)
    if either:
        pen.setWidthF(width * 1.35)
        pen.setDashPattern([1.9, 1.1])
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPath(shape)


def _inner(frame: painting.Frame, square: int, board: int, inset: float) -> QPainterPath:
    """The path of one square of an area. At the border of the area the path is shrunk by `inset`. Inside the
    area the path overlaps the neighbouring squares a little, so that the squares join into one shape."""
    box = frame.square(square)

    def gap(right: int, up: int) -> float:
        if frame.turned:
            right, up = -right, -up
        other = squares.make_square(squares.file_of(square) + right, squares.rank_of(square) + up)
        return inset if other < 0 or not board >> other & 1 else -inset - 0.5

    path = QPainterPath()
    path.addRect(box.adjusted(gap(-1, 0), gap(0, 1), -gap(1, 0), -gap(0, -1)))
    return path


def _draw_mark(
    painter: QPainter,
    frame: painting.Frame,
    square: int,
    mark: marks.Mark,
    colours: theme.Colours,
    ratio: float,
) -> None:
    box = frame.square(square)
    wide = mark.squares.bit_count() > 1
    inset = frame.cell * (0.14 if wide else 0.02)
    denied = mark.role is marks.Role.NOT
    opacity = painter.opacity()
    if denied:
        painter.setOpacity(opacity * 0.75)
    draw_men(painter, box.adjusted(inset, inset, -inset, -inset), mark.men, ratio)
    painter.setOpacity(opacity)
    if denied:
        reach = frame.cell * 0.14
        cross = box.adjusted(reach, reach, -reach, -reach)
        width = max(2.0, frame.cell * 0.07)
        for ink, stroke in ((colours.colour("ring_halo"), width + 2), (colours.colour("error"), width)):
            painter.setPen(QPen(ink, stroke, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
            painter.drawLine(cross.topLeft(), cross.bottomRight())
            painter.drawLine(cross.topRight(), cross.bottomLeft())


def _ends(frame: painting.Frame, origin: int, target: int) -> tuple[QPointF, QPointF]:
    """The points where an arrow begins and ends, a little away from the centres of the two squares."""
    start, end = frame.square(origin).center(), frame.square(target).center()
    along = end - start
    length = math.hypot(along.x(), along.y())
    if not length:
        return start, end
    step = along / length * frame.cell * 0.3
    return start + step, end - step


def _draw_arrow(
    painter: QPainter,
    frame: painting.Frame,
    origin: int,
    target: int,
    ink: QColor,
    relation: marks.Relation | None,
    colours: theme.Colours,
) -> None:
    """Draw a line, and a plate with the relation. The line has an arrow head if the relation is not
    symmetric."""
    if origin < 0 or target < 0 or origin == target:
        return
    start, end = _ends(frame, origin, target)
    along = (end - start) / math.hypot((end - start).x(), (end - start).y())
    width = max(2.5, frame.cell * 0.075)
    headed = relation not in _MUTUAL
    neck = end - along * width * 2.4 if headed else end
    side = QPointF(-along.y(), along.x()) * width * 1.7
    for colour, grown in ((colours.colour("ring_halo"), 1.5), (ink, 0.0)):
        painter.setPen(QPen(colour, width + grown * 2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawLine(start, neck)
        if headed:
            painter.setPen(QPen(colour, grown * 2 or 0.1))
            painter.setBrush(colour)
            painter.drawPolygon(QPolygonF([end, neck + side, neck - side]))
    if relation is not None:
        short, word, _words = RELATIONS[relation]
        away = max(abs((end - start).x()) / 1.4, abs((end - start).y()))
        _draw_plate(painter, (start + end) / 2, word if away > frame.cell else short, ink, frame, colours)


def _draw_plate(
    painter: QPainter, middle: QPointF, text: str, edge: QColor, frame: painting.Frame, colours: theme.Colours
) -> None:
    """Draw a word on a plate. If a part of the plate would be off the board, move the plate onto the
    board."""
    font = QFont(painter.font())
    font.setPixelSize(max(9, min(13, round(frame.cell * 0.2))))
    font.setBold(True)
    painter.setFont(font)
    metrics = QFontMetricsF(font)
    width, height = metrics.horizontalAdvance(text) + 10, metrics.height() + 2
    plate = QRectF(middle.x() - width / 2, middle.y() - height / 2, width, height)
    room = frame.rect
    plate.moveLeft(max(room.left() + 1, min(plate.left(), room.right() - width - 1)))
    plate.moveTop(max(room.top() + 1, min(plate.top(), room.bottom() - height - 1)))
    painter.setPen(QPen(edge, 1.5))
    painter.setBrush(colours.colour("badge"))
    painter.drawRoundedRect(plate, height / 2, height / 2)
    painter.setPen(colours.colour("badge_text"))
    painter.drawText(plate, Qt.AlignmentFlag.AlignCenter, text)


def _draw_count(
    painter: QPainter, frame: painting.Frame, square: int, text: str, colours: theme.Colours
) -> None:
    box = frame.square(square)
    edge = colours.colour("accent")
    _draw_plate(painter, QPointF(box.center().x(), box.top() - 2), text, edge, frame, colours)


def _draw_hint(
    painter: QPainter, frame: painting.Frame, picture: Picture, colours: theme.Colours, taken: float
) -> None:
    """Draw the hint above the board: what a click does, or what is wrong."""
    room = QRectF(
        frame.left + taken, frame.top - painting.BADGE_ROOM, frame.cell * 8 - taken, painting.BADGE_ROOM - 4
    )
    if room.width() < _LEAST_HINT:
        return
    font = QFont(painter.font())
    font.setPixelSize(12)
    font.setBold(picture.alert)
    painter.setFont(font)
    painter.setPen(colours.colour("warning" if picture.alert else "muted"))
    sign = "⚠ " if picture.alert else ""
    metrics, words = painter.fontMetrics(), sign + picture.hint
    if metrics.horizontalAdvance(words) > room.width() and not picture.alert:
        # If the room is too narrow, only the name of the tool is shown.
        words = words.partition(":")[0]
    words = metrics.elidedText(words, Qt.TextElideMode.ElideRight, int(room.width()))
    painter.drawText(room, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, words)


def _draw_fault(painter: QPainter, box: QRectF, colours: theme.Colours) -> None:
    """Draw an exclamation mark in a triangle, in the upper right corner of the square."""
    size = max(13.0, box.width() * 0.34)
    right, top = box.right() - 1, box.top() + 1
    painter.setPen(QPen(colours.colour("base"), 1.5))
    painter.setBrush(colours.colour("warning"))
    painter.drawPolygon(
        QPolygonF(
            [QPointF(right - size / 2, top), QPointF(right, top + size), QPointF(right - size, top + size)]
        )
    )
    font = QFont(painter.font())
    font.setPixelSize(max(9, round(size * 0.7)))
    font.setBold(True)
    painter.setFont(font)
    painter.setPen(colours.colour("base"))
    painter.drawText(QRectF(right - size, top + size * 0.12, size, size), Qt.AlignmentFlag.AlignCenter, "!")


def _draw_cursor(painter: QPainter, box: QRectF, colours: theme.Colours) -> None:
    """Draw brackets in the corners of a square."""
    width = max(2.0, box.width() * 0.06)
    reach = box.width() * 0.26
    room = box.adjusted(width / 2, width / 2, -width / 2, -width / 2)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for role, stroke in (("base", width + 2), ("accent", width)):
        painter.setPen(QPen(colours.colour(role), stroke, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
        for x, dx in ((room.left(), reach), (room.right(), -reach)):
            for y, dy in ((room.top(), reach), (room.bottom(), -reach)):
                painter.drawPolyline([QPointF(x + dx, y), QPointF(x, y), QPointF(x, y + dy)])

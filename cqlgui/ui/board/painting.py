"""Draws squares, men, rings, lines and patterns on a board of any size; does not use widgets.

Men come from the SVG files of a piece set. They are cached as pixmaps by man, size and device pixel ratio,
because drawing a pixmap is several times faster than rendering an SVG.
"""

from __future__ import annotations

import collections
import functools
import math
from collections.abc import Iterable, Sequence
from typing import Protocol

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainter, QPainterPath, QPen, QPixmap
from PySide6.QtSvg import QSvgRenderer

from cqlgui.base.files import resources
from cqlgui.board import attacks, men, squares
from cqlgui.ui.board import tokens
from cqlgui.ui.look import canvas, theme

PIECE_SET = "cburnett"
BADGE_ROOM = 28
"""Height in pixels of the room above the board for the badge, which names a transform. On the board the badge
would hide men and rings."""

_SMALL_CELL, _GROWN, _GROWN_BESIDE = 14, 1.5, 1.3
"""On squares of fewer than `_SMALL_CELL` pixels, men are drawn larger than their squares. The factor is
`_GROWN`, or `_GROWN_BESIDE` if two men stand on neighbouring squares."""
MOST_RINGS = 8
"""Maximum of ringed squares; a larger set is tinted."""


_OF_SYMBOL = {"A": men.WHITE_MASK, "a": men.BLACK_MASK, "*": men.MAN_MASK}


class CellLike(Protocol):
    """A square of a pattern. `symbol` is a letter or sign of designators (`KQRBNPkqrbnp`, `A a * _`). It is
    empty for a square that is named without a man."""

    @property
    def square(self) -> int: ...
    @property
    def symbol(self) -> str: ...
    @property
    def sure(self) -> bool: ...
    @property
    def absent(self) -> bool: ...


class Frame:
    """The geometry of a board: its outer rectangle, and whether Black is at the bottom."""

    __slots__ = ("cell", "left", "top", "turned")

    def __init__(self, left: float, top: float, cell: float, turned: bool = False) -> None:
        self.left = left
        self.top = top
        self.cell = cell
        self.turned = turned

    def square(self, square: int) -> QRectF:
        """The rectangle of a square."""
        return QRectF(*self._corner(square), self.cell, self.cell)

    def corner(self, square: int) -> tuple[int, int]:
        """The upper left pixel of a square."""
        left, top = self._corner(square)
        return round(left), round(top)

    def _corner(self, square: int) -> tuple[float, float]:
        column, row = squares.file_of(square), 7 - squares.rank_of(square)
        if self.turned:
            column, row = 7 - column, 7 - row
        return self.left + column * self.cell, self.top + row * self.cell

    def at(self, point: QPointF) -> int:
        """The square under a point, or -1."""
        column = int((point.x() - self.left) // self.cell)
        row = int((point.y() - self.top) // self.cell)
        if not (0 <= column < 8 and 0 <= row < 8):
            return squares.NONE
        return (row * 8 + 7 - column) if self.turned else ((7 - row) * 8 + column)

    @property
    def rect(self) -> QRectF:
        """The rectangle of all squares."""
        return QRectF(self.left, self.top, self.cell * 8, self.cell * 8)


_SMALL_MAN = 20
"""A white man less than this many screen pixels high is drawn as a filled shape."""


@functools.cache
def _renderer(man: int) -> QSvgRenderer:
    symbol = men.SYMBOLS[man]
    name = ("w" if men.is_white(man) else "b") + symbol.upper()
    return QSvgRenderer(str(resources.resource(f"pieces/{PIECE_SET}/{name}.svg")))


@functools.lru_cache(maxsize=256)
def man_pixmap(man: int, size: int, ratio: float) -> QPixmap:
    """A man as a pixmap of `size` logical pixels, sharp at the device pixel ratio."""
    pixmap = canvas.picture(size, size, ratio)
    if men.is_white(man) and size * ratio < _SMALL_MAN:
        _draw_small_white(pixmap, man, size, ratio)
        return pixmap
    with canvas.Painter(pixmap) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        _renderer(man).render(painter, QRectF(0, 0, size, size))
    return pixmap


def _draw_small_white(pixmap: QPixmap, man: int, size: int, ratio: float) -> None:
    """A white man of a few pixels. His outlines would make him grey, so he is drawn as a white shape with an
    edge. But the shape of a bishop looks like a pawn. So the white bishop is drawn as the negative of the
    black bishop. The negative shows some inner lines of the bishop."""
    shape = man_pixmap(man + men.BP - men.WP, size, ratio)
    edge = _filled(shape, Qt.GlobalColor.black)
    if men.SYMBOLS[man] == "B":
        negative = shape.toImage()
        negative.invertPixels(QImage.InvertMode.InvertRgb)
        white = QPixmap.fromImage(negative)
    else:
        white = _filled(shape, Qt.GlobalColor.white)
    pixel = 1 / ratio
    with canvas.Painter(pixmap) as painter:
        for right, down in ((-1, 0), (1, 0), (0, -1), (0, 1)):
            painter.drawPixmap(QPointF(right * pixel, down * pixel), edge)
        painter.drawPixmap(QPointF(0, 0), white)


def _filled(shape: QPixmap, colour: Qt.GlobalColor) -> QPixmap:
    """A shape in one colour."""
    found = QPixmap(shape)
    with canvas.Painter(found) as painter:
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
        painter.fillRect(QRectF(QPointF(0, 0), found.deviceIndependentSize()), colour)
    return found


def draw_squares(painter: QPainter, frame: Frame, colours: theme.Colours) -> None:
    """The 64 squares and the edge round them."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.fillRect(frame.rect, colours.colour("light_square"))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colours.colour("dark_square"))
    # One call draws all squares, because each call takes and releases the interpreter lock, which costs time.
    painter.drawRects([frame.square(square) for square in squares.bits(squares.ALL & ~squares.LIGHT)])
    painter.setPen(QPen(colours.colour("board_edge"), 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(frame.rect.adjusted(-1, -1, 0, 0))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)


def draw_men(painter: QPainter, frame: Frame, board: Sequence[int], ratio: float) -> None:
    """The men of a position: `board` holds 64 man codes."""
    size = max(1, round(frame.cell))
    for square in range(64):
        if board[square]:
            # Each man needs only one call of Qt. A call takes and releases the interpreter lock, which costs
            # time.
            painter.drawPixmap(*frame.corner(square), man_pixmap(board[square], size, ratio))


def draw_coordinates(painter: QPainter, frame: Frame, colours: theme.Colours, font: QFont) -> None:
    """Letters and digits in the corners of the edge squares, where they take no room from the board."""
    small = QFont(font)
    small.setPixelSize(max(8, round(frame.cell * 0.19)))
    small.setBold(True)
    painter.setFont(small)
    margin = max(2.0, frame.cell * 0.05)
    texts = []
    for place in range(8):
        file_square = (56 + 7 - place) if frame.turned else place
        rank_square = (place * 8 + 7) if frame.turned else place * 8
        texts.append((file_square, "abcdefgh"[squares.file_of(file_square)], _BOTTOM_RIGHT))
        texts.append((rank_square, str(squares.rank_of(rank_square) + 1), _TOP_LEFT))
    for light, role in ((1, "light_coordinate"), (0, "dark_coordinate")):
        painter.setPen(colours.colour(role))
        for square, text, flags in texts:
            if squares.LIGHT >> square & 1 == light:
                painter.drawText(
                    frame.square(square).adjusted(margin, margin / 2, -margin, -margin / 2), flags, text
                )


def draw_move(painter: QPainter, frame: Frame, origin: int, target: int, colours: theme.Colours) -> None:
    """The last move. The origin has corner brackets and the target is filled. So origin and target differ in
    more than colour."""
    fill = colours.colour("last_move")
    tint = QColor(fill)
    tint.setAlpha(150)
    painter.fillRect(frame.square(target), tint)
    tint.setAlpha(70)
    painter.fillRect(frame.square(origin), tint)
    width = max(2.0, frame.cell * 0.05)
    box = frame.square(origin).adjusted(width, width, -width, -width)
    reach = frame.cell * 0.22
    painter.setPen(QPen(fill.darker(125), width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
    for x, dx in ((box.left(), reach), (box.right(), -reach)):
        for y, dy in ((box.top(), reach), (box.bottom(), -reach)):
            painter.drawPolyline([QPointF(x + dx, y), QPointF(x, y), QPointF(x, y + dy)])


def parted(board: int, few: int) -> tuple[int, int]:
    """The squares to ring for a hit, and the squares to tint. More than `MOST_RINGS` rings would not stand
    out, so larger sets are tinted. `few` are squares that the query names one by one. These squares are
    ringed if there are at most `MOST_RINGS` of them.
    """
    few = few if few.bit_count() <= MOST_RINGS else 0
    rest = board & ~few
    return (board, 0) if rest.bit_count() <= MOST_RINGS else (board & few, rest)


def draw_rings(painter: QPainter, frame: Frame, board: int, colours: theme.Colours) -> None:
    """A ring round each square of the set. A halo keeps the ring visible on any square."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    width = max(2.0, frame.cell * 0.065)
    for role, stroke in (("ring_halo", width + 2.5), ("ring", width)):
        painter.setPen(QPen(colours.colour(role), stroke))
        for square in squares.bits(board):
            inset = width / 2 + 2
            painter.drawEllipse(frame.square(square).adjusted(inset, inset, -inset, -inset))


def draw_tints(painter: QPainter, frame: Frame, board: int, colours: theme.Colours) -> None:
    """A light tint on the squares of a large set. Each square also has a frame, so that users can recognise
    the squares without seeing colours. Tints are drawn below the men."""
    tint = colours.colour("ring")
    tint.setAlpha(56)
    width = max(1.0, frame.cell * 0.03)
    for square in squares.bits(board):
        box = frame.square(square)
        painter.fillRect(box, tint)
        painter.setPen(QPen(tint, width))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(box.adjusted(width, width, -width, -width))


def draw_lines(
    painter: QPainter, frame: Frame, pairs: Iterable[tuple[int, int]], colours: theme.Colours
) -> None:
    """Draw a dashed arrow from each square that the query names to the image of this square. Lines that would
    cover each other bend to different sides."""
    width = max(1.5, frame.cell * 0.035)
    moved = [pair for pair in pairs if pair[0] != pair[1] and all(0 <= square < 64 for square in pair)]
    painter.save()
    painter.setClipRect(frame.rect)
    for (origin, target), bow in zip(moved, bows(moved), strict=True):
        start, end = frame.square(origin).center(), frame.square(target).center()
        across = _along(start, end)
        if (across.x(), across.y()) < (0, 0):
            # The side must not depend on the direction of the line. If it did, two lines with opposite
            # directions between the same squares would bend to the same side and cover each other.
            across = -across
        bend = (start + end) / 2 + QPointF(-across.y(), across.x()) * bow * frame.cell * 0.5
        # The curve lies in the triangle of its two ends and `bend`. So the curve stays on the board if these
        # three points are on the board.
        bend.setX(min(max(bend.x(), frame.rect.left()), frame.rect.right()))
        bend.setY(min(max(bend.y(), frame.rect.top()), frame.rect.bottom()))
        unit = _along(bend, end)
        end = end - unit * frame.cell * 0.44
        shaft = QPainterPath(start)
        shaft.quadTo(bend, end)
        painter.setPen(QPen(colours.colour("line"), width, Qt.PenStyle.DashLine))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(shaft)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colours.colour("line"))
        painter.drawEllipse(start, width * 2.1, width * 2.1)
        side = QPointF(-unit.y(), unit.x()) * width * 2.6
        back = end - unit * width * 5
        head = QPainterPath(end)
        head.lineTo(back + side)
        head.lineTo(back - side)
        head.closeSubpath()
        painter.drawPath(head)
    painter.restore()


def bows(pairs: Sequence[tuple[int, int]]) -> list[int]:
    """How far each arrow bows, and to which side. An arrow that is alone on its straight line has 0. Arrows
    on the same straight line have 1, -1, 2, -2 and so on."""
    straights = [_straight(*pair) for pair in pairs]
    alone = collections.Counter(straights)
    seen: collections.Counter[tuple[int, int, int]] = collections.Counter()
    found = []
    for straight in straights:
        place = seen[straight]
        seen[straight] += 1
        step = place // 2 + 1
        found.append(0 if alone[straight] == 1 else -step if place % 2 else step)
    return found


def _straight(origin: int, target: int) -> tuple[int, int, int]:
    """A key for the straight line through two squares: its direction and its distance from a1."""
    file, rank = squares.file_of(origin), squares.rank_of(origin)
    right, up = squares.file_of(target) - file, squares.rank_of(target) - rank
    common = math.gcd(right, up) * (-1 if (right, up) < (0, 0) else 1)
    right, up = right // common, up // common
    return right, up, file * up - rank * right


def _along(start: QPointF, end: QPointF) -> QPointF:
    """The vector of length 1 from one point towards another."""
    delta = end - start
    return delta / math.hypot(delta.x(), delta.y())


def draw_pattern(
    painter: QPainter,
    frame: Frame,
    cells: Iterable[CellLike],
    area: int,
    colours: theme.Colours,
    ratio: float,
) -> None:
    """Draw a query's pattern. The area is hatched. Men are opaque, or translucent if the query leaves a
    choice of squares or men. Absent men are crossed out."""
    hatch = colours.colour("ring")
    hatch.setAlpha(110)
    for square in squares.bits(area):
        painter.fillRect(frame.square(square), hatch)
        hatched = QColor(colours.ring_halo)
        hatched.setAlpha(110)
        painter.setPen(QPen(hatched, 1))
        box = frame.square(square)
        painter.drawLine(box.bottomLeft(), box.topRight())
    # On very small boards men are drawn larger than their squares, to be recognisable.
    shown = list(cells)
    grown = frame.cell
    if frame.cell < _SMALL_CELL:
        drawn = sum(1 << cell.square for cell in shown if cell.symbol)
        beside = any(attacks.KING_ATTACKS[cell.square] & drawn for cell in shown if cell.symbol)
        grown *= _GROWN_BESIDE if beside else _GROWN
    size = max(1, round(grown))
    for cell in shown:
        box = frame.square(cell.square)
        if grown > frame.cell:
            box = _within(frame.rect, box.center(), grown)
        painter.save()
        painter.setOpacity(1.0 if cell.sure else 0.6)
        man = men.SYMBOLS.find(cell.symbol) if len(cell.symbol) == 1 and cell.symbol != "." else -1
        if man > 0:
            painter.drawPixmap(box.topLeft().toPoint(), man_pixmap(man, size, ratio))
        elif cell.symbol == "_":
            tokens.draw_empty(painter, box)
        elif cell.symbol:
            tokens.draw_disc(painter, box, _OF_SYMBOL.get(cell.symbol, men.MAN_MASK))
        if cell.absent:
            painter.setPen(QPen(colours.colour("error"), max(1.5, frame.cell * 0.07)))
            painter.drawLine(box.topLeft(), box.bottomRight())
            painter.drawLine(box.topRight(), box.bottomLeft())
        painter.restore()


def _within(board: QRectF, centre: QPointF, size: float) -> QRectF:
    """A square of this size around a point, moved if necessary to stay on the board."""
    left = min(max(centre.x() - size / 2, board.left()), board.right() - size)
    top = min(max(centre.y() - size / 2, board.top()), board.bottom() - size)
    return QRectF(left, top, size, size)


def draw_badge(
    painter: QPainter,
    frame: Frame,
    text: str,
    colours: theme.Colours,
    font: QFont,
    taken: float = 0.0,
    edge: str = "ring",
    swapped: bool = False,
) -> None:
    """The transform in words on a rounded plate above the board's right corner. The leftmost `taken` pixels
    above the board belong to another widget. `edge` is the colour role of the plate's edge. If `swapped` is
    True, two discs are drawn to the left of the words, as a sign of swapped colours."""
    words = QFont(font)
    words.setPixelSize(max(11, min(14, round(frame.cell * 0.22))))
    words.setBold(True)
    painter.setFont(words)
    metrics = painter.fontMetrics()
    height = BADGE_ROOM - 6.0
    # This rectangle has room for two overlapping discs.
    discs = QRectF(0, 0, height, height * 0.6) if swapped else QRectF()
    room = discs.width() + 6 if swapped else 0.0
    most = int(frame.cell * 8 - 22 - room - taken)
    if most < _LEAST_BADGE:
        # There is no room for the badge. The bar below the board shows the transform too.
        return
    if metrics.horizontalAdvance(text) > most:
        words.setBold(False)
        painter.setFont(words)
        metrics = painter.fontMetrics()
    if swapped and metrics.horizontalAdvance(text) > most:
        # The discs show that colours are swapped, so the words "colours swapped" are left out.
        text = ", ".join(part for part in text.split(", ") if part != "colours swapped") or text
    text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, most)
    width = metrics.horizontalAdvance(text) + 20.0 + room
    plate = QRectF(frame.rect.right() - width, frame.rect.top() - height - 4, width, height)
    fill = colours.colour("badge")
    painter.setPen(QPen(colours.colour(edge), 1.5))
    painter.setBrush(fill)
    painter.drawRoundedRect(plate, height / 2, height / 2)
    if swapped:
        discs.moveCenter(QPointF(plate.left() + 10 + discs.width() / 2, plate.center().y()))
        draw_discs(painter, discs, colours)
    painter.setPen(colours.colour("badge_text"))
    painter.drawText(plate.adjusted(room, 0, 0, 0), Qt.AlignmentFlag.AlignCenter, text)


def draw_discs(painter: QPainter, box: QRectF, colours: theme.Colours) -> None:
    """Draw the sign of swapped colours: a dark disc that partly covers a light disc."""
    size = box.height()
    light = QRectF(box.right() - size, box.top(), size, size)
    painter.setPen(QPen(colours.colour("badge_text"), 1.2))
    for disc, role in ((light, "badge_text"), (QRectF(box.topLeft(), light.size()), "badge")):
        painter.setBrush(colours.colour(role))
        painter.drawEllipse(disc)


_LEAST_BADGE = 40
"""If there are fewer pixels than this for the words, no badge is drawn."""
_BOTTOM_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom
_TOP_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop

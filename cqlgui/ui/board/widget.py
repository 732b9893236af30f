"""The boards on screen: the big board that shows a hit, and the small boards of thumbnails.

The boards show positions, and do not use games.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from cqlgui.board import men, motions, squares
from cqlgui.board import position as position_module
from cqlgui.cql.transforming import geometry
from cqlgui.ui.board import geometry_painting, painting, travel
from cqlgui.ui.look import canvas, theme
from cqlgui.ui.loop import turns

_DIMMED = 0.4
"""Opacity of men behind a pattern: light and dark men can still be distinguished on both kinds of squares."""
_FAINT = 0.18
"""Opacity of the game's men in Pattern mode. These men are shown only so that the user can take them into the
pattern."""
_NAMES = ("", "pawn", "knight", "bishop", "rook", "queen", "king")


class Layer(Protocol):
    """The drawings in front of the position."""

    @property
    def covered(self) -> int:
        """The squares where the faint men of the game are not drawn."""

    def paint(self, painter: QPainter, frame: painting.Frame, ratio: float) -> None:
        """Draw the layer."""


class Side(QWidget):
    """A widget beside the squares. Its width depends on the available height."""

    def width_for(self, height: int) -> int:
        """The width that the widget needs at a height."""
        return self.sizeHint().width()


class BoardWidget(QWidget):
    """Shows a position and everything that explains a hit at this position.

    `stepped` carries -1 for a ply back and +1 for a ply forward. `jumped` carries -1 for the start and +1 for
    the end of the game. After a change, the widget passes a function to `later`. This function paints the
    board.
    """

    stepped = Signal(int)
    jumped = Signal(int)
    turned_changed = Signal(bool)

    def __init__(self, parent: QWidget | None = None, later: turns.Later = turns.now) -> None:
        super().__init__(parent)
        self._later = later
        # Whether `_draw_anew` has been handed to `later` and has not been called yet.
        self._changed = False
        self._position: position_module.Position | None = None
        self._move: tuple[int, int] | None = None
        self._rings = self._few = 0
        self._lines: tuple[tuple[int, int], ...] = ()
        self._badge = ("", "")
        self._ghost: tuple[tuple[painting.CellLike, ...], int, tuple[str, str]] | None = None
        self._layer: Layer | None = None
        self._faint = False
        # A widget above the left part of the board, beside the badge.
        self._corner: QWidget | None = None
        # The widget to the left of the squares, or None while no widget is shown there.
        self._side: Side | None = None
        self._side_width = 0
        # The squares in the query's own frame that do not belong to the game's board. This is None while the
        # game's board is shown.
        self._outside: int | None = None
        self._travel = travel.Travel(self)
        self._turned = False
        self._coordinates = True
        self._hint = ""
        self._wheel = 0
        # The last picture of the widget. This picture is shown until the next picture has been drawn.
        self._kept: QPixmap | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(140, 120)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Chess board")
        theme.theme().changed.connect(self._change)
        self._travel.moved.connect(self.update)
        self._travel.ended.connect(self._change)

    @property
    def rings(self) -> int:
        """Bitboard of the ringed squares."""
        return self._rings

    @property
    def lines(self) -> tuple[tuple[int, int], ...]:
        """The lines that are drawn, as pairs of a square in the query and the image of this square."""
        return self._lines

    @property
    def badge(self) -> tuple[str, str]:
        """The transform in words, and in CQL's spelling. Both texts are empty without a transform."""
        return self._badge

    @property
    def motion(self) -> motions.Motion | None:
        """The motion that is drawn. It is the motion of the pattern in front. If there is no pattern, it is
        the motion of the hit's transform."""
        if self._ghost is not None:
            return geometry.motion(self._ghost[2][1])
        # In the query's own frame the pattern has not moved, so no motion is drawn.
        return geometry.motion(self._badge[1]) if self._outside is None else None

    @property
    def swapped(self) -> bool:
        """Whether the transform in the badge swaps the colours."""
        motion = geometry.motion(self._ghost[2][1] if self._ghost is not None else self._badge[1])
        return motion is not None and motion.swapped

    @property
    def normalised(self) -> bool:
        """Whether the query's own frame is shown, and not the game's board."""
        return self._outside is not None

    @property
    def outside(self) -> int:
        """The squares that are hatched because they are outside the game's board."""
        return self._outside or 0

    @property
    def occupied(self) -> int:
        """The squares with men."""
        return self._position.occupied if self._position is not None else 0

    @property
    def position(self) -> position_module.Position | None:
        """The position on the board."""
        return self._position

    @property
    def turned(self) -> bool:
        """Whether Black is at the bottom."""
        return self._turned

    @property
    def coordinates(self) -> bool:
        """Whether letters and digits are drawn."""
        return self._coordinates

    def set_position(
        self, shown: position_module.Position | None, move: tuple[int, int] | None = None
    ) -> None:
        """Show a position, and the (origin, target) squares of the move that led to the position. If `shown`
        is None, show an empty board."""
        if shown is not self._position:
            self._travel.interrupt()
        self._position = shown
        # If the origin or the target of the move is outside the board, the move is not shown.
        self._move = move if move is not None and min(move) >= 0 else None
        self._change()

    def set_marks(
        self,
        rings: int = 0,
        lines: Iterable[tuple[int, int]] = (),
        badge: tuple[str, str] = ("", ""),
        few: int = 0,
    ) -> None:
        """Ring squares, and draw lines and the badge. `few` are squares that the query names one by one (see
        `painting.parted`)."""
        self._rings, self._few = rings, few
        self._lines = tuple(lines)
        self._badge = badge
        self._change()

    def set_outside(self, outside: int | None) -> None:
        """Show the query's own frame with these squares hatched. If `outside` is None, show the game's
        board."""
        if outside != self._outside:
            self._outside = outside
            self._change()

    def travel(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Move rings and men from the first to the second square of each pair, if animation is on."""
        if self.isVisible():
            self._travel.begin(pairs)
            self._change()

    @property
    def animated(self) -> bool:
        """Whether animation is on."""
        return self._travel.allowed

    def set_animated(self, animated: bool) -> None:
        """Turn animation on or off."""
        self._travel.allowed = animated
        if not animated:
            self._travel.stop()

    def describe(self, summary: str) -> None:
        """Give assistive technology a description: `summary`, and the position in words."""
        self.setAccessibleDescription(". ".join(filter(None, (summary, spoken(self._position)))))

    def set_ghost(
        self,
        cells: Iterable[painting.CellLike] | None,
        area: int = 0,
        badge: tuple[str, str] = ("", ""),
    ) -> None:
        """Show a pattern in front of the dimmed position, until this method is called with None."""
        self._ghost = None if cells is None else (tuple(cells), area, badge)
        self._change()

    def set_layer(self, layer: Layer | None, *, faint: bool = True) -> None:
        """Draw a layer in front of the position from now on. If `layer` is None, the position is drawn
        without a layer. If `faint` is True, the position is drawn faintly and without the marks of a hit."""
        self._layer, self._faint = layer, faint
        self._change()

    @property
    def layer(self) -> Layer | None:
        """The drawings in front of the position."""
        return self._layer

    def refresh(self) -> None:
        """Repaint, because the layer has changed."""
        self._change()

    def set_corner(self, corner: QWidget) -> None:
        """Put a small widget above the left part of the board, beside the badge."""
        corner.setParent(self)
        self._corner = corner
        self._place_parts()
        corner.show()

    @property
    def side_width(self) -> int:
        """The width of the room to the left of the squares for the `Side` widget."""
        return self._side_width

    def show_side(self, side: Side | None) -> None:
        """Show `side` to the left of the squares from now on. If `side` is None, the squares get all the
        room."""
        if self._side is not None:
            self._side.hide()
        self._side = side
        if side is not None:
            side.setParent(self)
            side.show()
        self._place_parts()
        self._change()

    def set_turned(self, turned: bool) -> None:
        """Set whether Black is at the bottom."""
        if turned != self._turned:
            self._turned = turned
            self._change()
            self.turned_changed.emit(turned)

    def set_coordinates(self, shown: bool) -> None:
        """Set whether letters and digits are drawn."""
        self._coordinates = shown
        self._change()

    def set_hint(self, text: str) -> None:
        """Set the text that is shown on an empty board. If `text` is empty, no text is shown."""
        self._hint = text
        self._change()

    def picture(self, size: int = 720) -> QPixmap:
        """The board alone as a picture of `size` by `size` pixels."""
        pixmap = QPixmap(size, size)
        pixmap.fill(theme.colours().colour("window"))
        with canvas.Painter(pixmap) as painter:
            room = painting.BADGE_ROOM if self._badge[0] else 0
            cell = (size - 4 - room) // 8
            frame = painting.Frame((size - cell * 8) // 2, 2 + room, cell, self._turned)
            self._draw(painter, frame, 1.0)
        return pixmap

    def _change(self) -> None:
        if not self._changed:
            self._changed = True
            self._later(self._draw_anew)

    def _draw_anew(self) -> None:
        """Draw the board now, before the window is repainted. Drawing the board is most of the work. If the
        repaint of the window did this work too, the repaint would take too long."""
        self._changed = False
        # The old picture is dropped first, so that it is not shown any more if drawing fails.
        self._kept = None
        self.update()
        if self.isVisible():
            self._kept = self._drawn()

    def frame(self) -> painting.Frame:
        """The geometry of the squares in this widget. The side of a square is a whole number of pixels, so
        that edges are crisp."""
        # The room for the badge is always reserved, so that the board does not change its size between hits.
        room = painting.BADGE_ROOM
        width = self.width() - self._side_width
        cell = max(8, (min(width, self.height() - room) - 4) // 8)
        left = self._side_width + (width - cell * 8) // 2
        top = max(room, (self.height() - cell * 8 + room) // 2)
        return painting.Frame(left, top, cell, self._turned)

    def _draw(self, painter: QPainter, frame: painting.Frame, ratio: float) -> None:
        colours = theme.colours()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painting.draw_squares(painter, frame, colours)
        ghost = self._ghost
        layer = self._layer if ghost is None else None
        plain = ghost is None and (layer is None or not self._faint)
        # In Pattern mode the pattern is on the squares that the query names, so no motion is drawn.
        motion = self.motion if plain or ghost is not None else None
        normalised = self._outside is not None and plain
        if plain and self._move is not None:
            painting.draw_move(painter, frame, *self._move, colours)
        if plain:
            geometry_painting.draw_outside(painter, frame, self.outside, colours)
        if self._coordinates:
            painting.draw_coordinates(painter, frame, colours, self.font())
        if plain:
            ringed, tinted = painting.parted(self._rings, self._few)
            painting.draw_tints(painter, frame, tinted, colours)
        if motion is not None:
            geometry_painting.draw_way(painter, frame, motion, colours)
        if self._position is not None:
            painter.setOpacity(1.0 if plain else _DIMMED if layer is None else _FAINT)
            covered = layer.covered if layer is not None and self._faint else 0
            shown = [0 if covered >> place & 1 else man for place, man in enumerate(self._position.squares)]
            painting.draw_men(painter, frame, shown, ratio)
            painter.setOpacity(1.0)
        if ghost is not None:
            cells, area, badge = ghost
            painting.draw_pattern(painter, frame, cells, area, colours, ratio)
            marked = 0
            for cell in cells:
                marked |= squares.BIT[cell.square]
            painting.draw_rings(painter, frame, painting.parted(marked, 0)[0], colours)
        else:
            badge = self._badge if plain else ("", "")
            if plain:
                painting.draw_lines(painter, frame, self._lines, colours)
                # `paintEvent` draws the moving rings over this picture.
                painting.draw_rings(painter, frame, ringed & ~self._travel.targets, colours)
            if layer is not None:
                layer.paint(painter, frame, ratio)
        if motion is not None:
            geometry_painting.draw_motion(painter, frame, motion, colours)
        if normalised:
            geometry_painting.draw_frame(painter, frame, colours)
        if badge[0]:
            taken = self._corner.width() + 8 if self._corner is not None else 0
            role = "transform" if normalised else "ring"
            painting.draw_badge(painter, frame, badge[0], colours, self.font(), taken, role, self.swapped)
        if self._position is None and plain and self._hint:
            self._draw_hint(painter, frame, colours)

    def _draw_hint(self, painter: QPainter, frame: painting.Frame, colours: theme.Colours) -> None:
        font = self.font()
        font.setPixelSize(max(12, min(17, round(frame.cell * 0.26))))
        painter.setFont(font)
        flags = int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap)
        room = frame.rect.adjusted(frame.cell, frame.cell, -frame.cell, -frame.cell)
        needed = QRectF(painter.boundingRect(room, flags, self._hint))
        plate = needed.adjusted(-22, -16, 22, 16)
        fill = colours.colour("raised")
        painter.setPen(colours.colour("border"))
        painter.setBrush(fill)
        painter.drawRoundedRect(plate, 8, 8)
        painter.setPen(colours.colour("text"))
        painter.drawText(needed, flags, self._hint)

    def sizeHint(self) -> QSize:
        return QSize(460, 460)

    def paintEvent(self, event: QPaintEvent) -> None:
        # If only the surroundings of the board have changed, the kept picture is painted again.
        ratio, kept = self.devicePixelRatioF(), self._kept
        if (
            kept is None
            or kept.deviceIndependentSize().toSize() != self.size()
            or kept.devicePixelRatio() != ratio
        ):
            kept = self._kept = self._drawn()
        with canvas.Painter(self) as painter:
            painter.drawPixmap(0, 0, kept)
            if self._travel.pairs and self._position is not None:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
                geometry_painting.draw_travel(
                    painter,
                    self.frame(),
                    self._travel.pairs,
                    self._position.squares,
                    self._travel.done,
                    theme.colours(),
                    ratio,
                )

    def _drawn(self) -> QPixmap:
        """A new picture of the whole widget."""
        ratio = self.devicePixelRatioF()
        ground = self.palette().color(self.backgroundRole())
        made = canvas.picture(self.width(), self.height(), ratio, ground)
        with canvas.Painter(made) as painter:
            painter.setFont(self.font())
            self._draw(painter, self.frame(), ratio)
        return made

    def _place_parts(self) -> None:
        needed = self._side.width_for(self.height()) if self._side is not None else 0
        self._side_width = needed + 4 if needed else 0
        frame = self.frame()
        if self._side is not None:
            self._side.setGeometry(round(frame.left) - self._side_width - 1, 0, needed, self.height())
        if self._corner is not None:
            self._corner.adjustSize()
            # Above a small board the corner widget begins further left, so that it is not cut off.
            left = max(self._side_width, min(round(frame.left) - 1, self.width() - self._corner.width()))
            self._corner.move(left, max(0, round(frame.top) - self._corner.height() - 4))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_parts()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        # Qt also calls `changeEvent` while the widget is being made. At that time `_kept` may be missing.
        if event.type() in canvas.DRESSED and hasattr(self, "_kept"):
            self._change()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._travel.stop()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key == Qt.Key.Key_Left:
            self.stepped.emit(-1)
        elif key == Qt.Key.Key_Right:
            self.stepped.emit(1)
        elif key == Qt.Key.Key_Home:
            self.jumped.emit(-1)
        elif key == Qt.Key.Key_End:
            self.jumped.emit(1)
        else:
            super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        self._wheel += event.angleDelta().y()
        while abs(self._wheel) >= 120:
            step = 1 if self._wheel > 0 else -1
            self._wheel -= 120 * step
            self.stepped.emit(-step)
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        super().mousePressEvent(event)


def paint_mini(
    painter: QPainter,
    room: QRectF,
    cells: Iterable[painting.CellLike],
    area: int = 0,
    rings: int = 0,
    ratio: float = 1.0,
    shown: position_module.Position | None = None,
) -> None:
    """Draw a small board into a rectangle, for delegates that paint many small boards."""
    colours = theme.colours()
    cell = max(4, int(min(room.width(), room.height()) - 2) // 8)
    corner = room.center() - QPointF(cell * 4, cell * 4)
    frame = painting.Frame(round(corner.x()), round(corner.y()), cell)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painting.draw_squares(painter, frame, colours)
    if shown is not None:
        painting.draw_men(painter, frame, shown.squares, ratio)
    painting.draw_pattern(painter, frame, cells, area, colours, ratio)
    painting.draw_rings(painter, frame, painting.parted(rings, 0)[0], colours)


def spoken(shown: position_module.Position | None) -> str:
    """A position in words: side to move and where the men stand."""
    if shown is None:
        return "Empty board"
    parts = []
    for colour, first in (("White", men.WP), ("Black", men.BP)):
        found = []
        for man in range(first + 5, first - 1, -1):
            places = [squares.square_name(square) for square in squares.bits(shown.men[man])]
            if places:
                found.append(f"{_NAMES[men.kind(man)]} {' '.join(places)}")
        parts.append(f"{colour}: {', '.join(found)}")
    return f"{'Black' if shown.turn else 'White'} to move. {'. '.join(parts)}"

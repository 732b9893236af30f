"""Draws pictures with pyqtgraph, which takes long to import. Only `pane` imports this module, after `loading`
has imported pyqtgraph."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QBuffer, QByteArray, QEvent, QIODevice, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetrics,
    QHelpEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QResizeEvent,
)
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QToolTip, QWidget

from cqlgui.tasks.pictures import pictures
from cqlgui.ui.look import canvas as painting
from cqlgui.ui.look import theme, wording
from cqlgui.ui.pictures import drawings

SCALE: Final = 2
"""Pixels of a saved image for each pixel on the screen, along each side."""
_BRUSH: Final = 6
"""A mouse that moves at least this many pixels while a button is down draws a brush."""
_COLOURS: Final = 256
"""The number of colours from the least share to the greatest one."""
_MARGINS: Final = (4, 8, 16, 4)
"""The room around the axes in pixels: left, above, right, below."""
_DENSE: Final = 650
"""Where the picture is narrower, an axis has fewer numbers."""

# pyqtgraph would delete graphics items at the end of the process. The window does this itself.
pg.setConfigOption("exitCleanup", False)


class Canvas(pg.PlotWidget):  # type: ignore[misc]  # pyqtgraph has no types
    """Shows one drawing. `picked` carries the rows of the table behind the shapes that the user clicked or
    brushed, and `joined` the same with Ctrl held. `moved` carries a row that the user chose with the arrow
    keys. `fitted` is emitted when the drawing was fitted to the size of the widget, which may change its
    caption."""

    picked = Signal(list)
    joined = Signal(list)
    moved = Signal(int)
    fitted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        self._field = pg.ViewBox(enableMenu=False, enableMouse=False, defaultPadding=0)
        self._axes = {side: _CountAxis(side) for side in ("left", "bottom")}
        super().__init__(parent, viewBox=self._field, axisItems=self._axes)
        self.hideButtons()
        self.getPlotItem().layout.setContentsMargins(*_MARGINS)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(200, 160)
        self.setFrameShape(self.Shape.NoFrame)
        self.setMouseTracking(True)
        self._sheet = _Sheet()
        self._field.addItem(self._sheet)
        self._table = pictures.Table((), ())
        self._pressed: QPoint | None = None
        self._row = drawings.NO_ROW
        theme.theme().changed.connect(self._dress)
        self._dress()

    @property
    def drawing(self) -> drawings.Drawing | None:
        """The drawing that is shown."""
        return self._sheet.drawing

    def draw(self, drawing: drawings.Drawing, table: pictures.Table, title: str) -> None:
        """Show a drawing. `table` has its rows, for tool tips."""
        self._table, self._pressed, self._row = table, None, drawings.NO_ROW
        self._sheet.show_drawing(drawing)
        self.setAccessibleName(title)
        self.setAccessibleDescription(
            f"{wording.counted(len(table.rows), 'row', 'rows')}. The arrow keys go from part to part, "
            "Enter shows its hits, and Ctrl+click selects several parts."
        )
        self._field.setAspectLocked(drawing.square)
        self._field.invertY(drawing.upside_down)
        for side, axis in (("bottom", drawing.bottom), ("left", drawing.left)):
            item = self._axes[side]
            self.getPlotItem().showAxis(side, axis is not None)
            if axis is not None:
                item.set_axis(axis)
        self._fit()

    def select(self, rows: list[int]) -> None:
        """Mark the shapes of some rows."""
        self._row = rows[0] if rows else self._row
        self._sheet.mark(selected=frozenset(rows))

    def image(self) -> QImage:
        """The picture as an image, with `SCALE` times the pixels of the screen."""
        size = self.size()
        made = QImage(size * SCALE, QImage.Format.Format_RGB32)
        made.setDevicePixelRatio(SCALE)
        made.fill(theme.colours().colour("base"))
        with painting.Painter(made) as painter:
            self._paint_on(painter, size)
        return made

    def svg(self) -> bytes:
        """The picture as SVG."""
        data = QByteArray()
        buffer = QBuffer(data)
        buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        generator = QSvgGenerator()
        generator.setOutputDevice(buffer)
        size = self.size()
        generator.setSize(size)
        generator.setViewBox(QRectF(0, 0, size.width(), size.height()))
        generator.setTitle(self.accessibleName())
        # Text has the size of the screen only if both have the same number of dots per inch.
        generator.setResolution(self.logicalDpiX())
        with painting.Painter(generator) as painter:
            painter.fillRect(QRectF(0, 0, size.width(), size.height()), theme.colours().colour("base"))
            self._paint_on(painter, size)
        buffer.close()
        return bytes(data.data())

    def _paint_on(self, painter: QPainter, size: QSize) -> None:
        self._sheet.mark(hovered=drawings.NO_ROW)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.render(painter, QRectF(0, 0, size.width(), size.height()), self.viewport().rect())

    def _dress(self) -> None:
        colours = theme.colours()
        self.setBackground(colours.colour("base"))
        for axis in self._axes.values():
            axis.dress(colours, self.font())
        # The strongest colour is the one that differs most from the ground. A picture asks for a hundred
        # colours whenever it is painted, so they are made once.
        places = np.linspace(0.1, 1, _COLOURS)
        steps: list[QColor] = pg.colormap.get("viridis").map(
            places if colours.dark else 1 - places, mode="qcolor"
        )

        def ramp(share: float) -> QColor:
            return steps[round(share * (_COLOURS - 1))]

        self._sheet.dress(drawings.Look(colours, self.font(), ramp))

    def _fit(self) -> None:
        drawing, metrics = self.drawing, QFontMetrics(self.font())
        if drawing is None:
            return
        left, top, right, bottom = _MARGINS
        # Below the field are the numbers of the axis and its name.
        below = 2 * metrics.height() + 8 if drawing.bottom is not None else 0
        drawing.fit(self.width() - left - right, self.height() - top - bottom - below, self.font())
        self._sheet.prepareGeometryChange()
        self._field.setRange(drawing.bounds, padding=0, disableAutoRange=True)
        axis = self._axes["left"]
        if drawing.left is not None and drawing.left.ticks is not None:
            axis.cut(drawing.left, int(self.width() * drawings.LABELS), metrics)
            self._axes["bottom"].setTickDensity(min(1.0, (self.width() - axis.width()) / _DENSE))
        else:
            self._axes["bottom"].setTickDensity(min(1.0, self.width() / _DENSE))
        self.fitted.emit()

    def _row_at(self, place: QPoint) -> int:
        drawing = self.drawing
        return drawings.NO_ROW if drawing is None else drawing.row_at(self._point(place))

    def _point(self, place: QPoint) -> QPointF:
        """A pixel of the viewport in the coordinates of the axes."""
        found: QPointF = self._field.mapSceneToView(QPointF(self.mapToScene(place)))
        return found

    def pixel(self, x: float, y: float) -> QPoint:
        """The pixel of the viewport at a point of the axes."""
        found: QPoint = self.mapFromScene(self._field.mapViewToScene(QPointF(x, y)))
        return found

    # --- events ---

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._dress()
            self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # pyqtgraph calls this method while it makes the widget.
        if hasattr(self, "_sheet"):
            self._fit()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pressed = event.position().toPoint() if event.button() == Qt.MouseButton.LeftButton else None
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        place, drawing = event.position().toPoint(), self.drawing
        row = self._row_at(place)
        self.viewport().setCursor(
            Qt.CursorShape.PointingHandCursor if row != drawings.NO_ROW else Qt.CursorShape.ArrowCursor
        )
        brush = None
        if self._pressed is not None and drawing is not None and drawing.brushes and self._drags(place):
            brush = self._point(self._pressed), self._point(place)
        self._sheet.mark(hovered=row, brush=brush)
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        place, begun, drawing = event.position().toPoint(), self._pressed, self.drawing
        self._pressed = None
        self._sheet.mark(brush=None)
        if begun is None or drawing is None:
            return
        if drawing.brushes and (place - begun).manhattanLength() >= _BRUSH:
            rows = drawing.rows_between(self._point(begun), self._point(place))
        else:
            rows = [row for row in (self._row_at(place),) if row != drawings.NO_ROW]
        if rows:
            joins = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
            (self.joined if joins else self.picked).emit(rows)
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        # The first click has picked the part already.
        event.accept()

    def wheelEvent(self, event: Any) -> None:
        # The wheel scrolls what is around the picture.
        event.ignore()

    def leaveEvent(self, event: QEvent) -> None:
        self._sheet.mark(hovered=drawings.NO_ROW)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1, Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1}
        key = Qt.Key(event.key())
        if key in steps and self._table.rows:
            self._row = min(max(self._row + steps[key], 0), len(self._table.rows) - 1)
            self.moved.emit(self._row)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and self._row >= 0:
            self.picked.emit(sorted(self._sheet.selected) or [self._row])
        elif key == Qt.Key.Key_Escape and self._pressed is not None:
            # The brush is given up. What is narrowed already stays.
            self._pressed = None
            self._sheet.mark(brush=None)
        else:
            event.ignore()

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            words = self.tip_at(event.pos())
            if words:
                QToolTip.showText(event.globalPos(), wording.plain_tip(words), self)
            else:
                QToolTip.hideText()
            return True
        return bool(super().viewportEvent(event))

    def tip_at(self, place: QPoint) -> str:
        """The text of the tooltip at a pixel of the viewport: the numbers of a shape, or the whole text of a
        name; empty if there is neither."""
        row = self._row_at(place)
        if 0 <= row < len(self._table.rows):
            return drawings.tip(self._table, row)
        return "" if self.drawing is None else self.drawing.words_at(self._point(place))

    def _drags(self, place: QPoint) -> bool:
        return self._pressed is not None and (place - self._pressed).manhattanLength() >= _BRUSH


class _Sheet(pg.GraphicsObject):  # type: ignore[misc]  # pyqtgraph has no types
    """Paints a drawing, and the brush over it."""

    def __init__(self) -> None:
        super().__init__()
        self.drawing: drawings.Drawing | None = None
        self.selected: frozenset[int] = frozenset()
        self._hovered = drawings.NO_ROW
        self._brush: tuple[QPointF, QPointF] | None = None
        self._look: drawings.Look | None = None

    def show_drawing(self, drawing: drawings.Drawing) -> None:
        """Show another drawing without marks."""
        self.prepareGeometryChange()
        self.drawing, self.selected, self._hovered, self._brush = drawing, frozenset(), drawings.NO_ROW, None
        self.update()

    def dress(self, look: drawings.Look) -> None:
        """Set the colours."""
        self._look = look
        self.update()

    def mark(
        self,
        *,
        selected: frozenset[int] | None = None,
        hovered: int | None = None,
        brush: tuple[QPointF, QPointF] | None = None,
    ) -> None:
        """Set marks: selected rows, the row under the mouse, and the brush."""
        before = self.selected, self._hovered, self._brush
        self.selected = self.selected if selected is None else selected
        self._hovered = self._hovered if hovered is None else hovered
        self._brush = brush
        if before != (self.selected, self._hovered, self._brush):
            self.update()

    def boundingRect(self) -> QRectF:
        return QRectF() if self.drawing is None else self.drawing.bounds

    def paint(
        self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None
    ) -> None:
        drawing, look = self.drawing, self._look
        if drawing is None or look is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, not isinstance(drawing, drawings.Columns))
        drawing.paint(
            painter,
            drawings.Look(look.colours, look.font, look.ramp, self.selected, self._hovered),
        )
        if self._brush is not None:
            area = QRectF(*self._brush).normalized()
            if drawing.brushes == "x":
                area = QRectF(area.left(), drawing.bounds.top(), area.width(), drawing.bounds.height())
            elif drawing.brushes == "y":
                area = QRectF(drawing.bounds.left(), area.top(), drawing.bounds.width(), area.height())
            tint = look.colours.colour("ring")
            tint.setAlpha(70)
            painter.fillRect(area.intersected(drawing.bounds), tint)


class _CountAxis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph has no types
    """An axis of whole numbers or of names."""

    def __init__(self, side: str) -> None:
        super().__init__(side)
        self.enableAutoSIPrefix(False)
        self.setStyle(hideOverlappingLabels=False)
        self._axis: drawings.Axis | None = None
        self._ink = QColor()

    def set_axis(self, axis: drawings.Axis) -> None:
        """Show the name and the ticks of an axis."""
        self._axis = axis
        self.setTicks(None if axis.ticks is None else [list(axis.ticks)])
        self._label()
        self.setStyle(tickLength=0 if axis.ticks is not None else -4)

    def cut(self, axis: drawings.Axis, room: int, metrics: QFontMetrics) -> None:
        """Elide the names of ticks that are wider than `room` pixels, and make the axis as wide as they
        are."""
        shown = [
            (place, metrics.elidedText(words, Qt.TextElideMode.ElideRight, room))
            for place, words in axis.ticks or ()
        ]
        self.setTicks([shown])
        widest = max((metrics.horizontalAdvance(words) for _, words in shown), default=0)
        self.setWidth(widest + 12 + (metrics.height() + 2 if axis.name else 0))

    def dress(self, colours: theme.Colours, font: Any) -> None:
        """Set colours and font."""
        self._ink = colours.colour("muted")
        self.setPen(colours.colour("border"))
        self.setTextPen(self._ink)
        self.setTickFont(font)
        self.label.setFont(font)
        if self._axis is not None:
            self._label()

    def _label(self) -> None:
        assert self._axis is not None
        self.setWidth(None) if self.orientation == "left" else self.setHeight(None)
        self.showLabel(bool(self._axis.name))
        self.setLabel(self._axis.name, color=self._ink.name())

    def tickStrings(self, values: Any, scale: float, spacing: float) -> list[str]:
        # Hits and games are whole numbers. A tick between two of them has no name.
        grouped = self._axis is None or self._axis.grouped
        return [
            "" if value != round(value) else f"{value:,.0f}" if grouped else f"{value:.0f}"
            for value in values
        ]

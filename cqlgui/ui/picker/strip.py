"""The orbit's elements as a grid of thumbnails; only those in view are ever parsed or painted."""

from __future__ import annotations

import time

from PySide6.QtCore import (
    QAbstractListModel,
    QByteArray,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QFocusEvent,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QPixmap,
    QRegion,
    QResizeEvent,
)
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from cqlgui.pattern import pictures
from cqlgui.tasks import model
from cqlgui.ui import canvas, theme
from cqlgui.ui.board import widget as board_widget
from cqlgui.ui.editor import colours
from cqlgui.ui.panels import wording
from cqlgui.ui.picker import words

Index = QModelIndex | QPersistentModelIndex
ELEMENT = int(Qt.ItemDataRole.UserRole)
_BOARD, _PAD = 114, 7  # pixels; 14 for a square, and the edge
_SLACK = 8  # Qt begins a new row a few pixels before the row is full
_TILE = _BOARD + 2 * _PAD
_PICTURE_SECONDS = 0.004
"""For so long pictures are made in one repaint, and at least one; the others of those in view in the next
ones."""
_KEPT_TILES = 64
"""Tiles that are kept as they were painted at least, some 100 kB each; on a large screen as many as are in
view."""

_Look = tuple[model.ElementCount, bool, bool, bool, int, int, float]
"""Element of a tile, whether it was counted, chosen and marked, width, height and device pixel ratio."""


class ElementsModel(QAbstractListModel):
    """The elements of one orbit. Pictures are made when first asked for and kept."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._elements: tuple[model.ElementCount, ...] = ()
        self._pictures: dict[str, pictures.Picture] = {}
        self.counted = False

    def show_elements(self, elements: tuple[model.ElementCount, ...], *, counted: bool) -> None:
        """Show these; `counted` when their figures come from a search.

        The same texts keep scroll and selection.
        """
        same = [one.text for one in elements] == [one.text for one in self._elements]
        self.counted = counted
        if same:
            self._elements = elements
            if elements:
                self.dataChanged.emit(self.index(0), self.index(len(elements) - 1))
            return
        self.beginResetModel()
        self._elements = elements
        self._pictures = {}
        self.endResetModel()

    def picture(self, row: int) -> pictures.Picture:
        """The thumbnail of an element; a text that cannot be read alone falls back to the squares it
        names."""
        element = self._elements[row]
        found = self._pictures.get(element.text)
        if found is None:
            found = pictures.of_text(element.text)
            if not found.squares and element.squares:
                found = pictures.Picture(area=element.squares)
            self._pictures[element.text] = found
        return found

    def element(self, row: int) -> model.ElementCount:
        """An element by its row."""
        return self._elements[row]

    def has_picture(self, row: int) -> bool:
        """Whether the thumbnail of an element has been made."""
        return self._elements[row].text in self._pictures

    @property
    def pictures_made(self) -> int:
        """Number of thumbnails parsed so far."""
        return len(self._pictures)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  # Qt's own default
        return 0 if parent.isValid() else len(self._elements)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or index.row() >= len(self._elements):
            return None
        element = self._elements[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return element.words
        if role == ELEMENT:
            return element
        hits = (
            f"{words.plural(element.positions, 'hit')} in {words.plural(element.games, 'game')}"
            if self.counted
            else ""
        )
        if role == Qt.ItemDataRole.ToolTipRole:
            parts = (element.words, element.transform, element.text, hits)
            return wording.plain_tip("\n".join(filter(None, parts)))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ", ".join(part for part in (element.words, hits) if part)
        return None

    def roleNames(self) -> dict[int, QByteArray]:
        return super().roleNames()


class ElementsView(QListView):
    """Hovering previews an element, and so do the arrow keys; a click or Enter limits to it, Esc lets go.

    `left` ends the preview: the pointer or the keyboard's focus has gone, or the elements have.
    """

    hovered = Signal(int)
    left = Signal()
    chosen = Signal(int)
    cleared = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.elements = ElementsModel(self)
        self.limited = -1
        self._under = -1
        # Until when pictures are made in a repaint, once one was missing, and the tiles without one.
        self._until: float | None = None
        self._bare = QRegion()
        self._tiles: dict[_Look, QPixmap] = {}
        self.setModel(self.elements)
        self.setItemDelegate(_Delegate(self))
        self.setAccessibleName("Elements of the orbit")
        self.setViewMode(QListView.ViewMode.IconMode)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setMovement(QListView.Movement.Static)
        self.setUniformItemSizes(True)
        self.setLayoutMode(QListView.LayoutMode.Batched)
        self.setBatchSize(400)
        self.setStyleSheet("QListView { border: none; }")
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.elements.modelReset.connect(self._lay_tiles)
        self.elements.modelReset.connect(self._forget_tiles)
        theme.theme().changed.connect(self._forget_tiles)
        self.elements.dataChanged.connect(lambda *_: self._lay_tiles())
        self.clicked.connect(lambda index: self.choose(index.row()))
        self.entered.connect(lambda index: self._preview(index.row()))
        self.viewportEntered.connect(self.end_preview)
        self.elements.modelReset.connect(self.end_preview)

    def choose(self, row: int) -> None:
        """Limit to an element; choosing it again lets go."""
        if row == self.limited:
            self.clear()
            return
        self.limited = row
        self.viewport().update()
        self.chosen.emit(row)

    def clear(self) -> None:
        """Limit to nothing."""
        had = self.limited >= 0
        self.limited = -1
        self.viewport().update()
        if had:
            self.cleared.emit()

    def picture(self, row: int, area: QRect) -> pictures.Picture | None:
        """The thumbnail of an element, painted at a place; None where its tile has to wait for another
        repaint, which follows."""
        if self.elements.has_picture(row):
            return self.elements.picture(row)
        if self._until is None:
            # Not from the repaint's beginning: where many tiles are painted as they were, none would be made.
            self._until = time.monotonic() + _PICTURE_SECONDS
        elif time.monotonic() >= self._until:
            self._paint_later(area)
            return None
        return self.elements.picture(row)

    def _paint_later(self, area: QRect) -> None:
        if self._bare.isEmpty():
            QTimer.singleShot(0, self, self._paint_bare)
        self._bare += area

    def tile(self, look: _Look) -> QPixmap | None:
        """A tile as it was painted before."""
        return self._tiles.get(look)

    def keep_tile(self, look: _Look, tile: QPixmap) -> None:
        """Have a tile painted as it is from now on."""
        view, grid = self.viewport().size(), self.gridSize()
        seen = (view.width() // grid.width() + 1) * (view.height() // grid.height() + 2)
        if len(self._tiles) >= max(_KEPT_TILES, seen):
            del self._tiles[next(iter(self._tiles))]
        self._tiles[look] = tile

    def _forget_tiles(self) -> None:
        self._tiles.clear()

    def _paint_bare(self) -> None:
        bare, self._bare = self._bare, QRegion()
        self.viewport().update(bare)

    def small_font(self) -> QFont:
        """The font of the words under a picture."""
        font = QFont(self.font())
        font.setPointSizeF(max(6.0, font.pointSizeF() * 0.85))
        return font

    def _lay_tiles(self) -> None:
        """Columns that fill the width, whether a scroll bar stands there or not."""
        room = self.width() - self.verticalScrollBar().sizeHint().width() - _SLACK
        columns = max(1, room // (_TILE + 4))
        lines = 3 + self.elements.counted
        height = _TILE + lines * self.fontMetrics().height() + 8
        size = QSize(max(_TILE, room // columns), height)
        if size != self.gridSize():
            self.setGridSize(size)

    def _preview(self, row: int) -> None:
        if row != self._under:
            self._under = row
            self.hovered.emit(row)

    def end_preview(self) -> None:
        """Preview no element any more, until the pointer or the keyboard comes to one."""
        if self._under >= 0:
            self._under = -1
            self.left.emit()

    def currentChanged(self, current: Index, previous: Index) -> None:
        super().currentChanged(current, previous)
        if current.isValid() and self.hasFocus():
            self._preview(current.row())

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if event.reason() != Qt.FocusReason.MouseFocusReason and self.currentIndex().isValid():
            self._preview(self.currentIndex().row())

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.end_preview()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if (
            event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
            and self.currentIndex().isValid()
        ):
            self.choose(self.currentIndex().row())
        elif event.key() == Qt.Key.Key_Escape and self.limited >= 0:
            self.clear()
        else:
            super().keyPressEvent(event)
            return
        event.accept()

    def paintEvent(self, event: QPaintEvent) -> None:
        self._until = None
        super().paintEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._lay_tiles()
        super().resizeEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        # Also while it is being made.
        if event.type() in canvas.DRESSED and hasattr(self, "_tiles"):
            self._forget_tiles()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.end_preview()


class _Delegate(QStyledItemDelegate):
    """Board, words, CQL name and count of one element."""

    def __init__(self, view: ElementsView) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return self._view.gridSize()

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        view, row, place = self._view, index.row(), option.rect
        element = view.elements.element(row)
        marked = bool(option.state & _MARKING)
        ratio = view.devicePixelRatioF()
        counted, limited = view.elements.counted, row == view.limited
        look = (element, counted, limited, marked, place.width(), place.height(), ratio)
        tile = view.tile(look)
        if tile is None:
            shown = view.picture(row, place)
            tile = self._made(look, shown)
            if shown is not None:
                view.keep_tile(look, tile)
        painter.drawPixmap(place.topLeft(), tile)

    def _made(self, look: _Look, shown: pictures.Picture | None) -> QPixmap:
        """A tile, without a board where there is no thumbnail yet."""
        view = self._view
        element, counted, limited, marked, width, height, ratio = look
        # Letters are drawn as on the view itself only where there is a ground.
        tile = canvas.picture(width, height, ratio, view.palette().color(QPalette.ColorRole.Base))
        area = QRect(0, 0, width, height).adjusted(2, 2, -2, -2)
        marked = limited or marked
        with canvas.Painter(tile) as painter:
            painter.setFont(view.font())
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(colours.of(view, "accent" if marked else "frame"), 2 if limited else 1))
            painter.setBrush(colours.of(view, "tile-chosen" if limited else "tile"))
            painter.drawRoundedRect(area, 5, 5)
            empty = counted and not element.positions
            if empty:
                painter.setOpacity(0.4)
            board = QRectF(area.left() + (area.width() - _BOARD) / 2, area.top() + _PAD, _BOARD, _BOARD)
            if shown is not None:
                painter.save()
                rings = sum(1 << cell.square for cell in shown.cells if not cell.symbol)
                board_widget.paint_mini(painter, board, shown.cells, shown.area, rings, ratio)
                painter.restore()
            painter.setOpacity(0.7 if empty else 1.0)
            self._texts(painter, area, element, limited)
        return tile

    def _texts(self, painter: QPainter, area: QRect, element: model.ElementCount, lit: bool) -> None:
        view = self._view
        line = view.fontMetrics().height()
        box = QRect(area.left() + 4, area.top() + 2 * _PAD + _BOARD - 3, area.width() - 8, 2 * line)
        plain, small, bold = view.small_font(), view.small_font(), QFont(view.font())
        bold.setBold(True)
        role = QPalette.ColorRole.HighlightedText if lit else QPalette.ColorRole.Text
        ink, faint = view.palette().color(role), view.palette().color(role)
        if not lit:
            faint = colours.of(view, "muted")
        count = ""
        if view.elements.counted:
            count = words.plural(element.positions, "hit") if element.positions else "no hit"
        painter.setFont(plain)
        painter.setPen(ink)
        painter.drawText(
            box,
            Qt.AlignmentFlag.AlignCenter,
            _two_lines(element.words, painter.fontMetrics(), box.width()),
        )
        box = QRect(box.left(), box.bottom() + 1, box.width(), line)
        for text, font, colour in ((element.transform, small, faint), (count, bold, ink)):
            painter.setFont(font)
            painter.setPen(colour)
            short = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, box.width())
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, short)
            box.translate(0, line)


_MARKING = QStyle.StateFlag.State_HasFocus | QStyle.StateFlag.State_MouseOver


def _two_lines(text: str, metrics: QFontMetrics, width: int) -> str:
    """A text broken between words so that it fits two lines, its end left out where it does not."""
    first = ""
    rest = text.split()
    while rest and metrics.horizontalAdvance(f"{first} {rest[0]}".strip()) <= width:
        first = f"{first} {rest.pop(0)}".strip()
    second = metrics.elidedText(" ".join(rest), Qt.TextElideMode.ElideRight, width)
    return f"{first}\n{second}" if first and second else first or second

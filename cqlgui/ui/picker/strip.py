"""The orbit's elements as a grid of thumbnails; only visible elements are parsed and painted."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TypeVar

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

from cqlgui.board import position as position_module
from cqlgui.cql.ast import nodes
from cqlgui.cql.transforming import words as cql_words
from cqlgui.pattern import pictures as picture_module
from cqlgui.tasks.results import hit_model
from cqlgui.ui.board import widget as board_widget
from cqlgui.ui.look import canvas, colours, theme, wording
from cqlgui.ui.picker import words
from cqlgui.ui.tables import signs

Index = QModelIndex | QPersistentModelIndex
ELEMENT = int(Qt.ItemDataRole.UserRole)
_BOARDS = tuple(range(114, 50, -8))
"""Possible widths of boards in pixels: squares of whole pixels, and 2 pixels for the edge. The largest width
that leaves all images visible is used. If no width does this, the smallest width is used."""
_WORDY = 98
"""A board of at least this width has room below it for the transform in words."""
_BESIDE = 72
"""Width in pixels of the words that stand beside a board narrower than `_WORDY`."""
_PAD = 3
_SLACK = 8  # Qt begins a new row a few pixels before the row is full
_PICTURE_SECONDS = 0.004
"""A repaint makes at least one picture, and stops making pictures after this many seconds. Later repaints
make the other pictures."""
_KEPT_TILES = 64
"""Maximum of cached painted tiles. If more tiles are visible, as on a large screen, all visible tiles are
cached. A tile takes about 100 kB."""

_Look = tuple[hit_model.ElementCount, bool, bool, bool, int, int, float, position_module.Position | None]
"""The element of a tile and three flags: whether the tile shows a count, whether its element limits the hits,
and whether the tile is marked. The last four values are the width, height, device pixel ratio and example of
the tile."""
_BoardLook = tuple[str, int, float, position_module.Position | None]
"""Text of an element, width of its board, device pixel ratio and example."""

_Key = TypeVar("_Key", _Look, _BoardLook)


class ElementsModel(QAbstractListModel):
    """The elements of one orbit. The element as written comes first. The other elements follow by number of
    hits, and the elements that can never match come last. Pictures are made on demand and cached.

    The methods name an element by its number in the orbit; only Qt uses rows.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._elements: tuple[hit_model.ElementCount, ...] = ()
        self._order: list[int] = []
        self._rows: dict[int, int] = {}
        self._pictures: dict[str, picture_module.Picture] = {}
        self._given: Mapping[str, picture_module.Picture] = {}
        self._examples: Mapping[int, position_module.Position] = {}
        self.counted = False

    def show_elements(self, elements: tuple[hit_model.ElementCount, ...], *, counted: bool) -> None:
        """Show these elements. `counted` is True if the counts of the elements come from a search.

        If the texts of the elements are unchanged, scroll position and selection are kept.
        """
        same = [one.text for one in elements] == [one.text for one in self._elements]
        if same:
            if (elements, counted) != (self._elements, self.counted):
                self._elements, self.counted = elements, counted
                self._put_in_order()
            return
        self.beginResetModel()
        self._elements, self.counted = elements, counted
        self._pictures = {}
        self._examples = {}
        self._number(_ordered(elements, counted=counted))
        self.endResetModel()

    def _put_in_order(self) -> None:
        """Sort the same elements again, because their counts changed."""
        order = _ordered(self._elements, counted=self.counted)
        if order != self._order:
            self.layoutAboutToBeChanged.emit()
            kept = self.persistentIndexList()
            numbers = [self._order[one.row()] for one in kept]
            self._number(order)
            self.changePersistentIndexList(kept, [self.index(self._rows[number]) for number in numbers])
            self.layoutChanged.emit()
        if self._elements:
            self.dataChanged.emit(self.index(0), self.index(len(self._elements) - 1))

    def _number(self, order: list[int]) -> None:
        self._order = order
        self._rows = {number: row for row, number in enumerate(order)}

    def number_at(self, row: int) -> int:
        """The number of the element in a row."""
        return self._order[row]

    def row_of(self, number: int) -> int:
        """The row of an element; -1 if no element has this number."""
        return self._rows.get(number, -1)

    def set_examples(self, examples: Mapping[int, position_module.Position]) -> None:
        """Show these positions for elements that name no squares. The key is the number of the element."""
        if examples == self._examples:
            return
        self._examples = examples
        if self._elements:
            self.dataChanged.emit(self.index(0), self.index(len(self._elements) - 1))

    def example(self, number: int) -> position_module.Position | None:
        """The position to show for an element that names no squares."""
        return self._examples.get(number)

    def keep_pictures(self, pictures: Mapping[str, picture_module.Picture]) -> None:
        """Take thumbnails that another thread has made. The key is the text of the element."""
        self._given = pictures

    def picture(self, number: int) -> picture_module.Picture:
        """The thumbnail of an element. If the element's text cannot be read by itself, the thumbnail shows
        the squares that the text names."""
        element = self._elements[number]
        found = self._given.get(element.text) or self._pictures.get(element.text)
        if found is None:
            found = self._pictures[element.text] = picture_of(element)
        return found

    def element(self, number: int) -> hit_model.ElementCount:
        """An element by its number in the orbit."""
        return self._elements[number]

    def has_picture(self, number: int) -> bool:
        """Whether the thumbnail of an element has been made."""
        text = self._elements[number].text
        return text in self._given or text in self._pictures

    def said(self, number: int) -> str:
        """An element in words: its transform, and how often it matched."""
        element = self._elements[number]
        return ": ".join(filter(None, (self.hits(element), element.words)))

    def hits(self, element: hit_model.ElementCount) -> str:
        """How often an element matched, or why it can never match; empty without counts."""
        if never(element):
            return f"can never match, {element.never}"
        if not self.counted:
            return ""
        return f"{words.plural(element.positions, 'hit')} in {words.plural(element.games, 'game')}"

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  # Qt's own default
        return 0 if parent.isValid() else len(self._elements)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or index.row() >= len(self._elements):
            return None
        element = self._elements[self._order[index.row()]]
        if role == Qt.ItemDataRole.DisplayRole:
            return element.words
        if role == ELEMENT:
            return element
        if role == Qt.ItemDataRole.ToolTipRole:
            parts = (element.words, element.transform, element.text, self.hits(element))
            return wording.plain_tip("\n".join(filter(None, parts)))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ", ".join(part for part in (element.words, self.hits(element)) if part)
        return None

    def roleNames(self) -> dict[int, QByteArray]:
        return super().roleNames()


def never(element: hit_model.ElementCount) -> bool:
    """Whether an element is known to match nowhere."""
    return bool(element.never) and not element.positions


def picture_of(element: hit_model.ElementCount, node: nodes.Node | None = None) -> picture_module.Picture:
    """The thumbnail of an element. `node` is the filter of the element. With `node`, this function is
    faster."""
    found = picture_module.of_text(element.text) if node is None else picture_module.of_node(node)
    if not found.squares and element.squares:
        return picture_module.Picture(area=element.squares)
    return found


def first(elements: Sequence[hit_model.ElementCount], count: int) -> list[int]:
    """The numbers of the elements that are shown first while there are no counts."""
    return _ordered(elements, counted=False)[:count]


def _ordered(elements: Sequence[hit_model.ElementCount], *, counted: bool) -> list[int]:
    def key(number: int) -> tuple[bool, bool, int, int]:
        element = elements[number]
        hits = element.positions if counted else 0
        return element.transform != cql_words.AS_WRITTEN, never(element), -hits, number

    return sorted(range(len(elements)), key=key)


class ElementsView(QListView):
    """The pointer and the arrow keys preview an element. A click or Enter limits the hits to an element, and
    Esc removes this limit. If hits are counted, the arrow keys limit the hits too.

    Signals name an element by its number in the orbit. `left` is emitted when the preview ends, because the
    pointer or the keyboard focus is elsewhere, or because other elements are shown.
    """

    hovered = Signal(int)
    left = Signal()
    chosen = Signal(int)
    cleared = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.elements = ElementsModel(self)
        self.limited = -1
        self.board = _BOARDS[0]
        # Whether tiles have room for words.
        self.wordy = True
        self._under = -1
        # After this time, a repaint makes no more pictures. The time is set when a repaint meets the first
        # missing picture.
        self._until: float | None = None
        # The region of the tiles that still need a picture.
        self._bare = QRegion()
        self._tiles: dict[_Look, QPixmap] = {}
        self._boards: dict[_BoardLook, QPixmap] = {}
        self.setModel(self.elements)
        self.setItemDelegate(_Delegate(self))
        self.setAccessibleName("Images of the pattern")
        self.setAccessibleDescription("Left and right go through the images; Escape lets go.")
        self.setViewMode(QListView.ViewMode.IconMode)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setMovement(QListView.Movement.Static)
        self.setUniformItemSizes(True)
        self.setLayoutMode(QListView.LayoutMode.Batched)
        self.setBatchSize(400)
        self.setStyleSheet("QListView { border: none; }")
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.elements.modelReset.connect(self._lay_tiles)
        self.elements.modelReset.connect(self._forget_tiles)
        self.elements.modelReset.connect(self.scrollToTop)
        theme.theme().changed.connect(self._forget_tiles)
        self.clicked.connect(lambda index: self.choose(self.elements.number_at(index.row())))
        self.entered.connect(lambda index: self._preview(index.row()))
        self.viewportEntered.connect(self.end_preview)
        self.elements.modelReset.connect(self.end_preview)

    def choose(self, number: int) -> None:
        """Limit the hits to an element. If the hits are limited to this element already, remove the limit."""
        if number == self.limited:
            self.clear()
        else:
            self._limit(number)

    def _limit(self, number: int) -> None:
        if number != self.limited:
            self.limited = number
            self.viewport().update()
            self.chosen.emit(number)

    def clear(self) -> None:
        """Stop limiting the hits to an element."""
        had = self.limited >= 0
        self.limited = -1
        self.viewport().update()
        if had:
            self.cleared.emit()

    def picture(self, number: int, area: QRect) -> picture_module.Picture | None:
        """The thumbnail of an element for a tile. If making a picture would take too long now, another
        repaint of the tile is requested, and the result is None."""
        if self.elements.has_picture(number):
            return self.elements.picture(number)
        if self._until is None:
            # The time starts here, not with the repaint: painting many tiles from the cache could use up all
            # the time.
            self._until = time.monotonic() + _PICTURE_SECONDS
        elif time.monotonic() >= self._until:
            self._paint_later(area)
            return None
        return self.elements.picture(number)

    def _paint_later(self, area: QRect) -> None:
        if self._bare.isEmpty():
            QTimer.singleShot(0, self, self._paint_bare)
        self._bare += area

    def tile(self, look: _Look) -> QPixmap | None:
        """A tile from the cache; None if the tile is not cached."""
        return self._tiles.get(look)

    def keep_tile(self, look: _Look, tile: QPixmap) -> None:
        """Put a painted tile into the cache."""
        self._keep(self._tiles, look, tile)

    def small_board(
        self, text: str, shown: picture_module.Picture, example: position_module.Position | None
    ) -> QPixmap:
        """The board of a tile. The board is cached without the count below it. A search changes the count
        several times, and painting the board for each count would take too long."""
        ratio = self.devicePixelRatioF()
        look = (text, self.board, ratio, example)
        found = self._boards.get(look)
        if found is None:
            found = canvas.picture(self.board, self.board, ratio)
            room = QRectF(0, 0, self.board, self.board)
            rings = sum(1 << cell.square for cell in shown.cells if not cell.symbol)
            place = example if not shown.squares else None
            with canvas.Painter(found) as painter:
                board_widget.paint_mini(painter, room, shown.cells, shown.area, rings, ratio, place)
            self._keep(self._boards, look, found)
        return found

    def _keep(self, kept: dict[_Key, QPixmap], look: _Key, one: QPixmap) -> None:
        view, grid = self.viewport().size(), self.gridSize()
        seen = (view.width() // grid.width() + 1) * (view.height() // grid.height() + 2)
        if len(kept) >= max(_KEPT_TILES, seen):
            del kept[next(iter(kept))]
        kept[look] = one

    def _forget_tiles(self) -> None:
        self._tiles.clear()
        self._boards.clear()

    def _paint_bare(self) -> None:
        bare, self._bare = self._bare, QRegion()
        self.viewport().update(bare)

    def small_font(self) -> QFont:
        """The font of the words under a picture."""
        font = QFont(self.font())
        font.setPointSizeF(max(6.0, font.pointSizeF() * 0.85))
        return font

    def _lay_tiles(self) -> None:
        """Make the tiles as large as possible, but leave all of them visible. The columns of tiles fill the
        width. Qt is told whether a scroll bar is needed. If Qt were not told, it would make room for a scroll
        bar and lay out the tiles again."""
        count = self.elements.rowCount()
        forms = [(board, True) for board in _BOARDS] + [(board, False) for board in _BOARDS]
        for self.board, self.wordy in forms:
            tile, height = self._tile_size()
            columns = max(1, (self.width() - _SLACK) // tile)
            fits = columns * max(1, (self.height() - 2) // height) >= count
            if fits:
                break
        policy = Qt.ScrollBarPolicy.ScrollBarAlwaysOff if fits else Qt.ScrollBarPolicy.ScrollBarAlwaysOn
        if policy != self.verticalScrollBarPolicy():
            self.setVerticalScrollBarPolicy(policy)
        bar = 0 if fits else self.verticalScrollBar().sizeHint().width()
        room = self.width() - bar - _SLACK
        columns = max(1, room // tile)
        if fits:
            # The tiles are spread evenly over the rows.
            rows = max(1, -(-count // columns))
            columns = max(1, -(-count // rows))
        size = QSize(max(tile, room // columns), height)
        if size != self.gridSize():
            self.setGridSize(size)

    def _tile_size(self) -> tuple[int, int]:
        """Width and height of a tile with the current size of the board."""
        line, width = self.fontMetrics().height(), self.board + 2 * _PAD + 2
        if self.beside:
            return width + _BESIDE + _PAD, self.board + 2 * _PAD + 2
        return width, self.board + 3 * _PAD + line * (3 if self.wordy else 1)

    @property
    def beside(self) -> bool:
        """Whether words stand beside the boards, not under them."""
        return self.wordy and self.board < _WORDY

    def _preview(self, row: int) -> None:
        number = self.elements.number_at(row)
        if number != self._under:
            self._under = number
            self.hovered.emit(number)

    def _go(self, row: int) -> None:
        """Go to the element in a row, after an arrow key was pressed. If hits are counted, limit the hits to
        this element too."""
        last = self.elements.rowCount() - 1
        if last < 0:
            return
        index = self.elements.index(min(max(row, 0), last))
        self.setCurrentIndex(index)
        if self.elements.counted:
            self._limit(self.elements.number_at(index.row()))

    def end_preview(self) -> None:
        """End the preview, until the pointer or the keyboard comes to an element again."""
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
        current = self.currentIndex()
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        columns = max(1, (self.viewport().width() - _SLACK) // max(1, self.gridSize().width()))
        steps |= {Qt.Key.Key_Up: -columns, Qt.Key.Key_Down: columns}
        held = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if event.key() in steps and not held:
            step = steps[Qt.Key(event.key())]
            row = current.row() + step if current.isValid() else 0
            # The left and right keys go round at the ends, so that they always have a visible effect.
            self._go(row % max(1, self.elements.rowCount()) if abs(step) == 1 else row)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and current.isValid():
            self.choose(self.elements.number_at(current.row()))
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
        # Qt also calls `changeEvent` while the view is being made. At that time `_tiles` may be missing.
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
        view, place = self._view, option.rect
        number = view.elements.number_at(index.row())
        element = view.elements.element(number)
        marked = bool(option.state & _MARKING)
        ratio = view.devicePixelRatioF()
        counted, limited = view.elements.counted, number == view.limited
        example = view.elements.example(number)
        look = (element, counted, limited, marked, place.width(), place.height(), ratio, example)
        tile = view.tile(look)
        if tile is None:
            shown = view.picture(number, place)
            if shown is None:
                # Another repaint paints the tile. Before that repaint, only the frame of the tile is drawn.
                painter.setPen(colours.of(view, "frame"))
                painter.drawRect(place.adjusted(1, 1, -2, -2))
                return
            tile = self._made(look, shown)
            view.keep_tile(look, tile)
        painter.drawPixmap(place.topLeft(), tile)

    def _made(self, look: _Look, shown: picture_module.Picture) -> QPixmap:
        view = self._view
        element, counted, limited, marked, width, height, ratio, example = look
        # On an opaque background, Qt draws letters as on the view itself. On a transparent background,
        # letters would look different.
        tile = canvas.picture(width, height, ratio, view.palette().color(QPalette.ColorRole.Base))
        area = QRect(0, 0, width, height).adjusted(1, 1, -1, -1)
        marked = limited or marked
        with canvas.Painter(tile) as painter:
            painter.setFont(view.font())
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(colours.of(view, "accent" if marked else "frame"), 2 if limited else 1))
            painter.setBrush(colours.of(view, "tile-chosen" if limited else "tile"))
            painter.drawRoundedRect(QRectF(area).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
            empty = never(element) or (counted and not element.positions)
            if empty:
                painter.setOpacity(0.4)
            left = area.left() + (_PAD if view.beside else (area.width() - view.board) // 2)
            board = view.small_board(element.text, shown, example)
            painter.drawPixmap(left, area.top() + _PAD, board)
            painter.setOpacity(0.75 if empty else 1.0)
            self._texts(painter, area, element, limited)
        return tile

    def _texts(self, painter: QPainter, area: QRect, element: hit_model.ElementCount, lit: bool) -> None:
        """The sign of the transform, the number of hits, and the words if there is room for them."""
        view = self._view
        line = view.fontMetrics().height()
        beyond = view.board + _PAD if view.beside else 0
        box = QRect(
            area.left() + 3 + beyond, area.top() + _PAD + view.board + 1, area.width() - 6 - beyond, line
        )
        if view.beside:
            box.moveBottom(area.bottom() - _PAD)
        small, bold = view.small_font(), view.small_font()
        bold.setBold(True)
        role = QPalette.ColorRole.HighlightedText if lit else QPalette.ColorRole.Text
        ink = view.palette().color(role)
        faint = ink if lit else colours.of(view, "muted")
        count = ""
        if never(element):
            count = _NEVER
        elif view.elements.counted:
            count = f"{element.positions:,}"
        room = box.width() - QFontMetrics(bold).horizontalAdvance(count) - 4 * bool(count)
        sign = QFontMetrics(small).elidedText(
            words.sign(element.transform), Qt.TextElideMode.ElideRight, max(0, room)
        )
        if sign == "…":
            # Three dots alone would look like a sign. The tool tip has the whole transform.
            sign = ""
        sides = Qt.AlignmentFlag.AlignVCenter
        across = Qt.AlignmentFlag.AlignHCenter
        painter.setFont(small)
        painter.setPen(faint)
        if "^" in element.transform:
            painter.drawText(box, sides | (Qt.AlignmentFlag.AlignLeft if count else across), sign)
        else:
            drawn = signs.sign(element.transform, 2 * line, line, faint.name(), view.devicePixelRatioF())
            painter.drawPixmap(box.topLeft(), drawn)
        painter.setFont(bold)
        painter.setPen(colours.of(view, "error") if count == _NEVER and not lit else ink)
        painter.drawText(box, sides | Qt.AlignmentFlag.AlignRight, count)
        painter.setFont(small)
        painter.setPen(faint)
        if view.beside:
            above = QRect(box.left(), area.top() + _PAD, box.width(), box.top() - area.top() - _PAD)
            lines = Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap
            painter.drawText(above, int(lines), element.words)
        elif view.wordy:
            box = QRect(box.left(), box.bottom(), box.width(), 2 * line)
            painter.drawText(
                box,
                Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter,
                _two_lines(element.words, painter.fontMetrics(), box.width()),
            )


_NEVER = "✕ never"
_MARKING = QStyle.StateFlag.State_HasFocus | QStyle.StateFlag.State_MouseOver


def _two_lines(text: str, metrics: QFontMetrics, width: int) -> str:
    """A text broken between words into two lines. If it does not fit, its end is left out."""
    first = ""
    rest = text.split()
    while rest and metrics.horizontalAdvance(f"{first} {rest[0]}".strip()) <= width:
        first = f"{first} {rest.pop(0)}".strip()
    second = metrics.elidedText(" ".join(rest), Qt.TextElideMode.ElideRight, width)
    return f"{first}\n{second}" if first and second else first or second

"""The table view of all tables, with rows of fixed height and a column chooser on the header. Enter opens the
current row. In a narrow window each row has two lines instead of columns, if the model has a form with two
lines.

Rows are painted here and not by Qt's delegates. Delegates ask the model for colours, fonts, icons and more,
and lay each text out again whenever it is painted. So delegates take about ten times as long, which is too
slow while a table fills and is painted often.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Collection, Sequence

from PySide6.QtCore import (
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFont,
    QFontMetrics,
    QHelpEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
    QShowEvent,
    QStaticText,
    QTransform,
)
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QMenu, QTableView, QToolTip, QWidget

from cqlgui.ui.look import canvas, names, theme, wording
from cqlgui.ui.tables import signs, text_model

ROW_PADDING = 8
"""Pixels added to the height of the font."""
PADDING = 6
"""Pixels on each side of a cell's text. The style sheet sets the same padding for the column titles."""
_KEPT_TEXTS = 4096
NARROW = 700
"""If a table is narrower than this many pixels and its form is `Form.AUTOMATIC`, rows have two lines."""
_SMALLER = 0.93
"""Font size of the second line, relative to the font size of the first line."""
_BETWEEN = 4
"""Pixels added to the height of two lines."""
_GAP = 8
_FIELDS = ("0000", "W00")
"""Sample texts for the widths of the fields in the second line."""


class Form(enum.Enum):
    """How rows are shown."""

    AUTOMATIC = "automatic"
    TWO_LINES = "two lines"
    COLUMNS = "columns"


class TableView(QTableView):
    """Shows a `text_model.TextModel`. `chosen` carries the row that was opened by a double click or Enter.
    `moved` carries the row that became current. `columns_reset` is emitted when the user has put back the
    usual columns.
    """

    chosen = Signal(int)
    moved = Signal(int)
    columns_reset = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        # Texts that are laid out and cut to fit, with their widths. The key is the text, the width of the
        # cell, and whether the font is small.
        self._laid_out: dict[tuple[str, int, bool], tuple[QStaticText, int]] = {}
        self.setAlternatingRowColors(True)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        side = self.verticalHeader()
        side.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        side.setMinimumSectionSize(8)
        side.setDefaultSectionSize(self.fontMetrics().height() + ROW_PADDING)
        side.hide()
        head = self.horizontalHeader()
        head.setStretchLastSection(True)
        head.setSectionsMovable(True)
        head.setHighlightSections(False)
        head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        head.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        head.customContextMenuRequested.connect(self._offer_columns)
        self._widths: Sequence[int] = ()
        self._hidden: frozenset[int] = frozenset()
        self._longest: dict[int, str] = {}
        self._picture: Callable[[int], str] | None = None
        self._empty = ""
        self._dimmed = False
        self._form = Form.AUTOMATIC
        self._two_lines = False
        self.doubleClicked.connect(self._double_clicked)

    def set_widths(self, widths: Sequence[int], hidden: Collection[int] = ()) -> None:
        """Set the usual width of each column in pixels, and the columns that are `hidden` until the user
        wants them. The model must be set first."""
        self._widths = tuple(widths)
        self._hidden = frozenset(hidden)
        for column, width in enumerate(widths):
            self.setColumnWidth(column, width)
            self.setColumnHidden(column, column in self._hidden)
        # For each column, Qt's header checks whether the whole column is selected. This test reads every row
        # of the model. If there are many rows and all are selected, the test takes seconds. So the header
        # gets a selection model of its own.
        head = self.horizontalHeader()
        head.setSelectionModel(QItemSelectionModel(self.model(), head))
        self.selectionModel().currentRowChanged.connect(self._current_row_changed)

    def make_room(self, column: int, longest: str) -> None:
        """Make a column wide enough to show the text `longest` uncut. If the needed width is larger than the
        usual width of the column, the needed width becomes the usual width."""
        if self._longest.get(column) == longest:
            # The column was made wide enough before. If it is narrower now, the user has narrowed it.
            return
        self._longest[column] = longest
        # The width of a text is not a whole number. `horizontalAdvance` rounds the width, so one pixel is
        # added.
        wanted = self.fontMetrics().horizontalAdvance(longest) + 1 + 2 * PADDING
        widths = list(self._widths)
        widths[column] = max(widths[column], wanted)
        self._widths = tuple(widths)
        head = self.horizontalHeader()
        if not head.isSectionHidden(column) and head.sectionSize(column) < wanted:
            self.setColumnWidth(column, wanted)

    @property
    def dimmed(self) -> bool:
        """Whether the rows are dimmed because they do not belong to the current query."""
        return self._dimmed

    def set_dimmed(self, dimmed: bool) -> None:
        """Set whether the rows are dimmed."""
        if dimmed != self._dimmed:
            self._dimmed = dimmed
            self.viewport().update()

    @property
    def form(self) -> Form:
        """The chosen form of the rows."""
        return self._form

    @property
    def has_two_lines(self) -> bool:
        """Whether each row has two lines now."""
        return self._two_lines

    def set_form(self, form: Form) -> None:
        """Show rows in two lines, in columns, or in the form that fits the width."""
        self._form = form
        self._fit_form()

    def _fit_form(self) -> None:
        model = self.model()
        able = isinstance(model, text_model.TextModel) and model.has_two_lines
        narrow = self.width() < NARROW if self._form is Form.AUTOMATIC else self._form is Form.TWO_LINES
        if (able and narrow) == self._two_lines:
            return
        self._two_lines = able and narrow
        row = self.row
        self.horizontalHeader().setVisible(not self._two_lines)
        self.setHorizontalScrollBarPolicy(
            Qt.ScrollBarPolicy.ScrollBarAlwaysOff if self._two_lines else Qt.ScrollBarPolicy.ScrollBarAsNeeded
        )
        self._fit_rows()
        if row >= 0:
            self.scrollTo(self.model().index(row, self._first_column()))
        self.viewport().update()

    def _fit_rows(self) -> None:
        first, second = self.fontMetrics().height(), QFontMetrics(self._small_font()).height()
        height = first + second + _BETWEEN if self._two_lines else first + ROW_PADDING
        self.verticalHeader().setDefaultSectionSize(height)

    def _small_font(self) -> QFont:
        font = QFont(self.font())
        if font.pointSizeF() > 0:
            font.setPointSizeF(font.pointSizeF() * _SMALLER)
        else:
            font.setPixelSize(max(1, round(font.pixelSize() * _SMALLER)))
        return font

    @property
    def row(self) -> int:
        """The current row, or -1."""
        return self.currentIndex().row()

    def go_to(self, row: int) -> bool:
        """Make a row current, select it alone, and scroll to it. Returns False if the row does not exist."""
        found = self.model().index(row, self._first_column())
        if row < 0 or not found.isValid():
            return False
        flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
        self.selectionModel().setCurrentIndex(found, flags)
        self.scrollTo(found)
        return True

    def join(self, rows: Sequence[int]) -> None:
        """Select more rows. Rows that are all selected are no longer selected."""
        flag = QItemSelectionModel.SelectionFlag
        way = flag.Deselect if set(rows) <= set(self.selected()) else flag.Select
        for row in rows:
            self.selectionModel().select(self.model().index(row, self._first_column()), way | flag.Rows)

    def stretches(self) -> list[tuple[int, int]]:
        """The selected rows as (first, last) of each contiguous range, ascending."""
        selection = self.selectionModel().selection()
        found = (selection.at(place) for place in range(selection.count()))
        return sorted({(stretch.top(), stretch.bottom()) for stretch in found})

    def selected(self) -> list[int]:
        """The selected rows, ascending."""
        return [row for first, last in self.stretches() for row in range(first, last + 1)]

    def shown_columns(self) -> list[int]:
        """The columns that are not hidden, from left to right."""
        head = self.horizontalHeader()
        columns = map(head.logicalIndex, range(head.count()))
        return [column for column in columns if not head.isSectionHidden(column)]

    def columns_menu(self, parent: QWidget | None = None) -> QMenu:
        """A menu that shows and hides columns, and puts back the usual columns."""
        menu = QMenu("Columns", parent or self)
        head = self.horizontalHeader()
        shown = [column for column in range(head.count()) if not head.isSectionHidden(column)]
        for column in range(head.count()):
            title = self.model().headerData(column, Qt.Orientation.Horizontal)
            before = self.model().headerData(column - 1, Qt.Orientation.Horizontal) if column else ""
            action = menu.addAction(f"{title} ({before})" if title == "Elo" else str(title))
            action.setCheckable(True)
            action.setChecked(column in shown)
            # The only visible column cannot be hidden: a table without columns would offer no way to show a
            # column again.
            action.setEnabled(shown != [column])
            action.toggled.connect(lambda on, place=column: self.setColumnHidden(place, not on))
        menu.addSeparator()
        menu.addAction("Usual columns", self.reset_columns)
        return menu

    def reset_columns(self) -> None:
        """Show the usual columns in their usual places and widths."""
        head = self.horizontalHeader()
        for column, width in enumerate(self._widths):
            self.setColumnHidden(column, column in self._hidden)
            head.moveSection(head.visualIndex(column), column)
            self.setColumnWidth(column, width)
        self.columns_reset.emit()

    def _offer_columns(self, place: QPoint) -> None:
        menu = self.columns_menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.horizontalHeader().mapToGlobal(place))

    def _first_column(self) -> int:
        head = self.horizontalHeader()
        for place in range(head.count()):
            if not head.isSectionHidden(head.logicalIndex(place)):
                return head.logicalIndex(place)
        return 0

    def _double_clicked(self, index: QModelIndex) -> None:
        self.chosen.emit(index.row())

    def _current_row_changed(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if current.isValid():
            self.moved.emit(current.row())

    def _shown_columns(self, area: QRect) -> list[tuple[int, int, int]]:
        """Number, left edge and width of the columns that are visible in an area of the viewport."""
        head = self.horizontalHeader()
        found = []
        for place in range(head.count()):
            column = head.logicalIndex(place)
            left, width = head.sectionViewportPosition(column), head.sectionSize(column)
            # The width of a hidden column is 0.
            if width and left <= area.right() and left + width > area.left():
                found.append((column, left, width))
        return found

    def _cut(self, text: str, room: int, *, small: bool = False) -> tuple[QStaticText, int]:
        """A text cut to a width of `room` pixels, and the width of the result."""
        font = self._small_font() if small else self.font()
        metrics = QFontMetrics(font)
        return self._keep((text, room, small), metrics.elidedText(text, self.textElideMode(), room), font)

    def _fitted(self, white: str, black: str, room: int) -> tuple[QStaticText, int]:
        """The names of two players, cut to a width of `room` pixels, and the width of the result."""
        shown = names.fitted(self.fontMetrics(), white, black, room)
        return self._keep((f"{white}\0{black}", room, False), shown, self.font())

    def _keep(self, key: tuple[str, int, bool], shown: str, font: QFont) -> tuple[QStaticText, int]:
        made = QStaticText(shown)
        made.setTextFormat(Qt.TextFormat.PlainText)
        made.prepare(QTransform(), font)
        if len(self._laid_out) >= _KEPT_TEXTS:
            self._laid_out.clear()
        found = self._laid_out[key] = made, QFontMetrics(font).horizontalAdvance(shown)
        return found

    def paintEvent(self, event: QPaintEvent) -> None:
        model, area = self.model(), event.rect()
        if self._empty and not model.rowCount():
            self._paint_empty()
            return
        row = self.rowAt(area.top())
        if row < 0:
            return
        assert isinstance(model, text_model.TextModel)
        if not self.isEnabled():
            group = QPalette.ColorGroup.Disabled
        elif self.isActiveWindow():
            group = QPalette.ColorGroup.Normal
        else:
            group = QPalette.ColorGroup.Inactive
        palette, role = self.palette(), QPalette.ColorRole
        muted = theme.colours().colour("muted")
        ink = muted if self._dimmed else palette.color(group, role.Text)
        selected_ink = palette.color(group, role.HighlightedText)
        alternate, selected = palette.color(group, role.AlternateBase), palette.color(group, role.Highlight)
        chosen = self.selectionModel()
        height = self.verticalHeader().defaultSectionSize()
        drawn = self._two_lines_drawn() if self._two_lines else self._columns_drawn(model, area)
        top, count, width = self.rowViewportPosition(row), model.rowCount(), drawn.width
        with canvas.Painter(self.viewport()) as painter:
            painter.setFont(self.font())
            while row < count and top <= area.bottom():
                marked = chosen.isSelected(model.index(row, 0))
                if marked:
                    painter.fillRect(0, top, width, height, selected)
                elif row & 1:
                    painter.fillRect(0, top, width, height, alternate)
                seen = muted if model.is_seen(row) else ink
                painter.setPen(selected_ink if marked else seen)
                drawn.draw(painter, model, row, top, selected_ink if marked else muted)
                row, top = row + 1, top + height

    def _paint_empty(self) -> None:
        """Paint the words of an empty table."""
        rules = int(Qt.AlignmentFlag.AlignCenter) | int(Qt.TextFlag.TextWordWrap)
        area = self.viewport().rect().adjusted(24, 24, -24, -24)
        with canvas.Painter(self.viewport()) as painter:
            painter.setFont(self.font())
            painter.setPen(theme.colours().colour("muted"))
            painter.drawText(area, rules, wording.straight(self._empty))

    def _columns_drawn(self, model: text_model.TextModel, area: QRect) -> _Columns:
        shown = self._shown_columns(area)
        drop = (self.verticalHeader().defaultSectionSize() - self.fontMetrics().height()) // 2
        return _Columns(self, shown, model.on_the_right, drop)

    def _two_lines_drawn(self) -> _TwoLines:
        return _TwoLines(self, self.viewport().width())

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        # Two lines are as wide as the table, so there is nothing to scroll sideways.
        super().scrollContentsBy(0 if self._two_lines else dx, dy)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_form()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        # While a table is hidden, Qt leaves the room of the header and the scroll bar as it was before the
        # form of the rows changed.
        self.updateGeometries()

    def set_empty(self, words: str) -> None:
        """Show these words as long as the table has no rows."""
        if words != self._empty:
            self._empty = words
            self.setAccessibleDescription(words)
            self.viewport().update()

    def set_picture(self, picture: Callable[[int], str]) -> None:
        """Show a picture in the tool tips. `picture` returns rich text for a row, or an empty text."""
        self._picture = picture

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            model, place = self.model(), self.indexAt(event.pos())
            if place.isValid() and isinstance(model, text_model.TextModel):
                row = place.row()
                tip = model.two_lines_tip(row) if self._two_lines else model.tip(row, place.column()) or ""
                picture = "" if self._picture is None else self._picture(row)
                QToolTip.showText(event.globalPos(), wording.pictured_tip(picture, tip), self)
            return True
        return super().viewportEvent(event)

    def dataChanged(
        self,
        first: QModelIndex | QPersistentModelIndex,
        last: QModelIndex | QPersistentModelIndex,
        roles: Sequence[int] = (),
    ) -> None:
        super().dataChanged(first, last, list(roles))
        self._paint_whole_rows()

    def selectionChanged(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        super().selectionChanged(selected, deselected)
        self._paint_whole_rows()

    def _paint_whole_rows(self) -> None:
        # Qt repaints only the area of the changed columns. A row in two lines has no columns, so the whole
        # view is repainted.
        if self._two_lines:
            self.viewport().update()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in canvas.DRESSED:
            self._laid_out.clear()
            self._fit_rows()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        # This menu has the actions of the header's menu, and can be opened with the keyboard.
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        row = self.row
        opening = menu.addAction("Open", lambda: self.chosen.emit(row))
        opening.setEnabled(row >= 0)
        menu.addMenu(self.columns_menu(menu))
        menu.popup(event.globalPos())

    def keyboardSearch(self, search: str) -> None:
        # Qt's own search would ask the model for every row, and there may be millions of rows.
        pass

    def event(self, event: QEvent) -> bool:
        # In two lines Home and End are keys of the list. In columns they go through the game on the board.
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and self._two_lines
            and event.key() in (Qt.Key.Key_Home, Qt.Key.Key_End)
        ):
            event.accept()
            return True
        return super().event(event)

    def moveCursor(
        self, cursor_action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier
    ) -> QModelIndex:
        # Home and End go to the first and the last cell of a row. A row in two lines has no cells, so there
        # they go to the first and the last row, as with Ctrl.
        ends = (QAbstractItemView.CursorAction.MoveHome, QAbstractItemView.CursorAction.MoveEnd)
        if self._two_lines and cursor_action in ends:
            modifiers |= Qt.KeyboardModifier.ControlModifier
        return super().moveCursor(cursor_action, modifiers)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.row >= 0:
            self.chosen.emit(self.row)
            event.accept()
        else:
            super().keyPressEvent(event)


class _Columns:
    """Draws rows as cells of the columns that are in view."""

    def __init__(
        self,
        table: TableView,
        shown: list[tuple[int, int, int]],
        on_the_right: Collection[int],
        drop: int,
    ) -> None:
        self._table, self._drop = table, drop
        self.width = shown[-1][1] + shown[-1][2] if shown else 0
        self._columns = [column for column, _left, _width in shown]
        self._boxes = [
            (left + PADDING, width - 2 * PADDING, column in on_the_right) for column, left, width in shown
        ]

    def draw(
        self, painter: QPainter, model: text_model.TextModel, row: int, top: int, _second: QColor
    ) -> None:
        """Draw a row whose upper edge is at `top`."""
        laid_out, cut_anew = self._table._laid_out, self._table._cut
        for text, (left, room, right) in zip(model.texts(row, self._columns), self._boxes, strict=True):
            if text:
                cut, taken = laid_out.get((text, room, False)) or cut_anew(text, room)
                painter.drawStaticText(left + room - taken if right else left, top + self._drop, cut)


class _TwoLines:
    """Draws rows in two lines, as wide as the table."""

    def __init__(self, table: TableView, width: int) -> None:
        self._table, self.width = table, width
        self._large, self._small = table.font(), table._small_font()
        metrics = QFontMetrics(self._small)
        self._first, self._second = table.fontMetrics().height(), metrics.height()
        self._fields = [metrics.horizontalAdvance(widest) + _GAP for widest in _FIELDS]
        self._sign = 2 * self._second
        self._ratio = table.devicePixelRatioF()

    def draw(
        self, painter: QPainter, model: text_model.TextModel, row: int, top: int, second: QColor
    ) -> None:
        """Draw a row whose upper edge is at `top`; `second` is the colour of its second line."""
        said = model.two_lines(row)
        if said is None:
            return
        left, right = PADDING, self.width - PADDING
        taken = self._text(painter, said.result, left, right, top + _BETWEEN // 2, at_the_end=True)
        if said.white or said.black:
            room = right - left - taken - _GAP
            key = (f"{said.white}\0{said.black}", room, False)
            table = self._table
            players, _ = table._laid_out.get(key) or table._fitted(said.white, said.black, room)
            painter.drawStaticText(left, top + _BETWEEN // 2, players)
        painter.setFont(self._small)
        painter.setPen(second)
        below = top + _BETWEEN // 2 + self._first
        taken = self._text(painter, said.value, left, (left + right) // 2, below, small=True, end=right)
        right -= taken + _GAP if taken else 0
        for text, width in zip(said.fields, self._fields, strict=True):
            self._text(painter, text, left, left + width, below, small=True)
            left += width
        if said.transform is not None:
            drawn = signs.sign(said.transform, self._sign, self._second, second.name(), self._ratio)
            painter.drawPixmap(left, below, drawn)
        left += self._sign + _GAP // 2
        self._text(painter, said.rest, left, right, below, small=True)
        painter.setFont(self._large)

    def _text(
        self,
        painter: QPainter,
        text: str,
        left: int,
        right: int,
        top: int,
        *,
        small: bool = False,
        at_the_end: bool = False,
        end: int | None = None,
    ) -> int:
        """Draw a text between two edges, cut if necessary. Returns the width of the text."""
        if not text or right <= left:
            return 0
        table, room = self._table, right - left
        cut, taken = table._laid_out.get((text, room, small)) or table._cut(text, room, small=small)
        if end is not None or at_the_end:
            left = (right if end is None else end) - taken
        painter.drawStaticText(left, top, cut)
        return taken


def named(name: str) -> Form:
    """The form with this name; the default form if no form has this name."""
    try:
        return Form(name)
    except ValueError:
        return Form.AUTOMATIC


def show_arrow(head: QHeaderView, column: int, *, descending: bool) -> None:
    """Show in the title of a column that rows are sorted by it. The arrow points down if the largest values
    come first."""
    # The style "Fusion" draws an arrow that points down for Qt's ascending order.
    way = Qt.SortOrder.AscendingOrder if descending else Qt.SortOrder.DescendingOrder
    head.setSortIndicator(column, way)

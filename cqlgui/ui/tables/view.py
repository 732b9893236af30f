"""The table view of all tables: fixed rows, a column chooser on its header, Enter opens the current row."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QItemSelectionModel, QModelIndex, QPersistentModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QColor, QContextMenuEvent, QKeyEvent, QPainter, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

ROW_PADDING = 8
"""Pixels added to the height of the type."""
PADDING = 9
"""Pixels on both sides of a cell's text."""
_KEPT_TEXTS = 4096
_RIGHT = int(Qt.AlignmentFlag.AlignRight)


class _TextDelegate(QStyledItemDelegate):
    """Draws cells that are a line of text, and marks the current row as a whole, not one of its cells. All
    cells of a column stand on the same side.

    Qt's own asks the model for colours, type, icons and what else there may be, and lays each text out anew
    whenever it is painted: that takes three times as long, and a table that fills is painted often.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._cut: dict[tuple[str, int], tuple[str, int]] = {}
        self._colours: dict[tuple[bool, QPalette.ColorGroup], tuple[QColor, QColor | None]] = {}
        self._right: dict[int, bool] = {}

    def forget(self) -> None:
        """Type or colours have changed."""
        self._cut.clear()
        self._colours.clear()

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        box, state, column = option.rect, option.state, index.column()
        ink, ground = self._colours_of(option, state)
        if ground is not None:
            painter.fillRect(box, ground)
        model = index.model()
        text = model.data(index, Qt.ItemDataRole.DisplayRole)
        if not text:
            return
        room = box.width() - 2 * PADDING
        found = self._cut.get((text, room)) or self._elided(option, text, room)
        right = self._right.get(column)
        if right is None:
            side = model.data(index, Qt.ItemDataRole.TextAlignmentRole)
            right = self._right[column] = bool(side is not None and side & _RIGHT)
        painter.setPen(ink)
        x = box.x() + PADDING + (room - found[1] if right else 0)
        metrics = option.fontMetrics
        painter.drawText(x, box.y() + (box.height() - metrics.height()) // 2 + metrics.ascent(), found[0])

    def _colours_of(
        self, option: QStyleOptionViewItem, state: QStyle.StateFlag
    ) -> tuple[QColor, QColor | None]:
        """The colour of the text, and that of the ground where it is not the table's."""
        selected = bool(state & QStyle.StateFlag.State_Selected)
        if not state & QStyle.StateFlag.State_Enabled:
            group = QPalette.ColorGroup.Disabled
        elif state & QStyle.StateFlag.State_Active:
            group = QPalette.ColorGroup.Normal
        else:
            group = QPalette.ColorGroup.Inactive
        found = self._colours.get((selected, group))
        if found is None:
            role = QPalette.ColorRole.HighlightedText if selected else QPalette.ColorRole.Text
            ground = option.palette.color(group, QPalette.ColorRole.Highlight) if selected else None
            found = self._colours[selected, group] = option.palette.color(group, role), ground
        return found

    def _elided(self, option: QStyleOptionViewItem, text: str, room: int) -> tuple[str, int]:
        """As much of a text as there is room for, and how wide that is."""
        shown = option.fontMetrics.elidedText(text, option.textElideMode, room)
        if len(self._cut) >= _KEPT_TEXTS:
            self._cut.clear()
        found = self._cut[text, room] = shown, option.fontMetrics.horizontalAdvance(shown)
        return found


class TableView(QTableView):
    """`chosen` carries the row that was double-clicked or entered, `moved` the row that became current."""

    chosen = Signal(int)
    moved = Signal(int)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self._delegate = _TextDelegate(self)
        self.setItemDelegate(self._delegate)
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
        self.doubleClicked.connect(self._double_clicked)

    def set_widths(self, widths: Sequence[int]) -> None:
        """The usual width of each column, once the model is set."""
        self._widths = tuple(widths)
        for column, width in enumerate(widths):
            self.setColumnWidth(column, width)
        # A header asks of each of its sections whether it is selected whole, and that asks the model for
        # every row: seconds, where all of many rows are selected. So it watches a selection of its own.
        head = self.horizontalHeader()
        head.setSelectionModel(QItemSelectionModel(self.model(), head))
        self.selectionModel().currentRowChanged.connect(self._current_row_changed)

    @property
    def row(self) -> int:
        """The current row, or -1."""
        return self.currentIndex().row()

    def go_to(self, row: int) -> bool:
        """Make a row the current and only selected one, in view; False when there is no such row."""
        found = self.model().index(row, self._first_column())
        if row < 0 or not found.isValid():
            return False
        flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
        self.selectionModel().setCurrentIndex(found, flags)
        self.scrollTo(found)
        return True

    def stretches(self) -> list[tuple[int, int]]:
        """The selected rows as (first, last) of each stretch, ascending."""
        selection = self.selectionModel().selection()
        found = (selection.at(place) for place in range(selection.count()))
        return sorted({(stretch.top(), stretch.bottom()) for stretch in found})

    def selected(self) -> list[int]:
        """The selected rows, ascending."""
        return [row for first, last in self.stretches() for row in range(first, last + 1)]

    def columns_menu(self, parent: QWidget | None = None) -> QMenu:
        """A menu that shows and hides columns, and puts back the usual ones."""
        menu = QMenu("Columns", parent or self)
        head = self.horizontalHeader()
        shown = [column for column in range(head.count()) if not head.isSectionHidden(column)]
        for column in range(head.count()):
            title = self.model().headerData(column, Qt.Orientation.Horizontal)
            before = self.model().headerData(column - 1, Qt.Orientation.Horizontal) if column else ""
            action = menu.addAction(f"{title} ({before})" if title == "Elo" else str(title))
            action.setCheckable(True)
            action.setChecked(column in shown)
            # A table without a column could not be given one back.
            action.setEnabled(shown != [column])
            action.toggled.connect(lambda on, place=column: self.setColumnHidden(place, not on))
        menu.addSeparator()
        menu.addAction("Usual columns", self.reset_columns)
        return menu

    def reset_columns(self) -> None:
        """Show every column in its usual place and width."""
        head = self.horizontalHeader()
        for column, width in enumerate(self._widths):
            self.setColumnHidden(column, False)
            head.moveSection(head.visualIndex(column), column)
            self.setColumnWidth(column, width)

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

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange, QEvent.Type.PaletteChange):
            self._delegate.forget()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        # What the header offers to the mouse is here within reach of the keyboard, too.
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        row = self.row
        opening = menu.addAction("Open", lambda: self.chosen.emit(row))
        opening.setEnabled(row >= 0)
        menu.addMenu(self.columns_menu(menu))
        menu.popup(event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.row >= 0:
            self.chosen.emit(self.row)
            event.accept()
        else:
            super().keyPressEvent(event)

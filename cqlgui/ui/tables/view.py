"""The table view of all tables: fixed rows, a column chooser on its header, Enter opens the current row."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPersistentModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent
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


class _RowDelegate(QStyledItemDelegate):
    """Marks the current row as a whole, not one of its cells."""

    def initStyleOption(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().initStyleOption(option, index)
        option.state &= ~QStyle.StateFlag.State_HasFocus


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
        self.setItemDelegate(_RowDelegate(self))
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

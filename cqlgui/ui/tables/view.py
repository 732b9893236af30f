"""The table view of all tables: fixed rows, a column chooser on its header, Enter opens the current row.

Rows are painted here. Qt's way by its delegates asks the model for colours, type, icons and what else there
may be, and lays each text out anew whenever it is painted: that takes some ten times as long, and a table
that fills is painted often.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QItemSelectionModel, QModelIndex, QPoint, QRect, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QKeyEvent,
    QPaintEvent,
    QPalette,
    QStaticText,
    QTransform,
)
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QMenu, QTableView, QWidget

from cqlgui.ui import canvas, theme
from cqlgui.ui.tables import text_model

ROW_PADDING = 8
"""Pixels added to the height of the type."""
PADDING = 6
"""Pixels on both sides of a cell's text, as many as the style sheet gives the titles above."""
_KEPT_TEXTS = 4096


class TableView(QTableView):
    """Shows a `text_model.TextModel`. `chosen` carries the row that was double-clicked or entered, `moved`
    the row that became current.
    """

    chosen = Signal(int)
    moved = Signal(int)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        # By text and width of its cell: as much as there is room for, laid out, and how wide that is.
        self._laid_out: dict[tuple[str, int], tuple[QStaticText, int]] = {}
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
        self._longest: dict[int, str] = {}
        self._dimmed = False
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

    def make_room(self, column: int, longest: str) -> None:
        """Let a column show a text of this length uncut, which becomes its usual width where that is less."""
        if self._longest.get(column) == longest:
            # Who makes the column smaller meanwhile wants it so.
            return
        self._longest[column] = longest
        # Widths of texts are fractions, here rounded.
        wanted = self.fontMetrics().horizontalAdvance(longest) + 1 + 2 * PADDING
        widths = list(self._widths)
        widths[column] = max(widths[column], wanted)
        self._widths = tuple(widths)
        head = self.horizontalHeader()
        if not head.isSectionHidden(column) and head.sectionSize(column) < wanted:
            self.setColumnWidth(column, wanted)

    @property
    def dimmed(self) -> bool:
        """Whether the rows stand back, as they are not what is asked for now."""
        return self._dimmed

    def set_dimmed(self, dimmed: bool) -> None:
        """Let the rows stand back, or not."""
        if dimmed != self._dimmed:
            self._dimmed = dimmed
            self.viewport().update()

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

    def _shown_columns(self, area: QRect) -> list[tuple[int, int, int]]:
        """Number, left edge and width of the columns that reach into an area of the viewport."""
        head = self.horizontalHeader()
        found = []
        for place in range(head.count()):
            column = head.logicalIndex(place)
            left, width = head.sectionViewportPosition(column), head.sectionSize(column)
            # Hidden ones have no width.
            if width and left <= area.right() and left + width > area.left():
                found.append((column, left, width))
        return found

    def _cut(self, text: str, room: int) -> tuple[QStaticText, int]:
        """A text as far as there is room for it, and its width."""
        metrics = self.fontMetrics()
        shown = metrics.elidedText(text, self.textElideMode(), room)
        made = QStaticText(shown)
        made.setTextFormat(Qt.TextFormat.PlainText)
        made.prepare(QTransform(), self.font())
        if len(self._laid_out) >= _KEPT_TEXTS:
            self._laid_out.clear()
        found = self._laid_out[text, room] = made, metrics.horizontalAdvance(shown)
        return found

    def paintEvent(self, event: QPaintEvent) -> None:
        model, area = self.model(), event.rect()
        row = self.rowAt(area.top())
        if row < 0:
            return
        assert isinstance(model, text_model.TextModel)
        shown = self._shown_columns(area)
        columns = [column for column, _left, _width in shown]
        boxes = [
            (left + PADDING, width - 2 * PADDING, column in model.on_the_right)
            for column, left, width in shown
        ]
        if not self.isEnabled():
            group = QPalette.ColorGroup.Disabled
        elif self.isActiveWindow():
            group = QPalette.ColorGroup.Normal
        else:
            group = QPalette.ColorGroup.Inactive
        palette, role = self.palette(), QPalette.ColorRole
        ink, selected_ink = palette.color(group, role.Text), palette.color(group, role.HighlightedText)
        if self._dimmed:
            ink = theme.colours().colour("muted")
        alternate, selected = palette.color(group, role.AlternateBase), palette.color(group, role.Highlight)
        chosen = self.selectionModel()
        height, width = (
            self.verticalHeader().defaultSectionSize(),
            shown[-1][1] + shown[-1][2] if shown else 0,
        )
        drop = (height - self.fontMetrics().height()) // 2
        laid_out, top, count = self._laid_out, self.rowViewportPosition(row), model.rowCount()
        with canvas.Painter(self.viewport()) as painter:
            painter.setFont(self.font())
            painter.setPen(ink)
            while row < count and top <= area.bottom():
                marked = chosen.isSelected(model.index(row, 0))
                if marked:
                    painter.fillRect(0, top, width, height, selected)
                    painter.setPen(selected_ink)
                elif row & 1:
                    painter.fillRect(0, top, width, height, alternate)
                for text, (left, room, right) in zip(model.texts(row, columns), boxes, strict=True):
                    if text:
                        cut, taken = laid_out.get((text, room)) or self._cut(text, room)
                        painter.drawStaticText(left + room - taken if right else left, top + drop, cut)
                if marked:
                    painter.setPen(ink)
                row, top = row + 1, top + height

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in canvas.DRESSED:
            self._laid_out.clear()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        # What the header offers to the mouse is here within reach of the keyboard, too.
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        row = self.row
        opening = menu.addAction("Open", lambda: self.chosen.emit(row))
        opening.setEnabled(row >= 0)
        menu.addMenu(self.columns_menu(menu))
        menu.popup(event.globalPos())

    def keyboardSearch(self, search: str) -> None:
        # Qt's would ask the model for row after row, millions of them, of which few are known.
        pass

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.row >= 0:
            self.chosen.emit(self.row)
            event.accept()
        else:
            super().keyPressEvent(event)

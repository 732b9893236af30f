"""The view of the moves, with bars for their counts and scores, and with keys that go through the tree."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QContextMenuEvent, QKeyEvent, QPainter, QPalette, QPen, QResizeEvent
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

from cqlgui.tasks.analysis import continuations
from cqlgui.ui.continuing import model as model_module
from cqlgui.ui.continuing.model import HITS, MOVE, RATING, SCORE, SHARE, YEAR
from cqlgui.ui.look import canvas, theme, wording
from cqlgui.ui.tables import view

_PADDING: Final = 6
_ROW_PADDING: Final = 8
_SAMPLES: Final = {MOVE: "10...exd8=Q", SHARE: "<0.1%", RATING: "2600", YEAR: "2000"}
"""Sample texts for the widths of the columns that do not grow. The columns with bars share the rest."""
_SHORT: Final = "1...Nxf3"
"""Sample text for the least width of the moves. Where there is little room, long moves are cut."""
_LEAST: Final = {HITS: "1,000,000", SCORE: "Score ▲"}
"""Sample texts for the least widths of the columns with bars."""
_BACK: Final = (Qt.Key.Key_Backspace, Qt.Key.Key_Left, Qt.Key.Key_Back)
_DEEPER: Final = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Right)


class ChoicesView(QTableView):
    """The table of choices. `deeper` carries the row whose move is to be followed, `moved` the row that the
    user made current, and `narrowed` the row to which the hits are to be narrowed. `back` carries whether to
    go to the root, and not only a move back."""

    deeper = Signal(int)
    moved = Signal(int)
    narrowed = Signal(int)
    back = Signal(bool)

    _fitted = -1
    """The width in pixels to which the columns were fitted; -1 before the view is complete."""

    def __init__(self, model: model_module.ChoicesModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._choices = model
        self.setAccessibleName("Moves that follow the hits")
        self.setModel(model)
        self.setItemDelegate(_Cells(model, self))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setAlternatingRowColors(True)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        side = self.verticalHeader()
        side.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        side.setMinimumSectionSize(8)
        side.hide()
        head = self.horizontalHeader()
        head.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        head.setMinimumSectionSize(20)
        head.setHighlightSections(False)
        head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        head.setSectionsClickable(True)
        head.setSortIndicatorShown(True)
        head.sectionClicked.connect(self._sort_by)
        view.show_arrow(head, model.column, descending=model.descending)
        # The selection that the program makes is not a wish of the user.
        self._by_user = True
        self.selectionModel().currentRowChanged.connect(self._current_changed)
        self.doubleClicked.connect(lambda index: self.deeper.emit(index.row()))
        theme.theme().changed.connect(self.viewport().update)
        self._fit()

    @property
    def row(self) -> int:
        """The current row, or -1."""
        return self.currentIndex().row()

    def select(self, row: int) -> None:
        """Make a row current. `moved` is not emitted."""
        self._by_user = False
        self.setCurrentIndex(self._choices.index(row, 0))
        self._by_user = True

    def show_columns(self, *, ratings: bool, years: bool) -> None:
        """Show or hide the columns that are empty in some bases."""
        if (ratings, years) != (not self.isColumnHidden(RATING), not self.isColumnHidden(YEAR)):
            self.setColumnHidden(RATING, not ratings)
            self.setColumnHidden(YEAR, not years)
            self._fit()

    def _current_changed(self, current: QModelIndex, _before: QModelIndex) -> None:
        if current.isValid() and self._by_user:
            self.moved.emit(current.row())

    def _sort_by(self, column: int) -> None:
        """Sort by a column: moves from A to Z, and numbers with the greatest first. The second click turns
        the order."""
        model = self._choices
        usual = model.headerData(column, Qt.Orientation.Horizontal, Qt.ItemDataRole.InitialSortOrderRole)
        descending = not model.descending if column == model.column else usual == Qt.SortOrder.DescendingOrder
        model.sort(column, Qt.SortOrder.DescendingOrder if descending else Qt.SortOrder.AscendingOrder)
        view.show_arrow(self.horizontalHeader(), column, descending=descending)

    def _fit(self) -> None:
        """Give the columns their widths. The columns with bars share the rest of the room."""
        self._fitted = self.viewport().width()
        metrics = self.fontMetrics()
        head = self.horizontalHeader()
        arrow = self.style().pixelMetric(QStyle.PixelMetric.PM_HeaderMarkSize) + 4
        taken = 0
        for column, sample in _SAMPLES.items():
            if self.isColumnHidden(column):
                continue
            title = self._choices.headerData(column, Qt.Orientation.Horizontal)
            width = max(metrics.horizontalAdvance(sample), metrics.horizontalAdvance(title) + arrow)
            head.resizeSection(column, width + 2 * _PADDING)
            taken += width + 2 * _PADDING
        # The last column takes what the others leave, so that the columns are together as wide as the view.
        rest = self._fitted - taken
        least = {
            column: metrics.horizontalAdvance(sample) + 2 * _PADDING + 1 for column, sample in _LEAST.items()
        }
        lack = least[HITS] + least[SCORE] - rest
        if lack > 0:
            usual = head.sectionSize(MOVE)
            spare = max(0, usual - metrics.horizontalAdvance(_SHORT) - 2 * _PADDING)
            head.resizeSection(MOVE, usual - min(lack, spare))
            rest += min(lack, spare)
        hits = max(least[HITS], min(rest * 4 // 9, rest - least[SCORE]))
        head.resizeSection(HITS, hits)
        head.resizeSection(SCORE, max(least[SCORE], rest - hits))
        # Qt would show the bar while the view becomes narrower than the columns were before.
        fits = head.length() <= self._fitted
        policy = Qt.ScrollBarPolicy
        self.setHorizontalScrollBarPolicy(policy.ScrollBarAlwaysOff if fits else policy.ScrollBarAsNeeded)
        self.verticalHeader().setDefaultSectionSize(metrics.height() + _ROW_PADDING)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def updateGeometries(self) -> None:
        super().updateGeometries()
        # When the vertical scroll bar comes or goes, the width of the view stays, but not that of its area.
        if self._fitted not in (-1, self.viewport().width()):
            self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in canvas.DRESSED:
            self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if plain and event.key() in _DEEPER and self.row >= 0:
            self.deeper.emit(self.row)
        elif plain and event.key() in _BACK:
            self.back.emit(False)
        elif plain and event.key() == Qt.Key.Key_Escape:
            self.back.emit(True)
        else:
            super().keyPressEvent(event)
            return
        event.accept()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        row = self.row
        if row < 0:
            return
        name, count = self._choices.text(row, MOVE), self._choices.choice(row).count
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(f"&Follow {name}", lambda: self.deeper.emit(row))
        menu.addAction(f"&Narrow to the {wording.hits(count)} with {name}", lambda: self.narrowed.emit(row))
        menu.popup(event.globalPos())


class _Cells(QStyledItemDelegate):
    """Paints the cells."""

    def __init__(self, model: model_module.ChoicesModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._choices = model

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        row, column = index.row(), index.column()
        choice, text = self._choices.choice(row), self._choices.text(row, column)
        colours = theme.colours()
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        area = QRectF(option.rect)
        palette = option.palette
        if selected:
            painter.fillRect(area, palette.color(QPalette.ColorRole.Highlight))
        elif row & 1:
            painter.fillRect(area, palette.color(QPalette.ColorRole.AlternateBase))
        ink = QPalette.ColorRole.HighlightedText if selected else QPalette.ColorRole.Text
        painter.setPen(palette.color(ink))
        painter.setFont(option.font)
        inner = area.adjusted(_PADDING, 0, -_PADDING, 0)
        metrics = option.fontMetrics
        if column == MOVE:
            painter.drawText(
                inner, _LEFT, metrics.elidedText(text, Qt.TextElideMode.ElideRight, int(inner.width()))
            )
            return
        if column not in _LEAST:
            if column != SHARE and not selected:
                painter.setPen(colours.colour("muted"))
            painter.drawText(inner, _RIGHT, text)
            return
        # The number has its own room, so that all bars of a column begin at one edge.
        longest = wording.widest(self._choices.most) if column == HITS else "100%"
        room = metrics.horizontalAdvance(longest) + 1
        painter.drawText(QRectF(inner.left(), inner.top(), room, inner.height()), _RIGHT, text)
        bar = inner.adjusted(room + _PADDING, 0, 0, 0)
        height = max(6.0, metrics.height() * 0.6)
        bar = QRectF(bar.left(), bar.center().y() - height / 2, bar.width(), height)
        if bar.width() < height:
            return
        if column == HITS:
            length = max(1.0, bar.width() * choice.count / self._choices.most)
            painter.fillRect(QRectF(bar.left(), bar.top(), length, height), colours.colour("accent"))
        else:
            _draw_score(painter, bar, choice, colours)


_LEFT: Final = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_RIGHT: Final = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


def _draw_score(painter: QPainter, bar: QRectF, choice: continuations.Choice, colours: theme.Colours) -> None:
    """Draw White's wins, the draws and Black's wins as parts of a bar, in the colours of a board."""
    known = choice.wins + choice.draws + choice.losses
    if not known:
        return
    left = bar.left()
    for count, colour in (
        (choice.wins, QColor(_WHITE)),
        (choice.draws, QColor(_DRAWN)),
        (choice.losses, QColor(_BLACK)),
    ):
        width = bar.width() * count / known
        painter.fillRect(QRectF(left, bar.top(), width, bar.height()), colour)
        left += width
    painter.setPen(QPen(colours.colour("board_edge" if not colours.dark else "muted"), 1))
    painter.drawRect(bar.adjusted(0, 0, -1, -1))


_WHITE, _DRAWN, _BLACK = "#f5f2ea", "#9aa5b1", "#2b3440"
"""White's wins, draws and Black's wins. These colours differ in lightness, so they can be told apart without
seeing colours."""

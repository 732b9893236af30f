"""The menu that says what a row of the hits is, and how the rows are sorted."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from cqlgui.base.data import dataclass
from cqlgui.tasks.analysis.arranging import Sort
from cqlgui.tasks.export.hit_table import Rows
from cqlgui.ui.tables import hits_model

_ROWS = (
    (Rows.HITS, "&Every hit"),
    (Rows.SPANS, "&Runs of plies with one element"),
    (Rows.GAMES, "&One row a game"),
)


@dataclass(frozen=True, slots=True)
class Wish:
    """How the user wants the rows: what a row is, and the column to sort by. `sort` is None for the order in
    which the hits were found."""

    rows: Rows = Rows.HITS
    sort: Sort | None = None
    descending: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether the rows are the hits in their order."""
        return self.rows is Rows.HITS and self.sort is None


class ArrangeButton(QToolButton):
    """`wished` carries a `Wish` that the user has chosen in the menu."""

    wished = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setText("Rows")
        self.setToolTip("What a row is, and how rows are sorted; a click on a title sorts too (Alt+R)")
        self.setAccessibleName("Arrange the rows")
        self.setShortcut("Alt+R")
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.wish = Wish()
        menu = QMenu(self)
        self._kinds = QActionGroup(menu)
        for rows, words in _ROWS:
            action = self._choice(menu, self._kinds, words)
            action.setData(rows)
        menu.addSeparator()
        sorts = menu.addMenu("&Sort by")
        self._sorts = QActionGroup(sorts)
        self._choice(sorts, self._sorts, "as found").setData(None)
        listed: dict[Sort, str] = {}
        for column, sort in hits_model.SORTS.items():
            listed.setdefault(sort, hits_model.TITLES[column])
        for sort, words in (*listed.items(), (Sort.HITS, "Number of hits")):
            self._choice(sorts, self._sorts, "Date" if sort is Sort.DATE else words).setData(sort)
        self._turned = menu.addAction("&Largest first")
        self._turned.setCheckable(True)
        self._kinds.triggered.connect(self._chosen)
        self._sorts.triggered.connect(self._chosen)
        self._turned.triggered.connect(self._chosen)
        menu.aboutToShow.connect(self._show)
        self.setMenu(menu)
        self._show()

    def set_wish(self, wish: Wish) -> None:
        """Show this wish in the menu."""
        self.wish = wish
        self._show()

    def sort_by(self, column: int) -> None:
        """Sort by a column of the table. The second click on a column turns the order, and the third click
        brings back the order in which the hits were found."""
        sort = hits_model.SORTS.get(column)
        if sort is None:
            return
        if sort is not self.wish.sort:
            wish = Wish(self.wish.rows, sort)
        elif not self.wish.descending:
            wish = Wish(self.wish.rows, sort, descending=True)
        else:
            wish = Wish(self.wish.rows)
        self.set_wish(wish)
        self.wished.emit(wish)

    def _choice(self, menu: QMenu, group: QActionGroup, words: str) -> QAction:
        action = menu.addAction(words)
        action.setCheckable(True)
        group.addAction(action)
        return action

    def _show(self) -> None:
        for group, wanted in ((self._kinds, self.wish.rows), (self._sorts, self.wish.sort)):
            for action in group.actions():
                action.setChecked(action.data() is wanted or action.data() == wanted)
        self._turned.setChecked(self.wish.descending)
        self._turned.setEnabled(self.wish.sort is not None)

    def _chosen(self) -> None:
        kind, sort = self._kinds.checkedAction(), self._sorts.checkedAction()
        if kind is None or sort is None:
            return
        wanted = sort.data()
        descending = self._turned.isChecked() and wanted is not None
        self.set_wish(Wish(kind.data(), wanted, descending))
        self.wished.emit(self.wish)

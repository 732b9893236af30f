"""The menu that says what a row of the hits is, and how the rows are sorted."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from cqlgui.base.data import dataclass
from cqlgui.tasks.analysis.arranging import Key, Sort
from cqlgui.tasks.export.hit_table import Rows
from cqlgui.ui.look import wording
from cqlgui.ui.tables import hits_model

_ROWS = (
    (Rows.HITS, "&Every hit"),
    (Rows.SPANS, "&Runs of plies with one element"),
    (Rows.GAMES, "&One row a game"),
)


@dataclass(frozen=True, slots=True)
class Wish:
    """How the user wants the rows: what a row is, and the columns to sort by, the most important first.
    Without `sorts`, rows have the order in which the hits were found."""

    rows: Rows = Rows.HITS
    sorts: tuple[Key, ...] = ()

    @property
    def is_plain(self) -> bool:
        """Whether the rows are the hits in their order."""
        return self.rows is Rows.HITS and not self.sorts

    @property
    def words(self) -> str:
        """How the rows are sorted, as `by ply`; empty for the order in which they were found."""
        names = [
            f"by {_NAMES[key.sort].lower()}{' (largest first)' if key.descending else ''}"
            for key in self.sorts
        ]
        return ", then ".join(names)


class ArrangeButton(QToolButton):
    """`wished` carries a `Wish` that the user has chosen in the menu."""

    wished = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setText("Rows")
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
        self._sorts, self._turned = self._add_sorts(menu, "&Sort by", "as found", "&Largest first")
        self._then, self._then_turned = self._add_sorts(
            menu, "&Then by", "nothing more", "L&argest first in this, too"
        )
        self._kinds.triggered.connect(self._chosen)
        menu.aboutToShow.connect(self._show)
        self.setMenu(menu)
        self._show()

    def _add_sorts(self, menu: QMenu, title: str, none: str, turned: str) -> tuple[QActionGroup, QAction]:
        """Add a menu of columns to sort by, and an item for the opposite direction."""
        sorts = menu.addMenu(title)
        group = QActionGroup(sorts)
        self._choice(sorts, group, none).setData(None)
        for sort, words in _NAMES.items():
            self._choice(sorts, group, words).setData(sort)
        action = menu.addAction(turned)
        action.setCheckable(True)
        group.triggered.connect(self._chosen)
        action.triggered.connect(self._chosen)
        return group, action

    def set_wish(self, wish: Wish) -> None:
        """Show this wish in the menu."""
        self.wish = wish
        self._show()

    def sort_by(self, column: int, *, more: bool = False) -> None:
        """Sort by a column of the table. The second click on a column turns the order, and the third click
        ends the sorting by this column. With `more`, the columns of earlier clicks stay, and come first."""
        sort = hits_model.SORTS.get(column)
        if sort is None:
            return
        sorts = list(self.wish.sorts)
        known = next((place for place, key in enumerate(sorts) if key.sort is sort), None)
        before = None if known is None or not (more or len(sorts) == 1) else sorts[known]
        if before is None:
            sorts = [*sorts, Key(sort)] if more else [Key(sort)]
        elif not before.descending:
            sorts[sorts.index(before)] = Key(sort, descending=True)
        else:
            sorts.remove(before)
        wish = Wish(self.wish.rows, tuple(sorts))
        self.set_wish(wish)
        self.wished.emit(wish)

    def _choice(self, menu: QMenu, group: QActionGroup, words: str) -> QAction:
        action = menu.addAction(words)
        action.setCheckable(True)
        group.addAction(action)
        return action

    def _show(self) -> None:
        first, second = (*self.wish.sorts, None, None)[:2]
        for group, wanted in (
            (self._kinds, self.wish.rows),
            (self._sorts, first and first.sort),
            (self._then, second and second.sort),
        ):
            for action in group.actions():
                action.setChecked(action.data() is wanted or action.data() == wanted)
        for turned, key in ((self._turned, first), (self._then_turned, second)):
            turned.setChecked(key is not None and key.descending)
            turned.setEnabled(key is not None)
        self._then.setEnabled(first is not None)
        sorted_by = f"Sorted {self.wish.words}." if self.wish.words else ""
        self.setToolTip(wording.plain_tip(" ".join(filter(None, (_TIP, sorted_by)))))

    def _chosen(self) -> None:
        kind = self._kinds.checkedAction()
        if kind is None:
            return
        keys: list[Key] = []
        for group, turned in ((self._sorts, self._turned), (self._then, self._then_turned)):
            action = group.checkedAction()
            sort = None if action is None else action.data()
            if sort is not None and all(key.sort is not sort for key in keys):
                keys.append(Key(sort, turned.isChecked()))
        then = self._then.checkedAction()
        # The menu has the first two columns. Those that follow come from clicks on titles, and stay unless
        # nothing shall follow the first.
        if keys and then is not None and then.data() is not None:
            chosen = {key.sort for key in keys}
            keys.extend(key for key in self.wish.sorts[2:] if key.sort not in chosen)
        self.set_wish(Wish(kind.data(), tuple(keys)))
        self.wished.emit(self.wish)


def _names() -> dict[Sort, str]:
    """The name of each column that rows can be sorted by, in the order of the menu."""
    listed: dict[Sort, str] = {}
    for column, sort in hits_model.SORTS.items():
        listed.setdefault(sort, "Date" if sort is Sort.DATE else hits_model.TITLES[column])
    return {**listed, Sort.HITS: "Number of hits"}


_NAMES: Final = _names()
_TIP: Final = (
    "What a row is, and how rows are sorted (Alt+R). A click on a title sorts too. Shift+click sorts equal"
    " rows by one more column."
)

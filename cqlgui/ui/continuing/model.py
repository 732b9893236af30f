"""The table of the moves at one place in the tree of continuations. This module draws nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from cqlgui.base import plurals
from cqlgui.tasks.analysis import continuations
from cqlgui.ui.look import wording

Index = QModelIndex | QPersistentModelIndex
MOVE, HITS, SHARE, SCORE, RATING, YEAR = range(6)
_TITLES: Final = ("Move", "Hits", "Share", "Score", "Elo", "Last")
_TIPS: Final = (
    "The move that follows",
    "Number of hits with this move; a row's bar compares it with the most frequent move",
    "Part of the hits shown above",
    "White's share of the points; the bar shows White's wins, draws and Black's wins",
    "Mean Elo of the players",
    "Last year in which the move was played",
)
_KEYS: Final[tuple[Callable[[continuations.Choice], Any], ...]] = (
    lambda choice: choice.name.removeprefix("..."),
    lambda choice: choice.count,
    lambda choice: choice.count,
    lambda choice: choice.score,
    lambda choice: choice.rating,
    lambda choice: choice.year,
)
_RIGHT: Final = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_LEFT: Final = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


class ChoicesModel(QAbstractTableModel):
    """The choices of a node, in the order of a column. The most frequent move is first until the user sorts
    by another column."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._choices: list[continuations.Choice] = []
        self._names: dict[int, str] = {}
        self._count = 0
        self._white = "White"
        self.most = 1
        """The number of hits of the most frequent move."""
        self.column = HITS
        self.descending = True

    def show_node(self, node: continuations.Node | None, path: Sequence[int], *, own_frame: bool) -> None:
        """Show the choices of a node after a path; None shows nothing. In the query's `own_frame`, White is
        the side that is White there."""
        self.beginResetModel()
        found = () if node is None else node.choices
        self._choices = list(found)
        self._names = {one.move: continuations.label(path, one.move) for one in found}
        self._count = 0 if node is None else node.count
        self._white = "White in the query's frame" if own_frame else "White"
        self.most = max((one.count for one in found), default=1)
        self._order()
        self.endResetModel()

    def choice(self, row: int) -> continuations.Choice:
        """The choice in an existing row."""
        return self._choices[row]

    def row_of(self, move: int) -> int:
        """The row of a move, or -1."""
        return next((row for row, one in enumerate(self._choices) if one.move == move), -1)

    def text(self, row: int, column: int) -> str:
        """The text of an existing cell."""
        one = self._choices[row]
        if column == MOVE:
            return self._names[one.move]
        if column == HITS:
            return wording.number(one.count)
        if column == SHARE:
            return _percent(one.count / max(self._count, 1))
        if column == SCORE:
            return "" if one.score is None else plurals.percent(one.score)
        if column == RATING:
            return "" if one.rating is None else str(round(one.rating))
        return "" if one.year is None else str(one.year)

    def _order(self) -> None:
        key = _KEYS[self.column]
        known = [one for one in self._choices if key(one) is not None]
        unknown = [one for one in self._choices if key(one) is None]
        # The order of equal rows is that of their counts, whichever way the column is sorted.
        known.sort(key=lambda one: (-one.count, one.name))
        known.sort(key=key, reverse=self.descending)
        self._choices = known + unknown

    def _described(self, one: continuations.Choice) -> str:
        known = one.wins + one.draws + one.losses
        if not known:
            return "No result is known."
        parts = (
            f"{self._white} won {_of(one.wins, known)}",
            f"drew {_of(one.draws, known)}",
            f"lost {_of(one.losses, known)}",
        )
        return ", ".join(parts)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        if not 0 <= column < len(_TITLES):
            return
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        moves = [self._choices[index.row()].move for index in before]
        self.column, self.descending = column, order == Qt.SortOrder.DescendingOrder
        self._order()
        rows = {one.move: row for row, one in enumerate(self._choices)}
        after = [self.index(rows[move], index.column()) for move, index in zip(moves, before, strict=True)]
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  # Qt's own default
        return 0 if parent.isValid() else len(self._choices)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(_TITLES)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self._choices):
            return None
        row, column = index.row(), index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self.text(row, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            one = self._choices[row]
            told = (
                self._described(one)
                if column == SCORE
                else f"{self._names[one.move]}: {wording.hits(one.count)}"
            )
            return wording.plain_tip(told)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            text = self.text(row, column)
            return f"{_TITLES[column]} {text}" if column and text else text
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _LEFT if column == MOVE else _RIGHT
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(_TITLES):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return _TITLES[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if section in (SHARE, RATING, YEAR) else _LEFT
        if role == Qt.ItemDataRole.InitialSortOrderRole:
            # A first click on a column of numbers shows the greatest number first.
            return Qt.SortOrder.AscendingOrder if section == MOVE else Qt.SortOrder.DescendingOrder
        return _TIPS[section] if role == Qt.ItemDataRole.ToolTipRole else None


def _percent(part: float) -> str:
    """A share in percent. A small share has a digit after the point."""
    return plurals.percent(part, 0 if part >= 0.0995 else 1)


def _of(part: int, whole: int) -> str:
    return f"{wording.number(part)} ({plurals.percent(part / whole)})"

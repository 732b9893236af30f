"""The table of a study, which fills while the study runs. This module draws nothing."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from typing import Any, Final

from PySide6.QtCore import QModelIndex, QObject, Qt

from cqlgui.base.data import dataclass, replace
from cqlgui.tasks.studies import study, study_table
from cqlgui.ui.look import wording
from cqlgui.ui.tables import text_model

Values = Mapping[str, Any]
"""The values of a row, as `study_table.part_rows` gives them."""

QUERY, BASE, BAND, GAMES, SHARE, SCORE, POSITIONS, HALFMOVES, FIRST, SEARCHED = range(10)
_FIELDS: Final = (
    "query",
    "base",
    "band",
    "games",
    "share",
    "score",
    "positions",
    "halfmoves",
    "first_ply",
    "searched",
)
"""The field of `study_table.FIELDS` in each column."""
HEADS: Final = (
    "Query",
    "Base",
    "Band",
    "Games",
    "Share %",
    "Score %",
    "Positions",
    "Half-moves",
    "First ply",
    "Searched",
)
SEARCHING: Final = "▸ "
"""The sign before the name of the query that is being searched for."""
_TIPS: Final = (
    "A query of the study",
    "The base that was searched",
    "All games, or those of a band of ratings or of a period",
    "Games that match",
    "Games that match, as a share of the games searched",
    "White's share of the points in the games that match",
    "Positions that match",
    "Half-moves that a matching game spends in matching positions, on average",
    "Ply of the first hit: the median over the games that match",
    "Games that were searched",
)


class State(enum.Enum):
    """What is known about a query and a base."""

    WAITING = ""
    SEARCHING = "…"
    FAILED = "failed"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table. `number` counts the queries and bases in the order of the study, and `place` the
    rows of a query and a base; both from 0. `values` are those of `study_table.part_rows`, or None until the
    search is done."""

    number: int
    place: int
    query: str
    base: str
    state: State = State.WAITING
    values: Values | None = None


class StudyModel(text_model.TextModel):
    """The rows of a study: one for each query and base, and further rows for the bands. They are in the order
    of the study until the user sorts them."""

    on_the_right = (GAMES, SHARE, SCORE, POSITIONS, HALFMOVES, FIRST, SEARCHED)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[Row] = []
        self.column = -1
        """The column by which the rows are sorted; -1 for the order of the study."""
        self.descending = False

    @property
    def rows(self) -> Sequence[Row]:
        """The rows in the order shown."""
        return self._rows

    @property
    def known(self) -> list[Values]:
        """The values of the rows that are known, in the order shown."""
        return [one.values for one in self._rows if one.values is not None]

    def begin(self, queries: Sequence[str], bases: Sequence[str]) -> None:
        """Show a row without numbers for each query and base."""
        self.beginResetModel()
        pairs = [(query, base) for query in queries for base in bases]
        self._rows = [Row(number, 0, query, base) for number, (query, base) in enumerate(pairs)]
        self._order()
        self.endResetModel()

    def search(self, query: str, base: str) -> None:
        """Mark the row that is being searched."""
        self.stop()
        self._mark(query, base, State.SEARCHING)

    def stop(self) -> None:
        """Mark no row as being searched."""
        for row, one in enumerate(self._rows):
            if one.state is State.SEARCHING:
                self._set(row, replace(one, state=State.WAITING))

    def fail(self, query: str, base: str) -> None:
        """Mark rows without numbers as failed. An empty name means all queries or all bases."""
        self._mark(query, base, State.FAILED)

    def put(self, part: study.Part) -> None:
        """Show the numbers of a query and a base."""
        row = self.row_of(part.query, part.base)
        if row < 0:
            return
        first, *others = (
            replace(self._rows[row], place=place, state=State.DONE, values=values)
            for place, values in enumerate(study_table.part_rows(part))
        )
        self._set(row, first)
        if others:
            self.beginInsertRows(QModelIndex(), row + 1, row + len(others))
            self._rows[row + 1 : row + 1] = others
            self.endInsertRows()
        if self.column >= 0:
            self._sort_again()

    def row_of(self, query: str, base: str) -> int:
        """The first row of a query and a base, or -1."""
        return next((row for row, one in enumerate(self._rows) if (one.query, one.base) == (query, base)), -1)

    def row_searched(self) -> int:
        """The row that is being searched, or -1."""
        return next((row for row, one in enumerate(self._rows) if one.state is State.SEARCHING), -1)

    def _mark(self, query: str, base: str, state: State) -> None:
        for row, one in enumerate(self._rows):
            if one.values is None and query in ("", one.query) and base in ("", one.base):
                self._set(row, replace(one, state=state))

    def _set(self, row: int, one: Row) -> None:
        self._rows[row] = one
        self.dataChanged.emit(self.index(row, 0), self.index(row, len(HEADS) - 1))

    def _order(self) -> None:
        self._rows.sort(key=lambda one: (one.number, one.place))
        if self.column < 0:
            return
        # Rows without a value come last, whichever way the column is sorted.
        known = [one for one in self._rows if _key(one, self.column) is not None]
        unknown = [one for one in self._rows if _key(one, self.column) is None]
        known.sort(key=lambda one: _key(one, self.column), reverse=self.descending)
        self._rows = known + unknown

    def _sort_again(self) -> None:
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        kept = [(self._rows[one.row()].number, self._rows[one.row()].place) for one in before]
        self._order()
        rows = {(one.number, one.place): row for row, one in enumerate(self._rows)}
        after = [self.index(rows[name], one.column()) for name, one in zip(kept, before, strict=True)]
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()

    def texts(self, row: int, columns: Sequence[int]) -> list[str]:
        one = self._rows[row]
        return [_text(one, column) for column in columns]

    def tip(self, row: int, column: int) -> str | None:
        texts = self.texts(row, range(len(HEADS)))
        lines = [f"{head}: {text}" for head, text in zip(HEADS[1:], texts[1:], strict=True) if text]
        return "\n".join([self._rows[row].query, *lines])

    def is_seen(self, row: int) -> bool:
        # Rows without numbers are painted in a weaker colour.
        return self._rows[row].values is None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self.column, self.descending = column, order == Qt.SortOrder.DescendingOrder
        self._sort_again()

    def rowCount(self, parent: text_model.Index = QModelIndex()) -> int:  # noqa: B008  # Qt's own default
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: text_model.Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(HEADS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(HEADS):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return HEADS[section]
        if role == Qt.ItemDataRole.ToolTipRole:
            return _TIPS[section]
        if role == Qt.ItemDataRole.TextAlignmentRole and section in self.on_the_right:
            return text_model.RIGHT
        if role == Qt.ItemDataRole.InitialSortOrderRole:
            # A first click on a column of numbers shows the greatest number first.
            ascending = section in (QUERY, BASE, BAND, FIRST)
            return Qt.SortOrder.AscendingOrder if ascending else Qt.SortOrder.DescendingOrder
        return None


def _key(one: Row, column: int) -> Any:
    if column == QUERY:
        return one.query.casefold()
    if column == BASE:
        return one.base.casefold()
    if column == BAND:
        return one.place
    return None if one.values is None else one.values[_FIELDS[column]]


def _text(one: Row, column: int) -> str:
    if column == QUERY:
        return (SEARCHING if one.state is State.SEARCHING else "") + wording.straight(one.query)
    if column == BASE:
        return wording.straight(one.base)
    if one.values is None:
        return one.state.value if column == GAMES else ""
    if column == BAND:
        group = study_table.shown("group", one.values["group"])
        band = one.values["band"]
        return f"{group} {band}" if band else group
    value = one.values[_FIELDS[column]]
    if value is None:
        return ""
    return wording.number(value) if isinstance(value, int) else study_table.shown(_FIELDS[column], value)

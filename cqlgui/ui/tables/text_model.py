"""Models whose cells are lines of text, fetched row by row."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from cqlgui.ui.look import wording

Index = QModelIndex | QPersistentModelIndex
RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


class TwoLines(NamedTuple):
    """A row as two lines. The first line has the players and the result. The second line has some fields of
    fixed widths, the sign of a transform, a text (`rest`), and a value at the end."""

    white: str
    black: str
    result: str
    fields: tuple[str, ...]
    transform: str | None
    rest: str
    value: str


class TextModel(QAbstractTableModel):
    """The model of a `view.TableView`. Columns in `on_the_right` are aligned to the right. If `has_two_lines`
    is True, the model has a form for narrow tables."""

    on_the_right: Collection[int] = ()
    has_two_lines = False

    @abstractmethod
    def texts(self, row: int, columns: Sequence[int]) -> list[str]:
        """The texts of some columns of an existing row. This method never waits."""

    def tip(self, row: int, column: int) -> str | None:
        """The tool tip of a cell, as plain text."""
        return self.texts(row, (column,))[0]

    def is_seen(self, row: int) -> bool:
        """Whether the user has seen an existing row. Seen rows are painted in a weaker colour."""
        return False

    def two_lines(self, row: int) -> TwoLines | None:
        """An existing row in the form for narrow tables; None if the model has no form for narrow tables."""
        return None

    def two_lines_tip(self, row: int) -> str:
        """The tool tip of a row in two lines, as plain text."""
        return ""

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= self.rowCount():
            return None
        row, column = index.row(), index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self.texts(row, (column,))[0]
        if role == Qt.ItemDataRole.ToolTipRole:
            return wording.plain_tip(self.tip(row, column) or "")
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if column in self.on_the_right else None
        return None

"""The rows of a picture's table as the model of a table view."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QModelIndex, Qt

from cqlgui.base import plurals
from cqlgui.tasks.pictures import pictures
from cqlgui.ui.look import wording
from cqlgui.ui.tables import text_model

_NOTHING = pictures.Table((), ())


class PictureModel(text_model.TextModel):
    """Shows a `pictures.Table`. Counts have separators, and shares are percentages."""

    def __init__(self, parent: Any = None) -> None:
        super().__init__(parent)
        self._table = _NOTHING

    @property
    def table(self) -> pictures.Table:
        """The table that is shown."""
        return self._table

    def set_table(self, table: pictures.Table) -> None:
        """Show another table."""
        self.beginResetModel()
        self._table = table
        first = table.rows[0] if table.rows else ()
        self.on_the_right = [
            column for column, cell in enumerate(first) if cell is not None and not isinstance(cell, str)
        ]
        self.endResetModel()

    def texts(self, row: int, columns: Sequence[int]) -> list[str]:
        cells = self._table.rows[row]
        return [shown(cells[column]) if column < len(cells) else "" for column in columns]

    def rowCount(self, parent: text_model.Index = QModelIndex()) -> int:  # noqa: B008  # as Qt has it
        return 0 if parent.isValid() else len(self._table.rows)

    def columnCount(self, parent: text_model.Index = QModelIndex()) -> int:  # noqa: B008  # as Qt has it
        return 0 if parent.isValid() else len(self._table.heads)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is not Qt.Orientation.Horizontal or section >= len(self._table.heads):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._table.heads[section]
        if role == Qt.ItemDataRole.TextAlignmentRole and section in self.on_the_right:
            return text_model.RIGHT
        return None


def shown(cell: pictures.Cell) -> str:
    """A cell as text."""
    if cell is None:
        return ""
    if isinstance(cell, str):
        return wording.straight(cell)
    if isinstance(cell, float):
        return plurals.percent(cell, 1)
    return wording.number(cell)


def tip(table: pictures.Table, row: int) -> str:
    """A row with its exact numbers, as plain text."""
    name, *cells = table.rows[row]
    lines = [
        f"{head}: {shown(cell)}"
        for head, cell in zip(table.heads[1:], cells, strict=True)
        if cell not in (None, "")
    ]
    return "\n".join([f"{table.heads[0]} {shown(name)}", *lines])

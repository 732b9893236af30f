"""The table of all games of the base: the games' ordinals in the wanted order, and headers that are fetched
on demand."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from typing import Any

from PySide6.QtCore import QModelIndex, QObject, Qt

from cqlgui.tasks.likeness import duplicates
from cqlgui.ui.look import wording
from cqlgui.ui.tables import ranges, rows, text_model

BAD = "⚠ "
"""Prefix of the number of a game that could not be read whole."""
COPY = "= "
"""Prefix of the number of a game that is the same as another game, which is kept."""


class GamesModel(text_model.TextModel):
    """Holds the ordinals of games. `texts` returns the headers that are known, and never waits."""

    on_the_right = (0, 2, 4, 9)

    def __init__(self, cache: rows.RowCache, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._cache = cache
        self._ids: array[int] = array("q")
        # For each game whose headers are being fetched: the row to repaint when the headers arrive.
        self._asked: dict[int, int] = {}
        self._found: duplicates.Duplicates | None = None
        cache.arrived.connect(self._arrived)

    def set_duplicates(self, found: duplicates.Duplicates | None) -> None:
        """Mark these duplicates."""
        self._found = found
        if self._ids:
            self.dataChanged.emit(
                self.index(0, 0), self.index(len(self._ids) - 1, 0), [int(Qt.ItemDataRole.DisplayRole)]
            )

    def _copy_of(self, game: int) -> tuple[int, bool] | None:
        """The game that is kept instead of a game, and whether it has more moves; None if the game is no
        duplicate."""
        found = self._found
        if found is None:
            return None
        place = int(found.left_out.searchsorted(game))
        if place == len(found.left_out) or found.left_out[place] != game:
            return None
        return int(found.kept[place]), bool(found.beginning[place])

    def set_ids(self, ids: array[int]) -> None:
        """Show these games in this order. If the new list only continues the list shown, rows are added at
        the end."""
        old = len(self._ids)
        if len(ids) > old > 0 and ids[:old] == self._ids:
            self.beginInsertRows(QModelIndex(), old, len(ids) - 1)
            self._ids = ids
            self.endInsertRows()
        elif ids != self._ids:
            self.beginResetModel()
            self._ids = ids
            self._asked.clear()
            self.endResetModel()

    def game(self, row: int) -> int | None:
        """The ordinal of the game in a row."""
        return self._ids[row] if 0 <= row < len(self._ids) else None

    def row_of(self, game: int) -> int:
        """The row of a game, or -1."""
        if 0 < game <= len(self._ids) and self._ids[game - 1] == game:
            return game - 1
        try:
            return self._ids.index(game)
        except ValueError:
            return -1

    def _arrived(self, games: Iterable[int]) -> None:
        came = [self._asked.pop(game) for game in games if game in self._asked]
        for first, last in ranges.merged(came):
            self.dataChanged.emit(self.index(first, 0), self.index(last, self.columnCount() - 1))

    def rowCount(self, parent: text_model.Index = QModelIndex()) -> int:  # noqa: B008  # Qt's own default
        return 0 if parent.isValid() else len(self._ids)

    def columnCount(self, parent: text_model.Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(rows.GAME_COLUMNS)

    def texts(self, row: int, columns: Sequence[int]) -> list[str]:
        game = self._ids[row]
        headers = self._cache.get(game)
        if headers is None:
            self._asked[game] = row
            return ["" if column else f"{game:,}" for column in columns]
        found = [rows.GAME_COLUMNS[column][2](headers) for column in columns]
        sign = (BAD if headers.bad else "") + (COPY if self._copy_of(game) is not None else "")
        if sign:
            return [text if column else f"{sign}{text}" for column, text in zip(columns, found, strict=True)]
        return found

    def tip(self, row: int, column: int) -> str | None:
        headers = self._cache.get(self._ids[row])
        words = []
        if headers is not None and headers.bad:
            words.append("This game could not be read whole; the list of bad games tells why.")
        copy = self._copy_of(self._ids[row])
        if copy is not None:
            kept = wording.number(copy[0])
            words.append(
                f"Game {kept} continues this game." if copy[1] else f"Game {kept} has the same moves."
            )
        return " ".join(words) or super().tip(row, column)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        # Titles are aligned to the left, because the arrow of the sorted column is on the right.
        if orientation != Qt.Orientation.Horizontal or section >= len(rows.GAME_COLUMNS):
            return None
        return rows.GAME_COLUMNS[section][0] if role == Qt.ItemDataRole.DisplayRole else None

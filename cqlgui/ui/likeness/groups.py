"""The list of duplicates: for each group the game that is kept, and below it the games that are left out."""

from __future__ import annotations

from typing import Any, Final

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QListView, QWidget

from cqlgui.base.data import dataclass
from cqlgui.tasks.likeness import duplicates
from cqlgui.tasks.results import base_model
from cqlgui.ui.likeness import two_lines
from cqlgui.ui.look import wording
from cqlgui.ui.tables import games_model, ranges, rows

Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class Rows:
    """The games of all groups, and for each what was decided."""

    games: tuple[int, ...]
    words: tuple[str, ...]


NO_ROWS: Final = Rows((), ())


def rows_of(found: duplicates.Duplicates) -> Rows:
    """The rows for some duplicates: the game that is kept, then the others, group by group."""
    games: list[int] = []
    words: list[str] = []
    for group in found.groups:
        games.append(group.kept)
        words.append(f"kept: {group.why_kept}")
        for other in group.others:
            games.append(other.game)
            words.append(_CONTINUED if other.beginning else _SAME)
    return Rows(tuple(games), tuple(words))


class GroupsModel(QAbstractListModel):
    """The games of all groups, one row for each. Their headers are fetched when they come into view."""

    def __init__(self, cache: rows.RowCache, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._cache = cache
        self._rows = NO_ROWS
        # For each game whose headers are being fetched: its row.
        self._asked: dict[int, int] = {}
        cache.arrived.connect(self._arrived)

    def show_rows(self, shown: Rows) -> None:
        """Show other groups."""
        self.beginResetModel()
        self._rows = shown
        self._asked.clear()
        self.endResetModel()

    def game(self, row: int) -> int | None:
        """The game of a row."""
        games = self._rows.games
        return games[row] if 0 <= row < len(games) else None

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  # Qt's own default
        return 0 if parent.isValid() else len(self._rows.games)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row, game = index.row(), self.game(index.row())
        if game is None:
            return None
        words = self._rows.words[row]
        kept = words not in (_SAME, _CONTINUED)
        if role == two_lines.HEAD:
            return kept
        if role == two_lines.SIGN:
            return "" if kept else games_model.COPY.strip()
        header = self._cache.get(game)
        if header is None:
            self._asked[game] = row
        if role == Qt.ItemDataRole.DisplayRole:
            return _players(header)
        if role == two_lines.ABOUT:
            return _about(game, header, words)
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            text = f"{_players(header)}\n{_about(game, header, words)}"
            return wording.plain_tip(text) if role == Qt.ItemDataRole.ToolTipRole else text
        return None

    def _arrived(self, games: list[int]) -> None:
        came = [self._asked.pop(game) for game in games if game in self._asked]
        for first, last in ranges.merged(came):
            self.dataChanged.emit(self.index(first, 0), self.index(last, 0))


_SAME, _CONTINUED = "same moves", "another game continues it"


def _players(header: base_model.GameRow | None) -> str:
    if header is None:
        return ""
    players = f"{header.white or '?'} - {header.black or '?'}"
    return wording.straight("  ".join(filter(None, (players, rows.known(header.result)))))


def _about(game: int, header: base_model.GameRow | None, words: str) -> str:
    parts = [words, f"game {wording.number(game)}"]
    if header is not None:
        parts += [rows.known(header.date.replace(".??", "")), wording.counted(header.plies, "ply", "plies")]
    return " · ".join(filter(None, parts))


class GroupsView(QListView):
    """Shows the groups. `chosen` carries the game that was opened by a double click or Enter."""

    chosen = Signal(int)

    def __init__(self, model: GroupsModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._groups = model
        self.setAccessibleName("Groups of duplicates")
        self.setModel(model)
        self.setItemDelegate(two_lines.TwoLines(self))
        self.setUniformItemSizes(True)
        self.setFrameShape(QListView.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.doubleClicked.connect(lambda index: self._open(index.row()))

    def _open(self, row: int) -> None:
        game = self._groups.game(row)
        if game is not None:
            self.chosen.emit(game)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._open(self.currentIndex().row())
            event.accept()
        else:
            super().keyPressEvent(event)

    def keyboardSearch(self, search: str) -> None:
        # Qt's own search would ask the model for every row, and there may be many thousands of rows.
        pass

"""The games that could not be read whole, in a non-modal window."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QModelIndex, QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QShowEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from cqlgui.base import cells as cells_module
from cqlgui.tasks.results import base_model
from cqlgui.ui.look import fitting, labels, wording
from cqlgui.ui.tables import text_model, view

TITLES = ("Game", "File", "Byte", "Line", "Reason")
WIDTHS = (64, 170, 92, 72, 380)


class BadGamesDialog(QDialog):
    """`opened` carries the ordinal of a game that was opened by a double click or Enter."""

    opened = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Bad games")
        self.setModal(False)
        self.model = BadGamesModel(self)
        self.table = view.TableView("Bad games", self)
        self.table.setModel(self.model)
        self.table.set_widths(WIDTHS)
        self._words = labels.Label(self)
        self._words.setWordWrap(True)
        self._copy = QPushButton("Copy", self)
        self._copy.setToolTip("Copy the selected rows, or all when none is selected (Ctrl+C)")
        self._open = QPushButton("Show game", self)
        self._close = QPushButton("Close", self)
        for button in (self._copy, self._open, self._close):
            # Enter in the table opens a game, and must not press a button as well.
            button.setAutoDefault(False)
        buttons = QHBoxLayout()
        buttons.addWidget(self._copy)
        buttons.addStretch(1)
        buttons.addWidget(self._open)
        buttons.addWidget(self._close)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 12, 12, 12)
        column.setSpacing(10)
        column.addWidget(self._words)
        column.addWidget(self.table, 1)
        column.addLayout(buttons)
        self.resize(840, 420)
        self._copy.clicked.connect(self.copy)
        self._open.clicked.connect(lambda: self._chosen(max(0, self.table.row)))
        self._close.clicked.connect(self.close)
        self.table.chosen.connect(self._chosen)
        self.set_games(())

    def set_games(self, bad: Sequence[base_model.BadGame]) -> None:
        """List these problems; a game occurs several times if it has several problems."""
        self.table.make_room(0, wording.widest(max((entry.game for entry in bad), default=0)))
        self.model.set_games(bad)
        games = wording.counted(len({entry.game for entry in bad}), "game", "games")
        self._words.setText(
            f"{games} could not be read whole. Each keeps its number and as much of itself as can be read."
            if bad
            else "Every game could be read whole."
        )
        self._copy.setEnabled(bool(bad))
        self._open.setEnabled(bool(bad))

    def text(self) -> str:
        """The selected rows, or all rows if none is selected, with tabs between the cells."""
        chosen = self.table.selected() or list(range(self.model.rowCount()))
        lines = ["\t".join(TITLES)]
        rows = (cells(self.model.games[row]) for row in chosen)
        lines += ["\t".join(map(cells_module.text_only, row)) for row in rows]
        return "\n".join(lines) + "\n"

    def copy(self) -> None:
        """Put `text()` on the clipboard."""
        QGuiApplication.clipboard().setText(self.text())

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        fitting.fit(self)

    def _chosen(self, row: int) -> None:
        if row < len(self.model.games):
            self.opened.emit(self.model.games[row].game)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        else:
            super().keyPressEvent(event)


class BadGamesModel(text_model.TextModel):
    """A table with one row for each problem."""

    on_the_right = (0, 2, 3)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.games: tuple[base_model.BadGame, ...] = ()

    def set_games(self, bad: Sequence[base_model.BadGame]) -> None:
        """List these problems."""
        self.beginResetModel()
        self.games = tuple(bad)
        self.endResetModel()

    def rowCount(self, parent: text_model.Index = QModelIndex()) -> int:  # noqa: B008  # Qt's own default
        return 0 if parent.isValid() else len(self.games)

    def columnCount(self, parent: text_model.Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(TITLES)

    def texts(self, row: int, columns: Sequence[int]) -> list[str]:
        found = cells(self.games[row])
        return [found[column] for column in columns]

    def tip(self, row: int, column: int) -> str | None:
        return str(self.games[row].source) if column == 1 else super().tip(row, column)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal or section >= len(TITLES):
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return text_model.RIGHT if section in self.on_the_right else None
        if role == Qt.ItemDataRole.ToolTipRole and section == 2:
            return "Where the problem lies in the file, in bytes from its start"
        return TITLES[section] if role == Qt.ItemDataRole.DisplayRole else None


def cells(entry: base_model.BadGame) -> tuple[str, ...]:
    """The texts of a problem's row."""
    return (str(entry.game), entry.source.name, str(entry.offset), str(entry.line), entry.reason)

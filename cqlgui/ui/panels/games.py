"""All games of the base as a panel: quick filter, sorting by a click on the header, one row for each game."""

from __future__ import annotations

from array import array

import numpy as np
from PySide6.QtCore import QByteArray, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from cqlgui.base import errors, progress
from cqlgui.tasks.databases import games as games_task
from cqlgui.tasks.likeness import duplicates
from cqlgui.tasks.results import base_model
from cqlgui.ui.look import labels, theme, wording
from cqlgui.ui.loop import jobs
from cqlgui.ui.panels import games_line
from cqlgui.ui.tables import games_model, rows, view

JOB = "games in order"


class GamesPanel(QWidget):
    """`opened` carries the ordinal of a game that was opened by a double click or Enter. `current_changed`
    carries the ordinal of a game that the user made current.
    """

    opened = Signal(int)
    current_changed = Signal(int)

    def __init__(self, door: jobs.Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Games")
        self._jobs = door
        self._base: base_model.Base | None = None
        self._sort = "game"
        self._descending = False
        self._text = ""
        # The game that is current, or that becomes current once it has a row.
        self._wanted = 0
        self._view_of: tuple[str, bool, str] | None = None
        self._fault = False
        # The duplicates that the table leaves out.
        self._left_out: duplicates.Duplicates | None = None
        self._cache = rows.RowCache(door, self)
        self.model = games_model.GamesModel(self._cache, self)
        self.table = view.TableView("Games", self)
        self.table.setModel(self.model)
        self.table.set_widths([column[3] for column in rows.GAME_COLUMNS])
        head = self.table.horizontalHeader()
        head.setSectionsClickable(True)
        head.setSortIndicatorShown(True)
        view.show_arrow(head, 0, descending=False)
        self.filter = games_line.GamesLine(door, "Filter: carlsen elo>2600 year:1990-2000 eco:B90 …", self)
        self.filter.setAccessibleName("Filter the games")
        self.filter.setMaximumWidth(420)
        self._count = labels.ElidedLabel("No file is open", self, fills=True)
        self._count.setAccessibleName("Number of games")
        self._lay_out()
        self.filter.applied.connect(self._filter_now)
        self.filter.entered.connect(self.table.setFocus)
        self.table.chosen.connect(self._open)
        self.table.moved.connect(self._moved)
        head.sectionClicked.connect(self._sort_by)
        theme.theme().changed.connect(self._dress)
        self._dress()

    def set_base(self, base: base_model.Base | None) -> None:
        """Show the games of a base. If it is the former base with more games, the new games are added, and
        the filter and the current game are kept."""
        same = base is not None and self._base is not None and base.id == self._base.id
        self._base = base
        if base is not None:
            self.table.make_room(0, games_model.BAD + wording.widest(base.games))
        self._cache.set_base(base)
        self.filter.set_base(base)
        if not same:
            self.filter.put("")
            self._text = ""
            self._wanted = 0
            self._view_of = None
            self.model.set_ids(array("q"))
            self.table.scrollToTop()
        self._ask()

    def leave_out(self, found: duplicates.Duplicates | None) -> None:
        """Leave these duplicates out; None to show all games."""
        if found is not self._left_out:
            self._left_out = found
            self._view_of = None
            self._ask()

    def current(self) -> int | None:
        """The ordinal of the current game."""
        return self.model.game(self.table.row)

    def selected(self) -> list[int]:
        """The ordinals of the selected games, in the order of the table."""
        found = (self.model.game(row) for row in self.table.selected())
        return [game for game in found if game is not None]

    def select(self, game: int) -> bool:
        """Make a game current and scroll to it. Returns False if the game has no row yet. The game becomes
        current when it gets a row.
        """
        self._wanted = game
        if self.table.row >= 0 and self.current() == game:
            return True
        return self.table.go_to(self.model.row_of(game))

    @property
    def shown(self) -> int:
        """Number of games in the table."""
        return self.model.rowCount()

    def columns(self) -> QByteArray:
        """Which columns are shown, where and how wide, for `restore_columns`."""
        return self.table.horizontalHeader().saveState()

    def restore_columns(self, state: QByteArray) -> None:
        """Put the columns back, but not the order of the games; a damaged state changes nothing."""
        self.table.horizontalHeader().restoreState(state)
        self._show_sort()

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(8, 5, 8, 5)
        head.setSpacing(10)
        head.addWidget(self.filter, 3)
        head.addWidget(self._count, 2)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.table, 1)
        self.setFocusProxy(self.table)

    def _dress(self) -> None:
        colours = theme.colours()
        self._count.setStyleSheet(f"color: {colours.error if self._fault else colours.muted};")

    def _ask(self) -> None:
        base, sort, descending, text = self._base, self._sort, self._descending, self._text
        left_out = self._left_out
        if base is None:
            self._jobs.cancel(JOB, drop=True)
            self._fault = False
            self._dress()
            self._count.say("No file is open")
            return

        def work(token: progress.CancelToken, _sink: object) -> array[int]:
            found = games_task.ids(base, sort=sort, descending=descending, text=text)
            if left_out is None:
                return found
            listed = np.frombuffer(found, np.int64)
            return array("q", duplicates.first_ones(base, left_out, listed, cancel=token).tobytes())

        self._jobs.run(
            work,
            self._take,
            self._failed,
            name=JOB,
        )

    def _take(self, ids: array[int]) -> None:
        bar = self.table.verticalScrollBar()
        place = bar.value()
        view_of = (self._sort, self._descending, self._text)
        self.model.set_ids(ids)
        if self._wanted and self.current() != self._wanted:
            self.table.go_to(self.model.row_of(self._wanted))
        if view_of == self._view_of:
            # Sorting and filter are unchanged, so the table only got more games. The scroll position is kept.
            bar.setValue(place)
        self._view_of = view_of
        self._fault = False
        self._dress()
        self._say()

    def _failed(self, error: errors.CqlguiError) -> None:
        # The table keeps the games of the last valid filter.
        self._fault = True
        self._dress()
        self._count.say(str(error))

    def _say(self) -> None:
        if self._base is None:
            return
        total = self._base.games
        more = "" if self._base.complete else " so far"
        if self._text.strip() or self._left_out is not None:
            self._count.say(f"{wording.number(self.shown)} of {wording.games(total)}{more}")
        else:
            self._count.say(f"{wording.games(total)}{more}")

    def _filter_now(self, text: str) -> None:
        self._text = text
        self._ask()

    def _sort_by(self, column: int) -> None:
        key = rows.GAME_COLUMNS[column][1]
        if key:
            self._descending = not self._descending if key == self._sort else False
            self._sort = key
            self._ask()
        self._show_sort()

    def _show_sort(self) -> None:
        keys = [column[1] for column in rows.GAME_COLUMNS]
        head = self.table.horizontalHeader()
        view.show_arrow(head, keys.index(self._sort), descending=self._descending)

    def _open(self, row: int) -> None:
        game = self.model.game(row)
        if game is not None:
            self.opened.emit(game)

    def _moved(self, row: int) -> None:
        game = self.model.game(row)
        if game is not None and game != self._wanted:
            self._wanted = game
            self.current_changed.emit(game)

"""The panel of a search: the progress, the hits, and the orbit element that limits the table."""

from __future__ import annotations

import functools
import time

from PySide6.QtCore import QByteArray, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from cqlgui.base import errors
from cqlgui.base import progress as progress_module
from cqlgui.tasks.analysis import arranging
from cqlgui.tasks.analysis.arranging import Arrangement, Sort
from cqlgui.tasks.export.hit_table import Rows
from cqlgui.tasks.results import base_model, hit_model, search_model
from cqlgui.tasks.results.found import FoundGames
from cqlgui.ui.board import miniature
from cqlgui.ui.look import bars, icons, labels, theme, wording
from cqlgui.ui.loop import jobs, keys
from cqlgui.ui.panels import arrange, games_line, narrow
from cqlgui.ui.tables import copying, details, hits_model, lines, rows, view

SHOWN_MESSAGES = 30
"""The tool tip of the progress line shows at most this many messages and variables of the query."""
SHOWN_VARIABLES = 3
LONGEST_VARIABLE = 24
"""The progress line shows at most `SHOWN_VARIABLES` persistent variables, and at most `LONGEST_VARIABLE`
characters of each variable."""
FEW = 1 << 18
"""If there are at most this many hits, the hits of an element are found at once. If there are more hits, a
job finds the hits of the element."""
_LIMITING = "limit the table"
_ARRANGING = "arrange the rows"
_PREPARING = "prepare the order of the values"
PREPARED = 20_000
PREPARED_SECONDS = 3.0
"""From `PREPARED` hits on, the sort keys of the texts are made before the user sorts by the texts, if the
search took no longer than `PREPARED_SECONDS`."""


class HitsPanel(QWidget):
    """The panel of hits. For each search the window calls `begin`, then `add` and `progress`, and at last
    `finish` or `fail`.

    `opened` carries game, positionid and row of a hit that was opened by a double click or Enter.
    `current_changed` carries the row that became current, by key, mouse, `select_row` or `next_hit`.
    `limited` is emitted when the table has been limited to an element. `limit_removed` is emitted when the
    user has removed this limit, and the panel shows all hits again. `narrowing_removed` is emitted when the
    user wants the whole result again, and `scope_removed` when the user wants to search all games again.
    `narrowing_told` carries the words for the narrowing of the hits shown. Empty words mean the whole result.
    `arranged` is emitted when the rows have another order or stand for other hits, so that the hits have
    other numbers. It carries whether the user asked for these rows.
    """

    opened = Signal(int, int, int)
    current_changed = Signal(int)
    export_requested = Signal()
    limit_removed = Signal()
    limited = Signal()
    narrowing_removed = Signal()
    narrowing_told = Signal(str)
    arranged = Signal(bool)
    scope_removed = Signal()

    def __init__(self, door: jobs.Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Hits")
        self._jobs = door
        self._cache = rows.RowCache(door, self)
        self._moves = lines.LineCache(door, self)
        self._details = details.DetailCache(door, self)
        self.hits = hits_model.HitsModel(self._cache, self._moves, self._details, self)
        self.table = view.TableView("Hits", self)
        self.table.setModel(self.hits)
        self.table.set_widths(hits_model.WIDTHS, hits_model.EXTRA)
        self.table.set_picture(self._picture)
        self.copying = copying.Copying(door, self.table, self.hits)
        head = self.table.horizontalHeader()
        head.setSectionsClickable(True)
        self._bar = bars.Bar(150, self)
        self._bar.setAccessibleName("Progress of the search")
        self._summary = labels.ElidedLabel("No search yet", self)
        self._summary.setAccessibleName("Result of the search")
        self._detail = labels.ElidedLabel("", self, fills=True)
        self._detail.setAccessibleName("Course of the search")
        self._chip = labels.Chip(self)
        self._chip.setToolTip("Show the hits of all elements again")
        self._narrowed = labels.Chip(self)
        self._narrowed.setToolTip("Show all hits of the search again")
        self._scope = labels.Chip(self)
        self._scope.setToolTip("Searches keep to these games; press to search through all again")
        self.line = games_line.GamesLine(
            door, "Only games with: elo>2600 year:1990-2000 -result:1/2-1/2 …", self
        )
        self.line.setAccessibleName("Narrow the hits to some games")
        self.line.setEnabled(False)
        # A sentence about the line is often longer than the panel is wide, and its end has the nearest name.
        self._line_fault = labels.Label(self)
        self._line_fault.setWordWrap(True)
        self._line_fault.setContentsMargins(8, 0, 8, 4)
        self._line_fault.setAccessibleName("What is wrong with the line of games")
        self._line_fault.hide()
        self._narrowing = ""
        self.narrow = narrow.NarrowButton(door, self)
        self.arrange = arrange.ArrangeButton(self)
        self._base: base_model.Base | None = None
        self._result: search_model.SearchResult | None = None
        self._export = QToolButton(self)
        self._export.setText("Export…")
        self._export.setToolTip("Write the hits to a file")
        self._export.setAccessibleName("Export the hits")
        self._export.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._total = 0
        self._searched = 0
        self._started = 0.0
        self._running = False
        self._exportable = False
        self._values_hidden = False
        self._ended = ""
        # The query whose hits are shown.
        self._text = ""
        self._waits = ""
        self._place = ""
        self._earlier = ""
        self._messages: tuple[hit_model.QueryMessage, ...] = ()
        self._kept: tuple[hit_model.Persistent, ...] = ()
        # The row that `land` made current, until the user chooses a row.
        self._landing: int | None = None
        # The element whose hits a job is looking for, or None if no such job runs.
        self._looking: hits_model.Element | None = None
        # The keys that a job has made or makes.
        self._prepared: arranging.TextKeys | None = None
        # Whether a job arranges the rows.
        self._arranging = False
        self._lay_out()
        self._connect()
        self._dress()
        self._bar.hide()
        for chip in (self._chip, self._narrowed, self._scope):
            chip.hide()
        self._chips.hide()
        self._export.setEnabled(False)

    # --- a search ---

    def begin(
        self,
        base: base_model.Base,
        total_games: int,
        orbits: tuple[hit_model.Orbit, ...] = (),
        *,
        keep_seen: bool = False,
    ) -> None:
        """Start again, for a search over `total_games` games. While the search runs, the names of the
        elements come from `orbits`. With `keep_seen`, hits that were seen stay marked, because the hits to
        come belong to the same search."""
        self.table.make_room(hits_model.GAME, wording.widest(base.games))
        self._cache.set_base(base)
        self._moves.set_base(base)
        self._details.set_base(base)
        self._details.forget()
        self._stop_looking()
        self._base, self._result = base, None
        self.line.set_base(base)
        self._stop_arranging()
        self._jobs.cancel(_PREPARING, drop=True)
        self._prepared = None
        self.hits.clear(orbits, keep_seen=keep_seen)
        self.table.verticalScrollBar().setValue(0)
        self._total, self._searched = total_games, 0
        self._started = time.monotonic()
        self._running, self._exportable = True, False
        self.line.hold()
        self._ended = ""
        self._messages = ()
        self._kept = ()
        self._landing = None
        self._show_values()
        self._bar.say(0, total_games)
        self._bar.show()
        self._show_limit()
        self._say()

    def asks(self, text: str, options: search_model.SearchOptions) -> None:
        """Set the query and the options. The panel needs both to fetch the details that a search leaves
        out."""
        self._details.set_query(text, options)
        if text != self._text:
            # Another query has another order, but the user wants the same kind of rows.
            self._text = text
            self.arrange.set_wish(arrange.Wish(self.arrange.wish.rows))

    def add(self, found: FoundGames) -> None:
        """Append hits as they are found."""
        self.hits.add(found)

    def _released(self) -> None:
        self._show_values()
        self._say()

    def progress(self, report: progress_module.Progress) -> None:
        """Show how far the search is."""
        if self._running:
            self._searched = report.done
            self._total = report.total or self._total
            self._bar.say(report.done, self._total)
            self._say()

    def finish(self, result: search_model.SearchResult) -> None:
        """Take the result. The result may have the hits in a new order. A hit that the user has chosen stays
        current. If `land` made a row current, the row with this number stays current, even if the row has
        another hit now."""
        kept, landing = self.hits.hit(self.table.row), self._landing
        self.hits.finish(result)
        if landing is not None:
            self.table.go_to(landing)
        elif kept is not None:
            # The hit is still current, and only its row may have changed. The signals of the table are
            # blocked. A signal would take the board back to the hit, although the user may have moved on in
            # the game.
            with QSignalBlocker(self.table):
                self.table.go_to(self.hits.row_of(kept[0], kept[1].positionid))
        self.choose()
        self._ended = " ".join(filter(None, (_course(result, self._total), self._place)))
        self._kept = result.persistent
        for kept_variable in self._kept[:SHOWN_VARIABLES]:
            self._ended += f" · {kept_variable.name}: {kept_variable.text[:LONGEST_VARIABLE]}"
        self._messages = result.messages
        if result.messages:
            said = len(result.messages) + result.messages_dropped
            self._ended += f" · {wording.number(said)} message{'' if said == 1 else 's'}"
        self._exportable = bool(result.games)
        self._result = result
        self.line.setEnabled(True)
        self.line.release()
        self._end()
        self._arrange()
        self._prepare()

    def fail(self, sentence: str) -> None:
        """Show that the search failed. The hits found so far are still shown."""
        self.hits.release()
        self._ended = sentence
        self._end()

    def tell_waiting(self, words: str) -> None:
        """Show `words`, which describe why a search waits. Empty words mean that no search waits."""
        self._waits = words
        if not self._running:
            self._say_course()

    def tell_place(self, words: str) -> None:
        """Say in a few words where the search runs or ran. Empty words mean this computer."""
        self._place = words
        self._say()

    def tell_earlier(self, words: str) -> None:
        """Say in a few words that the hits belong to another query or to other files. Empty words mean that
        the hits belong to the current query."""
        if words != self._earlier:
            self._earlier = words
            self.table.set_dimmed(bool(words))
            self._dress()
            self._say()

    def clear(self) -> None:
        """Drop the hits and the details of their games, for example when another base is opened."""
        self._cache.set_base(None)
        self._moves.set_base(None)
        self._details.set_base(None)
        self._stop_looking()
        self._base, self._result = None, None
        self.line.set_base(None)
        self.line.put("")
        self.line.setEnabled(False)
        self._stop_arranging()
        self._jobs.cancel(_PREPARING, drop=True)
        self._prepared = None
        self.hits.clear()
        self._ended = ""
        self._messages = ()
        self._kept = ()
        self._exportable = False
        self._landing = None
        self._place = ""
        self._end()

    # --- hits ---

    @property
    def count(self) -> int:
        """Number of rows."""
        return self.hits.rows

    @property
    def running(self) -> bool:
        """Whether a search has begun and not ended."""
        return self._running

    @property
    def exportable(self) -> bool:
        """Whether there are hits to export. Hits of a search that failed cannot be exported. Hits of a search
        that ended or was stopped can be exported."""
        return self._exportable

    @property
    def games(self) -> int:
        """Number of games that have hits in the table."""
        return self.hits.games

    @property
    def limited_to(self) -> tuple[int, int] | None:
        """The (orbit, element) that the hits are limited to."""
        return self.hits.limited_to

    def limit(self, orbit: int | None, element: int | None = None) -> None:
        """Show only the hits of one element of an orbit. If `orbit` is None, show all hits. The current hit
        stays current if it is still shown. If there are many hits, a job looks for the hits of the element,
        and the old rows are shown until the job ends. `limited` is emitted when the table is limited."""
        self._stop_looking()
        wanted = None if orbit is None or element is None else (orbit, element)
        if wanted in (None, self.hits.limited_to) or self._running or self.hits.total <= FEW:
            self._limit(wanted)
            return
        assert wanted is not None
        self._looking = wanted
        look = self.hits.looking(wanted)
        self._jobs.run(
            lambda _token, _sink: look(),
            lambda found: self._limit(wanted, found),
            self._fail_looking,
            name=_LIMITING,
        )
        self._show_limit()

    def _limit(self, wanted: hits_model.Element | None, found: hits_model.Limited | None = None) -> None:
        self._looking = None
        kept = self.hits.hit(self.table.row)
        self.hits.limit(wanted, found)
        if kept is not None:
            self.table.go_to(self.hits.row_of(kept[0], kept[1].positionid))
        self._show_limit()
        self._say()
        self._arrange()
        if wanted is not None:
            self.limited.emit()

    def _arrange(self, *, wished: bool = False) -> None:
        """Arrange the rows as the user wants them. If there are many hits, a job does it, and the old rows
        are shown until the job ends. `wished` says whether the user has just asked for it."""
        self._stop_arranging()
        wish, base, result = self.arrange.wish, self._base, self._result
        self._show_sort()
        if wish.is_plain or base is None or result is None or self._running:
            self._take_arranged(None, wished=wished)
            return
        make = self.hits.arranger(base, result)
        slow = any(key.sort in (Sort.VALUE, Sort.COMMENT) for key in wish.sorts) or result.variations
        if self.hits.total <= FEW and not slow:
            try:
                self._take_arranged(make(kind=wish.rows, sorts=wish.sorts), wished=wished)
            except errors.CqlguiError as error:
                self._fail_arranging(error)
            return
        self._arranging = True
        self._say()
        self._jobs.run(
            lambda token, _sink: make(kind=wish.rows, sorts=wish.sorts, cancel=token),
            functools.partial(self._take_arranged, wished=wished),
            self._fail_arranging,
            name=_ARRANGING,
        )

    def _prepare(self) -> None:
        """Make the sort keys of the values and comments that are shown, unless this takes long. It takes
        about as long as the search, because most searches keep no texts."""
        base, result = self._base, self._result
        if base is None or result is None or self.hits.total < PREPARED or not self.hits.has_values:
            return
        keys = self.hits.text_keys(base, result)
        if keys is self._prepared or result.seconds > PREPARED_SECONDS:
            return
        self._prepared = keys
        shown = ((hits_model.VALUE, Sort.VALUE), (hits_model.COMMENT, Sort.COMMENT))
        sorts = [sort for column, sort in shown if not self.table.isColumnHidden(column)]
        self._jobs.run(
            lambda token, _sink: [keys.of(sort, token) for sort in sorts],
            # The user is told when the rows are sorted.
            on_failed=lambda _error: None,
            name=_PREPARING,
        )

    def _take_arranged(self, arranged: Arrangement | None, *, wished: bool = False) -> None:
        self._arranging = False
        if arranged is not self.hits.arranged:
            kept = self.hits.hit(self.table.row)
            self.hits.arrange(arranged)
            if kept is not None:
                # The row of this hit stays current. A signal of the table would take the board back to the
                # hit, although the user may have moved on in the game.
                with QSignalBlocker(self.table):
                    self.table.go_to(self.hits.row_of(kept[0], kept[1].positionid))
            self.arranged.emit(wished)
        self._say()

    def _fail_arranging(self, error: errors.CqlguiError) -> None:
        self.arrange.set_wish(arrange.Wish())
        self._show_sort()
        self._take_arranged(None)
        if not isinstance(error, errors.Cancelled):
            self._jobs.failed.emit(str(error))

    def _stop_arranging(self) -> None:
        self._arranging = False
        self._jobs.cancel(_ARRANGING, drop=True)

    def _picture(self, row: int) -> str:
        """The position of a row as a picture in rich text; empty while it is being fetched."""
        fen, squares = self.hits.pictured(row)
        return miniature.markup(fen, squares, self.devicePixelRatioF()) if fen else ""

    def _show_sort(self) -> None:
        """Show in the titles by which columns the rows are sorted."""
        head, sorts = self.table.horizontalHeader(), self.arrange.wish.sorts
        first = sorts[0] if sorts else None
        columns = [
            column for column, sort in hits_model.SORTS.items() if first is not None and sort is first.sort
        ]
        head.setSortIndicatorShown(bool(columns))
        if first is not None and columns:
            view.show_arrow(head, columns[0], descending=first.descending)
        self.hits.show_sorts(sorts)

    def _sort_by(self, column: int) -> None:
        held = QGuiApplication.keyboardModifiers() & Qt.KeyboardModifier.ShiftModifier
        self.arrange.sort_by(column, more=bool(held))
        # Qt shows its arrow in the title that was clicked, also if rows cannot be sorted by this column.
        self._show_sort()

    def _stop_looking(self) -> None:
        self._looking = None
        self._jobs.cancel(_LIMITING, drop=True)

    def _fail_looking(self, error: errors.CqlguiError) -> None:
        self._stop_looking()
        self._show_limit()
        self._jobs.failed.emit(str(error))

    def hit_at(self, row: int) -> hit_model.Hit:
        """The hit of a row; raises `IndexError` if the row does not exist."""
        found = self.hits.hit(row)
        if found is None:
            raise IndexError(f"there is no hit in row {row}")
        return found[1]

    def current(self) -> hit_model.Hit | None:
        """The hit of the current row."""
        found = self.hits.hit(self.table.row)
        return None if found is None else found[1]

    def select_row(self, row: int) -> bool:
        """Make a row current and scroll to it. Returns False if the row does not exist."""
        return self.table.go_to(row)

    def land(self, row: int) -> bool:
        """Make a row current although the user has not chosen it. The row stays current until the user
        chooses a hit. The row may get another hit at the end of the search: if the query sorts its hits,
        their order is known only then. Returns False if the row does not exist."""
        self._landing = row
        if not self.table.go_to(row):
            self._landing = None
        return self._landing is not None

    def is_current(self, game: int, positionid: int) -> bool:
        """Whether the hit at this position is the hit of the current row."""
        found = self.hits.hit(self.table.row)
        return found is not None and (found[0], found[1].positionid) == (game, positionid)

    def choose(self) -> None:
        """The user has chosen the current hit, so this hit stays current even if the order of the hits
        changes."""
        self._landing = None

    def next_hit(self, step: int) -> bool:
        """Go to the next (1) or previous (-1) hit in the order of the table. Returns False if there is no hit
        to go to."""
        row = self.table.row
        if row < 0:
            return self.table.go_to(0 if step > 0 else self.count - 1)
        return self.table.go_to(row + step)

    def show_hit(self, game: int, positionid: int) -> None:
        """Make the row of a hit current, if the hit is shown. So F3 continues from the user's place in the
        game."""
        row = self.hits.row_of(game, positionid)
        if row not in (-1, self.table.row):
            self.table.go_to(row)

    def position_text(self, game: int, positionid: int) -> str:
        """The number of a hit among all hits shown: `hit 3 of 199`. The text is empty for a position that is
        not among these hits."""
        row = self.hits.row_of(game, positionid)
        if row < 0:
            return ""
        words = f"{self._row_word()} {wording.number(row + 1)} of {wording.number(self.count)}"
        return " ".join(filter(None, (words, self._earlier)))

    def _row_word(self) -> str:
        """What a row is, in one word."""
        arranged = self.hits.arranged
        kind = Rows.HITS if arranged is None else arranged.kind
        return {Rows.HITS: "hit", Rows.SPANS: "run", Rows.GAMES: "game"}[kind]

    def selected_games(self) -> list[int]:
        """The games of the selected rows, in the order of the table. Each game is listed once."""
        return self.hits.games_in(self.table.stretches())

    def columns(self) -> QByteArray:
        """Which columns are shown, where and how wide, for `restore_columns`."""
        # If the query has no values, the panel has hidden the column of values. The user has not hidden this
        # column, so the column is saved as shown.
        self._hide_values(False)
        state = self.table.horizontalHeader().saveState()
        self._show_values()
        return state

    def restore_columns(self, state: QByteArray) -> None:
        """Put the columns back as they were; a damaged state changes nothing."""
        self._hide_values(False)
        self.table.horizontalHeader().restoreState(state)
        self._show_values()

    # --- within ---

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(8, 3, 6, 0)
        head.setSpacing(10)
        head.addWidget(self._bar)
        head.addWidget(self._summary)
        head.addWidget(self._detail, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        chips = QHBoxLayout()
        chips.setContentsMargins(8, 0, 6, 4)
        for chip in (self._scope, self._narrowed, self._chip):
            chips.addWidget(chip)
        chips.addStretch(1)
        # The row of chips is a widget. This widget is hidden while there is no chip, so that it takes no
        # room.
        self._chips = QWidget(self)
        self._chips.setLayout(chips)
        column.addLayout(head)
        below = QHBoxLayout()
        below.setContentsMargins(6, 1, 6, 2)
        below.setSpacing(2)
        below.addWidget(self.line, 1)
        for button in (self.arrange, self.narrow, self._export):
            below.addWidget(button)
        column.addLayout(below)
        column.addWidget(self._line_fault)
        column.addWidget(self._chips)
        column.addWidget(self.table, 1)
        self.setFocusProxy(self.table)

    def _connect(self) -> None:
        self.table.chosen.connect(self._open)
        self.arrange.wished.connect(lambda _wish: self._arrange(wished=True))
        self.table.horizontalHeader().sectionClicked.connect(self._sort_by)
        self.table.moved.connect(self._moved)
        # A click on the current row does not emit `moved`, but the user chooses the row with the click.
        self.table.clicked.connect(lambda _index: self.choose())
        self._export.clicked.connect(self.export_requested)
        self._chip.clicked.connect(self._remove_limit)
        self._narrowed.clicked.connect(self.narrowing_removed)
        keys.UndoKey(self, self._narrowed.isVisible, self.narrowing_removed.emit)
        self._scope.clicked.connect(self.scope_removed)
        self.hits.released.connect(self._released)
        self.hits.told.connect(lambda _games: self._show_values())
        theme.theme().changed.connect(self._dress)

    def _dress(self) -> None:
        colours = theme.colours()
        self._export.setIcon(icons.icon("export"))
        self._detail.setStyleSheet(f"color: {colours.muted};")
        self._line_fault.setStyleSheet(f"color: {colours.error};")
        self._summary.setStyleSheet(f"color: {colours.muted if self._earlier else colours.text};")
        self.narrow.setIcon(icons.icon("narrow"))
        self.arrange.setIcon(icons.icon("rows"))
        for chip in (self._chip, self._narrowed, self._scope):
            chip.setStyleSheet(
                f"QPushButton#chip {{ background: {colours.selection}; color: {colours.selection_text};"
                f" border: 1px solid {colours.accent}; border-radius: 10px; padding: 2px 10px; }}"
            )

    def _open(self, row: int) -> None:
        found = self.hits.hit(row)
        if found is not None:
            self.opened.emit(found[0], found[1].positionid, row)

    def _moved(self, row: int) -> None:
        if row != self._landing:
            self.choose()
        self.hits.see(row)
        self.current_changed.emit(row)

    def _remove_limit(self) -> None:
        self.limit(None)
        self.limit_removed.emit()

    def _show_limit(self) -> None:
        limited = self._looking or self.hits.limited_to
        self._chip.setVisible(limited is not None)
        self._show_chips()
        if limited is not None:
            element = self.hits.element_at(limited)
            words = (element.words or element.transform) if element else f"element {limited[1] + 1}"
            self._chip.say(f"{'looking for' if self._looking else 'only'}: {words}")
            self._chip.setAccessibleName(f"Hits are limited to: {words}. Press to show all.")

    def tell_narrowing(self, words: str) -> None:
        """Show `words`, which describe the narrowing. Empty words mean that the whole result is shown."""
        self._narrowed.setVisible(bool(words))
        self._show_chips()
        self._narrowing = words.replace("&&", "&")
        self._narrowed.say(self._narrowing)
        self.table.set_empty(self._empty_words())
        self._narrowed.setAccessibleName(f"Hits are narrowed to: {words}. Press to show all.")
        self.narrowing_told.emit(self._narrowing)

    def tell_line(self, fault: str) -> None:
        """Say why the line of games cannot be applied. An empty text means that it is applied or empty."""
        self._line_fault.setText(fault)
        self._line_fault.setVisible(bool(fault))

    def _show_chips(self) -> None:
        chips = (self._scope, self._narrowed, self._chip)
        self._chips.setVisible(any(not chip.isHidden() for chip in chips))

    def tell_scope(self, games: int) -> None:
        """Say how many games the searches are limited to. A number below 0 means that searches are not
        limited."""
        self._scope.setVisible(games >= 0)
        self._show_chips()
        self._scope.say(f"in {wording.games(games)}")
        self._scope.setAccessibleName(f"Searches keep to {wording.games(games)}. Press to search in all.")

    def _show_values(self) -> None:
        """Hide the column of values if there are hits but no hit has a value. In all other cases, show the
        column. A column that the user hid stays hidden."""
        self._hide_values(self.hits.hits > 0 and not self.hits.has_values)
        self._prepare()

    def _hide_values(self, hide: bool) -> None:
        if hide == self._values_hidden or (hide and self.table.isColumnHidden(hits_model.VALUE)):
            return
        self._values_hidden = hide
        self.table.setColumnHidden(hits_model.VALUE, hide)

    def _end(self) -> None:
        self._running = False
        self._bar.hide()
        self._show_limit()
        self._say()

    def _say(self) -> None:
        self._export.setEnabled(self._exportable)
        self.table.set_empty(self._empty_words())
        words = f"{wording.hits(self.hits.hits)} in {wording.games(self.hits.games)}"
        if self.hits.rows != self.hits.hits:
            words = f"{wording.number(self.hits.rows)} {self._row_word()}s of {words}"
        if self._arranging:
            words += ", sorting …"
        elif self.arrange.wish.sorts and self.hits.hits:
            # Rows of two lines have no titles that show it.
            words += f", {self.arrange.wish.words}"
        if self._earlier and (self.hits.hits or self._ended):
            words += f", {self._earlier}"
        none_yet = self._result is None and not (self._running or self._ended or self.hits.hits)
        self._summary.say("No search yet" if none_yet else words)
        if not self._running:
            self._say_course()
            return
        seconds = time.monotonic() - self._started
        parts = [f"{wording.number(self._searched)} of {wording.games(self._total)}"]
        parts += filter(None, (self._place,))
        # In the first moments the rate varies too much, so it is not shown.
        if self._searched and seconds > 0.5:
            rate = self._searched / seconds
            left = max(0, self._total - self._searched) / rate
            parts += [f"{wording.number(round(rate))} games/s", f"{wording.duration(left)} left"]
        self._detail.say(" · ".join(parts))

    def _empty_words(self) -> str:
        """The words for a table without rows."""
        if self._running or self._result is None:
            return ""
        if self._narrowing:
            return f"None of the hits fits: {self._narrowing}"
        if self._result.order:
            return ""
        if self._result.cancelled or self._result.stopped is not None:
            return "The search was stopped before it found a hit."
        return "No position of these games matches the query."

    def _say_course(self) -> None:
        """Say how the search ended, or that another search waits."""
        tip = ""
        if self._messages or self._kept:
            # The tool tip has the first messages and variables of the query. The terminal and `--json` show
            # all messages and variables.
            whole = [f"{one.name}: {one.text}" for one in self._kept]
            whole += [message.text for message in self._messages]
            said = whole[:SHOWN_MESSAGES]
            rest = len(whole) - len(said)
            tip = "\n".join([*said, f"and {rest:,} more"] if rest else said)
        self._detail.say(self._waits or self._ended, "" if self._waits else tip)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # In a narrow panel the words about the search need the room. So the buttons have icons without words.
        narrow = event.size().width() < view.NARROW
        style = (
            Qt.ToolButtonStyle.ToolButtonIconOnly if narrow else Qt.ToolButtonStyle.ToolButtonTextBesideIcon
        )
        for button in (self.arrange, self.narrow, self._export):
            button.setToolButtonStyle(style)


def _course(result: search_model.SearchResult, total: int) -> str:
    """How far a search came in a base of `total` games, and how many games it had to leave out."""
    took = wording.duration(result.seconds)
    gone_through, failed = wording.games(result.games_searched), len(result.failed_games)
    if result.cancelled or result.stopped is not None:
        words = f"stopped after {gone_through} of {wording.number(total)}, {took}"
        return f"{words} · {wording.number(failed)} of them could not be searched" if failed else words
    if not failed:
        return f"{gone_through} in {took}"
    searched = wording.number(result.games_searched - failed)
    return f"{searched} of {gone_through} searched in {took} · {wording.number(failed)} could not be searched"

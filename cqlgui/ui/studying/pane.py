"""The pane of studies: many queries over several bases as one table, with examples."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QFont, QGuiApplication, QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QMenu,
    QMessageBox,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QStyle,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from cqlgui.base.files import disk
from cqlgui.tasks.results import base_model
from cqlgui.tasks.studies import study, study_bases, study_counts, study_table, study_text
from cqlgui.ui.look import bars, fitting, infobar, labels, naming, room, wording
from cqlgui.ui.loop import jobs
from cqlgui.ui.studying import details, model, notice, state, welcome
from cqlgui.ui.tables import view

WIDE: Final = 760
"""From this width in pixels on, the examples are beside the table, and below it otherwise."""
_TABLE_PARTS, _DETAIL_PARTS = 620, 380
"""How the table and the examples divide the room."""
_NARROWEST_QUERY: Final = 120
_SHARE_OF_QUERIES: Final = 0.4
"""The queries have at most this share of the table, unless the other columns leave more room."""
_WIDEST_BASE: Final = 140
_MOST_RECENT: Final = 8
_STUDIES: Final = f"Studies (*{study_text.ENDING});;All files (*)"
_FORMATS: Final = {
    ".csv": "CSV table (*.csv)",
    ".html": "HTML page with examples (*.html)",
    ".parquet": "Parquet table (*.parquet)",
    ".json": "JSON with examples (*.json)",
}
_REPLACE: Final = "A file with this name and the ending of the format is there already. Replace it?"
_RESUME: Final = "Search only what is not known from an earlier run, or has changed since"
_NO_EARLIER: Final = "There is no earlier run to go on from"
_YES, _NO = QMessageBox.StandardButton.Yes, QMessageBox.StandardButton.No


class StudiesPane(QWidget):
    """Runs a study and shows its table.

    `example_wanted` carries the ordinal of a game of the open base, and a positionid. `theme_wanted` carries
    the text of a query, its title, and the line of games that the search is for (empty for all games).
    `games_wanted` carries the paths of a base that is to be opened. `told` carries a sentence about something
    that was done. `shown` is emitted when a study was opened and is to be seen.
    """

    example_wanted = Signal(int, int)
    theme_wanted = Signal(str, str, str)
    games_wanted = Signal(object)
    told = Signal(str)
    shown = Signal()

    def __init__(self, door: jobs.Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Studies")
        self.runner = state.Runner(door, self)
        self.recent: tuple[Path, ...] = ()
        """The studies that were opened lately, the newest first."""
        self.folder = ""
        """The folder where dialogs begin."""
        # What waits for a base to be opened: the name of the base in the table, and what to do then.
        self._waiting: tuple[str, Callable[[base_model.Base], None]] | None = None
        # The columns that the user has made narrower or wider, and whether the pane sets the widths just now.
        self._resized: set[int] = set()
        self._fitting = False
        self._make_parts()
        self._lay_out()
        self._connect()
        self._set_columns()
        self._show()

    # --- parts ---------------------------------------------------------------------------------------------

    def _make_parts(self) -> None:
        self.welcome = welcome.Welcome(self)
        self._title = labels.ElidedLabel("", self, fills=True)
        font = QFont(self._title.font())
        font.setWeight(QFont.Weight.DemiBold)
        self._title.setFont(font)
        self._title.setAccessibleName("Study")
        self._open = _menu_button("Open", "Open another study", self)
        self._open_menu = QMenu(self._open)
        self._open_menu.aboutToShow.connect(self._fill_open)
        self._open.setMenu(self._open_menu)
        self.save_button = _menu_button("Save", "Save or copy the table", self)
        menu = QMenu(self.save_button)
        menu.addAction("&Save table…", self.ask_save)
        menu.addAction("&Copy table", self.copy_table)
        self.save_button.setMenu(menu)
        self.bases = labels.Chooser(self)
        self.bases.setAccessibleName("Bases to search")
        self.bases.setToolTip("The bases that the study searches")
        self.bases.setMinimumContentsLength(8)
        self.bases.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.start = QPushButton("Run", self)
        self.start.setProperty("primary", True)
        self.start.setToolTip("Search with all queries of the study, as the file is now")
        self.resume = QPushButton("Resume", self)
        self.cancel = QPushButton("Cancel", self)
        self.cancel.setToolTip("Stop the study. What is done is kept")
        self.notice = notice.Notice(self)
        self.model = model.StudyModel(self)
        self.table = view.TableView("Table of the study", self)
        self.table.set_form(view.Form.COLUMNS)
        self.table.setModel(self.model)
        head = self.table.horizontalHeader()
        head.setStretchLastSection(False)
        head.setSectionsClickable(True)
        head.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        head.setSortIndicatorClearable(True)
        self.details = details.Details(self)
        self._summary = labels.ElidedLabel("", self, fills=True)
        self._summary.setAccessibleName("State of the study")
        self.bar = bars.Bar(120, self)
        self.setFocusProxy(self.table)

    def _lay_out(self) -> None:
        self._splitter = QSplitter(Qt.Orientation.Vertical, self)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.addWidget(self.table)
        self._splitter.addWidget(self.details)
        self._splitter.setStretchFactor(0, _TABLE_PARTS)
        self._splitter.setStretchFactor(1, _DETAIL_PARTS)
        self._splitter.setSizes([_TABLE_PARTS, _DETAIL_PARTS])
        head = QHBoxLayout()
        head.addWidget(self._title, 1)
        head.addWidget(self._open)
        head.addWidget(self.save_button)
        second = QHBoxLayout()
        second.addWidget(self.bases, 1)
        for button in (self.resume, self.start, self.cancel):
            second.addWidget(button)
        foot = QHBoxLayout()
        foot.addWidget(self._summary, 1)
        foot.addWidget(self.bar)
        whole = QWidget(self)
        inner = QVBoxLayout(whole)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(6)
        inner.addLayout(head)
        inner.addLayout(second)
        inner.addWidget(self._splitter, 1)
        inner.addLayout(foot)
        self._pages = QStackedWidget(self)
        self._pages.addWidget(self.welcome)
        self._pages.addWidget(whole)
        content = QWidget(self)
        column = QVBoxLayout(content)
        column.setContentsMargins(8, 6, 8, 6)
        column.setSpacing(6)
        column.addWidget(self.notice)
        column.addWidget(self._pages, 1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(room.Room(content, self))

    def _connect(self) -> None:
        runner = self.runner
        runner.listed.connect(self._list)
        runner.happened.connect(self._follow)
        runner.changed.connect(self._show)
        runner.progressed.connect(self._progress)
        runner.opened.connect(self._opened)
        runner.told.connect(self.told)
        runner.failed.connect(self._fail)
        runner.warned.connect(lambda words: self.notice.say(words, infobar.WARNING))
        self.welcome.open_wanted.connect(self.ask_open)
        self.welcome.example_wanted.connect(self.ask_example)
        self.welcome.chosen.connect(self.open)
        self.bases.activated.connect(
            lambda row: runner.choose_bases(open_base=bool(self.bases.itemData(row)))
        )
        self.start.clicked.connect(lambda: self._run(resume=False))
        self.resume.clicked.connect(lambda: self._run(resume=True))
        self.cancel.clicked.connect(runner.cancel)
        self.table.moved.connect(lambda _row: self._show_row())
        self.table.chosen.connect(self._open_first)
        self.details.opened.connect(self._open_example)
        self.details.theme_wanted.connect(self._search_theme)
        copy = QShortcut(QKeySequence(QKeySequence.StandardKey.Copy), self.table)
        copy.setContext(Qt.ShortcutContext.WidgetShortcut)
        copy.activated.connect(self.copy_rows)

    def _set_columns(self) -> None:
        self.table.set_widths([_NARROWEST_QUERY] * len(model.HEADS))
        self.table.setSortingEnabled(True)
        self.table.horizontalHeader().sectionResized.connect(self._column_resized)
        self.table.columns_reset.connect(self._forget_widths)
        self.table.viewport().installEventFilter(self)
        self._fit_columns()

    # --- studies -------------------------------------------------------------------------------------------

    def open(self, path: Path) -> None:
        """Open a study. A study that cannot be read is named in a message, and the study shown stays."""
        self.notice.clear()
        self.runner.open(path)

    def ask_open(self) -> None:
        """Ask for the file of a study, and open it."""
        fitting.fit_next()
        name, _ = QFileDialog.getOpenFileName(self, "Open study", self.folder, _STUDIES)
        if name:
            self.open(Path(name))

    def ask_example(self) -> None:
        """Ask for a name, and save an example of a study."""
        start = str(Path(self.folder) / f"study{study_text.ENDING}")
        path = self._asked_path("Save an example study", start, [_STUDIES.split(";;")[0]])
        if path is not None:
            self.notice.clear()
            self.runner.save_example(path)

    def set_recent(self, paths: Sequence[Path]) -> None:
        """Set the studies that were opened lately."""
        self.recent = tuple(paths)[:_MOST_RECENT]
        self.welcome.set_recent(self.recent)

    def set_base(self, base: base_model.Base | None) -> None:
        """Tell which base is open in the window; None if none is open or it is not read whole."""
        self.runner.set_base(base)
        if base is None or self._waiting is None:
            return
        (name, does), self._waiting = self._waiting, None
        place = self.runner.places.get(name)
        if place is None:
            return
        if _is_same(base, place.base.base):
            does(base)
        elif set(_files(base)) == set(_files(place.base.base)):
            words = f"{name} has changed since the study ran. Run the study again."
            self.notice.say(words, infobar.WARNING, ("Run again", lambda: self._run(resume=True)))

    def _opened(self, path: Path) -> None:
        self.notice.clear()
        self.folder = str(path.parent)
        self.set_recent([path, *[one for one in self.recent if one != path]])
        self.shown.emit()

    def _run(self, *, resume: bool) -> None:
        self.notice.clear()
        self._waiting = None
        self.runner.run(resume=resume)

    def _fail(self, words: str) -> None:
        path = self.runner.study.path if self.runner.study is not None else None
        # The name of the file is enough where the pane is narrow. The whole path is in the tool tip.
        short = words
        for folder in {str(path.parent) if path else "", self.folder}:
            if folder:
                short = short.replace(f"{folder}/", "")
        self.notice.say(short, infobar.ERROR, tip=words)

    def _fill_open(self) -> None:
        self._open_menu.clear()
        self._open_menu.addAction("&Open study…", self.ask_open)
        self._open_menu.addAction("Save an &example study…", self.ask_example)
        shipped = study_text.shipped().values()
        for group in ([one for one in self.recent if one not in shipped], shipped):
            self._open_menu.addSeparator()
            for path in group:
                name = path.stem.capitalize() if path in shipped else path.name
                action = self._open_menu.addAction(naming.shortened(name).replace("&", "&&"))
                action.setToolTip(wording.plain_tip(str(path)))
                action.triggered.connect(lambda _checked=False, path=path: self.open(path))

    # --- what is shown -------------------------------------------------------------------------------------

    def _list(self) -> None:
        """Show the rows of another study, or those of a run that begins."""
        asked = self.runner.study
        assert asked is not None
        row = self.model.rows[self.table.row] if 0 <= self.table.row < len(self.model.rows) else None
        self.model.begin([one.name for one in asked.questions], self.runner.names)
        if row is not None:
            self.table.go_to(self.model.row_of(row.query, row.base))
        grouped = asked.elo is not None or asked.years is not None
        self.table.setColumnHidden(model.BAND, not grouped)
        self.table.setColumnHidden(model.BASE, len(self.runner.names) < 2)
        self._fit_columns()
        self._show_row()

    def _follow(self, told: Sequence[object]) -> None:
        """Show what a run has told."""
        for one in told:
            if isinstance(one, state.Searching):
                self.model.search(one.query, one.base)
            elif isinstance(one, study.Part):
                self.model.put(one)
            elif isinstance(one, study.Fault):
                if one.fatal:
                    self.model.fail(one.query, one.base)
                else:
                    self.notice.say(one.message, infobar.WARNING)
        self._fit_columns()
        if self.table.row < 0 and self.model.row_searched() >= 0:
            # Until the user chooses a row, the table follows the search.
            self.table.scrollTo(self.model.index(self.model.row_searched(), model.QUERY))
        self._show_row()

    def _show(self) -> None:
        """Show the state of the study: the buttons and the words."""
        runner = self.runner
        if not runner.running:
            self.model.stop()
        had = self.focusWidget() in (self.start, self.resume, self.cancel)
        self._pages.setCurrentIndex(0 if runner.study is None else 1)
        for button in (self.start, self.resume):
            button.setVisible(not runner.running)
        self.cancel.setVisible(runner.running)
        self.start.setEnabled(runner.runnable)
        self.resume.setEnabled(runner.runnable and runner.known > 0)
        tip = _RESUME if runner.known else _NO_EARLIER
        self.resume.setToolTip(wording.plain_tip(tip))
        if had:
            (self.cancel if runner.running else self.start).setFocus()
        self.save_button.setEnabled(runner.report is not None and bool(runner.parts))
        self._open.setEnabled(not runner.running)
        self.bar.setVisible(runner.running)
        if runner.running:
            self.bar.say(0, 0)
        self._show_bases()
        if runner.study is not None:
            self._title.say(runner.study.title, f"{runner.study.title}\n{runner.study.path}")
            self._summary.say(self._words())
        self._show_row()

    def _show_bases(self) -> None:
        runner = self.runner
        own = runner.study.bases if runner.study is not None else ()
        with QSignalBlocker(self.bases):
            self.bases.clear()
            if own:
                words = naming.title(own) if len(own) == 1 else wording.counted(len(own), "base", "bases")
                self.bases.addItem(f"In the study's {words}" if len(own) > 1 else f"In {words}", False)
            if runner.open_base is not None:
                self.bases.addItem(f"In the open games: {naming.shortened(runner.open_name)}", True)
            elif not own:
                self.bases.addItem("No games are open", True)
            self.bases.setCurrentIndex(self.bases.findData(runner.uses_open_base))
        self.bases.setEnabled(not runner.running and self.bases.count() > 1)

    def _words(self) -> str:
        runner = self.runner
        if runner.phase is state.Phase.RUNNING:
            return "Opening the bases…"
        report = runner.report
        if report is None:
            assert runner.study is not None
            queries = wording.counted(len(runner.study.questions), "query", "queries")
            if not runner.runnable:
                return f"{queries} · open games to search (Ctrl+O)"
            earlier = " · an earlier run is kept" if runner.known else ""
            return f"{queries}, {wording.counted(len(runner.names), 'base', 'bases')}{earlier}"
        done = wording.counted(report.wanted, "search", "searches")
        if report.cancelled:
            on = " Resume goes on from here." if runner.known else ""
            return f"Stopped: {len(report.parts):,} of {done} done.{on}"
        parts = [f"{done} in {wording.duration(report.seconds)}"]
        if len(runner.names) == 1:
            # The column of bases is hidden, and other games may have been opened since.
            parts.insert(0, naming.shortened(runner.names[0]))
        if report.again:
            parts.append(f"{report.again:,} known before")
        failed = report.wanted - len(report.parts)
        if failed:
            parts.append(f"{failed:,} failed")
        return " · ".join(parts)

    def _progress(self, done: int, total: int, words: str) -> None:
        if self.runner.running:
            self.bar.say(done, total)
            self._summary.say(words)

    def _show_row(self) -> None:
        """Show what belongs to the current row."""
        row = self.model.rows[self.table.row] if 0 <= self.table.row < len(self.model.rows) else None
        if row is None:
            words = "Choose a row to see its examples." if self.runner.parts else ""
            self.details.show_row("", (), (), words, searchable=False)
            return
        part = self.runner.parts.get((row.query, row.base))
        faults = [one.message for one in self.runner.faults_of(row.query, row.base) if one.fatal]
        asked = self.runner.question(row.query)
        samples = part.found.samples if part is not None else ()
        several = len(self.runner.names) > 1
        self.details.show_row(
            f"{row.query} in {row.base}" if several else row.query,
            samples,
            faults,
            self._lack(part, asked),
            searchable=asked is not None and not asked.fault,
        )

    def _lack(self, part: study.Part | None, asked: study_text.Question | None) -> str:
        """Why there are no examples."""
        if part is None:
            return "Not searched yet."
        if not part.found.counts[0].searched and asked is not None and asked.games:
            return f"No game fits {wording.straight(asked.games)}."
        if not part.found.counts[0].games:
            return "No game matches."
        return "The study asks for no examples. `samples = 3` in its file asks for three of each row."

    def _fit_columns(self) -> None:
        """Make the columns as wide as their texts. The queries also get the rest of the room. Columns that
        the user has resized stay as they are."""
        metrics, head = self.table.fontMetrics(), self.table.horizontalHeader()
        arrow = self.style().pixelMetric(QStyle.PixelMetric.PM_HeaderMarkSize)
        edges = 2 * view.PADDING + 2
        wanted: dict[int, int] = {}
        for column in range(1, len(model.HEADS)):
            if head.isSectionHidden(column):
                continue
            texts = (self.model.texts(row, (column,))[0] for row in range(self.model.rowCount()))
            longest = max(texts, key=len, default="")
            # The arrow of a sorted column has room beside the title.
            title = metrics.horizontalAdvance(model.HEADS[column]) + arrow
            width = max(title, metrics.horizontalAdvance(longest)) + edges
            if column == model.BASE:
                width = min(width, _WIDEST_BASE)
            wanted[column] = head.sectionSize(column) if column in self._resized else width
        names = {model.SEARCHING + wording.straight(row.query) for row in self.model.rows}
        longest_name = max(map(metrics.horizontalAdvance, names), default=0) + edges
        room = self.table.viewport().width()
        # A longer name is cut, and its tooltip has the whole name.
        width = min(longest_name, int(room * _SHARE_OF_QUERIES))
        wanted[model.QUERY] = max(_NARROWEST_QUERY, width, room - sum(wanted.values()))
        self._fitting = True
        for column, width in wanted.items():
            if column not in self._resized and head.sectionSize(column) != width:
                self.table.setColumnWidth(column, width)
        self._fitting = False

    def _column_resized(self, column: int, before: int, now: int) -> None:
        # A column that is hidden or shown again has a width of 0 before or now.
        if before and now and not self._fitting:
            self._resized.add(column)

    def _forget_widths(self) -> None:
        """Fit all columns again, because the user wants the usual columns."""
        self._resized.clear()
        self._fit_columns()

    # --- what the user does --------------------------------------------------------------------------------

    def copy_rows(self) -> None:
        """Copy the selected rows to the clipboard, with tabs between the cells."""
        chosen = [self.model.rows[row].values for row in self.table.selected()]
        self._copy([one for one in chosen if one is not None])

    def copy_table(self) -> None:
        """Copy all rows to the clipboard, in the order shown."""
        self._copy(self.model.known)

    def _copy(self, rows: Sequence[model.Values]) -> None:
        if rows:
            QGuiApplication.clipboard().setText(study_table.tabbed(rows))
            self.told.emit(f"{wording.counted(len(rows), 'row', 'rows')} copied")

    def ask_save(self) -> None:
        """Ask for a name, and save the table."""
        asked = self.runner.study
        if self.runner.report is None or asked is None:
            return
        formats = [
            words
            for ending, words in _FORMATS.items()
            if ending != ".parquet" or importlib.util.find_spec("pyarrow") is not None
        ]
        start = str(Path(self.folder) / f"{asked.path.stem}.csv")
        path = self._asked_path("Save table", start, formats)
        if path is not None:
            self.runner.save(path)

    def _asked_path(self, title: str, start: str, formats: Sequence[str]) -> Path | None:
        """Ask for a file to write. A name without an ending gets that of the format that was chosen."""
        fitting.fit_next()
        name, chosen = QFileDialog.getSaveFileName(self, title, start, ";;".join(formats))
        if not name:
            return None
        path = Path(name)
        if not path.suffix:
            ending = f".{chosen.rpartition('*.')[2].rstrip(')')}"
            path = path.with_suffix(ending)
            # The dialog has asked about the name without the ending only.
            there = disk.is_file(path)
            if there and QMessageBox.question(self, "Replace", _REPLACE, defaultButton=_NO) != _YES:
                return None
        return path

    def _open_first(self, row: int) -> None:
        """Show the first example of a row."""
        part = self.runner.parts.get((self.model.rows[row].query, self.model.rows[row].base))
        if part is not None and part.found.samples:
            self._open_example(part.found.samples[0])

    def _open_example(self, sample: study_counts.Sample) -> None:
        name = self.model.rows[self.table.row].base

        def show(base: base_model.Base) -> None:
            game = study_bases.game_in(base, sample, self.runner.places[name].base.base)
            if game is not None:
                self.example_wanted.emit(game, sample.positionid)

        opened, place = self.runner.open_base, self.runner.places.get(name)
        if place is None:
            return
        if opened is not None and study_bases.game_in(opened, sample, place.base.base) is not None:
            show(opened)
        else:
            self._open_base_first(name, "Open {name}", show)

    def _search_theme(self) -> None:
        """Search the base of the current row with its query."""
        row = self.model.rows[self.table.row]
        asked = self.runner.question(row.query)
        if asked is None:
            return

        def search(_base: base_model.Base) -> None:
            self.theme_wanted.emit(asked.alone, asked.name, asked.games)

        opened, place = self.runner.open_base, self.runner.places.get(row.base)
        if opened is not None and (place is None or _is_same(opened, place.base.base)):
            # Without a run the bases of the study are not known, and the open games are searched.
            search(opened)
        elif place is not None:
            self._open_base_first(row.base, "Open {name} and search", search)
        else:
            self.notice.say("Open games to search them with this query (Ctrl+O).", infobar.INFO)

    def _open_base_first(self, name: str, words: str, does: Callable[[base_model.Base], None]) -> None:
        """Open a base of the study and do something then. If other games are open, ask before, because their
        hits would go."""
        place = self.runner.places[name]

        def begin() -> None:
            self._waiting = name, does
            self.games_wanted.emit(list(place.files))

        if self.runner.open_base is None:
            begin()
            return
        title = words.format(name=name)
        self.notice.say(f"{name} is not the open base.", infobar.INFO, (title, begin))

    # --- Qt ------------------------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        way = Qt.Orientation.Horizontal if self.width() >= WIDE else Qt.Orientation.Vertical
        if self._splitter.orientation() is not way:
            self._splitter.setOrientation(way)
            self._splitter.setSizes([_TABLE_PARTS, _DETAIL_PARTS])

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # The table gets its width later than the pane.
        if isinstance(event, QResizeEvent) and event.size().width() != event.oldSize().width():
            self._fit_columns()
        return super().eventFilter(watched, event)


def _menu_button(title: str, tip: str, parent: QWidget) -> QToolButton:
    button = QToolButton(parent)
    button.setText(f"{title} ▾")
    # Qt would draw its own arrow over the text.
    button.setStyleSheet("QToolButton::menu-indicator { image: none; }")
    button.setToolTip(wording.plain_tip(tip))
    button.setAccessibleName(tip)
    button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
    return button


def _files(base: base_model.Base) -> list[Path]:
    return [source.path for source in base.sources]


def _is_same(one: base_model.Base, other: base_model.Base) -> bool:
    """Whether two bases have the same games in the same order."""
    return [(source.path, source.digest) for source in one.sources] == [
        (source.path, source.digest) for source in other.sources
    ]

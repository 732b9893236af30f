"""The main window: puts the panels together and wires what one says to what another does.

Left one asks, in the middle one sees, right is what was found. The work is done by `Opener`,
`Searcher`, `Exporter` and `Browser`, which never block; this module knows layout, actions and wiring only.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QSignalBlocker, Qt, QTimer, QUrl
from PySide6.QtGui import (
    QCloseEvent,
    QDesktopServices,
    QDragEnterEvent,
    QDropEvent,
    QGuiApplication,
    QKeyEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QInputDialog,
    QMainWindow,
    QMessageBox,
    QPushButton,
    QTabWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from cqlgui.base import priority
from cqlgui.base.files import disk, resources
from cqlgui.pattern import here as queries_here
from cqlgui.pattern import pictures
from cqlgui.pgn import archives, decoding
from cqlgui.tasks.asking import library, pasting, queries
from cqlgui.tasks.databases import bases, files, history
from cqlgui.tasks.export import exporting
from cqlgui.tasks.processes import pool
from cqlgui.tasks.results import base_model, entry_model, hit_model, search_model
from cqlgui.tasks.results.found import Found
from cqlgui.tasks.search import keeping
from cqlgui.ui.board import notation, painting, stage
from cqlgui.ui.board import widget as board_widget
from cqlgui.ui.editor import panel as editor_panel
from cqlgui.ui.helping import assistance, here
from cqlgui.ui.look import areas, bars, fitting, icons, infobar, labels, naming, theme, wording
from cqlgui.ui.loop import jobs
from cqlgui.ui.panels import bad_games, export_dialog, games, hitbar, hits, start_page, waiting
from cqlgui.ui.picker import examples
from cqlgui.ui.picker import panel as picker_panel
from cqlgui.ui.pointing import controller as pointing
from cqlgui.ui.reference import history as history_pane
from cqlgui.ui.reference import library as library_pane
from cqlgui.ui.state import (
    browser,
    earlier,
    exporter,
    live_search,
    marked,
    narrower,
    opener,
    searcher,
    session,
)
from cqlgui.ui.window import actions, docks, layouts, restoring, rights

WELCOME = "Open a PGN file (Ctrl+O) or drop one here.\nPlain, .gz, .bz2, .zst and .zip files will do."
PGN_FILES = "Chess games (*.pgn *.pgn.gz *.pgn.bz2 *.pgn.zst *.zip *.gz *.bz2 *.zst *.cqlbase);;All files (*)"
CQL_FILES = "CQL queries (*.cql *.cqls);;All files (*)"
SAVED_FILES = "CQL queries (*.cql);;All files (*)"
_YES, _NO = QMessageBox.StandardButton.Yes, QMessageBox.StandardButton.No
_LOST = "The changed query cannot be kept for the next start, and is not saved in a file. Close all the same?"
_REPLACE = "A query with this name and the ending .cql is there already. Replace it?"
_OPENING, _ASKING, _EXPORTING, _KEEPING = "opening", "asking", "exporting", "query file"
_DROPPED, _UNSHOWN, _FOUND, _GAME, _NARROWING, _FAULT = (
    "dropped",
    "unshown",
    "found",
    "game",
    "narrowing",
    "fault",
)
"""Keys of messages: what they are about (see `panels.infobar`)."""


class MainWindow(QMainWindow):
    """The whole program on screen. Call `begin` once after `show`."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("main")
        self.setWindowTitle("cqlgui")
        self.setAcceptDrops(True)
        self.setDockNestingEnabled(True)
        # Every new layout would make an animation for each pane, moved or not.
        self.setAnimated(False)
        self.jobs = jobs.Jobs(self)
        # Whether a turn for painting is asked for.
        self._paints = False
        self.editor = editor_panel.EditorPanel()
        self.library = library_pane.LibraryPane()
        self.history = history_pane.HistoryPane()
        self.picker = picker_panel.PickerPanel()
        self.board = board_widget.BoardWidget(later=self.jobs.turns.ask)
        self.notation = notation.NotationView()
        self.hitbar = hitbar.HitBar()
        self.hits = hits.HitsPanel(self.jobs)
        self.games = games.GamesPanel(self.jobs)
        self.infobar = infobar.InfoBar()
        self.start_page = start_page.StartPage()
        # Whether the user went on to the board without games.
        self._start_left = False
        self.opener = opener.Opener(self.jobs, self)
        self.searcher = searcher.Searcher(self.jobs, self)
        self.live = live_search.LiveSearch(self.jobs, self.searcher, self)
        self.narrower = narrower.Narrower(self.jobs, self.hits.narrow, self)
        self.examples = examples.Examples(self.jobs, self.picker, self)
        self.exporter = exporter.Exporter(self.jobs, self)
        self.browser = browser.Browser(self.jobs, self.board, self.notation, self.hits.hits.shown_of, self)
        self.here_bar = here.HereBar()
        self.here = here.Here(self.jobs, self.browser, self.here_bar, self)
        self.marked = marked.Marked(self.jobs, self)
        self.assistance = assistance.Assistance(self)
        self.pointing = pointing.Controller(self.board, self.editor, self)
        self.rights = rights.Rights(self)
        self.waiting = waiting.Waiting(self.infobar, self)
        self.earlier = earlier.Earlier(self.jobs, self)
        self.base: base_model.Base | None = None
        self.result: search_model.SearchResult | None = None
        self._bad_games: tuple[base_model.BadGame, ...] = ()
        self._bad_dialog: bad_games.BadGamesDialog | None = None
        # What the last session showed: kept until its game is on the board or other games were opened, so
        # that neither an early end nor a file that is away at one start loses it.
        self.unrestored: session.Session | None = None
        self._begun_with = session.Session()
        self._restoring = False
        # Whether files are being opened of which nothing is here yet.
        self._opened_anew = False
        # The query of the last session and the row of its hits that was current.
        self.wanted_row = ("", -1)
        # The query of the hits shown, and whether its search began before the base was read whole.
        self.asked = ""
        self._asked_early = False
        self.folder = ""
        # Texts that others took the place of before they were saved, and when; newest first.
        self.unsaved: tuple[tuple[str, float], ...] = ()
        self._lay_out()
        self.actions_ = actions.Actions(self)
        self._connect()
        self._restyle()
        self._base_changed()

    # --- beginning and end ---------------------------------------------------------------------------------

    def begin(self, files: Sequence[Path]) -> None:
        """Restore the last session; the games named are opened instead of its own, and a query named takes
        the place of its query, as one step that can be undone.
        """
        kept = self._begun_with = session.load()
        restoring.dress(self, kept)
        if kept.query:
            restoring.put_query(self, kept)
            self.live.forget_change()
        self._open_queries([path for path in files if queries.is_query_file(path)])
        sources = [path for path in files if not queries.is_query_file(path)]
        if kept.files:
            self.unrestored = kept
            self.wanted_row = (kept.query, kept.hit_row)
        if sources:
            self.open_files(sources)
        elif kept.files:
            self._restore(kept)
        self._fill_library()
        self._fill_history()
        self._fill_recent()
        self.editor.edit.setFocus()

    def event(self, event: QEvent) -> bool:
        if event.type() is not QEvent.Type.UpdateRequest:
            return super().event(event)
        # All that is to be painted is painted within this. It is Qt's last event of a turn; who asks for a
        # repaint at once gets it in the next one, too.
        if not self._paints:
            self._paints = True
            self.jobs.turns.ask(self._paint)
        return True

    def _paint(self) -> None:
        self._paints = False
        super().event(QEvent(QEvent.Type.UpdateRequest))

    def closeEvent(self, event: QCloseEvent) -> None:
        kept = session.save_last(restoring.snapshot(self), self._begun_with, time.time())
        if not kept and self.editor.modified and not self._lose_query():
            event.ignore()
            return
        self.live.forget_change()
        self.searcher.forget()
        self.editor.shut_down()
        self.picker.shut_down()
        if self._bad_dialog is not None:
            self._bad_dialog.close()
        self.jobs.close()
        super().closeEvent(event)

    def _lose_query(self) -> bool:
        """Ask whether to close although the changed query cannot be kept for the next start."""
        return QMessageBox.question(self, "Close", _LOST, defaultButton=_NO) == _YES

    # --- files ---------------------------------------------------------------------------------------------

    def ask_open(self) -> None:
        """Let the user choose PGN files."""
        fitting.fit_next()
        names, _ = QFileDialog.getOpenFileNames(self, "Open games", self.folder, PGN_FILES)
        if names:
            self.open_files([Path(name) for name in names])

    def new_query(self) -> None:
        """Begin an empty query, as one step that can be undone."""
        self.editor.set_text("")
        self.show_editor()

    def ask_open_query(self) -> None:
        """Let the user choose a query file."""
        fitting.fit_next()
        name, _ = QFileDialog.getOpenFileName(self, "Open query", self.folder, CQL_FILES)
        if name:
            self.folder = str(Path(name).parent)
            self.editor.open_file(name)
            self.show_editor()

    def save_query(self) -> None:
        """Save the query under its name, or ask for one."""
        if self.editor.path is None:
            self.save_query_as()
        else:
            self._save_query(self.editor.path)

    def save_query_as(self) -> None:
        """Ask for a name and save the query under it."""
        start = str(self.editor.path or library.own_folder() / "query.cql")
        fitting.fit_next()
        name, _ = QFileDialog.getSaveFileName(self, "Save query", start, SAVED_FILES)
        if name:
            path = Path(name)
            if not path.suffix:
                path = path.with_suffix(queries.ENDINGS[0])
                # The dialog asked for the name without its ending.
                if disk.is_file(path) and not self._replace():
                    return
            self._save_query(path)

    def _save_query(self, path: Path) -> None:
        what = files.reason(path, keeping.sources(self.base) if self.base is not None else [])
        if what:
            words = f"{path.name} {what} and is not overwritten."
            self.infobar.show_message(words, "error", key=_KEEPING, front=True)
        elif self.editor.save(path):
            self._fill_library()

    def _replace(self) -> bool:
        """Ask whether a file may be replaced."""
        return QMessageBox.question(self, "Save query", _REPLACE, defaultButton=_NO) == _YES

    def open_files(self, paths: Sequence[Path]) -> None:
        """Open games (a folder gives those in it) and queries, as dropped or named on the command line."""
        self.infobar.dismiss(_DROPPED)
        wanted: list[Path] = []
        asked: list[Path] = []
        for path in paths:
            if disk.is_folder(path):
                wanted += self._inside(path)
            elif queries.is_query_file(path):
                asked.append(path)
            else:
                wanted.append(path)
        self._open_queries(asked)
        if wanted:
            self._restoring = False
            self.folder = str(wanted[0].absolute().parent)
            self.opener.open(wanted)

    def _restore(self, kept: session.Session) -> None:
        """Open the games of the last session, to go on at the position that was left."""
        self.unrestored = kept
        self.open_files([Path(name) for name in kept.files])
        self._restoring = self.opener.busy

    def _locate(self, kept: session.Session, missing: str) -> None:
        """Let the user say where a file of the last session is now."""
        title = f"Where is {Path(missing).name} now?"
        fitting.fit_next()
        name, _ = QFileDialog.getOpenFileName(self, title, self.folder, PGN_FILES)
        if name:
            files = tuple(name if file == missing else file for file in kept.files)
            self._restore(replace(kept, files=files))

    def _open_queries(self, paths: Sequence[Path]) -> None:
        """Show the first of these queries, and say which ones found no place: there is one editor."""
        if paths:
            self.editor.open_file(paths[0])
            self.show_editor()
        if len(paths) > 1:
            first, *others = naming.told_apart(paths[:4])
            names = ", ".join(others) + (" ..." if len(paths) > 4 else "")
            self.infobar.show_message(
                f"One query is shown at a time: {first} was opened, {names} not.",
                "warning",
                key=_UNSHOWN,
            )

    def _inside(self, folder: Path) -> list[Path]:
        """The sources in a folder, by name; says so where there are none or the folder is closed."""
        try:
            found = sorted(file for file in folder.iterdir() if _is_source(file))
        except OSError as error:
            words = f"{folder} cannot be read: {error.strerror or error}."
            self.infobar.show_message(words, "error", key=f"{_DROPPED}/{folder}")
            return []
        if not found:
            words = f"There is no PGN file in the folder {folder}."
            self.infobar.show_message(words, "error", key=f"{_DROPPED}/{folder}")
        return found

    def paste(self) -> None:
        """Take the text on the clipboard for a position, games or a query."""
        self.take_text(QGuiApplication.clipboard().text())

    def take_text(self, text: str) -> None:
        """Take a text that was dropped or pasted for what it is."""
        self.infobar.dismiss(_DROPPED)
        self.jobs.run(
            lambda _token, _sink: pasting.understand(text),
            self._pasted,
            lambda error: self.infobar.show_message(str(error), "error", key=_DROPPED),
            name="paste",
        )

    def _pasted(self, found: pasting.Pasted) -> None:
        position = found.position
        if position is not None:
            self.infobar.show_message(
                "Use the FEN?",
                "info",
                ("As a pattern", lambda: self._take_query(pasting.as_pattern(position), "Pattern")),
                ("As a position", lambda: self.run_text(queries_here.exact(position), "Position")),
                key=_DROPPED,
                front=True,
            )
        elif found.path is not None:
            self.open_files([found.path])
        elif found.kind == "query":
            self._take_query(found.text, "Pasted query")
        else:
            self.infobar.show_message(found.reason, "warning", key=_DROPPED, front=True)

    def show_bad_games(self) -> None:
        """List the games that could not be read whole."""
        if self._bad_dialog is None:
            self._bad_dialog = bad_games.BadGamesDialog(self)
            self._bad_dialog.opened.connect(self.show_game)
        self._bad_dialog.set_games(self._bad_games)
        self._bad_dialog.show()
        self._bad_dialog.raise_()

    def _opening(self, paths: list[Path]) -> None:
        self._opened_anew = True
        for key in (_OPENING, _ASKING, _FOUND, _GAME, _NARROWING):
            self.infobar.dismiss(key)
        names = naming.title(paths)
        self._progress_box.setVisible(True)
        self._progress_bar.say(0, 0)
        self._progress_words.say(f"Opening {names}")
        self.waiting.tell_opening(names)
        self._mark_hits()
        if self.base is None:
            self._base_changed()

    def _open_progressed(self, done: int, total: int, words: str, rate: float) -> None:
        self._progress_bar.say(done, total)
        self._progress_words.say(words or f"{rate:,.0f} a second")

    def _base_grown(self, base: base_model.Base) -> None:
        if self._opened_anew:
            # Also where it is the same base: its files may have changed.
            self._opened_anew = False
            self._leave_base()
        if not self._restoring:
            self.unrestored = None
            self.wanted_row = ("", -1)
        self.base = base
        self.waiting.tell_games(base.games)
        self.games.set_base(base)
        self.assistance.estimate.set_base(base)
        self.live.set_base(base, anew=not self.opener.busy)
        self.here.set_base(base)
        self._base_changed()
        if base.games and not self._restoring and not self.browser.busy:
            # The first batch of a growing base may hold no game yet.
            self.show_game(1)

    def _opened(self, report: base_model.ImportReport) -> None:
        self._work_ended()
        self._base_grown(report.base)
        self._list_bad_games(report.bad_games)
        for number, message in enumerate(report.messages):
            self.infobar.show_message(message, "warning", key=f"{_OPENING}/{number}")
        spoiled = len({bad.game for bad in report.bad_games})
        if report.base.games and spoiled == report.base.games:
            what = "The game" if spoiled == 1 else f"None of the {spoiled:,} games"
            could = "could not be read whole" if spoiled == 1 else "could be read whole"
            self.infobar.show_message(f"{what} {could}: is this a PGN file?", "warning", key=_OPENING)
        if report.cancelled:
            self.infobar.show_message(
                f"Reading was stopped: {report.base.games:,} games can be used; open the file to go on.",
                "info",
                key=_OPENING,
            )
        elif not report.base.games and not report.messages:
            self.infobar.show_message("There are no games in this file.", "warning", key=_OPENING)
        asked = self.waiting.take()
        if asked is not None and not report.base.games:
            self.infobar.show_message("There are no games, so the query was not run.", "warning", key=_ASKING)
        self._base_changed()
        # The next game or search shall not wait until processes have started.
        self.jobs.run(lambda _token, _sink: pool.shared().warm(), lambda _done: None, name="warm")
        kept = self.unrestored
        self._restoring = False
        if kept is not None and 0 < kept.game <= report.base.games:
            self.browser.open(report.base, kept.game, kept.positionid)
            self.games.select(kept.game)
        elif kept is not None and report.base.games:
            self.show_game(1)
        if asked is not None and report.base.games:
            self._search(asked.text, asked.path)

    def _open_failed(self, sentence: str) -> None:
        self._work_ended()
        kept = self.unrestored if self._restoring else None
        self._restoring = self._opened_anew = False
        self._base_changed()
        self._mark_hits()
        asked = self.waiting.take()
        if not sentence:
            if asked is not None:
                words = "Opening was stopped, so the query was not run."
                self.infobar.show_message(words, "info", key=_ASKING)
            return
        if asked is not None:
            sentence += " The query was not run."
        away = next((name for name in kept.files if not disk.is_file(Path(name))), "") if kept else ""
        action = None
        if kept is not None and away:
            action = ("Locate...", lambda: self._locate(kept, away))
            sentence += " It is looked for again at the next start, unless other games are opened."
        self.infobar.show_message(sentence, "error", action, key=_OPENING)

    def _list_bad_games(self, bad: tuple[base_model.BadGame, ...]) -> None:
        self._bad_games = bad
        if self._bad_dialog is not None:
            self._bad_dialog.set_games(bad)

    def _leave_base(self) -> None:
        """Forget everything that belongs to the base shown until now."""
        self.searcher.forget()
        self.examples.forget()
        self.result = None
        self._list_bad_games(())
        self._clear_limit()
        self.hits.clear()
        self.earlier.set_found_by(None, "")
        self._mark_hits()
        self.games.set_base(None)
        self.picker.set_counts(())
        self.narrower.leave_base()
        self.marked.clear()
        self.hits.tell_narrowing("")
        self.browser.clear()

    def _base_changed(self) -> None:
        base = self.base
        self._show_start()
        paths = [source.path for source in base.sources] if base is not None else []
        if base is None:
            self._games_words.say("No games open")
            self.board.set_hint("Opening games ..." if self._opened_anew else WELCOME)
        else:
            self.board.set_hint("")
            positions = wording.counted(base.positions, "position", "positions")
            words = f"{_title(base)}: {wording.games(base.games)}, {positions}"
            self._games_words.say(words, f"{words}\n{naming.listing(paths)}")
        number = len({bad.game for bad in self._bad_games})
        self._bad_button.setVisible(number > 0)
        self._bad_button.setText(wording.counted(number, "bad game", "bad games"))
        # Qt takes the sign for its own, unless it stands twice.
        self.setWindowTitle(f"{_title(base)} - cqlgui".replace("[*]", "[*][*]") if paths else "cqlgui")
        self._enable()

    def _show_start(self) -> None:
        """Show the start page while there are no games, unless the user left it for the board."""
        on = self.base is None and not self._opened_anew and not self._start_left
        self.start_page.setVisible(on)
        self.split.setVisible(not on)

    def leave_start(self) -> None:
        """Show the board although there are no games."""
        self._start_left = True
        self._show_start()

    def open_sample(self) -> None:
        """Open the sample base."""
        self.open_files([resources.resource("sample/sample.pgn")])

    def _try_theme(self, text: str, title: str) -> None:
        """Search with a query of the start page: in the sample base, as there are no games."""
        if self.base is None and not self.opener.busy:
            self.open_sample()
        self.run_text(text, title)

    # --- searching -----------------------------------------------------------------------------------------

    def run(self) -> None:
        """Search the open base for the query in the editor; a search for another one ends, whatever it had
        found. While the first games of files are still to come, the query waits for these."""
        priority.hold()
        text, opening = self.editor.text(), self._opened_anew
        if not text.strip() and (opening or self._games_there):
            self.infobar.show_message(
                "Type a query first; . matches every position.", "info", key=_ASKING, front=True
            )
        elif opening or (self.opener.busy and not self._games_there):
            self.infobar.dismiss(_ASKING)
            self.waiting.ask(text, self.editor.path)
        elif not self._games_there:
            self.infobar.show_message(
                "Open a PGN file first: there is nothing to search yet.",
                "info",
                self.rights.open_input(text),
                key=_ASKING,
                front=True,
            )
        else:
            self._search(text, self.editor.path)

    @property
    def _games_there(self) -> bool:
        return self.base is not None and self.base.games > 0

    def _search(self, text: str, path: Path | None) -> None:
        """Search the open base for a query, that of the file `path` if it has one."""
        assert self.base is not None
        self.waiting.take()
        if self.searcher.searches(self.base, text, self.narrower.within):
            return
        self.editor.check_now()
        self.rights.dismiss()
        for key in (_ASKING, _FOUND, _NARROWING, _FAULT):
            self.infobar.dismiss(key)
        # What was merely told of earlier work has been read.
        self.infobar.clear("info")
        self.live.asked()
        self.asked = text
        self._asked_early = self.opener.busy
        self.assistance.estimate.stop()
        kept = () if path is None else ((path, "is the query"),)
        self.searcher.run(self.base, text, self.rights.beside(path), self.narrower.within, kept=kept)

    def stop(self) -> None:
        """Stop the search or the waiting for games, and the question why the position does not match."""
        self.waiting.withdraw()
        self.live.stop()
        self.searcher.stop()
        self.assistance.why.stop()

    def _search_started(self, orbits: tuple[hit_model.Orbit, ...]) -> None:
        assert self.base is not None
        self.examples.forget()
        self.asked = self.searcher.text
        self.result = None
        self._clear_limit()
        self.narrower.clear()
        self.hits.tell_narrowing("")
        within = self.searcher.options.within
        self.hits.begin(self.base, self.base.games if within is None else len(within), orbits)
        self.hits.asks(self.asked, self.searcher.options)
        self.earlier.set_found_by(self.asked, self.editor.text())
        self.picker.set_counts(())
        self.browser.set_hits({})
        focus = self.focusWidget()
        if not (self.searcher.live and focus is not None and self.games.isAncestorOf(focus)):
            self._tabs.setCurrentWidget(self.hits)
        self._enable()

    def _hits_told(self, games: list[int]) -> None:
        """The interpreter has told more of the hits of some games."""
        for game in games:
            if game == self.browser.asked:
                self.browser.tell(game, self.hits.hits.hits_of(game))

    def _hits_found(self, found: Found) -> None:
        first = self.hits.count == 0
        self.hits.add(found)
        if first and self.hits.count and not self.searcher.live:
            # Land on the first hit at once; the keyboard stays where the user is typing.
            self.hits.land(0)
            self._return_to_row()
        self._say_hit()

    def _return_to_row(self) -> None:
        """Where the query of the last session is asked again, go on at the hit that was left."""
        query, row = self.wanted_row
        if 0 <= row < self.hits.count and self.hits.table.row >= 0:
            self.wanted_row = ("", -1)
            if query == self.asked and self.hits.table.row == 0:
                self.hits.land(row)

    def _search_finished(self, result: search_model.SearchResult) -> None:
        self.result = result
        self.hits.finish(result)
        self.picker.set_counts(result.orbits, result.positions)
        self.examples.show(self.base, result)
        if self.base is not None:
            self.narrower.take(self.base, result)
        self._tell_failures(result)
        if self.searcher.live:
            self._live_finished(result)
            return
        if self._asked_early:
            self.infobar.show_message(
                "Only the games that had been read were searched; search again (F5) for the rest.",
                "info",
                key=_ASKING,
            )
        self._fill_history()
        self._say_hit()
        self._enable()

    def _tell_failures(self, result: search_model.SearchResult) -> None:
        """Say why hits may be missing; nothing where none are."""
        self.infobar.dismiss(_FOUND)
        if result.stopped is not None:
            message = f"The search stopped at game {result.stopped.game:,}: {result.stopped.reason}"
            self.infobar.show_message(message, "error", key=_FOUND)
        for failed in result.failed_games[: result.stopped is None]:
            more = len(result.failed_games) - 1
            others = f" (and {more:,} more)" if more else ""
            words = f"Game {failed.game:,} was left out{others}: {failed.reason}"
            self.infobar.show_message(words, "warning", key=_FOUND)

    def _live_finished(self, result: search_model.SearchResult) -> None:
        """The hits are there, and the board stays where it is, also where it shows one of them."""
        game = self.browser.game
        if self.base is not None:
            self.live.take(self.base, result)
        if not result.cancelled:
            self.assistance.estimate.tell(result.query, wording.games(len(result.games)))
        if game is not None and self.browser.base is self.base:
            self.browser.set_hits(self.hits.hits.hits_of(game.game))
            with QSignalBlocker(self.hits.table):
                self.hits.show_hit(game.game, self.browser.positionid)
        self._say_hit()
        self._enable()

    def _narrowed(self, result: search_model.SearchResult, words: str) -> None:
        """Show other hits: a part of the result, or what was made of it and of hits that were kept."""
        assert self.base is not None
        self.infobar.dismiss(_NARROWING)
        current = self.hits.current()
        self.result = result
        self._clear_limit()
        within = result.options.within
        self.hits.begin(self.base, self.base.games if within is None else len(within), result.orbits)
        self.hits.asks(result.query, result.options)
        self.hits.add(result.games)
        if current is not None:
            self.hits.show_hit(current.game, current.positionid)
        if self.hits.table.row < 0:
            self.hits.land(0)
        self.hits.finish(result)
        self.hits.tell_narrowing(words)
        self.picker.set_counts(result.orbits, result.positions)
        self.examples.show(self.base, result)
        if self.browser.game is not None and self.browser.base is self.base:
            self.browser.set_hits(self.hits.hits.hits_of(self.browser.game.game))
        self._say_hit()
        self._enable()

    def _search_rejected(self, found: tuple[object, ...]) -> None:
        self.editor.check_now()
        # The place of the fault may be behind another pane.
        self.show_editor()
        first = getattr(found[0], "message", "") if found else ""
        self._leave_hits()
        if self.assistance.refuse_old(self.asked):
            return
        self.infobar.show_message(f"The query cannot be run: {first}", "error", key=_ASKING)

    def _leave_hits(self) -> None:
        """The query did not run: the hits stay what they are, those of the last one that did."""
        if self.hits.running:
            self.hits.fail("Stopped for another query.")

    def _mark_hits(self) -> None:
        """Say of hits that are not those of the query in the editor, in the files that are opened."""
        if self._opened_anew and self.base is not None:
            self.hits.tell_earlier("of other files")
        else:
            self.hits.tell_earlier("of an earlier query" if self.earlier.differs else "")
        self.editor.offer_run(self.earlier.differs)
        self._say_hit()

    def _search_abandoned(self) -> None:
        self.hits.fail("Stopped before it began.")

    def _search_failed(self, sentence: str) -> None:
        self.hits.fail(sentence)
        self.infobar.show_message(sentence, "error", key=_ASKING)

    # --- browsing ------------------------------------------------------------------------------------------

    def show_game(self, game: int) -> None:
        """Put a game on the board, on its first hit when it has one."""
        if self.base is None:
            return
        found = self.hits.hits.hits_of(game)
        self.browser.open(self.base, game, min(found) if found else 0, found)

    def show_hit(self, row: int) -> None:
        """Put the hit of a row on the board."""
        if self.hits.table.hasFocus():
            # Who walks through the hits wants to see their games.
            self.pointing.set_active(False)
        self.live.seen()
        hit = self.hits.hit_at(row)
        if self.base is not None:
            self.browser.open(self.base, hit.game, hit.positionid, self.hits.hits.hits_of(hit.game))

    def next_hit(self, step: int) -> None:
        """To the next (+1) or previous (-1) hit, across games."""
        self.pointing.set_active(False)
        self._tabs.setCurrentWidget(self.hits)
        self.hits.next_hit(step)

    def _browsed(self, game: base_model.LoadedGame | None, positionid: int) -> None:
        if game is not None and not self._restoring:
            self.unrestored = None
        self.infobar.dismiss(_GAME)
        self.board.set_ghost(None)
        self.hitbar.show_game(game.row if game is not None else None)
        if game is not None and not self.hits.is_current(game.game, positionid):
            self.hits.choose()
        if game is not None and self.browser.hit is not None:
            self.hits.show_hit(game.game, positionid)
        self._say_hit()
        self._enable()

    def _say_hit(self) -> None:
        """Tell beside the board which hit of how many is on it."""
        game, hit = self.browser.game, self.browser.hit
        element = self.hits.hits.shown_of(hit)[1] if hit is not None else None
        place = self.hits.position_text(game.game, hit.positionid) if game is not None and hit else ""
        words = self.browser.normal.words or (element.words if element else "")
        self.hitbar.show_hit(place, self.browser.move_text(), words)

    def _normalised(self, on: bool) -> None:
        """Hits are shown in the query's own frame from now on, or no longer."""
        self.actions_.normalise.setChecked(on)
        self.hits.hits.set_normalised(on)
        words = "Hits are shown as the query is written, in the table too; N shows them as they were played."
        self.tell(words if on else "Hits are shown as they were played.")

    def _mode_changed(self, active: bool) -> None:
        """Pattern mode draws on the board; the bars below it tell of the game."""
        self.hitbar.setVisible(not active)
        self.here_bar.setVisible(not active)
        # Whether the game's position matches would look like a verdict on what is drawn.
        self.assistance.live.watch(not active)
        # The palette takes width of the board, which others can do without.
        self.split.set_drawing(active)
        self.actions_.pattern.setChecked(active)

    # --- orbits --------------------------------------------------------------------------------------------

    def _element_hovered(self, orbit: int, element: int) -> None:
        found = self.picker.element(orbit, element)
        if found is not None:
            seen = pictures.of_text(found.text)
            self.board.set_ghost(seen.cells, seen.area, (found.words, found.transform))

    def _element_chosen(self, orbit: int, element: int) -> None:
        seen, found = self.picker.element(orbit, element), self.hits.hits.element_at((orbit, element))
        if self.hits.hits.orbits and (seen is None or found is None or seen.text != found.text):
            # The query was changed since: the same number stands for another element.
            self._clear_limit()
            words = "The hits are of another query: run this one (F5) first."
            self.infobar.show_message(words, "info", key=_ASKING, front=True)
            return
        if found is not None and not found.positions and not self.searcher.running:
            self.picker.clear_selection()
            self.tell("No hit matches this image.")
            return
        self.board.set_ghost(None)
        # Who picks an image wants to see its hits; a pattern drawn over one of them would show both.
        self.pointing.set_active(False)
        self._tabs.setCurrentWidget(self.hits)
        self.narrower.limit((orbit, element, _words_of(found)))
        self.hits.limit(orbit, element)
        self._enable()

    def _limited(self) -> None:
        """The table shows the hits of an element now."""
        if self.hits.count and self.hits.table.row < 0:
            self.hits.select_row(0)
        self._say_hit()
        self._enable()

    def _clear_limit(self) -> None:
        self.hits.limit(None)
        self.narrower.limit(None)
        self.picker.clear_selection()
        self._enable()

    def _limited_words(self) -> str:
        """The element the hits are limited to, in words; empty without a limit."""
        limit = self.hits.limited_to
        return _words_of(self.hits.hits.element_at(limit) if limit else None)

    # --- output --------------------------------------------------------------------------------------------

    def ask_export(self) -> None:
        """Ask what to export and write it in the background."""
        base, result = self.base, self.result
        if base is None or result is None:
            words = "There are no hits to export: run a search first."
            self.infobar.show_message(words, "info", key=_EXPORTING, front=True)
            return
        if self.exporter.busy:
            # The next one would take its place.
            words = "A file is being written: export again when it is done, or cancel it."
            self.infobar.show_message(words, "info", key=_EXPORTING, front=True)
            return
        # While the dialog is open a search may begin or end, and other games may be opened: what is written
        # is what was there when it was asked.
        selected, element = self.hits.selected_games(), self.hits.limited_to
        words = self._limited_words()
        counts = export_dialog.ExportCounts(
            hits=result.positions,
            games=len(result.games),
            selected_games=len(selected),
            element_words=words,
            element_hits=self.hits.count if words else 0,
        )
        folder = Path(self.folder) if self.folder else None
        choice = export_dialog.ExportDialog.ask(self, counts, folder=folder)
        if choice is not None:
            self.exporter.write(base, result, choice, selected, element)

    def _exporting(self, path: Path) -> None:
        self.infobar.dismiss(_EXPORTING)
        self._progress_box.setVisible(True)
        self._progress_bar.say(0, 0)
        self._progress_words.say(f"Writing {naming.shortened(path.name)}")

    def _exported(self, report: search_model.ExportReport) -> None:
        self._work_ended()
        self.folder = str(report.path.parent)
        if report.path.suffix.lower() == ".pgn":
            what = wording.games(report.games)
            action = ("Open it", lambda: self.open_files([report.path]))
        else:
            what = wording.hits(report.hits)
            action = ("Open it", lambda: _open_outside(report.path))
        sentence = f"{what} written to {report.path}."
        if report.as_played:
            sentence += f" {report.as_played:,} of them as they were played: {exporting.AS_PLAYED}"
        self.infobar.show_message(sentence, "info", action=action, key=_EXPORTING, front=True)

    def _export_ended(self, sentence: str, kind: str) -> None:
        self._work_ended()
        self.infobar.show_message(sentence, kind, key=_EXPORTING)

    def tell(self, words: str) -> None:
        """Say something in the status bar for a while. One line says all: two would cover each other."""
        self.pointing.notice.say(words, undoable=False)

    def copy_fen(self) -> None:
        """Put the FEN of the game's own position on the clipboard."""
        position = self.browser.position
        if position is not None:
            QGuiApplication.clipboard().setText(position.fen())
            game_own = " of the game, not of the frame shown" if self.board.normalised else ""
            self.tell(f"FEN copied{game_own}")

    def copy_pgn(self) -> None:
        """Put the game's own text on the clipboard."""
        game = self.browser.game
        if game is not None:
            QGuiApplication.clipboard().setText(decoding.decode(game.raw))
            self.tell("Game copied")

    def copy_picture(self) -> None:
        """Put a picture of the board on the clipboard."""
        QGuiApplication.clipboard().setPixmap(self.board.picture())
        self.tell("Picture copied")

    def _work_ended(self) -> None:
        """Show no progress any more, unless files are still read or written."""
        self._progress_box.setVisible(self.opener.busy or self.exporter.busy)

    def cancel_work(self) -> None:
        """Stop reading or writing files."""
        self.opener.cancel()
        self.exporter.cancel()

    # --- layout --------------------------------------------------------------------------------------------

    def reset_layout(self) -> None:
        """Put every pane where it belongs."""
        self.docks.reset()
        self.split.reset()

    def ask_layout_name(self) -> None:
        """Let the user give the layout a name, to come back to it."""
        name, given = QInputDialog.getText(self, "Save layout", "Name of the layout:")
        name = name.strip()
        if given and name and name not in [layout.value for layout in layouts.Layout]:
            self.docks.keep_as(name)

    def _arranged(self) -> None:
        """Board and notation stand alone while somebody presents."""
        alone = self.docks.presenting
        for part in (self.menuBar(), self.statusBar(), self.hitbar):
            part.setVisible(not alone)
        if alone:
            self.board.setFocus()
        self.actions_.show_layout()

    def _lay_out(self) -> None:
        self.resize(1366, 768)
        screen = QGuiApplication.primaryScreen()
        if screen is not None:
            room = screen.availableSize()
            self.resize(min(1500, room.width()), min(950, room.height() - fitting.TITLE_BAR))
        self.centre = QWidget()
        column = QVBoxLayout(self.centre)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        board_side = QWidget()
        board_column = QVBoxLayout(board_side)
        board_column.setContentsMargins(4, 4, 4, 2)
        board_column.setSpacing(2)
        board_column.addWidget(self.board, 1)
        board_column.addWidget(self.pointing.chips)
        board_column.addWidget(self.pointing.steps)
        board_column.addWidget(self.hitbar)
        board_column.addWidget(self.here_bar)
        self.split = stage.Stage(board_side, self.board, self.notation, painting.BADGE_ROOM)
        self.notation.setMinimumWidth(120)
        column.addWidget(self.split, 1)
        column.addWidget(self.start_page, 1)
        self.setCentralWidget(self.centre)
        self.infobar.lie_over(self.centre)

        self._tabs = QTabWidget()
        self._tabs.setDocumentMode(True)
        self._tabs.addTab(self.hits, "Hits")
        self._tabs.addTab(self.games, "All games")
        asked = QTabWidget()
        asked.setDocumentMode(True)
        asked.addTab(self.library, "Library")
        asked.addTab(self.history, "History")
        self.docks = docks.Docks(self, self.editor, asked, self.assistance.help, self.picker, self._tabs)
        self.areas = areas.Areas(
            (
                self.infobar,
                self.editor,
                asked,
                self.assistance.help,
                self.start_page,
                self.board,
                self.pointing.chips,
                self.pointing.steps,
                self.notation,
                self.picker,
                self._tabs,
            ),
            self,
        )
        # Where these paint their ground themselves, dock and window are not painted for each word in them.
        for part in (self.editor, board_side, self.hits, self.games):
            part.setAutoFillBackground(True)
        self._lay_out_status()

    def _lay_out_status(self) -> None:
        bar = self.statusBar()
        self._games_words = labels.ElidedLabel("", cut=Qt.TextElideMode.ElideMiddle)
        bar.setContentsMargins(6, 0, 0, 0)
        # It takes what room there is, and gives it where progress is shown.
        bar.addWidget(self._games_words, 1)
        self._bad_button = QToolButton()
        self._bad_button.setToolTip("Show the games that could not be read whole")
        bar.addWidget(self._bad_button)
        bar.addWidget(self.pointing.notice)
        self._progress_box = QWidget()
        row = QHBoxLayout(self._progress_box)
        row.setContentsMargins(0, 0, 0, 0)
        self._progress_words = labels.ElidedLabel("")
        self._progress_bar = bars.Bar(160)
        self._cancel_button = QPushButton("Cancel")
        self._cancel_button.setFlat(True)
        for widget in (self._progress_words, self._progress_bar, self._cancel_button):
            row.addWidget(widget)
        self._progress_box.setVisible(False)
        bar.addPermanentWidget(self._progress_box)

    def _connect(self) -> None:
        self.docks.arranged.connect(self._arranged)
        self.jobs.failed.connect(lambda words: self.infobar.show_message(words, "error", key=_FAULT))
        self.opener.started.connect(self._opening)
        self.opener.grown.connect(self._base_grown)
        self.opener.progressed.connect(self._open_progressed)
        self.opener.opened.connect(self._opened)
        self.opener.failed.connect(self._open_failed)
        self.searcher.started.connect(self._search_started)
        self.searcher.found.connect(self._hits_found)
        self.searcher.progressed.connect(self.hits.progress)
        self.searcher.finished.connect(self._search_finished)
        self.searcher.rejected.connect(self._search_rejected)
        self.searcher.wanted.connect(lambda _wish: self._leave_hits())
        self.searcher.failed.connect(self._search_failed)
        self.searcher.abandoned.connect(self._search_abandoned)
        self.searcher.superseded.connect(self._leave_hits)
        self.searcher.running_changed.connect(lambda _running: self._enable())
        self.waiting.changed.connect(self._enable)
        self.waiting.changed.connect(lambda: self.hits.tell_waiting(self.waiting.words))
        self.assistance.why.busy_changed.connect(lambda _busy: self._enable())
        self.exporter.started.connect(self._exporting)
        self.exporter.progressed.connect(self._open_progressed)
        self.exporter.written.connect(self._exported)
        self.exporter.ended.connect(self._export_ended)
        self.editor.run_requested.connect(self.run)
        self.editor.run_requested.connect(lambda: self.pointing.set_active(False))
        self.actions_.run.triggered.connect(lambda: self.pointing.set_active(False))
        self.pointing.mode_changed.connect(self._mode_changed)
        self.assistance.estimate.said.connect(self.pointing.set_count)
        self.editor.text_changed.connect(lambda _text: self.infobar.dismiss(_ASKING))
        self.editor.text_changed.connect(
            lambda text: self.live.change(text, self.rights.beside(self.editor.path))
        )
        self.live.overdue.connect(lambda: self.earlier.compare(self.editor.text()))
        self.live.remembered.connect(self._fill_history)
        self.earlier.changed.connect(self._mark_hits)
        self.editor.left_unsaved.connect(self._keep_unsaved)
        self.editor.failed.connect(lambda text: self.infobar.show_message(text, "error", key=_KEEPING))
        # Another text, or the same one saved at last: what failed before is past.
        self.editor.path_changed.connect(lambda _path: self.infobar.dismiss(_KEEPING))
        self.editor.path_changed.connect(lambda _path: self.infobar.dismiss(_UNSHOWN))
        self.editor.modified_changed.connect(lambda _on: self.infobar.dismiss(_KEEPING))
        self.library.chosen.connect(self._take_query)
        self.history.chosen.connect(self._take_query)
        self.picker.attach(self.editor)
        self.picker.element_hovered.connect(self._element_hovered)
        self.picker.element_left.connect(lambda: self.board.set_ghost(None))
        self.picker.element_chosen.connect(self._element_chosen)
        self.picker.selection_cleared.connect(self._clear_limit)
        # The arrow keys go through the game that it brought up; those who come by keyboard go through images.
        self.picker.image_clicked.connect(self.board.setFocus)
        self.hits.current_changed.connect(self.show_hit)
        self.hits.hits.told.connect(self._hits_told)
        self.hits.hits.released.connect(self._return_to_row)
        self.hits.opened.connect(lambda _game, _position, row: self._open_row(row))
        self.hits.limit_removed.connect(self._clear_limit)
        self.hits.limited.connect(self._limited)
        self.hits.export_requested.connect(self.ask_export)
        self.hits.narrowing_removed.connect(self.narrower.undo)
        self.hits.scope_removed.connect(self.narrower.widen)
        self.narrower.shown.connect(self._narrowed)
        self.narrower.scoped.connect(self.hits.tell_scope)
        self.narrower.scoped.connect(lambda _games: self.assistance.estimate.set_within(self.narrower.within))
        self.narrower.scoped.connect(lambda _games: self.live.set_within(self.narrower.within))
        self.narrower.scoped.connect(lambda _games: self.here.set_within(self.narrower.within))
        self.here.asked.connect(self.run_text)
        self.marked.common.connect(self._take_query)
        self.marked.failed.connect(
            lambda words: self.infobar.show_message(words, "info", key=_ASKING, front=True)
        )
        self.narrower.failed.connect(lambda words: self.infobar.show_message(words, "error", key=_NARROWING))
        self.games.opened.connect(self.show_game)
        self.start_page.sample_wanted.connect(self.open_sample)
        self.start_page.open_wanted.connect(self.ask_open)
        self.start_page.draw_wanted.connect(self.leave_start)
        self.start_page.draw_wanted.connect(lambda: self.pointing.set_active(True))
        self.start_page.write_wanted.connect(self.show_editor)
        self.start_page.files_wanted.connect(self.open_files)
        self.start_page.theme_chosen.connect(self._try_theme)
        self.browser.shown.connect(self._browsed)
        self.browser.normalised_changed.connect(self._normalised)
        self.browser.failed.connect(lambda words: self.infobar.show_message(words, "error", key=_GAME))
        self.hitbar.stepped.connect(self.next_hit)
        self._bad_button.clicked.connect(self.show_bad_games)
        self._cancel_button.clicked.connect(self.cancel_work)
        theme.theme().changed.connect(self._restyle)

    def _open_row(self, row: int) -> None:
        self.show_hit(row)
        self.board.setFocus()

    def _take_query(self, text: str, title: str) -> None:
        """A query of the library takes the editor's place as one undoable edit, so that nothing is lost.

        It belongs to no file: saving must not write it over the one that was open.
        """
        self.editor.set_text(text, title)
        self.show_editor()

    def show_editor(self) -> None:
        """Bring the query to the front, ready for typing."""
        self.docks.show(self.docks.query)
        self.editor.edit.setFocus()

    def run_text(self, text: str, title: str) -> None:
        """Put a query in the editor's place and search with it."""
        self._take_query(text, title)
        self.run()

    def _fill_library(self) -> None:
        self.jobs.run(lambda _token, _sink: library.entries(), self._show_library, name="library")

    def _show_library(self, entries: list[entry_model.QueryEntry]) -> None:
        self.library.set_entries(entries)
        self.start_page.set_themes(entries)

    def _fill_recent(self) -> None:
        self.jobs.run(lambda _token, _sink: start_page.recent(), self.start_page.set_recent, name="recent")

    def _fill_history(self) -> None:
        unsaved = [history_pane.unsaved(text, when) for text, when in self.unsaved]
        self.jobs.run(
            lambda _token, _sink: [
                *unsaved,
                *(history_pane.read(entry) for entry in history.entries()),
            ],
            self.history.set_entries,
            name="history",
        )

    def _keep_unsaved(self, text: str) -> None:
        """Another text takes the place of one that was not saved."""
        self.unsaved = session.with_unsaved(self.unsaved, text, time.time())
        self._fill_history()

    def _enable(self) -> None:
        actions_ = getattr(self, "actions_", None)
        if actions_ is not None:
            actions_.enable()
            self.hitbar.set_steps(self.hits.count > 0, self.hits.count > 0)

    def _restyle(self) -> None:
        self.actions_.set_icons(icons.icon)

    # --- events --------------------------------------------------------------------------------------------

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if _dropped(event.mimeData()):
            event.acceptProposedAction()
        elif event.mimeData().hasText() and not self._is_ours(event):
            # The other program keeps its text.
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()

    def _is_ours(self, event: QDropEvent) -> bool:
        """Whether a text was dragged out of this window, as a part of the query."""
        source = event.source()
        return isinstance(source, QWidget) and (source is self or self.isAncestorOf(source))

    def dropEvent(self, event: QDropEvent) -> None:
        paths = _dropped(event.mimeData())
        if paths:
            event.acceptProposedAction()
            # The dragging program waits until this handler returns.
            QTimer.singleShot(0, lambda: self.open_files(paths))
        elif event.mimeData().hasText() and not self._is_ours(event):
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()
            text = event.mimeData().text()
            QTimer.singleShot(0, lambda: self.take_text(text))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.infobar.shown is not None:
            # Nobody else wanted the key.
            self.infobar.close_message()
        elif event.key() == Qt.Key.Key_Escape and self.docks.presenting:
            self.docks.leave_presenting()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.docks.window_resized()


def _words_of(element: hit_model.ElementCount | None) -> str:
    """An orbit element in words; empty for none."""
    return (element.words or element.transform) if element else ""


def _title(base: base_model.Base | None) -> str:
    """The name of a base, or of the first of its files."""
    if base is None or not base.sources:
        return ""
    return naming.shortened(base.name) or naming.title([source.path for source in base.sources])


def _dropped(data: QMimeData) -> list[Path]:
    return [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]


def _open_outside(path: Path) -> None:
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))


def _is_source(path: Path) -> bool:
    return path.is_file() and path.name.lower().endswith((*archives.ENDINGS, bases.ENDING))

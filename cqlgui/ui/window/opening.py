"""Opens files and texts that the user chooses, drops or pastes, and restores the files of the last
session."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtGui import (
    QGuiApplication,
)
from PySide6.QtWidgets import (
    QFileDialog,
)

from cqlgui.base.files import disk, resources
from cqlgui.pattern import here as queries_here
from cqlgui.pgn import archives
from cqlgui.store import places
from cqlgui.tasks.asking import pasting, queries
from cqlgui.tasks.databases import bases
from cqlgui.tasks.processes import pool
from cqlgui.tasks.results import base_model
from cqlgui.tasks.studies import study_text
from cqlgui.ui.look import fitting, naming, wording
from cqlgui.ui.panels import bad_games
from cqlgui.ui.state import (
    session,
)
from cqlgui.ui.window import frame
from cqlgui.ui.window import queries_kept as queries_kept_module
from cqlgui.ui.window import searching as searching_module
from cqlgui.ui.window import showing as showing_module

WELCOME = "Open a PGN file (Ctrl+O) or drop one here.\nPlain, .gz, .bz2, .zst and .zip files will do."
_ENDINGS = "*.pgn *.pgn.gz *.pgn.bz2 *.pgn.zst *.zip *.gz *.bz2 *.zst *.cqlbase"
PGN_FILES = f"Chess games ({_ENDINGS} {places.LISTING});;All files (*)"


class Opening(QObject):
    """Opens files, and shows how the base grows."""

    def __init__(
        self,
        main: frame.Frame,
        queries_kept: queries_kept_module.QueriesKept,
        showing: showing_module.Showing,
        searching: searching_module.Searching,
    ) -> None:
        super().__init__(main)
        self._frame = main
        self._queries_kept = queries_kept
        self._showing = showing
        self._searching = searching
        self._bad_dialog: bad_games.BadGamesDialog | None = None
        main.opener.started.connect(self._opening)
        main.opener.grown.connect(self._base_grown)
        main.opener.opened.connect(self._opened)
        main.opener.failed.connect(self._open_failed)
        page = main.start_page
        page.sample_wanted.connect(self.open_sample)
        page.open_wanted.connect(self.ask_open)
        page.draw_wanted.connect(self.leave_start)
        page.draw_wanted.connect(lambda: main.pointing.set_active(True))
        page.write_wanted.connect(main.show_editor)
        page.files_wanted.connect(self.open_files)
        page.theme_chosen.connect(self._try_theme)
        main.bad_button.clicked.connect(self.show_bad_games)
        main.studying.games_wanted.connect(self.open_files)

    def ask_open(self) -> None:
        """Let the user choose PGN files."""
        fitting.fit_next()
        names, _ = QFileDialog.getOpenFileNames(self._frame, "Open games", self._frame.folder, PGN_FILES)
        if names:
            self.open_files([Path(name) for name in names])

    def open_files(self, paths: Sequence[Path]) -> None:
        """Open games and queries, for example after a drop or from the command line. If a path is a folder,
        the games in the folder are opened."""
        self._frame.infobar.dismiss(frame.DROPPED)
        wanted: list[Path] = []
        asked: list[Path] = []
        for path in paths:
            if disk.is_folder(path):
                wanted += self._inside(path)
            elif queries.is_query_file(path):
                asked.append(path)
            elif path.suffix.lower() == study_text.ENDING:
                self._frame.studying.open(path)
                self._frame.show_study()
            else:
                wanted.append(path)
        self._queries_kept.open_queries(asked)
        if wanted:
            self._frame.restoring = False
            self._frame.folder = str(wanted[0].absolute().parent)
            self._frame.opener.open(wanted)

    def restore(self, kept: session.Session) -> None:
        """Open the games of the last session, and show the last position."""
        self._frame.unrestored = kept
        self.open_files([Path(name) for name in kept.files])
        self._frame.restoring = self._frame.opener.busy

    def _locate(self, kept: session.Session, missing: str) -> None:
        """Ask for the new place of a file of the last session."""
        title = f"Where is {Path(missing).name} now?"
        fitting.fit_next()
        name, _ = QFileDialog.getOpenFileName(self._frame, title, self._frame.folder, PGN_FILES)
        if name:
            files = tuple(name if file == missing else file for file in kept.files)
            self.restore(replace(kept, files=files))

    def _inside(self, folder: Path) -> list[Path]:
        """The files with games in a folder, sorted by name. A published base is opened as a whole. If there
        are no files, or if the folder cannot be read, show a message."""
        if places.published_at([folder]) is not None:
            return [folder]
        try:
            found = sorted(file for file in folder.iterdir() if _is_source(file))
        except OSError as error:
            words = f"{folder} cannot be read: {error.strerror or error}."
            self._frame.infobar.show_message(words, "error", key=f"{frame.DROPPED}/{folder}")
            return []
        if not found:
            words = f"There is no PGN file in the folder {folder}."
            self._frame.infobar.show_message(words, "error", key=f"{frame.DROPPED}/{folder}")
        return found

    def paste(self) -> None:
        """Use the text on the clipboard as a position, games or a query."""
        self.take_text(QGuiApplication.clipboard().text())

    def take_text(self, text: str) -> None:
        """Find out whether a dropped or pasted text is a position, games or a query, and use the text."""
        self._frame.infobar.dismiss(frame.DROPPED)
        self._frame.jobs.run(
            lambda _token, _sink: pasting.understand(text),
            self._pasted,
            lambda error: self._frame.infobar.show_message(str(error), "error", key=frame.DROPPED),
            name="paste",
        )

    def _pasted(self, found: pasting.Pasted) -> None:
        position = found.position
        if position is not None:
            self._frame.infobar.show_message(
                "Use the FEN?",
                "info",
                ("As a pattern", lambda: self._frame.take_query(pasting.as_pattern(position), "Pattern")),
                ("As a position", lambda: self._searching.run_text(queries_here.exact(position), "Position")),
                key=frame.DROPPED,
                front=True,
            )
        elif found.path is not None:
            self.open_files([found.path])
        elif found.kind == "query":
            self._frame.take_query(found.text, "Pasted query")
        else:
            self._frame.infobar.show_message(found.reason, "warning", key=frame.DROPPED, front=True)

    def show_bad_games(self) -> None:
        """List the games that could not be read completely."""
        if self._bad_dialog is None:
            self._bad_dialog = bad_games.BadGamesDialog(self._frame)
            self._bad_dialog.opened.connect(self._showing.show_game)
        self._bad_dialog.set_games(self._frame.bad_games)
        self._bad_dialog.show()
        self._bad_dialog.raise_()

    def close(self) -> None:
        """Close the dialog about bad games."""
        if self._bad_dialog is not None:
            self._bad_dialog.close()

    def _opening(self, paths: list[Path]) -> None:
        self._frame.opened_anew = True
        for key in (
            frame.OPENING, frame.ASKING, frame.FOUND, frame.GAME, frame.NARROWING, frame.EXPORTING,
            frame.FAULT,
        ):  # fmt: skip
            self._frame.infobar.dismiss(key)
        names = naming.title(paths)
        self._frame.show_progress(f"Opening {names}")
        self._frame.waiting.tell_opening(names)
        self._showing.mark_hits()
        if self._frame.base is None:
            self.base_changed()

    def _base_grown(self, base: base_model.Base) -> None:
        if self._frame.opened_anew:
            # The old base is forgotten even if the new base has the same files, because these files may have
            # changed.
            self._frame.opened_anew = False
            self._leave_base()
        if not self._frame.restoring:
            self._frame.unrestored = None
            self._frame.wanted_hit = ("", 0, 0)
        self._frame.base = base
        self._frame.waiting.tell_games(base.games)
        self._frame.games.set_base(base)
        self._frame.assistance.estimate.set_base(base)
        self._frame.live.set_base(base, anew=not self._frame.opener.busy)
        self._frame.here.set_base(base)
        self._frame.duplicates.set_base(base)
        self._frame.anticipation.set_base(base)
        self.base_changed()
        if base.games and not self._frame.restoring and not self._frame.browser.busy:
            # The number of games is tested, because the first batch of a growing base may have no game.
            self._showing.show_game(1)

    def _opened(self, report: base_model.ImportReport) -> None:
        self._frame.end_progress()
        self._base_grown(report.base)
        self._list_bad_games(report.bad_games)
        for number, message in enumerate(report.messages):
            self._frame.infobar.show_message(message, "warning", key=f"{frame.OPENING}/{number}")
        spoiled = len({bad.game for bad in report.bad_games})
        if report.base.games and spoiled == report.base.games:
            what = "The game" if spoiled == 1 else f"None of the {spoiled:,} games"
            could = "could not be read whole" if spoiled == 1 else "could be read whole"
            self._frame.infobar.show_message(
                f"{what} {could}: is this a PGN file?", "warning", key=frame.OPENING
            )
        if report.cancelled:
            self._frame.infobar.show_message(
                f"Reading was stopped: {wording.games(report.base.games)} can be used; open the file to go "
                "on.",
                "info",
                key=frame.OPENING,
            )
        elif not report.base.games and not report.messages:
            self._frame.infobar.show_message("There are no games in this file.", "warning", key=frame.OPENING)
        asked = self._frame.waiting.take()
        if asked is not None and not report.base.games:
            self._frame.infobar.show_message(
                "There are no games, so the query was not run.", "warning", key=frame.ASKING
            )
        self.base_changed()
        self._frame.narrower.open_base(report.base)
        # The worker processes start now. Without this early start, the next game or search would have to wait
        # for the processes.
        self._frame.jobs.run(lambda _token, _sink: pool.shared().warm(), lambda _done: None, name="warm")
        kept = self._frame.unrestored
        self._frame.restoring = False
        if kept is not None and 0 < kept.game <= report.base.games:
            self._frame.browser.open(report.base, kept.game, kept.positionid)
            self._frame.games.select(kept.game)
        elif kept is not None and report.base.games:
            self._showing.show_game(1)
        if asked is not None and report.base.games:
            self._searching.search(asked.text, asked.path)

    def _open_failed(self, sentence: str) -> None:
        self._frame.end_progress()
        kept = self._frame.unrestored if self._frame.restoring else None
        self._frame.restoring = self._frame.opened_anew = False
        self.base_changed()
        self._showing.mark_hits()
        asked = self._frame.waiting.take()
        if not sentence:
            if asked is not None:
                words = "Opening was stopped, so the query was not run."
                self._frame.infobar.show_message(words, "info", key=frame.ASKING)
            return
        if asked is not None:
            sentence += " The query was not run."
        away = next((name for name in kept.files if not disk.is_file(Path(name))), "") if kept else ""
        action = None
        if kept is not None and away:
            action = ("Locate...", lambda: self._locate(kept, away))
            sentence += " It is looked for again at the next start, unless other games are opened."
        self._frame.infobar.show_message(sentence, "error", action, key=frame.OPENING)

    def _list_bad_games(self, bad: tuple[base_model.BadGame, ...]) -> None:
        self._frame.bad_games = bad
        if self._bad_dialog is not None:
            self._bad_dialog.set_games(bad)

    def _leave_base(self) -> None:
        """Forget everything that belongs to the old base."""
        self._frame.searcher.forget()
        self._frame.examples.forget()
        self._frame.result = None
        self._list_bad_games(())
        self._showing.clear_limit()
        self._frame.hits.clear()
        self._frame.continuing.clear()
        self._frame.pictures.set_result(None, None)
        self._frame.earlier.set_found_by(None, "")
        self._showing.mark_hits()
        self._frame.games.set_base(None)
        self._frame.picker.set_counts(())
        self._frame.narrower.leave_base()
        self._frame.duplicates.set_base(None)
        self._frame.anticipation.set_base(None)
        self._frame.marked.clear()
        self._frame.hits.tell_narrowing("")
        self._frame.browser.clear()

    def base_changed(self) -> None:
        base = self._frame.base
        self._frame.studying.set_base(None if self._frame.opener.busy else base)
        self._show_start()
        paths = [source.path for source in base.sources] if base is not None else []
        if base is None:
            self._frame.games_words.say("No games open")
            self._frame.board.set_hint("Opening games ..." if self._frame.opened_anew else WELCOME)
        else:
            self._frame.board.set_hint("")
            positions = wording.counted(base.positions, "position", "positions")
            words = f"{_title(base)}: {wording.games(base.games)}, {positions}"
            self._frame.games_words.say(words, f"{words}\n{naming.listing(paths)}")
        number = len({bad.game for bad in self._frame.bad_games})
        self._frame.bad_button.setVisible(number > 0)
        self._frame.bad_button.setText(wording.counted(number, "bad game", "bad games"))
        # Qt does not show `[*]` in a title, but uses it as the place of the sign for a changed text. Qt shows
        # a doubled `[*]` as `[*]`.
        self._frame.setWindowTitle(f"{_title(base)} - cqlgui".replace("[*]", "[*][*]") if paths else "cqlgui")
        self._frame.changed.emit()

    def _show_start(self) -> None:
        """Show the start page if there are no games and the user has not gone to the board."""
        on = self._frame.base is None and not self._frame.opened_anew and not self._frame.start_left
        self._frame.start_page.setVisible(on)
        self._frame.split.setVisible(not on)

    def leave_start(self) -> None:
        """Show the board although there are no games."""
        self._frame.start_left = True
        self._show_start()

    def open_sample(self) -> None:
        """Open the sample base."""
        self.open_files([resources.resource("sample/sample.pgn")])

    def _try_theme(self, text: str, title: str) -> None:
        """Search with a query of the start page. If there are no games, search in the sample base."""
        if self._frame.base is None and not self._frame.opener.busy:
            self.open_sample()
        self._searching.run_text(text, title)


def _title(base: base_model.Base | None) -> str:
    """The name of a base; if the base has no name, its files in a few words."""
    if base is None or not base.sources:
        return ""
    return naming.shortened(base.name) or naming.title([source.path for source in base.sources])


def _is_source(path: Path) -> bool:
    return path.is_file() and path.name.lower().endswith((*archives.ENDINGS, bases.ENDING))

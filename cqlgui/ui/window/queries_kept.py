"""The queries that are kept: in files, in the library, and in the history."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import (
    QFileDialog,
    QMessageBox,
)

from cqlgui.base.files import disk
from cqlgui.cql.vocabulary import registry
from cqlgui.tasks.asking import library, queries
from cqlgui.tasks.databases import files, history
from cqlgui.tasks.results import entry_model
from cqlgui.tasks.search import keeping
from cqlgui.ui.look import fitting, naming
from cqlgui.ui.panels import start_page
from cqlgui.ui.reference import history as history_pane
from cqlgui.ui.state import (
    session,
)
from cqlgui.ui.window import frame

CQL_FILES = "CQL queries (*.cql *.cqls);;All files (*)"
SAVED_FILES = "CQL queries (*.cql);;All files (*)"
_YES, _NO = QMessageBox.StandardButton.Yes, QMessageBox.StandardButton.No
_REPLACE = "A query with this name and the ending .cql is there already. Replace it?"


class QueriesKept(QObject):
    """Opens, saves and lists queries."""

    def __init__(self, main: frame.Frame) -> None:
        super().__init__(main)
        self._frame = main
        main.editor.left_unsaved.connect(self._keep_unsaved)
        main.live.remembered.connect(self.fill_history)

    def new_query(self) -> None:
        """Begin an empty query. The user can undo this change."""
        self._frame.editor.set_text("")
        self._frame.show_editor()

    def ask_open_query(self) -> None:
        """Ask for a query file and open the file."""
        fitting.fit_next()
        name, _ = QFileDialog.getOpenFileName(self._frame, "Open query", self._frame.folder, CQL_FILES)
        if name:
            self._frame.folder = str(Path(name).parent)
            self._frame.editor.open_file(name)
            self._frame.show_editor()

    def save_query(self) -> None:
        """Save the query in its file. If the query has no file, ask for a name."""
        if self._frame.editor.path is None:
            self.save_query_as()
        else:
            self._save_query(self._frame.editor.path)

    def save_query_as(self) -> None:
        """Ask for a name and save the query with this name."""
        start = str(self._frame.editor.path or library.own_folder() / "query.cql")
        fitting.fit_next()
        name, _ = QFileDialog.getSaveFileName(self._frame, "Save query", start, SAVED_FILES)
        if name:
            path = Path(name)
            if not path.suffix:
                path = path.with_suffix(queries.ENDINGS[0])
                # The dialog has checked only whether a file with the name without the ending exists. A file
                # with the ending may exist, too, and the user must be asked whether this file may be
                # replaced.
                if disk.is_file(path) and not self._replace():
                    return
            self._save_query(path)

    def _save_query(self, path: Path) -> None:
        what = files.reason(path, keeping.sources(self._frame.base) if self._frame.base is not None else [])
        if what:
            words = f"{path.name} {what} and is not overwritten."
            self._frame.infobar.show_message(words, "error", key=frame.KEEPING, front=True)
        elif self._frame.editor.save(path):
            self.fill_library()

    def _replace(self) -> bool:
        """Ask whether an existing file may be replaced."""
        return QMessageBox.question(self._frame, "Save query", _REPLACE, defaultButton=_NO) == _YES

    def open_queries(self, paths: Sequence[Path]) -> None:
        """Show the first query. The editor can show only one query, and a message names the other files."""
        if paths:
            self._frame.editor.open_file(paths[0])
            self._frame.show_editor()
        if len(paths) > 1:
            first, *others = naming.told_apart(paths[:4])
            names = ", ".join(others) + (" ..." if len(paths) > 4 else "")
            self._frame.infobar.show_message(
                f"One query is shown at a time: {first} was opened, {names} not.",
                "warning",
                key=frame.UNSHOWN,
            )

    def fill_library(self) -> None:
        self._frame.jobs.run(lambda _token, _sink: library.entries(), self._show_library, name="library")

    def load_suggesting(self) -> None:
        """Load what the editor needs when the user misspells a word, before this happens."""
        self._frame.jobs.run(
            lambda _token, _sink: registry.load_suggesting(), lambda _done: None, name="suggesting"
        )

    def _show_library(self, entries: list[entry_model.QueryEntry]) -> None:
        self._frame.library.set_entries(entries)
        self._frame.start_page.set_themes(entries)

    def fill_recent(self) -> None:
        self._frame.jobs.run(
            lambda _token, _sink: start_page.recent(), self._frame.start_page.set_recent, name="recent"
        )

    def fill_history(self) -> None:
        unsaved = [history_pane.unsaved(text, when) for text, when in self._frame.unsaved]
        self._frame.jobs.run(
            lambda _token, _sink: [
                *unsaved,
                *(history_pane.read(entry) for entry in history.entries()),
            ],
            self._frame.history.set_entries,
            name="history",
        )

    def _keep_unsaved(self, text: str) -> None:
        """Add a text to the history. The user has not saved this text, and the editor now shows another
        text."""
        self._frame.unsaved = session.with_unsaved(self._frame.unsaved, text, time.time())
        self.fill_history()

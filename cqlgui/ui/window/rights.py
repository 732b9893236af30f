"""Asks the user before a query reads or writes files, and handles the files that the header of a query names.

The permissions that the user gives are valid until the program ends.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal

from cqlgui.base.files import disk
from cqlgui.cql.editing import structure
from cqlgui.tasks.asking import rights
from cqlgui.tasks.results import search_model
from cqlgui.ui.look import infobar
from cqlgui.ui.window import frame

_WISH, _INPUT, _OUTPUT = "file access", "header input", "header output"
_LONGEST = 80


class Rights(QObject):
    """The questions and messages about the files of the running query.

    The signal `open_wanted` carries the paths of files to open. `run_wanted` is emitted when the query can be
    run. `export_wanted` is emitted when the user wants to export the hits of the query.
    """

    open_wanted = Signal(object)
    run_wanted = Signal()
    export_wanted = Signal()

    def __init__(self, main: frame.Frame) -> None:
        super().__init__(main)
        self._main = main
        # The names of the input file and of the output file in the header of the running query.
        self._named = ("", "")
        main.searcher.wanted.connect(self._ask)
        main.searcher.started.connect(lambda _orbits: self._tell_input())
        main.searcher.finished.connect(self._tell_output)
        main.editor.text_changed.connect(lambda _text: self.dismiss())

    def beside(self, path: Path | None = None) -> Path:
        """The folder for relative file names: the folder of the query file (`path`, or the file in the
        editor). If the query has no file, this is the folder of the games."""
        main = self._main
        path = path or main.editor.path
        if path is not None:
            return path.absolute().parent
        if main.base is not None and main.base.sources:
            return main.base.sources[0].path.absolute().parent
        return Path(main.folder or ".").absolute()

    def open_input(self, text: str) -> infobar.Action | None:
        """The action that opens the input file in the header of a query; None if the header names no existing
        file."""
        name = _header_files(text)[0]
        path = self.beside() / name
        if not name or not disk.is_file(path):
            return None
        return f"Open {_short(path.name)}", lambda: self.open_wanted.emit([path])

    def dismiss(self) -> None:
        """Remove the messages about files. These messages are out of date if the query has changed or is run
        again."""
        for key in (_WISH, _INPUT, _OUTPUT):
            self._main.infobar.dismiss(key)

    def _ask(self, wish: rights.Wish) -> None:
        what = _short(wish.name) if wish.name else "files whose names it makes up"
        main, text = self._main, self._main.asked

        def allow() -> None:
            main.searcher.allow(wish)
            if main.editor.text() == text:
                self.run_wanted.emit()

        doing = _ING[wish.verb]
        words = f"This query wants to {wish.verb} {what}. Allow {doing} in {wish.folder} for this session?"
        main.infobar.show_message(words, infobar.WARNING, (f"Allow {doing}", allow), key=_WISH, front=True)

    def _tell_input(self) -> None:
        # A live search shows no messages.
        self._named = ("", "") if self._main.searcher.live else _header_files(self._main.asked)
        name = self._named[0]
        base = self._main.base
        if not name or base is None:
            return
        path = self.beside() / name
        if any(disk.is_same(source.path, path) for source in base.sources):
            return
        self._main.infobar.show_message(
            f"The header names {_short(name)} as input. It is left out: the window searches the games that "
            "are open.",
            infobar.INFO,
            self.open_input(self._main.asked),
            key=_INPUT,
        )

    def _tell_output(self, result: search_model.SearchResult) -> None:
        name = self._named[1]
        if not name:
            return
        export: infobar.Action = ("Export hits ...", self.export_wanted.emit)
        self._main.infobar.show_message(
            f"The header names {_short(name)} as output. The window writes no file by itself: export the "
            "hits (Ctrl+E).",
            infobar.INFO,
            export if result.games else None,
            key=_OUTPUT,
        )


def _header_files(text: str) -> tuple[str, str]:
    """The names of the input file and of the output file in the header of a query. A name is empty if the
    header does not name the file."""
    if "input" not in text and "output" not in text:
        # A query without the words "input" and "output" is not checked, because checking a long query would
        # block the window.
        return "", ""
    query = structure.checked(text).query
    return (query.header.input or "", query.header.output or "") if query is not None else ("", "")


_ING = {"read": "reading", "write": "writing"}


def _short(name: str) -> str:
    """A file name on one line. The name may come from a stranger's query."""
    plain = " ".join(name.split())
    return plain if len(plain) <= _LONGEST else f"{plain[:_LONGEST]}..."

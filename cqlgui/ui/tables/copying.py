"""Copies selected hits to the clipboard. What rows show is read in jobs, some rows at a time."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut

from cqlgui.base import cells
from cqlgui.ui.look import wording
from cqlgui.ui.loop import jobs
from cqlgui.ui.tables import hits_model, view

MOST = 10_000
"""At most this many rows are copied."""
PIECE = 200
"""The texts of this many rows are made at a time, so that the window goes on."""
_JOB: Final = "copy rows"


class Copying(QObject):
    """Ctrl+C in a table of hits copies the selected rows. `told` carries a sentence for the status bar."""

    told = Signal(str)

    def __init__(self, door: jobs.Jobs, table: view.TableView, hits: hits_model.HitsModel) -> None:
        super().__init__(table)
        self._jobs, self._table, self._hits = door, table, hits
        shortcut = QShortcut(QKeySequence(QKeySequence.StandardKey.Copy), table)
        shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
        shortcut.activated.connect(self.copy)
        hits.modelAboutToBeReset.connect(self._stop)

    def copy(self) -> None:
        """Copy the shown columns of the selected rows, with tabs between the cells. Several rows get a line
        with the titles."""
        stretches = self._table.stretches()
        listed = itertools.chain.from_iterable(range(first, last + 1) for first, last in stretches)
        rows = list(itertools.islice(listed, MOST))
        if not rows:
            return
        selected = sum(last + 1 - first for first, last in stretches)
        columns = self._table.shown_columns()
        if len(rows) > PIECE:
            self.told.emit(f"Copying {wording.number(len(rows))} rows …")
        titles = [hits_model.TITLES[column] for column in columns]
        self._go_on(rows, selected, columns, [titles] if selected > 1 else [])

    def _go_on(
        self, rows: Sequence[int], selected: int, columns: Sequence[int], made: list[list[str]]
    ) -> None:
        """Read the next rows, and add their cells to the lines that were `made`."""
        begin = len(made) - (selected > 1)
        piece = rows[begin : begin + PIECE]
        if not piece:
            self._end(made, len(rows), selected)
            return
        read = self._hits.reading(piece, columns)

        def done(fetched: hits_model.Fetched) -> None:
            for row in piece:
                texts = self._hits.fetched_texts(row, columns, fetched)
                made.append([cells.text_only(text) for text in texts])
            self._go_on(rows, selected, columns, made)

        self._jobs.run(lambda token, _sink: read(token), done, name=_JOB)

    def _end(self, made: list[list[str]], copied: int, selected: int) -> None:
        text = cells.tabbed(made)
        QGuiApplication.clipboard().setText(text if selected > 1 else text.removesuffix("\n"))
        words = wording.counted(copied, "row", "rows")
        if copied < selected:
            words = f"The first {words} of {wording.number(selected)}"
        self.told.emit(f"{words} copied")

    def _stop(self) -> None:
        """The rows are about to change."""
        if self._jobs.cancel(_JOB, drop=True):
            self.told.emit("Nothing was copied, because the rows changed")

"""The pane of duplicates: finds games that are in the base more than once, lists them in groups, and leaves
them out of the tables on request."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QPushButton,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from cqlgui.base import errors, progress
from cqlgui.tasks.likeness import duplicates
from cqlgui.tasks.results import base_model
from cqlgui.ui.likeness import groups, waiting_page
from cqlgui.ui.look import labels, theme, wording
from cqlgui.ui.loop import jobs
from cqlgui.ui.tables import rows

_JOB: Final = "duplicates"
_ABOUT: Final = (
    "Finds games that are in the base more than once: with the same moves, whatever the spelling of the "
    "names, or as the beginning of another game."
)
_FIND: Final = "Find duplicates"


_Found = tuple[duplicates.Duplicates, groups.Rows]


class DuplicatesPane(QWidget):
    """The duplicates of the open base.

    `found` carries the `Duplicates`, or None if they are not known. `left_out` carries the `Duplicates` that
    the tables leave out from now on, or None if they leave out nothing. `opened` carries a game that was
    opened by a double click or Enter.
    """

    found = Signal(object)
    left_out = Signal(object)
    opened = Signal(int)

    def __init__(self, door: jobs.Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Duplicates")
        self._jobs = door
        self._found: duplicates.Duplicates | None = None
        self._cache = rows.RowCache(door, self)
        self.model = groups.GroupsModel(self._cache, self)
        self.list = groups.GroupsView(self.model, self)
        self.list.chosen.connect(self.opened)
        self.page = waiting_page.WaitingPage(_ABOUT, QPushButton(_FIND, self), self)
        self.page.begin.clicked.connect(self.look)
        self.page.cancel.clicked.connect(self.cancel)
        self.summary = labels.Label(self)
        self.summary.setWordWrap(True)
        self.summary.setAccessibleName("What was found")
        self.leave_out = QCheckBox("&Leave out duplicates", self)
        self.leave_out.setToolTip("Show neither these games nor their hits in the tables")
        self.leave_out.toggled.connect(self._switched)
        self.setFocusProxy(self.page.begin)
        self._lay_out()
        theme.theme().changed.connect(self._dress)
        self._dress()
        self.set_base(None)

    def _lay_out(self) -> None:
        again = QToolButton(self)
        again.setText("Find again")
        again.setToolTip("Compare the games again")
        again.clicked.connect(self.look)
        row = QHBoxLayout()
        row.addWidget(self.leave_out)
        row.addStretch(1)
        row.addWidget(again)
        head = QVBoxLayout()
        head.setContentsMargins(8, 6, 8, 6)
        head.setSpacing(6)
        head.addWidget(self.summary)
        head.addLayout(row)
        done = QWidget(self)
        column = QVBoxLayout(done)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.list, 1)
        self._pages = QStackedWidget(self)
        self._pages.addWidget(self.page)
        self._pages.addWidget(done)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self._pages)

    def set_base(self, base: base_model.Base | None) -> None:
        """Look for duplicates in this base from now on. What was found in another base, or when the base had
        fewer games, is forgotten."""
        if self.page.set_base(base):
            self._jobs.cancel(_JOB, drop=True)
            self._cache.set_base(base)
            self._forget()
            self.page.rest(_ABOUT)

    @property
    def busy(self) -> bool:
        """Whether games are being compared."""
        return self._jobs.active(_JOB)

    @property
    def known(self) -> duplicates.Duplicates | None:
        """What was found; None if nothing was looked for."""
        return self._found

    def look(self) -> None:
        """Look for duplicates in the background."""
        base = self.page.base
        if base is None or not base.games:
            return
        self._forget()
        self.page.run("Comparing games…")

        def work(token: progress.CancelToken, sink: progress.ProgressSink) -> _Found:
            found = duplicates.find(base, cancel=token, progress=sink)
            return found, groups.rows_of(found)

        self._jobs.run(
            work,
            self._take,
            self._fail,
            self.page.tell,
            name=_JOB,
            on_cancelled=lambda: self.page.rest(f"Stopped. {_ABOUT}"),
        )

    def cancel(self) -> None:
        """Stop looking."""
        self._jobs.cancel(_JOB)

    def show_all(self) -> None:
        """Turn the switch off, because the tables show all games again. `left_out` is not emitted."""
        with QSignalBlocker(self.leave_out):
            self.leave_out.setChecked(False)
        self._say()

    def _forget(self) -> None:
        self.leave_out.setChecked(False)
        self._pages.setCurrentIndex(0)
        self.setFocusProxy(self.page.begin)
        if self._found is not None:
            self._found = None
            self.model.show_rows(groups.NO_ROWS)
            self.found.emit(None)

    def _take(self, made: _Found) -> None:
        found, listed = made
        if not len(found.left_out):
            self.page.rest(f"None of the {wording.games(found.games)} is there twice.")
        else:
            self.model.show_rows(listed)
            self._pages.setCurrentIndex(1)
            self.setFocusProxy(self.list)
        self._found = found
        self.found.emit(found)
        self._say()

    def _fail(self, error: errors.CqlguiError) -> None:
        self.page.rest(str(error), fault=True)

    def _switched(self, on: bool) -> None:
        self._say()
        self.left_out.emit(self._found if on else None)

    def _say(self) -> None:
        if self._found is not None:
            self.summary.setText(told(self._found, left_out=self.leave_out.isChecked()))

    def _dress(self) -> None:
        self.list.viewport().update()
        self.list.setStyleSheet(f"QListView {{ border-top: 1px solid {theme.colours().border}; }}")


def told(found: duplicates.Duplicates, *, left_out: bool = True) -> str:
    """What was decided: `17 of 7,000 games are left out: 12 with the same moves, 5 that another game
    continues`."""
    beginnings = int(found.beginning.sum())
    count = len(found.left_out)
    parts = []
    if count - beginnings:
        parts.append(f"{wording.number(count - beginnings)} with the same moves")
    if beginnings:
        parts.append(f"{wording.number(beginnings)} that another game continues")
    what = "are left out" if left_out else "are duplicates"
    what = what.replace("are", "is").replace("duplicates", "a duplicate") if count == 1 else what
    return f"{wording.number(count)} of {wording.games(found.games)} {what}: {', '.join(parts)}."

"""The pane of anticipations: for each study of a file, or for a position, the nearest positions of the open
base, ranked, with the transform that turns one into the other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from cqlgui.base import errors, plurals
from cqlgui.board import motions
from cqlgui.board.position import Position
from cqlgui.tasks.likeness import anticipation
from cqlgui.tasks.results import base_model
from cqlgui.ui.likeness import boards, comparing, two_lines, waiting_page
from cqlgui.ui.look import fitting, labels, theme, wording
from cqlgui.ui.loop import jobs
from cqlgui.ui.tables import rows

_JOB: Final = "anticipation"
_ABOUT: Final = (
    "Drop a PGN of studies here to find the nearest positions of the open games, also if they are turned, "
    "mirrored, shifted, or have the colours swapped."
)
_FILES: Final = "Studies (*.pgn *.pgn.gz *.pgn.bz2 *.pgn.zst *.zip);;All files (*)"
_SHARES: Final = (2, 3)
"""The shares of the entries and of the nearest games in the width."""


class AnticipationPane(QWidget):
    """The nearest positions for some entries.

    `opened` carries the game and the position to show, after a double click or Enter. `here_wanted` is
    emitted when the user wants the position on the board to be compared.
    """

    opened = Signal(int, int)
    here_wanted = Signal()

    def __init__(self, door: jobs.Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Anticipation")
        self.setAcceptDrops(True)
        self._jobs = door
        self._answer: comparing.Answer | None = None
        self.folder = ""
        """The folder where the dialog for files begins."""
        self.page = waiting_page.WaitingPage(_ABOUT, self._make_button("Choose studies"), self)
        self.page.cancel.clicked.connect(self.cancel)
        self.summary = labels.Label(self)
        self.summary.setWordWrap(True)
        self.entries = _list("Studies", self)
        self.entries.currentRowChanged.connect(self._show_entry)
        self.nearest = _list("Nearest positions", self)
        self.nearest.currentRowChanged.connect(self._show_near)
        self.nearest.itemActivated.connect(lambda _item: self._open())
        self.reason = labels.Label(self)
        self.reason.setWordWrap(True)
        self.reason.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.reason.setMargin(16)
        self.boards = boards.Boards(self)
        self.words = labels.Label(self)
        self.words.setWordWrap(True)
        self.words.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._lay_out()
        paste = QShortcut(QKeySequence(QKeySequence.StandardKey.Paste), self)
        paste.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        paste.activated.connect(self.paste)
        theme.theme().changed.connect(self._dress)
        self._dress()
        self.set_base(None)

    def _make_button(self, title: str) -> QPushButton:
        """A button with a menu of the ways to choose studies."""
        button = QPushButton(f"{title} ▾", self)
        # Qt would draw its own arrow over the text.
        button.setStyleSheet("QPushButton::menu-indicator { image: none; }")
        menu = QMenu(button)
        menu.addAction("&Choose a PGN of studies…", self.choose)
        menu.addAction("&Paste a position (FEN) or studies (PGN)", self.paste)
        menu.addAction("&This position on the board", self.here_wanted.emit)
        button.setMenu(menu)
        return button

    def _lay_out(self) -> None:
        again = self._make_button("Other studies")
        head = QHBoxLayout()
        head.setContentsMargins(8, 6, 8, 6)
        head.setSpacing(10)
        head.addWidget(self.summary, 1)
        head.addWidget(again, 0, Qt.AlignmentFlag.AlignTop)
        self._right = QStackedWidget(self)
        self._right.addWidget(self.nearest)
        self._right.addWidget(self.reason)
        lists = QSplitter(Qt.Orientation.Horizontal, self)
        lists.setChildrenCollapsible(False)
        lists.addWidget(self.entries)
        lists.addWidget(self._right)
        for place, share in enumerate(_SHARES):
            lists.setStretchFactor(place, share)
        below = QWidget(self)
        shown = QVBoxLayout(below)
        shown.setContentsMargins(8, 6, 8, 8)
        shown.setSpacing(2)
        shown.addWidget(self.boards, 1)
        shown.addWidget(self.words)
        self._below = below
        split = QSplitter(Qt.Orientation.Vertical, self)
        split.setChildrenCollapsible(False)
        split.addWidget(lists)
        split.addWidget(below)
        split.setStretchFactor(0, 1)
        done = QWidget(self)
        column = QVBoxLayout(done)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(split, 1)
        self._pages = QStackedWidget(self)
        self._pages.addWidget(self.page)
        self._pages.addWidget(done)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self._pages)

    # --- what is asked ---

    def set_base(self, base: base_model.Base | None) -> None:
        """Compare with this base from now on. What was found in another base, or when the base had fewer
        games, is forgotten."""
        if self.page.set_base(base):
            self._jobs.cancel(_JOB, drop=True)
            self._rest(_ABOUT)

    @property
    def busy(self) -> bool:
        """Whether studies are being compared."""
        return self._jobs.active(_JOB)

    @property
    def answer(self) -> comparing.Answer | None:
        """What was found last."""
        return self._answer

    def choose(self) -> None:
        """Let the user choose a file of studies."""
        fitting.fit_next()
        name, _ = QFileDialog.getOpenFileName(self, "Studies to compare", self.folder, _FILES)
        if name:
            self.compare_files([Path(name)])

    def paste(self) -> None:
        """Compare the position or the studies on the clipboard."""
        self.compare_text(QGuiApplication.clipboard().text())

    def compare_files(self, paths: Sequence[Path]) -> None:
        """Compare the games of some files."""
        base = self.page.base
        if base is not None:
            self.folder = str(paths[0].absolute().parent)
            self._run(comparing.files(paths, base))

    def compare_text(self, text: str) -> None:
        """Compare a position (FEN) or studies (PGN)."""
        base = self.page.base
        if base is not None:
            self._run(comparing.text(text, base))

    def compare_position(self, position: Position, besides: int = 0) -> None:
        """Compare a position with all games but the game `besides`."""
        base = self.page.base
        if base is not None:
            self._run(comparing.position(position, base, besides))

    def cancel(self) -> None:
        """Stop comparing."""
        self._jobs.cancel(_JOB)

    def _run(self, work: jobs.Work[comparing.Answer]) -> None:
        self._answer = None
        self._pages.setCurrentIndex(0)
        self.page.run("Reading the studies…")
        self._jobs.run(
            work,
            self._take,
            self._fail,
            self.page.tell,
            name=_JOB,
            on_cancelled=lambda: self._rest(f"Stopped. {_ABOUT}"),
        )

    # --- what is shown ---

    def _rest(self, words: str, *, fault: bool = False) -> None:
        self._answer = None
        self._pages.setCurrentIndex(0)
        self.page.rest(words, fault=fault)
        self.setFocusProxy(self.page.begin)

    def _fail(self, error: errors.CqlguiError) -> None:
        self._rest(str(error), fault=True)

    def _take(self, answer: comparing.Answer) -> None:
        # While the list is emptied, its current row still belongs to the answer before.
        self.entries.clear()
        self._answer = answer
        found = answer.found
        self.summary.setText(_summary(answer))
        for entry in found.entries:
            self.entries.addItem(_entry_item(entry, answer))
        # A list of a single entry would say nothing.
        self.entries.setVisible(len(found.entries) > 1)
        self._pages.setCurrentIndex(1)
        self.setFocusProxy(self.nearest if len(found.entries) == 1 else self.entries)
        self.entries.setCurrentRow(0)

    def _entry(self) -> anticipation.Entry | None:
        row = self.entries.currentRow()
        return self._answer.found.entries[row] if self._answer is not None and row >= 0 else None

    def _near(self) -> anticipation.Near | None:
        entry, row = self._entry(), self.nearest.currentRow()
        return entry.nearest[row] if entry is not None and 0 <= row < len(entry.nearest) else None

    def _show_entry(self, _row: int) -> None:
        entry, answer = self._entry(), self._answer
        self.nearest.clear()
        if entry is None or answer is None:
            return
        for rank, near in zip(entry.ranks, entry.nearest, strict=True):
            self.nearest.addItem(_near_item(rank, entry.ranks.count(rank) > 1, near, answer.games[near.game]))
        self.reason.setText(entry.reason or "No position has a man in common with it.")
        self._right.setCurrentWidget(self.nearest if entry.nearest else self.reason)
        self._below.setVisible(bool(entry.nearest))
        self.nearest.setCurrentRow(0)

    def _show_near(self, _row: int) -> None:
        near = self._near()
        self.boards.show_near(near)
        if near is not None:
            moved = near.motion != motions.STILL
            turned = f"{near.words}  ({near.transform})" if moved else "as it stands"
            men = f"{near.same} of {wording.counted(near.men, 'man', 'men')} on the same squares"
            others = self.boards.men - near.same
            if others:
                men += f", {others} more in the game"
            self.words.setText(f"{men} · {turned}")

    def _open(self) -> None:
        near = self._near()
        if near is not None:
            # The positions of the main line come first, so their numbers are those of the plies.
            self.opened.emit(near.game, near.ply)

    def _dress(self) -> None:
        scheme = theme.colours()
        for label in (self.words, self.reason):
            label.setStyleSheet(f"color: {scheme.muted};")
        for view in (self.entries, self.nearest):
            view.setStyleSheet(
                f"QListWidget {{ border: 0; border-top: 1px solid {scheme.border};"
                f" border-bottom: 1px solid {scheme.border}; }}"
            )

    # --- drops ---

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        data = event.mimeData()
        if self.page.base is not None and (any(url.isLocalFile() for url in data.urls()) or data.hasText()):
            # Files and texts are copied, because the other program must keep them.
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()

    def dropEvent(self, event: QDropEvent) -> None:
        data = event.mimeData()
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
        paths = [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
        if paths:
            self.compare_files(paths)
        elif data.hasText():
            self.compare_text(data.text())


def _list(name: str, parent: QWidget) -> QListWidget:
    made = QListWidget(parent)
    made.setAccessibleName(name)
    made.setItemDelegate(two_lines.TwoLines(made))
    made.setUniformItemSizes(True)
    made.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    made.setMinimumSize(120, 50)
    return made


def _summary(answer: comparing.Answer) -> str:
    found = answer.found
    what = (
        "The position was" if not answer.entries else wording.counted(len(found.entries), "study", "studies")
    )
    words = (
        f"{what} compared with {wording.counted(found.positions, 'position', 'positions')} of "
        f"{wording.counted(found.games, 'composition', 'compositions')}."
    )
    return " ".join([words, *answer.messages])


def _players(row: base_model.GameRow | None) -> str:
    return "" if row is None else wording.straight(f"{row.white or '?'} - {row.black or '?'}")


def _entry_item(entry: anticipation.Entry, answer: comparing.Answer) -> QListWidgetItem:
    header = answer.entries.get(entry.number)
    title = f"{wording.number(entry.number)}. {_players(header)}" if header is not None else "The position"
    about = entry.reason or (
        f"nearest {_percent(entry.nearest[0].score)}" if entry.nearest else "nothing near"
    )
    return _item(title, about)


def _near_item(rank: int, tied: bool, near: anticipation.Near, row: base_model.GameRow) -> QListWidgetItem:
    place = f"{rank}=" if tied else f"{rank}."
    about = [
        f"game {wording.number(near.game)}",
        rows.known(row.date.replace(".??", "")),
        rows.known(row.event),
    ]
    return _item(f"{place} {_percent(near.score)}  {_players(row)}", " · ".join(filter(None, about)))


def _percent(score: float) -> str:
    """A score in percent. Only equal positions have 100%."""
    return plurals.percent(score, 0 if score == 1 else 1)


def _item(title: str, about: str) -> QListWidgetItem:
    item = QListWidgetItem(title)
    about = wording.straight(about)
    item.setData(two_lines.ABOUT, about)
    item.setToolTip(wording.plain_tip(f"{title}\n{about}"))
    item.setData(int(Qt.ItemDataRole.AccessibleTextRole), f"{title}. {about}")
    return item

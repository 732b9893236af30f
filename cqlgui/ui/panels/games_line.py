"""The line that narrows games by their headers. It completes fields and the names of players and events."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from PySide6.QtCore import QModelIndex, QStringListModel, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCompleter, QLineEdit, QWidget

from cqlgui.db import game_filter
from cqlgui.tasks.databases import games as games_task
from cqlgui.tasks.results import base_model
from cqlgui.ui.look import wording
from cqlgui.ui.loop import jobs

DELAY = 180
"""The line is applied when no key was pressed for this many milliseconds."""
_JOB = "names for the line of games"
_LEAST = 2
"""Names are offered after this many letters."""

TIP = (
    "Every word must stand in the players, event, site, date, ECO code or result.\n"
    "white:  black:  player:  event:  site:  round:  date:  result:  eco:  opening:  file:\n"
    "look in one of them, as in player:steinitz eco:C or eco:B20-B99; a text with spaces goes in quotes.\n"
    "elo  whiteelo  blackelo  year  plies  are numbers, as in elo>2600 year:1990-2000\n"
    "A minus before a term negates it, as in -result:1/2-1/2"
)
_SIGNS = {"elo": ">", "whiteelo": ">", "blackelo": ">", "plies": ">"}
"""The sign that usually follows a field, if it is no colon."""


class GamesLine(QLineEdit):
    """`applied` carries the text when the user has paused or pressed Enter. `entered` is emitted at Enter."""

    applied = Signal(str)
    entered = Signal()

    def __init__(self, door: jobs.Jobs, placeholder: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._jobs = door
        self._base: base_model.Base | None = None
        self._applied = ""
        self._held = False
        self.setPlaceholderText(placeholder)
        self.setClearButtonEnabled(True)
        self.setToolTip(wording.plain_tip(TIP))
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(DELAY)
        self._timer.timeout.connect(self.apply_now)
        self._offers = QStringListModel(self)
        self._popup = QCompleter(self._offers, self)
        self._popup.setWidget(self)
        self._popup.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self._popup.activated.connect(self._take)
        shown = self._popup.popup()
        assert shown is not None
        self._list = shown
        # The place of the word that is completed: its begin and its end.
        self._place = (0, 0)
        self.textChanged.connect(lambda _text: self._timer.start())
        self.textEdited.connect(lambda _text: self._offer())
        self.returnPressed.connect(self._entered)

    def set_base(self, base: base_model.Base | None) -> None:
        """Offer names of this base."""
        self._base = base

    def put(self, text: str) -> None:
        """Show a text that is applied already."""
        self.setText(text)
        self._timer.stop()
        self._applied = text

    def leave(self) -> None:
        """The applied text applies no longer. It is removed, unless the user has changed it since."""
        if self.text() == self._applied:
            self.put("")
        else:
            self._applied = ""

    def hold(self) -> None:
        """Apply nothing until `release`, because what the text applies to is not there yet."""
        self._held = True

    def release(self) -> None:
        """Apply what the user has typed since `hold`."""
        self._held = False
        if self.text() != self._applied:
            self._timer.start()

    def apply_now(self) -> None:
        """Apply the text if it differs from the text that was applied last."""
        self._timer.stop()
        if self.text() != self._applied and not self._held:
            self._applied = self.text()
            self.applied.emit(self._applied)

    @property
    def pending(self) -> bool:
        """Whether the text will be applied in a moment."""
        return self._timer.isActive()

    def _entered(self) -> None:
        self.apply_now()
        self.entered.emit()

    def _offer(self) -> None:
        """Offer completions of the word before the caret."""
        begin, field, beginning = word_before(self.text(), self.cursorPosition())
        self._place = begin, self.cursorPosition()
        self._list.hide()
        self._jobs.cancel(_JOB, drop=True)
        if field is None:
            listed = fields_like(beginning)
            self._show(listed)
            return
        base = self._base
        if base is None or len(beginning) < _LEAST:
            return
        make: Callable[[object, object], list[str]] = lambda _token, _sink: games_task.names(  # noqa: E731
            base, field, beginning
        )
        self._jobs.run(
            make, lambda names: self._show([quoted(name) for name in names]), self._none, name=_JOB
        )

    def _none(self, _error: object) -> None:
        """Offer nothing. The line itself says what is wrong when it is applied."""

    def _show(self, listed: Sequence[str]) -> None:
        begin, end = self._place
        if not self.hasFocus() or not listed or list(listed) == [self.text()[begin:end]]:
            return
        self._offers.setStringList(list(listed))
        self._popup.complete()
        # Enter applies the text. It takes an offer only if the user has chosen one with an arrow key.
        self._list.setCurrentIndex(QModelIndex())

    def _take(self, chosen: str) -> None:
        """Replace the word by what the user chose."""
        begin, end = self._place
        text = self.text()
        space = "" if chosen[-1] in ":>" or text[end : end + 1] == " " else " "
        self.setText(text[:begin] + chosen + space + text[end:])
        self.setCursorPosition(begin + len(chosen) + len(space))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        shown = self._list.isVisible()
        if event.key() == Qt.Key.Key_Escape and not shown and self.text():
            self.clear()
            self.apply_now()
            event.accept()
            return
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab) and self._chosen():
            # The completer takes the key.
            event.ignore()
            return
        super().keyPressEvent(event)

    def focusNextPrevChild(self, following: bool) -> bool:
        # Tab takes the offer that the user has chosen, and does not leave the line then.
        return not self._chosen() and super().focusNextPrevChild(following)

    def _chosen(self) -> bool:
        """Whether the user has chosen an offer, and has not taken it yet."""
        return self._list.isVisible() and self._list.currentIndex().isValid()


_TERM = re.compile(r'-?(?:([A-Za-z_]+)\s*[:=]\s*)?("[^"]*"?|[^\s"]*)')


def word_before(text: str, caret: int) -> tuple[int, str | None, str]:
    """The word before the caret: where the part to complete begins, the field before it or None, and the part
    itself without a quotation mark. A text in quotes that is closed is not completed."""
    place = 0
    while place < caret:
        match = _TERM.match(text, place, caret)
        assert match is not None
        closed = match[2].endswith('"') and len(match[2]) > 1
        if match.end() == caret and match.end() > place and not closed:
            return match.start(2), match[1], match[2].lstrip('"')
        place = max(match.end(), place + 1)
    return caret, None, ""


def fields_like(beginning: str) -> list[str]:
    """The fields that begin with some letters, with the sign that usually follows."""
    if not beginning:
        return []
    return [name + _SIGNS.get(name, ":") for name in game_filter.FIELDS if name.startswith(beginning.lower())]


def quoted(name: str) -> str:
    """A text as a value of a field."""
    plain = name.replace('"', " ").strip()
    return f'"{plain}"' if " " in plain or not plain else plain

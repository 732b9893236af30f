"""A page for work on a base that has not begun or is under way: a sentence with a button, or a progress
bar."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from cqlgui.base import progress
from cqlgui.tasks.results import base_model
from cqlgui.ui.look import bars, labels, theme


class WaitingPage(QWidget):
    """`begin` is the button that begins the work, and `cancel` the button that stops it. `base` is the base
    that the work is about; None if no games are open."""

    def __init__(self, words: str, begin: QAbstractButton, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.base: base_model.Base | None = None
        self._fault = False
        self._words = labels.Label(self)
        self._words.setWordWrap(True)
        self._words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._words.setMaximumWidth(_WIDEST)
        # A label that wraps its words takes too little height if its width is not fixed by its neighbours.
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self._words.setSizePolicy(policy)
        self.begin = begin
        self.cancel = QPushButton("Cancel", self)
        self._bar = bars.Bar(220, self)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 16, 20, 16)
        column.setSpacing(12)
        column.addStretch(1)
        middle = QHBoxLayout()
        middle.addStretch(1)
        middle.addWidget(self._words, 100)
        middle.addStretch(1)
        column.addLayout(middle)
        for widget in (self._bar, self.begin, self.cancel):
            column.addWidget(widget, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(2)
        theme.theme().changed.connect(self._dress)
        self.rest(words)

    def words(self) -> str:
        """The sentence that is shown."""
        return self._words.text()

    def set_base(self, base: base_model.Base | None) -> bool:
        """Work on this base from now on. Returns whether it is another base, or has other games than before,
        so that what was found before no longer holds."""
        former, self.base = self.base, base
        return base is None or former is None or (base.id, base.games) != (former.id, former.games)

    def rest(self, words: str, *, fault: bool = False) -> None:
        """Show a sentence and the button. Without games the work cannot begin, and this is said too. `fault`
        says whether the sentence is about a fault."""
        able = self.base is not None and self.base.games > 0
        self._fault = fault
        self._words.setText(labels.cut(words if able else f"{words} {_NO_BASE}"))
        self.begin.setVisible(True)
        self.begin.setEnabled(able)
        self._bar.setVisible(False)
        self.cancel.setVisible(False)
        self._dress()

    def run(self, words: str) -> None:
        """Show that the work is under way."""
        self._fault = False
        self._words.setText(words)
        self._bar.say(0, 0)
        self._bar.setVisible(True)
        self.cancel.setVisible(True)
        self.begin.setVisible(False)
        self._dress()

    def tell(self, report: progress.Progress) -> None:
        """Show how far the work is."""
        self._bar.say(report.done, report.total or 0)
        if report.words:
            self._words.setText(f"{report.words}…")

    def _dress(self) -> None:
        colours = theme.colours()
        self._words.setStyleSheet(f"color: {colours.error if self._fault else colours.muted};")


_NO_BASE = "Open games first."
_WIDEST = 420
"""A wider column of text is hard to read."""

"""The page of the pane while no study is open: what a study is, and ways to begin."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from cqlgui.tasks.studies import study_text
from cqlgui.ui.look import labels, naming, theme, wording

_WORDS = (
    "A study is a file that names queries and bases. It searches every base with every query, and makes one "
    "table of what it found."
)
_MOST = 4
"""The greatest number of studies that were opened lately and are offered here."""
_WIDEST = 420


class Welcome(QWidget):
    """`open_wanted` and `example_wanted` are emitted when the user wants to choose a study, or to save an
    example of one. `chosen` carries the path of a study."""

    open_wanted = Signal()
    example_wanted = Signal()
    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = labels.Label(self)
        self._words.setText(_WORDS)
        self._words.setWordWrap(True)
        self.open = QPushButton("Open study…", self)
        self.open.setProperty("primary", True)
        self.open.setToolTip("Open a study file (.toml), or drop one on the window")
        self.open.clicked.connect(self.open_wanted)
        self.example = QPushButton("Save an example study…", self)
        self.example.setToolTip("Write a short study with comments, to be changed in any text editor")
        self.example.clicked.connect(self.example_wanted)
        self._heading = labels.Label(self)
        self._heading.setText("Or begin with one of these")
        self._listed: list[QPushButton] = []
        self._column = QVBoxLayout()
        self._column.setSpacing(6)
        inner = QWidget(self)
        inner.setMaximumWidth(_WIDEST)
        inner.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        column = QVBoxLayout(inner)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self._words)
        column.addSpacing(4)
        column.addWidget(self.open)
        column.addWidget(self.example)
        column.addSpacing(10)
        column.addWidget(self._heading)
        column.addLayout(self._column)
        middle = QHBoxLayout()
        middle.addStretch(1)
        middle.addWidget(inner, 100)
        middle.addStretch(1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(16, 16, 16, 16)
        outer.addStretch(1)
        outer.addLayout(middle)
        outer.addStretch(2)
        theme.theme().changed.connect(self._dress)
        self._dress()
        self.set_recent(())

    def set_recent(self, recent: Sequence[Path]) -> None:
        """Offer studies that were opened lately, and those that come with the program."""
        for button in self._listed:
            button.deleteLater()
        self._listed = []
        shipped = list(study_text.shipped().values())
        for path in (*[one for one in recent if one not in shipped][:_MOST], *shipped):
            words = naming.shortened(path.stem.capitalize() if path in shipped else path.name)
            button = QPushButton(words.replace("&", "&&"), self)
            button.setToolTip(wording.plain_tip(str(path)))
            button.clicked.connect(lambda _checked=False, path=path: self.chosen.emit(path))
            self._column.addWidget(button)
            self._listed.append(button)

    def _dress(self) -> None:
        self._heading.setStyleSheet(f"color: {theme.colours().muted};")

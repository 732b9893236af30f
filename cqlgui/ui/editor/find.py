"""The small bar under the query, which finds text in the query."""

from __future__ import annotations

import re

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QToolButton, QWidget

from cqlgui.ui.editor import edit
from cqlgui.ui.look import labels, wording

_MOST = 1_000  # the greatest number of matches that are marked


class FindBar(QWidget):
    """Ctrl+F opens the bar. Enter goes to the next match, Shift+Enter goes to the previous match, and Esc
    closes the bar."""

    closed = Signal()

    def __init__(self, editor: edit.QueryEdit, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._editor = editor
        self._spans: list[tuple[int, int]] = []
        self.needle = QLineEdit(self)
        self.needle.setPlaceholderText("Find in the query")
        self.needle.setAccessibleName("Find in the query")
        self.needle.setClearButtonEnabled(True)
        self._cased = QToolButton(self)
        self._cased.setText("Aa")
        self._cased.setCheckable(True)
        self._cased.setToolTip("Match case: K is the white king and k the black one")
        self._cased.setAccessibleName("Match case")
        self._cased.setChecked(True)
        self._count = labels.Label(self)
        self._count.setAccessibleName("Matches")
        row = QHBoxLayout(self)
        row.setContentsMargins(6, 4, 6, 4)
        row.addWidget(self.needle, 1)
        row.addWidget(self._count)
        row.addWidget(self._cased)
        for sign, words, step in (("▲", "Previous match (Shift+Enter)", -1), ("▼", "Next match (Enter)", 1)):
            row.addWidget(self._button(sign, words, step))
        close = QToolButton(self)
        close.setText("✕")
        close.setAutoRaise(True)
        close.setToolTip("Close (Esc)")
        close.setAccessibleName("Close the find bar")
        close.clicked.connect(self.dismiss)
        row.addWidget(close)
        self.needle.textChanged.connect(self._search)
        self._cased.toggled.connect(self._search)
        editor.changed.connect(self._text_changed)
        self.hide()

    def open(self) -> None:
        """Show the bar. If a part of one line is selected, the selected text becomes the text to find."""
        start, end = self._editor.selection()
        chosen = self._editor.text()[start:end]
        self.show()
        if chosen and "\n" not in chosen:
            self.needle.setText(chosen)
        self.needle.setFocus()
        self.needle.selectAll()
        self._search()

    def dismiss(self) -> None:
        """Hide the bar and the marks of matches, and give the focus back to the query."""
        self.hide()
        self._editor.set_found([])
        self._editor.setFocus()
        self.closed.emit()

    def step(self, by: int) -> None:
        """Select the next match (`by` is 1) or the previous match (`by` is -1). After the last match, the
        next match is the first match again."""
        if not self._spans:
            return
        here = self._editor.selection()
        if by > 0:
            later = [span for span in self._spans if span[0] >= here[1] and span != here]
            span = later[0] if later else self._spans[0]
        else:
            earlier = [span for span in self._spans if span[1] <= here[0]]
            span = earlier[-1] if earlier else self._spans[-1]
        self._editor.select(*span)
        self._count.setText(f"{self._spans.index(span) + 1:,} of {len(self._spans):,}")

    def _button(self, sign: str, words: str, by: int) -> QToolButton:
        button = QToolButton(self)
        button.setText(sign)
        button.setAutoRaise(True)
        button.setToolTip(wording.plain_tip(words))
        button.setAccessibleName(words)
        button.clicked.connect(lambda: self.step(by))
        return button

    def _text_changed(self) -> None:
        if self.isVisible():
            self._search()

    def _search(self) -> None:
        needle = self.needle.text()
        flags = re.NOFLAG if self._cased.isChecked() else re.IGNORECASE
        self._spans = []
        if needle:
            for found in re.finditer(re.escape(needle), self._editor.text(), flags):
                self._spans.append(found.span())
                if len(self._spans) == _MOST:
                    break
        self._editor.set_found(self._spans)
        many = "+" if len(self._spans) == _MOST else ""
        self._count.setText(f"{len(self._spans):,}{many} found" if needle else "")

    def event(self, event: QEvent) -> bool:
        # Esc closes the bar. Without this test, Esc would trigger a shortcut of the window.
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Escape
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.dismiss()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.step(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
        else:
            super().keyPressEvent(event)
            return
        event.accept()

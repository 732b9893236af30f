"""The switch above the board, which chooses Game mode or Pattern mode."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QSizePolicy, QToolButton, QWidget

from cqlgui.ui.look import theme, wording

HEIGHT = 24


class Switch(QWidget):
    """Two buttons: the button of the current mode is checked. The signal `changed` carries the mode that the
    user chooses; True means Pattern mode."""

    changed = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("What the board shows")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        group = QButtonGroup(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        self.game, self.pattern = QToolButton(), QToolButton()
        for button, words, tip in (
            (self.game, "Game", "The game on the board (Ctrl+B)"),
            (self.pattern, "Pattern", "Draw what to look for on the board (Ctrl+B)"),
        ):
            button.setText(words)
            button.setCheckable(True)
            button.setFixedHeight(HEIGHT)
            button.setToolTip(wording.plain_tip(tip))
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            group.addButton(button)
            row.addWidget(button)
        self.game.setChecked(True)
        self.game.clicked.connect(lambda: self.changed.emit(False))
        self.pattern.clicked.connect(lambda: self.changed.emit(True))
        theme.theme().changed.connect(self._dress)
        self._dress()

    def show_mode(self, pattern: bool) -> None:
        """Check the button of a mode; True means Pattern mode."""
        (self.pattern if pattern else self.game).setChecked(True)

    def _dress(self) -> None:
        colours = theme.colours()
        self.setStyleSheet(
            f"QToolButton {{ border: 1px solid {colours.border}; border-radius: 0; padding: 1px 12px;"
            f" background: {colours.raised}; color: {colours.text}; }}"
            f"QToolButton:checked {{ background: {colours.accent}; color: {colours.accent_text};"
            f" border-color: {colours.accent}; font-weight: bold; }}"
            f"QToolButton:focus, QToolButton:hover:!checked {{ border-color: {colours.accent}; }}"
        )

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), HEIGHT)

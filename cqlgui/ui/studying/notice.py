"""A message in the pane of studies, with a button for what can be done about it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QPushButton, QSizePolicy, QToolButton, QWidget

from cqlgui.ui.look import infobar, labels, naming, theme, wording


class Notice(QFrame):
    """One message, of a kind as in `look.infobar`. It is hidden while there is none."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("notice")
        self.setAccessibleName("Message about the study")
        self._action: Callable[[], None] | None = None
        self._sign = infobar.Sign(self)
        self._text = labels.Label(self)
        self._text.setWordWrap(True)
        self._text.setMinimumWidth(labels.NARROWEST)
        self._text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.button = QPushButton(self)
        self.button.clicked.connect(self._act)
        close = QToolButton(self)
        close.setText("✕")
        close.setToolTip("Close this message")
        close.setAccessibleName("Close this message")
        close.clicked.connect(self.clear)
        grid = QGridLayout(self)
        grid.setContentsMargins(8, 5, 5, 5)
        grid.setHorizontalSpacing(8)
        grid.setColumnStretch(1, 1)
        grid.addWidget(self._sign, 0, 0, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(self._text, 0, 1)
        grid.addWidget(close, 0, 2, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(self.button, 1, 1, Qt.AlignmentFlag.AlignLeft)
        theme.theme().changed.connect(self._dress)
        self._dress()
        self.hide()

    @property
    def text(self) -> str:
        """The message; empty if there is none."""
        return "" if self.isHidden() else self._text.text()

    def say(
        self, text: str, kind: str, action: tuple[str, Callable[[], None]] | None = None, *, tip: str = ""
    ) -> None:
        """Show a message, with the title of a button and what the button does."""
        self._text.setText(labels.cut(text))
        self._text.setToolTip(wording.plain_tip(tip or text))
        self._sign.set_kind(kind)
        self._action = None if action is None else action[1]
        self.button.setVisible(action is not None)
        if action is not None:
            self.button.setText(naming.shortened(action[0]).replace("&", "&&"))
        self.show()

    def clear(self) -> None:
        """Show no message."""
        self._action = None
        self.hide()

    def _act(self) -> None:
        action = self._action
        self.clear()
        if action is not None:
            action()

    def _dress(self) -> None:
        colours = theme.colours()
        self.setStyleSheet(
            f"#notice {{ background: {colours.raised}; border: 1px solid {colours.border};"
            " border-radius: 5px; }"
        )

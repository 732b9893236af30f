"""A bar for messages that does not get in the way: nothing modal, one message at a time, the others wait."""

from __future__ import annotations

import collections
from collections.abc import Callable

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QColor,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QSizePolicy, QToolButton, QWidget

from cqlgui.base.data import dataclass
from cqlgui.ui import canvas, theme
from cqlgui.ui.panels import labels, wording

INFO, WARNING, ERROR = "info", "warning", "error"
Action = tuple[str, Callable[[], None]]
"""Words of a button, and what it does."""


@dataclass(frozen=True, slots=True)
class Message:
    """A text of one of the kinds `info`, `warning` and `error`, with what can be done about it. `key` names
    what it is about.
    """

    text: str
    kind: str
    action: Action | None = None
    key: str = ""


class InfoBar(QFrame):
    """Hidden while there is nothing to say. `closed` comes when the last message has gone."""

    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("infobar")
        self.setAccessibleName("Message")
        self._queue: collections.deque[Message] = collections.deque()
        self._shown: Message | None = None
        self._sign = Sign(self)
        self._text = labels.Label(self)
        self._text.setWordWrap(True)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._waiting = labels.Label(self)
        self._action = QPushButton(self)
        self._close = QToolButton(self)
        self._close.setText("✕")
        self._close.setToolTip("Close this message (Esc)")
        self._close.setAccessibleName("Close this message")
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 5, 6, 5)
        row.setSpacing(10)
        for widget in (self._sign, self._text, self._waiting, self._action, self._close):
            row.addWidget(widget)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._action.clicked.connect(self._act)
        self._close.clicked.connect(self.close_message)
        theme.theme().changed.connect(self._dress)
        self._dress()
        self.hide()

    def show_message(
        self,
        text: str,
        kind: str = INFO,
        action: Action | None = None,
        key: str = "",
        *,
        front: bool = False,
    ) -> None:
        """Show a text, after those that wait already; one that is shown or waits is not said twice.

        With a `key` it takes the place of an older message with that key. What went wrong does not wait
        behind good news, which it would be taken for. The answer to what the user just asked for comes to
        the `front`; what it displaces waits.
        """
        assert kind in (INFO, WARNING, ERROR), kind
        message = Message(text, kind, action, key)
        if key and self._shown is not None and self._shown.key == key:
            self._show(message)
            return
        self._forget(key)
        if front:
            if self._shown is not None:
                self._queue.appendleft(self._shown)
            self._show(message)
            return
        said = [self._shown, *self._queue]
        if any(message and (message.text, message.kind) == (text, kind) for message in said):
            return
        if self._shown is None or (self._shown.kind == INFO and kind != INFO):
            self._show(message)
        else:
            self._queue.append(message)
            self._count()

    def close_message(self) -> None:
        """Close the message shown and show the next one."""
        if self._queue:
            self._show(self._queue.popleft())
        elif self._shown is not None:
            self._shown = None
            self.hide()
            self.closed.emit()

    def dismiss(self, key: str) -> None:
        """Take back the messages with this key."""
        self._forget(key)
        if self._shown is not None and self._shown.key == key:
            self.close_message()
        self._count()

    def clear(self) -> None:
        """Close the message shown, and forget those that wait."""
        self._queue.clear()
        self.close_message()

    @property
    def shown(self) -> Message | None:
        """The message on screen."""
        return self._shown

    @property
    def waiting(self) -> int:
        """Number of messages that wait."""
        return len(self._queue)

    def _show(self, message: Message) -> None:
        self._shown = message
        self._text.setText(message.text)
        self._sign.set_kind(message.kind)
        self._action.setVisible(message.action is not None)
        if message.action is not None:
            self._action.setText(message.action[0])
        self.setAccessibleDescription(message.text)
        self._count()
        self._dress()
        self.show()
        spoken = QAccessibleAnnouncementEvent(self, message.text)
        if message.kind == ERROR:
            spoken.setPoliteness(QAccessible.AnnouncementPoliteness.Assertive)
        QAccessible.updateAccessibility(spoken)

    def _forget(self, key: str) -> None:
        if key:
            self._queue = collections.deque(waiting for waiting in self._queue if waiting.key != key)

    def _count(self) -> None:
        self._waiting.setVisible(bool(self._queue))
        self._waiting.setText(f"{len(self._queue)} more")

    def _act(self) -> None:
        message = self._shown
        self.close_message()
        if message is not None and message.action is not None:
            message.action[1]()

    def _dress(self) -> None:
        colours = theme.colours()
        edge = getattr(colours, self._shown.kind if self._shown else INFO)
        self.setStyleSheet(
            f"QFrame#infobar {{ background: {colours.raised}; border: none;"
            f" border-bottom: 1px solid {colours.border}; border-left: 4px solid {edge}; }}"
        )
        self._waiting.setStyleSheet(f"color: {colours.muted};")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_message()
        else:
            super().keyPressEvent(event)


class Sign(QWidget):
    """The shape of a kind of message: a disc informs, a triangle warns, a square stands for an error."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._kind = INFO
        self.setFixedSize(20, 20)

    def set_kind(self, kind: str) -> None:
        """Draw another kind."""
        self._kind = kind
        self.setAccessibleName(_NAMES[kind])
        self.setToolTip(wording.plain_tip(_NAMES[kind]))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(20, 20)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.PaletteChange:
            self.update()
        super().changeEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        colours = theme.colours()
        with canvas.Painter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colours.colour(self._kind))
            if self._kind == INFO:
                painter.drawEllipse(QRectF(1, 1, 18, 18))
            elif self._kind == WARNING:
                painter.drawPolygon(QPolygonF([QPointF(10, 1), QPointF(19.5, 18.5), QPointF(0.5, 18.5)]))
            else:
                painter.drawRoundedRect(QRectF(1, 1, 18, 18), 2, 2)
            font = painter.font()
            font.setPixelSize(12)
            font.setBold(True)
            painter.setFont(font)
            painter.setPen(QPen(QColor(colours.base)))
            drop = 2 if self._kind == WARNING else 0
            painter.drawText(QRectF(0, drop, 20, 20), int(Qt.AlignmentFlag.AlignCenter), _LETTERS[self._kind])


_NAMES = {INFO: "Information", WARNING: "Warning", ERROR: "Error"}
_LETTERS = {INFO: "i", WARNING: "!", ERROR: "✕"}

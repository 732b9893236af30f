"""A message bar that does not block the window. The bar shows one message at a time, and other messages wait.
The bar lies over the upper edge of a widget, and does not move the contents of the widget.

The newest message is shown, but a message does not cover a more serious message. The key of a message names
the subject of the message. A new message replaces an older message with the same key. `dismiss(key)` removes
a message that is out of date.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, QSize, Qt, Signal
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
from cqlgui.ui.look import canvas, labels, naming, theme, wording

INFO, WARNING, ERROR = "info", "warning", "error"
_WEIGHTS = {INFO: 0, WARNING: 1, ERROR: 2}
_EDGE, _WIDEST = 4, 760
"""The room between the bar and the edges of the widget, and the greatest width of the bar, both in pixels."""
Action = tuple[str, Callable[[], None]]
"""The text of a button, and the function that the button calls."""


@dataclass(frozen=True, slots=True)
class BarMessage:
    """A text of the kind `info`, `warning` or `error`, with at most two actions. `key` names the subject of
    the message. The key `a/b` names a part of the subject `a`."""

    text: str
    kind: str
    key: str
    action: Action | None = None
    second: Action | None = None

    def about(self, key: str) -> bool:
        """Whether the message is about the subject that `key` names, or about a part of that subject."""
        return self.key == key or self.key.startswith(f"{key}/")


class InfoBar(QFrame):
    """The message bar, which is hidden while there is no message. The signal `closed` is emitted when the
    last message has gone."""

    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("infobar")
        self.setAccessibleName("Message")
        # The first message in the list is shown, and the others wait.
        self._messages: list[BarMessage] = []
        self._sign = Sign(self)
        self._text = labels.Label(self)
        self._text.setWordWrap(True)
        # The minimum width is small, because even a shortened word may be wider than a small screen with a
        # scale of 200 %.
        self._text.setMinimumWidth(labels.NARROWEST)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._waiting = labels.Label(self)
        self._action = QPushButton(self)
        self._second = QPushButton(self)
        self._close = QToolButton(self)
        self._close.setText("✕")
        self._close.setToolTip("Close this message (Esc)")
        self._close.setAccessibleName("Close this message")
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 5, 6, 5)
        row.setSpacing(10)
        for widget in (self._sign, self._text, self._waiting, self._action, self._second, self._close):
            row.addWidget(widget)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._action.clicked.connect(lambda: self._act(0))
        self._second.clicked.connect(lambda: self._act(1))
        self._close.clicked.connect(self.close_message)
        theme.theme().changed.connect(self._dress)
        self._dress()
        self.hide()

    def lie_over(self, area: QWidget) -> None:
        """Put the bar over the upper edge of a widget. The bar follows the width of the widget."""
        self.setParent(area)
        area.installEventFilter(self)
        self._lie()

    def _lie(self) -> None:
        area = self.parentWidget()
        if area is None or self.isWindow():
            return
        width = min(area.width() - 2 * _EDGE, _WIDEST)
        layout = self.layout()
        assert layout is not None
        wanted = layout.totalHeightForWidth(width) if layout.hasHeightForWidth() else self.sizeHint().height()
        height = min(max(wanted, self.minimumSizeHint().height()), max(1, area.height() - 2 * _EDGE))
        self.setGeometry((area.width() - width) // 2, _EDGE, width, height)
        self.raise_()

    def show_message(
        self,
        text: str,
        kind: str,
        action: Action | None = None,
        second: Action | None = None,
        *,
        key: str,
        front: bool = False,
    ) -> None:
        """Show a text. The new message replaces an older message with the same key. The new message comes
        before older messages, but after more serious messages. If `front` is True, the new message comes
        before all messages. `front` is for the answer to an action of the user."""
        assert kind in _WEIGHTS, kind
        message = BarMessage(text, kind, key, action, second)
        others = [
            other for other in self._messages if other.key != key and (other.text, other.kind) != (text, kind)
        ]
        place = 0
        while not front and place < len(others) and _WEIGHTS[others[place].kind] > _WEIGHTS[kind]:
            place += 1
        self._set([*others[:place], message, *others[place:]])

    def close_message(self) -> None:
        """Close the message that is shown, and show the next message."""
        self._set(self._messages[1:])

    def dismiss(self, key: str) -> None:
        """Remove the messages about a subject."""
        self._set([message for message in self._messages if not message.about(key)])

    def clear(self, kind: str = "") -> None:
        """Remove all messages, or all messages of a kind."""
        self._set([message for message in self._messages if kind and message.kind != kind])

    @property
    def shown(self) -> BarMessage | None:
        """The message that is shown; None if there is no message."""
        return self._messages[0] if self._messages else None

    @property
    def waiting(self) -> int:
        """The number of messages that wait."""
        return max(0, len(self._messages) - 1)

    def _set(self, messages: list[BarMessage]) -> None:
        former, self._messages = self.shown, messages
        self._waiting.setVisible(self.waiting > 0)
        errors = any(message.kind == ERROR for message in messages[1:])
        self._waiting.setText(f"{self.waiting:,} more" + (", an error" if errors else ""))
        shown = self.shown
        if shown is not None and shown is not former:
            self._show(shown)
        elif shown is None and former is not None:
            self.hide()
            self.closed.emit()

    def _show(self, message: BarMessage) -> None:
        self._text.setText(labels.cut(message.text))
        self._text.setToolTip(wording.plain_tip(message.text))
        self._sign.set_kind(message.kind)
        for button, action in ((self._action, message.action), (self._second, message.second)):
            button.setVisible(action is not None)
            if action is not None:
                button.setText(naming.shortened(action[0]).replace("&", "&&"))
        self.setAccessibleDescription(wording.straight(message.text))
        self._dress()
        self._lie()
        self.show()
        spoken = QAccessibleAnnouncementEvent(self, self.accessibleDescription())
        if message.kind == ERROR:
            spoken.setPoliteness(QAccessible.AnnouncementPoliteness.Assertive)
        QAccessible.updateAccessibility(spoken)

    def _act(self, which: int) -> None:
        message = self.shown
        self.close_message()
        action = (message.action, message.second)[which] if message is not None else None
        if action is not None:
            action[1]()

    def _dress(self) -> None:
        colours = theme.colours()
        edge = getattr(colours, self.shown.kind if self.shown else INFO)
        self.setStyleSheet(
            f"QFrame#infobar {{ background: {colours.raised};"
            f" border: 1px solid {edge}; border-left: 4px solid {edge}; border-radius: 4px; }}"
        )
        self._waiting.setStyleSheet(f"color: {colours.muted};")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Resize:
            self._lie()
        return False

    def event(self, event: QEvent) -> bool:
        done = super().event(event)
        # Qt sends this event after a text or a button has appeared or disappeared, or after the size of the
        # font has changed.
        if event.type() is QEvent.Type.LayoutRequest:
            self._lie()
        return done

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_message()
        else:
            super().keyPressEvent(event)


class Sign(QWidget):
    """The sign for a kind of message: a disc for information, a triangle for a warning, and a square for an
    error."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._kind = INFO
        self.setFixedSize(20, 20)

    def set_kind(self, kind: str) -> None:
        """Draw the sign for another kind."""
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

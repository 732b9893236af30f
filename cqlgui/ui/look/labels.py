"""Labels for plain text, labels for the program's own rich text, and elided labels. An elided label shows the
part of the text that fits, and shows the whole text in a tooltip. A chooser has an elided text too."""

from __future__ import annotations

import re

from PySide6.QtCore import QByteArray, QEvent, QSize, Qt, QUrl, Signal
from PySide6.QtGui import QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QTextBrowser,
    QToolButton,
    QWidget,
)

from cqlgui.ui.look import canvas, naming, wording

NARROWEST = 40
"""The minimum width of a label, in pixels."""
_STEP = 24
"""The wanted width of a label grows and shrinks in steps of this many pixels. With smaller steps, Qt would
lay out the whole window more often."""
_IN_NUMBER = re.compile(r"(?<=\d)[,.]?\d|(?<=\d[,.])\d")
_NUMBER_END = re.compile(r"\d[\d,.]*$")
_GAP = 8
_CHIP_EDGE = 26
_NARROW_CHIP = 64
_CHIP = 280
"""`_CHIP_EDGE` is the room in pixels around the text of a chip. `_NARROW_CHIP` and `_CHIP` are the least and
the greatest width of a chip."""
_EDGES = 2
"""The pixels that a style leaves free at the sides of the text of a drop-down list."""
_CROSS = "  ✕"
_WORD = 96
"""A longer word in a message is shortened to this number of characters."""


class Chip(QPushButton):
    """A button with elided text. A cross follows the text, and is never cut."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("chip")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._words = ""

    def say(self, words: str) -> None:
        """Show a text and a cross. The text names a limit, for example of the hits in a table. A click on the
        chip removes this limit."""
        if words != self._words:
            self._words = words
            self.updateGeometry()
            self._cut()

    def _cut(self) -> None:
        room = self.width() - self._around()
        shown = self.fontMetrics().elidedText(self._words, Qt.TextElideMode.ElideRight, max(0, room))
        self.setText(f"{shown}{_CROSS}".replace("&", "&&"))

    def _around(self) -> int:
        """The width of the chip without the text, in pixels."""
        return _CHIP_EDGE + self.fontMetrics().horizontalAdvance(_CROSS)

    def sizeHint(self) -> QSize:
        # The 1 is added, because widths are rounded. Without the 1, a text that is a fraction of a pixel too
        # wide would be cut.
        wanted = self.fontMetrics().horizontalAdvance(self._words) + 1 + self._around()
        return QSize(min(wanted, _CHIP), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(min(_NARROW_CHIP, self.sizeHint().width()), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._cut()


class Chooser(QComboBox):
    """A drop-down list. If its text does not fit, an ellipsis takes the place of the part that is cut."""

    def paintEvent(self, event: QPaintEvent) -> None:
        # With a style sheet, Qt cuts the text within a letter.
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        kind, field = QStyle.ComplexControl.CC_ComboBox, QStyle.SubControl.SC_ComboBoxEditField
        room = self.style().subControlRect(kind, option, field, self).width() - _EDGES
        option.currentText = self.fontMetrics().elidedText(
            self.currentText(), Qt.TextElideMode.ElideRight, max(0, room)
        )
        painter = QStylePainter(self)
        painter.drawComplexControl(kind, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)


def cut(text: str) -> str:
    """Shorten the long words of a text, for a narrow window. Lines are broken only between words, and a long
    word would therefore make the window wider."""
    plain = wording.straight(text)
    return re.sub(rf"\S{{{_WORD + 1},}}", lambda found: naming.shortened(found[0], _WORD), plain)


class Label(QLabel):
    """A label for plain text. Qt's own label shows a text with tags as rich text. In rich text, names and
    comments from strangers' files could load pictures from the disk or contain links."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)


class Wrapped(Label):
    """Plain text that is broken into lines of the width that the label gets. The tooltip has the text too,
    because a low window may not have room for all lines."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWordWrap(True)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setMinimumWidth(NARROWEST)

    def say(self, text: str) -> None:
        """Show a text."""
        text = cut(text)
        if text != self.text():
            self.setText(text)
            self.setToolTip(wording.plain_tip(text))
            self.setAccessibleDescription(text)


class Markup(QLabel):
    """A label for rich text of the program. The caller must escape strangers' texts in the rich text."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.RichText)


class Page(QTextBrowser):
    """A page of rich text that does not follow links by itself, and loads no files that the text names."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setOpenLinks(False)

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        return NOTHING


NOTHING = QByteArray(b"")
"""A page gets this value for every file that its text names. Without this value Qt would look for the file on
the disk."""


class ElidedLabel(QWidget):
    """Plain text in one line. If the text does not fit, an ellipsis takes the place of the part that is cut.

    A label with `fills` takes all the room that other widgets do not need. When the text of this label
    changes, the label is only repainted. Any other label has the width of its text as its preferred width.
    """

    def __init__(
        self,
        text: str = "",
        parent: QWidget | None = None,
        *,
        fills: bool = False,
        cut: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
        right: bool = False,
    ) -> None:
        super().__init__(parent)
        self._text = self._tail = ""
        self._fills = fills
        self._cut = cut
        self._right = right
        self._wanted = 0
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.say(text)

    def text(self) -> str:
        """The whole text, including the `tail`."""
        return "  ".join(filter(None, (self._text, self._tail)))

    def say(self, text: str, tip: str = "", tail: str = "") -> None:
        """Show a text and a `tail`. The `tail` follows the text, and is never cut. Assistive technology and
        the tooltip get the `tip`, or the whole text if the `tip` is empty."""
        text = wording.straight(text)
        if (text, tail) != (self._text, self._tail):
            self._text, self._tail = text, tail
            self._measure()
            self.update()
        tip = tip or self.text()
        if tip != self.accessibleDescription():
            self.setToolTip(wording.plain_tip(tip))
            self.setAccessibleDescription(tip)

    def fitted(self, room: int) -> str:
        """The part of the text that fits into a width in pixels. A number is shown as a whole or not at all,
        because the beginning of a number looks like another number."""
        shown = self.fontMetrics().elidedText(self._text, self._cut, room)
        if self._cut != Qt.TextElideMode.ElideRight or shown == self._text:
            return shown
        kept = shown.removesuffix("…")
        if _IN_NUMBER.match(self._text, len(kept)):
            kept = _NUMBER_END.sub("", kept)
        return f"{kept.rstrip()}…"

    def ending(self) -> str:
        """The text that follows the main text and is never cut."""
        return self._tail

    def _measure(self) -> None:
        # An empty label keeps its former width, because in most cases the label gets another text soon.
        if self._fills or not self.text():
            return
        width = self.fontMetrics().horizontalAdvance(self.text())
        wanted = -(-width // _STEP) * _STEP
        if wanted != self._wanted:
            self._wanted = wanted
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        return QSize(NARROWEST if self._fills else self._wanted, self.fontMetrics().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(min(NARROWEST, self.sizeHint().width()), self.fontMetrics().height())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._measure()

    def paintEvent(self, event: QPaintEvent) -> None:
        metrics = self.fontMetrics()
        with canvas.Painter(self) as painter:
            tail = self.ending()
            taken = metrics.horizontalAdvance(tail) + _GAP if tail else 0
            shown = self.fitted(self.width() - taken)
            painter.setPen(self.palette().color(self.foregroundRole()))
            height = (self.height() - metrics.height()) // 2 + metrics.ascent()
            length = metrics.horizontalAdvance(shown)
            left = self.width() - length - taken if self._right else 0
            painter.drawText(left, height, shown)
            if tail:
                painter.drawText(left + length + _GAP, height, tail)


class Narrowed(QWidget):
    """A line that says to what the hits are narrowed, with a button that brings all hits back. The line is
    hidden while the hits are not narrowed. `widened` is emitted when the user wants all hits."""

    widened = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._words = ElidedLabel("", self, fills=True)
        self._words.setAccessibleName("Narrowing of the hits")
        self.button = QToolButton(self)
        self.button.setText("All hits")
        self.button.setToolTip("Show all hits of the search again (Esc)")
        self.button.clicked.connect(self.widened)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self._words, 1)
        row.addWidget(self.button)
        self.hide()

    def say(self, words: str) -> None:
        """Show to what the hits are narrowed. Empty words hide the line."""
        self._words.say(f"Narrowed: {words}" if words else "")
        self.setVisible(bool(words))

"""Painters that end at the end of a `with` block, even after an exception, and pictures to paint on.

An exception keeps the objects of its stack frames alive. A painter that is still active may therefore outlive
its widget or picture. When such a painter is deleted later, Qt ends the painter on a deleted device, and the
process crashes. Therefore only this module makes painters. This module does not use widgets.
"""

from __future__ import annotations

from types import TracebackType

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QColor, QPaintDevice, QPainter, QPixmap

DRESSED = (QEvent.Type.FontChange, QEvent.Type.StyleChange, QEvent.Type.PaletteChange)
"""If a widget gets one of these events, everything that was cached about the widget is invalid."""
_TRANSPARENT = QColor(Qt.GlobalColor.transparent)


def picture(width: int, height: int, ratio: float, ground: QColor = _TRANSPARENT) -> QPixmap:
    """A picture to paint on, filled with one colour. `width` and `height` are in pixels of a widget. A pixel
    of a widget has `ratio` times `ratio` pixels of the screen."""
    made = QPixmap(round(width * ratio), round(height * ratio))
    made.setDevicePixelRatio(ratio)
    made.fill(ground)
    return made


class Painter:
    """`with canvas.Painter(device) as painter:` paints on a device. The painter is invalid after the block.

    QPainter itself is a context manager only in newer versions of PySide.
    """

    __slots__ = ("_painter",)

    def __init__(self, device: QPaintDevice) -> None:
        self._painter = QPainter(device)

    def __enter__(self) -> QPainter:
        return self._painter

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # A painter cannot begin on a picture without pixels. A painter that did not begin must not end.
        if self._painter.isActive():
            self._painter.end()

"""Painters that end with their block, whatever happens in it, and pictures that keep what was painted.

An exception keeps the objects of its frames alive. A painter that is still active may then outlive the widget
or picture on which it paints. When the painter is deleted at last, Qt ends it on a deleted device, and the
process crashes. So no other module of the window makes a painter. Does not use widgets.
"""

from __future__ import annotations

from types import TracebackType

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QColor, QPaintDevice, QPainter, QPixmap

DRESSED = (QEvent.Type.FontChange, QEvent.Type.StyleChange, QEvent.Type.PaletteChange)
"""After one of these changes of a widget, everything that was cached about the widget is invalid."""
_TRANSPARENT = QColor(Qt.GlobalColor.transparent)


def picture(width: int, height: int, ratio: float, ground: QColor = _TRANSPARENT) -> QPixmap:
    """A picture to paint on, in one colour. Its size is given in pixels of a widget. One such pixel has
    `ratio` times `ratio` pixels of the screen."""
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
        # A painter that could not begin, as on a picture without pixels, must not end.
        if self._painter.isActive():
            self._painter.end()

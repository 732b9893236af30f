"""Painters that end with their block, whatever happens in it.

An exception keeps what its frames hold. A painter that is still active then outlives the widget or picture it
paints on, and when it goes at last Qt ends it on what is no more, which ends the process. So nobody else in
the window makes one. Knows no widget.
"""

from __future__ import annotations

from types import TracebackType

from PySide6.QtGui import QPaintDevice, QPainter


class Painter:
    """`with canvas.Painter(device) as painter:` paints on a device; behind the block the painter is no good.

    QPainter has such a form of its own only in newer versions of PySide.
    """

    __slots__ = ("_painter",)

    def __init__(self, device: QPaintDevice) -> None:
        self._painter = QPainter(device)

    def __enter__(self) -> QPainter:
        return self._painter

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # One that could not begin, as on a picture without pixels, has nothing to end.
        if self._painter.isActive():
            self._painter.end()

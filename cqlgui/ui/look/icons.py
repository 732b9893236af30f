"""The shipped icons, drawn in a colour of the theme. This module does not use widgets.

The files are line drawings in one grey colour. The grey is replaced by the wanted colour. A widget must make
its icons again when `theme.theme().changed` is emitted.
"""

from __future__ import annotations

import functools

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from cqlgui.base.files import resources
from cqlgui.ui.look import canvas, theme

_GREY = "#808080"
_SIZES = (16, 20, 24, 32, 48)


def icon(name: str, role: str = "text") -> QIcon:
    """The icon `resources/icons/<name>.svg` in the colour of a role. If the icon is disabled, its colour is
    paler."""
    colours = theme.colours()
    return _icon(name, getattr(colours, role), colours.disabled)


@functools.lru_cache(maxsize=256)
def _icon(name: str, colour: str, disabled: str) -> QIcon:
    text = resources.resource(f"icons/{name}.svg").read_text(encoding="utf-8")
    made = QIcon()
    for mode, ink in ((QIcon.Mode.Normal, colour), (QIcon.Mode.Disabled, disabled)):
        renderer = QSvgRenderer(QByteArray(text.replace(_GREY, ink).encode()))
        for size in _SIZES:
            pixmap = QPixmap(QSize(size, size))
            pixmap.fill(Qt.GlobalColor.transparent)
            with canvas.Painter(pixmap) as painter:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                renderer.render(painter, QRectF(0, 0, size, size))
            made.addPixmap(pixmap, mode)
    return made

"""A small picture of a position, for tool tips."""

from __future__ import annotations

from PySide6.QtCore import QBuffer, QByteArray, QIODevice
from PySide6.QtGui import QPainter

from cqlgui.base import errors
from cqlgui.board import position as position_module
from cqlgui.ui.board import painting
from cqlgui.ui.look import canvas, theme

CELL = 22
"""Side of a square in pixels."""


def markup(fen: str, ringed: int, ratio: float) -> str:
    """An image for rich text: the position of a FEN with rings around the squares of a bitboard. `ratio` is
    the number of pixels of the screen for a pixel of a widget. Empty if the FEN cannot be read."""
    try:
        shown = position_module.Position.from_fen(fen)
    except (ValueError, errors.CqlguiError):
        return ""
    side = 8 * CELL + 2
    colours = theme.colours()
    made = canvas.picture(side, side, ratio)
    with canvas.Painter(made) as painter:
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        frame = painting.Frame(1, 1, CELL)
        painting.draw_squares(painter, frame, colours)
        painting.draw_rings(painter, frame, ringed, colours)
        painting.draw_men(painter, frame, shown.squares, ratio)
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    made.save(buffer, "PNG")
    encoded = bytes(data.toBase64().data()).decode("ascii")
    return f'<img src="data:image/png;base64,{encoded}" width="{side}" height="{side}">'

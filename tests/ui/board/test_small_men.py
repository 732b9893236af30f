"""Men of a few pixels can be told by their colour."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor, QPainter
from pytestqt.qtbot import QtBot

from cqlgui.board import men
from cqlgui.ui.board import painting
from cqlgui.ui.look import canvas


def brightness(man: int, size: int) -> float:
    """The mean brightness of the pixels that a man covers, 0 to 255."""
    image = painting.man_pixmap(man, size, 1.0).toImage()
    seen = [image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height())]
    covered = [colour for colour in seen if colour.alpha() > 200]
    return sum(colour.lightness() for colour in covered) / len(covered)


@pytest.mark.parametrize("size", [9, 11, 13, 16])
@pytest.mark.parametrize("kind", range(6))
def test_a_white_man_is_lighter_than_a_black_one(qtbot: QtBot, kind: int, size: int) -> None:
    white, black = brightness(men.WP + kind, size), brightness(men.BP + kind, size)
    assert white > 110
    assert white > black + 50


def test_a_white_man_stays_white_on_a_dark_square(qtbot: QtBot) -> None:
    pixmap = canvas.picture(12, 12, 1.0, QColor("#a8b6c4"))
    with canvas.Painter(pixmap) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.drawPixmap(0, 0, painting.man_pixmap(men.WP + 4, 12, 1.0))
    image = pixmap.toImage()
    assert max(image.pixelColor(x, 8).lightness() for x in range(12)) > 240

"""Painters end with their block, and nobody makes others."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QPainter, QPixmap
from pytestqt.qtbot import QtBot

from cqlgui.ui.look import canvas
from tests import helpers


def test_a_painter_ends_with_its_block_also_by_an_exception(qtbot: QtBot) -> None:
    pixmap = QPixmap(8, 8)
    with canvas.Painter(pixmap) as painter:
        assert painter.isActive()
    assert not painter.isActive()
    with pytest.raises(ValueError, match="in between") as caught, canvas.Painter(pixmap) as painter:
        raise ValueError("in between")
    assert not painter.isActive()
    assert not pixmap.paintingActive()
    # The frames of the exception hold the painter on, and the picture goes before it.
    del pixmap
    assert caught.value.__traceback__ is not None


@pytest.mark.qt_log_ignore("Paint device returned engine == 0")
def test_what_cannot_be_painted_on_does_no_harm(qtbot: QtBot) -> None:
    with canvas.Painter(QPixmap()) as painter:
        assert not painter.isActive()


def test_all_painters_of_the_window_end_with_their_block() -> None:
    makers = {
        path.name
        for path in (helpers.ROOT / "cqlgui").rglob("*.py")
        if f"{QPainter.__name__}(" in path.read_text(encoding="utf-8")
    }
    assert makers == {"canvas.py"}

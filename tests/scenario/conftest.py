"""The window of the scenarios: as the program shows it, on a small screen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from cqlgui.ui import start, theme, window

LONG = 20_000


@pytest.fixture
def main(qtbot: QtBot, qapp: QApplication) -> Iterator[window.MainWindow]:
    """The window as the program shows it, on a small screen."""
    start.dress(qapp)
    theme.theme().apply(theme.Choice.LIGHT)
    shown = window.MainWindow()
    shown.resize(1366, 768)
    shown.show()
    shown.activateWindow()
    # Keys reach the actions of an active window only.
    qtbot.waitUntil(shown.isActiveWindow, timeout=LONG)
    yield shown
    shown.close()
    theme.theme().apply(theme.Choice.LIGHT)

"""The window of the scenarios: as the program shows it, on a small screen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from cqlgui.ui.look import theme
from cqlgui.ui.state import session
from cqlgui.ui.window import main_window, start
from tests.whole.scenario import persons


@pytest.fixture
def main(qtbot: QtBot, qapp: QApplication) -> Iterator[main_window.MainWindow]:
    """The window as the program shows it, on a small screen."""
    start.set_up(qapp)
    theme.theme().apply(theme.Choice.LIGHT)
    shown = main_window.MainWindow()
    # What a scenario asks for it asks with F5; those of the live search switch it on.
    session.save(replace(session.load(), live=False))
    shown.resize(1366, 768)
    shown.show()
    shown.activateWindow()
    # Keys reach the actions of an active window only.
    qtbot.waitUntil(shown.isActiveWindow)
    yield shown
    shown.close()
    shown.deleteLater()
    # Windows that stay would be styled anew at each change of colours. Outside of an event loop Qt deletes
    # only when it is told to.
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)  # type: ignore[arg-type]  # None is all
    theme.theme().apply(theme.Choice.LIGHT)


@pytest.fixture
def person(qtbot: QtBot, main: main_window.MainWindow) -> persons.Person:
    """Somebody who has started the program for the first time and opened the sample base from its page."""
    main.begin([])
    main.live.switch(True)
    somebody = persons.Person(main, qtbot)
    somebody.pose()
    qtbot.waitUntil(main.start_page.sample.isVisible)
    somebody.press("500 games to try")
    qtbot.waitUntil(lambda: main.browser.game is not None and not main.opener.busy)
    return somebody

"""What the window does with panes and lines when a search begins and ends."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from cqlgui.ui.window import main_window, start
from tests import helpers


@pytest.fixture
def main(qtbot: QtBot, qapp: QApplication) -> Iterator[main_window.MainWindow]:
    start.set_up(qapp)
    shown = main_window.MainWindow()
    shown.resize(1920, 1000)
    shown.show()
    with qtbot.waitSignal(shown.opener.opened):
        shown.begin([helpers.ROOT / "resources" / "sample" / "sample.pgn"])
    qtbot.waitUntil(lambda: not shown.opener.busy)
    yield shown
    shown.close()
    shown.deleteLater()


def mates(qtbot: QtBot, main: main_window.MainWindow) -> int:
    """Search for mates; the result is the number of hits shown."""
    with qtbot.waitSignal(main.searcher.finished):
        main.searching.run_text("mate", "mates")
    return main.hits.count


def test_what_is_typed_in_the_line_while_a_search_runs_narrows_its_hits(
    qtbot: QtBot, main: main_window.MainWindow
) -> None:
    every = mates(qtbot, main)
    with qtbot.waitSignal(main.searcher.finished):
        main.searching.run_text("mate", "mates")
        qtbot.waitUntil(lambda: main.hits.running)
        QTest.keyClicks(main.hits.line, "1-0")
    qtbot.waitUntil(lambda: 0 < main.hits.count < every)
    assert main.hits.line.text() == "1-0"


def test_what_is_typed_outlives_a_search_that_is_stopped_for_another(
    qtbot: QtBot, main: main_window.MainWindow
) -> None:
    every = mates(qtbot, main)
    main.hits.begin(main.base, 10)
    QTest.keyClicks(main.hits.line, "1-0")
    main.hits.fail("Stopped for another query.")
    qtbot.waitUntil(lambda: not main.hits.line.pending)
    assert main.hits.line.text() == "1-0"
    mates(qtbot, main)
    qtbot.waitUntil(lambda: 0 < main.hits.count < every)
    assert main.hits.line.text() == "1-0"


def test_a_search_brings_its_hits_before_the_pane_that_hides_them(
    qtbot: QtBot, main: main_window.MainWindow
) -> None:
    main.docks.show(main.study_dock)
    qtbot.waitUntil(lambda: not main.study_dock.visibleRegion().isEmpty())
    assert main.docks.results.visibleRegion().isEmpty()
    mates(qtbot, main)
    qtbot.waitUntil(lambda: not main.docks.results.visibleRegion().isEmpty())

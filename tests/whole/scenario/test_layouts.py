"""The window's plan: what is in view on a laptop's screen, and the layouts one chooses from."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTabBar
from pytestqt.qtbot import QtBot

from cqlgui.base.files.resources import resource
from cqlgui.ui.state import session
from cqlgui.ui.tables import view
from cqlgui.ui.window import main_window
from cqlgui.ui.window.layouts import Layout, Place

pytestmark = pytest.mark.xvfb


def searched(qtbot: QtBot, main: main_window.MainWindow) -> None:
    with qtbot.waitSignal(main.opener.opened):
        main.begin([resource("sample/sample.pgn")])
    main.editor.set_text("flipcolor {Bh7 kg8 check}")
    with qtbot.waitSignal(main.searcher.finished, timeout=60_000):
        main.searching.run()


def tabs(main: main_window.MainWindow) -> list[list[str]]:
    """The tabs of the panes, one list a column. Qt moves the bar of a pane without a neighbour out of the
    window."""
    bars = [
        bar
        for bar in main.findChildren(QTabBar)
        if bar.parent() is main and bar.isVisible() and main.rect().intersects(bar.geometry())
    ]
    texts = [[bar.tabText(place) for place in range(bar.count())] for bar in bars]
    return [found for found in texts if found]


def test_a_laptop_s_screen_shows_board_hits_and_text(qtbot: QtBot, main: main_window.MainWindow) -> None:
    searched(qtbot, main)
    # A window of its own that leaves room for a title bar, and one that is maximised.
    for height in (728, 768):
        main.resize(1366, height)
        in_view(qtbot, main)
    assert main.picker.height() >= 395
    before = main.board.geometry()
    main.infobar.show_message("A message over the board.", "warning", key="test")
    qtbot.waitUntil(main.infobar.isVisible)
    assert main.board.geometry() == before
    # A larger window gives to board and hits.
    width = main.docks.results.width()
    cell = main.board.frame().cell
    main.resize(1600, 950)
    qtbot.waitUntil(lambda: main.docks.results.width() > width and main.board.frame().cell > cell)


def in_view(qtbot: QtBot, main: main_window.MainWindow) -> None:
    """The board has 480 pixels, 18 hits and 8 lines of the query are to be seen."""
    table, edit = main.hits.table, main.editor.edit
    qtbot.waitUntil(lambda: not main.docks._size.isActive() and table.has_two_lines)
    qtbot.waitUntil(lambda: main.board.frame().cell * 8 >= 480)
    assert table.viewport().height() // table.verticalHeader().defaultSectionSize() >= 18
    assert edit.viewport().height() // edit.fontMetrics().lineSpacing() >= 8
    assert main.docks.picker.width() >= 340


def test_rows_have_two_lines_where_the_table_is_narrow(qtbot: QtBot, main: main_window.MainWindow) -> None:
    searched(qtbot, main)
    table = main.hits.table
    qtbot.waitUntil(lambda: table.has_two_lines)
    main.docks.choose(Layout.WIDE.value)
    qtbot.waitUntil(lambda: not table.has_two_lines)
    assert table.horizontalHeader().isVisible()
    table.set_form(view.Form.TWO_LINES)
    assert table.has_two_lines
    table.set_form(view.Form.COLUMNS)
    assert not table.has_two_lines
    assert main.hits.columns()


def test_layouts_keep_what_the_user_made_of_them(qtbot: QtBot, main: main_window.MainWindow) -> None:
    main.begin([])
    panes = main.docks
    main.docks.picker.hide()
    panes.choose(Layout.WRITING.value)
    assert panes._stands(panes.picker) is Place.TAB
    panes.choose(Layout.SEARCHING.value)
    assert panes.picker.isHidden()
    main.reset_layout()
    assert not panes.picker.isHidden()
    qtbot.waitUntil(lambda: tabs(main) == [["Query", "Library", "Help"]])
    panes.choose(Layout.WIDE.value)
    panes.keep_as("Mine")
    panes.choose(Layout.SEARCHING.value)
    main.close()
    again = main_window.MainWindow()
    qtbot.addWidget(again)
    again.show()
    again.begin([])
    assert again.docks.name == Layout.SEARCHING.value
    again.docks.choose("Mine")
    assert again.docks._stands(again.docks.results) is Place.BOTTOM
    again.docks.forget("Mine")
    assert again.docks.name == Layout.WIDE.value
    again.close()


def test_presenting_leaves_board_and_notation_and_esc_leaves_it(
    qtbot: QtBot, main: main_window.MainWindow
) -> None:
    main.begin([])
    # The start page stands where the board will be until games are open.
    main.opening.leave_start()
    main.docks.choose(Layout.PRESENTING.value)
    qtbot.waitUntil(lambda: not main.editor.isVisible() and not main.hits.isVisible())
    assert not main.hitbar.isVisible()
    assert main.board.isVisible()
    assert main.notation.isVisible()
    qtbot.keyClick(main.board, Qt.Key.Key_Escape)
    qtbot.waitUntil(main.editor.isVisible)
    assert main.docks.name == Layout.SEARCHING.value
    assert main.menuBar().isVisible()


def test_a_state_of_another_version_means_the_usual_layout(
    qtbot: QtBot, main: main_window.MainWindow
) -> None:
    old = session.packed(bytes(main.saveState(0).data()))
    rows = session.rows_text([("Searching", "Searching", old, "")])
    assert session.save(session.Session(layout="Searching", layouts=rows))
    main.begin([])
    assert main.docks._stands(main.docks.picker) is Place.UNDER
    assert main.docks._stands(main.docks.results) is Place.RIGHT

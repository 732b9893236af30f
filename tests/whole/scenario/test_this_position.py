"""At every move the window tells how many games have the position; a key asks for them."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from cqlgui.base.files.resources import resource
from cqlgui.ui.window import main_window

pytestmark = pytest.mark.xvfb


@pytest.fixture
def shown(qtbot: QtBot, main: main_window.MainWindow) -> main_window.MainWindow:
    """The window with the first game of the sample base."""
    with qtbot.waitSignal(main.opener.opened):
        main.begin([resource("sample/sample.pgn")])
    qtbot.waitUntil(lambda: main.browser.game is not None)
    main.board.setFocus()
    return main


def counted(qtbot: QtBot, main: main_window.MainWindow) -> tuple[str, ...]:
    qtbot.waitUntil(lambda: not main.here.busy)
    return main.here_bar.texts()


def test_each_move_is_counted(qtbot: QtBot, shown: main_window.MainWindow) -> None:
    assert counted(qtbot, shown) == ("Position 500", "Pawns 500", "Material 500")
    for _ in range(8):
        qtbot.keyClick(shown.board, Qt.Key.Key_Right)
    assert counted(qtbot, shown) == ("Position 2", "Pawns 2", "Material 500")
    keys = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    qtbot.keyClick(shown, Qt.Key.Key_4, keys)
    assert shown.here_bar.twins.isChecked()
    assert counted(qtbot, shown) == ("Position 2", "Pawns 11", "Material 500")


def test_a_key_asks_for_what_was_counted(qtbot: QtBot, shown: main_window.MainWindow) -> None:
    shown.editor.set_text("mate")
    for _ in range(8):
        qtbot.keyClick(shown.board, Qt.Key.Key_Right)
    shown.here_bar.twins.click()
    keys = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    with qtbot.waitSignal(shown.searcher.finished):
        qtbot.keyClick(shown, Qt.Key.Key_2, keys)
    assert shown.hits.games == 11
    assert shown.editor.text().startswith("flipcolor flipvertical {Pa2")
    shown.editor.edit.undo()
    assert shown.editor.text() == "mate", "one step"


def test_what_marked_positions_share_comes_into_the_editor(
    qtbot: QtBot, shown: main_window.MainWindow
) -> None:
    common = shown.actions_.common
    assert not common.isEnabled()
    for _ in range(2):
        qtbot.keyClick(shown.board, Qt.Key.Key_Right)
        qtbot.keyClick(shown.board, Qt.Key.Key_M)
    assert common.isEnabled()
    assert [place.positionid for place in shown.marked.all] == [1, 2]
    with qtbot.waitSignal(shown.marked.common):
        common.trigger()
    with qtbot.waitSignal(shown.searcher.finished):
        shown.searching.run()
    assert {1, 2} <= set(shown.hits.hits.hits_of(1))
    shown.marked.clear()
    assert not common.isEnabled()

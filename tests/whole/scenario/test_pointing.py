"""Asking by the mouse alone, in the real window."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from cqlgui.board import men, squares
from cqlgui.ui.pointing import tools
from cqlgui.ui.window import main_window
from tests import helpers

LEFT = Qt.MouseButton.LeftButton

pytestmark = pytest.mark.xvfb


def click(main: main_window.MainWindow, name: str) -> None:
    middle = main.board.frame().square(squares.parse_square(name)).center().toPoint()
    QTest.mouseClick(main.board, LEFT, Qt.KeyboardModifier.NoModifier, middle)


def test_the_mouse_alone_asks_for_a_knight_and_a_king(main: main_window.MainWindow, qtbot: QtBot) -> None:
    main.begin([helpers.ROOT / "resources" / "sample" / "sample.pgn"])
    qtbot.waitUntil(lambda: main.base is not None and not main.opener.busy)
    qtbot.waitUntil(lambda: main.board.position is not None)
    QTest.mouseClick(main.pointing.switch.pattern, LEFT)
    qtbot.waitUntil(main.pointing.palette.isVisible)
    for man, square in ((men.WN, "f5"), (men.BK, "g8")):
        QTest.mouseClick(main.pointing.palette.button(tools.of_man(man)), LEFT)
        click(main, square)
    assert main.editor.text() == "{Nf5 kg8}"
    assert [mark.men for mark in main.pointing.pattern.marks] == [1 << men.WN, 1 << men.BK]
    main.actions_.run.trigger()
    assert not main.pointing.active, "the board shows what is found"
    qtbot.waitUntil(lambda: main.result is not None)
    assert main.result is not None
    assert main.result.positions > 0
    QTest.keyClick(main, Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier)
    assert main.pointing.active
    main.board.setFocus()
    # Keys that step through the game elsewhere move the cursor of the pattern here.
    before = main.browser.positionid
    QTest.keyClick(main.board, Qt.Key.Key_Right)
    assert main.pointing.picture.cursor >= 0
    assert main.browser.positionid == before
    QTest.keyClick(main.board, Qt.Key.Key_Escape)
    assert main.pointing.palette.tool.points
    QTest.keyClick(main, Qt.Key.Key_B, Qt.KeyboardModifier.ControlModifier)
    assert not main.pointing.active
    QTest.keyClick(main.board, Qt.Key.Key_Right)
    qtbot.waitUntil(lambda: main.browser.positionid != before)


def test_what_was_asked_is_taken_back_wherever_the_keyboard_is(
    main: main_window.MainWindow, qtbot: QtBot
) -> None:
    main.begin([helpers.ROOT / "resources" / "sample" / "sample.pgn"])
    qtbot.waitUntil(lambda: main.base is not None and not main.opener.busy)
    main.pointing.toggle()
    QTest.mouseClick(main.pointing.palette.button(tools.of_man(men.WN)), LEFT)
    click(main, "f5")
    chips = main.pointing.chips
    QTest.mouseClick(chips.chip("mate"), LEFT)
    assert main.editor.text() == "{Nf5 mate}"
    toggle = main.picker.toggles["flipcolor"]
    qtbot.waitUntil(toggle.isEnabled)
    QTest.mouseClick(toggle, LEFT)
    asked = ["", "{Nf5}", "{Nf5 mate}", "flipcolor {Nf5 mate}"]
    places = [main.board, chips.chip("mate"), chips.step, toggle, main.hits.table, main.editor.edit]
    for game in (False, True):
        main.pointing.set_active(not game)
        for place in places:
            if not place.isVisible():
                continue
            place.setFocus()
            assert main.editor.text() == asked[3]
            for text in asked[2::-1]:
                QTest.keyClick(main.focusWidget() or main, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
                assert main.editor.text() == text, (place, game)
            assert not main.actions_.undo.isEnabled()
            for text in asked[1:]:
                QTest.keyClick(main.focusWidget() or main, Qt.Key.Key_Y, Qt.KeyboardModifier.ControlModifier)
                assert main.editor.text() == text, (place, game)
    # A field for text takes back its own.
    field = main.library.search
    main.library.parentWidget().parentWidget().setCurrentWidget(main.library)
    field.setFocus()
    QTest.keyClicks(field, "bishop")
    QTest.keyClick(field, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert field.text() == ""
    assert main.editor.text() == asked[3]

"""The first minutes: start page, new query, texts that are dropped or pasted, and no work lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from cqlgui.base.files.resources import resource
from cqlgui.ui.window import main_window

pytestmark = pytest.mark.xvfb

FEN = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3"
GAME = '[White "A"]\n[Black "B"]\n[Result "1-0"]\n\n1. e4 e5 2. Bc4 Nc6 3. Nf3 1-0\n'


def drop(main: main_window.MainWindow, text: str) -> None:
    data = QMimeData()
    data.setText(text)
    place = QPointF(main.rect().center())
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    entering = QDragEnterEvent(place.toPoint(), Qt.DropAction.CopyAction, data, buttons, keys)
    QApplication.sendEvent(main, entering)
    assert entering.isAccepted()
    QApplication.sendEvent(main, QDropEvent(place, Qt.DropAction.CopyAction, data, buttons, keys))


def said(main: main_window.MainWindow) -> str:
    return main.infobar.shown.text if main.infobar.shown is not None else ""


def test_a_theme_of_the_start_page_opens_the_sample_base_and_is_searched(
    qtbot: QtBot, main: main_window.MainWindow
) -> None:
    main.begin([])
    assert main.start_page.isVisible()
    assert not main.board.isVisible()
    assert main.infobar.shown is None
    qtbot.waitUntil(lambda: len(main.start_page.cards) == 6)
    qtbot.mouseClick(main.start_page.cards[1], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: main.result is not None)
    assert main.hits.count > 0
    assert main.editor.name() == "Greek gift"
    assert main.board.isVisible()
    assert not main.start_page.isVisible()


def test_one_goes_on_from_the_start_page_to_the_board_or_the_editor(
    qtbot: QtBot, main: main_window.MainWindow
) -> None:
    main.begin([])
    main.docks.show(main.docks.library)
    qtbot.mouseClick(main.start_page.write, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(main.editor.edit.hasFocus)
    assert main.start_page.isVisible()
    qtbot.mouseClick(main.start_page.draw, Qt.MouseButton.LeftButton)
    assert main.board.isVisible()


def test_a_new_query_is_one_step_and_the_former_text_is_kept(
    qtbot: QtBot, main: main_window.MainWindow
) -> None:
    main.begin([])
    for typed in ("Pe4", "Pd4"):
        main.editor.edit.setFocus()
        qtbot.keyClicks(main.editor.edit, typed)
        qtbot.keyClick(main.editor.edit, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
        assert main.editor.text() == ""
        assert not main.editor.findings
    assert [text for text, _when in main.unsaved] == ["Pd4", "Pe4"]
    qtbot.keyClick(main.editor.edit, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert main.editor.text() == "Pd4"
    qtbot.waitUntil(lambda: main.history.list.count() == 2)
    main.close()
    again = main_window.MainWindow()
    qtbot.addWidget(again)
    again.show()
    again.begin([])
    qtbot.waitUntil(lambda: again.history.list.count() == 2)
    assert again.history._entries[1].text == "Pe4"
    assert again.history._entries[1].preview.startswith("Unsaved, ")
    again.close()


@pytest.mark.parametrize("way", ["pattern", "position"])
def test_a_fen_becomes_a_pattern_or_a_position(qtbot: QtBot, main: main_window.MainWindow, way: str) -> None:
    with qtbot.waitSignal(main.opener.opened):
        main.begin([resource("sample/sample.pgn")])
    main.editor.set_text("mate")
    drop(main, FEN)
    qtbot.waitUntil(lambda: said(main) == "Use the FEN?")
    assert main.editor.text() == "mate"
    button = main.infobar._action if way == "pattern" else main.infobar._second
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert "Bc4" in main.editor.text()
    if way == "position":
        qtbot.waitUntil(lambda: main.result is not None)
        assert main.hits.count > 0
    else:
        assert "not" not in main.editor.text()
    main.editor.edit.undo()
    assert main.editor.text() == "mate"


def test_games_on_the_clipboard_are_pasted_on_the_board(qtbot: QtBot, main: main_window.MainWindow) -> None:
    with qtbot.waitSignal(main.opener.opened):
        main.begin([resource("sample/sample.pgn")])
    QGuiApplication.clipboard().setText(GAME)
    main.board.setFocus()
    with qtbot.waitSignal(main.opener.opened):
        qtbot.keyClick(main.board, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert main.base is not None
    assert main.base.games == 1


def test_a_text_that_is_nothing_is_answered_and_loses_nothing(
    qtbot: QtBot, main: main_window.MainWindow, tmp_path: Path
) -> None:
    main.begin([])
    main.editor.set_text("mate")
    drop(main, "no such thing")
    qtbot.waitUntil(lambda: "no position" in said(main))
    assert main.editor.text() == "mate"

"""A queen's staircase from three positions of a game, in the real window: as snapshots along the game, and
drawn by the mouse alone.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from cqlgui.board import men, squares
from cqlgui.ui.pointing import tools
from cqlgui.ui.window import main_window

pytestmark = pytest.mark.xvfb

LEFT = Qt.MouseButton.LeftButton
PLAIN, CONTROL = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier

GAMES = """[White "Stairs"]
[SetUp "1"]
[FEN "7k/8/8/8/8/8/8/K6Q w - - 0 1"]
[Result "*"]

1. Qg2 Kh7 2. Qg3 Kh8 3. Qf4 Kg8 4. Qf5 Kg7 *

[White "Down the stairs"]
[SetUp "1"]
[FEN "6k1/8/8/8/5Q2/8/8/K7 b - - 0 1"]
[Result "*"]

1... Kh8 2. Qg3 Kh7 3. Qg2 Kh8 *

[White "Elsewhere"]
[Result "*"]

1. e4 e5 *
"""
STAIRCASE = "path {Qg2 kh7} --+ {Qg3 kh8} --+ {Qf4 kg8}"


@pytest.fixture
def shown(qtbot: QtBot, main: main_window.MainWindow, tmp_path: Path) -> main_window.MainWindow:
    """The window with the first game."""
    path = tmp_path / "stairs.pgn"
    path.write_text(GAMES)
    with qtbot.waitSignal(main.opener.opened):
        main.begin([path])
    qtbot.waitUntil(lambda: main.browser.game is not None)
    main.board.setFocus()
    return main


def place(main: main_window.MainWindow, name: str) -> QPoint:
    return main.board.frame().square(squares.parse_square(name)).center().toPoint()


def drag(main: main_window.MainWindow, origin: str, target: str) -> None:
    QTest.mousePress(main.board, LEFT, PLAIN, place(main, origin))
    QTest.mouseMove(main.board, place(main, target))
    QTest.mouseRelease(main.board, LEFT, PLAIN, place(main, target))


def go_on(qtbot: QtBot, main: main_window.MainWindow) -> None:
    """One move of each side."""
    for _ in range(2):
        before = main.browser.positionid
        qtbot.keyClick(main.board, Qt.Key.Key_Right)
        qtbot.waitUntil(lambda before=before: main.browser.positionid != before)


def test_three_snapshots_of_a_game_find_it_again(qtbot: QtBot, shown: main_window.MainWindow) -> None:
    go_on(qtbot, shown)
    for name in ("g2", "h7"):
        QTest.mouseClick(shown.board, LEFT, CONTROL, place(shown, name))
    assert shown.editor.text() == "{Qg2 kh7}"
    for _ in range(2):
        go_on(qtbot, shown)
        qtbot.keyClick(shown, Qt.Key.Key_B, CONTROL | SHIFT)
    assert shown.editor.text() == STAIRCASE
    with qtbot.waitSignal(shown.searcher.finished):
        qtbot.keyClick(shown, Qt.Key.Key_F5)
    assert set(shown.hits.hits.hits_of(1)) == {2}
    assert shown.hits.games == 1, "the queen comes down in the other game"


def test_the_mouse_alone_draws_the_steps_and_changes_their_order(
    qtbot: QtBot, shown: main_window.MainWindow
) -> None:
    QTest.mouseClick(shown.pointing.switch.pattern, LEFT)
    row = shown.pointing.steps
    assert not row.isVisible()
    for man, name in ((men.WQ, "f4"), (men.BK, "g8")):
        QTest.mouseClick(shown.pointing.palette.button(tools.of_man(man)), LEFT)
        QTest.mouseClick(shown.board, LEFT, PLAIN, place(shown, name))
    QTest.mouseClick(shown.pointing.palette.button(tools.POINTER), LEFT)
    QTest.mouseClick(shown.pointing.chips.step, LEFT)
    qtbot.waitUntil(row.isVisible)
    drag(shown, "f4", "g3")
    drag(shown, "g8", "h8")
    QTest.mouseClick(row.add, LEFT)
    drag(shown, "g3", "g2")
    drag(shown, "h8", "h7")
    assert shown.editor.text() == "path {Qf4 kg8} --+ {Qg3 kh8} --+ {Qg2 kh7}"
    with qtbot.waitSignal(shown.searcher.finished):
        qtbot.keyClick(shown, Qt.Key.Key_F5)
    assert set(shown.hits.hits.hits_of(2)) == {0}
    assert shown.hits.games == 1
    # The last step to the front, and the next one there, too: the stairs go up.
    QTest.mouseClick(shown.pointing.switch.pattern, LEFT)
    qtbot.waitUntil(row.isVisible)
    for origin, target in ((2, 0), (2, 1)):
        held, over = row.boards[origin], row.boards[target]
        end = held.mapFrom(row, over.mapTo(row, QPoint(4, 20)))
        QTest.mousePress(held, LEFT, PLAIN, held.rect().center())
        QTest.mouseMove(held, end)
        QTest.mouseRelease(held, LEFT, PLAIN, end)
    assert shown.editor.text() == STAIRCASE
    with qtbot.waitSignal(shown.searcher.finished):
        qtbot.keyClick(shown, Qt.Key.Key_F5)
    assert set(shown.hits.hits.hits_of(1)) == {2}
    assert shown.hits.games == 1

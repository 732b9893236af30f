"""Hits walked by keyboard in the real window, as the query is written."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from cqlgui.base.files.resources import resource
from cqlgui.board import squares
from cqlgui.ui.window import main_window

pytestmark = pytest.mark.xvfb

QUERY = "flipcolor flipvertical {Bh7 kh8}"


def landed(main: main_window.MainWindow) -> bool:
    """Whether the hit of the current row is on the board."""
    hit, game = main.hits.current(), main.browser.game
    return (
        hit is not None
        and game is not None
        and (hit.game, hit.positionid) == (game.game, main.browser.positionid)
    )


def test_hits_of_all_members_look_alike_while_they_are_walked(
    qtbot: QtBot, main: main_window.MainWindow
) -> None:
    with qtbot.waitSignal(main.opener.opened):
        main.begin([Path(resource("sample/sample.pgn"))])
    main.editor.set_text(QUERY, "corner")
    with qtbot.waitSignal(main.searcher.finished):
        qtbot.keyClick(main, Qt.Key.Key_F5)
    qtbot.waitUntil(lambda: landed(main))
    main.board.setFocus()
    qtbot.keyClick(main.board, Qt.Key.Key_N)
    assert main.actions_.normalise.isChecked()
    bishop, king = squares.parse_square("h7"), squares.parse_square("h8")
    seen = set()
    for _ in range(60):
        assert main.board.position is not None
        placed = main.board.position.squares
        assert (placed[bishop], placed[king]) == (3, 12), "white bishop, black king, whatever was played"
        assert main.board.badge[0].startswith("Normalised")
        assert "Normalised" in main.hitbar.text()
        seen.add(main.board.badge[1])
        qtbot.keyClick(main.board, Qt.Key.Key_F3)
        qtbot.waitUntil(lambda: landed(main))
    assert len(seen) > 1

    # Moves keep the frame, the clipboard has the game's own position.
    while not main.board.normalised:
        qtbot.keyClick(main.board, Qt.Key.Key_F3)
        qtbot.waitUntil(lambda: landed(main))
    while main.browser.hit is not None:
        qtbot.keyClick(main.board, Qt.Key.Key_Right)
    assert main.board.normalised
    own = main.browser.position
    assert own is not None
    assert main.board.position is not None
    main.actions_.copy_fen.trigger()
    assert QGuiApplication.clipboard().text() == own.fen() != main.board.position.fen()
    assert "of the game" in main.pointing.notice.text()
    qtbot.keyClick(main.board, Qt.Key.Key_N)
    assert not main.board.normalised
    assert main.board.position is own

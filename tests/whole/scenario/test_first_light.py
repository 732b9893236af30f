"""The whole story in a real window: open games, ask, turn, find, look, limit, export, open again.

With `CQLGUI_SHOTS` naming a folder, the run leaves pictures of the window there, light and dark.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from cqlgui.base.files.resources import resource
from cqlgui.board import men, squares
from cqlgui.ui.look import theme
from cqlgui.ui.panels import export_dialog
from cqlgui.ui.window import main_window

pytestmark = pytest.mark.xvfb

QUERY = "{Bh7 kh8}"
GAMES, POSITIONS = 48, 199


def shoot(main: main_window.MainWindow, name: str) -> None:
    """Keep pictures of the window in both colours."""
    folder = os.environ.get("CQLGUI_SHOTS")
    if not folder:
        return
    for choice in (theme.Choice.DARK, theme.Choice.LIGHT):
        theme.theme().apply(choice)
        QApplication.processEvents()
        main.grab().save(str(Path(folder) / f"{name}-{choice.value}.png"))


def open_sample(qtbot: QtBot, main: main_window.MainWindow, path: Path) -> None:
    with qtbot.waitSignal(main.opener.opened):
        main.begin([path])


def ask(qtbot: QtBot, main: main_window.MainWindow) -> None:
    with qtbot.waitSignal(main.searcher.finished):
        qtbot.keyClick(main, Qt.Key.Key_F5)


def test_a_search_from_opening_to_reopening(
    qtbot: QtBot, main: main_window.MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "games.pgn"
    shutil.copy(resource("sample/sample.pgn"), source)
    open_sample(qtbot, main, source)
    assert main.base is not None
    assert main.base.games == 500
    qtbot.waitUntil(lambda: main.browser.game is not None)
    shoot(main, "1-opened")

    # Ask, as a person types; then turn the pattern with the picker.
    qtbot.mouseClick(main.editor.edit.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(60, 10))
    qtbot.keyClicks(main.editor.edit, QUERY)
    typed = main.editor.text()
    assert "Bh7 kh8" in typed
    if typed != QUERY:
        # The editor may close brackets by itself; what is meant is the query alone.
        main.editor.replace(0, len(typed), QUERY)
    main.editor.go_to(0)
    for word in ("flipvertical", "flipcolor"):
        qtbot.mouseClick(main.picker.toggles[word], Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda word=word: word in main.editor.text())
        qtbot.wait(80)
    assert main.editor.text().split() == ["flipcolor", "flipvertical", "{Bh7", "kh8}"]
    qtbot.waitUntil(lambda: main.picker.view.elements.rowCount() == 4)

    ask(qtbot, main)
    assert main.result is not None
    assert (len(main.result.games), main.result.positions) == (GAMES, POSITIONS)
    assert main.hits.count == POSITIONS
    shoot(main, "2-found")

    # A hit of a turned element: position, rings, lines and badge belong to it.
    elements = main.result.orbits[0].elements
    row = next(
        row
        for row in range(main.hits.count)
        if elements[main.hits.hit_at(row).matches[0].element].transform != "<>"
    )
    hit = main.hits.hit_at(row)
    element = main.result.orbits[0].elements[hit.matches[0].element]
    main.hits.select_row(row)
    qtbot.waitUntil(
        lambda: (
            main.browser.game is not None
            and (main.browser.game.game, main.browser.positionid) == (hit.game, hit.positionid)
        ),
    )
    board = main.board
    assert board.position is not None
    assert board.badge == (element.words, element.transform)
    # What to ring is told after the hits.
    qtbot.waitUntil(lambda: board.rings != 0)
    ringed = list(squares.bits(board.rings))
    assert board.rings == element.squares
    assert len(ringed) == 2
    assert {men.SYMBOLS[board.position.squares[square]].lower() for square in ringed} == {"b", "k"}
    assert {image for _square, image in board.lines} == set(ringed)
    shoot(main, "3-hit")

    # Limit to that element by its picture.
    with qtbot.waitSignal(main.picker.element_chosen):
        main.picker.view.choose(hit.matches[0].element)
    assert 0 < main.hits.count < POSITIONS
    limited = main.hits.count
    assert limited == element.positions
    shoot(main, "4-limited")

    # Export what is left with the matches marked, and open the file again.
    target = tmp_path / "hits.pgn"
    choice = export_dialog.ExportChoice(what=export_dialog.What.ELEMENT, annotate=True, path=target)
    monkeypatch.setattr(export_dialog.ExportDialog, "ask", classmethod(lambda _cls, *_a, **_k: choice))
    main.output.ask_export()
    qtbot.waitUntil(target.exists)
    qtbot.waitUntil(lambda: not main.jobs.active("export"))
    assert "[%csl" in target.read_text(encoding="utf-8")
    with qtbot.waitSignal(main.opener.opened):
        main.opening.open_files([target])
    assert main.base.games == element.games
    ask(qtbot, main)
    assert main.result is not None
    assert len(main.result.games) == element.games
    assert main.result.orbits[0].elements[hit.matches[0].element].positions == limited


def test_escape_stops_a_search_and_keeps_what_was_found(qtbot: QtBot, main: main_window.MainWindow) -> None:
    open_sample(qtbot, main, resource("sample/sample.pgn"))
    # Comments are looked up by the interpreter, so that there is time to stop it.
    main.editor.set_text('1 <= shift count {[Aa]d4 [Aa]d5 [Aa]e4} not originalcomment "zzz"')
    with qtbot.waitSignal(main.searcher.found):
        qtbot.keyClick(main, Qt.Key.Key_F5)
    with qtbot.waitSignal(main.searcher.finished) as stopped:
        qtbot.keyClick(main, Qt.Key.Key_Escape)
    assert stopped.args[0].cancelled
    assert main.hits.count > 0


def test_a_query_with_three_mistakes_is_refused_with_all_of_them(
    qtbot: QtBot, main: main_window.MainWindow
) -> None:
    open_sample(qtbot, main, resource("sample/sample.pgn"))
    main.editor.set_text("flippcolor Ra1\nchekc\nmatte")
    with qtbot.waitSignal(main.searcher.rejected) as refused:
        qtbot.keyClick(main, Qt.Key.Key_F5)
    assert len(refused.args[0]) == 3
    assert main.infobar.isVisible()
    shoot(main, "5-mistakes")


def test_arrows_walk_through_the_game_and_f3_through_the_hits(
    qtbot: QtBot, main: main_window.MainWindow
) -> None:
    open_sample(qtbot, main, resource("sample/sample.pgn"))
    main.editor.set_text("mate")
    ask(qtbot, main)
    qtbot.waitUntil(lambda: main.browser.hit is not None)
    first = main.browser.game
    assert first is not None
    end = main.browser.positionid
    main.board.setFocus()
    qtbot.keyClick(main.board, Qt.Key.Key_Left)
    assert main.browser.positionid == first.tree.parents[end]
    qtbot.keyClick(main.board, Qt.Key.Key_Home)
    assert main.browser.positionid == 0
    qtbot.keyClick(main, Qt.Key.Key_F3)
    qtbot.waitUntil(lambda: main.browser.game is not None and main.browser.game is not first)
    qtbot.keyClick(main, Qt.Key.Key_F3, Qt.KeyboardModifier.ShiftModifier)
    qtbot.waitUntil(
        lambda: (
            main.browser.game is not None
            and main.browser.game.game == first.game
            and main.browser.positionid == end
        ),
    )


def test_the_next_start_finds_everything_as_it_was_left(
    qtbot: QtBot, main: main_window.MainWindow, tmp_path: Path
) -> None:
    source = tmp_path / "games.pgn"
    shutil.copy(resource("sample/sample.pgn"), source)
    open_sample(qtbot, main, source)
    main.editor.set_text("mate flipcolor Qh7")
    main.showing.show_game(17)
    qtbot.waitUntil(lambda: main.browser.game is not None and main.browser.game.game == 17)
    main.browser.go(5)
    main.board.set_turned(True)
    main.actions_.figurines.trigger()
    main.hits.table.setColumnHidden(5, True)
    theme.theme().apply(theme.Choice.DARK)
    main.close()

    again = main_window.MainWindow()
    qtbot.addWidget(again)
    again.show()
    with qtbot.waitSignal(again.opener.opened):
        again.begin([])
    qtbot.waitUntil(lambda: again.browser.game is not None)
    assert again.browser.game is not None
    assert (again.browser.game.game, again.browser.positionid) == (17, 5)
    assert again.editor.text() == "mate flipcolor Qh7"
    assert again.board.turned
    assert again.actions_.figurines.isChecked()
    assert again.hits.table.isColumnHidden(5)
    assert theme.theme().choice is theme.Choice.DARK
    again.close()


def test_the_query_of_the_last_session_goes_on_at_the_hit_that_was_left(
    qtbot: QtBot, main: main_window.MainWindow, tmp_path: Path
) -> None:
    source = tmp_path / "games.pgn"
    shutil.copy(resource("sample/sample.pgn"), source)
    open_sample(qtbot, main, source)
    main.editor.set_text("mate")
    ask(qtbot, main)
    main.hits.select_row(7)
    main.close()

    again = main_window.MainWindow()
    qtbot.addWidget(again)
    again.show()
    with qtbot.waitSignal(again.opener.opened):
        again.begin([])
    for row in (7, 0):
        # The second time it is a search like any other.
        with qtbot.waitSignal(again.searcher.finished):
            again.searching.run()
        assert again.hits.table.row == row
    again.close()


def test_a_file_that_changed_leaves_nothing_of_its_former_games(
    qtbot: QtBot, main: main_window.MainWindow, tmp_path: Path
) -> None:
    source = tmp_path / "games.pgn"
    source.write_text('[White "Old, One"]\n[Result "*"]\n\n1. e4 *\n', encoding="utf-8")
    open_sample(qtbot, main, source)
    main.editor.set_text("Pe4")
    ask(qtbot, main)
    assert main.hits.count == 1
    source.write_text('[White "New, One"]\n[Result "*"]\n\n1. d4 d5 *\n', encoding="utf-8")
    with qtbot.waitSignal(main.opener.opened):
        main.opening.open_files([source])
    assert main.hits.count == 0
    qtbot.waitUntil(lambda: "New, One" in main.hitbar.text())
    with qtbot.waitSignal(main.searcher.finished):
        main.editor.set_text("Pd4")
        main.searching.run()
    cell = main.hits.hits.index(0, 1)
    qtbot.waitUntil(lambda: cell.data() == "New, One")


def test_a_query_of_the_library_can_be_undone_and_belongs_to_no_file(
    qtbot: QtBot, main: main_window.MainWindow, tmp_path: Path
) -> None:
    own = tmp_path / "own.cql"
    own.write_text("mate", encoding="utf-8")
    main.begin([own])
    assert main.editor.path == own
    main.library.chosen.emit("stalemate", "Stalemates")
    assert main.editor.text() == "stalemate"
    assert main.editor.path is None, "saving must not write it over the file that was open"
    qtbot.keyClick(main.editor.edit, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert main.editor.text() == "mate"


def test_panes_follow_the_width_and_show_their_name_once(qtbot: QtBot, main: main_window.MainWindow) -> None:
    main.begin([])
    left, right = Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea
    panes = main.docks
    assert main.dockWidgetArea(panes.results) == right
    assert main.dockWidgetArea(panes.picker) == left
    assert panes.results.titleBarWidget() is panes.picker.titleBarWidget() is None
    main.resize(1024, 700)
    qtbot.waitUntil(lambda: main.dockWidgetArea(panes.results) == left)
    # Tabs name the panes of the left column; a title bar would do so again.
    assert all(dock.titleBarWidget() is not None for dock in (panes.query, panes.picker, panes.results))
    for dock in (panes.library, panes.help, panes.picker, panes.results):
        dock.close()
    qtbot.waitUntil(lambda: main.docks.query.titleBarWidget() is None)
    main.resize(1366, 768)
    qtbot.wait(50)
    assert not panes.results.isVisible()
    assert not main.docks.picker.isVisible(), "what was closed stays closed"


@pytest.mark.parametrize("pane", ["editor", "notation", "board", "hits"])
def test_files_dropped_on_any_pane_are_opened(qtbot: QtBot, main: main_window.MainWindow, pane: str) -> None:
    main.begin([])
    main.editor.set_text("mate")
    target = {
        "editor": main.editor.edit.viewport(),
        "notation": main.notation.viewport(),
        "board": main.board,
        "hits": main.hits.table.viewport(),
    }[pane]
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(resource("sample/sample.pgn")))])
    how = (data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    enter = QDragEnterEvent(QPoint(9, 9), Qt.DropAction.CopyAction, *how)
    QApplication.sendEvent(target, enter)
    with qtbot.waitSignal(main.opener.opened):
        QApplication.sendEvent(target, QDropEvent(QPointF(9, 9), Qt.DropAction.CopyAction, *how))
    assert main.editor.text() == "mate"
    assert main.base is not None
    assert main.base.games == 500


def test_hits_are_not_limited_to_an_element_of_a_query_that_was_not_run(
    qtbot: QtBot, main: main_window.MainWindow
) -> None:
    open_sample(qtbot, main, resource("sample/sample.pgn"))
    main.editor.set_text("flipcolor flipvertical {Bh7 kh8}")
    ask(qtbot, main)
    main.editor.set_text("rotate90 {Bh7 kh8}")
    elements = main.picker.view.elements
    qtbot.waitUntil(
        lambda: (found := main.picker.element(0, 1)) is not None and "colo" not in found.words,
    )
    assert elements.rowCount() == 4
    main.picker.view.choose(1)
    assert main.hits.limited_to is None
    assert main.hits.count == POSITIONS
    assert main.infobar.isVisible()

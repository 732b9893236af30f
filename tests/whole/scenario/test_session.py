"""What a start with files on the command line, and opening queries, leave of the work that was there."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox
from pytestqt.qtbot import QtBot

from cqlgui.base.files.resources import resource
from cqlgui.ui.state import session
from cqlgui.ui.tables import hits_model
from cqlgui.ui.window import main_window, queries_kept

pytestmark = pytest.mark.xvfb

TYPED = "Pe4 pe5 // not saved anywhere"


def start_again(qtbot: QtBot, files: list[Path]) -> main_window.MainWindow:
    again = main_window.MainWindow()
    qtbot.addWidget(again)
    again.show()
    with qtbot.waitSignal(again.opener.opened):
        again.begin(files)
    return again


def leave_unsaved_work(qtbot: QtBot, main: main_window.MainWindow) -> None:
    with qtbot.waitSignal(main.opener.opened):
        main.begin([resource("sample/sample.pgn")])
    main.editor.edit.setFocus()
    qtbot.keyClicks(main.editor.edit, TYPED)
    assert main.editor.modified
    main.close()


def test_a_query_file_that_is_missing_costs_a_message_only(
    qtbot: QtBot, main: main_window.MainWindow, tmp_path: Path
) -> None:
    leave_unsaved_work(qtbot, main)
    for files in ([tmp_path / "missing.cql"], []):
        again = start_again(qtbot, files)
        assert again.base is not None
        assert again.base.games == 500
        assert again.editor.text() == TYPED
        assert again.editor.modified
        assert (again.infobar.shown is not None) == bool(files)
        again.close()


def test_a_query_file_takes_the_place_of_the_last_query_in_one_undoable_step(
    qtbot: QtBot, main: main_window.MainWindow, tmp_path: Path
) -> None:
    mate, other = tmp_path / "mate.cql", tmp_path / "other.cql"
    mate.write_text("mate\n", encoding="utf-8")
    other.write_text("stalemate\n", encoding="utf-8")
    leave_unsaved_work(qtbot, main)
    again = start_again(qtbot, [mate, other])
    assert again.editor.text() == "mate\n"
    assert again.editor.path == mate
    assert again.infobar.shown is not None
    assert "other.cql" in again.infobar.shown.text, "what was not opened is named"
    qtbot.keyClick(again.editor.edit, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert again.editor.text() == TYPED
    assert again.editor.path is None, "saving may not write it over the file"
    again.close()


@pytest.mark.parametrize("way", ["start", "drop"])
def test_a_script_of_scidb_opens_as_its_translation(
    qtbot: QtBot, main: main_window.MainWindow, tmp_path: Path, way: str
) -> None:
    script = tmp_path / "old.CQLS"
    script.write_text("(match (position Pa4 Nd4 :wtm))", encoding="utf-8")
    main.begin([script] if way == "start" else [])
    if way == "drop":
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(script))])
        how = (data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
        QApplication.sendEvent(main, QDragEnterEvent(QPoint(9, 9), Qt.DropAction.CopyAction, *how))
        QApplication.sendEvent(main, QDropEvent(QPointF(9, 9), Qt.DropAction.CopyAction, *how))
    qtbot.waitUntil(lambda: main.editor.name() == "old, translated")
    assert main.editor.text().startswith("cql()")
    assert main.base is None
    assert "*.cqls" in queries_kept.CQL_FILES


def search(qtbot: QtBot, main: main_window.MainWindow, source: Path, text: str) -> None:
    with qtbot.waitSignal(main.opener.opened):
        main.begin([source])
    main.editor.set_text(text)
    main.searching.run()
    qtbot.waitUntil(lambda: main.result is not None)


def leave_a_hit(qtbot: QtBot, main: main_window.MainWindow, source: Path) -> session.Session:
    """Search, step to a later hit and end; what the session says then."""
    search(qtbot, main, source, "mate")
    for _ in range(5):
        main.showing.next_hit(1)
    current = main.hits.current()
    assert current is not None
    spot = current.game, current.positionid
    qtbot.waitUntil(lambda: main.browser.game is not None and main.browser.game.game == spot[0])
    assert main.hits.table.row == 5
    main.close()
    kept = session.load()
    assert kept.files == (str(source),)
    assert (kept.hit_game, kept.hit_place) == (kept.game, kept.positionid) == spot
    assert kept.game > 1
    assert kept.positionid > 0
    return kept


def place(kept: session.Session) -> tuple[object, ...]:
    return kept.files, kept.query, kept.hit_game, kept.hit_place, kept.game, kept.positionid


def test_the_next_start_returns_to_the_hit_of_sorted_rows(
    qtbot: QtBot, main: main_window.MainWindow, tmp_path: Path
) -> None:
    source = tmp_path / "games.pgn"
    source.write_bytes(resource("sample/sample.pgn").read_bytes())
    search(qtbot, main, source, "check")
    for _ in range(2):
        with qtbot.waitSignal(main.hits.arranged):
            main.hits.arrange.sort_by(hits_model.PLY)
    main.hits.table.go_to(5)
    qtbot.waitUntil(lambda: main.browser.hit is not None and main.hits.table.row == 5)
    left = main.hits.current()
    assert left is not None
    main.close()
    again = start_again(qtbot, [])
    qtbot.waitUntil(lambda: again.browser.game is not None)
    again.searching.run()
    qtbot.waitUntil(lambda: again.result is not None)
    assert again.hits.is_current(left.game, left.positionid)
    assert again.hits.table.row != 5


def test_a_file_that_is_away_at_one_start_stays_in_the_session(
    qtbot: QtBot, main: main_window.MainWindow, tmp_path: Path
) -> None:
    source = tmp_path / "games.pgn"
    source.write_bytes(resource("sample/sample.pgn").read_bytes())
    kept = leave_a_hit(qtbot, main, source)
    away = source.rename(tmp_path / "elsewhere.pgn")
    without = main_window.MainWindow()
    qtbot.addWidget(without)
    without.show()
    with qtbot.waitSignal(without.opener.failed):
        without.begin([])
    assert without.infobar.shown is not None
    assert str(source) in without.infobar.shown.text
    assert without.infobar.shown.action is not None
    without.close()
    assert place(session.load()) == place(kept)
    away.rename(source)
    again = start_again(qtbot, [])
    qtbot.waitUntil(lambda: again.browser.game is not None)
    assert again.browser.game is not None
    assert (again.browser.game.game, again.browser.positionid) == (kept.game, kept.positionid)
    again.close()
    assert place(session.load()) == place(kept)


def test_a_file_of_the_session_is_located_where_it_is_now(
    qtbot: QtBot, main: main_window.MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "games.pgn"
    source.write_bytes(resource("sample/sample.pgn").read_bytes())
    kept = leave_a_hit(qtbot, main, source)
    moved = source.rename(tmp_path / "elsewhere.pgn")
    again = main_window.MainWindow()
    qtbot.addWidget(again)
    again.show()
    with qtbot.waitSignal(again.opener.failed):
        again.begin([])
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(moved), ""))
    assert again.infobar.shown is not None
    assert again.infobar.shown.action is not None
    with qtbot.waitSignal(again.opener.opened):
        again.infobar.shown.action[1]()
    qtbot.waitUntil(lambda: again.browser.game is not None)
    again.close()
    assert place(session.load()) == ((str(moved),), *place(kept)[1:])


def test_other_games_take_the_place_of_those_that_are_away(
    qtbot: QtBot, main: main_window.MainWindow, tmp_path: Path
) -> None:
    source = tmp_path / "games.pgn"
    source.write_bytes(resource("sample/sample.pgn").read_bytes())
    leave_a_hit(qtbot, main, source)
    source.unlink()
    again = main_window.MainWindow()
    qtbot.addWidget(again)
    again.show()
    with qtbot.waitSignal(again.opener.failed):
        again.begin([])
    with qtbot.waitSignal(again.opener.opened):
        again.opening.open_files([resource("sample/sample.pgn")])
    qtbot.waitUntil(lambda: again.browser.game is not None)
    again.close()
    kept = session.load()
    assert kept.files == (str(resource("sample/sample.pgn")),)
    assert (kept.game, kept.hit_game) == (1, 0)


def test_an_end_before_the_games_are_open_leaves_the_session_as_it_was(
    qtbot: QtBot, main: main_window.MainWindow, tmp_path: Path
) -> None:
    source = tmp_path / "games.pgn"
    source.write_bytes(resource("sample/sample.pgn").read_bytes())
    kept = leave_a_hit(qtbot, main, source)
    for opened in (False, True):
        hasty = main_window.MainWindow()
        qtbot.addWidget(hasty)
        hasty.show()
        if opened:
            # The games are open, the one that was left is not on the board yet.
            with qtbot.waitSignal(hasty.opener.opened):
                hasty.begin([])
        else:
            hasty.begin([])
            assert hasty.opener.busy
        hasty.close()
        assert place(session.load()) == place(kept)


def test_the_library_shows_ten_rows_on_a_small_screen_and_keeps_its_division(
    qtbot: QtBot, main: main_window.MainWindow
) -> None:
    main.begin([])
    pane = main.library
    qtbot.waitUntil(lambda: len(pane.titles()) > 60)
    main.docks.show(main.docks.library)
    pane.search.setText("across the board")
    pane.search.clear()
    tree = pane.tree
    qtbot.waitUntil(lambda: tree.viewport().height() >= 10 * tree.sizeHintForRow(0) > 0)
    drawn = pane.preview.diagram
    assert drawn.visibleRegion().boundingRect() == drawn.rect()
    pane.split.setSizes([1000, 0])
    assert pane.split.sizes()[1] == 0
    assert pane.current is not None, "Enter runs a query also while its preview is dragged away"
    main.close()
    again = main_window.MainWindow()
    qtbot.addWidget(again)
    again.show()
    again.begin([])
    again.docks.show(again.docks.library)
    qtbot.waitUntil(again.library.isVisible)
    assert again.library.split.sizes()[1] == 0
    again.close()


def test_a_place_that_cannot_be_looked_at_costs_a_message_only(
    qtbot: QtBot, main: main_window.MainWindow, tmp_path: Path
) -> None:
    """As in a folder that is closed, or on a share that is gone: what is no `FileNotFoundError`."""
    closed = tmp_path / ("x" * 300)
    kept = session.Session(files=(f"{closed}.pgn",), query=TYPED, query_path=f"{closed}.cql")
    assert session.save(kept)
    with qtbot.waitSignal(main.opener.failed):
        main.begin([])
    assert main.editor.text() == TYPED
    assert main.infobar.shown is not None
    assert "File name too long" in main.infobar.shown.text
    assert main.infobar.shown.action is not None
    main.opening.open_files([closed.with_suffix(".cql")])
    assert "File name too long" in main.infobar.shown.text
    with qtbot.waitSignal(main.opener.failed):
        main.opening.open_files([closed.with_suffix(".pgn")])


def test_a_file_is_replaced_only_where_that_was_asked(
    qtbot: QtBot, main: main_window.MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The dialog asks for the name as it was typed; the ending comes later."""
    there, answers = tmp_path / "mate.cql", [QMessageBox.StandardButton.No, QMessageBox.StandardButton.Yes]
    there.write_text("mate\n", encoding="utf-8")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "mate"), ""))
    monkeypatch.setattr(QMessageBox, "question", lambda *_, **_named: answers.pop(0))
    main.begin([])
    main.editor.edit.setFocus()
    qtbot.keyClicks(main.editor.edit, TYPED)
    main.queries_kept.save_query_as()
    assert there.read_text(encoding="utf-8") == "mate\n"
    assert main.editor.path is None
    assert main.editor.modified
    main.queries_kept.save_query_as()
    assert there.read_text(encoding="utf-8") == TYPED
    assert (main.editor.path, answers) == (there, [])


@pytest.mark.parametrize("spoilt", ["folder", "length"])
def test_a_changed_query_that_cannot_be_kept_is_not_lost_without_a_word(
    qtbot: QtBot, main: main_window.MainWindow, monkeypatch: pytest.MonkeyPatch, spoilt: str
) -> None:
    answers = [QMessageBox.StandardButton.No, QMessageBox.StandardButton.Yes]
    monkeypatch.setattr(QMessageBox, "question", lambda *_, **_named: answers.pop(0))
    main.begin([])
    main.editor.edit.setFocus()
    qtbot.keyClicks(main.editor.edit, TYPED)
    if spoilt == "folder":
        monkeypatch.setattr(session, "path", lambda: Path("/dev/null/session.json"))
    else:
        monkeypatch.setattr(session, "LARGEST", 10)
    assert not main.close()
    assert main.isVisible()
    assert main.editor.text() == TYPED
    assert main.close()
    assert answers == []


@pytest.mark.parametrize("modified", [False, True])
def test_a_query_file_that_changed_between_two_sessions_is_not_lost(
    qtbot: QtBot, main: main_window.MainWindow, tmp_path: Path, modified: bool
) -> None:
    path = tmp_path / "q.cql"
    path.write_text("check\n", encoding="utf-8")
    main.begin([path])
    if modified:
        main.editor.replace(0, 5, "mate")
    main.close()
    path.write_text("stalemate\n", encoding="utf-8")
    again = main_window.MainWindow()
    qtbot.addWidget(again)
    again.show()
    again.begin([])
    assert again.editor.path == path
    assert again.editor.modified == modified
    assert again.editor.text() == ("mate\n" if modified else "stalemate\n")
    again.queries_kept.save_query()
    assert path.read_text(encoding="utf-8") == "stalemate\n"
    if modified:
        assert again.infobar.shown is not None
        assert "was changed by another program" in again.infobar.shown.text
        again.queries_kept.save_query()
        assert path.read_text(encoding="utf-8") == "mate\n"
    again.close()


def test_a_second_window_keeps_what_the_first_one_left_unsaved(
    qtbot: QtBot, main: main_window.MainWindow
) -> None:
    second = main_window.MainWindow()
    qtbot.addWidget(second)
    second.show()
    main.begin([])
    second.begin([])
    main.editor.edit.setFocus()
    qtbot.keyClicks(main.editor.edit, TYPED)
    main.close()
    second.close()
    assert [text for text, _ in session.load().unsaved] == [TYPED]

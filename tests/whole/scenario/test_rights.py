"""Files that a query names: the window asks before it reads or writes one, and says what it leaves out."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from cqlgui.base.files.resources import resource
from cqlgui.ui.window import main_window

pytestmark = pytest.mark.xvfb


@pytest.fixture
def folder(qtbot: QtBot, main: main_window.MainWindow, tmp_path: Path) -> Path:
    """Games that are open, with files beside them."""
    shutil.copy(resource("sample/sample.pgn"), tmp_path / "games.pgn")
    (tmp_path / "other.pgn").write_text('[Result "*"]\n\n1. e4 *\n', encoding="utf-8")
    (tmp_path / "data.cqo").write_text("mate", encoding="utf-8")
    with qtbot.waitSignal(main.opener.opened):
        main.begin([tmp_path / "games.pgn"])
    return tmp_path


def asked(qtbot: QtBot, main: main_window.MainWindow, text: str) -> str:
    main.editor.set_text(text)
    with qtbot.waitSignal(main.searcher.wanted):
        qtbot.keyClick(main, Qt.Key.Key_F5)
    return said(main)


def allow(qtbot: QtBot, main: main_window.MainWindow) -> None:
    qtbot.mouseClick(main.infobar._action, Qt.MouseButton.LeftButton)


def said(main: main_window.MainWindow) -> str:
    shown = main.infobar.shown
    return shown.text if shown is not None else ""


def test_reading_and_writing_are_allowed_apart_for_the_session(
    qtbot: QtBot, main: main_window.MainWindow, folder: Path
) -> None:
    text = 'mate readfile "data.cqo" == "mate" writefile("out.cqo" "x")'
    question = asked(qtbot, main, text)
    assert question == f"This query wants to read data.cqo. Allow reading in {folder} for this session?"
    assert (main.hits.count, main.hits._detail.text()) == (0, ""), "nothing was searched"
    with qtbot.waitSignal(main.searcher.wanted):
        allow(qtbot, main)
    assert said(main) == f"This query wants to write out.cqo. Allow writing in {folder} for this session?"
    assert not (folder / "out.cqo").exists()
    with qtbot.waitSignal(main.searcher.finished):
        allow(qtbot, main)
    assert main.hits.count > 0
    assert (folder / "out.cqo").read_text() == "x" * main.hits.count
    # The same folder is not asked about again, neither by another query.
    main.editor.set_text('stalemate readfile "data.cqo" == "mate"')
    with qtbot.waitSignal(main.searcher.finished):
        qtbot.keyClick(main, Qt.Key.Key_F5)


def test_the_question_is_refused_with_escape(
    qtbot: QtBot, main: main_window.MainWindow, folder: Path
) -> None:
    assert asked(qtbot, main, 'mate writefile("out.cqo" "x")')
    main.editor.edit.setFocus()
    qtbot.keyClick(main.editor.edit, Qt.Key.Key_Escape)
    assert main.infobar.shown is None
    assert not main.searcher.running
    assert not (folder / "out.cqo").exists()
    assert asked(qtbot, main, 'stalemate writefile("out.cqo" "x")'), "a refusal is asked again"


def test_input_and_output_of_the_header_are_left_out_and_named(
    qtbot: QtBot, main: main_window.MainWindow, folder: Path
) -> None:
    main.editor.set_text("cql(input other.pgn output out.pgn) mate")
    with qtbot.waitSignal(main.searcher.finished):
        qtbot.keyClick(main, Qt.Key.Key_F5)
    assert main.result is not None
    assert main.result.games_searched == 500
    assert "out.pgn as output" in said(main)
    main.infobar.close_message()
    assert "other.pgn as input" in said(main)
    assert main.infobar.waiting == 0
    assert not (folder / "out.pgn").exists()
    with qtbot.waitSignal(main.opener.opened):
        allow(qtbot, main)
    assert main.base is not None
    assert main.base.games == 1
    # Of the file that is open now there is nothing to say.
    with qtbot.waitSignal(main.searcher.finished):
        qtbot.keyClick(main, Qt.Key.Key_F5)
    assert "out.pgn as output" in said(main)
    assert main.infobar.waiting == 0


def test_a_query_of_another_folder_asks_for_its_own(
    qtbot: QtBot, main: main_window.MainWindow, folder: Path
) -> None:
    first, other = folder / "first", folder / "other"
    for place in (first, other):
        place.mkdir()
        (place / "q.cql").write_text('mate writefile("out.cqo" "x")', encoding="utf-8")
        (place / "out.cqo").write_text("old", encoding="utf-8")
    for place in (first, other):
        assert main.editor.open_file(place / "q.cql")
        with qtbot.waitSignal(main.searcher.wanted):
            qtbot.keyClick(main, Qt.Key.Key_F5)
        assert f"Allow writing in {place} for this session?" in said(main)
        assert (place / "out.cqo").read_text() == "old"
        with qtbot.waitSignal(main.searcher.finished):
            allow(qtbot, main)
        assert set((place / "out.cqo").read_text()) == {"x"}
        (first / "out.cqo").write_text("kept", encoding="utf-8")
    assert (first / "out.cqo").read_text() == "kept"


def test_a_query_is_not_saved_over_the_games(
    qtbot: QtBot, main: main_window.MainWindow, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = folder / "games.pgn"
    before = games.read_bytes()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(games), ""))
    main.editor.set_text("mate")
    main.queries_kept.save_query_as()
    words = "games.pgn is a source of this base and is not overwritten."
    assert said(main) == words
    main.infobar.close_message()
    # What was opened as a query is a file of its own for the editor.
    small = folder / "other.pgn"
    with qtbot.waitSignal(main.opener.opened):
        main.opening.open_files([small])
    assert main.editor.open_file(small)
    main.editor.replace(0, len(main.editor.text()), "mate")
    main.queries_kept.save_query()
    assert said(main) == words.replace("games", "other")
    assert games.read_bytes() == before
    assert small.read_text(encoding="utf-8") != "mate"

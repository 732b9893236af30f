"""A search that is asked for before its games are there, and what the window says meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from cqlgui.base import errors
from cqlgui.base.files.resources import resource
from cqlgui.tasks.databases import importing
from cqlgui.tasks.results import base_model
from cqlgui.ui.window import main_window, opening

pytestmark = pytest.mark.xvfb

HELD_SECONDS = 120


class Gate:
    """Holds the opening of files up until it is let go on; `fault` then fails it."""

    def __init__(self) -> None:
        self.free = threading.Event()
        self.fault = ""
        self.first = 0

    def open_base(self, paths: list[Path], **named: Any) -> base_model.ImportReport:
        if self.first:
            named["on_base"](REAL(paths, cancel=named["cancel"]).base)
        assert self.free.wait(HELD_SECONDS)
        named["cancel"].raise_if_cancelled()
        if self.fault:
            raise errors.SourceError(self.fault)
        return REAL(paths, **named)


REAL = importing.open_base


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    held = Gate()
    monkeypatch.setattr(importing, "open_base", held.open_base)
    yield held
    held.free.set()


def said(main: main_window.MainWindow) -> str:
    shown = main.infobar.shown
    return shown.text if shown is not None else ""


def begin(qtbot: QtBot, main: main_window.MainWindow, text: str = "mate") -> None:
    """Open the sample, which is held up, and ask a query."""
    main.begin([resource("sample/sample.pgn")])
    main.editor.set_text(text)
    qtbot.keyClick(main, Qt.Key.Key_F5)


def test_a_query_asked_while_the_first_file_is_opened_waits_and_then_runs(
    qtbot: QtBot, main: main_window.MainWindow, gate: Gate
) -> None:
    begin(qtbot, main)
    assert not main.searcher.running
    assert "waits" in said(main)
    assert "sample.pgn" in said(main)
    assert main.hits._detail.text() == "waiting for sample.pgn"
    assert main.actions_.stop.isEnabled()
    assert main.board._hint == "Opening games ...", "nobody is asked to open what is being opened"
    # The query as it was asked is what runs, as when one writes on while a search is running.
    main.editor.replace(0, 0, "check ")
    with qtbot.waitSignal(main.searcher.finished) as ended:
        gate.free.set()
    assert ended.args[0].query == "mate"
    assert said(main) == ""
    assert main.hits.count == ended.args[0].positions > 0


def test_a_second_f5_takes_the_query_as_it_stands_then(
    qtbot: QtBot, main: main_window.MainWindow, gate: Gate
) -> None:
    begin(qtbot, main)
    main.editor.set_text("stalemate")
    qtbot.keyClick(main, Qt.Key.Key_F5)
    assert main.infobar.waiting == 0
    with qtbot.waitSignal(main.searcher.finished) as ended:
        gate.free.set()
    assert ended.args[0].query == "stalemate"


@pytest.mark.parametrize("way", ["escape", "button"])
def test_a_query_that_waits_is_taken_back(
    qtbot: QtBot, main: main_window.MainWindow, gate: Gate, way: str
) -> None:
    begin(qtbot, main)
    if way == "escape":
        qtbot.keyClick(main.editor.edit, Qt.Key.Key_Escape)
    else:
        qtbot.mouseClick(main.infobar._action, Qt.MouseButton.LeftButton)
    assert said(main) == ""
    assert main.hits._detail.text() == ""
    assert not main.actions_.stop.isEnabled()
    with qtbot.waitSignal(main.opener.opened):
        gate.free.set()
    assert not main.searcher.running
    assert main.asked == ""


def test_a_failed_opening_tells_that_the_query_was_not_run(
    qtbot: QtBot, main: main_window.MainWindow, gate: Gate
) -> None:
    begin(qtbot, main)
    gate.fault = "It cannot be read."
    with qtbot.waitSignal(main.opener.failed):
        gate.free.set()
    shown = main.infobar.shown
    assert shown is not None
    assert shown.kind == "error"
    assert shown.text == "It cannot be read. The query was not run."
    assert main.infobar.waiting == 0
    assert main.hits._detail.text() == ""
    assert main.board._hint == opening.WELCOME


def test_an_opening_that_is_stopped_tells_so_too(
    qtbot: QtBot, main: main_window.MainWindow, gate: Gate
) -> None:
    begin(qtbot, main)
    with qtbot.waitSignal(main.opener.failed):
        main.cancel_work()
        gate.free.set()
    assert said(main) == "Opening was stopped, so the query was not run."


def test_games_that_were_read_already_can_be_searched_at_once(
    qtbot: QtBot, main: main_window.MainWindow, gate: Gate
) -> None:
    begin(qtbot, main)
    gate.first = 1
    main.opening.open_files([resource("sample/sample.pgn")])
    qtbot.waitUntil(lambda: "F5 searches the 500 games" in said(main))
    with qtbot.waitSignal(main.searcher.finished):
        qtbot.keyClick(main, Qt.Key.Key_F5)
    assert "waits" not in said(main)
    searched: list[object] = []
    main.searcher.started.connect(searched.append)
    with qtbot.waitSignal(main.opener.opened):
        gate.free.set()
    assert not main.searcher.running
    assert searched == []


def test_an_empty_query_does_not_wait(qtbot: QtBot, main: main_window.MainWindow, gate: Gate) -> None:
    begin(qtbot, main, " ")
    assert "Type a query first" in said(main)
    assert not main.actions_.stop.isEnabled()


def test_a_query_waits_for_other_files_instead_of_running_on_those_that_go(
    qtbot: QtBot, main: main_window.MainWindow, gate: Gate, tmp_path: Path
) -> None:
    gate.free.set()
    with qtbot.waitSignal(main.opener.opened):
        main.begin([resource("sample/sample.pgn")])
    gate.free.clear()
    one = tmp_path / "one.pgn"
    one.write_text('[Result "*"]\n\n1. e4 *\n')
    main.opening.open_files([one])
    main.editor.set_text("Pe4")
    qtbot.keyClick(main, Qt.Key.Key_F5)
    assert not main.searcher.running
    assert "one.pgn" in said(main)
    with qtbot.waitSignal(main.searcher.finished) as ended:
        gate.free.set()
    assert ended.args[0].order == (1,)
    assert ended.args[0].games_searched == 1


def test_an_error_stays_when_a_search_begins_and_goes_with_its_cause(
    qtbot: QtBot, main: main_window.MainWindow, gate: Gate, tmp_path: Path
) -> None:
    gate.free.set()
    with qtbot.waitSignal(main.opener.opened):
        main.begin([resource("sample/sample.pgn")])
    with qtbot.waitSignal(main.opener.failed):
        main.opening.open_files([tmp_path / "away.pgn"])
    assert "away.pgn" in said(main)
    main.editor.set_text("matte")
    with qtbot.waitSignal(main.searcher.rejected):
        qtbot.keyClick(main, Qt.Key.Key_F5)
    assert "cannot be run" in said(main), "the newer error is shown"
    main.editor.set_text("mate")
    assert "away.pgn" in said(main)
    with qtbot.waitSignal(main.searcher.finished):
        qtbot.keyClick(main, Qt.Key.Key_F5)
    assert "away.pgn" in said(main), "it cannot be opened yet"
    with qtbot.waitSignal(main.opener.opened):
        main.opening.open_files([resource("sample/sample.pgn")])
    assert said(main) == ""

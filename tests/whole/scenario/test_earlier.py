"""Hits of a query or of files that are not those on screen any more are marked as such."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from cqlgui.base import errors
from cqlgui.base.files.resources import resource
from cqlgui.tasks.databases import importing
from cqlgui.tasks.results import base_model
from cqlgui.ui.look import theme
from cqlgui.ui.window import main_window

pytestmark = pytest.mark.xvfb

MARK = "of an earlier query"


def open_and_ask(qtbot: QtBot, main: main_window.MainWindow, text: str) -> None:
    with qtbot.waitSignal(main.opener.opened):
        main.begin([resource("sample/sample.pgn")])
    main.editor.set_text(text)
    with qtbot.waitSignal(main.searcher.finished):
        qtbot.keyClick(main, Qt.Key.Key_F5)
    qtbot.waitUntil(lambda: main.browser.hit is not None)


def said(main: main_window.MainWindow) -> str:
    return main.hits._summary.text()


def settled(qtbot: QtBot, main: main_window.MainWindow) -> None:
    qtbot.waitUntil(lambda: not main.jobs.active("compare queries"))


def ink(main: main_window.MainWindow) -> set[str]:
    """The colours in the rows that are not selected."""
    image = main.hits.table.viewport().grab().toImage()
    height = main.hits.table.verticalHeader().defaultSectionSize()
    rows = range(height, min(5 * height, image.height()))
    return {image.pixelColor(x, y).name() for x in range(400) for y in rows}


@pytest.mark.parametrize("choice", [theme.Choice.LIGHT, theme.Choice.DARK])
def test_hits_of_an_earlier_query_say_so_and_stand_back(
    qtbot: QtBot, main: main_window.MainWindow, choice: theme.Choice
) -> None:
    theme.theme().apply(choice)
    open_and_ask(qtbot, main, "mate")
    settled(qtbot, main)
    counts = said(main)
    assert MARK not in counts
    # The players are read by a job.
    qtbot.waitUntil(lambda: theme.colours().text in ink(main))
    main.editor.replace(4, 4, " check")
    qtbot.waitUntil(lambda: MARK in said(main))
    assert said(main).startswith(counts)
    assert MARK in main.hitbar.text()
    assert main.hits.table.dimmed
    assert theme.colours().text not in ink(main)
    assert theme.colours().muted in ink(main)
    # Undone to the same text, and other texts that mean the same.
    main.editor.edit.undo()
    assert said(main) == counts, "at once"
    assert not main.hits.table.dimmed
    assert MARK not in main.hitbar.text()
    main.editor.replace(0, 0, "// what is asked for\n")
    settled(qtbot, main)
    assert said(main) == counts
    main.editor.replace(0, 0, "matte ")
    qtbot.waitUntil(lambda: MARK in said(main))
    main.editor.set_text("stalemate")
    with qtbot.waitSignal(main.searcher.finished):
        qtbot.keyClick(main, Qt.Key.Key_F5)
    settled(qtbot, main)
    assert MARK not in said(main)


def test_a_refused_query_leaves_the_mark(qtbot: QtBot, main: main_window.MainWindow) -> None:
    open_and_ask(qtbot, main, "mate")
    main.editor.set_text("matte")
    with qtbot.waitSignal(main.searcher.rejected):
        qtbot.keyClick(main, Qt.Key.Key_F5)
    qtbot.waitUntil(lambda: MARK in said(main))
    main.editor.set_text("mate")
    assert MARK not in said(main)


def test_what_is_typed_while_a_search_runs_marks_its_hits(qtbot: QtBot, main: main_window.MainWindow) -> None:
    with qtbot.waitSignal(main.opener.opened):
        main.begin([resource("sample/sample.pgn")])
    main.editor.set_text("gamenumber <= 100 or {x = 0 while (x >= 0) {x += 1}}")
    qtbot.keyClick(main, Qt.Key.Key_F5)
    qtbot.waitUntil(lambda: main.hits.count > 0)
    main.editor.set_text("mate")
    qtbot.waitUntil(lambda: MARK in said(main))
    with qtbot.waitSignal(main.searcher.finished):
        qtbot.keyClick(main, Qt.Key.Key_Escape)
    assert MARK in said(main)


def test_hits_of_other_files_are_marked_until_the_new_ones_are_there(
    qtbot: QtBot, main: main_window.MainWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    open_and_ask(qtbot, main, "mate")
    free = threading.Event()

    def slowly(*_arguments: Any, **_named: Any) -> base_model.ImportReport:
        assert free.wait(120)
        raise errors.SourceError("It cannot be read.")

    monkeypatch.setattr(importing, "open_base", slowly)
    main.opening.open_files([tmp_path / "other.pgn"])
    assert "of other files" in said(main)
    assert main.hits.table.dimmed
    with qtbot.waitSignal(main.opener.failed):
        free.set()
    assert "of other files" not in said(main), "the former files stay open"
    assert not main.hits.table.dimmed

"""What a start with files on the command line, and opening queries, leave of the work that was there."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from cqlgui.base.resources import resource
from cqlgui.ui import window

pytestmark = pytest.mark.xvfb

LONG = 20_000
TYPED = "Pe4 pe5 // not saved anywhere"


def start_again(qtbot: QtBot, files: list[Path]) -> window.MainWindow:
    again = window.MainWindow()
    qtbot.addWidget(again)
    again.show()
    with qtbot.waitSignal(again.opener.opened, timeout=LONG):
        again.begin(files)
    return again


def leave_unsaved_work(qtbot: QtBot, main: window.MainWindow) -> None:
    with qtbot.waitSignal(main.opener.opened, timeout=LONG):
        main.begin([resource("sample/sample.pgn")])
    main.editor.edit.setFocus()
    qtbot.keyClicks(main.editor.edit, TYPED)
    assert main.editor.modified
    main.close()


def test_a_query_file_that_is_missing_costs_a_message_only(
    qtbot: QtBot, main: window.MainWindow, tmp_path: Path
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
    qtbot: QtBot, main: window.MainWindow, tmp_path: Path
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
    qtbot: QtBot, main: window.MainWindow, tmp_path: Path, way: str
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
    qtbot.waitUntil(lambda: main.editor.name() == "old, translated", timeout=LONG)
    assert main.editor.text().startswith("cql()")
    assert main.base is None
    assert "*.cqls" in window.CQL_FILES

"""The window opens a published base as it opens files."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from cqlgui.store import places
from cqlgui.tasks.cluster import publishing
from cqlgui.tasks.databases import importing
from cqlgui.ui.window import main_window, start

GAMES = '[White "A"]\n[Black "B"]\n[Result "0-1"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n[White "C"]\n\n1. e4 e5 *\n'


@pytest.mark.parametrize("name", ["", places.LISTING])
def test_a_published_base_is_opened_and_searched(
    name: str, qtbot: QtBot, qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.pgn").write_text(GAMES)
    publishing.publish(importing.open_base([tmp_path / "a.pgn"]).base, str(tmp_path / "pub"))
    (tmp_path / "a.pgn").unlink()
    monkeypatch.setenv("CQLGUI_HOME", str(tmp_path / "there"))
    start.set_up(qapp)
    shown = main_window.MainWindow()
    shown.show()
    with qtbot.waitSignal(shown.opener.opened):
        shown.begin([tmp_path / "pub" / name])
    qtbot.waitUntil(lambda: not shown.opener.busy)
    assert shown.base is not None
    assert shown.base.games == 2
    assert shown.base.paths == (tmp_path / "pub",)
    with qtbot.waitSignal(shown.searcher.finished):
        shown.searching.run_text("mate", "a query")
    qtbot.waitUntil(lambda: shown.hits.count == 1)
    shown.close()
    shown.deleteLater()

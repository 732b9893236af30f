"""What the window shows of a search that a fault of the query stopped."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from cqlgui.ui.window import main_window, start

GAMES = """[White "A"]

1. e4 e5 *

[White "B"]

1. f3 e5 2. g4 Qh4# 0-1

"""


def test_hits_before_the_stop_stay_and_the_reason_is_shown(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path
) -> None:
    source = tmp_path / "a.pgn"
    source.write_text(GAMES)
    start.set_up(qapp)
    shown = main_window.MainWindow()
    shown.show()
    with qtbot.waitSignal(shown.opener.opened):
        shown.begin([source])
    qtbot.waitUntil(lambda: not shown.opener.busy)
    with qtbot.waitSignal(shown.searcher.finished):
        shown.searching.run_text("initial or {piece T in k mate T}", "a query")
    qtbot.waitUntil(lambda: shown.hits.count > 0)
    assert shown.hits.count == 1
    message = shown.infobar.shown
    assert message is not None
    assert (message.kind, message.text) == (
        "error",
        "The search stopped at game 2: The variable T has no value yet (game 2, position 4)",
    )
    assert shown.hits._detail.text().startswith("stopped after ")
    shown.close()
    shown.deleteLater()

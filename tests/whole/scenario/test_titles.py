"""What the window calls the files that are open."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from cqlgui.ui.window import main_window

pytestmark = pytest.mark.xvfb

GAME = '[Result "*"]\n\n1. e4 *\n'


def opened(qtbot: QtBot, main: main_window.MainWindow, *paths: Path) -> None:
    for path in paths:
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(GAME, encoding="utf-8")
    with qtbot.waitSignal(main.opener.opened):
        main.opening.open_files(paths)


def test_several_files_are_one_title_with_the_paths_in_a_tip(
    qtbot: QtBot, main: main_window.MainWindow, tmp_path: Path
) -> None:
    files = [tmp_path / name for name in ("a.pgn", "b.pgn", "c.pgn")]
    opened(qtbot, main, *files)
    assert main.windowTitle() == "a.pgn and 2 more - cqlgui"
    assert main.games_words.text() == "a.pgn and 2 more: 3 games, 6 positions"
    tip = main.games_words.toolTip()
    assert all(str(path) in tip for path in files)
    same = [tmp_path / folder / "a.pgn" for folder in ("one", "two")]
    opened(qtbot, main, *same)
    assert main.windowTitle() == "one/a.pgn and 1 more - cqlgui"


def test_a_long_name_or_one_with_signs_of_qt_leaves_the_window_as_it_is(
    qtbot: QtBot, main: main_window.MainWindow, tmp_path: Path
) -> None:
    before = main.minimumSizeHint().width()
    opened(qtbot, main, tmp_path / f"{'long' * 60}.pgn")
    assert len(main.windowTitle()) < 70
    assert main.minimumSizeHint().width() <= max(before, main.width())
    opened(qtbot, main, tmp_path / "Q&A [*] <b>.pgn")
    assert main.windowTitle() == "Q&A [*][*] <b>.pgn - cqlgui"
    assert main.games_words.text().startswith("Q&A [*] <b>.pgn: ")
    main.actions_._fill_recent()
    names = [action.text() for action in main.actions_._recent.actions()]
    assert names[0].startswith("Q&&A [*] <b>.pgn ")
    assert all(len(name) < 120 for name in names)

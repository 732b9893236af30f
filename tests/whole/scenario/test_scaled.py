"""On a laptop's screen at 150 % and 200 % nothing lies outside of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from cqlgui.ui.window import layouts, main_window
from tests import helpers

pytestmark = pytest.mark.xvfb


@pytest.mark.parametrize("scale", ["1.5", "2"])
def test_windows_and_their_buttons_lie_within_the_screen(scale: str, tmp_path: Path) -> None:
    environment = {**os.environ, "QT_SCALE_FACTOR": scale, "CQLGUI_HOME": str(tmp_path)}
    command = [sys.executable, "-m", "tests.whole.scenario.scaled"]
    done = subprocess.run(
        command, env=environment, cwd=helpers.ROOT, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == []


def test_the_columns_become_tabs_where_the_window_is_narrow_or_low(
    qtbot: QtBot, main: main_window.MainWindow
) -> None:
    main.begin([])
    panes = main.docks

    def beside() -> tuple[bool, bool]:
        tabs = main.tabifiedDockWidgets(panes.library)
        return panes.picker in tabs, panes.results in tabs

    assert beside() == (False, False)
    main.resize(1300, layouts.LOW - 20)
    qtbot.waitUntil(lambda: beside() == (True, False))
    main.resize(layouts.NARROW - 20, 700)
    qtbot.waitUntil(lambda: beside() == (True, True))
    qtbot.waitUntil(lambda: not main.editor.edit.visibleRegion().isEmpty())
    main.resize(1300, 700)
    qtbot.waitUntil(lambda: beside() == (False, False))
    # What the user arranged otherwise stays.
    panes.results.setFloating(True)
    main.resize(1000, layouts.LOW - 20)
    qtbot.waitUntil(lambda: not panes._size.isActive() and main.height() == layouts.LOW - 20)
    assert panes.results.isFloating()

"""Speed of the window, driven as a user does:  python -m tests.tools.perf.window FILE.pgn [QUERY.cql]

Opens the program on the file and the query, presses F5 and watches while the search runs: the longest time
for which the event loop stood still, the longest repaint, and the time until the first hits were in the
table (the second time that they are asked for: where everything is warm). Without a query it goes on with
what one does all the time (`acts`), which takes some minutes. The caller sets CQLGUI_HOME.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tests import helpers
from tests.tools.perf import headless

if TYPE_CHECKING:
    # Qt is imported late, after the platform is chosen.
    from PySide6.QtGui import QAction
    from PySide6.QtWidgets import QMainWindow

QUERY = helpers.ROOT / "resources" / "queries" / "pawns" / "pawn-chain.cql"
"""A query that takes its time: an orbit of some hundred elements."""

FIRST_ROWS = "F5 to the first rows, warm"
STALL = "event loop: longest gap during the search"
ROUNDS = 4
"""Searches; the last tells how long it takes where everything is warm."""
TICK_MS = 5
REPAINT_EVERY = 40
GIVE_UP_SECONDS = 120


def main(words: Sequence[str]) -> int:
    """Print start-up time, longest stall and longest repaint."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    born = time.time() - _age()
    from PySide6.QtWidgets import QApplication

    from cqlgui import app

    path, query = Path(words[0]), Path(words[1]) if len(words) > 1 else QUERY
    watch: list[Watch] = []
    run = QApplication.exec

    def watched(*_: object) -> int:
        watch.append(Watch(born))
        return run()

    QApplication.exec = watched  # type: ignore[method-assign]  # the only moment at which the window is sure to stand
    app.main([str(path), str(query)])
    for figure in watch[0].figures():
        print(figure.line())
    if len(words) == 1 and watch[0].finished:
        # In a process of its own, as the program has ended in this one.
        command = [sys.executable, "-m", "tests.tools.perf.acts", str(path)]
        return subprocess.run(command, cwd=helpers.ROOT, check=False).returncode
    return 0 if watch[0].finished else 1


class Watch:
    """Ticks in the event loop of the running program: starts the search, measures, closes the window."""

    def __init__(self, born: float) -> None:
        from PySide6.QtCore import QTimer

        self.shown = time.time() - born
        self.finished = False
        self.idle = 0.0
        self.stall = 0.0
        self.repaint = 0.0
        self._started = time.perf_counter()
        self._last = self._started
        self.rows: list[float] = []
        self._asked = 0.0
        self._rounds = 0
        self._waiting = False
        self._ticks = 0
        self._timer = QTimer()
        self._timer.timeout.connect(self._tick)
        self._timer.start(TICK_MS)

    def figures(self) -> list[headless.Figure]:
        """What was measured, in milliseconds."""
        figures = [headless.Figure("start-up: the window is shown", self.shown * 1000, "ms")]
        if not self._asked:
            return [*figures, headless.Figure("the search could not be started", 0, "hits")]
        return [
            *figures,
            headless.Figure(FIRST_ROWS, self.rows[-1] * 1000 if self.rows else math.inf, "ms"),
            headless.Figure("event loop: longest gap before the search", self.idle * 1000, "ms"),
            headless.Figure(STALL, self.stall * 1000, "ms"),
            headless.Figure("longest repaint of the window during it", self.repaint * 1000, "ms"),
        ]

    def _tick(self) -> None:
        now = time.perf_counter()
        gap = now - self._last
        window = _window()
        if window is not None:
            self._ticks += 1
            if not self._asked:
                self.idle = max(self.idle, gap)
                # A second for the file to open and the session to settle.
                if now - self._started > 1.0 and self._press("F5"):
                    self._asked = time.perf_counter()
                    self._listen(window)
                    # What the start itself takes stops the loop as well.
                    self.stall = self._asked - now
            else:
                self.stall = max(self.stall, gap)
                if self._ticks % REPAINT_EVERY == 0:
                    start = time.perf_counter()
                    window.repaint()
                    self.repaint = max(self.repaint, time.perf_counter() - start)
                if now - self._asked > 1.0 and not _enabled("Esc"):
                    self._rounds += 1
                    self.finished = self._rounds == ROUNDS
                    if not self.finished and self._press("F5"):
                        self._asked = time.perf_counter()
        if self.finished or now - self._started > GIVE_UP_SECONDS:
            self._timer.stop()
            if window is not None:
                window.close()
        self._last = time.perf_counter()

    def _listen(self, window: QMainWindow) -> None:
        """Note when the first hits of a search have come to the table and are to be seen."""
        from cqlgui.ui.window.main_window import MainWindow

        assert isinstance(window, MainWindow)

        def begun(*_: object) -> None:
            self._waiting = True

        def found(*_: object) -> None:
            if self._waiting:
                self._waiting = False
                window.repaint()
                self.rows.append(time.perf_counter() - self._asked)

        window.searcher.started.connect(begun)
        window.searcher.found.connect(found)

    def _press(self, keys: str) -> bool:
        action = _action(keys)
        if action is None or not action.isEnabled():
            return False
        action.trigger()
        return True


def _window() -> QMainWindow | None:
    """The main window, None while there is none to see."""
    from PySide6.QtWidgets import QApplication, QMainWindow

    shown = (w for w in QApplication.topLevelWidgets() if isinstance(w, QMainWindow) and w.isVisible())
    return next(shown, None)


def _action(keys: str) -> QAction | None:
    """The window's action with this shortcut."""
    from PySide6.QtGui import QAction, QKeySequence

    window = _window()
    actions = window.findChildren(QAction) if window is not None else []
    return next((action for action in actions if QKeySequence(keys) in action.shortcuts()), None)


def _enabled(keys: str) -> bool:
    action = _action(keys)
    return action is not None and action.isEnabled()


def _age() -> float:
    """Seconds since this process started; 0 where the system does not tell."""
    try:
        fields = Path("/proc/self/stat").read_text().rsplit(")", 1)[1].split()
        since_boot = float(Path("/proc/uptime").read_text().split()[0])
    except OSError:
        return 0.0
    return since_boot - int(fields[19]) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

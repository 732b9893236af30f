"""Time of the pictures of many hits:  python -m tests.tools.perf.pictures [--query TEXT] FILE.pgn

For each picture it prints the time until the pane shows it, and the longest time that the window's thread did
not answer meanwhile. `CQLGUI_HOME` names the folder of the index; `QT_QPA_PLATFORM=offscreen` needs no
screen.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QEventLoop, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from cqlgui.base import priority
from cqlgui.tasks.databases import importing
from cqlgui.tasks.results import search_model
from cqlgui.tasks.search import searching
from cqlgui.ui.loop import jobs
from cqlgui.ui.pictures import asking, pane
from tests.tools.perf.headless import SAMPLE

QUERY = "flipcolor {wtm ply>20 ply<28}"
"""A million hits in 145,716 games, half of them with the colours swapped."""
OTHERS = ("check", "Bh7")
_BEAT_MS = 4


def main(words: Sequence[str] | None = None) -> int:
    """Measure and print; nothing is judged."""
    arguments = argparse.ArgumentParser(prog="python -m tests.tools.perf.pictures", description=__doc__)
    arguments.add_argument("file", nargs="?", type=Path, default=SAMPLE, help="plain PGN")
    arguments.add_argument("--query", default=QUERY)
    arguments.add_argument("--width", type=int, default=470, help="width of the pane in pixels")
    options = arguments.parse_args(words)
    application = QApplication(sys.argv[:1])
    priority.switch_often()
    base = importing.open_base([options.file]).base
    how = search_model.SearchOptions(details=search_model.Details.NONE)
    # The hits shown are those of the last search, whose machine code is known.
    others = [(text, searching.search(base, text, how)) for text in OTHERS]
    result = searching.search(base, options.query, how)
    print(f"{result.positions:,} hits in {len(result.order):,} games")
    door = jobs.Jobs()
    window = _Window(door)
    shown = pane.PicturesPane(door, window)
    window.resize(options.width, 640)
    shown.resize(options.width, 640)
    shown.set_others(others)
    shown.set_normalised(True)
    shown.set_result(base, result)
    # As in the program, the garbage collector does not run by chance.
    gc.disable()
    watch = _Watch(application, lambda: door.count > 0 or shown.is_loading)
    watch.measure("the first picture, with pyqtgraph", window.show)
    for kind in (*list(asking.Kind)[1:], asking.Kind.YEAR):
        watch.measure(kind.value, lambda kind=kind: shown.choose(kind))  # type: ignore[misc]  # bound now
    return 0 if door.close() else 1


class _Window(QWidget):
    """Paints in turns, as the window of the program does (`MainWindow.event`): other threads are held back
    meanwhile."""

    def __init__(self, door: jobs.Jobs) -> None:
        super().__init__()
        self._door = door

    def event(self, event: QEvent) -> bool:
        if event.type() is not QEvent.Type.UpdateRequest:
            return super().event(event)
        self._door.turns.ask(self._paint)
        return True

    def _paint(self) -> None:
        super().event(QEvent(QEvent.Type.UpdateRequest))


class _Watch:
    """Measures how long work takes, and how long the event loop stands still."""

    def __init__(self, application: QApplication, is_busy: Callable[[], bool]) -> None:
        self._application = application
        self._is_busy = is_busy
        self._last = self._worst = 0.0
        self._timer = QTimer()
        self._timer.timeout.connect(self._beat)
        self._timer.start(_BEAT_MS)

    def _beat(self) -> None:
        now = time.perf_counter()
        self._worst, self._last = max(self._worst, now - self._last), now

    def measure(self, name: str, act: object) -> None:
        """Do something, and wait until no work is left and all is painted."""
        assert callable(act)
        self._application.processEvents()
        begun = self._last = time.perf_counter()
        self._worst, spent = 0.0, time.process_time()
        act()
        while self._is_busy():
            self._application.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
        seconds = time.perf_counter() - begun
        spent = time.process_time() - spent
        self._application.processEvents()
        self._beat()
        print(
            f"{name:36} {seconds * 1000:6.0f} ms   longest stall {self._worst * 1000:4.0f} ms"
            f"   processor time {spent * 1000:4.0f} ms",
            flush=True,
        )


if __name__ == "__main__":
    sys.exit(main())

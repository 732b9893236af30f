"""How long the window takes for what one does all the time, as 95th percentiles over some thirty repeats.

    python -m tests.tools.perf.acts FILE.pgn [typing live pointing arrows chips asking hits stopping]

The window runs in its own event loop and is driven by keys and clicks. An act ends when what it changes has
been painted. A timer that ticks each millisecond looks for the ends and measures the longest gap of the loop.
"""

from __future__ import annotations

import math
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from cqlgui.tasks.processes import pool
from cqlgui.ui.picker import strip as picker_strip
from cqlgui.ui.window import main_window, start
from tests.tools.perf import headless

Waited = Callable[[], bool]
Steps = Iterator[Waited]

REPEATS = 30
WIDTH, HEIGHT = 1366, 768
MANY_HITS = 5_000_000
GIVE_UP_SECONDS = 60
QUIET_SECONDS = 0.4
"""For so long nothing may be under way before the next act."""
SEARCHES = {
    "flipcolor flipvertical {Nf5 kg8}": 150.0,
    "shift {Ra1 kc3}": 150.0,
    "flip shift {Nf5 kg8}": 150.0,
}
TRANSFORMS = ("flipcolor", "flipvertical", "fliphorizontal", "rotate90")


def figures(path: Path, wanted: Sequence[str] = ()) -> list[headless.Figure]:
    """Open the games in a window, do it all, or what is wanted of `Acts.kinds`, and tell."""
    application = QApplication.instance() or QApplication(["cqlgui"])
    assert isinstance(application, QApplication)
    start.set_up(application)
    screen = application.primaryScreen().size()
    if screen.width() < WIDTH or screen.height() < HEIGHT:
        # Columns would become tabs, and what is not in view is not painted.
        raise SystemExit(
            f"This needs a screen of {WIDTH} by {HEIGHT}, as xvfb-run with QT_QPA_PLATFORM=xcb has."
        )
    main = main_window.MainWindow()
    main.resize(WIDTH, HEIGHT)
    main.show()
    main.activateWindow()
    main.begin([path])
    acts = Acts(main)
    driver = _Driver(acts.all(wanted), main.close, lambda: acts.doing)
    # Without it Python collects in whichever thread allocates, and stops the window for some 50 ms.
    garbage = start.collect_garbage(main)
    try:
        application.exec()
    finally:
        garbage.stop()
        pool.close()
    gaps = [
        headless.Figure(f"longest gap of the event loop: {doing}", gap * 1000, "ms")
        for doing, gap in driver.gaps.items()
    ]
    return [*acts.figures(), *gaps]


class _Driver(QObject):
    """Goes through steps in the running loop: each gives what it waits for."""

    def __init__(self, steps: Steps, ended: Callable[[], object], doing: Callable[[], str]) -> None:
        super().__init__()
        self.gaps: dict[str, float] = {}
        self._steps, self._ended, self._doing = steps, ended, doing
        self._waited: Waited = lambda: True
        self._since = self._last = time.perf_counter()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)
        self._timer.start(1)

    def _tick(self) -> None:
        now = time.perf_counter()
        doing = self._doing()
        self.gaps[doing] = max(self.gaps.get(doing, 0.0), now - self._last)
        if now - self._since > GIVE_UP_SECONDS:
            self._end()
            raise TimeoutError(f"an act does not end: {self._waited}")
        if self._waited():
            self._since = time.perf_counter()
            waited = next(self._steps, None)
            if waited is None:
                self._end()
            else:
                self._waited = waited
        self._last = time.perf_counter()

    def _end(self) -> None:
        self._timer.stop()
        self._ended()
        QApplication.quit()


class _Painted(QObject):
    """Whether a widget was painted since it was asked to be watched."""

    def __init__(self, watched: QWidget) -> None:
        super().__init__()
        self.seen = False
        watched.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        self.seen = self.seen or event.type() is QEvent.Type.Paint
        return False


class Acts:
    """The acts, one after the other; each is repeated and its times are kept."""

    def __init__(self, main: main_window.MainWindow) -> None:
        self._main = main
        self._board = _Painted(main.board)
        self._text = _Painted(main.editor.edit.viewport())
        self._table = _Painted(main.hits.table.viewport())
        self._times: dict[str, tuple[float, list[float]]] = {}
        self._begun = 0.0
        self.doing = "opening"
        """What is measured now."""
        self._found = self._told = False
        main.searcher.started.connect(self._forget_found)
        main.searcher.found.connect(self._first_rows)
        main.browser.shown.connect(self._show_seen)
        self._shown = False

    def figures(self) -> list[headless.Figure]:
        """The 95th percentile of each act, with what it must be in its name."""
        found = []
        for name, (most, times) in self._times.items():
            value = percentile(times)
            middle = statistics.median(times) * 1000
            label = f"{name} (at most {most:.0f}, median {middle:.0f}, of {len(times)})"
            found.append(headless.Figure(label, value * 1000, "ms"))
        return found

    @property
    def kinds(self) -> dict[str, Callable[[], Steps]]:
        """What can be done, by name."""
        return {
            "typing": self._typing,
            "live": self._live,
            "pointing": self._pointing,
            "arrows": self._arrows,
            "chips": self._chips,
            "asking": self._asking,
            "hits": self._hits,
            "stopping": self._stopping,
        }

    def all(self, wanted: Sequence[str] = ()) -> Steps:
        """Everything, or what is wanted."""
        main = self._main
        yield lambda: main.base is not None and not main.opener.busy and main.browser.game is not None
        yield from self._quiet()
        for name, steps in self.kinds.items():
            if not wanted or name in wanted:
                self.doing = name
                yield from steps()
        self.doing = "closing"
        main.editor.set_text("")
        yield from self._quiet()

    def _typing(self) -> Steps:
        self._main.editor.set_text("")
        yield from self._quiet()
        for letter in "K k Q q R r B b N n " * 3:
            self._text.seen = False
            yield from self._timed(
                "key to text",
                50,
                lambda letter=letter: self._type(letter),
                lambda: self._text.seen,
                QUIET_SECONDS / 4,
            )

    def _type(self, letter: str) -> None:
        QTest.keyClicks(self._main.editor.edit, letter)

    def _live(self) -> Steps:
        main = self._main
        main.live.switch(True)
        # The text may be that of the session before; only a change is searched.
        main.editor.set_text("")
        yield from self._quiet()
        for square in [file + rank for rank in "3456" for file in "abcdefgh"]:
            self._found = self._told = False
            yield from self._timed(
                "change to first rows of the live search",
                300,
                lambda square=square: main.editor.set_text(f"flipcolor {{N{square} kg8}}"),
                lambda: self._found and self._table.seen,
            )

    def _pointing(self) -> Steps:
        """Men are placed on the board in Pattern mode and stand in the text, with live search on."""
        main = self._main
        main.editor.set_text("")
        main.pointing.set_active(True)
        yield from self._quiet()
        frame = main.board.frame()
        for place in range(REPEATS):
            QTest.keyClicks(main.board, "NBRQ"[place % 4])
            self._text.seen = False
            square = frame.square(16 + place).center().toPoint()
            yield from self._timed(
                "click in Pattern to text",
                50,
                lambda square=square: QTest.mouseClick(main.board, Qt.MouseButton.LeftButton, pos=square),
                lambda: self._text.seen,
            )
        main.pointing.set_active(False)
        main.editor.set_text("")
        yield from self._quiet()

    def _arrows(self) -> Steps:
        main = self._main
        main.board.setFocus()
        main.showing.show_game(1)
        yield from self._quiet()
        for key in [Qt.Key.Key_Right] * 20 + [Qt.Key.Key_Left] * 20:
            self._board.seen = False
            yield from self._timed(
                "arrow key to board",
                16,
                lambda key=key: QTest.keyClick(main.board, key),
                lambda: self._board.seen,
                QUIET_SECONDS / 4,
            )

    def _chips(self) -> Steps:
        """Chips of the picker go on and off, and what they make of the pattern is seen in the strip."""
        main = self._main
        main.editor.set_text("Nf5 kg8")
        yield from self._quiet()
        chosen = [main.picker.toggles[word] for word in TRANSFORMS]
        for button in chosen:
            # Those behind "More" are seen once they are on.
            if not button.isVisible():
                main.picker.more.setChecked(True)
        strips = main.picker.findChildren(picker_strip.ElementsView)
        painted = [_Painted(strip.viewport()) for strip in strips]
        answers: list[str] = []

        def answered(text: str, _found: object) -> None:
            answers.append(text)
            # Only what is painted from now on shows the answer.
            for one in painted:
                one.seen = False

        main.picker._asker.answered.connect(answered)
        for button in chosen * -(-REPEATS // max(1, len(chosen))):
            answers.clear()
            yield from self._timed(
                "transform chip to strip",
                50,
                button.click,
                lambda: bool(answers) and any(one.seen for one in painted),
            )

    def _asking(self) -> Steps:
        main = self._main
        main.live.switch(False)
        for query, most in SEARCHES.items():
            main.editor.set_text(query)
            yield from self._quiet()
            for _ in range(REPEATS):
                self._found = self._told = False
                yield from self._timed(
                    f"F5 to first rows: {query}",
                    most,
                    lambda: QTest.keyClick(main, Qt.Key.Key_F5),
                    lambda: self._found and self._table.seen,
                    QUIET_SECONDS / 4,
                )

    def _hits(self) -> Steps:
        main = self._main
        main.editor.set_text("flipcolor flipvertical {Nf5 kg8}")
        main.searching.run()
        yield from self._quiet()
        for _ in range(40):
            self._shown = self._board.seen = False
            yield from self._timed(
                "F3 to board",
                50,
                lambda: QTest.keyClick(main, Qt.Key.Key_F3),
                lambda: self._shown and self._board.seen,
                QUIET_SECONDS / 4,
            )

    def _stopping(self) -> Steps:
        main = self._main
        main.live.switch(False)
        main.editor.set_text(".")
        yield from self._quiet()
        for _ in range(REPEATS):
            # The hits of the round before stay until the search has begun.
            self._told = False
            QTest.keyClick(main, Qt.Key.Key_F5)
            yield lambda: self._told and (main.hits.hits.total >= MANY_HITS or not main.searcher.running)
            if not main.searcher.running:
                # It was over before anybody could press the key, which is no case of this act.
                yield from self._quiet()
                continue
            yield from self._timed(
                "Esc at five million hits",
                100,
                lambda: QTest.keyClick(main, Qt.Key.Key_Escape),
                lambda: not main.searcher.running,
            )

    def _timed(
        self,
        name: str,
        most: float,
        act: Callable[[], object],
        ended: Waited,
        quiet: float = QUIET_SECONDS,
    ) -> Steps:
        self._begun = time.perf_counter()
        act()
        yield ended
        self._times.setdefault(name, (most, []))[1].append(time.perf_counter() - self._begun)
        yield from self._quiet(quiet)

    def _quiet(self, seconds: float = QUIET_SECONDS) -> Steps:
        """Until nothing has been under way for a while."""
        since = [time.perf_counter()]

        def calm() -> bool:
            if self._main.jobs.count or self._main.live.busy or self._main.assistance.live.busy:
                since[0] = time.perf_counter()
            return time.perf_counter() - since[0] >= seconds

        yield calm

    def _forget_found(self, *_: object) -> None:
        self._told, self._found = True, False

    def _first_rows(self, *_: object) -> None:
        if self._told and not self._found:
            self._found = True
            self._table.seen = False

    def _show_seen(self, *_: object) -> None:
        self._shown = True
        self._board.seen = False


def percentile(times: list[float], share: float = 0.95) -> float:
    """What so large a share of the times does not exceed."""
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, math.ceil(share * len(ordered)) - 1)]


def run(path: Path, wanted: Sequence[str] = ()) -> None:
    """Print the figures."""
    for figure in figures(path, wanted):
        print(figure.line(), flush=True)


if __name__ == "__main__":
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    run(Path(sys.argv[1]), sys.argv[2:])

"""Asks random queries in the window, and stops most of them, while memory and event loop are watched:

    python -m tests.soak [--minutes M] [--seed N] [--quick] [FILE.pgn]

Queries are bred from all that the project knows (`tests.helpers.crossing`). Between them hits are walked
through and letters typed. Exits 1 where the loop stood still for longer than `STALL_SECONDS` while the
machine did not, where private memory went on growing, or where nothing was searched.
"""

from __future__ import annotations

import argparse
import collections
import os
import statistics
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from tests import helpers
from tests.soak import watching

if TYPE_CHECKING:
    # Qt is imported late, after the platform is chosen.
    from types import FrameType

    from cqlgui.ui import window

SAMPLE = helpers.ROOT / "resources" / "sample" / "sample.pgn"
TICK_MS = 5
STALL_SECONDS = 0.05
GROWTH_SHARE = 0.10
GROWTH_BYTES = 20 << 20
"""What private memory may grow by between the second quarter of the run and the last: caches that fill."""
OPENING_SECONDS = 300.0


def main(words: Sequence[str] | None = None) -> int:
    """Run for so long; print what was seen, and judge it."""
    arguments = argparse.ArgumentParser(
        prog="python -m tests.soak", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument(
        "file", nargs="?", type=Path, default=SAMPLE, help="PGN to search (default: sample)"
    )
    arguments.add_argument("--minutes", type=float, default=30.0)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--quick", action="store_true", help="to see that it works: stalls are not judged")
    options = arguments.parse_args(words)
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory(prefix="cqlgui-soak-") as folder, watching.Control() as control:
        os.environ.setdefault("CQLGUI_HOME", folder)
        driver = _drive(options.file, options.minutes * 60, options.seed)
        return driver.conclude(control.pauses(), stalls=not options.quick)


def _drive(path: Path, seconds: float, seed: int) -> Driver:
    """Run the program on a file, with the driver in its event loop."""
    from PySide6.QtWidgets import QApplication

    from cqlgui import app

    drivers: list[Driver] = []
    run = QApplication.exec

    def driven(*_: object) -> int:
        drivers.append(Driver(seconds, Random(seed)))
        return run()

    QApplication.exec = driven  # type: ignore[method-assign]  # the only moment at which the window is sure to stand
    try:
        app.main([str(path)])
    finally:
        QApplication.exec = run  # type: ignore[method-assign]
    return drivers[0]


class Driver:
    """Ticks in the event loop of the program, does what a hasty user does, and notes what it costs."""

    def __init__(self, seconds: float, random: Random) -> None:
        from PySide6.QtCore import QTimer
        from PySide6.QtWidgets import QApplication

        from cqlgui.ui import window

        shown = (widget for widget in QApplication.topLevelWidgets() if isinstance(widget, window.MainWindow))
        self.window: window.MainWindow = next(shown)
        self.counts: collections.Counter[str] = collections.Counter()
        self.stalls: list[watching.Stall] = []
        self.memory: list[watching.Memory] = []
        self._random = random
        self._seconds = seconds
        self._texts = watching.texts(random)
        self._born = time.monotonic()
        self._began = 0.0
        self._next = 0.0
        self._sampled = 0.0
        self._doing = "opening"
        self._tick_began = time.monotonic()
        self._ended = threading.Event()
        self._stacks: dict[float, str] = {}
        self._main = threading.get_ident()
        threading.Thread(target=self._look, name="lookout", daemon=True).start()
        self.window.searcher.finished.connect(self._finished)
        self.window.searcher.rejected.connect(lambda _: self._count("refused"))
        self.window.searcher.failed.connect(self._failed)
        self.window.searcher.abandoned.connect(lambda: self._count("stopped before they began"))
        self._timer = QTimer()
        self._timer.timeout.connect(self._tick)
        self._timer.start(TICK_MS)

    # --- what the user does --------------------------------------------------------------------------------

    def _tick(self) -> None:
        now = time.monotonic()
        gap = now - self._tick_began - TICK_MS / 1000
        if self._began and gap > STALL_SECONDS:
            self.stalls.append(
                watching.Stall(self._tick_began, gap, self._doing, self._stacks.get(self._tick_began, ""))
            )
        self._tick_began = now
        if not self._began:
            if self.window.base is not None and not self.window.opener.busy:
                self._began = self._next = now
            elif now - self._born > OPENING_SECONDS:
                self._close()
            return
        if now - self._began > self._seconds:
            self._close()
            return
        if now - self._sampled > 1.0:
            self._sampled = now
            self.memory.append(watching.now(now - self._began))
        if now >= self._next:
            self._next = now + self._act()

    def _act(self) -> float:
        """Do something; gives the seconds until the next."""
        random, shown = self._random, self.window
        doing = random.choices(("ask", "stop", "walk", "type"), (5, 4, 4, 2))[0]
        self._doing = doing
        if doing == "ask":
            text = next(self._texts)
            self._doing = f"ask {text!r}"
            shown.editor.set_text(text)
            shown.run()
            self._count("asked")
            return random.choice((0.0, 0.01, 0.05, 0.2, 1.0, 3.0))
        if doing == "stop" and shown.searcher.running:
            shown.stop()
            self._count("stopped")
        elif doing == "walk" and shown.hits.count:
            if random.random() < 0.3:
                shown.hits.select_row(random.randrange(shown.hits.count))
            else:
                shown.next_hit(random.choice((1, 1, -1)))
            self._count("hits looked at")
        elif doing == "type":
            text = shown.editor.text()
            place = random.randrange(len(text) + 1)
            shown.editor.set_text(text[:place] + random.choice("aK1 {}()|\n") + text[place:])
            self._count("letters typed")
        return random.choice((0.0, 0.02, 0.1))

    def _finished(self, result: object) -> None:
        self._count("stopped on the way" if getattr(result, "cancelled", False) else "searched to the end")
        self._count(f"engine: {getattr(result, 'engine', '')}")
        self._count("games left out", len(getattr(result, "failed_games", ())))

    def _failed(self, sentence: str) -> None:
        self._count("failed")
        print(f"failed: {sentence}: {self.window.asked!r}")

    def _count(self, what: str, number: int = 1) -> None:
        self.counts[what] += number

    def _close(self) -> None:
        self._ended.set()
        self._timer.stop()
        self.window.close()

    # --- what is seen --------------------------------------------------------------------------------------

    def _look(self) -> None:
        """Notes where the loop stands when it has not ticked for long."""
        while not self._ended.wait(STALL_SECONDS / 4):
            began = self._tick_began
            if time.monotonic() - began > STALL_SECONDS and began not in self._stacks:
                self._stacks[began] = _stack(sys._current_frames().get(self._main))

    def conclude(self, pauses: Sequence[tuple[float, float]], *, stalls: bool) -> int:
        """Print what was seen; 1 where anything was wrong. `pauses` are those of the machine."""
        for what, number in sorted(self.counts.items()):
            print(f"{what:<28} {number:8,}")
        own = [one for one in self.stalls if not one.excused(pauses)]
        print(f"{'stalls over 50 ms':<28} {len(self.stalls):8,}, {len(own):,} while the machine went on")
        for one in sorted(own, key=lambda one: -one.seconds)[:10]:
            print(
                f"  {one.seconds * 1000:.0f} ms at {one.began - self._began:.1f} s, {one.doing}\n{one.stack}"
            )
        faults = [] if self.counts["asked"] else ["nothing was asked"]
        if own and stalls:
            faults.append("the event loop stood still")
        if self.memory:
            faults += self._growth()
        for fault in faults:
            print(f"FAULT: {fault}")
        return 1 if faults else 0

    def _growth(self) -> list[str]:
        """How private memory developed, and whether it went on growing."""
        quarters = [
            self.memory[len(self.memory) * part // 4 : len(self.memory) * (part + 1) // 4 or 1]
            for part in range(4)
        ]
        own = [statistics.median(one.own for one in part or self.memory) for part in quarters]
        all_ = [statistics.median(one.children for one in part or self.memory) for part in quarters]
        peak = max(one.own + one.children for one in self.memory)
        print(f"{'private memory by quarters':<28} " + ", ".join(f"{one / 1e6:.0f} MB" for one in own))
        print(f"{'  of its workers':<28} " + ", ".join(f"{one / 1e6:.0f} MB" for one in all_))
        print(f"{'  both at most':<28} {peak / 1e6:.0f} MB")
        grown = own[3] - own[1]
        return ["memory went on growing"] if grown > GROWTH_SHARE * own[1] + GROWTH_BYTES else []


def _stack(frame: FrameType | None) -> str:
    return "".join(traceback.format_stack(frame, limit=6)) if frame is not None else ""


if __name__ == "__main__":
    sys.exit(main())

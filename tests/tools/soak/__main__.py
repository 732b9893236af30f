"""Asks random queries in the window, and stops most of them, while memory and event loop are watched:

    python -m tests.tools.soak [--minutes M] [--seed N] [--quick] [FILE.pgn]

Queries are bred from all that the project knows (`tests.helpers.crossing`). Between them hits are walked
through, letters typed, and results written to annotated PGN files; most of the writing is stopped. Now and
then the window comes to rest after a query that finds nothing: what is in memory then is held there by
nothing that is shown, and can be compared. Exits 1 where the loop stood still for longer than
`watching.STALL_SECONDS` while the machine did not, where memory went on growing, where a search failed or
left games out, an export failed, a stopped export left a file, a thread died, or nothing was searched.
"""

from __future__ import annotations

import argparse
import collections
import itertools
import os
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from cqlgui.base import ahead, heap
from tests import helpers
from tests.helpers import memory
from tests.tools.soak import control, watching

if TYPE_CHECKING:
    # Qt is imported late, after the platform is chosen.
    from cqlgui.ui.window import main_window

SAMPLE = helpers.ROOT / "resources" / "sample" / "sample.pgn"
TICK_MS = 5
GROWTH_SHARE = 0.05
GROWTH_BYTES = 15 << 20
"""What private memory at rest may grow by from the second third of the run to the last: caches that fill."""
OPENING_SECONDS = 300.0
REST_EVERY = 15.0
REST_SECONDS = 2.5
"""How long nothing happens in a rest; the window collects its garbage meanwhile."""
NOTHING = "cql(gamenumber 0) ."
"""A query that finds nothing."""
SHOWN_STALLS = 10
SHOWN_PLACES = 12
_HASTE = 0.5
"""How likely it is that writing is stopped, at each act."""
_FAULTS = (
    "failed", "threads that died", "games left out", "exports that failed", "files left by stopped exports",
)  # fmt: skip


def main(words: Sequence[str] | None = None) -> int:
    """Run for so long; print what was seen, and judge it."""
    arguments = argparse.ArgumentParser(
        prog="python -m tests.tools.soak",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    arguments.add_argument(
        "file", nargs="?", type=Path, default=SAMPLE, help="PGN to search (default: sample)"
    )
    arguments.add_argument("--minutes", type=float, default=30.0)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--quick", action="store_true", help="to see that it works: stalls are not judged")
    options = arguments.parse_args(words)
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory(prefix="cqlgui-soak-") as folder, watching.Control() as outside:
        os.environ.setdefault("CQLGUI_HOME", folder)
        # Breeding queries takes time that is not the window's.
        number = max(20, int(options.minutes * 60))
        texts = list(itertools.islice(watching.texts(Random(options.seed)), number))
        written = Path(folder, "written")
        written.mkdir()
        driver = _drive(options.file, options.minutes * 60, texts, Random(options.seed), written)
        return driver.conclude(*outside.seen(), stalls=not options.quick)


def _drive(path: Path, seconds: float, texts: Sequence[str], random: Random, written: Path) -> Driver:
    """Run the program on a file, with the driver in its event loop. Exports go to the folder `written`."""
    from PySide6.QtWidgets import QApplication

    from cqlgui import app

    drivers: list[Driver] = []
    run = QApplication.exec

    def driven(*_: object) -> int:
        drivers.append(Driver(seconds, texts, random, written))
        return run()

    QApplication.exec = driven  # type: ignore[method-assign]  # the only moment at which the window is sure to stand
    try:
        app.main([str(path)])
    finally:
        QApplication.exec = run  # type: ignore[method-assign]
    return drivers[0]


class Driver:
    """Ticks in the event loop of the program, does what a hasty user does, and notes what it costs."""

    def __init__(self, seconds: float, texts: Sequence[str], random: Random, written: Path) -> None:
        from PySide6.QtCore import QTimer
        from PySide6.QtWidgets import QApplication

        from cqlgui.ui.window import main_window

        shown = (
            widget for widget in QApplication.topLevelWidgets() if isinstance(widget, main_window.MainWindow)
        )
        self.window: main_window.MainWindow = next(shown)
        self.counts: collections.Counter[str] = collections.Counter()
        self.rests: list[tuple[float, float]] = []
        self.left: list[int] = []
        self.reserve: list[int] = []
        self.held: list[int] = []
        self.remembered: list[int] = []
        self._lookout = watching.Lookout()
        self._random = random
        self._seconds = seconds
        self._texts = itertools.cycle(texts)
        self._written = written
        self._removed: set[Path] = set()
        self._born = time.monotonic()
        self._began = self._until = 0.0
        self._ended = 0.0
        self._next = 0.0
        self._rested = 0.0
        self._quiet: float | None = None
        self._resting = False
        self._doing = "opening"
        self.window.searcher.finished.connect(self._finished)
        self.window.searcher.rejected.connect(lambda _: self._count("refused"))
        self.window.searcher.failed.connect(self._failed)
        self.window.searcher.abandoned.connect(lambda: self._count("stopped before they began"))
        self.window.exporter.written.connect(self._exported)
        self.window.exporter.ended.connect(self._export_ended)
        threading.excepthook = self._died
        self._timer = QTimer()
        self._timer.timeout.connect(self._tick)
        self._timer.start(TICK_MS)

    # --- what the user does --------------------------------------------------------------------------------

    def _tick(self) -> None:
        self._lookout.tick(TICK_MS / 1000, self._doing, counts=self._began > 0)
        now = time.monotonic()
        if not self._began:
            if self.window.base is not None and not self.window.opener.busy:
                self._began = self._next = self._rested = now
                self._rest(now)
            elif now - self._born > OPENING_SECONDS:
                self._close()
        elif self._resting:
            self._rest(now)
        elif now > self._until:
            self._close()
        elif now - self._rested > REST_EVERY:
            self._rest(now)
        elif now >= self._next:
            self._next = now + self._act()

    def _act(self) -> float:
        """Do something; gives the seconds until the next."""
        from cqlgui.ui.panels import export_dialog

        random, shown = self._random, self.window
        doing = random.choices(("ask", "stop", "walk", "type", "export"), (5, 4, 4, 2, 3))[0]
        if shown.exporter.busy and random.random() < _HASTE:
            doing = "export"
        self._doing = doing
        if doing == "ask":
            text = next(self._texts)
            self._doing = f"ask {text!r}"
            shown.editor.set_text(text)
            shown.searching.run()
            self._count("asked")
            return random.choice((0.0, 0.01, 0.05, 0.2, 1.0, 3.0))
        if doing == "stop" and shown.searcher.running:
            shown.searching.stop()
            self._count("stopped")
        elif doing == "walk" and shown.hits.count:
            if random.random() < 0.3:
                shown.hits.select_row(random.randrange(shown.hits.count))
            else:
                shown.showing.next_hit(random.choice((1, 1, -1)))
            self._count("hits looked at")
        elif doing == "export" and shown.exporter.busy:
            shown.exporter.cancel()
        elif doing == "export" and shown.result is not None and shown.base is not None:
            self._doing = f"export {shown.result.query!r}"
            self._count("exports")
            path = self._written / f"{self.counts['exports']}.pgn"
            choice = export_dialog.ExportChoice(export_dialog.What.ALL, annotate=True, path=path)
            shown.exporter.write(shown.base, shown.result, choice, (), None)
            return random.choice((0.0, 0.05, 0.3, 2.0))
        elif doing == "type":
            text = shown.editor.text()
            place = random.randrange(len(text) + 1)
            shown.editor.set_text(text[:place] + random.choice("aK1 {}()|\n") + text[place:])
            self._count("letters typed")
        return random.choice((0.0, 0.02, 0.1))

    def _rest(self, now: float) -> None:
        """Ask what finds nothing, and wait for quiet."""
        if not self._resting:
            self._resting, self._quiet, self._doing = True, None, "rest"
            self.window.editor.set_text(NOTHING)
            self.window.searching.run()
        elif self.window.jobs.count:
            self._quiet = None
        elif self._quiet is None:
            self._quiet = now
        elif now - self._quiet > REST_SECONDS:
            self.rests.append((self._quiet, now))
            self._weigh()
            self._resting, self._rested = False, now
            if len(self.rests) == 1:
                # On a slow machine it takes a while until what begins with the window is done.
                self._until = now + self._seconds

    def _weigh(self) -> None:
        """Note what is in memory; the loop waits for that, which is no stall."""
        # What is free goes back by itself only once it has grown by `collector.GROWN`: by chance.
        heap.give_back()
        self.left.append(memory.resident(os.getpid()))
        self.reserve.append(watching.reserve())
        self.held.append(watching.held())
        self.remembered.append(self._of_runs())
        self._lookout.tick(0.0, self._doing, counts=False)

    def _of_runs(self) -> int:
        """Bytes of the hits of earlier runs, which are kept to tell what changed: up to `sets.MOST_RUN_HITS`
        hits, so many in one rest and few in the next."""
        columns = [run.result.games.columns for run in self.window.narrower._shelf.runs.values()]
        # The ends of hits without elements are one number, however many they are.
        ends = [one.ends for one in columns if one.ends.strides != (0,)]
        return sum(
            part.nbytes for part in (*ends, *(one.hits for one in columns), *(one.codes for one in columns))
        )

    def _finished(self, result: object) -> None:
        if self._resting:
            return
        self._count("stopped on the way" if getattr(result, "cancelled", False) else "searched to the end")
        self._count(f"engine: {getattr(result, 'engine', '')}")
        left_out = getattr(result, "failed_games", ())
        self._count("games left out", len(left_out))
        if left_out:
            first = left_out[0]
            print(f"left out: {len(left_out)} as {first.game}: {first.reason}: {self.window.asked!r}")

    def _exported(self, report: object) -> None:
        self._count("exports to the end")
        for path in set(self._written.iterdir()) - self._removed:
            self._count("megabytes exported", path.stat().st_size >> 20)
            self._removed.add(path)
            # A busy disk takes half a second for it, which is no stall of the program.
            ahead.Ahead(path.unlink)

    def _export_ended(self, sentence: str, kind: str) -> None:
        if kind == "error":
            self._count("exports that failed")
            print(f"export failed: {sentence}: {self.window.asked!r}")
            return
        self._count("exports stopped")
        self._count("files left by stopped exports", len(set(self._written.iterdir()) - self._removed))

    def _failed(self, sentence: str) -> None:
        self._count("failed")
        print(f"failed: {sentence}: {self.window.asked!r}")

    def _died(self, what: threading.ExceptHookArgs) -> None:
        self._count("threads that died")
        threading.__excepthook__(what)

    def _count(self, what: str, number: int = 1) -> None:
        self.counts[what] += number

    def _close(self) -> None:
        self._ended = time.monotonic()
        self._lookout.end()
        self._timer.stop()
        self.window.close()

    # --- what was seen -------------------------------------------------------------------------------------

    def conclude(self, machine: watching.Machine, seen: Sequence[watching.Memory], *, stalls: bool) -> int:
        """Print what was seen; 1 where anything was wrong."""
        print(f"{'minutes':<28} {(self._ended - self._began) / 60:8.1f}")
        for what, number in sorted(self.counts.items()):
            print(f"{what:<28} {number:8,}")
        faults = [] if self.counts["asked"] else ["nothing was asked"]
        faults += [what for what in _FAULTS if self.counts[what]]
        if self._print_stalls(machine) and stalls:
            faults.append("the event loop stood still")
        if seen:
            faults += self._growth([one for one in seen if self._began <= one.at <= self._ended])
        for fault in faults:
            print(f"FAULT: {fault}")
        return 1 if faults else 0

    def _print_stalls(self, machine: watching.Machine) -> int:
        """How often the loop stood still while the machine went on, by cause, and the worst of it."""
        every = self._lookout.stalls
        own = [one for one in every if not one.excused(machine)]
        print(f"{'processors kept awake':<28} {'yes' if machine.awake else 'no':>8}")
        kept = f"{sum(one.seconds for one in machine.kept):.1f} s" if machine.guards else "not told"
        print(f"{'processors kept':<28} {kept:>8}, by the host but for the guards' looks")
        print(f"{'loop waited for the disk':<28} {len(machine.disk) * control.TICK_SECONDS:8.1f} s")
        reloads = sum(seconds for _began, seconds in machine.reloads)
        print(f"{'waits of other threads':<28} {reloads:8.1f} s for memory, added up")
        print(f"{'gaps over 50 ms':<28} {len(every):8,}, {len(own):,} not for the machine's sake")
        causes: dict[str, list[float]] = {}
        for one in own:
            causes.setdefault(one.cause, []).append(one.seconds)
        for cause, seconds in sorted(causes.items(), key=lambda pair: -sum(pair[1])):
            print(f"  {cause:<50} {len(seconds):5,}, {max(seconds) * 1000:6.0f} ms at most")
        for one in sorted((one for one in every if one not in own), key=lambda one: -one.seconds):
            print(f"  excused: {self._told(one, machine)}")
        for one in sorted(own, key=lambda one: -one.seconds)[:SHOWN_STALLS]:
            print(f"  {self._told(one, machine)}")
            for stack, count in collections.Counter(one.stacks).most_common(2):
                print(f"    {count}x " + "\n       ".join(watching.lines(stack[-4:])))
            for place, count in one.beside.most_common(SHOWN_PLACES):
                print(f"    beside it: {count}x {place}")
        return len(own)

    def _told(self, one: watching.Stall, machine: watching.Machine) -> str:
        """A stall in one line: when it was, and what is known of its time."""
        away = sum(each.seconds for each in one.during(machine.kept))
        queued = one.queued(machine)
        return (
            f"{one.seconds * 1000:.0f} ms at {one.began - self._began:.1f} s ({one.doing}); the thread worked"
            f" {one.worked * 1000:.0f} ms of it ({one.system * 1000:.0f} in the system, {one.pages:,} pages)"
            f" and waited {queued * 1000:.0f} ms for a processor, processors"
            f" were kept for {away * 1000:.0f} ms, all of them for {one.still(machine) * 1000:.0f},"
            f" {one.faults} times there was memory to be read from disk, for other threads it was for"
            f" {one.reloaded(machine) * 1000:.0f} ms"
        )

    def _growth(self, seen: Sequence[watching.Memory]) -> list[str]:
        """How private memory developed, and whether what is in use of it went on growing."""
        rested = watching.at_rest(seen, self.rests)
        at_most = max((one.both for one in seen), default=0)
        own = [f"{one.own / 1e6:.0f}" for one in rested]
        children = [f"{one.children / 1e6:.0f}" for one in rested]
        print(f"{'private memory at most':<28} {at_most / 1e6:8.0f} MB, its workers included")
        print(f"{'  at rest':<28} {' '.join(own)} MB")
        print(f"{'  of its workers at rest':<28} {' '.join(children)} MB")
        print(f"{'  free memory given back':<28} {' '.join(f'{one / 1e6:.0f}' for one in self.left)} MB")
        print(f"{'  of that reserve':<28} {' '.join(f'{one / 1e6:.0f}' for one in self.reserve)} MB")
        print(f"{'  of that held':<28} {' '.join(f'{one / 1e6:.0f}' for one in self.held)} MB")
        runs = " ".join(f"{one / 1e6:.0f}" for one in self.remembered)
        print(f"{'  of that earlier runs':<28} {runs} MB, which are not compared below")
        faults = []
        # Nothing is left of 0, which stands for what is not told.
        weighed = zip(self.left, self.reserve, self.held, self.remembered, strict=True)
        pairs = [(max(0, left - reserve - runs), held - runs) for left, reserve, held, runs in weighed]
        used, held = ([pair[which] for pair in pairs] for which in (0, 1))
        # Private memory holds what Python and the C library know nothing of, as machine code.
        for what, found in (("private memory in use", used), ("memory held", held)):
            compared = watching.growth(found)
            if compared is None:
                print("too short to tell a leak from what is loaded at first need")
                return []
            warm, end = compared
            told = f"{found[0] / 1e6:.0f} MB, {warm / 1e6:.0f} MB, {end / 1e6:.0f} MB"
            print(f"{f'{what}: start, warm, end':<40} {told}")
            if end - warm > GROWTH_SHARE * warm + GROWTH_BYTES:
                faults.append(f"{what} went on growing")
        return faults


if __name__ == "__main__":
    sys.exit(main())

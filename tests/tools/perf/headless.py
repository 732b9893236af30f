"""Speed of what needs no window: reading, importing, searching, starting. The caller sets CQLGUI_HOME."""

from __future__ import annotations

import io
import os
import time
from dataclasses import dataclass
from pathlib import Path

import chess.pgn

from cqlgui.pgn import kernel, quick, split
from cqlgui.tasks.databases import importing
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import searching
from tests import helpers

SAMPLE = helpers.ROOT / "resources" / "sample" / "sample.pgn"
QUERIES = {
    "one pattern": "Bh7 kh8",
    "orbit of 16": "flipcolor flip {Bh7 kh8}",
    "attacks and a loop": "flipcolor {btm square x in N {x attacks k x attacks q}}",
}


@dataclass(frozen=True)
class Figure:
    """One line of the report; `ratio` compares with python-chess reading the same games in the same run."""

    name: str
    value: float
    unit: str
    ratio: float | None = None

    def line(self) -> str:
        """The figure as a row of the table."""
        ratio = "" if self.ratio is None else f"  {self.ratio:8.2f} x python-chess"
        return f"{self.name:<46} {self.value:12,.1f} {self.unit:<12}{ratio}".rstrip()


@dataclass(frozen=True)
class Yardstick:
    """python-chess reading the file: what the machine can do today."""

    games: float
    """Games a second."""
    positions: float
    """Main-line positions a second."""


def reading(path: Path) -> tuple[list[Figure], Yardstick]:
    """python-chess alone, in this process."""
    text = io.StringIO(path.read_text(encoding="utf-8", errors="replace"))
    games = positions = 0
    start = time.perf_counter()
    while (game := chess.pgn.read_game(text)) is not None:
        games += 1
        positions += sum(1 for _ in game.mainline()) + 1
    seconds = max(time.perf_counter() - start, 1e-9)
    yardstick = Yardstick(games / seconds, positions / seconds)
    figures = [
        Figure("python-chess reads", yardstick.games, "games/s", 1.0),
        Figure("", yardstick.positions, "positions/s", 1.0),
    ]
    return figures, yardstick


def kernel_(path: Path, yardstick: Yardstick) -> list[Figure]:
    """The kernel alone, on one core: what it takes of the first 64 MB of the file, in processor time.

    The games it leaves to the lenient reader are passed over at no cost.
    """
    with path.open("rb") as file:
        data = file.read(64 << 20)
    source = split.BytesSource(data)
    machine = quick.QuickReader()
    machine.read(quick.padded(b""))
    taken = left = positions = end = 0
    line, seconds = 1, 1e-9
    while True:
        window = quick.padded(data[end : end + (4 << 20)])
        final = end + len(window) - kernel.PADDING >= len(data)
        start = time.thread_time()
        games = machine.read(window, 0, line, final=final)
        seconds += time.thread_time() - start
        taken += len(games)
        positions += int(games.rows[:, kernel.POSITIONS].sum())
        end, line = end + games.end, games.end_line
        if len(games) and games.why in (kernel.Why.FULL, kernel.Why.MORE):
            continue
        raw = None if games.why is kernel.Why.END else next(split.games(source, end, line), None)
        if raw is None:
            break
        left += 1
        end, line = raw.end, split.end_line(raw)
    share = 100 * taken / max(taken + left, 1)
    return [
        Figure("kernel reads, one core", taken / seconds, "games/s", taken / seconds / yardstick.games),
        Figure("", positions / seconds, "positions/s", positions / seconds / yardstick.positions),
        Figure("games that the kernel takes", share, "%"),
    ]


def importing_(path: Path, yardstick: Yardstick) -> tuple[list[Figure], base_model.Base]:
    """The first import, workers' start included, and the opening of the finished index."""
    start = time.perf_counter()
    report = importing.open_base([path])
    seconds = time.perf_counter() - start
    again = time.perf_counter()
    base = importing.open_base([path]).base
    rate = report.games / seconds
    figures = [
        Figure(f"import of {report.games:,} games", rate, "games/s", rate / yardstick.games),
        Figure(
            "", report.positions / seconds, "positions/s", report.positions / seconds / yardstick.positions
        ),
        Figure("opening the indexed file again", (time.perf_counter() - again) * 1000, "ms"),
    ]
    return figures, base


def interpreting(base: base_model.Base, yardstick: Yardstick) -> list[Figure]:
    """Positions a second that the interpreter evaluates, with one worker and with one for each processor."""
    figures = []
    for name, query in QUERIES.items():
        for workers in sorted({1, os.cpu_count() or 1}):
            start = time.perf_counter()
            result = searching.search(base, query, search_model.SearchOptions(workers=workers))
            seconds = time.perf_counter() - start
            rate = result.positions_searched / seconds
            label = f"search: {name}, {workers} worker{'s' * (workers > 1)}"
            figures.append(Figure(label, rate, "positions/s", rate / yardstick.positions))
    return figures


def starting(path: Path) -> list[Figure]:
    """The command line on an indexed file, from process start to its end."""
    figures = []
    for name, words in {
        "start-up: cqlgui --version": ["--version"],
        "start-up: cqlgui search on an indexed file": ["search", str(path), "-e", "initial Kh8", "--count"],
    }.items():
        start = time.perf_counter()
        run = helpers.cli(*words)
        seconds = time.perf_counter() - start
        assert run.code == 0, run.err
        figures.append(Figure(name, seconds * 1000, "ms"))
    return figures

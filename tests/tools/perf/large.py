"""Speed and memory on a large base:  python -m tests.tools.perf.large [--copies N] [--keep FOLDER] FILE.pgn

Makes several distinct sources of one PGN, imports them as one base, opens it, searches it and sorts its
games, as a user of the command line or the window does. 145,716 games and eight copies are 1.2 million games.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import os
import sys
import tempfile
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from cqlgui.tasks.databases import games, importing, workspace
from cqlgui.tasks.results import base_model
from tests import helpers
from tests.helpers import memory
from tests.tools.perf.headless import SAMPLE, Figure

QUERIES = ("Ra1 kg8", "mate", "Nh8 kh1 Ra8", 'player "Capablanca" result 1-0')
ROWS_ON_A_SCREEN = 40
_BLOCK = 1 << 20


def main(words: Sequence[str] | None = None) -> int:
    """Measure and print; nothing is judged."""
    arguments = argparse.ArgumentParser(prog="python -m tests.tools.perf.large", description=__doc__)
    arguments.add_argument("file", nargs="?", type=Path, default=SAMPLE, help="plain PGN")
    arguments.add_argument("--copies", type=int, default=8, help="number of sources made of it (default 8)")
    arguments.add_argument("--keep", type=Path, help="a folder for sources and index, to be used again")
    options = arguments.parse_args(words)
    with contextlib.ExitStack() as held:
        folder = options.keep or Path(held.enter_context(tempfile.TemporaryDirectory(prefix="cqlgui-large-")))
        for figure in figures(options.file, folder, options.copies):
            print(figure.line(), flush=True)
    return 0


def figures(path: Path, folder: Path, copies: int) -> Iterator[Figure]:
    """All figures, as they are measured; sources, user folders and all are put into `folder`."""
    listed = sources(path, folder, copies)
    home = {"CQLGUI_HOME": str(folder / "home")}
    for what in ("import", "opening it again"):
        seconds, peak, out = _run(["import", *map(str, listed)], home)
        number = int(out.split()[0])
        yield Figure(f"large base: {what}, {number:,} games", seconds, "s")
        yield Figure("  games a second", number / seconds, "games/s")
        yield Figure("  private memory at most", peak / 1e6, "MB")
    for query in QUERIES:
        seconds, peak, out = _run(["search", *map(str, listed), "-e", query, "--count"], home)
        yield Figure(f"large base: search, {query}", seconds, "s")
        yield Figure(f"  private memory at most ({' '.join(out.split())})", peak / 1e6, "MB")
    with _at_home(home["CQLGUI_HOME"]):
        base = importing.open_base(listed).base
        yield from _tables(base)
        yield Figure("  private memory of the process", memory.private(os.getpid()) / 1e6, "MB")
        workspace.close()


def sources(path: Path, folder: Path, copies: int) -> list[Path]:
    """The games of a file as several sources, each with a game of its own before them."""
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for number in range(1, copies + 1):
        copy = folder / f"copy-{number}.pgn"
        head = f'[Event "Copy {number}"]\n[White "Copy {number}"]\n[Result "*"]\n\n1. e4 *\n\n'.encode()
        if not copy.is_file() or copy.stat().st_size != len(head) + path.stat().st_size:
            with copy.open("wb") as out, path.open("rb") as file:
                out.write(head)
                while block := file.read(_BLOCK):
                    out.write(block)
        found.append(copy)
    return found


def _run(words: list[str], home: dict[str, str]) -> tuple[float, int, str]:
    return memory.watched([sys.executable, "-m", "cqlgui", *words], helpers.ROOT, home)


@contextlib.contextmanager
def _at_home(home: str) -> Iterator[None]:
    before = os.environ.get("CQLGUI_HOME")
    os.environ["CQLGUI_HOME"] = home
    try:
        yield
    finally:
        if before is None:
            del os.environ["CQLGUI_HOME"]
        else:
            os.environ["CQLGUI_HOME"] = before


def _tables(base: base_model.Base) -> Iterator[Figure]:
    """What the table of games asks when it is sorted, filtered and scrolled: first time and again."""
    asked: dict[str, Callable[[], array[int]]] = {
        f"sorted by {sort}": functools.partial(games.ids, base, sort=sort) for sort in games.SORTS
    }
    asked["sorted by white, downwards"] = functools.partial(games.ids, base, sort="white", descending=True)
    asked["with a word"] = functools.partial(games.ids, base, text="capablanca")
    asked["with two words, sorted"] = functools.partial(games.ids, base, text="white:cap 1-0", sort="date")
    order = array("q")
    for name, ask in asked.items():
        order, first = _timed(ask)
        again = min(_timed(ask)[1] for _ in range(3))
        yield Figure(f"large base: games {name} (then {again * 1000:.0f} ms)", first * 1000, "ms")
    order = games.ids(base, sort="date")
    slowest = 0.0
    for place in range(0, len(order), max(len(order) // 50, 1)):
        screen = functools.partial(games.rows, base, order[place : place + ROWS_ON_A_SCREEN])
        slowest = max(slowest, _timed(screen)[1])
    yield Figure("large base: slowest screen of rows, anywhere", slowest * 1000, "ms")


def _timed(call: Callable[[], Any]) -> tuple[Any, float]:
    start = time.perf_counter()
    found = call()
    return found, time.perf_counter() - start


if __name__ == "__main__":
    from cqlgui.tasks.processes import pool

    try:
        code = main()
    finally:
        pool.close()
    sys.exit(code)

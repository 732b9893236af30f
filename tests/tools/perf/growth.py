"""Shows whether the program keeps its speed on bases of millions of games, with the floors that must hold:

    python -m tests.tools.perf.growth [--games 1200000,10000000] [--files 1,40] [--like pd|lichess]
                                      [--tree CLONE] [--keep FOLDER] FILE.pgn

The base is made of copies of a plain PGN. Every game has a Site and a Round of its own, and a Date that
depends on the copy, and on request the headers of Lichess. Each query, each opening and the import is a
process of its own. `--tree` measures the program in another clone with the same texts. Nothing is kept
without `--keep`."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[3]
SAMPLE = ROOT / "resources" / "sample" / "sample.pgn"
FIRST = 1_000_000
"""The rate of an import is compared with the rate of its first million games."""
QUERIES = {
    "mate": 3.0,
    'player "Kasparov" mate': 1.0,
    "flipcolor {Bh7 kh8}": 2.0,
}
"""Queries, each with its floor in seconds for a whole process."""
SORTS = ("white", "date", "site", "white_elo")
_OPEN_SECONDS = 1.0
_TABLE_SECONDS = 2.0
_RATE = 0.8
_PRIVATE_BYTES = 600e6
_FLOOR_GAMES = 10_000_000
"""The floors are meant for bases of up to this many games."""
_DIGITS = np.frombuffer(b"0123456789abcdefghijklmnopqrstuvwxyz", np.uint8)
_SITE = b"https://example.org/"
_SITE_DIGITS = 8
_ROUND_DIGITS = 6
_YEARS = 1950, 70
_LICHESS = (
    b'[UTCDate "2020.01.01"]\n[UTCTime "00:00:00"]\n[WhiteElo "1500"]\n[BlackElo "1500"]\n'
    b'[WhiteRatingDiff "+5"]\n[BlackRatingDiff "-5"]\n[Opening "King\'s Pawn Game"]\n'
    b'[TimeControl "300+0"]\n[Termination "Normal"]\n'
)
_TAG = re.compile(rb'\[(Event|Site|Date|Round|(White|Black)Elo|Opening) "[^\r\n]*\r?\n')
"""The tags that a copy alters. A game with two tags of one name would be left to the slow reader."""


def main(words: Sequence[str] | None = None) -> int:
    """Measure, print and compare with the floors. Returns 1 if a floor was missed."""
    arguments = argparse.ArgumentParser(prog="python -m tests.tools.perf.growth", description=__doc__)
    arguments.add_argument("file", nargs="?", type=Path, default=SAMPLE, help="plain PGN")
    arguments.add_argument("--games", default="1200000,10000000", help="the sizes of the bases")
    arguments.add_argument("--files", default="1,40", help="the numbers of files that a base is made of")
    arguments.add_argument("--like", choices=("pd", "lichess"), default="pd", help="the headers of the games")
    arguments.add_argument("--tree", type=Path, default=ROOT, help="the clone whose program is measured")
    arguments.add_argument("--keep", type=Path, help="a folder for texts and indexes, to be used again")
    options = arguments.parse_args(words)
    missed = 0
    with contextlib.ExitStack() as held:
        folder = options.keep or Path(
            held.enter_context(tempfile.TemporaryDirectory(prefix="cqlgui-growth-"))
        )
        for games in map(int, options.games.split(",")):
            for files in map(int, options.files.split(",")):
                place = folder / f"{options.like}-{games}-{files}"
                listed = made(options.file, place, games, files, lichess=options.like == "lichess")
                print(f"{games:,} games in {_counted(files)} of {options.file.name}", flush=True)
                for figure in figures(listed, place / "home", options.tree.resolve()):
                    missed += figure.missed
                    print(figure.line(), flush=True)
                if options.keep is None:
                    shutil.rmtree(place)
    print("All floors are held." if not missed else f"{missed} floors are missed.")
    return int(missed > 0)


@dataclass(frozen=True)
class Figure:
    """One line of the report. `floor` is the largest value that is allowed, or with `least` the smallest; 0
    if there is no floor."""

    name: str
    value: float
    unit: str
    floor: float = 0.0
    least: bool = False
    processor: float = 0.0
    """The processor's seconds, with which figures of a busy machine can be compared; 0 if not measured."""

    @property
    def missed(self) -> bool:
        """Whether there is a floor that does not hold."""
        return bool(self.floor) and (self.value < self.floor if self.least else self.value > self.floor)

    def line(self) -> str:
        """The figure with its floor, and the load of the machine."""
        spent = f"({self.processor:.2f} s processor)" if self.processor else ""
        shown = f"  {self.name:<62} {self.value:10,.2f} {self.unit:<8}{spent:<20}"
        if self.floor:
            sign = ">=" if self.least else "<="
            shown += f" {sign} {self.floor:,.2f}: {'missed' if self.missed else 'HELD'}"
        return f"{shown:<124} load {os.getloadavg()[0]:.1f}"


# --- the texts ----------------------------------------------------------------------------------------------


def made(path: Path, folder: Path, games: int, files: int, *, lichess: bool = False) -> list[Path]:
    """The base's files, made anew unless they are there already. Together they have `games` games."""
    folder.mkdir(parents=True, exist_ok=True)
    listed = [folder / f"part-{number:02d}.pgn" for number in range(1, files + 1)]
    done = folder / "made"
    if not done.exists():
        copies = _Copies(path.read_bytes(), lichess=lichess)
        bounds = [games * number // files for number in range(files + 1)]
        for part, first, end in zip(listed, bounds, bounds[1:], strict=False):
            with part.open("wb") as out:
                for text in copies.texts(first, end):
                    out.write(text)
        done.touch()
    return listed


class _Copies:
    """Copies of the games of a PGN, in which every game has tags of its own."""

    def __init__(self, text: bytes, *, lichess: bool) -> None:
        """The tags that every copy alters get values of a fixed length, so that a copy is made by writing
        digits into the same places again and again."""
        site = b'[Site "' + _SITE + b"0" * _SITE_DIGITS + b'"]\n'
        own = site + b'[Date "0000.00.00"]\n[Round "' + b"0" * _ROUND_DIGITS + b'"]\n'
        head = b'[Event "Rated Blitz game"]\n' + own + _LICHESS if lichess else own
        parts: list[bytes] = []
        begins: list[int] = []
        length = 0
        for game in re.split(rb"(?<=\n)(?=\[Event )", text):
            if not game.startswith(b"[Event "):
                continue
            first = b"" if lichess else game[: game.index(b"\n") + 1]
            rest = _TAG.sub(b"", game)
            whole = first + head + rest.rstrip() + b"\n\n"
            begins.append(length + len(whole) - len(rest.rstrip()) - 2 - len(head) + head.index(own))
            parts.append(whole)
            length += len(whole)
        self._text = np.frombuffer(b"".join(parts), np.uint8)
        self._ends = np.cumsum([len(part) for part in parts])
        begin = np.array(begins)
        self._site = begin + len(site) - 3 - _SITE_DIGITS
        self._date = begin + len(site) + len(b'[Date "')
        self._round = begin + len(own) - 3 - _ROUND_DIGITS
        self.games = len(parts)

    def texts(self, first: int, end: int) -> Iterator[bytes]:
        """The games `first` to `end` - 1 of the copies, which follow each other without an end."""
        while first < end:
            copy, low = divmod(first, self.games)
            high = min(low + end - first, self.games)
            start = int(self._ends[low - 1]) if low else 0
            text = self._text[start : int(self._ends[high - 1])].copy()
            some = slice(low, high)
            number = np.arange(first, first + high - low)
            # An odd factor below a power of two gives other digits to each number, in no order.
            mixed = number * 2_654_435_761 % (1 << 40)
            _write(text, self._site[some] - start, mixed, 36, _SITE_DIGITS)
            _write(text, self._round[some] - start, number % 10**_ROUND_DIGITS, 10, _ROUND_DIGITS)
            days = (number // 7 + 31 * copy) % (_YEARS[1] * 336)
            for place, width, value in (
                (0, 4, _YEARS[0] + days // 336), (5, 2, 1 + days // 28 % 12), (8, 2, 1 + days % 28),
            ):  # fmt: skip
                _write(text, self._date[some] - start + place, value, 10, width)
            yield text.tobytes()
            first += high - low


def _write(text: np.ndarray, places: np.ndarray, numbers: np.ndarray, base: int, width: int) -> None:
    """Write numbers of `width` digits at some places of a text."""
    for digit in range(width - 1, -1, -1):
        numbers, last = np.divmod(numbers, base)
        text[places + digit] = _DIGITS[last]


# --- the figures --------------------------------------------------------------------------------------------


def figures(listed: Sequence[Path], home: Path, tree: Path) -> Iterator[Figure]:
    """All figures of one base, as they are measured. An index that is there already is used again."""
    files = [str(path) for path in listed]
    warm = home.parent / "warm.pgn"
    with listed[0].open("rb") as file:
        warm.write_bytes(file.read(200_000).rpartition(b"\n[Event ")[0])
    known = home.exists()
    # The machine code of the reader and of the kernels is made once for each home.
    for query in QUERIES:
        _run(["-m", "cqlgui", "search", str(warm), "-e", query, "--count"], home, tree)
    if not known:
        yield from _imported(files, home, tree)
    for when in ("first", "again"):
        _, _, peak, out = _run([__file__, "open", *files], home, tree)
        told = json.loads(out)
        yield Figure(f"opened, {when} time", told["seconds"], "s", _OPEN_SECONDS, processor=told["processor"])
        yield Figure("  private memory", peak / 1e6, "MB", _PRIVATE_BYTES / 1e6)
    for query, floor in QUERIES.items():
        for when in ("first", "again"):
            seconds, spent, peak, out = _run(
                ["-m", "cqlgui", "search", *files, "-e", query, "--count"], home, tree
            )
            yield Figure(f"{query}, {when} time ({out.strip()})", seconds, "s", floor, processor=spent)
        yield Figure("  private memory", peak / 1e6, "MB", _PRIVATE_BYTES / 1e6)
    _, _, peak, out = _run([__file__, "table", *files], home, tree)
    for name, (seconds, spent) in json.loads(out).items():
        yield Figure(f"games table {name}", seconds, "s", _TABLE_SECONDS, processor=spent)
    yield Figure("  private memory", peak / 1e6, "MB", _PRIVATE_BYTES / 1e6)
    index = sum(path.stat().st_size for path in home.rglob("*") if path.is_file())
    yield Figure("the index on disk", index / 1e6, "MB")


def _imported(files: list[str], home: Path, tree: Path) -> Iterator[Figure]:
    """The figures of an import: its rate, and its rate compared with that of its first million games."""
    _, spent, peak, out = _run([__file__, "import", *files], home, tree)
    told = json.loads(out)
    games, seconds = told["games"][-1], told["seconds"][-1]
    yield Figure("imported", games / seconds, "games/s", processor=spent)
    yield Figure("  private memory", peak / 1e6, "MB", _PRIVATE_BYTES / 1e6)
    if games > FIRST:
        for clock, floor in (("seconds", _RATE), ("processor", 0.0)):
            ends = np.interp([FIRST, games - FIRST, games], told["games"], told[clock])
            share = games / ends[2] / (FIRST / ends[0])
            by = "" if floor else ", by the processor's time"
            yield Figure(f"  share of the rate of the first million{by}", share, "", floor, least=True)
            yield Figure(f"  the last million{by}", ends[0] / (ends[2] - ends[1]), "", floor, least=True)


def _run(words: list[str], home: Path, tree: Path) -> tuple[float, float, int, str]:
    """Run Python with the program of a clone: the seconds, those of the processor, the most private bytes of
    the process and its descendants together, and what it printed. Bytes of mapped files are not private."""
    from tests.helpers import memory

    before = _spent_by_children()
    environment = {"CQLGUI_HOME": str(home), "PYTHONPATH": str(tree)}
    seconds, most, out = memory.watched([sys.executable, *words], tree, environment, memory.resident)
    return seconds, _spent_by_children() - before, most, out


def _spent_by_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _counted(files: int) -> str:
    return "one file" if files == 1 else f"{files} files"


# --- what runs in the process that is measured --------------------------------------------------------------


def _step(what: str, files: Sequence[str]) -> dict[str, Any]:
    """Do what is measured, with the program that `PYTHONPATH` names."""
    start = time.perf_counter()
    from cqlgui.tasks.databases import games, importing

    if what == "import":
        counts: list[int] = []
        times: list[float] = []
        spent: list[float] = []

        def note(base: Any) -> None:
            counts.append(base.games)
            times.append(time.perf_counter() - start)
            spent.append(time.process_time())

        importing.open_base(files, on_base=note)
        return {"games": counts, "seconds": times, "processor": spent}
    base = importing.open_base(files).base
    if what == "open":
        return {"seconds": time.perf_counter() - start, "processor": time.process_time()}
    found: dict[str, tuple[float, float]] = {}
    for name, how in {"listed": None, **{f"sorted by {sort}": sort for sort in SORTS}}.items():
        begun, before = time.perf_counter(), time.process_time()
        order = games.ids(base, sort=how)
        games.rows(base, order[:50])
        found[name] = time.perf_counter() - begun, time.process_time() - before
    return found


if __name__ == "__main__":
    if sys.argv[1:2] and sys.argv[1] in ("import", "open", "table") and len(sys.argv) > 2:
        from cqlgui.tasks.processes import pool

        try:
            print(json.dumps(_step(sys.argv[1], sys.argv[2:])))
        finally:
            pool.close()
        sys.exit(0)
    sys.exit(main())

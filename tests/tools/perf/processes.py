"""Times whole processes of `cqlgui search` in every way of asking: annotated export, JSON, JSON lines, count.

    python -m tests.tools.perf.processes [--queries N] [--ways annotate,json,jsonl,count] [--rounds N]
        [--tree DIR] FILE

The queries are drawn from the recorded ones by a fixed seed; without these, from the texts that the project
knows. Every process starts anew, and the index is there beforehand. `--tree` measures another clone of the
project with the same queries. With `--rounds`, a query is asked several times and its fastest time counts:
the pace of a processor that other computers share may halve for minutes. A query that takes longer than the
limit counts as the limit. The reference interpreter publishes 0.9 million positions a second.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests import helpers
from tests.helpers import crossing
from tests.tools.perf import census

SEED: Final = 24
LIMIT: Final = 60.0
"""Seconds after which a process is stopped."""
WORDS: Final = {
    "annotate": ("-o", "{out}.pgn", "--annotate"),
    "json": ("--json",),
    "jsonl": ("--jsonl",),
    "count": ("--count",),
}
_TOLD: Final = (0, 1, 2)
"""Exit codes of a search: it succeeded, it told a fault of the query, or it could not read some games. Other
codes, and a traceback, are faults of the program."""
SLOW: Final = 8.0
"""Seconds. A query should take longer only if it writes much, and a query that does is asked once."""
FLOORS: Final = {"annotate": 1.0, "json": 0.7, "jsonl": 0.7}
"""The geometric means that should not be exceeded, in seconds, for 145,716 games."""


@dataclass(frozen=True, slots=True)
class Timed:
    """One process: its seconds, the bytes that it wrote, and how its search was done."""

    name: str
    query: str
    seconds: float
    written: int
    engine: str


def main(words: Sequence[str] | None = None) -> int:
    """Measure and print."""
    arguments = argparse.ArgumentParser(
        prog="python -m tests.tools.perf.processes",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    arguments.add_argument("file", type=Path, help="plain PGN")
    arguments.add_argument("--queries", type=int, default=200, help="number of queries (default: 200)")
    arguments.add_argument("--ways", default="annotate,json,jsonl,count", help="ways of asking, with commas")
    arguments.add_argument("--rounds", type=int, default=1, help="the fastest of so many, but one if slow")
    arguments.add_argument("--tree", type=Path, default=helpers.ROOT, help="the clone to measure")
    arguments.add_argument("--out", type=Path, help="write all figures as JSON lines, too")
    options = arguments.parse_args(words)
    chosen = drawn(options.queries)
    with tempfile.TemporaryDirectory(prefix="cqlgui-perf-") as folder:
        environment = dict(os.environ, PYTHONPATH=str(options.tree))
        environment.setdefault("CQLGUI_HOME", str(Path(folder, "home")))
        # Users have compiled bytecode.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        run(["import", str(options.file)], environment, Path(folder))
        for way in options.ways.split(","):
            found = [
                fastest(options.rounds, options.file, way, one, environment, Path(folder)) for one in chosen
            ]
            for line in lines(way, found, options.rounds):
                print(line, flush=True)
            if options.out is not None:
                with options.out.open("a", encoding="utf-8") as file:
                    for each in found:
                        file.write(json.dumps({"way": way, **vars_of(each)}) + "\n")
    return 0


def drawn(count: int) -> list[tuple[str, str]]:
    """Names and texts of queries, always the same ones."""
    if census.RECORDED.is_file():
        recorded = [json.loads(line) for line in census.RECORDED.read_text("utf-8").splitlines()]
        known = [(one["id"], one["query"]) for one in recorded if "file-access" not in one["tags"]]
    else:
        print("no recorded queries here: the texts that the project knows are asked")
        known = [(f"text {number}", text) for number, text in enumerate(crossing.known_texts())]
    return random.Random(SEED).sample(known, min(count, len(known)))


def fastest(
    rounds: int, path: Path, way: str, asked: tuple[str, str], environment: dict[str, str], folder: Path
) -> Timed:
    """Run one query `rounds` times, but a slow one only once. Returns the fastest."""
    best = timed(path, way, asked, environment, folder)
    for _ in range(1, rounds):
        if best.seconds > SLOW:
            break
        best = min(best, timed(path, way, asked, environment, folder), key=lambda one: one.seconds)
    return best


def timed(path: Path, way: str, asked: tuple[str, str], environment: dict[str, str], folder: Path) -> Timed:
    """Run one query once."""
    name, query = asked
    words = [word.format(out=folder / "out") for word in WORDS[way]]
    # To delete gigabytes of the query before takes a second.
    remove(folder)
    begun = time.perf_counter()
    written, said = run(["search", str(path), "-e", query, *words], environment, folder)
    seconds = time.perf_counter() - begun
    engine = "compiled" if said.rstrip().endswith("compiled") else "interpreted"
    return Timed(name, query, seconds, written, engine)


def run(words: Sequence[str], environment: dict[str, str], folder: Path) -> tuple[int, str]:
    """Run the program. Returns the bytes that it wrote, and its messages."""
    target, out = _written(folder)
    with target.open("wb") as file:
        try:
            done = subprocess.run(
                [sys.executable, "-P", "-m", "cqlgui", *words],
                env=environment, stdout=file, stderr=subprocess.PIPE, timeout=LIMIT, check=False,
            )  # fmt: skip
            said = done.stderr.decode("utf-8", "replace")
            if done.returncode not in _TOLD or "Traceback" in said:
                # A process that fails is soon over, and would pass for a fast one.
                raise RuntimeError(f"{words} ended with {done.returncode}: {said[-2_000:]}")
        except subprocess.TimeoutExpired:
            said = "stopped"
    return target.stat().st_size + (out.stat().st_size if out.is_file() else 0), said


def remove(folder: Path) -> None:
    """Remove what a process wrote."""
    for path in _written(folder):
        path.unlink(missing_ok=True)


def _written(folder: Path) -> tuple[Path, Path]:
    """The files of stdout and of an export."""
    return folder / "stdout", folder / "out.pgn"


def lines(way: str, found: Sequence[Timed], rounds: int) -> list[str]:
    """The figures of a way of asking as lines of the report."""
    mean = math.exp(sum(math.log(one.seconds) for one in found) / len(found))
    floor = FLOORS.get(way)
    judged = "" if floor is None else f"  (< {floor}) {'HELD' if mean < floor else 'missed'}"
    ordered = sorted(found, key=lambda one: -one.seconds)
    over = len(slow(found))
    best = f", fastest of {rounds}" if rounds > 1 else ""
    made = [f"{way}: {len(found)} queries, geometric mean{best} {mean:.2f} s{judged}, {over} over 8 s"]
    for one in ordered[:8]:
        text = " ".join(one.query.split())[:60]
        made.append(
            f"    {one.seconds:6.2f} s  {one.written / 1e6:7.1f} MB  {one.engine:11} {one.name} {text}"
        )
    return made


def slow(found: Sequence[Timed]) -> list[Timed]:
    """Those that take more than 8 seconds, and not because of the bytes that they write."""
    return [one for one in found if one.seconds > SLOW and one.written <= 200_000_000]


def vars_of(one: Timed) -> dict[str, object]:
    """The fields of a figure."""
    return {"name": one.name, "seconds": one.seconds, "written": one.written, "engine": one.engine}


if __name__ == "__main__":
    sys.exit(main())

"""Compares a cluster with one computer, and measures it:

    python -m tests.tools.cluster [--workers 1 2 4] [--only PATTERN] [FILE.pgn]

Without a file, all queries of the conformance set that need no files are asked on one computer and on a
cluster of each size. With a file, its games are searched on each cluster, and the figures are printed.
"""

from __future__ import annotations

import argparse
import os
import re
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from cqlgui.tasks.cluster import clients, publishing
from cqlgui.tasks.databases import importing, published
from cqlgui.tasks.processes import pool
from tests import helpers
from tests.helpers import clusters
from tests.tools.cluster import comparing, measuring


def main(words: Sequence[str] | None = None) -> int:
    """Compare, or measure; the exit code is 1 if something differs."""
    arguments = argparse.ArgumentParser(prog="python -m tests.tools.cluster", description=__doc__)
    arguments.add_argument("file", nargs="?", type=Path, help="a PGN to measure with")
    arguments.add_argument("--workers", nargs="+", type=int, default=[1, 2, 4], help="sizes of the cluster")
    arguments.add_argument("--only", default="", help="only the queries whose id matches this expression")
    arguments.add_argument("--games", type=int, help="only so many games of each file")
    options = arguments.parse_args(words)
    with tempfile.TemporaryDirectory(prefix="cqlgui-cluster-") as folder:
        os.environ["CQLGUI_HOME"] = str(Path(folder, "home"))
        try:
            if options.file is not None:
                _measure(options.file, Path(folder), options.workers)
                return 0
            return _compare(Path(folder), options.workers, options.only, options.games)
        finally:
            pool.close()


def _compare(folder: Path, sizes: Sequence[int], only: str, games: int | None) -> int:
    files = [comparing.RECORDED / "annotated-450.pgn", comparing.RECORDED / "games-2k.pgn"]
    files.append(helpers.SHARED / "spec" / "sample-studies.pgn")
    base = comparing.published_base(comparing.divided(files, folder, games), folder / "pub")
    asked = [one for one in comparing.recorded() if re.search(only, one.name) and comparing.is_askable(one)]
    print(f"{len(asked)} queries, {base.games} games in {len(base.sources)} sources", flush=True)
    began = time.perf_counter()
    wanted = [(one, comparing.digests(comparing.answers(base, one))) for one in asked]
    print(f"one computer: {time.perf_counter() - began:.0f} s", flush=True)
    failed = 0
    for size in sizes:
        began = time.perf_counter()
        with clusters.started(size, folder / "home") as address:
            found = comparing.differences(base, address, wanted)
        for line in found:
            print(line)
        failed += len(found)
        print(f"{size} workers: {len(found)} differ, {time.perf_counter() - began:.0f} s", flush=True)
    return 1 if failed else 0


def _measure(file: Path, folder: Path, sizes: Sequence[int]) -> None:
    began = time.perf_counter()
    opened = importing.open_base([file]).base
    imported = time.perf_counter()
    report = publishing.publish(opened, str(folder / "pub"))
    done = time.perf_counter()
    print(
        f"{report.games} games: imported in {imported - began:.1f} s, published in {done - imported:.1f} s: "
        f"{report.parts} parts, {report.size / 1e6:.1f} MB"
    )
    base = published.open_base(str(folder / "pub"), adopt=False).base
    single: dict[str, measuring.Times] = {}
    task: measuring.Task | None = None
    for query in (measuring.LIGHT, measuring.HEAVY):
        measuring.local(base, query)
        print(measuring.local(opened, query).line())
        print(measuring.local(base, query).line())
        print(measuring.local(base, query, threads=1).line(), flush=True)
    for size in sizes:
        with clusters.started(size, folder / "home") as address, clients.Dask(address) as scheduler:
            empty = measuring.empty_task(scheduler)
            task = task or empty
            print(f"{size} workers: {empty.line()}")
            for query in (measuring.LIGHT, measuring.HEAVY):
                # The first search makes the machine code and opens the segments.
                print("  cold " + measuring.spread(base, query, scheduler, size).line())
                found = measuring.spread(base, query, scheduler, size)
                single.setdefault(query, found)
                print("  warm " + found.line(), flush=True)
    assert task is not None
    for line in measuring.reckoned(list(single.values()), task, report.games, report.size):
        print(line)


if __name__ == "__main__":
    raise SystemExit(main())

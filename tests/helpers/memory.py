"""Private memory and processor time of processes, where the system tells them (Linux)."""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

_EVERY_SECONDS = 0.02


def private(process: int) -> int:
    """Private bytes of a process; 0 where they are not told."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(
        int(line.split()[1]) << 10 for line in lines if line.startswith(("Private_Clean", "Private_Dirty"))
    )


def resident(process: int) -> int:
    """Private bytes of a process that are in memory, files that it maps left out; 0 where they are not told.

    Other than `private` this counts no pages, so the process need not wait for it.
    """
    try:
        words = Path(f"/proc/{process}/statm").read_text().split()
    except OSError:
        return 0
    return (int(words[1]) - int(words[2])) * os.sysconf("SC_PAGE_SIZE") if words else 0


def descendants(process: int) -> list[int]:
    """The processes that a process started, and those that these did."""
    found: list[int] = []
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        try:
            children = [int(word) for word in task.read_text().split()]
        except OSError:
            continue
        for child in children:
            found += [child, *descendants(child)]
    return found


def spent() -> float:
    """Seconds of processor time that this process and its descendants have used, those that ended included.
    Where the system does not tell of descendants that still run, these are left out. The time of descendants
    is told in steps of 10 ms, that of this process is exact."""
    ended = os.times()
    seconds = time.process_time() + ended.children_user + ended.children_system
    for process in descendants(os.getpid()):
        try:
            words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        # Its own time, and that of its children that ended.
        seconds += sum(map(int, words[11:15])) / os.sysconf("SC_CLK_TCK")
    return seconds


def watched(
    command: list[str],
    folder: Path,
    environment: dict[str, str],
    measure: Callable[[int], int] = private,
) -> tuple[float, int, str]:
    """Run a command to its end: seconds, bytes at most with all descendants (`measure` tells those of a
    process), what it printed.

    Raises `CalledProcessError` where it fails.
    """
    with tempfile.TemporaryFile("w+", encoding="utf-8") as out:
        start = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=folder, env={**os.environ, **environment}, stdout=out, stderr=subprocess.DEVNULL
        )
        # A thread waits for the end. `Popen.wait` with a time limit would look many times, which takes time
        # from the process.
        waiting = threading.Thread(target=process.wait)
        waiting.start()
        most = 0
        while waiting.is_alive():
            most = max(most, sum(map(measure, [process.pid, *descendants(process.pid)])))
            waiting.join(_EVERY_SECONDS)
        seconds = time.perf_counter() - start
        code = process.returncode
        if code:
            raise subprocess.CalledProcessError(code, command)
        out.seek(0)
        return seconds, most, out.read()

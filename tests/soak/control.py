"""Watches another process from outside: `python -m tests.soak.control PROCESS`.

It needs next to no time itself. Where it pauses, the machine had no time for it; and as memory is looked at
here, the one who is watched does not stop for that. Prints a line at once: `pause START SECONDS` on the
monotonic clock, `memory TIME OWN CHILDREN` in bytes, `load TIME ALL OWN` in seconds of processor time used
until then, by everybody and by the one who is watched with its children, `stolen TIME STOLEN BUSY IDLE ...`
whenever the host of a virtual machine had kept another of its processors to itself: for how many seconds
until then, and for how many each of them worked and had nothing to do; `awake` where the processors are
kept awake meanwhile; `disk TIME` whenever the first thread of the one who is watched was seen waiting for it.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from tests.helpers import memory

PAUSE_SECONDS = 0.02
TICK_SECONDS = 0.005
_MEMORY_SECONDS = 0.5
_LOAD_SECONDS = 0.02
_LATENCY = Path("/dev/cpu_dma_latency")
"""Linux: whoever has this file open says how many microseconds a processor may take to wake up."""


def main() -> None:
    """Watch until killed, or until nobody listens any more."""
    process = int(sys.argv[1])
    # It holds as long as the file is open.
    latency = _kept_awake()
    if latency is not None:
        print("awake", flush=True)
    last = sampled = loaded = time.monotonic()
    watched = [process]
    stolen: list[float] = []
    while True:
        time.sleep(TICK_SECONDS)
        now = time.monotonic()
        if now - last > PAUSE_SECONDS:
            print("pause", last, now - last, flush=True)
        if _waits_for_disk(process):
            print("disk", now, flush=True)
        if now - sampled > _MEMORY_SECONDS:
            sampled = now
            watched = [process, *memory.descendants(process)]
            children = sum(map(memory.resident, watched[1:]))
            print("memory", now, memory.resident(process), children, flush=True)
        shares = _shares()
        before, stolen = stolen, shares[::3]
        if stolen != before:
            print("stolen", now, *shares, flush=True)
        if now - loaded > _LOAD_SECONDS:
            loaded = now
            print("load", now, *_load(watched), flush=True)
        # What was done here is no pause of the machine.
        last = time.monotonic()


def _kept_awake() -> IO[bytes] | None:
    """Keep the processors from going to sleep, where this user may. A virtual one is woken by its host, which
    takes milliseconds where that is busy, and the threads of a program wake each other some thousand times a
    second."""
    try:
        # Made where it is missing, it would be a file like any other.
        file = os.fdopen(os.open(_LATENCY, os.O_WRONLY), "wb", buffering=0)
        file.write(bytes(4))
    except OSError:
        return None
    return file


def _waits_for_disk(process: int) -> bool:
    """Whether the first thread of a process sleeps and nothing but the kernel may wake it."""
    try:
        return Path(f"/proc/{process}/task/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] == "D"
    except OSError:
        return False


def _load(watched: Sequence[int]) -> tuple[float, float]:
    """Seconds of processor time used by everybody, and by some processes; 0 where they are not told."""
    own = 0
    try:
        with Path("/proc/stat").open() as file:
            user, nice, system, _idle, _wait, *others = map(int, file.readline().split()[1:9])
    except OSError:
        return 0.0, 0.0
    for process in watched:
        try:
            words = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        own += int(words[11]) + int(words[12])
    ticks = os.sysconf("SC_CLK_TCK")
    return (user + nice + system + sum(others)) / ticks, own / ticks


def _shares() -> list[float]:
    """Seconds for which each processor was kept by the host, worked, and had nothing to do, one processor
    after the other; empty where that is not told."""
    try:
        with Path("/proc/stat").open() as file:
            lines = [line.split() for line in file if line.startswith("cpu")]
    except OSError:
        return []
    found: list[float] = []
    for words in lines:
        if words[0] != "cpu":
            user, nice, system, idle, waiting, *others = (int(word) for word in words[1:9])
            stolen = others.pop()
            found += (stolen, user + nice + system + sum(others), idle + waiting)
    ticks = os.sysconf("SC_CLK_TCK")
    return [one / ticks for one in found]


if __name__ == "__main__":
    main()

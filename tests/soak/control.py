"""Watches another process from outside: `python -m tests.soak.control PROCESS`.

It needs next to no time itself. Where it pauses, the machine had no time for it; and as memory is looked at
here, the one who is watched does not stop for that. Prints a line at once: `pause START SECONDS` on the
monotonic clock, `memory TIME OWN CHILDREN` in bytes, `load TIME ALL OWN` in seconds of processor time used
until then, by everybody and by the one who is watched with its children; of the first thread of that one,
`loop TIME PROCESSOR QUEUED` tells which processor has it and for how many seconds it waited for one until
then, whenever that changed, and `disk TIME` that it was seen waiting for the disk;
`kept PROCESSOR START SECONDS` where one processor did nothing at all: on each a guard is posted that nobody
but the kernel comes before, and it woke up late. `guarded` where that is so, and `awake` where the processors
are kept awake meanwhile.
"""

from __future__ import annotations

import contextlib
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
_GUARD_SECONDS = 0.004
_KEPT_SECONDS = 0.002
"""A guard that is later than this was not late by itself."""
_LATENCY = Path("/dev/cpu_dma_latency")
"""Linux: whoever has this file open says how many microseconds a processor may take to wake up."""


def main() -> None:
    """Watch until killed, or until nobody listens any more."""
    process = int(sys.argv[1])
    # It holds as long as the file is open.
    latency = _kept_awake()
    if latency is not None:
        _tell("awake")
    if _guarded():
        _tell("guarded")
    last = sampled = loaded = time.monotonic()
    watched = [process]
    before = None
    while True:
        time.sleep(TICK_SECONDS)
        now = time.monotonic()
        if now - last > PAUSE_SECONDS:
            _tell("pause", last, now - last)
        state, *loop = _loop(process)
        if state == "D":
            _tell("disk", now)
        if loop != before:
            before = loop
            _tell("loop", now, *loop)
        if now - sampled > _MEMORY_SECONDS:
            sampled = now
            watched = [process, *memory.descendants(process)]
            children = sum(map(memory.resident, watched[1:]))
            _tell("memory", now, memory.resident(process), children)
        if now - loaded > _LOAD_SECONDS:
            loaded = now
            _tell("load", now, *_load(watched))
        # What was done here is no pause of the machine.
        last = time.monotonic()


def _tell(*words: object) -> None:
    """Print a line at once and whole, as others print into the same file."""
    os.write(sys.stdout.fileno(), (" ".join(map(str, words)) + "\n").encode())


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


def _guarded() -> bool:
    """Post a guard on each processor, where this user may."""
    if sys.platform != "linux":
        return False
    own = os.getpid()
    try:
        scheduler, priority = os.sched_getscheduler(0), os.sched_getparam(0)
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except OSError:
        return False
    for processor in os.sched_getaffinity(0):
        if not os.fork():
            os.sched_setaffinity(0, {processor})
            _guard(processor, own)
            os._exit(0)
    os.sched_setscheduler(0, scheduler, priority)
    return True


def _guard(processor: int, parent: int) -> None:
    """Wake up again and again on one processor, and tell when that was late; until the parent is gone."""
    while os.getppid() == parent:
        due = time.monotonic() + _GUARD_SECONDS
        time.sleep(_GUARD_SECONDS)
        late = time.monotonic() - due
        if late > _KEPT_SECONDS:
            _tell("kept", processor, due, late)


def _loop(process: int) -> tuple[str, int, float]:
    """State of the first thread of a process, `D` where it waits for the disk, the processor that it runs on
    or ran on last, and for how many seconds it waited for one until now; where they are not told, nothing, -1
    and 0."""
    task = Path(f"/proc/{process}/task/{process}")
    with contextlib.suppress(OSError, IndexError):
        words = (task / "stat").read_text().rsplit(")", 1)[1].split()
        return words[0], int(words[36]), int((task / "schedstat").read_text().split()[1]) / 1e9
    return "", -1, 0.0


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


if __name__ == "__main__":
    main()

"""Watches another process from outside: `python -m tests.soak.control PROCESS`.

It needs next to no time itself. Where it pauses, the machine had no time for it; and as memory is looked at
here, the one who is watched does not stop for that. Prints a line at once, times on the monotonic clock:

    awake                       the processors are kept from going to sleep
    guarded                     on each a guard is posted that nobody but the kernel comes before
    pause START SECONDS         nothing was done here
    kept PROCESSOR START SECONDS  the guard of a processor woke up late: that did nothing at all
    stuck TIME PROCESSOR        a thread of the one who is watched was to run on one that did nothing
    loop TIME PROCESSOR QUEUED  which one has the first thread of the one who is watched, and for how many
                                seconds that waited for one until then; whenever either changes
    disk TIME                   that thread was seen waiting for the disk
    load TIME ALL OWN STOLEN    seconds of processor time until then: everybody's, that of the one who is
                                watched with its children, and what the host is known to have kept, which it
                                tells late
    memory TIME OWN CHILDREN    private bytes of the one who is watched, and of its children
"""

from __future__ import annotations

import contextlib
import mmap
import os
import struct
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
    guards = _post_guards()
    if guards:
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
        for late in guards.late(now):
            if _runs_on(process, late):
                _tell("stuck", now, late)
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


class _Guards:
    """Where the guards write down when they were last awake, one number of eight bytes for each processor."""

    def __init__(self, processors: Sequence[int]) -> None:
        self._processors = processors
        self._times = mmap.mmap(-1, 8 * max(1, len(processors)))
        for processor in processors:
            self.awake(processor, time.monotonic())

    def __len__(self) -> int:
        return len(self._processors)

    def awake(self, processor: int, now: float) -> None:
        """The guard of a processor is awake now."""
        struct.pack_into("d", self._times, 8 * self._processors.index(processor), now)

    def late(self, now: float) -> list[int]:
        """The processors whose guards should have woken up again."""
        times = struct.unpack_from(f"{len(self)}d", self._times)
        latest = now - _GUARD_SECONDS - _KEPT_SECONDS
        return [one for one, last in zip(self._processors, times, strict=True) if last < latest]


def _post_guards() -> _Guards:
    """Post a guard on each processor, where this user may; else on none."""
    if sys.platform != "linux":
        return _Guards(())
    own = os.getpid()
    scheduler, priority = os.sched_getscheduler(0), os.sched_getparam(0)
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except OSError:
        return _Guards(())
    processors = sorted(os.sched_getaffinity(0))
    guards = _Guards(processors)
    for processor in processors:
        if not os.fork():
            os.sched_setaffinity(0, {processor})
            _guard(guards, processor, own)
            os._exit(0)
    os.sched_setscheduler(0, scheduler, priority)
    return guards


def _guard(guards: _Guards, processor: int, parent: int) -> None:
    """Wake up again and again on one processor, and tell when that was late; until the parent is gone."""
    while os.getppid() == parent:
        now = time.monotonic()
        guards.awake(processor, now)
        time.sleep(_GUARD_SECONDS)
        late = time.monotonic() - now - _GUARD_SECONDS
        if late > _KEPT_SECONDS:
            _tell("kept", processor, now + _GUARD_SECONDS, late)


def _runs_on(process: int, processor: int) -> bool:
    """Whether a thread of a process runs on a processor or is to."""
    for task in Path(f"/proc/{process}/task").glob("*/stat"):
        with contextlib.suppress(OSError, IndexError):
            words = task.read_text().rsplit(")", 1)[1].split()
            if words[0] == "R" and int(words[36]) == processor:
                return True
    return False


def _loop(process: int) -> tuple[str, int, float]:
    """State of the first thread of a process, `D` where it waits for the disk, the processor that it runs on
    or ran on last, and for how many seconds it waited for one until now; where they are not told, nothing, -1
    and 0."""
    task = Path(f"/proc/{process}/task/{process}")
    with contextlib.suppress(OSError, IndexError):
        words = (task / "stat").read_text().rsplit(")", 1)[1].split()
        return words[0], int(words[36]), int((task / "schedstat").read_text().split()[1]) / 1e9
    return "", -1, 0.0


def _load(watched: Sequence[int]) -> tuple[float, float, float]:
    """Seconds of processor time used by everybody, by some processes, and by the host; 0 where they are not
    told."""
    own = 0
    try:
        with Path("/proc/stat").open() as file:
            user, nice, system, _idle, _wait, *others, stolen = map(int, file.readline().split()[1:9])
    except OSError:
        return 0.0, 0.0, 0.0
    for process in watched:
        try:
            words = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        own += int(words[11]) + int(words[12])
    ticks = os.sysconf("SC_CLK_TCK")
    return (user + nice + system + sum(others) + stolen) / ticks, own / ticks, stolen / ticks


if __name__ == "__main__":
    main()

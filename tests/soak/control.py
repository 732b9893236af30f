"""Watches another process from outside: `python -m tests.soak.control PROCESS`.

It needs next to no time itself. Where it pauses, the machine had no time for it; and as memory is looked at
here, the one who is watched does not stop for that. Prints a line at once, times on the monotonic clock:

    awake                       the processors are kept from going to sleep
    guarded                     on each a guard is posted that nobody but the kernel comes before
    pause START SECONDS         nothing was done here
    kept PROCESSOR START SECONDS WHOM  the guard of a processor woke up late: that did nothing at all, and
                                then there was to run the first thread of the one who is watched (2),
                                another one of its threads (1), or none (0)
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
_GUARD_SECONDS = 0.001
"""A host that is busy gives its processors away in stretches of a few milliseconds."""
_KEPT_SECONDS = 0.0005
"""A guard that is later than this was not late by itself."""
NOBODY, ANOTHER, LOOP = range(3)
"""Who missed a processor that was kept."""
_LATENCY = Path("/dev/cpu_dma_latency")
"""Linux: whoever has this file open says how many microseconds a processor may take to wake up."""


def main() -> None:
    """Watch until killed, or until nobody listens any more."""
    process = int(sys.argv[1])
    # It holds as long as the file is open.
    latency = _kept_awake()
    if latency is not None:
        _tell("awake")
    if _post_guards(process):
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


def _post_guards(process: int) -> bool:
    """Post a guard on each processor; False where this user may not."""
    if sys.platform != "linux":
        return False
    own = os.getpid()
    scheduler, priority = os.sched_getscheduler(0), os.sched_getparam(0)
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except OSError:
        return False
    for processor in os.sched_getaffinity(0):
        if not os.fork():
            os.sched_setaffinity(0, {processor})
            _guard(process, processor, own)
            os._exit(0)
    os.sched_setscheduler(0, scheduler, priority)
    return True


def _guard(process: int, processor: int, parent: int) -> None:
    """Wake up again and again on one processor, and tell when that was late; until the parent is gone."""
    while os.getppid() == parent:
        now = time.monotonic()
        time.sleep(_GUARD_SECONDS)
        late = time.monotonic() - now - _GUARD_SECONDS
        if late > _KEPT_SECONDS:
            _tell("kept", processor, now + _GUARD_SECONDS, late, _missed_by(process, processor))


def _missed_by(process: int, processor: int) -> int:
    """Which thread of a process runs on a processor or is to. For a guard, which has it to itself just now:
    those who waited for it wait still."""
    for task in sorted(Path(f"/proc/{process}/task").glob("*"), key=lambda one: one.name != str(process)):
        with contextlib.suppress(OSError, IndexError):
            words = _stat(task)
            if words[0] == "R" and int(words[36]) == processor:
                return LOOP if task.name == str(process) else ANOTHER
    return NOBODY


def _stat(folder: Path) -> list[str]:
    """What the system tells of a process or a thread, from its state on. Raises `OSError` or `IndexError`
    when it is gone."""
    return (folder / "stat").read_text().rsplit(")", 1)[1].split()


def _loop(process: int) -> tuple[str, int, float]:
    """State of the first thread of a process, `D` where it waits for the disk, the processor that it runs on
    or ran on last, and for how many seconds it waited for one until now; where they are not told, nothing, -1
    and 0."""
    task = Path(f"/proc/{process}/task/{process}")
    with contextlib.suppress(OSError, IndexError):
        words = _stat(task)
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
            words = _stat(Path(f"/proc/{process}"))
        except OSError:
            continue
        own += int(words[11]) + int(words[12])
    ticks = os.sysconf("SC_CLK_TCK")
    return (user + nice + system + sum(others) + stolen) / ticks, own / ticks, stolen / ticks


if __name__ == "__main__":
    main()

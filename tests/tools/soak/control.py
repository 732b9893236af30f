"""Watches another process from outside: `python -m tests.tools.soak.control PROCESS`.

It needs next to no time itself. Where it pauses, the machine had no time for it; and as memory is looked at
here, the one who is watched does not stop for that. Prints a line at once, times on the monotonic clock:

    awake                       the processors are kept from going to sleep
    guarded PROCESSORS          on each a guard is posted that nobody but the kernel comes before
    pause START SECONDS         nothing was done here
    kept PROCESSOR START SECONDS WHOM  the guard of a processor woke up late: until it had looked who missed
                                it, that did nothing for anybody, and there was to run the first thread of
                                the one who is watched (2), another one of its threads (1), or none (0)
    loop TIME QUEUED            for how many seconds the first thread of the one who is watched waited for a
                                processor until then; whenever that changes
    disk TIME                   that thread was seen waiting for the disk
    reload START SECONDS        another thread of the one who is watched waited while memory that it needed
                                was read from the disk
    load TIME ALL OWN STOLEN    seconds of processor time until then: everybody's, that of the one who is
                                watched with its children, and what the host is known to have kept, which it
                                tells late
    memory TIME OWN CHILDREN    private bytes of the one who is watched, and of its children
"""

from __future__ import annotations

import itertools
import os
import sys
import time
from collections.abc import Iterator, Sequence, Set
from pathlib import Path
from typing import IO

from tests.helpers import memory

PAUSE_SECONDS = 0.02
TICK_SECONDS = 0.005
_MEMORY_SECONDS = 0.5
_LOAD_SECONDS = 0.02
_RELOAD_TICKS = 2
"""Every so many ticks all threads are looked at. That takes a tenth of a millisecond."""
_GUARD_SECONDS = 0.001
"""A host that is busy gives its processors away in stretches of a few milliseconds."""
_KEPT_SECONDS = 0.0005
"""A guard that is later than this was not late by itself."""
NOBODY, ANOTHER, LOOP = range(3)
"""Who missed a processor that was kept."""
_LATENCY = Path("/dev/cpu_dma_latency")
"""Linux: whoever has this file open says how many microseconds a processor may take to wake up."""


def main() -> None:
    """Watch until killed, or until whoever began it is gone."""
    process = int(sys.argv[1])
    # It holds as long as the file is open.
    latency = _kept_awake()
    if latency is not None:
        _tell("awake")
    guards = _post_guards(process)
    if guards:
        _tell("guarded", guards)
    last = sampled = loaded = time.monotonic()
    parent = os.getppid()
    watched = [process]
    before = -1.0
    files, reloads = Files(), Reloads(process)
    for turn in itertools.cycle(range(_RELOAD_TICKS)):
        if os.getppid() != parent:
            return
        time.sleep(TICK_SECONDS)
        now = time.monotonic()
        if now - last > PAUSE_SECONDS:
            _tell("pause", last, now - last)
        if not turn:
            for began, seconds in reloads.ended(now):
                _tell("reload", began, seconds)
        state, queued = _loop(files, process)
        if state == "D":
            _tell("disk", now)
        if queued != before:
            before = queued
            _tell("loop", now, queued)
        if now - sampled > _MEMORY_SECONDS:
            sampled = now
            watched = [process, *memory.descendants(process)]
            children = sum(map(memory.resident, watched[1:]))
            _tell("memory", now, memory.resident(process), children)
            # Of processes that have gone, too.
            files.keep(set())
        if now - loaded > _LOAD_SECONDS:
            loaded = now
            _tell("load", now, *_load(files, watched))
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


def _post_guards(process: int) -> int:
    """Post a guard on each processor, and tell how many that are; 0 where this user may not."""
    if sys.platform != "linux":
        return 0
    own = os.getpid()
    scheduler, priority = os.sched_getscheduler(0), os.sched_getparam(0)
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except OSError:
        return 0
    processors = os.sched_getaffinity(0)
    for processor in processors:
        if not os.fork():
            os.sched_setaffinity(0, {processor})
            _guard(process, processor, own)
            os._exit(0)
    os.sched_setscheduler(0, scheduler, priority)
    return len(processors)


def _guard(process: int, processor: int, parent: int) -> None:
    """Wake up again and again on one processor, and tell when that was late; until the parent is gone."""
    files = Files()
    while os.getppid() == parent:
        due = time.monotonic() + _GUARD_SECONDS
        time.sleep(_GUARD_SECONDS)
        if time.monotonic() - due > _KEPT_SECONDS:
            whom = missed_by(files, process, processor)
            _tell("kept", processor, due, time.monotonic() - due, whom)


def missed_by(files: Files, process: int, processor: int) -> int:
    """Which thread of a process runs on a processor or is to. For a guard, which has it to itself just now:
    those who waited for it wait still."""
    if _is_to_run(files, _first(process), processor):
        return LOOP
    try:
        others = {f"{one}/stat" for one in Path(f"/proc/{process}/task").iterdir()}
    except OSError:
        return NOBODY
    files.keep(others)
    return ANOTHER if any(_is_to_run(files, one, processor) for one in others) else NOBODY


def _first(process: int) -> str:
    return f"/proc/{process}/task/{process}/stat"


def _is_to_run(files: Files, thread: str, processor: int) -> bool:
    words = files.words(thread)
    return bool(words) and words[0] == "R" and int(words[36]) == processor


class Files:
    """Files in which the system tells something. They stay open: to open one takes ten times as long as to
    read it, and who is watched waits for the processor meanwhile."""

    def __init__(self) -> None:
        self._opened: dict[str, int] = {}

    def words(self, path: str) -> list[str]:
        """What is told just now; of a process or a thread, from its state on, nothing when it is gone."""
        try:
            if path not in self._opened:
                self._opened[path] = os.open(path, os.O_RDONLY)
            told = os.pread(self._opened[path], 4096, 0)
        except OSError:
            self.keep(self._opened.keys() - {path})
            return []
        # The system cuts the name of a thread, in the middle of a letter too.
        return told.decode(errors="replace").rpartition(")")[2].split()

    def keep(self, paths: Set[str]) -> None:
        """Keep no others open."""
        for path in self._opened.keys() - paths:
            os.close(self._opened.pop(path))


class Reloads:
    """Finds the threads of a process, the first one left out, that wait for memory whose content has to be
    read from disk: from a file that is mapped, or the program itself."""

    def __init__(self, process: int, told: Path = Path("/proc")) -> None:
        self._tasks = told / f"{process}/task"
        self._first = str(process)
        self._files = Files()
        self._waiting: dict[str, tuple[float, str]] = {}

    def ended(self, now: float) -> Iterator[tuple[float, float]]:
        """Look at all threads. For each wait that ended since the last look: when it began, and for how many
        seconds it was seen."""
        try:
            threads = {one.name for one in self._tasks.iterdir()} - {self._first}
        except OSError:
            threads = set()
        paths = {thread: f"{self._tasks}/{thread}/stat" for thread in threads}
        self._files.keep(set(paths.values()))
        for thread in self._waiting.keys() - threads:
            del self._waiting[thread]
        for thread, path in paths.items():
            words = self._files.words(path)
            if not words:
                self._waiting.pop(thread, None)
                continue
            state, faults = words[0], words[9]
            began, before = self._waiting.get(thread, (now, faults))
            if faults != before:
                yield began, now - began
            if faults != before or state != "D":
                self._waiting.pop(thread, None)
            if state == "D":
                self._waiting.setdefault(thread, (now, faults))


def _loop(files: Files, process: int) -> tuple[str, float]:
    """State of the first thread of a process, `D` where it waits for the disk, and for how many seconds it
    waited for a processor until now; where they are not told, nothing and 0."""
    words = files.words(_first(process))
    times = files.words(f"/proc/{process}/task/{process}/schedstat")
    return (words[0], int(times[1]) / 1e9) if words and times else ("", 0.0)


def _load(files: Files, watched: Sequence[int]) -> tuple[float, float, float]:
    """Seconds of processor time used by everybody, by some processes, and by the host; 0 where they are not
    told."""
    every = files.words("/proc/stat")
    if not every:
        return 0.0, 0.0, 0.0
    user, nice, system, _idle, _wait, *others, stolen = map(int, every[1:9])
    own = 0
    for process in watched:
        words = files.words(f"/proc/{process}/stat")
        if words:
            own += int(words[11]) + int(words[12])
    ticks = os.sysconf("SC_CLK_TCK")
    return (user + nice + system + sum(others) + stolen) / ticks, own / ticks, stolen / ticks


if __name__ == "__main__":
    main()

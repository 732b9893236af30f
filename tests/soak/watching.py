"""What a soak run is made of: random texts, a lookout for stalls, and a process that watches from outside."""

from __future__ import annotations

import bisect
import collections
import itertools
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import CodeType, FrameType, TracebackType

from cqlgui.cql import printer
from tests import helpers
from tests.helpers import crossing
from tests.soak import control

if sys.platform != "win32":
    import resource

STALL_SECONDS = 0.05
_LOOK_SECONDS = 0.01
_LATE_SECONDS = 0.025
"""A tick that is later than this is looked into: when it is late enough to count, it may be over."""
_PROGRAM = f"{os.sep}cqlgui{os.sep}"
_FRAMES = 8

Stack = tuple[tuple[CodeType, int], ...]
"""Where a thread stands: what it runs and how far it has come, in bytes, the innermost last. Told in words by
`lines`."""


@dataclass(frozen=True, slots=True)
class Load:
    """Seconds of processor time used until a time of the clock, by everybody and by this program."""

    at: float
    every: float
    own: float


@dataclass(frozen=True, slots=True)
class Stolen:
    """Seconds for which the host of a virtual machine kept each processor to itself until a time of the
    clock, and for which each worked and had nothing to do."""

    at: float
    each: tuple[tuple[float, float, float], ...]


@dataclass(frozen=True, slots=True)
class Machine:
    """What the machine did meanwhile: its pauses (when, how many seconds), its load, what its host took from
    it, and when the loop's thread was seen waiting for the disk, each in order of time; `awake` where its
    processors were kept from going to sleep."""

    pauses: Sequence[tuple[float, float]]
    loads: Sequence[Load]
    stolen: Sequence[Stolen]
    disk: Sequence[float] = ()
    awake: bool = False


@dataclass(frozen=True, slots=True)
class Stall:
    """The event loop stood still from `began` for `seconds`, after `doing`.

    `worked` are the seconds in which the loop's thread ran, `queued` those in which it could have but got no
    processor, `stacks` where it stood each time it was looked at, `others` where the other threads stood,
    `faults` how often it came to memory whose content had to be read from disk first.
    """

    began: float
    seconds: float
    worked: float
    queued: float
    doing: str
    stacks: tuple[Stack, ...]
    others: tuple[Stack, ...]
    faults: int = 0

    def excused(self, machine: Machine) -> bool:
        """Whether nothing over the limit is left without what the machine did: where it stood still, where
        the loop's thread waited for a processor, as far as that was for other programs than this one, or
        where the host took a processor while the loop waited. What the loop worked itself is never excused.
        """
        end = self.began + self.seconds
        shared = sum(
            max(0.0, min(end, began + seconds) - max(self.began, began)) for began, seconds in machine.pauses
        )
        taken = min(self._stolen(machine.stolen), max(0.0, self.seconds - self.worked))
        others = self.queued * self._of_others(machine.loads)
        return self.seconds - max(shared, others, taken, self._reloading(machine.disk)) < STALL_SECONDS

    def _reloading(self, disk: Sequence[float]) -> float:
        """For how long the loop's thread was seen waiting for the disk, where that was for memory."""
        first = bisect.bisect_left(disk, self.began)
        seen = bisect.bisect_right(disk, self.began + self.seconds) - first
        return seen * control.TICK_SECONDS if self.faults else 0.0

    def _stolen(self, stolen: Sequence[Stolen]) -> float:
        """For how long the host kept the processor that it kept for longest, less what it kept of one that
        had nothing to do. It is noted in hundredths of a second, soon after it happened."""
        first = max(0, bisect.bisect_right(stolen, self.began, key=lambda one: one.at) - 1)
        end = self.began + self.seconds + control.PAUSE_SECONDS / 2
        last = bisect.bisect_right(stolen, end, key=lambda one: one.at) - 1
        if last <= first:
            return 0.0
        pairs = zip(stolen[first].each, stolen[last].each, strict=True)
        return max((_missed(before, after) for before, after in pairs), default=0.0)

    def _of_others(self, loads: Sequence[Load]) -> float:
        """Which part of the processor time that this thread did not get itself went to other programs."""
        first = max(0, bisect.bisect_right(loads, self.began, key=lambda one: one.at) - 1)
        last = min(
            len(loads) - 1, bisect.bisect_left(loads, self.began + self.seconds, key=lambda one: one.at)
        )
        if last <= first:
            return 0.0
        every = loads[last].every - loads[first].every
        own = loads[last].own - loads[first].own
        rest = every - self.worked
        return min(1.0, max(0.0, (every - own) / rest)) if rest > 0 else 0.0

    @property
    def cause(self) -> str:
        """Where in the program the loop stood most of the time."""
        places = [
            next((line for line in reversed(lines(stack)) if _PROGRAM in line), "Qt") for stack in self.stacks
        ]
        if not places:
            return "not seen"
        place = collections.Counter(places).most_common(1)[0][0]
        return place.rpartition(_PROGRAM)[2]

    @property
    def beside(self) -> collections.Counter[str]:
        """Where in the program other threads stood, and how often they were seen there."""
        return collections.Counter(map(_place, self.others))


def _missed(before: tuple[float, float, float], after: tuple[float, float, float]) -> float:
    """What the host kept of a processor that had work to do: it keeps one that has none as well."""
    stolen, busy, idle = (new - old for old, new in zip(before, after, strict=True))
    return stolen * busy / (busy + idle) if busy + idle else stolen


class Lookout:
    """Looks where the event loop stands when it has not ticked for long; `tick` is called in its thread."""

    def __init__(self) -> None:
        self.stalls: list[Stall] = []
        self._main = threading.get_ident()
        self._began = time.monotonic()
        self._before = _spent()
        self._seen: list[tuple[float, Stack, list[Stack]]] = []
        self._ended = threading.Event()
        threading.Thread(target=self._look, name="lookout", daemon=True).start()

    def tick(self, due_seconds: float, doing: str, *, counts: bool = True) -> None:
        """The loop goes on, after `doing`; the last tick was to be `due_seconds` ago."""
        now, spent = time.monotonic(), _spent()
        began, gap = self._began, now - self._began - due_seconds
        if counts and gap > STALL_SECONDS:
            seen = [one for one in self._seen if one[0] == began]
            self.stalls.append(
                Stall(
                    began,
                    gap,
                    spent[0] - self._before[0],
                    spent[1] - self._before[1],
                    doing,
                    tuple(one[1] for one in seen),
                    tuple(itertools.chain.from_iterable(one[2] for one in seen)),
                    spent[2] - self._before[2],
                )
            )
        if self._seen:
            self._seen = []
        self._began, self._before = now, spent

    def end(self) -> None:
        """Look no more."""
        self._ended.set()

    def _look(self) -> None:
        own = threading.get_ident()
        while not self._ended.wait(_LOOK_SECONDS):
            began = self._began
            if time.monotonic() - began < _LATE_SECONDS:
                continue
            frames = sys._current_frames()
            main = frames.pop(self._main, None)
            others = [_stack(frame) for thread, frame in frames.items() if thread != own]
            self._seen.append((began, _stack(main), others))
            # All that they hold would stay until the next look.
            del frames, main


def _spent() -> tuple[float, float, int]:
    """Seconds for which this thread has run, and for which it waited for a processor, 0 where not told; and
    how often it came to memory that had to be read from disk."""
    faults = _faults()
    try:
        words = Path(f"/proc/self/task/{threading.get_native_id()}/schedstat").read_text().split()
    except OSError:
        return time.thread_time(), 0.0, faults
    return int(words[0]) / 1e9, int(words[1]) / 1e9, faults


def _faults() -> int:
    """How often this thread came to memory whose content was to be read from disk; 0 where not told."""
    if sys.platform != "linux":
        return 0
    return resource.getrusage(resource.RUSAGE_THREAD).ru_majflt


def _stack(frame: FrameType | None) -> Stack:
    """Where a thread stands. It is put into words later: while that is done, and it takes some milliseconds
    for a dozen threads, the one who is watched would wait for the interpreter's lock."""
    found: list[tuple[CodeType, int]] = []
    while frame is not None and len(found) < _FRAMES:
        found.append((frame.f_code, frame.f_lasti))
        frame = frame.f_back
    return tuple(reversed(found))


def lines(stack: Stack) -> list[str]:
    """File, line and function of each place."""
    found = []
    for code, reached in stack:
        line = next((line for start, end, line in code.co_lines() if start <= reached < end), None)
        found.append(f"{code.co_filename}:{line} {code.co_name}")
    return found


def _place(stack: Stack) -> str:
    """Where a thread stands: where in the program, and where below that."""
    told = lines(stack)
    place = next((line for line in reversed(told) if _PROGRAM in line), told[-1])
    last = told[-1].rpartition(" ")[2]
    return f"{place.rpartition(_PROGRAM)[2] or place} ({last})"


@dataclass(frozen=True, slots=True)
class Memory:
    """Private memory in bytes of a process and of its children, at a time of the monotonic clock."""

    at: float
    own: int
    children: int

    @property
    def both(self) -> int:
        """All of it."""
        return self.own + self.children


def at_rest(memory: Sequence[Memory], rests: Sequence[tuple[float, float]]) -> list[Memory]:
    """What was in memory at the end of each rest."""
    found = []
    for began, ended in rests:
        seen = [one for one in memory if began <= one.at <= ended]
        if seen:
            found.append(seen[-1])
    return found


def growth(rested: Sequence[Memory]) -> tuple[float, float] | None:
    """Memory after the warm-up and at the end: medians of the second and of the last third of the rests.

    None where the rests are too few to tell one from the other.
    """
    if len(rested) < 6:
        return None
    third = len(rested) // 3
    parts = rested[third : 2 * third], rested[-third:]
    return statistics.median(one.own for one in parts[0]), statistics.median(one.own for one in parts[1])


def texts(random: Random) -> Iterator[str]:
    """Queries without end: bred ones, known ones, and now and then one that is cut off."""
    known = crossing.known_texts()
    while True:
        kind = random.random()
        text = random.choice(known) if kind < 0.4 else printer.print_query(crossing.bred(random))
        yield text[: random.randrange(1, len(text) + 1)] if kind > 0.95 else text


class Control:
    """A process that watches this one from outside; see `tests.soak.control`."""

    def __enter__(self) -> Control:
        self._file = tempfile.TemporaryFile("w+", encoding="ascii")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.soak.control", str(os.getpid())],
            cwd=helpers.ROOT,
            stdout=self._file,
            stdin=subprocess.DEVNULL,
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()
        self._file.close()

    def seen(self) -> tuple[Machine, list[Memory]]:
        """What the machine did, and what was in memory. Ends the process."""
        self._end()
        self._file.seek(0)
        pauses: list[tuple[float, float]] = []
        loads: list[Load] = []
        stolen: list[Stolen] = []
        memory: list[Memory] = []
        disk: list[float] = []
        awake = False
        for words in (line.split() for line in self._file.read().splitlines()):
            if words[0] == "awake":
                awake = True
            elif words[0] == "pause" and len(words) == 3:
                pauses.append((float(words[1]), float(words[2])))
            elif words[0] == "load" and len(words) == 4:
                loads.append(Load(float(words[1]), float(words[2]), float(words[3])))
            elif words[0] == "stolen" and len(words) > 2:
                shares = iter(map(float, words[2:]))
                stolen.append(Stolen(float(words[1]), tuple(zip(shares, shares, shares, strict=True))))
            elif words[0] == "disk" and len(words) == 2:
                disk.append(float(words[1]))
            elif words[0] == "memory" and len(words) == 4:
                memory.append(Memory(float(words[1]), int(words[2]), int(words[3])))
        return Machine(pauses, loads, stolen, disk, awake), memory

    def _end(self) -> None:
        if self._process.poll() is None:
            # What it is printing just now shall be whole.
            time.sleep(2 * control.PAUSE_SECONDS)
            self._process.kill()
            self._process.wait()

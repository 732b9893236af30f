"""What a soak run is made of: random texts, a lookout for stalls, and a process that watches from outside."""

from __future__ import annotations

import bisect
import collections
import itertools
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from types import CodeType, FrameType, TracebackType

from cqlgui.base import heap
from cqlgui.cql.printing import printer
from tests import helpers
from tests.helpers import crossing
from tests.tools.soak import control

if sys.platform != "win32":
    import resource

STALL_SECONDS = 0.05
_LOOK_SECONDS = 0.01
_MISSED_SECONDS = 0.005
"""While another thread than the loop's missed its processor for so long, the loop may have waited for it."""
_TOLD_SECONDS = 0.2
"""So late a host may tell what it kept."""
_LATE_SECONDS = 0.025
"""A tick that is later than this is looked into: when it is late enough to count, it may be over."""
_PROGRAM = f"{os.sep}cqlgui{os.sep}"
_FRAMES = 8
_BLOCK_BYTES = 80
"""What a block of Python's own takes in the middle: objects of up to 512 bytes, most of them small."""

Stack = tuple[tuple[CodeType, int], ...]
"""Where a thread stands: what it runs and how far it has come, in bytes, the innermost last. Told in words by
`lines`."""


@dataclass(frozen=True, slots=True)
class Load:
    """Seconds of processor time used until a time of the clock, by everybody and by this program, and those
    that the host says it kept."""

    at: float
    every: float
    own: float
    stolen: float = 0.0


@dataclass(frozen=True, slots=True)
class Kept:
    """A processor did nothing for anybody from `began` for `seconds`, however much there was to do: the host
    of a virtual machine kept it to itself, and then its guard looked who was to run there, which `whom` tells
    (`control.NOBODY` ...)."""

    processor: int
    began: float
    seconds: float
    whom: int


@dataclass(frozen=True, slots=True)
class Loop:
    """For how many seconds the loop's thread had waited for a processor until a time of the clock."""

    at: float
    queued: float


@dataclass(frozen=True, slots=True)
class Machine:
    """What the machine did meanwhile, each in order of time: its pauses (when, how many seconds), its load,
    which processors were kept, what it did with the loop's thread, and when that was seen waiting for the
    disk.

    `reloads` tells when another thread of the program waited for memory that had to be read from disk, and
    for how many seconds. `guards` is the number of processors of which it is told when they were kept;
    `awake` where none was let go to sleep.
    """

    pauses: Sequence[tuple[float, float]] = ()
    loads: Sequence[Load] = ()
    kept: Sequence[Kept] = ()
    loops: Sequence[Loop] = ()
    disk: Sequence[float] = ()
    reloads: Sequence[tuple[float, float]] = ()
    guards: int = 0
    awake: bool = False

    def loop(self, time: float) -> Loop:
        """What was known of the loop's thread at a time."""
        found = bisect.bisect_right(self.loops, time, key=lambda one: one.at) - 1
        return self.loops[found] if found >= 0 else Loop(time, 0.0)

    def load(self, time: float) -> Load:
        """What was known of the load at a time."""
        found = bisect.bisect_right(self.loads, time, key=lambda one: one.at) - 1
        return self.loads[found] if found >= 0 else Load(time, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Stall:
    """The event loop stood still from `began` for `seconds`, after `doing`.

    `worked` are the seconds in which the loop's thread ran, `stacks` where it stood each time it was looked
    at, `others` where the other threads stood, `faults` how often it came to memory whose content had to be
    read from disk first, `system` the seconds of `worked` that the system worked for it, in steps as the
    system counts them, and `pages` how often it came to memory that the system had to find for it.
    """

    began: float
    seconds: float
    worked: float
    doing: str
    stacks: tuple[Stack, ...]
    others: tuple[Stack, ...]
    faults: int = 0
    system: float = 0.0
    pages: int = 0

    def excused(self, machine: Machine) -> bool:
        """Whether nothing over the limit is left without what the machine did: where it stood still, where
        the loop's thread waited for a processor, as far as that was for other programs than this one, or
        where the processor was kept on which it was to run, or for long that of another thread of the
        program, for which it may have waited, or where what the system had dropped from memory was read
        again. What the loop worked itself is never excused, but for what is counted as its work while its
        processor did nothing (`_counted`), or none of them did (`still`).
        """
        shared = sum(self._within(began, seconds) for began, seconds in machine.pauses)
        others = self.queued(machine) * self._of_others(machine.loads)
        taken = max(shared, others, self._kept(machine.kept), self._reloading(machine.disk))
        # Work that does not fit into the rest of the time was none.
        worked = min(self.worked - self._counted(machine), self.seconds - self.still(machine))
        return self.seconds - min(taken, self.seconds - worked) < STALL_SECONDS

    def queued(self, machine: Machine) -> float:
        """For how long the loop's thread could have run and got no processor: the most that can be, as that
        is told every few milliseconds only."""
        after = machine.loop(self.began + self.seconds + 2 * control.TICK_SECONDS)
        return min(self.seconds - self.worked, after.queued - machine.loop(self.began).queued)

    def _within(self, began: float, seconds: float) -> float:
        """Which part of some seconds falls into this."""
        return max(0.0, min(self.began + self.seconds, began + seconds) - max(self.began, began))

    def during(self, kept: Sequence[Kept]) -> list[Kept]:
        """What was kept at least in part while the loop stood still."""
        return [one for one in kept if self._within(one.began, one.seconds)]

    def still(self, machine: Machine) -> float:
        """For how long none of several processors did anything, in stretches that are no chance: a host let
        nothing of its machine run then, and a thread to which that time is counted did not work. For a thread
        the kernel may keep one processor for long, but hardly all of them."""
        edges = [
            edge
            for one in self.during(machine.kept)
            for edge in (
                (max(self.began, one.began), 1),
                (min(self.began + self.seconds, one.began + one.seconds), -1),
            )
        ]
        total, kept, before = 0.0, 0, self.began
        for at, step in sorted(edges):
            if kept == machine.guards > 1 and at - before >= _MISSED_SECONDS:
                total += at - before
            kept, before = kept + step, at
        return total

    def _counted(self, machine: Machine) -> float:
        """For how long the loop's thread is said to have worked while its own processor did nothing. The
        kernel counts that as the thread's where the host tells too late what it kept, or where the thread
        waits in the kernel for the answer of a processor that was kept. Where the host says nothing of it,
        the kernel itself may have kept it, for the thread."""
        own = [one for one in machine.kept if one.whom == control.LOOP]
        end = self.began + self.seconds + _TOLD_SECONDS
        stolen = machine.load(end).stolen - machine.load(self.began).stolen
        left = self.worked - (self.seconds - self._kept(own))
        return max(0.0, min(left, stolen))

    def _kept(self, kept: Sequence[Kept]) -> float:
        """For how long processors were kept on which the loop's thread was to run, or for long another one of
        the program. Where it was nobody the loop may have stood there last, but it waited for something
        else."""
        return self._together(
            (one.began, one.seconds)
            for one in self.during(kept)
            if one.whom == control.LOOP or (one.whom == control.ANOTHER and one.seconds >= _MISSED_SECONDS)
        )

    def _together(self, times: Iterable[tuple[float, float]]) -> float:
        """For how long any of some times, each with its seconds, fell into this."""
        total, reached, end = 0.0, self.began, self.began + self.seconds
        # Two may be at the same time.
        for began, seconds in sorted(times):
            ended = min(end, began + seconds)
            total += max(0.0, ended - max(began, reached))
            reached = max(reached, ended)
        return total

    def _reloading(self, disk: Sequence[float]) -> float:
        """For how long the loop's thread was seen waiting for the disk, where that was for memory: no longer
        than a tick each time."""
        first = bisect.bisect_left(disk, self.began)
        seen = bisect.bisect_right(disk, self.began + self.seconds) - first
        return min(seen, self.faults) * control.TICK_SECONDS

    def reloaded(self, machine: Machine) -> float:
        """For how long any other thread waited for memory that had to be read from disk. The loop may have
        waited for the interpreter's lock meanwhile, as a thread keeps that then."""
        return self._together(machine.reloads)

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
                    doing,
                    tuple(one[1] for one in seen),
                    tuple(itertools.chain.from_iterable(one[2] for one in seen)),
                    spent[1] - self._before[1],
                    spent[2] - self._before[2],
                    spent[3] - self._before[3],
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


def _spent() -> tuple[float, int, float, int]:
    """What this thread has taken so far: `worked`, `faults`, `system` and `pages` of a stall, all but the
    first 0 where not told. Nothing here lets another thread have the interpreter's lock: the loop would wait
    for it, some hundred times a second."""
    if sys.platform != "linux":
        return time.thread_time(), 0, 0.0, 0
    usage = resource.getrusage(resource.RUSAGE_THREAD)
    return time.thread_time(), usage.ru_majflt, usage.ru_stime, usage.ru_minflt


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


def held() -> int:
    """Bytes that this process holds, about: what the C library has lent out, and Python's own small blocks,
    which it takes from elsewhere. What is free in the heap is no part of it, other than of private memory."""
    return heap.resident() - heap.unused() + _BLOCK_BYTES * sys.getallocatedblocks()


_FREE_IN_POOLS = re.compile(rb"(?:bytes in available blocks|unused pools \* \d+ bytes)\s*=\s*([\d,]+)")


def reserve() -> int:
    """Bytes that are free in the memory from which Python takes its small blocks, and that nobody can give
    back: it comes in arenas of 1 MB, and goes when the last block of an arena does. A result of a hundred
    thousand objects leaves some dozen of those half empty, which the next one fills again: as much as the
    largest result took, and no leak. 0 where Python does not tell."""
    tell = getattr(sys, "_debugmallocstats", None)
    if tell is None:
        return 0
    with tempfile.TemporaryFile() as file:
        errors = os.dup(2)
        try:
            # C code writes to this descriptor. What others write meanwhile is lost.
            os.dup2(file.fileno(), 2)
            tell()
        finally:
            os.dup2(errors, 2)
            os.close(errors)
        file.seek(0)
        return sum(int(number.replace(b",", b"")) for number in _FREE_IN_POOLS.findall(file.read()))


def growth(rested: Sequence[int]) -> tuple[float, float] | None:
    """Bytes after the warm-up and at the end: the middle of the second and of the last third of the rests.
    None where they are too few to tell one third from the other."""
    if len(rested) < 6:
        return None
    third = len(rested) // 3
    return statistics.median(rested[third : 2 * third]), statistics.median(rested[-third:])


def texts(random: Random) -> Iterator[str]:
    """Queries without end: bred ones, known ones, and now and then one that is cut off."""
    known = crossing.known_texts()
    while True:
        kind = random.random()
        text = random.choice(known) if kind < 0.4 else printer.print_query(crossing.bred(random))
        yield text[: random.randrange(1, len(text) + 1)] if kind > 0.95 else text


class Control:
    """A process that watches this one from outside; see `tests.tools.soak.control`."""

    def __enter__(self) -> Control:
        self._file = tempfile.TemporaryFile("w+", encoding="ascii")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.tools.soak.control", str(os.getpid())],
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
        said: dict[str, list[list[float]]] = collections.defaultdict(list)
        for what, *numbers in (line.split() for line in self._file.read().splitlines()):
            said[what].append([float(number) for number in numbers])
        machine = Machine(
            pauses=[(began, seconds) for began, seconds in said["pause"]],
            loads=[Load(*numbers) for numbers in said["load"]],
            # The guards do not wait for each other.
            kept=sorted(
                (Kept(int(one), began, seconds, int(whom)) for one, began, seconds, whom in said["kept"]),
                key=lambda kept: kept.began,
            ),
            loops=[Loop(*numbers) for numbers in said["loop"]],
            disk=[at for (at,) in said["disk"]],
            reloads=[(began, seconds) for began, seconds in said["reload"]],
            guards=int(said["guarded"][0][0]) if said["guarded"] else 0,
            awake="awake" in said,
        )
        return machine, [Memory(at, int(own), int(children)) for at, own, children in said["memory"]]

    def _end(self) -> None:
        if self._process.poll() is None:
            # What it is printing just now shall be whole.
            time.sleep(2 * control.PAUSE_SECONDS)
            self._process.kill()
            self._process.wait()

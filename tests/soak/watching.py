"""What a soak run is made of: random texts, memory, and a process that tells when the machine paused."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from types import TracebackType

from cqlgui.cql import printer
from tests.helpers import crossing, memory

PAUSE_SECONDS = 0.02
_CONTROL = """
import sys, time
last = time.monotonic()
while True:
    time.sleep(0.005)
    now = time.monotonic()
    if now - last > float(sys.argv[1]):
        print(last, now - last, flush=True)
    last = now
"""


@dataclass(frozen=True, slots=True)
class Stall:
    """The event loop stood still from `began` for `seconds`, after `doing`, with this stack."""

    began: float
    seconds: float
    doing: str
    stack: str

    def excused(self, pauses: Sequence[tuple[float, float]]) -> bool:
        """Whether the machine stood still then, and without that nothing over the limit is left."""
        end = self.began + self.seconds
        shared = sum(
            max(0.0, min(end, began + seconds) - max(self.began, began)) for began, seconds in pauses
        )
        return self.seconds - shared < 0.05


@dataclass(frozen=True, slots=True)
class Memory:
    """Private memory in bytes of this process and of its children, so many seconds into the run."""

    at: float
    own: int
    children: int


def now(at: float) -> Memory:
    """Private memory now; 0 where the system does not tell."""
    return Memory(at, memory.private(os.getpid()), memory.of_children(os.getpid()))


def texts(random: Random) -> Iterator[str]:
    """Queries without end: bred ones, known ones, and now and then one that is cut off."""
    known = crossing.known_texts()
    while True:
        kind = random.random()
        text = random.choice(known) if kind < 0.4 else printer.print_query(crossing.bred(random))
        yield text[: random.randrange(1, len(text) + 1)] if kind > 0.95 else text


class Control:
    """A process that does nothing but look at the clock: where it pauses, the machine had no time for it."""

    def __enter__(self) -> Control:
        self._file = tempfile.TemporaryFile("w+", encoding="ascii")
        self._process = subprocess.Popen(
            [sys.executable, "-c", _CONTROL, str(PAUSE_SECONDS)], stdout=self._file, stdin=subprocess.DEVNULL
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()
        self._file.close()

    def pauses(self) -> list[tuple[float, float]]:
        """All pauses until now: when on the monotonic clock, and how many seconds. Ends the process."""
        self._end()
        self._file.seek(0)
        pairs = (line.split() for line in self._file.read().splitlines())
        return [(float(pair[0]), float(pair[1])) for pair in pairs if len(pair) == 2]

    def _end(self) -> None:
        if self._process.poll() is None:
            # What it is printing just now shall be whole.
            time.sleep(2 * PAUSE_SECONDS)
            self._process.kill()
            self._process.wait()

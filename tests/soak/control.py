"""Watches another process from outside: `python -m tests.soak.control PROCESS`.

It needs next to no time itself. Where it pauses, the machine had no time for it; and as memory is looked at
here, the one who is watched does not stop for that. Prints a line at once: `pause START SECONDS` on the
monotonic clock, `memory TIME OWN CHILDREN` in bytes.
"""

from __future__ import annotations

import sys
import time

from tests.helpers import memory

PAUSE_SECONDS = 0.02
_TICK_SECONDS = 0.005
_MEMORY_SECONDS = 0.5


def main() -> None:
    """Watch until killed, or until nobody listens any more."""
    process = int(sys.argv[1])
    last = sampled = time.monotonic()
    while True:
        time.sleep(_TICK_SECONDS)
        now = time.monotonic()
        if now - last > PAUSE_SECONDS:
            print("pause", last, now - last, flush=True)
        if now - sampled > _MEMORY_SECONDS:
            sampled = now
            children = sum(map(memory.resident, memory.descendants(process)))
            print("memory", now, memory.resident(process), children, flush=True)
        # What was done here is no pause of the machine.
        last = time.monotonic()


if __name__ == "__main__":
    main()

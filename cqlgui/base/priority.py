"""Who gets the processor first: the window before the work behind it."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from typing import Final

_NICENESS: Final = 10
"""Enough to leave the main thread nearly all that it asks for; more would keep a thread that holds the
interpreter's lock from letting go of it where other programs are busy."""
SWITCH_SECONDS: Final = 0.0002
"""After how long a thread that wants the interpreter's lock gets it from another one (Python's own: 5 ms). A
repaint takes the lock some hundred times, so that each wait tells."""


def give_way() -> None:
    """Let the calling thread stand back behind the main thread, with all threads and processes that it starts
    from now on. Where the system knows no priority of single threads (all but Linux) nothing changes."""
    if sys.platform == "linux":
        thread = threading.get_native_id()
        with contextlib.suppress(OSError):
            # Whoever wakes up in a batch does not take the processor from one that runs; the main thread,
            # which wakes up whenever the interpreter's lock is free, does.
            os.sched_setscheduler(thread, os.SCHED_BATCH, os.sched_param(0))
        with contextlib.suppress(OSError):
            niceness = min(os.getpriority(os.PRIO_PROCESS, os.getpid()) + _NICENESS, 19)
            os.setpriority(os.PRIO_PROCESS, thread, niceness)


def switch_often() -> None:
    """Let threads pass the interpreter's lock on quickly, in this whole process."""
    sys.setswitchinterval(SWITCH_SECONDS)

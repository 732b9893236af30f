"""Who gets the processor first: the window before the work behind it."""

from __future__ import annotations

import _thread
import collections
import contextlib
import os
import sys
import threading
import time
from typing import Final

_NICENESS: Final = 10
"""Enough to leave the main thread nearly all that it asks for; more would keep a thread that holds the
interpreter's lock from letting go of it where other programs are busy."""
SWITCH_SECONDS: Final = 0.0002
"""After how long a thread that wants the interpreter's lock gets it from another one (Python's own: 5 ms). A
repaint takes the lock some hundred times, so that each wait tells."""
_HURRY_SECONDS: Final = 0.00002
"""The same while the window has something to do. Threads that do not `pause` just then keep it for that long
each time."""


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


_PATIENCE: Final = 0.03
"""Seconds that work waits at most each time: however busy the window is, it goes on."""
_GLANCE: Final = 0.01
"""Who waits sees by itself after so many seconds whether the window is still busy: whoever was let in first
may be in a long step, or have come to its end."""
_LONGEST: Final = 0.1
"""Seconds after which a gate that is still shut holds nobody back any more: the window is in a loop that is
not Qt's own, as that of some systems' file dialogs, and tells nobody when it waits."""
_holder = 0
"""The thread that has shut the gate; 0 while it is open."""
_since = 0.0
"""When it was shut."""
_usual = SWITCH_SECONDS
"""After how long threads got the interpreter's lock before that."""
_waiting: Final[collections.deque[_thread.LockType]] = collections.deque()
"""One lock for each thread that waits, held until it may go on."""


def hold() -> None:
    """The window has something to do: who calls `pause` waits until `let_go`. While a repaint runs, every
    call of Qt gives the interpreter's lock away for a moment, and whoever takes it then keeps the window
    waiting, some hundred times in a row."""
    global _holder, _since, _usual
    if not _holder:
        _since = time.monotonic()
        _holder = threading.get_ident()
        _usual = sys.getswitchinterval()
        sys.setswitchinterval(_HURRY_SECONDS)


def let_go() -> None:
    """The window waits for something to happen: the longest waiting goes on, and with each `pause` of anybody
    the next one. All at once would stand in a crowd before the interpreter's lock when the window wants it
    again."""
    global _holder
    if _holder == threading.get_ident():
        sys.setswitchinterval(_usual)
        _holder = 0
        _admit()


def _admit() -> None:
    # Whoever waits may have lost patience meanwhile.
    with contextlib.suppress(IndexError):
        _waiting.popleft().release()


def pause() -> None:
    """Let the window do what it is about. To be called by all work that may run beside it, between two steps
    that hold the interpreter's lock for no longer than some milliseconds, and where no lock is held that the
    window may want. Costs next to nothing where there is no window, or it has nothing to do."""
    if not _holder:
        if _waiting:
            _admit()
    elif _holder != threading.get_ident() and time.monotonic() <= _since + _LONGEST:
        _wait(time.monotonic() + _PATIENCE)


def _wait(end: float) -> None:
    place = _thread.allocate_lock()
    place.acquire()
    _waiting.append(place)
    # Looked at behind that, since `let_go` may have found nobody just before.
    while _holder and (left := end - time.monotonic()) > 0:
        if place.acquire(timeout=min(_GLANCE, left)):
            return
    # It may have been let in just now.
    with contextlib.suppress(ValueError):
        _waiting.remove(place)


def switch_often() -> None:
    """Let threads pass the interpreter's lock on quickly, in this whole process."""
    sys.setswitchinterval(SWITCH_SECONDS)

"""Gives the window priority over background work."""

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
"""This leaves nearly all processor time to the main thread. With a higher value, a thread that holds the
interpreter lock might not get the time to release it while other programs are busy."""
SWITCH_SECONDS: Final = 0.0002
"""The time after which a thread must pass on the interpreter lock to another thread that wants it (Python's
default: 5 ms). A repaint takes the lock hundreds of times, so each wait counts."""
_HURRY_SECONDS: Final = 0.00002
"""The same time while the window is busy. A thread that does not call `pause` keeps the lock for this long
each time."""


def give_way() -> None:
    """Lower the priority of the calling thread, and of all threads and processes that it starts later, below
    that of the main thread. Only Linux has priorities of single threads; elsewhere nothing changes."""
    if sys.platform == "linux":
        thread = threading.get_native_id()
        with contextlib.suppress(OSError):
            # A batch thread that wakes up does not interrupt a running thread. The main thread wakes up
            # whenever the interpreter lock is free, and it does interrupt.
            os.sched_setscheduler(thread, os.SCHED_BATCH, os.sched_param(0))
        with contextlib.suppress(OSError):
            niceness = min(os.getpriority(os.PRIO_PROCESS, os.getpid()) + _NICENESS, 19)
            os.setpriority(os.PRIO_PROCESS, thread, niceness)


_PATIENCE: Final = 0.03
"""The longest time in seconds that one call of `pause` waits, however busy the window is."""
_GLANCE: Final = 0.01
"""A waiting thread checks after this many seconds whether the window is still busy. The thread that was
admitted before, and should admit the next one, may be in a long step or have ended."""
_LONGEST: Final = 0.1
"""A hold that lasts longer than this many seconds no longer stops any thread. The window is then in an event
loop that is not Qt's own, as in some file dialogs. Such a loop does not report when it waits."""
_holder = 0
"""The thread that called `hold`; 0 if there is none."""
_since = 0.0
"""When `hold` was called."""
_usual = SWITCH_SECONDS
"""The switch interval before `hold` was called."""
_waiting: Final[collections.deque[_thread.LockType]] = collections.deque()
"""One lock for each waiting thread. Releasing the lock lets that thread continue."""


def hold() -> None:
    """Report that the window is busy: threads that call `pause` wait until `let_go`. During a repaint every
    call of Qt releases the interpreter lock for a moment. A thread that takes the lock in that moment makes
    the window wait. Without `hold` this would happen hundreds of times in a row."""
    global _holder, _since, _usual
    if not _holder:
        _since = time.monotonic()
        _holder = threading.get_ident()
        _usual = sys.getswitchinterval()
        sys.setswitchinterval(_HURRY_SECONDS)


def let_go() -> None:
    """Report that the window is idle: the thread that has waited longest continues. Each later call of
    `pause`, by any thread, lets the next waiting thread continue. If all threads continued at once, they
    would all compete for the interpreter lock when the window wants it again."""
    global _holder
    if _holder == threading.get_ident():
        sys.setswitchinterval(_usual)
        _holder = 0
        _admit()


def _admit() -> None:
    # The waiting thread may have given up in the meantime.
    with contextlib.suppress(IndexError):
        _waiting.popleft().release()


def pause() -> None:
    """Wait while the window is busy. Work that may run beside the window must call this between two steps
    that hold the interpreter lock for more than a moment. Each step may take a few milliseconds at most.
    Never call it while holding a lock that the window may want. It costs almost nothing if there is no window
    or the window is idle."""
    if not _holder:
        if _waiting:
            _admit()
    elif _holder != threading.get_ident() and time.monotonic() <= _since + _LONGEST:
        _wait(time.monotonic() + _PATIENCE)


def _wait(end: float) -> None:
    place = _thread.allocate_lock()
    place.acquire()
    _waiting.append(place)
    # The thread checks this after it has joined the queue, because `let_go` may have found the queue empty
    # just before.
    while _holder and (left := end - time.monotonic()) > 0:
        if place.acquire(timeout=min(_GLANCE, left)):
            return
    # The thread may have been admitted just now.
    with contextlib.suppress(ValueError):
        _waiting.remove(place)


def switch_often() -> None:
    """Make threads of this process pass on the interpreter lock quickly."""
    sys.setswitchinterval(SWITCH_SECONDS)

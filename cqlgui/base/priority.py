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
"""The niceness of a background thread is higher than the niceness of the process by this value. The value
leaves nearly all processor time to the main thread. With a higher value, a background thread might get no
processor time while other programs are busy, and could not release the interpreter lock."""
SWITCH_SECONDS: Final = 0.0002
"""A thread must pass on the interpreter lock after this many seconds if another thread has asked for the lock
(Python's default: 5 ms). A repaint takes the lock hundreds of times, so each wait for the lock must be
short."""
_HURRY_SECONDS: Final = 0.00002
"""This time replaces `SWITCH_SECONDS` while the window is busy. A thread that does not call `pause` keeps the
lock for this time whenever it gets the lock."""


def give_way() -> None:
    """Lower the priority of the calling thread below the priority of the main thread. Threads and processes
    that the calling thread starts later get the lower priority too. Only Linux has priorities of single
    threads. On other systems nothing changes."""
    if sys.platform == "linux":
        thread = threading.get_native_id()
        with contextlib.suppress(OSError):
            # A batch thread that wakes up does not interrupt a running thread. The main thread is no batch
            # thread: it wakes up when the interpreter lock becomes free, and interrupts the running thread.
            os.sched_setscheduler(thread, os.SCHED_BATCH, os.sched_param(0))
        with contextlib.suppress(OSError):
            niceness = min(os.getpriority(os.PRIO_PROCESS, os.getpid()) + _NICENESS, 19)
            os.setpriority(os.PRIO_PROCESS, thread, niceness)


_PATIENCE: Final = 0.03
"""The longest time in seconds that one call of `pause` waits, however busy the window is."""
_GLANCE: Final = 0.01
"""A waiting thread checks after this many seconds whether the window is still busy. Another thread should let
the waiting thread continue, but that other thread may be in a long step or may have ended."""
_LONGEST: Final = 0.1
"""If `hold` was called more than this many seconds ago, `pause` no longer waits. The window is probably in an
event loop that is not Qt's own, as in some file dialogs. That event loop does not call `let_go` when it is
idle."""
_holder = 0
"""The thread that called `hold`; 0 if the window is not busy."""
_since = 0.0
"""When `hold` was called."""
_usual = SWITCH_SECONDS
"""The switch interval before `hold` was called."""
_waiting: Final[collections.deque[_thread.LockType]] = collections.deque()
"""One lock for each waiting thread. Releasing the lock lets that thread continue."""


def hold() -> None:
    """Report that the window is busy: threads that call `pause` wait until `let_go` is called. During a
    repaint every call of a Qt function releases the interpreter lock for a moment. If another thread takes
    the lock in that moment, the window must wait. Without `hold` the window would have to wait hundreds of
    times in a row."""
    global _holder, _since, _usual
    if not _holder:
        _since = time.monotonic()
        _holder = threading.get_ident()
        _usual = sys.getswitchinterval()
        sys.setswitchinterval(_HURRY_SECONDS)


def let_go() -> None:
    """Report that the window is idle: the thread that has waited longest continues. Each later call of
    `pause`, by any thread, lets the next waiting thread continue. If all threads continued at once, the
    window would have to compete with all of them for the interpreter lock."""
    global _holder
    if _holder == threading.get_ident():
        sys.setswitchinterval(_usual)
        _holder = 0
        _admit()


def _admit() -> None:
    # The queue may be empty, because the last waiting thread may have given up in the meantime.
    with contextlib.suppress(IndexError):
        _waiting.popleft().release()


def pause() -> None:
    """Wait while the window is busy. Background work must call `pause` between two steps that hold the
    interpreter lock for more than a moment. Each step may take a few milliseconds at most. Never call `pause`
    while holding a lock that the window may need. `pause` costs almost nothing if there is no window or the
    window is idle."""
    if not _holder:
        if _waiting:
            _admit()
    elif _holder != threading.get_ident() and time.monotonic() <= _since + _LONGEST:
        _wait(time.monotonic() + _PATIENCE)


def _wait(end: float) -> None:
    place = _thread.allocate_lock()
    place.acquire()
    _waiting.append(place)
    # The thread checks `_holder` after it has joined the queue. Just before the thread joined, `let_go` may
    # have found the queue empty. In this case, no other thread would let this thread continue.
    while _holder and (left := end - time.monotonic()) > 0:
        if place.acquire(timeout=min(_GLANCE, left)):
            return
    # `_admit` may have taken the thread off the queue just now.
    with contextlib.suppress(ValueError):
        _waiting.remove(place)


def switch_often() -> None:
    """Make threads of this process pass on the interpreter lock quickly."""
    sys.setswitchinterval(SWITCH_SECONDS)

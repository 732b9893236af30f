"""Frees the parts of large results in steps, in a thread of its own.

Python frees a large container in a single step. For a dictionary with the details of a million hits, this
step takes more than a tenth of a second. No other thread can run Python code meanwhile, and the window stands
still.
"""

from __future__ import annotations

import logging
import queue
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any, Final, TypeAlias

import numpy as np

from cqlgui.base import heap, priority

_log = logging.getLogger(__name__)
_FEW: Final = 64
"""If a step would free fewer things than this, the thread need not be told."""
_UNIT: Final = 64 << 10
"""An array with this many bytes counts as one thing, because each page of memory takes time."""
_STEP: Final = 8 << 20
"""The number of bytes of an array that are freed in one step. The step takes at most a few milliseconds."""
_SLICE: Final = 256
"""The number of things in a list that are freed in one step."""
_GAMES: Final = 16
"""The number of entries of a dictionary that are freed in one step. An entry may be the details of a game
with hundreds of hits."""
_SECONDS: Final = 0.002
"""After this time of freeing, unused memory is given back to the system. In this time, less than a hundred
megabytes are freed. A single call for a gigabyte would take fifty milliseconds or more, and the window would
have to wait for memory during the call."""

_Queue: TypeAlias = "queue.SimpleQueue[list[Any] | None]"
_started: tuple[_Queue, threading.Thread] | None = None


def start() -> None:
    """Free large containers in a thread of its own from now on. Call this in the window's thread, whose
    priority the new thread gets. A thread with a lower priority could be interrupted for long while it holds
    the lock of the heap, and the window would wait for this lock."""
    global _started
    if _started is None:
        waiting: _Queue = queue.SimpleQueue()
        thread = threading.Thread(target=_free_all, args=(waiting,), daemon=True, name="discarding")
        _started = waiting, thread
        thread.start()


def stop() -> threading.Thread | None:
    """Free all containers at once from now on. Returns the thread, which ends when it has freed the
    containers that it was told before."""
    global _started
    if _started is None:
        return None
    (waiting, thread), _started = _started, None
    waiting.put(None)
    return thread


def is_on() -> bool:
    """Whether a thread frees large containers."""
    return _started is not None


def discard(things: list[Any]) -> None:
    """Empty a list of containers (lists, dictionaries and arrays), and free those containers that nobody else
    uses. After `start`, the thread frees large containers step by step. The containers must not hold Qt
    objects. The caller may not use the list any more."""
    started = _started
    if started is None or sum(map(_weight, things)) < _FEW:
        things.clear()
    else:
        started[0].put(things)


def _weight(thing: Any) -> int:
    """How many things are freed together with a container."""
    if isinstance(thing, np.ndarray) and thing.dtype != object:
        return thing.nbytes // _UNIT
    return len(thing)


def _free_all(waiting: _Queue) -> None:
    # A single thread frees everything. If two threads had references to the same container, neither of them
    # would be its only owner.
    since = time.thread_time()
    while (things := waiting.get()) is not None:
        while things:
            try:
                for _ in _steps(things):
                    priority.pause()
                    if time.thread_time() - since > _SECONDS:
                        heap.give_back()
                        since = time.thread_time()
            except Exception:
                # The container is freed at once. The thread must go on, or all later results would stay.
                _log.exception("A part of a result was not freed in steps.")


def _steps(things: list[Any]) -> Iterator[None]:
    """Free the containers in a list in short steps, the last container first. The list is empty at the end.
    Containers that others use are only taken off the list."""
    while things:
        thing = things.pop()
        if sys.getrefcount(thing) > _SOLE:
            continue
        if isinstance(thing, list):
            while thing:
                del thing[-_SLICE:]
                yield
        elif isinstance(thing, dict):
            while thing:
                for _ in range(min(len(thing), _GAMES)):
                    thing.popitem()
                yield
        elif isinstance(thing, np.ndarray) and not thing.flags.owndata:
            if isinstance(thing.base, np.ndarray):
                things.append(thing.base)
        elif isinstance(thing, np.ndarray) and thing.dtype == object:
            for begin in range(0, len(thing), _SLICE):
                thing[begin : begin + _SLICE] = None
                yield
        elif isinstance(thing, np.ndarray) and thing.ndim == 1:
            while thing.nbytes > _STEP:
                # The C library gives the end of the memory back, and nothing is copied. `refcheck` would
                # count the reference of this function.
                thing.resize((thing.nbytes - _STEP) // thing.itemsize, refcheck=False)
                yield
        del thing
        yield


def _references(things: list[Any]) -> int:
    thing = things.pop()
    return sys.getrefcount(thing)


_SOLE: Final = _references([[]])
"""The number of references in `_steps` to a container that nobody else uses. It depends on the version of
Python, because newer versions do not count all references of local variables."""

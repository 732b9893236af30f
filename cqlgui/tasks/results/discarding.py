"""Frees the parts of large results in steps, in a thread of its own.

Python frees a large container in a single step. For a dictionary with the details of a million hits, this
step takes more than a tenth of a second. No other thread can run Python code meanwhile, and the window stands
still.
"""

from __future__ import annotations

import _thread
import collections
import sys
from typing import Any, Final

import numpy as np

from cqlgui.base import heap, priority

_FEW: Final = 64
"""If a step would free fewer things than this, a separate thread is not worth its start."""
_UNIT: Final = 64 << 10
"""An array with this many bytes counts as one thing. Each page of memory takes time."""
_STEP: Final = 8 << 20
"""The number of bytes of an array that are freed in one step, which takes at most a few milliseconds."""
_SLICE: Final = 256
"""The number of things in a list that are freed in one step."""
_PORTION: Final = 32 << 20
"""After this many freed bytes, unused memory is given back to the system. A single call for a gigabyte would
take fifty milliseconds, and the window would have to wait for memory during the call."""

_queue: Final[collections.deque[list[Any]]] = collections.deque()
_at_work: Final = _thread.allocate_lock()
"""A single thread frees everything. If two threads had references to the same container, neither would be its
only owner."""


def discard(things: list[Any]) -> None:
    """Empty a list of containers (lists, dictionaries and arrays), and free those containers that nobody else
    uses. In the program with a window (`heap.is_shared`) a separate thread frees large containers step by
    step. In other programs all are freed at once. The containers must not hold Qt objects. The caller may
    not use the list any more."""
    if not heap.is_shared or sys.is_finalizing() or sum(map(_weight, things)) < _FEW:
        things.clear()
        return
    _queue.append(things)
    _work()


def _work() -> None:
    if _at_work.acquire(blocking=False):
        # `threading.Thread` is not used, because `Thread.start` waits until the new thread has had the
        # interpreter lock.
        _thread.start_new_thread(_free_all, ())


def _weight(thing: Any) -> int:
    """How many things are freed together with a container."""
    if isinstance(thing, np.ndarray) and thing.dtype != object:
        return thing.nbytes // _UNIT
    return len(thing)


def _free_all() -> None:
    priority.give_way()
    freed = 0
    try:
        while _queue:
            things = _queue.popleft()
            while things:
                freed += _free(things)
                priority.pause()
                if freed >= _PORTION:
                    heap.give_back()
                    freed = 0
    finally:
        _at_work.release()
    # Things may have come after the queue was seen to be empty, and before the lock was released.
    if _queue:
        _work()


def _free(things: list[Any]) -> int:
    """Free a part of the last container. Remove the container if it is free, or if others use it. Returns
    about how many bytes were freed."""
    thing = things.pop()
    # One reference is `thing`, the other one is the argument of the call.
    if sys.getrefcount(thing) > 2:
        return 0
    if isinstance(thing, np.ndarray):
        if not thing.flags.owndata:
            if isinstance(thing.base, np.ndarray):
                things.append(thing.base)
            return 0
        size = thing.nbytes
        if thing.dtype == object:
            _empty_cells(thing)
        elif size > _STEP and thing.ndim == 1:
            # The C library gives the end of the memory back, and nothing is copied. `refcheck` would count
            # the reference of this function.
            thing.resize((size - _STEP) // thing.itemsize, refcheck=False)
            things.append(thing)
            return _STEP
        return size
    if isinstance(thing, dict):
        # Each value may be the details of a game with hundreds of hits.
        while thing:
            thing.popitem()
            priority.pause()
    elif isinstance(thing, list) and thing:
        size = sys.getsizeof(thing[-1]) * min(len(thing), _SLICE)
        del thing[-_SLICE:]
        things.append(thing)
        return size
    return 0


def _empty_cells(array: np.ndarray[Any, Any]) -> None:
    """Drop the objects of an array."""
    for begin in range(0, len(array), _SLICE):
        array[begin : begin + _SLICE] = None
        priority.pause()

"""Memory that nobody uses any more goes back to the system."""

from __future__ import annotations

import _thread
import ctypes
import os
import sys
from pathlib import Path
from typing import Any, ClassVar

from cqlgui.base import priority

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
"""Options of the GNU library's `mallopt(3)`."""
_LARGE = 256 << 10
"""What takes so many bytes is no part of the heap: its memory goes back as soon as it is freed. The library
would raise this bound by itself until results of millions of hits lie in the heap."""


def share() -> None:
    """Let all threads take memory from one heap; to be called before there are other threads. The GNU C
    library gives each thread one of its own, and `give_back` cannot return the ends of these: after results
    of millions of hits they keep some hundred megabytes for ever. Work that allocates holds the interpreter's
    lock nearly always, so that threads do not wait for each other here."""
    if sys.platform == "linux":
        option = getattr(ctypes.CDLL(None), "mallopt", None)
        if option is not None:
            option(_ARENA_MAX, 1)
            option(_MMAP_THRESHOLD, _LARGE)
            option(_TRIM_THRESHOLD, _LARGE)


def give_back() -> None:
    """Let the C library return what was freed between other things; it would keep it for later, and after
    results of millions of hits that is a great deal. Takes some ten milliseconds, in which other threads wait
    where they want memory. Only where that library is the GNU one; others do it by themselves."""
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)


_FEW = 16
"""So many things go faster than a thread begins."""


def discard(things: list[Any] | dict[Any, Any]) -> None:
    """Empty a container whose things nobody else holds, one by one and in a thread of its own where they are
    many. What a large result came in, in hundreds of pieces, takes some ten milliseconds to free, with the
    interpreter's lock held all the time where it goes at once. No thing may be a Qt object."""
    if len(things) <= _FEW:
        things.clear()
    else:
        # `threading` would wait until the other thread has had the interpreter's lock.
        _thread.start_new_thread(_empty, (things,))


def _empty(things: list[Any] | dict[Any, Any]) -> None:
    priority.give_way()
    take = things.popitem if isinstance(things, dict) else things.pop
    while things:
        take()
        priority.pause()


class _Told(ctypes.Structure):
    """What `mallinfo2(3)` tells, in bytes but for the counts."""

    _fields_: ClassVar = [
        (name, ctypes.c_size_t)
        for name in (
            "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks",
            "keepcost",
        )
    ]  # fmt: skip


def unused() -> int:
    """Bytes of physical memory that this process has beyond what the C library has lent out: what is free in
    the heap and not yet given back, and what came from elsewhere, as the program itself. All memory of the
    process where that library does not tell, 0 where the system does not."""
    lent = 0
    if sys.platform == "linux":
        tell = getattr(ctypes.CDLL(None), "mallinfo2", None)
        if tell is not None:
            tell.restype = _Told
            told = tell()
            lent = told.uordblks + told.hblkhd
    return max(0, resident() - lent)


def resident() -> int:
    """Bytes of physical memory that this process has; 0 where the system does not tell."""
    try:
        with Path("/proc/self/statm").open("rb") as file:
            pages = int(file.read().split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")

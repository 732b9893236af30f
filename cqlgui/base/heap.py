"""Decides which freed memory the process keeps, and returns unused memory to the operating system."""

from __future__ import annotations

import ctypes
import functools
import os
import sys
from pathlib import Path
from typing import Any, ClassVar, Final

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
"""Options of the GNU library's `mallopt(3)`."""
_LARGE = 256 << 10
"""A block of this many bytes or more is allocated outside the heap. Its memory is returned to the system when
the block is freed. Without this setting glibc would raise this limit by itself. If the limit were higher,
even the large blocks of a result with millions of hits would be allocated in the heap."""


def share() -> None:
    """Make all threads allocate from one heap. Call this before other threads start. By default glibc gives
    each thread its own heap. `give_back` cannot return memory from the heap of a thread. After results with
    millions of hits, the heaps of the threads would keep hundreds of megabytes for ever. Code that allocates
    memory nearly always holds the interpreter lock, so threads do not wait for each other at the shared
    heap."""
    _set(_LARGE, _LARGE)


def _set(largest: int, kept: int) -> None:
    """Use one heap, for blocks below `largest` bytes. It keeps `kept` unused bytes at its end."""
    option = _function("mallopt")
    if option is not None:
        option(_ARENA_MAX, 1)
        option(_MMAP_THRESHOLD, largest)
        option(_TRIM_THRESHOLD, kept)


@functools.cache
def _function(name: str) -> Any:
    """A function of the GNU library; None if the C library of this system has no such function. The function
    is cached, because each `ctypes.CDLL` makes a new class, which only the cyclic garbage collector frees."""
    return getattr(ctypes.CDLL(None), name, None) if sys.platform == "linux" else None


_KEPT: Final = 256 << 20
_LARGEST: Final = 32 << 20
"""glibc accepts no higher limit for blocks in the heap."""


def keep() -> None:
    """Make all threads allocate from one heap that keeps what was freed, up to `_KEPT` bytes. Call this
    before other threads start, in a process that ends with its task. By default each thread has its own heap
    and returns memory early. New memory from the system costs more than many a computation in it: rows of
    a table took a third more time."""
    _set(_LARGEST, _KEPT)


def give_back() -> None:
    """Make glibc return freed memory to the system. Without this call glibc keeps freed memory for later use.
    After results with millions of hits, glibc would keep a lot of memory. The call takes about ten
    milliseconds. During the call, other threads wait when they allocate memory. Other C libraries return
    memory by themselves."""
    trim = _function("malloc_trim")
    if trim is not None:
        trim(0)


class _Told(ctypes.Structure):
    """The result of `mallinfo2(3)`. Every field is a number of bytes, except for the counts of blocks."""

    _fields_: ClassVar = [
        (name, ctypes.c_size_t)
        for name in (
            "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks",
            "keepcost",
        )
    ]  # fmt: skip


def unused() -> int:
    """The bytes of this process's physical memory that no allocation uses. These are the free parts of the
    heap that were not yet returned, and memory outside the heap, such as the program itself. If the C library
    has no `mallinfo2`, all physical memory of the process counts as unused. If the system does not report the
    process's memory, the result is 0."""
    lent = 0
    tell = _function("mallinfo2")
    if tell is not None:
        tell.restype = _Told
        told = tell()
        lent = told.uordblks + told.hblkhd
    return max(0, resident() - lent)


def resident() -> int:
    """The bytes of this process's physical memory; 0 if the system does not report this number."""
    try:
        with Path("/proc/self/statm").open("rb") as file:
            pages = int(file.read().split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")

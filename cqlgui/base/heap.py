"""Memory that nobody uses any more goes back to the system."""

from __future__ import annotations

import ctypes
import sys

_ARENA_MAX = -8
"""`M_ARENA_MAX` of the GNU library's `malloc.h`."""


def share() -> None:
    """Let all threads take memory from one heap; to be called before there are other threads. The GNU C
    library gives each thread one of its own, and `give_back` cannot return the ends of these: after results
    of millions of hits they keep some hundred megabytes for ever. Work that allocates holds the interpreter's
    lock nearly always, so that threads do not wait for each other here."""
    if sys.platform == "linux":
        option = getattr(ctypes.CDLL(None), "mallopt", None)
        if option is not None:
            option(_ARENA_MAX, 1)


def give_back() -> None:
    """Let the C library return what was freed between other things; it would keep it for later, and after
    results of millions of hits that is a great deal. Takes some ten milliseconds, in which other threads run.
    Only where that library is the GNU one; others do it by themselves."""
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)

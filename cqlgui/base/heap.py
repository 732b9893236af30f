"""Memory that nobody uses any more goes back to the system."""

from __future__ import annotations

import ctypes
import sys


def give_back() -> None:
    """Let the C library return what was freed between other things; it would keep it for later, and after
    results of millions of hits that is a great deal. Takes some ten milliseconds, in which other threads run.
    Only where that library is the GNU one; others do it by themselves."""
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)

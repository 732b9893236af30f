"""Arrays with a fence: kernels look at no bounds, so tests let them run as plain Python on arrays where it is
an error to read or write beyond the ends.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cqlgui.jit import kernels


class Fenced:
    """An array, or the rest of one; unlike Python's own sequences it has no elements before the first."""

    def __init__(self, view: memoryview, first: int = 0) -> None:
        self._view = view
        self._first = first

    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            assert place.stop is None
            assert place.step is None
            start = self._first + place.start
            if not self._first <= start <= len(self._view):
                raise IndexError(f"the rest from {place.start} on")
            return Fenced(self._view, start)
        return self._view[self._inside(place)]

    def __setitem__(self, place: int, value: int) -> None:
        # A value that does not fit into the element is refused by the view.
        self._view[self._inside(place)] = value

    def _inside(self, place: int) -> int:
        found = self._first + place
        if place < 0 or found >= len(self._view):
            raise IndexError(f"element {place} of {len(self._view) - self._first}")
        return found


def run(kernel: Any, *given: Any) -> Any:
    """Run a kernel as plain Python on arrays with fences. Raises `IndexError` beyond their ends."""
    return kernel.function(*map(_with_fence, given))


def _with_fence(given: object) -> object:
    if isinstance(given, kernels.Held):
        return Fenced(given.view)
    return Fenced(memoryview(given)) if isinstance(given, np.ndarray) else given  # type: ignore[arg-type]  # it is a buffer

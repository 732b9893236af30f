"""What NumPy does too slowly, or without letting other threads run."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

S = TypeVar("S", bound=np.generic)


def distinct(values: np.ndarray[tuple[int, ...], np.dtype[S]]) -> np.ndarray[tuple[int], np.dtype[S]]:
    """The distinct values of an array, ascending. From version 2.3 on `np.unique` puts numbers into a hash
    table, unless it is asked for more than the values: that takes five to fifty times as long as sorting
    them, with the interpreter's lock held for hundreds of milliseconds where there are a million."""
    ordered = np.sort(values, axis=None)
    new = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    return ordered[new]

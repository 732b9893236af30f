"""Replacements for NumPy functions that are too slow or hold the interpreter lock."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

S = TypeVar("S", bound=np.generic)


def distinct(values: np.ndarray[tuple[int, ...], np.dtype[S]]) -> np.ndarray[tuple[int], np.dtype[S]]:
    """The distinct values of an array, in ascending order. Since NumPy 2.3, plain `np.unique` puts numbers
    into a hash table. The hash table takes five to fifty times as long as sorting. For a million numbers,
    `np.unique` holds the interpreter lock for hundreds of milliseconds."""
    ordered = np.sort(values, axis=None)
    new = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    return ordered[new]

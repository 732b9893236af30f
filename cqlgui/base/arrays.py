"""Replacements for NumPy functions that are too slow or hold the interpreter lock."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Final, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

H = TypeVar("H", bound=Hashable)
S = TypeVar("S", bound=np.generic)
Integers: TypeAlias = "npt.NDArray[np.int64]"


def distinct(values: np.ndarray[tuple[int, ...], np.dtype[S]]) -> np.ndarray[tuple[int], np.dtype[S]]:
    """The distinct values of an array, in ascending order. Since NumPy 2.3, plain `np.unique` puts numbers
    into a hash table. The hash table takes five to fifty times as long as sorting. For a million numbers,
    `np.unique` holds the interpreter lock for hundreds of milliseconds."""
    ordered = np.sort(values, axis=None)
    new = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    return ordered[new]


def ranked(values: Integers) -> tuple[Integers, Integers]:
    """The distinct values of an array in ascending order, and for each element the index of its value. If the
    values lie close together, the values are not sorted. `np.unique` always sorts if it returns indices."""
    low, high = (int(values.min()), int(values.max())) if len(values) else (0, 0)
    if high - low >= _DENSE:
        found, places = np.unique(values, return_inverse=True)
        return found, places
    shifted = values - low
    met = np.zeros(high - low + 1, np.bool_)
    met[shifted] = True
    used = np.flatnonzero(met)[: len(values)]
    ranks = np.zeros(len(met), np.int64)
    ranks[used] = np.arange(len(used))
    return used + low, ranks[shifted]


def inverse(order: Integers) -> Integers:
    """The place of each number in `order`, which has the numbers from 0 to `len(order)` - 1 once each."""
    places = np.empty(len(order), np.int64)
    places[order] = np.arange(len(order))
    return places


def is_ascending(values: Integers) -> bool:
    """Whether each value is larger than the value before it."""
    return bool((values[1:] > values[:-1]).all())


def placed(ordered: Integers, wanted: Integers) -> Integers:
    """The indices that `numpy.searchsorted` returns for the values `wanted`. `ordered` is ascending and has
    no value twice. If `wanted` is a piece of `ordered`, which is the usual case, only its first value is
    looked for."""
    if len(wanted):
        begin = int(np.searchsorted(ordered, wanted[0]))
        end = begin + len(wanted)
        if np.array_equal(ordered[begin:end], wanted):
            return np.arange(begin, end)
    return np.searchsorted(ordered, wanted)


def repeated(values: npt.NDArray[S], counts: Integers) -> npt.NDArray[S]:
    """Repeat each value as often as `counts` says, like `numpy.repeat`. With millions of hits, a single call
    of `numpy.repeat` would block the window, because the call holds the interpreter lock."""
    ends = np.cumsum(counts)
    made = np.empty(int(ends[-1]) if len(ends) else 0, values.dtype)
    begin = filled = 0
    while begin < len(values):
        end = int(np.searchsorted(ends, filled + _REPEATED, "right"))
        end = max(begin + 1, min(end, begin + _REPEATED))
        some = np.repeat(values[begin:end], counts[begin:end])
        made[filled : filled + len(some)] = some
        begin, filled = end, filled + len(some)
    return made


def bounded(ends: Integers, chosen: Integers) -> tuple[Integers, Integers]:
    """The starts and the sizes of some ranges. The ranges follow each other from 0 on, and `ends` has the end
    of each range. `chosen` has the indices of the ranges. Only these entries of `ends` are read."""
    starts = np.where(chosen > 0, ends[chosen - 1], 0)
    return starts, ends[chosen] - starts


def stretched(starts: Integers, sizes: Integers) -> Integers:
    """For each n, the `sizes[n]` consecutive numbers from `starts[n]` on. The ranges follow each other in one
    array."""
    shifts = starts - np.cumsum(sizes) + sizes
    return np.arange(int(sizes.sum())) + repeated(shifts, sizes)


def runs(marks: npt.NDArray[np.bool_]) -> Iterator[tuple[int, int, bool]]:
    """The runs of equal values in an array: begin, end and value."""
    heads = [0, *(np.flatnonzero(np.diff(marks)) + 1).tolist(), len(marks)]
    for begin, end in itertools.pairwise(heads):
        if begin < end:
            yield begin, end, bool(marks[begin])


def numbered(values: Iterable[H]) -> tuple[Integers, list[H]]:
    """For each value, its index in the list of distinct values, and this list in the order of first
    occurrence."""
    numbers: dict[H, int] = {}
    codes = np.fromiter((numbers.setdefault(value, len(numbers)) for value in values), np.int64)
    return codes, list(numbers)


def first_rows(keys: Sequence[Integers], order: Integers) -> npt.NDArray[np.bool_]:
    """A mask of the rows whose keys do not occur in an earlier row. The columns in `keys` identify a row, and
    `order` says which row is earlier."""
    if any(is_ascending(key) for key in keys):
        return np.ones(len(order), np.bool_)
    ordered = np.lexsort((order, *keys))
    again = np.ones(len(order), np.bool_)
    again[:1] = False
    for key in keys:
        again[1:] &= key[ordered][1:] == key[ordered][:-1]
    mask = np.ones(len(order), np.bool_)
    mask[ordered[again]] = False
    return mask


_DENSE: Final = 1 << 18
"""`ranked` sorts if the values span at least this range."""
_REPEATED: Final = 1 << 17
"""The largest number of values that one call takes or returns. NumPy holds the interpreter lock during the
call, so a longer call would block the window."""

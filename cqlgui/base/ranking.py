"""Ranks of texts. Eight bytes of each text are compared at a time, as one number, so that NumPy can sort
millions of texts and other threads can run meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent import futures
from typing import Final

import numpy as np

_PART: Final = 1 << 20
"""Arrays with more numbers are worked on in parts."""


def ranks(texts: Sequence[str]) -> np.ndarray:
    """The ranks of texts in the order of their code points, from 0; equal texts share a rank. A text ends
    before eight NUL characters."""
    data = "".join(texts).encode("utf-8", "surrogatepass")
    ascii_only = len(data) == sum(map(len, texts))
    sizes = [len(text) if ascii_only else len(text.encode("utf-8", "surrogatepass")) for text in texts]
    ends = np.cumsum(sizes, dtype=np.int64)
    return of_keys(lambda offset: keys(data, ends, offset), 0)


def keys(data: bytes, ends: np.ndarray, offset: int) -> np.ndarray:
    """The eight bytes of each text from byte `offset` on as one number, so that the numbers have the order of
    the bytes. Text n ends before the byte `ends[n]` of `data`. Bytes behind the end count as 0, like a NUL in
    a text."""
    # A number at each byte.
    words = np.ndarray(len(data) + 1, ">u8", data + bytes(8), strides=(1,))
    begins = np.concatenate([[0], ends[:-1]]) + offset if len(ends) else ends
    left = ends - begins
    if int(left.min(initial=8)) >= 8:
        # All texts go on for eight bytes, as the addresses of games do.
        whole: np.ndarray = words[begins].astype(np.uint64)
        return whole
    left = np.clip(left, 0, 8)
    made = words[np.minimum(begins, len(data))].astype(np.uint64)
    shifts = (8 * (8 - left)).astype(np.uint64)
    # A shift by all 64 bits is not defined.
    found: np.ndarray = np.where(left > 0, made >> np.minimum(shifts, 63) << np.minimum(shifts, 63), 0)
    return found


def of_keys(keys: Callable[[int], np.ndarray], offset: int) -> np.ndarray:
    """The ranks of texts, from 0; equal texts share a rank. `keys` makes an array with eight bytes of each
    text, from a byte on, as a number. All texts are alike in the first `offset` bytes."""
    numbers = keys(offset)
    # The first bytes of a text and its place share a number, because numbers are sorted more than twice as
    # fast as places by numbers, and in less memory. The other bytes of the eight are kept apart.
    place_bits = len(numbers).bit_length()
    room = 8 * -(-place_bits // 8)
    shift = np.uint64(room)
    others = np.empty(len(numbers), np.uint32)
    # Part by part, because ten million numbers take 80 MB.
    for begin in range(0, len(numbers), _PART):
        part = numbers[begin : begin + _PART]
        others[begin : begin + _PART] = part & np.uint64((1 << room) - 1)
        part[:] = part >> shift << shift | np.arange(begin, begin + len(part), dtype=np.uint64)
    _sort(numbers)
    new, alive = np.ones(len(numbers), np.bool_), np.ones(len(numbers), np.bool_)
    for begin in range(1, len(numbers), _PART):
        ordered = numbers[begin - 1 : begin + _PART] >> shift
        new[begin : begin + _PART] = ordered[1:] != ordered[:-1]
        alive[begin : begin + _PART] = ordered[1:] != 0
    numbers &= np.uint64((1 << place_bits) - 1)
    order = numbers.view(np.int64)
    # Neighbours with equal first bytes are compared by the others. A text with no byte but 0 in all eight has
    # ended.
    places = _tied(~new)
    alive[places] |= _order_ties(order, new, places, others) != 0
    # Neighbours that are still equal are compared by their next bytes, unless both have ended.
    while len(places := _tied(~new & alive)):
        offset += 8
        following = _order_ties(order, new, places, keys(offset))
        alive[:] = False
        alive[places] = following != 0
    ranks = np.empty(len(order), np.uint32)
    ranks[order] = np.cumsum(new, dtype=np.uint32) - np.uint32(1)
    return ranks


def _tied(equal: np.ndarray) -> np.ndarray:
    """The places of `equal` (equal to the place before) and the places before them, ascending."""
    equal[:-1] |= equal[1:]
    return np.flatnonzero(equal)


def _order_ties(order: np.ndarray, new: np.ndarray, places: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """Order the texts at `places`, which are equal so far, by more of their bytes (`keys`, for all texts).
    `new` says for each place whether its text differs from the text before. Returns the bytes in the new
    order."""
    tied = order[places]
    following: np.ndarray = keys[tied]
    inner = np.lexsort((following, np.cumsum(new[places])))
    order[places], following = tied[inner], following[inner]
    new[places[1:]] |= following[1:] != following[:-1]
    return following


def _sort(numbers: np.ndarray) -> None:
    """Sort numbers in place. Many numbers are sorted in two threads."""
    middle = len(numbers) // 2
    if middle < _PART:
        numbers.sort()
        return
    numbers.partition(middle)
    with futures.ThreadPoolExecutor(1) as thread:
        upper = thread.submit(numbers[middle:].sort)
        numbers[:middle].sort()
        upper.result()

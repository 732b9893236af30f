"""Finds equal texts among many games, so that each distinct text is made into a string only once.

Names and dates occur in many games. A kernel (compiled to machine code) looks these texts up by their bytes,
and Python handles only the new texts. The meaning of the texts does not matter.
"""

from __future__ import annotations

import itertools
import secrets
import types
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from cqlgui.jit import kernels, words
from cqlgui.jit.words import Bytes, Halves, Ints

UNIT = kernels.Unit("pgn-interning")

MOST: Final = 1 << 17
"""The largest number of texts that are known at a time."""
_SLOTS: Final = 1 << 18
_ROOM: Final = 1 << 20


class Interner:
    """Looks up texts by their bytes. Only one thread at a time may use an `Interner`."""

    def __init__(self) -> None:
        # The type is `Any`, because the type checker does not accept NumPy arrays as the kernel's sequences
        # of integers.
        self._arena: Any = np.empty(_ROOM, np.uint8)
        self._slots: Any = np.zeros(_SLOTS, np.uint32)
        self._ends: Any = np.zeros(MOST + 1, np.int64)
        self._notes: Any = np.zeros(2, np.int64)
        self._texts: list[str | None] = [None]
        # The seed is secret, so that nobody can write a file whose names all have the same hash.
        self._seed = secrets.randbits(62)

    def places(
        self,
        data: bytes,
        starts: np.ndarray,
        lengths: np.ndarray,
        instead: Mapping[int, bytes] = types.MappingProxyType({}),
    ) -> tuple[list[str | None], np.ndarray]:
        """A list of texts, and for each range of `data` the place of its text in that list. `instead` maps
        the index of a range to other bytes, which are looked up instead of the range.

        A length below 0 means a missing text. A missing text has place 0, and entry 0 of the list is None.
        The list may grow later; its entries do not change. There may be at most `MOST` / 2 ranges. Bytes that
        are not UTF-8 become replacement characters.
        """
        if self._notes[0] + len(starts) + len(instead) > MOST:
            self._begin_anew()
        found = self._find(data, starts, lengths)
        if instead:
            sizes = np.array([len(text) for text in instead.values()])
            others = self._find(b"".join(instead.values()), np.cumsum(sizes) - sizes, sizes)
            found[list(instead)] = others
        return self._texts, found

    def _find(self, data: bytes, starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
        used = int(self._notes[1])
        room = used + int(np.maximum(lengths, 0).sum())
        if room > len(self._arena):
            larger = np.empty(2 * room, np.uint8)
            larger[:used] = self._arena[:used]
            self._arena = larger
        given: Any = np.frombuffer(data, np.uint8)
        begins: Any = np.ascontiguousarray(starts, np.int64)
        sizes: Any = np.ascontiguousarray(lengths, np.int64)
        found: Any = np.empty(len(starts), np.int64)
        known = int(self._notes[0])
        find_places(
            given, begins, sizes, len(starts), self._seed, self._slots, _SLOTS - 1, self._arena, self._ends,
            self._notes, found,
        )  # fmt: skip
        ends = (self._ends[known : int(self._notes[0]) + 1] - used).tolist()
        new = self._arena[used : used + ends[-1]].tobytes()
        self._texts += [new[start:end].decode("utf-8", "replace") for start, end in itertools.pairwise(ends)]
        places: np.ndarray = found
        return places

    def _begin_anew(self) -> None:
        self._slots.fill(0)
        self._notes.fill(0)
        # A new list is made, because callers may still use the old list.
        self._texts = [None]


@UNIT.kernel
def find_places(
    data: Bytes,
    starts: Ints,
    lengths: Ints,
    count: int,
    seed: int,
    slots: Halves,
    mask: int,
    arena: Bytes,
    ends: Ints,
    notes: Ints,
    places: Ints,
) -> int:
    """Look up `count` ranges of `data`, and add the new texts. Returns the number of texts known.

    Text n (from 1) is in `arena` from `ends[n - 1]` to `ends[n]`. `notes` has the number of texts and the end
    of the last text. A slot of the hash table holds the number of a text, or 0 if the slot is free. There are
    more slots (`mask` + 1) than texts. `arena` and `ends` have room for all texts that may be new.
    """
    known = int(notes[0])
    used = int(notes[1])
    for one in range(count):
        start = int(starts[one])
        length = int(lengths[one])
        place = 0
        if length >= 0:
            key = words.word(seed) + words.word(length)
            for index in range(length):
                key = words.word((key ^ data[start + index]) * 0x100000001B3)
            slot = int((key ^ (key >> 29)) & words.word(mask))
            while place == 0:
                other = int(slots[slot])
                if other == 0:
                    for index in range(length):
                        arena[used + index] = data[start + index]
                    used += length
                    known += 1
                    ends[known] = used
                    slots[slot] = known
                    place = known
                else:
                    begin = int(ends[other - 1])
                    if ends[other] - begin == length:
                        same = 0
                        while same < length and arena[begin + same] == data[start + same]:
                            same += 1
                        if same == length:
                            place = other
                    slot = (slot + 1) & mask
        places[one] = place
    notes[0] = known
    notes[1] = used
    return known

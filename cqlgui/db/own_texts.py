"""The texts of a block of games that hardly occur twice, such as the addresses of games on a server.

Such texts have no table of their names, because looking up and sorting in millions of texts would take most
of the time of an import. The texts of a column stand together in one row of the table `own`. The beginning
that all of them share stands there once, because it is most of an address. The numbers of these texts begin
with `FIRST`, above the numbers of all tables of names. A number has the row in its upper bits and the place
in the row in its lower bits. No row ever has the id of an earlier row, and rows never change, so a number
always stands for the same text."""

from __future__ import annotations

import collections
import itertools
import sqlite3
import threading
import zlib
from collections.abc import Collection, Iterator, Sequence
from typing import Final

import numpy as np

from cqlgui.base import arrays, folding, ranking
from cqlgui.base.data import dataclass

FIRST: Final = 1 << 31
"""The numbers from here on are those of own texts."""
_PLACE_BITS: Final = 16
MOST: Final = 1 << _PLACE_BITS
"""The largest number of texts in a row."""
LEAST: Final = 500
"""The texts of a smaller block are not worth a row."""
_ZERO: Final = ord("0")
_LONGEST: Final = 31
"""Numbers of more digits are compared like texts. Bytes up to this one stand before all printed signs."""
_MOST_BYTES: Final = 16 << 20
"""The rows that are kept in memory have at most this many bytes."""


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of one row, in UTF-8. All texts begin with `common`. The rests of the texts stand in `data`,
    one after another. The rest of text n ends before the byte `ends[n]`."""

    common: bytes
    data: bytes
    ends: np.ndarray

    def __len__(self) -> int:
        return len(self.ends)

    def at(self, places: Sequence[int]) -> list[str]:
        """The texts at some places."""
        wanted = np.array(places, np.int64)
        begins = np.where(wanted > 0, self.ends[wanted - 1], 0).tolist()
        return [
            (self.common + self.data[begin:end]).decode("utf-8")
            for begin, end in zip(begins, self.ends[wanted].tolist(), strict=True)
        ]

    def containing(self, text: str, *, first: bool = False) -> np.ndarray:
        """For each text, whether it contains `text`, or with `first` begins with it. Case is ignored (see
        `base.folding`)."""
        wanted = folding.fold(text).encode("utf-8")
        common = self.common.lower()
        if common.startswith(wanted) if first else wanted in common:
            return np.ones(len(self), np.bool_)
        found = np.zeros(len(self), np.bool_)
        if not first:
            # A text may also begin in the last bytes of the common beginning.
            spelled = self._spelled(min(len(wanted) - 1, len(common)))
            found[spelled._places(wanted)] = True
        elif wanted.startswith(common):
            found[self._places(wanted[len(common) :], first=True)] = True
        others = np.arange(len(self))
        if common.isascii():
            foreign = np.flatnonzero(np.frombuffer(self.data, np.uint8) >= 128)
            others = arrays.distinct(np.searchsorted(self.ends, foreign, side="right"))
        if len(others):
            folded = folding.Folded.of(self.at(others.tolist()))
            found[others[folded.containing(text, first=first)]] = True
        return found

    def _places(self, wanted: bytes, *, first: bool = False) -> np.ndarray:
        """The places of the rests that contain some bytes, or with `first` begin with them. The case of ASCII
        letters is ignored."""
        letters = np.frombuffer(self.data.lower(), np.uint8)
        at = np.arange(max(len(letters) - len(wanted) + 1, 0))
        if first:
            begins = np.concatenate([[0], self.ends[:-1]])
            at = begins[begins < len(at)]
        for shift, letter in enumerate(wanted):
            at = at[letters[at + shift] == letter]
        places = np.searchsorted(self.ends, at, side="right")
        # The bytes may also stand across the end of a text.
        found: np.ndarray = places[at + len(wanted) <= self.ends[places]]
        return found

    def made_of(self, signs: bytes) -> np.ndarray:
        """For each text, whether it has no other signs than these ASCII signs."""
        if self.common.strip(signs):
            return np.zeros(len(self), np.bool_)
        is_other = np.ones(256, np.bool_)
        is_other[list(signs)] = False
        before = np.concatenate([[0], np.cumsum(is_other[np.frombuffer(self.data, np.uint8)])])
        found: np.ndarray = before[self.ends] == before[np.concatenate([[0], self.ends[:-1]])]
        return found

    def natural(self) -> Texts:
        """The texts with other bytes, whose order is the natural one: "9" comes before "10". A number loses
        its leading zeros, and a byte before it says how many digits are left."""
        # A number may begin in the common beginning and go on behind it.
        common = self.common.rstrip(b"0123456789")
        spelled = self._spelled(len(self.common) - len(common))
        head, _ = _natural(common, np.array([len(common)]))
        return Texts(head, *_natural(spelled.data, spelled.ends))

    def keys(self, offset: int, *, folded: bool) -> np.ndarray:
        """The eight bytes of each text from byte `offset` on as one number, so that numbers have the order of
        the bytes. Bytes behind the end count as 0, like a NUL in a text. With `folded`, the case of ASCII
        letters is ignored."""
        spelled = self._spelled(max(len(self.common) - offset, 0))
        data = spelled.data.lower() if folded else spelled.data
        return ranking.keys(data, spelled.ends, max(offset - len(self.common), 0))

    def _spelled(self, count: int) -> Texts:
        """The same texts, with the last `count` bytes of the common beginning in each rest."""
        if not count:
            return self
        middle = len(self.common) - count
        ends = self.ends + count * np.arange(1, len(self) + 1)
        begins = np.concatenate([[0], ends[:-1]])
        made = np.empty(len(self.data) + count * len(self), np.uint8)
        is_rest = np.ones(len(made), np.bool_)
        for place, letter in enumerate(self.common[middle:]):
            made[begins + place] = letter
            is_rest[begins + place] = False
        made[is_rest] = np.frombuffer(self.data, np.uint8)
        return Texts(self.common[:middle], made.tobytes(), ends)


def _natural(data: bytes, ends: np.ndarray) -> tuple[bytes, np.ndarray]:
    """Texts with other bytes (`Texts.natural`), and their ends."""
    letters = np.frombuffer(data, np.uint8)
    digits = (letters >= _ZERO) & (letters < _ZERO + 10)
    if not digits.any():
        return data, ends
    edges = np.zeros(len(letters) + 1, np.bool_)
    edges[0] = edges[ends] = True
    starts, lasts = digits.copy(), digits.copy()
    starts[1:] &= ~digits[:-1] | edges[1:-1]
    lasts[:-1] &= ~digits[1:] | edges[1:-1]
    numbers = np.cumsum(starts) - 1
    # The zeros before the first other digit of a number are left out. A last zero stays.
    others = digits & (letters != _ZERO)
    seen = np.cumsum(others)
    before = (seen - others)[starts]
    left = lasts.copy()
    left[digits] |= seen[digits] > before[numbers[digits]]
    heads = left.copy()
    heads[1:] &= ~left[:-1] | starts[1:]
    lengths = np.minimum(np.bincount(numbers[left], minlength=int(numbers[-1]) + 1), _LONGEST)
    kept = ~digits | left
    places = np.concatenate([[0], np.cumsum(kept.astype(np.int64) + heads)])
    made = np.empty(int(places[-1]), np.uint8)
    made[places[1:][kept] - 1] = letters[kept]
    made[places[1:][heads] - 2] = lengths
    return made.tobytes(), places[ends]


class OwnTexts:
    """Reads rows of the table `own` and keeps those that were used last; safe for several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: collections.OrderedDict[int, Texts] = collections.OrderedDict()
        self._bytes = 0

    def row(self, connection: sqlite3.Connection, number: int) -> Texts:
        """A row; raises `sqlite3.DatabaseError` if it is missing or altered."""
        with self._lock:
            known = self._known.get(number)
            if known is not None:
                self._known.move_to_end(number)
                return known
        found = read(connection, number)
        with self._lock:
            if number not in self._known:
                self._known[number] = found
                self._bytes += _size(found)
            while self._bytes > _MOST_BYTES and len(self._known) > 1:
                self._bytes -= _size(self._known.popitem(last=False)[1])
        return found

    def named(self, connection: sqlite3.Connection, numbers: Sequence[int]) -> dict[int, str]:
        """The texts with these numbers, by number."""
        wanted = arrays.distinct(np.array(numbers, np.int64))
        found: dict[int, str] = {}
        for row, some in rows_of(wanted):
            texts = self.row(connection, row)
            places = places_of(some)
            if int(places.max()) >= len(texts):
                raise sqlite3.DatabaseError("malformed table own: a text is missing")
            found.update(zip(some.tolist(), texts.at(places.tolist()), strict=True))
        return found


def _size(texts: Texts) -> int:
    return len(texts.common) + len(texts.data) + texts.ends.nbytes


def rows_of(numbers: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """The ids of the rows that hold some texts, each with the numbers of its texts. The numbers of a row must
    follow each other in `numbers`."""
    rows = numbers - FIRST >> _PLACE_BITS
    cuts = np.flatnonzero(np.diff(rows)) + 1
    for some in np.split(numbers, cuts):
        if len(some):
            yield int(some[0]) - FIRST >> _PLACE_BITS, some


def places_of(numbers: np.ndarray) -> np.ndarray:
    """The places of texts in their rows."""
    return numbers - FIRST & MOST - 1


def add(connection: sqlite3.Connection, block: int, texts: Sequence[str]) -> np.ndarray:
    """Add a row with the texts of a block; returns the numbers of the texts. There are at most `MOST`."""
    encoded = [text.encode("utf-8") for text in texts]
    common = common_beginning(encoded)
    prefix = len(common)
    rests = [text[prefix:] for text in encoded]
    ends = np.cumsum([len(rest) for rest in rests], dtype=np.int64)
    data = common + b"".join(rests)
    packed = ends.astype("<u4").tobytes()
    row = connection.execute(
        "insert into own(block_id, checksum, prefix, ends, texts) values (?, 0, 0, '', '')", (block,)
    )
    number = int(row.lastrowid or 0)
    connection.execute(
        "update own set checksum = ?, prefix = ?, ends = ?, texts = ? where id = ?",
        (_checksum(number, prefix, packed, data), prefix, packed, data, number),
    )
    return FIRST + (number << _PLACE_BITS) + np.arange(len(texts))


def read(connection: sqlite3.Connection, number: int) -> Texts:
    """A row of the table `own`, compared with its checksum. Raises `sqlite3.DatabaseError`."""
    row = connection.execute(
        "select checksum, prefix, ends, texts from own where id = ?", (number,)
    ).fetchone()
    if row is None:
        raise sqlite3.DatabaseError(f"malformed table own: there is no row {number}")
    check, prefix, ends, data = row
    if not (isinstance(ends, bytes) and isinstance(data, bytes) and isinstance(prefix, int)):
        raise sqlite3.DatabaseError("malformed table own")
    if check != _checksum(number, prefix, ends, data):
        raise sqlite3.DatabaseError("malformed table own: its checksum is wrong")
    return Texts(data[:prefix], data[prefix:], np.frombuffer(ends, "<u4").astype(np.int64))


def natural(texts: Sequence[str]) -> list[bytes]:
    """The bytes of some texts in their natural order (`Texts.natural`)."""
    encoded = [text.encode("utf-8") for text in texts]
    ends = np.cumsum([len(text) for text in encoded], dtype=np.int64)
    data, ends = _natural(b"".join(encoded), ends)
    starts = np.concatenate([[0], ends]).tolist()
    return [data[begin:end] for begin, end in itertools.pairwise(starts)]


def common_beginning(texts: Collection[bytes]) -> bytes:
    """The bytes with which all texts begin; there is at least one text."""
    first, last = min(texts), max(texts)
    differing = (place for place, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1])
    return first[: next(differing, len(first))]


def verify(connection: sqlite3.Connection, block: int) -> None:
    """Compare the rows of a block with their checksums. Raises `sqlite3.DatabaseError` for damage."""
    for (number,) in connection.execute("select id from own where block_id = ?", (block,)).fetchall():
        read(connection, number)


def _checksum(number: int, prefix: int, ends: bytes, data: bytes) -> int:
    return zlib.crc32(data, zlib.crc32(ends, zlib.crc32(f"{number} {prefix}".encode("ascii"))))

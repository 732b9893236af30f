"""Writes rows of JSON and CSV from columns of numbers, and keeps texts that stand in many rows. The module is
compiled to machine code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from cqlgui.base.data import dataclass
from cqlgui.engine.kernels import fens
from cqlgui.jit import kernels, words
from cqlgui.jit.words import Bytes, Ints, Word

UNIT: Final = kernels.Unit("rows", [fens])

NUMBER: Final = 0
TEXT: Final = 1
SQUARES: Final = 2
MATCHES: Final = 3
LISTED: Final = 4
LISTED_TOO: Final = 5
SET: Final = 6
"""Kinds of columns. `NUMBER`: the number itself. `TEXT`: the text with this number. `LISTED`, `LISTED_TOO`:
the text with this number in the first or the second of `listed` (see `rows`). `SQUARES`: a set of squares, as
the names of the squares in quotes, separated by commas. `SET`: a set of squares, as a text in the form of
`values.set_text` in quotes. `MATCHES`: the index of a hit, as the texts of the hit's matches, each followed
by the number of the position and `}`."""
_KINDS: Final = frozenset((NUMBER, TEXT, SQUARES, MATCHES, LISTED, LISTED_TOO, SET))

_ROOM: Final = 1 << 20
_ROOM_OF_ALL: Final = 1 << 23
"""Number of bytes in a piece of rows, and in a piece of rows that are joined. Memory that is not used costs
nothing."""


@dataclass(frozen=True, slots=True)
class Texts:
    """Texts in UTF-8, one after another in the bytes `data`. Text n ends at `ends[n]`."""

    data: Any
    ends: Any

    @classmethod
    def of(cls, texts: Sequence[str], errors: str = "surrogatepass") -> Texts:
        """Some texts in UTF-8. `errors` is that of `str.encode`. All texts are encoded at once, because that
        is several times faster."""
        data = "".join(texts).encode("utf-8", errors)
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        if len(data) != lengths.sum():
            sizes = (len(text.encode("utf-8", errors)) for text in texts)
            lengths = np.fromiter(sizes, np.int64, len(texts))
        return cls(data, np.cumsum(lengths))


class Pool:
    """Texts that are numbered from 0 on, in the order in which they were added."""

    def __init__(self) -> None:
        self._data: Any = np.empty(1 << 16, np.uint8)
        self._ends: Any = np.empty(1 << 10, np.int64)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def size(self) -> int:
        """The number of bytes of all texts."""
        return int(self._ends[self._count - 1]) if self._count else 0

    def add(self, texts: Sequence[str]) -> int:
        """Add texts in UTF-8. A lone surrogate, which UTF-8 lacks, becomes an escape. Returns the number of
        the first text."""
        first, begin, added = self._count, self.size, Texts.of(texts, errors="backslashreplace")
        size = len(added.data)
        self._grow(len(texts), size)
        self._data[begin : begin + size] = np.frombuffer(added.data, np.uint8)
        self._ends[first : first + len(texts)] = begin + added.ends
        self._count += len(texts)
        return first

    def add_quoted(self, text: bytes, ends: Any) -> int:
        """Add texts in UTF-8 as texts of JSON, in quotes. Text n ends at `ends[n]`. Returns the number of the
        first text."""
        first, begin, count = self._count, self.size, len(ends)
        # An escape takes six bytes at most.
        self._grow(count, 6 * len(text) + 2 * count)
        write: Any = write_quoted
        write(_bytes(text), ends, count, self._data, begin, self._ends[first:])
        self._count += count
        return first

    def add_json(self, data: Any, starts: Any, ends: Any) -> None:
        """Add objects in JSON, which are at `starts` to `ends` in the bytes `data`, without the blanks
        between their parts. An empty text becomes an empty object."""
        begin = self.size
        self._grow(len(starts), int((ends - starts).sum()) + 2 * len(starts))
        write: Any = write_compact
        write(_bytes(data), starts, ends, len(starts), self._data, begin, self._ends[self._count :])
        self._count += len(starts)

    def _grow(self, texts: int, size: int) -> None:
        """Make room for more texts. New memory that is not used costs nothing."""
        if self._count + texts > len(self._ends):
            ends = np.empty(2 * self._count + texts, np.int64)
            ends[: self._count] = self._ends[: self._count]
            self._ends = ends
        if self.size + size > len(self._data):
            data = np.empty(2 * self.size + size, np.uint8)
            data[: self.size] = self._data[: self.size]
            self._data = data

    def cut(self, count: int) -> None:
        """Keep only the first `count` texts."""
        self._count = count

    def bytes_from(self, begin: int) -> bytes:
        """The bytes of all texts from byte `begin` on."""
        made: bytes = self._data[begin : self.size].tobytes()
        return made

    def listed(self, numbers: Any) -> list[bytes]:
        """The texts with these numbers."""
        starts = np.where(numbers > 0, self._ends[numbers - 1], 0)
        spans = zip(starts.tolist(), self._ends[numbers].tolist(), strict=True)
        return [self._data[start:end].tobytes() for start, end in spans]

    def texts(self) -> Texts:
        """All texts. The result is valid until a text is added or `cut` is called."""
        return Texts(self._data, self._ends)


@dataclass(frozen=True, slots=True)
class Matches:
    """The matches of several hits: those of hit n are `codes[ends[n - 1]:ends[n]]`, as numbers of texts.
    `places` has the position of each hit."""

    codes: Any
    ends: Any
    places: Any

    @classmethod
    def none(cls) -> Matches:
        """No matches."""
        nothing = np.zeros(0, np.int64)
        return cls(nothing, nothing, nothing)


def rows(
    literals: Sequence[bytes],
    kinds: Sequence[int],
    columns: Sequence[Any],
    texts: Texts,
    listed: Sequence[Texts] = (),
    matches: Matches | None = None,
    shifts: Sequence[int] | None = None,
) -> Iterator[memoryview]:
    """Rows in several pieces, each made when it is asked for. A row has `literals[0]`, the first column,
    `literals[1]` and so on up to the last literal, which comes after the last column. All columns have the
    same length. `listed` has at most two entries. `shifts[n]` is added to the numbers in column n, so that
    several columns may be one array."""
    return (piece for piece, _ in _pieces(literals, kinds, columns, texts, listed, matches, shifts))


def joined(literals: Sequence[bytes], kinds: Sequence[int], columns: Sequence[Any], texts: Texts) -> Texts:
    """`rows` as texts, one for each row."""
    pieces, all_ends, at = [], [], 0
    for piece, ends in _pieces(literals, kinds, columns, texts, (), None, None, _ROOM_OF_ALL):
        pieces.append(piece)
        all_ends.append(ends + at)
        at += len(piece)
    if len(pieces) == 1:
        return Texts(pieces[0], all_ends[0])
    return Texts(b"".join(pieces), np.concatenate(all_ends) if all_ends else np.zeros(0, np.int64))


def _pieces(
    literals: Sequence[bytes],
    kinds: Sequence[int],
    columns: Sequence[Any],
    texts: Texts,
    listed: Sequence[Texts],
    matches: Matches | None,
    shifts: Sequence[int] | None,
    room: int = _ROOM,
) -> Iterator[tuple[memoryview, Any]]:
    """Rows in several pieces of `room` bytes at most, with the ends of the rows in each piece. A row that is
    longer gets a larger piece."""
    count = len(columns[0]) if columns else 0
    # Each array is copied once.
    known = {id(one): one for one in columns}
    numbers = {key: number for number, key in enumerate(known)}
    sources = np.array([numbers[id(one)] for one in columns], np.uint8)
    moved = np.zeros(len(columns), np.int64) if shifts is None else np.array(shifts, np.int64)
    values: Any = np.stack([np.asarray(one).astype(np.int64, copy=False) for one in known.values()])
    told = matches or Matches.none()
    assert len(listed) <= 2
    assert set(kinds) <= _KINDS
    one, two = (*listed, *[Texts(b"", np.zeros(0, np.int64))] * (2 - len(listed)))
    ends = np.cumsum([len(one) for one in literals])
    write: Any = write_rows
    sizes: Any = np.zeros(1, np.int64)
    row_ends: Any = np.zeros(count, np.int64)
    at = 0
    held = kernels.Held
    arrays = (
        held(np.array(kinds, np.uint8)), len(kinds), held(sources), held(moved), held(values.reshape(-1)),
        count, held(_bytes(b"".join(literals))), held(ends.astype(np.int64)), held(_bytes(texts.data)),
        held(texts.ends), held(_bytes(one.data)), held(one.ends), held(_bytes(two.data)), held(two.ends),
        held(told.codes), held(told.ends), held(told.places),
    )  # fmt: skip
    while at < count:
        # Each piece has memory of its own, so that no piece is copied out of an array.
        out: Any = np.empty(room, np.uint8)
        end = write(at, count, *arrays, out, room, row_ends, sizes)
        if end == at:
            room *= 2
        else:
            yield out[: int(sizes[0])].data, row_ends[at:end]
        at = end


def _bytes(data: Any) -> Any:
    # The address of an empty array means nothing.
    return np.frombuffer(data if len(data) else b"\0", np.uint8)


@UNIT.kernel
def write_rows(
    begin: int,
    end: int,
    kinds: Bytes,
    width: int,
    sources: Bytes,
    shifts: Ints,
    values: Ints,
    count: int,
    literal: Bytes,
    literal_ends: Ints,
    text: Bytes,
    text_ends: Ints,
    listed: Bytes,
    listed_ends: Ints,
    listed_too: Bytes,
    listed_too_ends: Ints,
    codes: Ints,
    code_ends: Ints,
    places: Ints,
    out: Bytes,
    capacity: int,
    row_ends: Ints,
    sizes: Ints,
) -> int:
    """Write the rows `begin` to `end` - 1 to `out`. Returns the row to continue with: `end`, or an earlier
    row if `out` is full. `sizes[0]` receives the number of bytes, and `row_ends` receives the end of each row
    that was written. Column n has the `count` numbers from `values[sources[n] * count]` on, and `shifts[n]`
    is added to each of them."""
    at = 0
    for row in range(begin, end):
        size = int(literal_ends[width])
        for column in range(width):
            value = int(values[int(sources[column]) * count + row]) + int(shifts[column])
            kind = int(kinds[column])
            if kind == NUMBER:
                size += 20
            elif kind == TEXT:
                size += int(text_ends[value]) - _begin(text_ends, value)
            elif kind == LISTED:
                size += int(listed_ends[value]) - _begin(listed_ends, value)
            elif kind == LISTED_TOO:
                size += int(listed_too_ends[value]) - _begin(listed_too_ends, value)
            elif kind == SQUARES:
                size += 5 * words.word(value).bit_count()
            elif kind == SET:
                size += 3 * words.word(value).bit_count() + 4
            else:
                first = _begin(code_ends, value)
                for code in range(first, int(code_ends[value])):
                    one = int(codes[code])
                    size += int(text_ends[one]) - _begin(text_ends, one) + 22
        if at + size > capacity:
            sizes[0] = at
            return row
        done = 0
        for column in range(width):
            at = fens.copied(literal, done, int(literal_ends[column]), out, at)
            done = int(literal_ends[column])
            value = int(values[int(sources[column]) * count + row]) + int(shifts[column])
            kind = int(kinds[column])
            if kind == NUMBER:
                at = fens.decimal(value, out, at)
            elif kind == TEXT:
                at = fens.copied(text, _begin(text_ends, value), int(text_ends[value]), out, at)
            elif kind == LISTED:
                at = fens.copied(listed, _begin(listed_ends, value), int(listed_ends[value]), out, at)
            elif kind == LISTED_TOO:
                begin_too = _begin(listed_too_ends, value)
                at = fens.copied(listed_too, begin_too, int(listed_too_ends[value]), out, at)
            elif kind == SQUARES:
                at = _squares(words.word(value), True, out, at)
            elif kind == SET:
                at = _set(words.word(value), out, at)
            else:
                first = _begin(code_ends, value)
                for code in range(first, int(code_ends[value])):
                    if code > first:
                        out[at] = 44
                        at += 1
                    part = int(codes[code])
                    at = fens.copied(text, _begin(text_ends, part), int(text_ends[part]), out, at)
                    at = fens.decimal(int(places[value]), out, at)
                    out[at] = 125
                    at += 1
        at = fens.copied(literal, done, int(literal_ends[width]), out, at)
        row_ends[row] = at
    sizes[0] = at
    return end


@UNIT.kernel
def write_quoted(text: Bytes, ends: Ints, count: int, out: Bytes, at: int, out_ends: Ints) -> int:
    """Write texts as texts of JSON (RFC 8259, section 7), with as few escapes as possible, like `json.dumps`.
    Returns the end. `out_ends` receives the end of each text."""
    place = 0
    for one in range(count):
        out[at] = 34
        at += 1
        while place < ends[one]:
            sign = int(text[place])
            place += 1
            short = 0
            if sign == 34 or sign == 92:
                short = sign
            elif sign == 8:
                short = 98
            elif sign == 9:
                short = 116
            elif sign == 10:
                short = 110
            elif sign == 12:
                short = 102
            elif sign == 13:
                short = 114
            if short != 0:
                out[at] = 92
                out[at + 1] = short
                at += 2
            elif sign < 32:
                low = sign & 15
                out[at] = 92
                out[at + 1] = 117
                out[at + 2] = 48
                out[at + 3] = 48
                out[at + 4] = 48 + (sign >> 4)
                out[at + 5] = low + 48 if low < 10 else low + 87
                at += 6
            else:
                out[at] = sign
                at += 1
        out[at] = 34
        at += 1
        out_ends[one] = at
    return at


@UNIT.kernel
def write_compact(
    data: Bytes, starts: Ints, ends: Ints, count: int, out: Bytes, at: int, out_ends: Ints
) -> int:
    """Write the objects in JSON that are at `starts` to `ends` in `data`, without the blanks outside of their
    texts. Returns the end. `out_ends` receives the end of each object."""
    for one in range(count):
        if starts[one] == ends[one]:
            out[at] = 123
            out[at + 1] = 125
            at += 2
        inside = False
        escaped = False
        for place in range(int(starts[one]), int(ends[one])):
            sign = int(data[place])
            if inside:
                if escaped:
                    escaped = False
                elif sign == 92:
                    escaped = True
                elif sign == 34:
                    inside = False
            elif sign == 34:
                inside = True
            if inside or sign != 32:
                out[at] = sign
                at += 1
        out_ends[one] = at
    return at


def _squares(area: Word, quoted: bool, out: Bytes, at: int) -> int:
    """Append the names of squares, separated by commas; with `quoted`, each in quotes."""
    first = at
    while area != 0:
        square = words.lowest(area)
        area &= area - 1
        if at > first:
            out[at] = 44
            at += 1
        if quoted:
            out[at] = 34
            at += 1
        out[at] = 97 + (square & 7)
        out[at + 1] = 49 + (square >> 3)
        at += 2
        if quoted:
            out[at] = 34
            at += 1
    return at


def _set(area: Word, out: Bytes, at: int) -> int:
    single = area.bit_count() == 1
    out[at] = 34
    out[at + 1] = 91
    # The name of a single square stands in the place of the bracket.
    at = _squares(area, False, out, at + 1 if single else at + 2)
    if not single:
        out[at] = 93
        at += 1
    out[at] = 34
    return at + 1


@words.inlined
def _begin(ends: Ints, place: int) -> int:
    return 0 if place == 0 else int(ends[place - 1])

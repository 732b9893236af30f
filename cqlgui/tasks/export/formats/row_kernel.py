"""Writes rows of JSON from columns of numbers. The module is compiled to machine code."""

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
"""Kinds of columns. `NUMBER`: the number itself. `TEXT`: the text with this number. `SQUARES`: a set of
squares, as the names of the squares in quotes, separated by commas. `MATCHES`: the index of a hit, as the
texts of the hit's matches, each followed by the number of the position and `}`."""

_ROOM: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Texts:
    """Texts by number: text n is `pool[starts[n]:starts[n] + lengths[n]]`."""

    pool: Any
    starts: Any
    lengths: Any

    @classmethod
    def of(
        cls, texts: Sequence[str], more: bytes = b"", more_ends: Any = None, errors: str = "surrogatepass"
    ) -> Texts:
        """The texts `texts` in UTF-8, followed by the texts in `more`, which end at `more_ends`. `errors` is
        that of `str.encode`. All texts are encoded at once, because that is several times faster."""
        pool = "".join(texts).encode("utf-8", errors)
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        if len(pool) != lengths.sum():
            sizes = (len(text.encode("utf-8", errors)) for text in texts)
            lengths = np.fromiter(sizes, np.int64, len(texts))
        starts = np.cumsum(lengths) - lengths
        if more_ends is not None:
            sizes_of_more = np.diff(more_ends, prepend=0)
            starts = np.concatenate([starts, more_ends - sizes_of_more + len(pool)])
            lengths = np.concatenate([lengths, sizes_of_more])
        return cls(np.frombuffer(pool + more or b"\0", np.uint8), starts, lengths)


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
    matches: Matches | None = None,
) -> Iterator[bytes]:
    """Rows in several pieces, each made when it is asked for. A row has `literals[0]`, the first column,
    `literals[1]` and so on up to the last literal, which comes after the last column. All columns have the
    same length."""
    return (piece for piece, _ in _pieces(literals, kinds, columns, texts, matches))


def joined(
    literals: Sequence[bytes], kinds: Sequence[int], columns: Sequence[Any], texts: Texts
) -> tuple[bytes, Any]:
    """`rows` as one piece, and where each row ends in it."""
    pieces, all_ends, at = [], [], 0
    for piece, ends in _pieces(literals, kinds, columns, texts, None):
        pieces.append(piece)
        all_ends.append(ends + at)
        at += len(piece)
    return b"".join(pieces), np.concatenate(all_ends) if all_ends else np.zeros(0, np.int64)


def _pieces(
    literals: Sequence[bytes],
    kinds: Sequence[int],
    columns: Sequence[Any],
    texts: Texts,
    matches: Matches | None,
) -> Iterator[tuple[bytes, Any]]:
    """Rows in several pieces, with the ends of the rows in each piece."""
    count = len(columns[0]) if columns else 0
    values: Any = np.stack([np.asarray(one).astype(np.int64, copy=False) for one in columns])
    told = matches or Matches.none()
    ends = np.cumsum([len(one) for one in literals])
    literal: Any = np.frombuffer(b"".join(literals) or b"\0", np.uint8)
    out: Any = np.empty(_ROOM, np.uint8)
    write: Any = write_rows
    sizes: Any = np.zeros(1, np.int64)
    row_ends: Any = np.zeros(count, np.int64)
    at = 0
    held = kernels.Held
    arrays = (
        held(np.array(kinds, np.uint8)), len(kinds), held(values.reshape(-1)), count, held(literal),
        held(ends.astype(np.int64)), held(texts.pool), held(texts.starts), held(texts.lengths),
        held(told.codes), held(told.ends), held(told.places),
    )  # fmt: skip
    while at < count:
        end = write(at, count, *arrays, out, len(out), row_ends, sizes)
        if end == at:
            out = np.empty(2 * len(out), np.uint8)
        else:
            yield out[: int(sizes[0])].tobytes(), row_ends[at:end]
        at = end


@UNIT.kernel
def write_rows(
    begin: int,
    end: int,
    kinds: Bytes,
    width: int,
    values: Ints,
    count: int,
    literal: Bytes,
    literal_ends: Ints,
    pool: Bytes,
    starts: Ints,
    lengths: Ints,
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
    that was written. Column n has the `count` numbers from `values[n * count]` on."""
    at = 0
    for row in range(begin, end):
        size = int(literal_ends[width])
        for column in range(width):
            value = int(values[column * count + row])
            kind = int(kinds[column])
            if kind == NUMBER:
                size += 20
            elif kind == TEXT:
                size += int(lengths[value])
            elif kind == SQUARES:
                size += 5 * words.word(value).bit_count()
            else:
                first = 0 if value == 0 else int(code_ends[value - 1])
                for code in range(first, int(code_ends[value])):
                    size += int(lengths[int(codes[code])]) + 22
        if at + size > capacity:
            sizes[0] = at
            return row
        done = 0
        for column in range(width):
            at = _copied(literal, done, int(literal_ends[column]), out, at)
            done = int(literal_ends[column])
            value = int(values[column * count + row])
            kind = int(kinds[column])
            if kind == NUMBER:
                at = fens.decimal(value, out, at)
            elif kind == TEXT:
                at = _copied(pool, int(starts[value]), int(starts[value] + lengths[value]), out, at)
            elif kind == SQUARES:
                at = _squares(words.word(value), out, at)
            else:
                first = 0 if value == 0 else int(code_ends[value - 1])
                for code in range(first, int(code_ends[value])):
                    if code > first:
                        out[at] = 44
                        at += 1
                    text = int(codes[code])
                    at = _copied(pool, int(starts[text]), int(starts[text] + lengths[text]), out, at)
                    at = fens.decimal(int(places[value]), out, at)
                    out[at] = 125
                    at += 1
        at = _copied(literal, done, int(literal_ends[width]), out, at)
        row_ends[row] = at
    sizes[0] = at
    return end


def _squares(area: Word, out: Bytes, at: int) -> int:
    first = at
    while area != 0:
        square = words.lowest(area)
        area &= area - 1
        if at > first:
            out[at] = 44
            at += 1
        out[at] = 34
        out[at + 1] = 97 + (square & 7)
        out[at + 2] = 49 + (square >> 3)
        out[at + 3] = 34
        at += 4
    return at


@words.inlined
def _copied(source: Bytes, begin: int, end: int, out: Bytes, at: int) -> int:
    for place in range(begin, end):
        out[at + place - begin] = source[place]
    return at + end - begin

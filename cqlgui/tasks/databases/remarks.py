"""The comments and glyphs in the texts of a segment's games, read once and kept in a file beside the segment.

The texts of clean games are searched in machine code. The reader reads all other games.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

import numpy as np

from cqlgui.base import priority
from cqlgui.pgn import braces, kernel_places
from cqlgui.store import remarks, segments, side_files
from cqlgui.tasks.databases import beside, hosts
from cqlgui.tasks.results import base_model

_ROOM: Final = 1 << 18


def of_segment(source: base_model.Source, first: int) -> remarks.Remarks:
    """The remarks of a source's segment that begins with the game `first`. Raises `errors.SourceError` if the
    source no longer holds the text that was indexed."""
    return KEPT.of_segment(source, first)


def _made(opened: hosts.SourceReader, first: int, segment: segments.Segment) -> remarks.Remarks:
    texts = opened.texts(np.arange(first, first + segment.games))

    def read(game: int) -> dict[int, remarks.Remark]:
        found = opened.read(first + game)
        return {
            place: remarks.Remark(
                braces.folded(found.last_comments[place]) if place in found.last_comments else None,
                found.nags.get(place, ()),
            )
            for place in {*found.last_comments, *found.nags}
        }

    return find(texts.data, texts.begins, texts.ends, kinds_of(texts), read)


KEPT: Final = beside.Beside(side_files.REMARKS, 1, _made, remarks.Remarks.unpacked)
"""The remarks of the segments used last."""


def kinds_of(texts: hosts.Texts) -> Any:
    """The kinds of games (`kernel_places`). Games that are not clean are left to the reader."""
    kinds = np.where(texts.flags & segments.VARIATIONS, kernel_places.BRANCHING, kernel_places.PLAIN)
    clean = texts.flags & (segments.CLEAN | segments.OTHER_ENCODING) == segments.CLEAN
    return np.where(clean, kinds, kernel_places.LEFT).astype(np.uint8)


def find(
    data: bytes,
    begins: remarks.Integers,
    ends: remarks.Integers,
    kinds: Any,
    read: Callable[[int], dict[int, remarks.Remark]],
) -> remarks.Remarks:
    """The remarks of several games. The text of game g is `data[begins[g]:ends[g]]`, and `kinds[g]` is the
    kind of the game (`kernel_places`). A game that is not `LEFT` must be in UTF-8. `read` returns the remarks
    of a game that is left to the caller, by positionid."""
    return remarks.Remarks.of(_each(data, begins, ends, kinds, read))


def _each(
    data: bytes,
    begins: remarks.Integers,
    ends: remarks.Integers,
    kinds: Any,
    read: Callable[[int], dict[int, remarks.Remark]],
) -> Iterable[dict[int, remarks.Remark]]:
    texts: dict[bytes, str] = {}
    for first, counts, found in marks_of(data, begins, ends, kinds):
        rows = found.tolist()
        done = 0
        for game, size in enumerate(counts.tolist(), first):
            priority.pause()
            if size == kernel_places.LEFT_GAME:
                yield read(game)
            elif not size:
                yield _NO_REMARKS
            else:
                yield _of_marks(data, rows[done : done + size], texts)
                done += size


def marks_of(
    data: bytes, begins: remarks.Integers, ends: remarks.Integers, kinds: Any
) -> Iterator[tuple[int, remarks.Integers, remarks.Integers]]:
    """The marks of games (`kernel_places.find_marks`), some games at a time: the first game, the number of
    marks of each game or `LEFT_GAME`, and the marks of these games as rows. The rows are valid until the next
    step."""
    # The kernel's arrays have the type `Any`, because the type checker does not accept NumPy arrays as
    # sequences of integers.
    nodes: Any = np.zeros(kernel_places.SCRATCH_HALVES, np.uint32)
    places: Any = np.zeros(kernel_places.SCRATCH_INTS, np.int64)
    marks: Any = np.zeros(_ROOM, np.int64)
    counts: Any = np.zeros(len(begins), np.int64)
    find_marks: Any = kernel_places.find_marks
    whole: Any = np.frombuffer(data or b"\0", np.uint8)
    at = 0
    while at < len(begins):
        end = find_marks(
            whole, begins, ends, kinds, at, len(begins), nodes, places, marks, len(marks), counts
        )
        if end == at:
            marks = np.zeros(2 * len(marks), np.int64)
            continue
        size = int(np.maximum(counts[at:end], 0).sum())
        yield at, counts[at:end], marks[: kernel_places.MARK_SIZE * size].reshape(-1, kernel_places.MARK_SIZE)
        at = end


_NO_REMARKS: Final[dict[int, remarks.Remark]] = {}


def _of_marks(
    data: bytes, rows: Sequence[Sequence[int]], texts: dict[bytes, str]
) -> dict[int, remarks.Remark]:
    """The remarks of a game by positionid. `texts` has the
    known texts of comments."""
    found: dict[int, remarks.Remark] = {}
    for place, kind, start, length in rows:
        before = found.get(place, remarks.NOTHING)
        if kind != kernel_places.COMMENT:
            found[place] = remarks.Remark(before.comment, (*before.glyphs, kind))
            continue
        raw = data[start : start + length]
        text = texts.get(raw)
        if text is None:
            text = texts[raw] = braces.folded(braces.meaning(raw.decode("utf-8", "replace")))
        if text:
            found[place] = remarks.Remark(text, before.glyphs)
    return found

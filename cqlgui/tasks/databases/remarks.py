"""The comments and glyphs in the texts of a segment's games, read once and kept in a file beside the segment.

The texts of clean games are searched in machine code. The reader reads all other games.
"""

from __future__ import annotations

import collections
import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from cqlgui.base import priority
from cqlgui.pgn import braces, kernel_places
from cqlgui.store import remarks, segments, side_files
from cqlgui.tasks.databases import hosts, sources
from cqlgui.tasks.results import base_model

VERSION: Final = 1
"""The version of the data in the file. Change it whenever `remarks` reads a text in another way."""
MOST_BYTES: Final = 64 << 20
"""Maximum size in bytes of the remarks that are kept in memory."""
_ROOM: Final = 1 << 18


def of_segment(source: base_model.Source, first: int) -> remarks.Remarks:
    """The remarks of a source's segment that begins with the game `first`. Raises `errors.SourceError` if the
    source no longer holds the text that was indexed."""
    with sources.opened(source) as opened:
        _, segment = opened.index.part_of(first)
        # A segment says nothing about comments, so the whole text must be the same.
        digest = opened.index.manifest.identity.digest.encode("ascii")
        key = segment.path, segment.checksum, digest
        with _lock:
            if key in _kept:
                _kept.move_to_end(key)
                return _kept[key][0]
        found = _read(segment, digest)
        if found is None:
            found = _made(opened, first, segment)
            side_files.write(segment, VERSION, digest + found.packed(), side_files.REMARKS)
        with _lock:
            _kept[key] = found, found.size
            while len(_kept) > 1 and sum(size for _, size in _kept.values()) > MOST_BYTES:
                _kept.popitem(last=False)
        return found


_kept: Final[collections.OrderedDict[tuple[Path, bytes, bytes], tuple[remarks.Remarks, int]]] = (
    collections.OrderedDict()
)
"""The remarks of the segments used last, with their sizes in bytes."""
_lock: Final = threading.Lock()


def _read(segment: segments.Segment, digest: bytes) -> remarks.Remarks | None:
    data = side_files.read(segment, VERSION, side_files.REMARKS)
    if data is None or not data.startswith(digest):
        return None
    return remarks.Remarks.unpacked(data[len(digest) :], segment.games)


def _made(opened: hosts.SourceReader, first: int, segment: segments.Segment) -> remarks.Remarks:
    texts = opened.texts(np.arange(first, first + segment.games))
    kinds = np.where(texts.flags & segments.VARIATIONS, kernel_places.BRANCHING, kernel_places.PLAIN)
    clean = texts.flags & (segments.CLEAN | segments.OTHER_ENCODING) == segments.CLEAN
    kinds = np.where(clean, kinds, kernel_places.LEFT).astype(np.uint8)

    def read(game: int) -> dict[int, remarks.Remark]:
        found = opened.read(first + game)
        return {
            place: remarks.Remark(
                braces.folded(found.last_comments[place]) if place in found.last_comments else None,
                found.nags.get(place, ()),
            )
            for place in {*found.last_comments, *found.nags}
        }

    return find(texts.data, texts.begins, texts.ends, kinds, read)


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
    # The kernel's arrays have the type `Any`, because the type checker does not accept NumPy arrays as
    # sequences of integers.
    nodes: Any = np.zeros(kernel_places.SCRATCH_HALVES, np.uint32)
    places: Any = np.zeros(kernel_places.SCRATCH_INTS, np.int64)
    marks: Any = np.zeros(_ROOM, np.int64)
    counts: Any = np.zeros(len(begins), np.int64)
    find_marks: Any = kernel_places.find_marks
    whole: Any = np.frombuffer(data or b"\0", np.uint8)
    texts: dict[bytes, str] = {}
    at = 0
    while at < len(begins):
        end = find_marks(
            whole, begins, ends, kinds, at, len(begins), nodes, places, marks, len(marks), counts
        )
        if end == at:
            marks = np.zeros(2 * len(marks), np.int64)
            continue
        sizes = counts[at:end].tolist()
        rows = marks[: kernel_places.MARK_SIZE * sum(max(one, 0) for one in sizes)].reshape(-1, 4).tolist()
        done = 0
        for game, size in enumerate(sizes, at):
            priority.pause()
            if size == kernel_places.LEFT_GAME:
                yield read(game)
            elif not size:
                yield _NO_REMARKS
            else:
                yield _of_marks(data, rows[done : done + size], texts)
                done += size
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

"""Publishes an opened base: all that a search needs, in one folder that any computer can read.

Parts that are there already are not written again, so a publication that was interrupted goes on where it
stopped.
"""

from __future__ import annotations

import collections
import contextlib
import os
from collections.abc import Collection, Iterator, Sequence
from concurrent import futures
from pathlib import Path
from typing import Final

import numpy as np

from cqlgui.base import errors
from cqlgui.base import progress as progress_module
from cqlgui.base.data import dataclass, replace
from cqlgui.db.headers import Table
from cqlgui.store import index, places, published, segments, side_files
from cqlgui.tasks.cluster import claiming
from cqlgui.tasks.databases import published as published_bases
from cqlgui.tasks.databases import signing, sources
from cqlgui.tasks.results import base_model

_AHEAD: Final = 2
"""Number of parts for each processor that are packed at the same time."""


@dataclass(frozen=True, slots=True)
class Published:
    """The outcome of a publication. `written` counts the parts that were not there before, and `size` is the
    number of bytes of all parts. `unreadable` are the files that were left out."""

    place: str
    games: int
    parts: int
    written: int
    size: int
    unreadable: tuple[Path, ...] = ()


def publish(
    base: base_model.Base,
    place: str,
    *,
    unreadable: Collection[Path] = (),
    cancel: progress_module.CancelToken | None = None,
    progress: progress_module.ProgressSink = progress_module.ignore,
) -> Published:
    """Publish a base in a folder or at an address. `unreadable` are the sources that could not be read
    (`base_model.ImportReport`). They are left out.

    The parts are written first and the listing last, so the place always has a whole base, or the one that it
    had before. Files of an earlier publication that are no longer needed are removed at the end. Raises
    `errors.Cancelled`, and `CqlguiError` if the base cannot be read or the place cannot be written, if
    another publication into the place is under way, or if only some games of a source were imported.
    """
    chosen = [source for source in base.sources if source.path not in unreadable]
    for source in chosen:
        if source.only:
            # The texts between the games of a part are published too, and nobody chose those games.
            raise errors.CqlguiError(
                f"Only the games of {source.path.name} that fit {source.only} were imported. Write them to a "
                "file with `cqlgui search FILE -e true -o GAMES.pgn`, and publish that file."
            )
    token = cancel or progress_module.CancelToken()
    target = places.Place(place)
    with claiming.claimed(target) as claim:
        before = listing_at(target)
        listed: list[published.Listed] = []
        done = written = size = 0
        games = sum(source.games for source in chosen)
        for source in chosen:
            parts: list[published.Part] = []
            for part, is_new, length in parts_of(source, target):
                token.raise_if_cancelled()
                parts.append(part)
                done, written, size = done + part.games, written + is_new, size + length
                progress(progress_module.Progress(done, games, f"{len(parts)} parts"))
            with sources.indexed(source) as opened:
                known = opened.manifest.identity
            listed.append(published.Listed(str(source.path), known.digest, known.text_size, tuple(parts)))
        claim.insist()
        finish(target, published.Listing.of(listed), before)
    parts_count = sum(len(one.parts) for one in listed)
    return Published(place, games, parts_count, written, size, tuple(unreadable))


def listing_at(target: places.Place) -> published.Listing | None:
    """The listing of the base that is published at a place. None if none can be read: then whatever stands
    there stays."""
    with contextlib.suppress(errors.CqlguiError):
        return published.Listing.read(target)
    return None


def finish(
    target: places.Place,
    listing: published.Listing,
    before: published.Listing | None,
    useless: Sequence[published.Part] = (),
) -> None:
    """Write the listing of a base whose parts are all there. Then remove the parts of the base that stood
    there before, and of `useless`, that are not in the listing. Raises `errors.SourceError`."""
    target.write(published.LISTING, listing.packed())
    kept = {part.name for source in listing.sources for part in source.parts}
    old = [] if before is None else [part for source in before.sources for part in source.parts]
    for part in (*old, *useless):
        if part.name not in kept:
            for ending in part.sums:
                target.remove(part.file(ending))


@dataclass(frozen=True, slots=True)
class _Unpacked:
    """What belongs to a part, before it is packed. `row` is the part without a name and checksums."""

    row: published.Part
    segment: bytes
    signatures: bytes | None
    table: Table
    text: bytes


def parts_of(source: base_model.Source, target: places.Place) -> Iterator[tuple[published.Part, bool, int]]:
    """Write the parts of a source, in order. Yields each part, whether it was written now, and its size."""
    count = max(1, os.cpu_count() or 1)
    coming: collections.deque[futures.Future[tuple[published.Part, bool, int]]] = collections.deque()
    with futures.ThreadPoolExecutor(count) as pool, contextlib.ExitStack() as stack:
        # If the caller stops, work that has not begun is dropped.
        stack.callback(pool.shutdown, wait=False, cancel_futures=True)
        for unpacked in _unpacked(source):
            coming.append(pool.submit(_put, unpacked, target))
            while len(coming) > _AHEAD * count:
                yield coming.popleft().result()
        while coming:
            yield coming.popleft().result()


def _unpacked(source: base_model.Source) -> Iterator[_Unpacked]:
    if not source.games:
        return
    known = sources.headers(source)
    with sources.opened(source) as reader:
        manifest = reader.index.manifest
        rows = manifest.segments
        for number, (first, segment) in enumerate(reader.index.parts):
            row = rows[number]
            begin = row.offset if number else 0
            end = rows[number + 1].offset if number + 1 < len(rows) else manifest.identity.text_size
            ordinals = np.arange(first, first + segment.games)
            games, table = known.table(source.id, ordinals)
            if len(games) < len(ordinals):
                raise errors.SourceError(
                    f"Headers of {source.path.name} are missing in the catalog. Open the file again."
                )
            yield _gathered(row, segment, table, reader.stretch(begin, end))


def put(
    row: index.SegmentRow, segment: segments.Segment, table: Table, text: bytes, target: places.Place
) -> tuple[published.Part, bool, int]:
    """Write a part, whose games are those of a segment. `table` has their headers, and `text` their text up
    to the next part. Closes the segment. Returns the part, whether it was written now, and its size. Raises
    `errors.SourceError`."""
    with contextlib.closing(segment):
        return _put(_gathered(row, segment, table, text), target)


def _gathered(row: index.SegmentRow, segment: segments.Segment, table: Table, text: bytes) -> _Unpacked:
    signing.sign(segment)
    try:
        signatures = side_files.path_of(segment.path).read_bytes()
    except OSError:
        # A search makes them when it needs them.
        signatures = None
    white, bad = table.texts["white"], table.numbers["bad"]
    named = sum(white.texts[place] is not None for place in white.places.tolist())
    part = published.Part(
        "", segment.games, row.positions, row.offset, row.end, row.line, named, int(np.count_nonzero(bad)), {}
    )
    segment.verify()
    return _Unpacked(part, segment.path.read_bytes(), signatures, table, text)


def _put(unpacked: _Unpacked, target: places.Place) -> tuple[published.Part, bool, int]:
    """Pack a part and write its files, unless they are there."""
    files = {
        published.SEGMENT: unpacked.segment,
        published.HEADERS: published_bases.packed(unpacked.table),
        published.TEXT: published.packed_text(unpacked.text),
    }
    if unpacked.signatures is not None:
        files[published.SIGNATURES] = unpacked.signatures
    sums = {ending: places.checksum(data) for ending, data in files.items()}
    part = replace(unpacked.row, name=published.name_of(sums), sums=sums)
    missing = {ending for ending, data in files.items() if not target.has(part.file(ending), data)}
    for ending in missing:
        target.write(part.file(ending), files[ending])
    return part, bool(missing), sum(map(len, files.values()))

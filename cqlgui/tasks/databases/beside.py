"""Data from the texts of a segment's games, read once, kept in memory, and in a file beside the segment."""

from __future__ import annotations

import collections
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final, Generic, Protocol, TypeVar

from cqlgui.store import segments, side_files
from cqlgui.tasks.databases import hosts, sources
from cqlgui.tasks.results import base_model

MOST_BYTES: Final = 64 << 20
"""Maximum size in bytes of the data of one kind that are kept in memory."""


class Packable(Protocol):
    """Data about several games that can be written as bytes."""

    def packed(self) -> bytes:
        """The data as bytes."""
        ...

    @property
    def size(self) -> int:
        """The approximate size in memory, in bytes."""
        ...


T = TypeVar("T", bound=Packable)


class Beside(Generic[T]):
    """One kind of data, of the segments used last; thread-safe.

    `made` reads the texts of a segment that begins with the given game of a source. `unpacked` reads the
    bytes of `Packable.packed` for a number of games, and returns None for bytes that do not fit. Change
    `version` whenever `made` or the form of the bytes changes."""

    def __init__(
        self,
        suffix: str,
        version: int,
        made: Callable[[hosts.SourceReader, int, segments.Segment], T],
        unpacked: Callable[[bytes, int], T | None],
    ) -> None:
        self.suffix = suffix
        self.version = version
        self.most_bytes = MOST_BYTES
        self._made = made
        self._unpacked = unpacked
        self._kept: collections.OrderedDict[tuple[Path, bytes, bytes], tuple[T, int]] = (
            collections.OrderedDict()
        )
        self._lock = threading.Lock()

    def __len__(self) -> int:
        """The number of segments whose data are in memory."""
        return len(self._kept)

    def clear(self) -> None:
        """Forget what is in memory."""
        with self._lock:
            self._kept.clear()

    def of_segment(self, source: base_model.Source, first: int) -> T:
        """The data of a source's segment that begins with the game `first`. Raises `errors.SourceError` if
        the source no longer holds the text that was indexed."""
        with sources.opened(source) as opened:
            _, segment = opened.index.part_of(first)
            # A segment says nothing about comments, so the whole text must be the same.
            identity = opened.index.manifest.identity
            digest = (identity.token or identity.digest).encode("ascii")
            key = segment.path, segment.checksum, digest
            with self._lock:
                if key in self._kept:
                    self._kept.move_to_end(key)
                    return self._kept[key][0]
            found = self._read(segment, digest)
            if found is None:
                found = self._made(opened, first, segment)
                side_files.write(segment, self.version, digest + found.packed(), self.suffix)
            with self._lock:
                self._kept[key] = found, found.size
                while len(self._kept) > 1 and sum(size for _, size in self._kept.values()) > self.most_bytes:
                    self._kept.popitem(last=False)
            return found

    def _read(self, segment: segments.Segment, digest: bytes) -> T | None:
        content = side_files.read(segment, self.version, self.suffix)
        data = b"" if content is None else bytes(content)
        if not data.startswith(digest):
            return None
        return self._unpacked(data[len(digest) :], segment.games)

"""Derived data about a segment's games, kept in a file beside the segment.

The data can always be made again from the segment. The first process that makes the data writes the file. The
process does not need the writer's lock. A file is not used if it is truncated or altered, if it has another
version, or if it is about another segment with the same name. This module does not interpret the bytes.
Little-endian:

    magic "CQLGSIG1", version u32 (of the content), games u32, content bytes u64, the segment's checksum,
    blake2b-16 of the content, crc32 of the bytes before it; then the content
"""

from __future__ import annotations

import functools
import hashlib
import mmap
import struct
import threading
import zlib
from collections.abc import Sequence
from concurrent import futures
from pathlib import Path
from typing import Any, Final

from cqlgui.base import ahead
from cqlgui.base.files import disk, soundness
from cqlgui.store import segments

SIGNATURES: Final = ".sig"
REMARKS: Final = ".rem"
COMMANDS: Final = ".num"
SUFFIXES: Final = (SIGNATURES, REMARKS, COMMANDS)
"""The suffixes of the side files. Each kind of data has its own suffix."""
_MAGIC: Final = b"CQLGSIG1"
_HEADER: Final = struct.Struct("<8sIIQ16s16sI")


def path_of(segment: Path, suffix: str = SIGNATURES) -> Path:
    """A side file of a segment."""
    return segment.with_suffix(suffix)


def begin(listed: Sequence[Path]) -> None:
    """Prefetch the signatures of these segments, in order. The prefetched bytes of a segment stay in memory
    until the first `read` of this segment."""
    folders = dict.fromkeys(path.parent for path in listed)
    ledgers = {folder: soundness.Ledger(folder / segments.NOTE) for folder in folders}
    calls = {path: functools.partial(_sound, path_of(path), ledgers[path.parent]) for path in listed}
    with _lock:
        _begun.update(ahead.in_order(calls))


def read(segment: segments.Segment, version: int, suffix: str = SIGNATURES) -> memoryview | None:
    """The data about a segment in the given version; None if there is no sound file with these data. The data
    are the memory of the mapped file, so only what is used of them is read. A file that was found sound
    before is not compared with its checksum again (`Segment.ledger`)."""
    begun = None
    if suffix == SIGNATURES:
        with _lock:
            begun = _begun.pop(segment.path, None)
    found = _sound(path_of(segment.path, suffix), segment.ledger) if begun is None else begun.result()
    if found is None:
        return None
    about, content, checked = found
    if checked is not None and segment.ledger is not None:
        segment.ledger.add(path_of(segment.path, suffix), checked)
    return content if about == [version, segment.games, len(content), segment.checksum] else None


_Kept = tuple[list[Any], memoryview, soundness.Checked | None]
"""The header fields of a file, its content, and its state if it is to be noted as sound."""
_lock: Final = threading.Lock()
_begun: Final[dict[Path, futures.Future[_Kept | None]]] = {}


def _sound(path: Path, ledger: soundness.Ledger | None) -> _Kept | None:
    """A side file; None if the file is not whole. `ledger` says whether the file was found sound before. It
    is only read: what `begin` finds is noted by `read`, in the ledger of the index that is then open. `read`
    also checks whether the file is about its segment."""
    checked = soundness.Checked.of([path])
    try:
        with path.open("rb") as file:
            whole = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except (OSError, ValueError):
        # An empty file cannot be mapped.
        return None
    head, content = bytes(whole[: _HEADER.size]), whole[_HEADER.size :]
    if len(head) < _HEADER.size:
        return None
    magic, *about, checksum, check = _HEADER.unpack(head)
    if magic != _MAGIC or zlib.crc32(head[:-4]) != check:
        return None
    if ledger is not None and checked is not None and ledger.has(path, checked):
        return about, content, None
    if _checksum(content) != checksum:
        return None
    # The age counts at the check, not when the file is noted.
    return about, content, None if checked is None or checked.is_young else checked


def write(segment: segments.Segment, version: int, content: bytes, suffix: str = SIGNATURES) -> bool:
    """Write the data about a segment. Returns False if the file cannot be written. A missing file does no
    harm, because the data can be made again."""
    about = version, segment.games, len(content), segment.checksum
    head = _HEADER.pack(_MAGIC, *about, _checksum(content), 0)[:-4]
    try:
        disk.replace_file(path_of(segment.path, suffix), head + struct.pack("<I", zlib.crc32(head)) + content)
    except OSError:
        return False
    return True


def _checksum(content: bytes | memoryview) -> bytes:
    return hashlib.blake2b(content, digest_size=16).digest()

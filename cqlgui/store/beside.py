"""What was worked out about a segment's games, kept in a file beside the segment.

Everything in it can be made again from the segment, so it is written without the writer's lock, by whoever
made it first; a file that is missing, cut, altered, of another version, or about another segment of that name
counts as not there. What the bytes mean is not known here. Little-endian:

    magic "CQLGSIG1", version u32 (of the content), games u32, content bytes u64, the segment's checksum,
    blake2b-16 of the content, crc32 of the bytes before it; then the content
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from pathlib import Path
from typing import Final

from cqlgui.base import disk
from cqlgui.store import segments

SUFFIX: Final = ".sig"
_MAGIC: Final = b"CQLGSIG1"
_HEADER: Final = struct.Struct("<8sIIQ16s16sI")


def path_of(segment: Path) -> Path:
    """The file beside a segment's."""
    return segment.with_suffix(SUFFIX)


def read(segment: segments.Segment, version: int) -> bytes | None:
    """What was kept about a segment in that version; None where nothing sound was."""
    try:
        data = path_of(segment.path).read_bytes()
    except OSError:
        return None
    if len(data) < _HEADER.size:
        return None
    magic, *about, checksum, check = _HEADER.unpack_from(data)
    content = data[_HEADER.size :]
    if magic != _MAGIC or zlib.crc32(data[: _HEADER.size - 4]) != check:
        return None
    if about != [version, segment.games, len(content), segment.checksum] or _checksum(content) != checksum:
        return None
    return content


def write(segment: segments.Segment, version: int, content: bytes) -> bool:
    """Keep something about a segment; False where the disk refuses, which does no harm."""
    about = version, segment.games, len(content), segment.checksum
    head = _HEADER.pack(_MAGIC, *about, _checksum(content), 0)[:-4]
    try:
        disk.replace_file(path_of(segment.path), head + struct.pack("<I", zlib.crc32(head)) + content)
    except OSError:
        return False
    return True


def _checksum(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=16).digest()

"""Recognises tar archives. Many collections of games are packed as tar, but the program does not read tar
archives."""

from __future__ import annotations

_HEADER = 512
_CHECKSUM = slice(148, 156)


def is_tar(head: bytes) -> bool:
    """Whether a text that begins with `head` is a tar archive. The checksum of the first header (POSIX,
    `ustar`) decides. The checksum counts its own eight bytes as spaces."""
    header = head[:_HEADER]
    try:
        said = int(header[_CHECKSUM].strip(b" \0"), 8)
    except ValueError:
        return False
    return len(header) == _HEADER and said == sum(header) - sum(header[_CHECKSUM]) + 8 * ord(" ")

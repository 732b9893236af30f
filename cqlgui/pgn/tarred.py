"""Whether a text is a tar archive, as which many collections of games come. Nothing is read from one."""

from __future__ import annotations

_HEADER = 512
_CHECKSUM = slice(148, 156)


def is_tar(head: bytes) -> bool:
    """Whether a text that begins so is a tar archive, by the checksum of its first header (POSIX, `ustar`),
    in which the checksum's own eight bytes count as blanks."""
    header = head[:_HEADER]
    try:
        said = int(header[_CHECKSUM].strip(b" \0"), 8)
    except ValueError:
        return False
    return len(header) == _HEADER and said == sum(header) - sum(header[_CHECKSUM]) + 8 * ord(" ")

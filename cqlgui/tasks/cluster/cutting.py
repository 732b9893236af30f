"""Where a plain file can be cut, so that several computers read it: before tags that follow an empty line.

Such a place may lie within a game, in a comment for example. Whoever puts the pieces together must notice.
"""

from __future__ import annotations

from typing import Final

from cqlgui.base import errors, progress
from cqlgui.base.patterns import pattern
from cqlgui.pgn import split, texts

_LOOK: Final = 1 << 20
"""Number of bytes that are read at a time."""
_BOUNDARY: Final = pattern(rb'\n[ \t]*\r?\n\[Event "')
_EVENT: Final = b'[Event "'


def boundary(text: texts.Text, begin: int, size: int, far: int) -> int | None:
    """The first byte that is at least `size` bytes behind `begin` and where a game seems to begin. It is
    looked for in `far` bytes. None if there is none, or if so little is left that it belongs to the piece
    before."""
    offset = begin + size
    if offset + size // 2 > text.size:
        return None
    for at in range(offset, offset + far, _LOOK):
        found = _BOUNDARY.search(text.again(at, _LOOK + len(_EVENT) + 80))
        if found is not None:
            return at + found.end() - len(_EVENT)
    return None


def lines(text: texts.Text, begin: int, end: int, cancel: progress.CancelToken) -> int:
    """Number of line ends between two bytes that begin lines. Raises `errors.SourceError` if the file was cut
    off, and `errors.Cancelled`."""
    count = 0
    while begin < end:
        cancel.raise_if_cancelled()
        data = text.again(begin, min(8 * _LOOK, end - begin))
        while data.endswith(b"\r") and begin + len(data) < end:
            data += text.again(begin + len(data), 1)
        count += split.line_ends(data, 0, len(data))
        begin += len(data)
        if not data:
            raise errors.SourceError(f"{text.path.name} was cut off while it was read.")
    return count

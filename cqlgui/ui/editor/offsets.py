"""The only place of the window where code-point offsets (Python, diagnostics) and UTF-16 positions (Qt
documents) are converted."""

from __future__ import annotations

import bisect
import re

_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


class Offsets:
    """Converts positions in a text in both directions. The time is logarithmic in the number of characters
    above U+FFFF.
    """

    __slots__ = ("_length", "_points", "_units")

    def __init__(self, text: str) -> None:
        self._length = len(text)
        self._points = [] if text.isascii() else [found.start() for found in _ASTRAL.finditer(text)]
        self._units = [point + before for before, point in enumerate(self._points)]

    def to_units(self, offset: int) -> int:
        """The UTF-16 position of a code-point offset. An offset outside the text is moved to the nearest end
        of the text."""
        offset = min(max(offset, 0), self._length)
        return offset + bisect.bisect_left(self._points, offset)

    def to_points(self, units: int) -> int:
        """The code-point offset of a UTF-16 position. The middle of a surrogate pair becomes the start of the
        character.
        """
        units = min(max(units, 0), self._length + len(self._points))
        return units - bisect.bisect_left(self._units, units)

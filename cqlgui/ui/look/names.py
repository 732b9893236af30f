"""Two players in a narrow space: names are cut at the end, the longer name first. The beginning of a name
says most. In very little room, only family names are shown."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics

BETWEEN = " – "
_LITTLE = 160
"""A width in pixels. In less room, only family names are shown."""
_LEAST = 100
"""A width in pixels. In less room, each family name has half of it."""
_CLOSE = "–"


def fitted(metrics: QFontMetrics, white: str, black: str, room: int) -> str:
    """Both names in one line of at most `room` pixels."""
    whole = f"{white}{BETWEEN}{black}"
    if metrics.horizontalAdvance(whole) <= room:
        return whole
    if room < _LITTLE:
        # There is too little room for a useful part of both full names.
        white, black = (name.partition(",")[0] for name in (white, black))
    cut = Qt.TextElideMode.ElideRight
    if room < _LEAST:
        half = (room - metrics.horizontalAdvance(_CLOSE)) // 2
        return _CLOSE.join(metrics.elidedText(name, cut, half) for name in (white, black))
    left = room - metrics.horizontalAdvance(BETWEEN)
    first, second = metrics.horizontalAdvance(white), metrics.horizontalAdvance(black)
    if first <= left // 2:
        black = metrics.elidedText(black, cut, left - first)
    elif second <= left // 2:
        white = metrics.elidedText(white, cut, left - second)
    else:
        white, black = (metrics.elidedText(name, cut, left // 2) for name in (white, black))
    return f"{white}{BETWEEN}{black}"

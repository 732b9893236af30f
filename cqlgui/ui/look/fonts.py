"""The fixed font of queries. The font is shipped with the program, because few fixed fonts have the signs of
CQL. The system would take a missing sign from another font, and the sign would have another width."""

from __future__ import annotations

import functools

from PySide6.QtGui import QFont, QFontDatabase

from cqlgui.base import errors
from cqlgui.base.files import resources

_FILES = ("DejaVuSansMono.ttf", "DejaVuSansMono-Bold.ttf")
_SMALLEST = 10.0
"""The smallest size in points. In smaller sizes figurines look alike."""


def fixed() -> QFont:
    """The font of queries in its normal size; the system's fixed font if the shipped font is missing."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    size = max(font.pointSizeF(), _SMALLEST)
    family = _family()
    if family:
        font = QFont(family)
    font.setStyleHint(QFont.StyleHint.Monospace)
    font.setPointSizeF(size)
    return font


@functools.cache
def _family() -> str:
    """Load the shipped font and return the name of the font; empty if the font cannot be loaded."""
    found: list[str] = []
    for name in _FILES:
        try:
            number = QFontDatabase.addApplicationFont(str(resources.resource(f"fonts/{name}")))
        except errors.CqlguiError:
            continue
        found += QFontDatabase.applicationFontFamilies(number) if number >= 0 else []
    return found[0] if found else ""

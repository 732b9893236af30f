"""The fixed font of queries. It is shipped with the program, because few fixed fonts have the signs of CQL. A
system takes each missing sign from another font, in which it has another width."""

from __future__ import annotations

import functools

from PySide6.QtGui import QFont, QFontDatabase

from cqlgui.base import errors
from cqlgui.base.files import resources

_FILES = ("DejaVuSansMono.ttf", "DejaVuSansMono-Bold.ttf")
_SMALLEST = 10.0
"""Points. In smaller sizes figurines cannot be distinguished."""


def fixed() -> QFont:
    """The font of queries in its normal size; the system's fixed font if the shipped one is missing."""
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
    """Load the shipped font and return its name; empty if the font cannot be loaded."""
    found: list[str] = []
    for name in _FILES:
        try:
            number = QFontDatabase.addApplicationFont(str(resources.resource(f"fonts/{name}")))
        except errors.CqlguiError:
            continue
        found += QFontDatabase.applicationFontFamilies(number) if number >= 0 else []
    return found[0] if found else ""

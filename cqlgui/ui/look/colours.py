"""The colours of the editor and the picker by role. A widget with a dark background gets the theme's dark
colours, and any other widget gets the light colours."""

from __future__ import annotations

from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QWidget

from cqlgui.ui.look import theme

# Some roles of the editor and the picker have another name than the field in `theme.Colours`.
_FIELDS = {
    "direction": "square",
    "designator": "piece",
    "result": "number",
    "unknown": "error",
    "good": "success",
    "gutter-text": "gutter_text",
    "gutter-current": "text",
    "current-line": "current_line",
    "found": "last_move",
    "bracket-match": "selection",
    "bracket-alone": "error",
    "frame": "border",
    "tile": "raised",
    "tile-chosen": "selection",
    "square-light": "light_square",
    "square-dark": "dark_square",
    "area": "accent",
    "governed": "accent",
}
_TINTS = {"found": 110, "bracket-alone": 90, "governed": 52}


def of(widget: QWidget, role: str) -> QColor:
    """The colour of a role for the background of a widget."""
    colour = scheme(widget).colour(_FIELDS.get(role, role))
    colour.setAlpha(_TINTS.get(role, 255))
    return colour


def scheme(widget: QWidget) -> theme.Colours:
    """The theme's colours that fit the widget's palette."""
    return theme.DARK if is_dark(widget.palette()) else theme.LIGHT


def is_dark(palette: QPalette) -> bool:
    """True for a palette with light text on a dark background."""
    # The result is stored. This function is called for every line of a margin, and several calls of Qt for
    # each line would take too long.
    key = palette.cacheKey()
    found = _known.get(key)
    if found is None:
        ground, ink = palette.color(QPalette.ColorRole.Base), palette.color(QPalette.ColorRole.Text)
        if len(_known) >= _KEPT:
            _known.clear()
        found = _known[key] = ground.lightness() < ink.lightness()
    return found


_KEPT = 64
_known: dict[int, bool] = {}

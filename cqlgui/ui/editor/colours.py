"""Colours of the editor and the picker by role, for a light and a dark palette; the widget's own palette decides."""

from __future__ import annotations

from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QWidget

# Role: (on a light ground, on a dark ground). Each text colour has a contrast of at least 4.5 : 1 to its ground.
_ROLES = {
    "keyword": ("#8a2da5", "#d29bf0"),
    "transform": ("#0b6b53", "#5fd6b0"),
    "direction": ("#8f5200", "#f0b45c"),
    "number": ("#0b59b3", "#8ec2ff"),
    "string": ("#a03116", "#f2a58a"),
    "designator": ("#123f8c", "#a9c7ff"),
    "operator": ("#4a4a4a", "#c3c8d0"),
    "comment": ("#5d6b62", "#8f9f96"),
    "result": ("#0b59b3", "#8ec2ff"),
    "bracket": ("#4a4a4a", "#c3c8d0"),
    "unknown": ("#b3001b", "#ff8080"),
    "error": ("#c8102e", "#ff6b6b"),
    "warning": ("#a35c00", "#f0b040"),
    "good": ("#1a6e3c", "#6fd194"),
    "gutter": ("#f1f2f4", "#202329"),
    "gutter-text": ("#6b7078", "#8b929c"),
    "gutter-current": ("#1c1e21", "#f0f2f5"),
    "current-line": ("#f3f6fb", "#272b33"),
    "found": ("#ffe28a", "#665214"),
    "bracket-match": ("#c9dcf7", "#3f5680"),
    "bracket-alone": ("#f6c3c3", "#7a2f35"),
    "frame": ("#c4c9d0", "#484e58"),
    "muted": ("#5b616b", "#a3aab5"),
    "accent": ("#1f6fd0", "#5fa3f7"),
    "tile": ("#ffffff", "#2a2e35"),
    "tile-hover": ("#eaf2fd", "#343b47"),
    "tile-chosen": ("#d6e6fb", "#2f4a70"),
    "square-light": ("#ece5d6", "#9aa3ad"),
    "square-dark": ("#b9a98c", "#6b7682"),
    "ring": ("#b3261e", "#ffd166"),
    "area": ("#1f6fd0", "#5fa3f7"),
}


def of(widget: QWidget, role: str) -> QColor:
    """The colour of a role on the widget's ground."""
    return QColor(_ROLES[role][is_dark(widget.palette())])


def is_dark(palette: QPalette) -> bool:
    """True for a palette with light text on a dark ground."""
    return palette.color(QPalette.ColorRole.Base).lightness() < palette.color(QPalette.ColorRole.Text).lightness()

"""Finds the shipped files in a checkout, in an installed wheel and in a frozen build."""

from __future__ import annotations

import sys
from pathlib import Path

from cqlgui.base import errors


def resource(name: str) -> Path:
    """The path of the shipped file or folder `name` in `resources/`. Raises `CqlguiError` if there is no such
    path."""
    package = Path(__file__).resolve().parents[2]
    roots = [package / "resources", package.parent / "resources"]
    frozen = getattr(sys, "_MEIPASS", None)
    if frozen:
        roots.insert(0, Path(frozen) / "resources")
    for root in roots:
        path = root / name
        if path.exists():
            return path
    raise errors.CqlguiError(f"The installation is incomplete: resources/{name} is missing.")

"""Finds shipped files, in a checkout, an installed wheel and a frozen build alike."""

from __future__ import annotations

import sys
from pathlib import Path

from cqlgui.base import errors


def resource(name: str) -> Path:
    """Path of the shipped file or folder `name`, below `resources/`; a `CqlguiError` when there is none."""
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

"""Where the program keeps its own files. `CQLGUI_HOME` moves all of it (tests and portable use).

A folder that cannot be made is a `CqlguiError`.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import platformdirs

from cqlgui.base import errors


def _folder(kind: str, default: str) -> Path:
    home = os.environ.get("CQLGUI_HOME")
    path = Path(home) / kind if home else Path(default)
    try:
        make(path)
    except OSError as error:
        reason = error.strerror or error
        raise errors.CqlguiError(f"The program's folder {path} cannot be made: {reason}.") from error
    return path


def make(path: Path) -> None:
    """Make a folder of the program's own, and those around it, for the user alone. One that is there keeps
    the rights that it was given. Raises `OSError`.
    """
    try:
        path.mkdir(mode=PRIVATE, exist_ok=True)
    except FileNotFoundError:
        if path.parent == path:
            raise
        make(path.parent)
        path.mkdir(mode=PRIVATE, exist_ok=True)


PRIVATE: Final = 0o700


def cache() -> Path:
    """Folder of what can be made again: the indexes of PGN sources and the catalog."""
    return _folder("cache", platformdirs.user_cache_dir("cqlgui", appauthor=False))


def config() -> Path:
    """Folder of settings and the restored session."""
    return _folder("config", platformdirs.user_config_dir("cqlgui", appauthor=False))


def data() -> Path:
    """Folder of what only the user can make: saved queries, history, logs."""
    return _folder("data", platformdirs.user_data_dir("cqlgui", appauthor=False))

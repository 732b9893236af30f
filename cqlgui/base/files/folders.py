"""The folders of the program's own files. The environment variable `CQLGUI_HOME` moves all these folders (for
tests and portable use).

`cache`, `config` and `data` raise `CqlguiError` if the folder cannot be made.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

import platformdirs

from cqlgui.base import errors


def _folder(kind: str, default: Callable[..., str]) -> Path:
    path = _path(kind, default, os.environ.get("CQLGUI_HOME"))
    try:
        # A search of a base of many files asks hundreds of times.
        if not path.is_dir():
            make(path)
    except OSError as error:
        reason = error.strerror or error
        raise errors.CqlguiError(f"The program's folder {path} cannot be made: {reason}.") from error
    return path


@functools.cache
def _path(kind: str, default: Callable[..., str], home: str | None) -> Path:
    return Path(home) / kind if home else Path(default("cqlgui", appauthor=False))


def make(path: Path) -> None:
    """Make a folder of the program, and the parents of this folder. Only the user can read the new folders. A
    folder that exists keeps its permissions. Raises `OSError`."""
    try:
        path.mkdir(mode=PRIVATE, exist_ok=True)
    except FileNotFoundError:
        if path.parent == path:
            raise
        make(path.parent)
        path.mkdir(mode=PRIVATE, exist_ok=True)


PRIVATE: Final = 0o700


def cache() -> Path:
    """The folder of files that can be made again: the indexes of PGN sources and the catalog."""
    return _folder("cache", platformdirs.user_cache_dir)


def config() -> Path:
    """The folder of settings and of the restored session."""
    return _folder("config", platformdirs.user_config_dir)


def data() -> Path:
    """The folder of files that cannot be made again: saved queries, history, logs."""
    return _folder("data", platformdirs.user_data_dir)

"""A secret key of the user. The program uses this key to recognise files that it wrote itself."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path
from typing import Final

from cqlgui.base.files import disk, folders

_LENGTH: Final = 32
_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


def key() -> bytes | None:
    """Return the key. The key is made when it is first needed. Returns None if the key cannot be stored.
    Raises `CqlguiError` if the folder of the key cannot be made.

    The key is stored with the settings. A program that can only write to the cache therefore cannot read the
    key. A key that others could read, or that another user made, is replaced.
    """
    path = folders.config() / "key"
    with contextlib.suppress(OSError):
        found = _read(path)
        if found is None:
            disk.replace_file(path, os.urandom(_LENGTH), private=True)
            # Read the file again: another process may have stored its own key in the meantime. All processes
            # must use the key in the file.
            found = _read(path)
        return found
    return None


def _read(path: Path) -> bytes | None:
    """The key in a file; None if there is no valid key."""
    try:
        descriptor = os.open(path, _FLAGS | getattr(os, "O_BINARY", 0))
    except OSError:
        return None
    try:
        if not _is_own(os.fstat(descriptor)):
            return None
        found = os.read(descriptor, _LENGTH + 1)
    finally:
        os.close(descriptor)
    return found if len(found) == _LENGTH else None


def _is_own(status: os.stat_result) -> bool:
    if os.name == "nt":
        # On Windows a file gets its permissions from the user's folder, and the permission bits mean nothing.
        return stat.S_ISREG(status.st_mode)
    return stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o077

"""A key of the user's own, by which the program knows again what it has written itself."""

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
    """The key, made at its first use; None where it cannot be kept. Raises `CqlguiError` where there is no
    folder for it.

    It lies beside the settings, so that whoever can write to the cache alone does not know it. One that
    others could read, or that another user made, is replaced.
    """
    path = folders.config() / "key"
    with contextlib.suppress(OSError):
        found = _read(path)
        if found is None:
            disk.replace_file(path, os.urandom(_LENGTH), private=True)
            # Where another process has made one meanwhile, that counts.
            found = _read(path)
        return found
    return None


def _read(path: Path) -> bytes | None:
    """What is there; None where that is no key."""
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
        # Rights are inherited from the user's folder there, and the bits say nothing.
        return stat.S_ISREG(status.st_mode)
    return stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o077

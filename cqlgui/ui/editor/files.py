"""Query files on disk: UTF-8 in, UTF-8 out, written so that a failure never costs the old file."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from cqlgui.base import errors

LARGEST = 4 * 1024 * 1024  # bytes; a query file beyond this is a mistake, most likely a PGN


def read(path: Path) -> str:
    """The text of a query file, line ends as `\\n`; raises `errors.SourceError` with a sentence for the
    user."""
    try:
        if path.is_dir():
            raise errors.SourceError(f"{path} is a folder, not a query file.")
        if path.stat().st_size > LARGEST:
            raise errors.SourceError(
                f"{path.name} is larger than {LARGEST // 1024 // 1024} MB: hardly a query."
            )
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        raise errors.SourceError(f"{path.name} is not UTF-8 text (byte {fault.start}).") from fault
    except OSError as fault:
        raise errors.SourceError(f"{path} cannot be read: {fault.strerror or fault}.") from fault
    if "\0" in text:
        raise errors.SourceError(f"{path.name} holds binary data, not a query.")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def write(path: Path, text: str) -> None:
    """Write through a temporary file beside `path` and rename it; raises `errors.SourceError`, the old
    file untouched."""
    target = path.resolve()  # A link stays a link: what it points to is replaced.
    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
        with os.fdopen(handle, "wb") as stream:
            stream.write(text.encode("utf-8", "replace"))
            stream.flush()
            os.fsync(stream.fileno())
        # A temporary file is private; the query keeps the rights it had, or gets the usual ones.
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
        Path(temporary).chmod(mode)
        Path(temporary).replace(target)
    except OSError as fault:
        if temporary:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()
        raise errors.SourceError(f"{path} cannot be written: {fault.strerror or fault}.") from fault


def _umask() -> int:
    current = os.umask(0o077)
    os.umask(current)
    return current

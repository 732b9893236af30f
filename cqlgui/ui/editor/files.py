"""Query files on disk: UTF-8 in, UTF-8 out, written so that a failure never costs the old file."""

from __future__ import annotations

from pathlib import Path

from cqlgui.base import disk, errors

LARGEST = 4 * 1024 * 1024  # bytes; a query file beyond this is a mistake, most likely a PGN


def read(path: Path) -> str:
    """The text of a query file, line ends as `\\n`; raises `errors.SourceError` with a sentence for the
    user."""
    try:
        if path.is_dir():
            raise errors.SourceError(f"{path} is a folder, not a query file.")
        if path.exists() and not path.is_file():
            # A pipe would stop the window until somebody writes to it.
            raise errors.SourceError(f"{path} is not an ordinary file.")
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
    try:
        target = path.resolve()  # A link stays a link: what it points to is replaced.
        disk.replace_file(target, text.encode("utf-8", "replace"), follow=True)
    except OSError as fault:
        raise errors.SourceError(f"{path} cannot be written: {fault.strerror or fault}.") from fault
    except RuntimeError as fault:
        raise errors.SourceError(f"{path} cannot be written: it is a link that leads to itself.") from fault

"""Saves the translation of an old script in another file. The script itself is never overwritten."""

from __future__ import annotations

from pathlib import Path

from cqlgui.base import errors
from cqlgui.base.files import disk


def save(text: str, path: Path, script: Path | None = None, *, overwrite: bool = False) -> None:
    """Write a query as UTF-8; the file appears whole or not at all.

    Raises `CqlguiError` when the file cannot be written, is the `script` that was translated, or exists and
    must not be overwritten.
    """
    if script is not None and disk.is_same(path, script):
        raise errors.CqlguiError(f"{path} is the script itself and is not overwritten.")
    try:
        disk.replace_file(path, text.encode("utf-8", "backslashreplace"), follow=True, overwrite=overwrite)
    except OSError as error:
        raise errors.CqlguiError(f"{path} cannot be written: {error.strerror or error}.") from error

"""Writes the log: a small file in the user's data folder. Warnings also go to stderr on request.

Importing this module configures nothing, so that tests and other programs keep their own handlers.
"""

from __future__ import annotations

import logging
import os
from pathlib import Path

from cqlgui.base import errors, visible
from cqlgui.base.files import folders

_FORMAT = "%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"
_SIZE = 1 << 20


class _Formatter(logging.Formatter):
    """Formats records. Control characters in a record, for example in a file name, are escaped, so that they
    do not reach the terminal."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as text."""
        return visible.visible(super().format(record))


class _File(logging.Handler):
    """The log file. The module that limits the file's size (`logging.handlers`) is imported at the first
    record."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self._path = file
        self._file: logging.Handler | None = None

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record."""
        if self._file is None:
            from logging import handlers

            self._file = handlers.RotatingFileHandler(
                self._path, maxBytes=_SIZE, backupCount=2, encoding="utf-8", delay=True
            )
            self._file.setFormatter(self.formatter)
            # If a record cannot be written to the disk, the program must go on without an error.
            self._file.handleError = lambda record: None  # type: ignore[method-assign]
        self._file.emit(record)

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
        super().close()


def path() -> Path:
    """The log file."""
    return folders.data() / "log" / "cqlgui.log"


def configure(*, level: int | None = None, stderr: bool = False) -> None:
    """Send the program's records to the log file. The environment variable `CQLGUI_LOG` can set another
    level. A second call changes nothing."""
    root = logging.getLogger("cqlgui")
    if any(isinstance(handler, _File) for handler in root.handlers):
        return
    named = logging.getLevelNamesMapping().get(os.environ.get("CQLGUI_LOG", "").upper())
    root.setLevel(level or named or logging.INFO)
    formatter = _Formatter(_FORMAT)
    try:
        file = path()
        folders.make(file.parent)
        handler: logging.Handler = _File(file)
    except (OSError, errors.CqlguiError):
        handler = logging.NullHandler()
    handler.setFormatter(formatter)
    root.addHandler(handler)
    if stderr:
        stream = logging.StreamHandler()
        stream.setLevel(logging.WARNING)
        stream.setFormatter(_Formatter("%(levelname)s: %(message)s"))
        root.addHandler(stream)
    # Without this line, Python's last-resort handler would print warnings on stderr. Scripts that run the
    # program expect only the program's messages to the user on stderr.
    root.propagate = False

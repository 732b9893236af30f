"""Where log records go: a file in the user's data folder, kept small; warnings also to stderr when asked.

Nothing is configured on import, so that tests and embedders keep their own handlers.
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
    """Formats records so that names of files in them do not steer the terminal on which the log is read."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as text."""
        return visible.visible(super().format(record))


class _File(logging.Handler):
    """The log file, which is kept small by what is loaded for it at the first record."""

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
            # A disk that refuses it is no fault of what is logged, and not worth a traceback.
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
    """Send the program's records to the log file; `CQLGUI_LOG` names another level. Calling again changes
    nothing.
    """
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
    # Python's handler of last resort would print warnings on stderr, where results' readers look for messages
    # only.
    root.propagate = False

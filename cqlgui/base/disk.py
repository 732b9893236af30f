"""Writing files of our own so that a crash or a full disk never leaves half of one, and telling whether those
of others have changed."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import NamedTuple


class State(NamedTuple):
    """What a file's entry tells of its content: its size, when that was written last and when anything about
    the file was changed last (ns). Programs set the time of writing back as they like, but not the other;
    where a system has no such time (Windows) it is that of the file's making."""

    size: int
    mtime_ns: int
    ctime_ns: int

    @staticmethod
    def of(status: os.stat_result) -> State:
        """As `stat` gives it."""
        return State(status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def replace_file(path: Path, data: bytes) -> None:
    """Put `data` under `path` as a whole or not at all, synced to the disk. Raises `OSError`."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}.{threading.get_ident()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)

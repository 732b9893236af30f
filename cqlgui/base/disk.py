"""Writing files of our own so that a crash or a full disk never leaves half of one."""

from __future__ import annotations

import os
import threading
from pathlib import Path


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

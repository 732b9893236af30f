"""Remembers that files were found sound, so that a start need not read all their bytes again.

A note is a small file with a checksum of the names and states of the checked files. The note holds as long as
no program has written to one of these files. A disk can also damage a file without a write, so a note holds
for `DAYS` only.
"""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from cqlgui.base.data import dataclass
from cqlgui.base.files import disk

DAYS: Final = 7
_DAY: Final = 24 * 60 * 60
YOUNG: Final = 3.0
"""The age in seconds below which a file is not noted. File systems store times in steps of at most two
seconds. A program could therefore write to a young file without changing its times."""


@dataclass(frozen=True, slots=True)
class Checked:
    """The state of some files at one moment. Make this object before the check of the files, and call `note`
    after the check. A write during the check then makes the note useless instead of wrong."""

    digest: str
    youngest: float
    """When the youngest file changed, in seconds since 1970."""

    @staticmethod
    def of(files: Sequence[Path]) -> Checked | None:
        """The present state of the files. None if one of them cannot be examined."""
        found = hashlib.blake2b(digest_size=16)
        youngest = 0.0
        try:
            for path in files:
                status = path.stat()
                state = disk.State.of(status)
                found.update(f"{path.name}\0{status.st_ino}\0{state!r}\n".encode("utf-8", "surrogateescape"))
                youngest = max(youngest, state.mtime_ns / 1e9, state.ctime_ns / 1e9)
        except OSError:
            return None
        return Checked(found.hexdigest(), youngest)

    def is_noted(self, note: Path) -> bool:
        """Whether the files were found sound in this state, in the last `DAYS`."""
        try:
            digest, _, seconds = note.read_text("ascii").partition(" ")
            age = int(time.time()) - int(seconds)
        except (OSError, ValueError):
            return False
        return digest == self.digest and 0 <= age < DAYS * _DAY

    def note(self, note: Path) -> None:
        """Write that the files are sound. If a file is young, or the note cannot be written, nothing is
        written and no error is raised."""
        now = time.time()
        if now - self.youngest > YOUNG:
            with contextlib.suppress(OSError):
                disk.replace_file(note, f"{self.digest} {int(now)}".encode("ascii"))

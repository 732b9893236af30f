"""Remembers that files were found sound, so that a start need not read all their bytes again.

A note is a small file with a checksum of the names and states of the checked files. The note holds as long as
no program has written to one of these files. A disk can also damage a file without a write, so a note holds
for `DAYS` only. A `Ledger` has a note for each file of a folder.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import threading
import time
from collections.abc import Mapping, Sequence
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
    size: int
    """The bytes of all files together."""

    @staticmethod
    def of(files: Sequence[Path]) -> Checked | None:
        """The present state of the files. None if one of them cannot be examined."""
        found = hashlib.blake2b(digest_size=16)
        youngest, size = 0.0, 0
        try:
            for path in files:
                status = path.stat()
                state = disk.State.of(status)
                found.update(f"{path.name}\0{status.st_ino}\0{state!r}\n".encode("utf-8", "surrogateescape"))
                size += state.size
                youngest = max(youngest, state.mtime_ns / 1e9, state.ctime_ns / 1e9)
        except OSError:
            return None
        return Checked(found.hexdigest(), youngest, size)

    def is_noted(self, note: Path) -> bool:
        """Whether the files were found sound in this state, in the last `DAYS`."""
        try:
            digest, _, seconds = note.read_text("ascii").partition(" ")
            return digest == self.digest and _is_recent(int(seconds))
        except (OSError, ValueError):
            return False

    def note(self, note: Path) -> None:
        """Write that the files are sound. If a file is young, or the note cannot be written, nothing is
        written and no error is raised."""
        if not self.is_young:
            with contextlib.suppress(OSError):
                disk.replace_file(note, f"{self.digest} {int(time.time())}".encode("ascii"))

    @property
    def is_young(self) -> bool:
        """Whether a program may have written to a file since, without a trace in the times of the file."""
        return time.time() - self.youngest <= YOUNG


class Ledger:
    """Remembers which files of a folder were found sound, each by itself; safe for several threads.

    A file is checked when it is first used, so a large folder need not be checked as a whole. Whoever meets
    damage removes the ledger's file. Without this file no file is trusted.
    """

    def __init__(self, note: Path) -> None:
        """`note` is the ledger's file."""
        self._note = note
        self._lock = threading.Lock()
        self._added: dict[str, str] = {}
        state = _state(note)
        self.is_there = state is not None
        """Whether the file of the ledger was there."""
        self._known: Mapping[str, tuple[str, int]] = {} if state is None else _known(note, state)

    @staticmethod
    def begin(note: Path) -> None:
        """Make an empty ledger, unless there is one. A ledger that cannot be written does no harm."""
        with contextlib.suppress(OSError):
            note.touch()

    def has(self, path: Path, checked: Checked) -> bool:
        """Whether the file was found sound in this state, in the last `DAYS`."""
        digest, seconds = self._known.get(path.name, ("", 0))
        return digest == checked.digest and _is_recent(seconds)

    def add(self, path: Path, checked: Checked) -> None:
        """Note that a file is sound. `checked` is its state before it was checked. Nothing is noted if the
        file is young."""
        if not checked.is_young:
            with self._lock:
                self._added[path.name] = f"{checked.digest} {int(time.time())}"

    def write(self, *, anew: bool = False) -> None:
        """Write what was added. A ledger that was removed since stays removed, unless it is begun `anew`. If
        the ledger cannot be written, no error is raised."""
        with self._lock:
            added, self._added = self._added, {}
        if not anew and not (added and self._note.exists()):
            return
        # Other programs may have added files in the meantime.
        known = {name: f"{digest} {seconds}" for name, (digest, seconds) in _entries(self._note).items()}
        lines = [f"{entry} {name}\n" for name, entry in (known | added).items()]
        with contextlib.suppress(OSError):
            disk.replace_file(self._note, "".join(lines).encode("utf-8", "surrogateescape"))


def _state(note: Path) -> tuple[int, disk.State] | None:
    """The state of a ledger's file; None if there is no file."""
    try:
        status = note.stat()
    except OSError:
        return None
    return status.st_ino, disk.State.of(status)


@functools.lru_cache(64)
def _known(note: Path, _in_state: tuple[int, disk.State]) -> Mapping[str, tuple[str, int]]:
    """The entries of a ledger in a state. A search of many files opens each ledger several times. Old entries
    do no harm, because each entry is about one state of a file."""
    return _entries(note)


def _entries(note: Path) -> dict[str, tuple[str, int]]:
    """The digest and the time of each file in a ledger, by name. Lines that cannot be read are left out."""
    found: dict[str, tuple[str, int]] = {}
    with contextlib.suppress(OSError):
        for line in note.read_text("utf-8", "surrogateescape").splitlines():
            digest, seconds, name = (*line.split(" ", 2), "", "")[:3]
            if name and seconds.isdigit() and seconds.isascii() and len(seconds) < _LONGEST:
                found[name] = digest, int(seconds)
    return found


_LONGEST: Final = 15
"""More digits than the seconds since 1970 have."""


def _is_recent(seconds: int) -> bool:
    return 0 <= int(time.time()) - seconds < DAYS * _DAY

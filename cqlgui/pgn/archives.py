"""Opens PGN sources, plain or compressed, as one seekable text of bytes. Refuses sources that unpack to far
too much text.

Compressed and UTF-16 sources are unpacked once into a plain file in the caller's folder. Each game can
therefore be read again at its byte offset. The plain file is streamed to a temporary name, synced and
renamed. Archives are recognised by their first bytes, not by their names. This module does not read games,
but it checks whether a text begins like PGN.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
import threading
import time
from pathlib import Path
from types import TracebackType

from cqlgui.base import errors, progress
from cqlgui.base.files import disk, folders
from cqlgui.base.patterns import pattern
from cqlgui.pgn import decoding, tarred

ENDINGS = (".pgn", ".pgn.gz", ".pgn.bz2", ".pgn.zst", ".pgn.zip", ".gz", ".bz2", ".zst", ".zip")
"""The endings that a file dialog offers. A file with another ending is opened if its text looks like PGN."""

# Compression makes real PGN 4 to 20 times smaller. A source that exceeds `_LARGEST_RATIO` and has more than
# `_UNSUSPICIOUS` bytes of text is a decompression bomb.
_LARGEST_RATIO = 400
_UNSUSPICIOUS = 256 << 20
_ROOM_LEFT = 64 << 20
"""Unpacking leaves this many bytes of the disk free. For a smaller text, unpacking leaves as many bytes free
as the text has."""
_WAY = 3
"""The version of the unpacking. The name of each copy contains this version. Since version 2, UTF-16 texts in
packed files are converted. Since version 3, incomplete UTF-16 is noted."""
_WIDE_LITTLE, _WIDE_BIG = b"\xff\xfe[\0", b"\xfe\xff\0["
"""The first bytes of a tag section in UTF-16, in both byte orders."""
_FORSAKEN_SECONDS = 60.0
_TAG = pattern(rb'\[\s*[A-Za-z]\w*\s+"')
_MOVE = pattern(rb"(?:^|\s)1\s*\.\s*(?:\.\.\s*)?[a-hKQRBNO][a-h1-8xO-]")


def open_source(
    path: Path | str,
    cache: Path | None = None,
    *,
    cancel: progress.CancelToken | None = None,
    report: progress.ProgressSink = progress.ignore,
) -> Text:
    """Open a PGN source: `.pgn`, gzip, bzip2, zstandard, or a zip with every `.pgn` member in name order.

    `cache` is the folder for the plain text of a compressed or UTF-16 source; without `cache` these sources
    are refused. If a source is damaged, the text has only the part that can be unpacked (see `Text.damage`).
    Progress counts bytes of the source. Raises `errors.SourceError` with a sentence (missing, a folder, no
    permission, not PGN, nothing that can be unpacked, no room) and `errors.Cancelled`.
    """
    path = Path(path)
    head, status = _examine(path)
    kind = kind_of(path, head)
    if kind == "plain":
        return Text(path, path)
    if cache is None:
        raise errors.SourceError(
            f"{path.name} is compressed or UTF-16 and needs a cache folder to be opened."
        )
    try:
        folders.make(cache)
        _sweep(cache)
        target = cache / _cache_name(path, status)
        fresh = not target.exists()
        if fresh:
            _unpack(path, kind, status.st_size, target, cancel or progress.CancelToken(), report)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise errors.SourceError(f"There is no room left on the disk to unpack {path.name}.") from error
        raise errors.SourceError(f"{path.name} cannot be unpacked: {error.strerror or error}.") from error
    return Text(path, target, status, _noted(target), fresh)


def forget_copy(copy: Path) -> None:
    """Remove a damaged unpacked copy of a source, and the note about the copy. The copy is made again when
    the source is opened."""
    for path in (copy, _note(copy)):
        with contextlib.suppress(OSError):
            path.unlink()


class Text:
    """The bytes of a source; a context manager that threads may share.

    `path` is the user's file. `plain` is the file that is read: the user's file, or the unpacked copy.
    `stamp` is the state of the user's file when it was opened or unpacked. `written` is the state of `plain`,
    and `size` is the number of bytes of `plain`. `status` is the `stat` of the user's file if there is a
    copy. If a packed file could be unpacked only in part, `damage` is the end of a sentence that says why.
    For a whole file, `damage` is empty. `fresh` says that `plain` is the user's file or a copy made just now.
    A copy made earlier may have been damaged since it was written.
    """

    __slots__ = (
        "_file", "_lock", "_place", "damage", "fresh", "path", "plain", "size", "stamp", "wide", "written",
    )  # fmt: skip

    def __init__(
        self,
        path: Path,
        plain: Path,
        status: os.stat_result | None = None,
        damage: str = "",
        fresh: bool = True,
    ) -> None:
        self.path = path
        self.damage = damage
        self.fresh = fresh
        self.plain = plain
        self.wide = False
        """Whether the bytes read so far hold UTF-16, in a source that is not UTF-16 as a whole."""
        try:
            self._file = plain.open("rb")
        except OSError as error:
            raise _refusal(path, error) from error
        own = os.fstat(self._file.fileno())
        self.size = own.st_size
        self.written = disk.State.of(own)
        status = status or own
        self.stamp = disk.State.of(status)
        self._place = status.st_dev, status.st_ino
        self._lock = threading.Lock()

    def read(self, offset: int, length: int) -> bytes:
        """At most `length` bytes from `offset`; fewer at the end. Raises `errors.SourceError` if the disk
        fails."""
        try:
            with self._lock:
                self._file.seek(offset)
                data = self._file.read(length)
        except OSError as error:
            raise errors.SourceError(
                f"{self.path.name} cannot be read: {error.strerror or error}."
            ) from error
        self.wide = self.wide or _WIDE_LITTLE in data or _WIDE_BIG in data
        return data

    def is_intact(self) -> bool:
        """Whether the user's file is still at its path, and neither this file nor `plain` has changed since
        `Text` was opened. If the result is True, everything that was read before is valid."""
        try:
            status = self.path.stat()
        except OSError:
            return False
        if (status.st_dev, status.st_ino) != self._place or disk.State.of(status) != self.stamp:
            return False
        if self.plain == self.path:
            return True
        # The ctime is not compared. If another program removes the copy, the copy's ctime changes, but its
        # bytes do not.
        own = os.fstat(self._file.fileno())
        return (own.st_size, own.st_mtime_ns) == self.written[:2]

    def close(self) -> None:
        """Close the file. Do not read afterwards."""
        self._file.close()

    def __enter__(self) -> Text:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _examine(path: Path) -> tuple[bytes, os.stat_result]:
    """The first bytes of a regular file and its `stat`. Raises `SourceError` if the file cannot be read."""
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise errors.SourceError(f"{path} is a folder, not a PGN file.")
        if not stat.S_ISREG(status.st_mode):
            raise errors.SourceError(f"{path} is not an ordinary file.")
        with path.open("rb") as file:
            return file.read(1 << 16), status
    except (OSError, ValueError) as error:
        raise _refusal(path, error) from error


def _refusal(path: Path, error: OSError | ValueError) -> errors.SourceError:
    if isinstance(error, FileNotFoundError):
        return errors.SourceError(f"{path} does not exist.")
    if isinstance(error, PermissionError):
        return errors.SourceError(f"You have no permission to read {path}.")
    if isinstance(error, OSError):
        return errors.SourceError(f"{path} cannot be opened: {error.strerror or error}.")
    return errors.SourceError(f"{path!s} is not a file name.")


def kind_of(path: Path, head: bytes) -> str:
    """The kind of packing that the first bytes of a source show: `plain`, `wide` (UTF-16 or UTF-32) or the
    ending of a packed file.

    Raises `SourceError` for a file that is certainly not PGN.
    """
    if tarred.is_tar(head):
        raise errors.SourceError(f"{path.name} is a tar archive. Unpack it and open the .pgn files in it.")
    if head.startswith(b"\x1f\x8b"):
        return "gz"
    if head.startswith(b"BZh"):
        return "bz2"
    if head.startswith(b"\x28\xb5\x2f\xfd") or (head[1:4] == b"\x2a\x4d\x18" and 0x50 <= head[0] <= 0x5F):
        return "zst"
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return "zip"
    name = path.name.lower()
    if name.endswith((".gz", ".bz2", ".zst", ".zip")):
        if not head:
            raise errors.SourceError(f"{path.name} is empty.")
        raise errors.SourceError(f"{path.name} is damaged: it does not begin like a {path.suffix} archive.")
    if head.startswith(decoding.WIDE_MARKS):
        return "wide"
    if name.endswith(".pgn"):
        return "plain"
    if not head:
        raise errors.SourceError(f"{path.name} is empty.")
    if _TAG.search(head) or _MOVE.search(head):
        return "plain"
    raise errors.SourceError(
        f"{path.name} is not a PGN file: neither tags nor moves were found at its beginning."
    )


def _cache_name(path: Path, status: os.stat_result) -> str:
    state = "-".join(f"{part:x}" for part in disk.State.of(status))
    return f"{_copies(path)}{state}-{_WAY}.pgn"


def _copies(path: Path) -> str:
    """The beginning of the names of all copies of a file. It is the same for all states of the file."""
    return f"text-{hashlib.blake2b(os.fsencode(path.absolute()), digest_size=8).hexdigest()}-"


def _sweep(cache: Path) -> None:
    """Remove the unfinished copies that a killed process left behind."""
    disk.sweep(cache)
    # Older versions of the program named their unfinished copies `text-*.tmp`. A file is removed if it was
    # not written to for `_FORSAKEN_SECONDS`.
    for left in cache.glob("text-*.tmp"):
        with contextlib.suppress(OSError):
            if time.time() - left.stat().st_mtime > _FORSAKEN_SECONDS:
                left.unlink()


def _unpack(
    path: Path,
    kind: str,
    size: int,
    target: Path,
    cancel: progress.CancelToken,
    report: progress.ProgressSink,
) -> None:
    # `unpacking` is imported only here, so that a plain source does not wait for this slow import.
    from cqlgui.pgn import unpacking

    written, holds = 0, False
    damage: list[str] = []
    with path.open("rb") as source, disk.replacing(target) as out:
        for block in unpacking.blocks(path, kind, source, damage):
            cancel.raise_if_cancelled()
            if not written and tarred.is_tar(block):
                raise errors.SourceError(
                    f"{path.name} holds a tar archive. Unpack it and open the .pgn files in it."
                )
            written += len(block)
            holds = holds or bool(block.strip())
            if written > _UNSUSPICIOUS and written > _LARGEST_RATIO * size:
                raise errors.SourceError(
                    f"{path.name} unpacks to more than {_LARGEST_RATIO} times its size, as no collection of "
                    "games does. It is not read."
                )
            if disk.room(target.parent) < len(block) + min(written, _ROOM_LEFT):
                raise errors.SourceError(
                    f"There is no room left on the disk to unpack {path.name}, which has {written >> 20} MB "
                    "or more."
                )
            out.write(block)
            report(progress.Progress(min(source.tell(), size), size, f"Unpacking {path.name}"))
        if damage and not holds:
            raise errors.SourceError(f"{path.name} is damaged: {damage[0]}.")
        if damage:
            disk.replace_file(_note(target), "; ".join(damage).encode("utf-8", "replace"))
        else:
            _note(target).unlink(missing_ok=True)
    # Remove the copies of older states of `path`. A copy that another process is still reading is removed at
    # a later unpacking.
    for old in target.parent.glob(_copies(path) + "*"):
        if old not in (target, _note(target)):
            with contextlib.suppress(OSError):
                old.unlink()


def _note(copy: Path) -> Path:
    """The file that says why a copy is incomplete."""
    return copy.with_suffix(".damage")


def _noted(copy: Path) -> str:
    try:
        return _note(copy).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""

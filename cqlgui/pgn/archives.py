"""Opens PGN sources, plain or packed, as one seekable text of bytes (`texts.Text`).

A plain file is read as it is. A packed or UTF-16 file is unpacked while it is read, and its text is kept in
small packed frames in the caller's folder (`packed.stream`). Each game can therefore be read again at its
offset. Packed files are recognised by their first bytes, not by their names. This module does not read games,
but it checks whether a text begins like PGN.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import time
from pathlib import Path

from cqlgui.base import errors, progress
from cqlgui.base.files import disk, folders
from cqlgui.base.patterns import pattern
from cqlgui.pgn import decoding, texts
from cqlgui.pgn.packed import tarred

ENDINGS = (".pgn", ".pgn.gz", ".pgn.bz2", ".pgn.zst", ".pgn.zip", ".gz", ".bz2", ".zst", ".zip")
"""The endings that a file dialog offers. A file with another ending is opened if its text looks like PGN."""

_WAY = 4
"""The version of the unpacking. The name of each copy contains this version. Since version 2, UTF-16 texts in
packed files are converted. Since version 3, incomplete UTF-16 is noted. Since version 4, copies are packed
again."""
_FORSAKEN_SECONDS = 60.0
_TAG = pattern(rb'\[\s*[A-Za-z]\w*\s+"')
_MOVE = pattern(rb"(?:^|\s)1\s*\.\s*(?:\.\.\s*)?[a-hKQRBNO][a-h1-8xO-]")


def open_source(
    path: Path | str,
    cache: Path | None = None,
    *,
    cancel: progress.CancelToken | None = None,
    report: progress.ProgressSink = progress.ignore,
) -> texts.Text:
    """Open a PGN source: `.pgn`, gzip, bzip2, zstandard, or a zip with every `.pgn` member in name order.

    `cache` is the folder for the text of a packed or UTF-16 source; without `cache` these sources are
    refused. If a source is damaged, the text has only the part that can be unpacked (`texts.Text.damage`).
    `cancel` and `report` are used whenever the text is unpacked; progress counts bytes of the source. Raises
    `errors.SourceError` with a sentence (missing, a folder, no permission, not PGN, nothing that can be
    unpacked, no room) and `errors.Cancelled`.
    """
    path = Path(path)
    head, status = _examine(path)
    kind = kind_of(path, head)
    if kind == "plain":
        return texts.PlainText(path)
    if cache is None:
        raise errors.SourceError(
            f"{path.name} is compressed or UTF-16 and needs a cache folder to be opened."
        )
    # These modules are imported here, so that a plain source does not wait for them.
    from cqlgui.pgn.packed import copies, stream

    try:
        folders.make(cache)
        _sweep(cache)
    except OSError as error:
        raise stream.unkept(path, error) from error
    family = f"text-{hashlib.blake2b(os.fsencode(path.absolute()), digest_size=8).hexdigest()}-"
    state = "-".join(f"{part:x}" for part in disk.State.of(status))
    copy = copies.Copy(cache, family, f"{family}{state}-{_WAY}")
    return stream.PackedText(path, kind, status, copy, cancel or progress.CancelToken(), report)


def is_plain(path: Path) -> bool:
    """Whether a source is neither packed nor UTF-16. Raises the errors of `open_source`."""
    head, _ = _examine(path)
    return kind_of(path, head) == "plain"


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
        raise texts.refusal(path, error) from error


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


def _sweep(cache: Path) -> None:
    """Remove the unfinished copies that a killed process left behind."""
    disk.sweep(cache)
    # Older versions of the program named their unfinished copies `text-*.tmp`. A file is removed if it was
    # not written to for `_FORSAKEN_SECONDS`.
    for left in cache.glob("text-*.tmp"):
        with contextlib.suppress(OSError):
            if time.time() - left.stat().st_mtime > _FORSAKEN_SECONDS:
                left.unlink()

"""Query files on disk, in UTF-8. If writing fails, the old file is not changed. `Seen` notices changes by
another program, because saving must not overwrite these changes without a warning."""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path

from cqlgui.base import errors
from cqlgui.base.files import disk

LARGEST = 4 * 1024 * 1024  # bytes; a larger file is refused, because it is most likely a PGN file


def read(path: Path) -> str:
    """The text of a query file; the lines end with `\\n`.

    Raises `errors.SourceError` with a sentence for the user.
    """
    try:
        if path.is_dir():
            raise errors.SourceError(f"{path} is a folder, not a query file.")
        if path.exists() and not path.is_file():
            # Reading a pipe would block the window until another program writes to the pipe.
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
    """Write a temporary file beside `path`, and rename the temporary file to `path`. If the old file has
    Windows line ends, the new file gets Windows line ends, too.

    If writing fails, this function raises `errors.SourceError`, and the old file is not changed.
    """
    try:
        target = path.resolve()  # if `path` is a link, the target of the link is replaced
        data = text.encode("utf-8", "replace")
        if _has_windows_ends(target):
            data = data.replace(b"\n", b"\r\n")
        disk.replace_file(target, data, follow=True)
    except OSError as fault:
        raise errors.SourceError(f"{path} cannot be written: {fault.strerror or fault}.") from fault
    except ValueError as fault:
        raise errors.SourceError(f"{str(path)!r} cannot be the name of a file.") from fault
    except RuntimeError as fault:
        raise errors.SourceError(f"{path} cannot be written: it is a link that leads to itself.") from fault


def _has_windows_ends(path: Path) -> bool:
    with contextlib.suppress(OSError):
        if disk.is_file(path):
            with path.open("rb") as file:
                return file.readline(LARGEST).endswith(b"\r\n")
    return False


class Seen:
    """Checksums of query files, made when this program last opened or saved each file."""

    def __init__(self) -> None:
        self._held: dict[Path, str] = {}
        self._told: dict[Path, str] = {}

    def note(self, path: Path, text: str) -> None:
        """Record the text of a file that this program has just read or written."""
        self.recall(path, _seal(text))

    def recall(self, path: Path, seal: str) -> None:
        """Restore a checksum that `of` returned earlier."""
        self._held[path] = seal
        self._told.pop(path, None)

    def of(self, path: Path) -> str:
        """The recorded checksum of a file; empty if no checksum is recorded."""
        return self._held.get(path, "")

    def changed(self, path: Path) -> bool:
        """Whether the text of a file differs from the recorded text. After a call that returned True, further
        calls return False until the text of the file changes again."""
        held = self._held.get(path)
        if held is None or not disk.is_file(path):
            return False
        try:
            now = _seal(read(path))
        except errors.SourceError as fault:
            # The file cannot be read as a query any more. The error message is used instead of a checksum.
            now = str(fault)
        if now in (held, self._told.get(path)):
            return False
        self._told[path] = now
        return True


def _seal(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()

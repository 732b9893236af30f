"""The plain text of a PGN source, as bytes that are read by offset."""

from __future__ import annotations

import abc
import os
import threading
from pathlib import Path
from types import TracebackType

from cqlgui.base import digests, errors, progress
from cqlgui.base.files import disk

_WIDE_LITTLE, _WIDE_BIG = b"\xff\xfe[\0", b"\xfe\xff\0["
"""The first bytes of a tag section in UTF-16, in both byte orders."""


class Text(abc.ABC):
    """The text of a source; a context manager that threads may share.

    `path` is the user's file, and `stamp` is the state of this file when it was opened. If a packed file
    could be unpacked only in part, `damage` is the end of a sentence that says why. For a whole file, and
    until the text has `ended`, `damage` is empty. `wide` says whether the bytes read so far hold UTF-16, in a
    source that is not UTF-16 as a whole.
    """

    def __init__(self, path: Path, status: os.stat_result) -> None:
        self.path = path
        self.stamp = disk.State.of(status)
        self.damage = ""
        self.wide = False
        self._place = status.st_dev, status.st_ino

    @property
    @abc.abstractmethod
    def size(self) -> int:
        """The number of bytes of the text. Until a packed text has `ended`, the number of bytes that are
        unpacked."""

    @property
    @abc.abstractmethod
    def ended(self) -> bool:
        """Whether the end of the text is known."""

    def read(self, offset: int, length: int) -> bytes:
        """At most `length` bytes from `offset`; fewer at the end. Raises `errors.SourceError` if the disk
        fails, and for a packed text also if there is no more room on the disk."""
        data = self.again(offset, length)
        self.wide = self.wide or _WIDE_LITTLE in data or _WIDE_BIG in data
        return data

    def relation(
        self, state: disk.State, size: int, digest: str, *, cancel: progress.CancelToken | None = None
    ) -> str:
        """How this text relates to an earlier text: `same`, `grown` (the earlier text is a prefix of this
        text) or `changed`. `state`, `size` and `digest` describe the source and its text at that time.
        `digest` is empty if it is not known.

        If the state of the source has not changed, the text counts as `same` and is not read. If the state
        has changed, the first `size` bytes are hashed. Raises the errors of `read`, and `errors.Cancelled`.
        """
        if state == self.stamp:
            return "same"
        if not digest or digests.of(self.again, size, cancel=cancel) != digest:
            return "changed"
        return "grown" if self.again(size, 1) else "same"

    @abc.abstractmethod
    def digest(self, cancel: progress.CancelToken | None = None) -> str:
        """The digest of the whole text (`digests`). The text must have `ended`. Raises the errors of `read`,
        and `errors.Cancelled`."""

    @abc.abstractmethod
    def keep(self) -> None:
        """Make sure that what was read so far can be read in later processes without unpacking. Raises
        `errors.SourceError` if it cannot be written."""

    @abc.abstractmethod
    def finish(self) -> None:
        """Unpack the rest of a packed text, and keep it. Raises the errors of `keep` and `read`, and
        `errors.Cancelled`."""

    def share(self, offset: int) -> tuple[int, int]:
        """How much of the source was read when byte `offset` of the text was read: the part, and the
        whole. Both are numbers of bytes, of the text or of the packed file."""
        return offset, self.size

    def is_intact(self) -> bool:
        """Whether the user's file is still at its path, and has not changed since it was opened. If the
        result is True, everything that was read before is valid."""
        try:
            status = self.path.stat()
        except OSError:
            return False
        return (status.st_dev, status.st_ino) == self._place and disk.State.of(status) == self.stamp

    @abc.abstractmethod
    def close(self) -> None:
        """Close the files. Do not read afterwards."""

    @abc.abstractmethod
    def again(self, offset: int, length: int) -> bytes:
        """The same as `read`, for text that an import has read before. It does not look for UTF-16."""

    def __enter__(self) -> Text:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class PlainText(Text):
    """The text of a file that is not packed."""

    def __init__(self, path: Path) -> None:
        try:
            self._file = path.open("rb")
        except OSError as error:
            raise refusal(path, error) from error
        status = os.fstat(self._file.fileno())
        super().__init__(path, status)
        self._size = status.st_size
        self._lock = threading.Lock()

    @property
    def size(self) -> int:
        """See `Text`."""
        return self._size

    @property
    def ended(self) -> bool:
        """See `Text`."""
        return True

    def digest(self, cancel: progress.CancelToken | None = None) -> str:
        """See `Text`."""
        found = digests.of(self.again, self._size, cancel=cancel)
        if found is None:
            raise errors.SourceError(f"{self.path.name} was cut off while it was read.")
        return found

    def keep(self) -> None:
        """See `Text`. There is nothing to do."""

    def finish(self) -> None:
        """See `Text`. There is nothing to do."""

    def close(self) -> None:
        """See `Text`."""
        self._file.close()

    def again(self, offset: int, length: int) -> bytes:
        """See `Text`."""
        try:
            with self._lock:
                self._file.seek(offset)
                return self._file.read(length)
        except OSError as error:
            raise errors.SourceError(
                f"{self.path.name} cannot be read: {error.strerror or error}."
            ) from error


class ChangedError(errors.SourceError):
    """The source has changed since its text was opened."""


def refusal(path: Path, error: OSError | ValueError) -> errors.SourceError:
    """The error for a file that cannot be opened, with a sentence that says why."""
    if isinstance(error, FileNotFoundError):
        return errors.SourceError(f"{path} does not exist.")
    if isinstance(error, PermissionError):
        return errors.SourceError(f"You have no permission to read {path}.")
    if isinstance(error, OSError):
        return errors.SourceError(f"{path} cannot be opened: {error.strerror or error}.")
    return errors.SourceError(f"{path!s} is not a file name.")

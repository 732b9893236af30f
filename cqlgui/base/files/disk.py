"""Writing files so that a crash or a full disk never leaves half of one, and telling whether files changed.

Every file that the program writes as a whole is first written under another name in the same folder, then
renamed. That name is random and begins with `PREFIX`. The file is created exclusively, so that nobody can put
a link in its place. It stays locked while it is written, so that `sweep` knows what a killed program left.
"""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import stat
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import BinaryIO, Final, NamedTuple

PREFIX: Final = ".cqlgui-"
SUFFIX: Final = ".tmp"
_FLAGS: Final = (
    os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
)


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


def is_file(path: Path) -> bool:
    """Whether there is a file. `Path.is_file` raises where nobody may look, as in a folder that is closed or
    on a share that is gone."""
    return os.path.isfile(path)  # noqa: PTH113  # this one raises nothing


def is_same(one: Path, other: Path) -> bool:
    """Whether two paths lead to the same file; raises nothing, as `is_file`."""
    try:
        return one.samefile(other)
    except (OSError, ValueError):
        return False


def is_folder(path: Path) -> bool:
    """Whether there is a folder; raises nothing, as `is_file`."""
    return os.path.isdir(path)  # noqa: PTH112  # this one raises nothing


@contextlib.contextmanager
def replacing(path: Path, *, private: bool = False, follow: bool = False) -> Iterator[BinaryIO]:
    """A file to be written that takes the place of `path`, synced to the disk, when the block ends without a
    fault; else it is removed and `path` stays as it was.

    The file is private while it is written. Then it gets the rights of the file it replaces, or those that
    new files have, unless it stays `private`. With `follow`, for files that the user names, a link stays and
    the file behind it is replaced; else the link itself is, as a stranger may have put it there. A device, a
    pipe or a file that is read-only is never replaced. Raises `OSError`.
    """
    path = _target(path, follow=follow)
    temporary, file = create(path.parent)
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            if not private:
                _give_rights(file, path)
        temporary.replace(path)
    finally:
        _remove(temporary)


def replace_file(path: Path, data: bytes, *, private: bool = False, follow: bool = False) -> None:
    """Put `data` under `path` as a whole or not at all, synced to the disk. Raises `OSError`."""
    with replacing(path, private=private, follow=follow) as file:
        file.write(data)


def create(folder: Path) -> tuple[Path, BinaryIO]:
    """A new, locked file with a random name in a folder; whoever makes it renames or removes it."""
    while True:
        path = folder / f"{PREFIX}{os.urandom(8).hex()}{SUFFIX}"
        with _lock:
            _unfinished.add(path)
        try:
            descriptor = os.open(path, _FLAGS, 0o600)
        except FileExistsError:
            continue
        except BaseException:
            _unfinished.discard(path)
            raise
        try:
            locked = lock_file(descriptor)
        except OSError:
            # This file system knows no locks; `sweep` leaves its files alone.
            locked = True
        if locked and os.fstat(descriptor).st_nlink:
            return path, os.fdopen(descriptor, "wb")
        # `sweep` came between the making and the lock.
        os.close(descriptor)
        _unfinished.discard(path)


def room(folder: Path) -> int:
    """Bytes that are free on the disk of a folder. Raises `OSError`."""
    # It takes a while to load, and few ask.
    import shutil

    return shutil.disk_usage(folder).free


def sweep(folder: Path) -> None:
    """Remove from a folder of the program's own what killed programs were writing."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        left = [entry.path for entry in entries if _is_temporary(entry.name)]
        for path in left:
            with contextlib.suppress(OSError):
                _remove_forsaken(path)


def discard_unfinished() -> None:
    """Remove all files that this process is still writing: it is about to end at once."""
    for path in list(_unfinished):
        with contextlib.suppress(OSError):
            path.unlink()


def discard_when_terminated() -> None:
    """Let a signal that ends the program remove what it is writing first; called by the main thread."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        # Under `nohup` one of them is ignored, and stays so.
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _terminated)


if sys.platform == "win32":
    import msvcrt

    def lock_file(descriptor: int) -> bool:
        """Lock a file for this opening of it, without waiting; False where somebody else has it locked.

        The lock is the operating system's and goes with the process. Raises `OSError` where there are none.
        """
        os.lseek(descriptor, 0, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True

    def unlock_file(descriptor: int) -> None:
        """Give the lock back."""
        os.lseek(descriptor, 0, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

    def _remove_forsaken(path: str) -> None:
        # The system refuses this while somebody has the file open.
        Path(path).unlink()

else:
    import fcntl

    def lock_file(descriptor: int) -> bool:
        """Lock a file for this opening of it, without waiting; False where somebody else has it locked.

        The lock is the operating system's and goes with the process. Raises `OSError` where there are none.
        """
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def unlock_file(descriptor: int) -> None:
        """Give the lock back."""
        fcntl.flock(descriptor, fcntl.LOCK_UN)

    def _remove_forsaken(path: str) -> None:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            if lock_file(descriptor):
                Path(path).unlink()
        finally:
            os.close(descriptor)


_lock: Final = threading.Lock()
_unfinished: Final[set[Path]] = set()


def _terminated(number: int, _frame: FrameType | None) -> None:
    discard_unfinished()
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def _target(path: Path, *, follow: bool) -> Path:
    """The file that is to be replaced where `path` is named."""
    try:
        if follow and path.is_symlink():
            path = path.resolve()
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return path
    except RuntimeError as error:
        raise OSError(errno.ELOOP, "it is a link that leads to itself") from error
    except ValueError as error:
        raise OSError(errno.EINVAL, "it is no name of a file") from error
    if stat.S_ISREG(mode) and not (mode & 0o222 and os.access(path, os.W_OK)):
        # Its folder would allow it; but so somebody protects a file.
        raise OSError(errno.EACCES, "it is read-only")
    # Whoever may write in its folder could replace a device for everybody.
    if not (stat.S_ISREG(mode) or stat.S_ISLNK(mode) or stat.S_ISDIR(mode)):
        raise OSError(errno.EINVAL, "it is no ordinary file")
    return path


def _is_temporary(name: str) -> bool:
    return name.startswith(PREFIX) and name.endswith(SUFFIX)


def _remove(temporary: Path) -> None:
    with contextlib.suppress(OSError):
        temporary.unlink()
    _unfinished.discard(temporary)


def _give_rights(file: BinaryIO, path: Path) -> None:
    """Give a new file the rights of the one it will replace, or those that the user's new files have."""
    if sys.platform == "win32":
        return
    try:
        rights = stat.S_IMODE(path.stat().st_mode) & 0o777
    except FileNotFoundError:
        with _lock:
            # There is no other way to ask for it.
            mask = os.umask(0o077)
            os.umask(mask)
        rights = 0o666 & ~mask
    with contextlib.suppress(OSError):
        # Some file systems have no rights.
        os.fchmod(file.fileno(), rights)

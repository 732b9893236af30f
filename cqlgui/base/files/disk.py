"""Writes files so that a crash or a full disk never leaves half a file, and tells whether files changed.

A file is first written under a temporary name in the same folder and then renamed. The temporary name is
random and begins with `PREFIX`. The file is created exclusively (`O_EXCL`), so that nobody can put a link in
the file's place. The file stays locked while it is written. `sweep` recognises a file that a killed program
left behind, because that file is not locked.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import signal
import stat
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import BinaryIO, Final, NamedTuple

PREFIX: Final = ".cqlgui-"
SUFFIX: Final = ".tmp"
_RANDOM_BYTES: Final = 8
MOST_FILES: Final = 10_240
"""The number of open files for which the program asks; macOS permits no more."""
_FLAGS: Final = (
    os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
)


class State(NamedTuple):
    """The size and two times of a file. These values show whether the content of the file has changed. mtime
    is the time of the last write, in ns. ctime is the time of the last change of the file or its attributes,
    in ns. Programs can set mtime back, but they cannot set ctime. On Windows, ctime is the time of
    creation."""

    size: int
    mtime_ns: int
    ctime_ns: int

    @staticmethod
    def of(status: os.stat_result) -> State:
        """Make a `State` from a result of `stat`."""
        return State(status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def is_file(path: Path) -> bool:
    """Whether the path is a file. False if the path cannot be examined. `Path.is_file` would raise an error
    if the user may not read the folder, or if a network share is no longer available."""
    return os.path.isfile(path)  # noqa: PTH113  # this one raises nothing


def is_same(one: Path, other: Path) -> bool:
    """Whether two paths lead to the same file. Raises nothing."""
    try:
        return one.samefile(other)
    except (OSError, ValueError):
        return False


def is_folder(path: Path) -> bool:
    """Whether the path is a folder. Raises nothing."""
    return os.path.isdir(path)  # noqa: PTH112  # this one raises nothing


@functools.cache
def allow_many_files() -> None:
    """Let this process have `MOST_FILES` open files, as far as the system permits. Many systems permit 256 or
    1,024 unless a process asks for more. Raises nothing."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        most = MOST_FILES if hard == resource.RLIM_INFINITY else min(MOST_FILES, hard)
        if soft != resource.RLIM_INFINITY and soft < most:
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def stands(path: Path) -> bool:
    """Whether a new file under this name would take the place of a file or of a link. A device, a pipe and a
    folder are never replaced, so they do not count, nor does a link to one of them. `/dev/stdout` counts if
    the output goes to a file. Raises nothing."""
    try:
        mode = path.lstat().st_mode
        if not stat.S_ISLNK(mode):
            return stat.S_ISREG(mode)
    except (OSError, ValueError):
        return False
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except (OSError, ValueError, RuntimeError):
        # A link that leads nowhere exists too.
        return True


@contextlib.contextmanager
def replacing(
    path: Path, *, private: bool = False, follow: bool = False, overwrite: bool = True, synced: bool = True
) -> Iterator[BinaryIO]:
    """Open a new file. When the block ends without an error, the new file is synced to the disk and replaces
    `path`. After an error the new file is removed, and `path` is unchanged.

    The new file is private while it is written. With `private` it stays private. Without `private`, it gets
    the permissions of the file that it replaces. If it replaces no file, it gets the permissions that the
    user's new files usually get.

    With `follow` (for files named by the user), a symbolic link is kept, and the target of the link is
    replaced. Without `follow` the link itself is replaced, because a stranger may have made the link so that
    the program overwrites the target of the link. A device, a pipe or a read-only file is never replaced.

    Without `overwrite`, no file and no link is replaced, not even one that appears while the block runs.
    Without `synced`, a power failure may leave a damaged file. Raises `OSError`.
    """
    named = path
    if not overwrite:
        _refuse_existing(named)
    path = _target(path, follow=follow)
    temporary, file = create(path.parent)
    try:
        with file:
            yield file
            file.flush()
            if synced:
                os.fsync(file.fileno())
            if not private:
                _give_rights(file, path)
        if not overwrite:
            _refuse_existing(named)
        temporary.replace(path)
    finally:
        _remove(temporary)


def replace_file(
    path: Path,
    data: bytes,
    *,
    private: bool = False,
    follow: bool = False,
    overwrite: bool = True,
    synced: bool = True,
) -> None:
    """Put `data` under `path` as a whole or not at all. Without `overwrite`, nothing is replaced. `synced` is
    that of `replacing`. Raises `OSError`."""
    with replacing(path, private=private, follow=follow, overwrite=overwrite, synced=synced) as file:
        file.write(data)


@contextlib.contextmanager
def adding(*, follow: bool = False, overwrite: bool = False) -> Iterator[Callable[[Path, bytes], None]]:
    """Yield a function that puts data into a new file. All these files appear when the block ends without an
    error. After an error none of them appears, and files that were replaced already are put back. An existing
    file is replaced only with `overwrite`; a device, a pipe and a read-only file never are. `follow` is that
    of `replacing`. Raises `OSError` with the path of the file at fault."""
    waiting: list[tuple[Path, Path]] = []
    # The files that are done, each with a copy of the file that it replaced.
    done: list[tuple[Path, Path | None]] = []
    targets: set[tuple[int, int, str]] = set()

    def checked(path: Path) -> Path:
        if not overwrite:
            _refuse_existing(path)
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, "a folder has this name", str(path))
        return _target(path, follow=follow)

    def add(path: Path, data: bytes) -> None:
        with _naming(path):
            target = checked(path)
            # A folder may have several names.
            folder = target.parent.stat()
            place = folder.st_dev, folder.st_ino, target.name
            if place in targets:
                raise OSError(errno.EEXIST, "it and another of these files are one file")
            targets.add(place)
            temporary, file = create(target.parent)
            waiting.append((temporary, path))
            # Each file is closed before the next one is opened, because a process has only so many open
            # files.
            with file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
                _give_rights(file, path)

    try:
        yield add
        for temporary, path in waiting:
            with _naming(path):
                target = checked(path)
                former = _copy(target)
                try:
                    temporary.replace(target)
                except BaseException:
                    if former is not None:
                        _remove(former)
                    raise
                done.append((target, former))
    except BaseException:
        while done:
            target, former = done.pop()
            # What cannot be put back stays under its other name.
            with contextlib.suppress(OSError):
                if former is None:
                    target.unlink()
                else:
                    _unfinished.discard(former)
                    former.replace(target)
        raise
    finally:
        for temporary, _ in waiting:
            _remove(temporary)
        for _, former in done:
            if former is not None:
                _remove(former)


def _copy(path: Path) -> Path | None:
    """A copy of a file or of a link, in the same folder; None if there is neither."""
    if not os.path.lexists(path):
        return None
    named, copy = create(path.parent)
    try:
        with copy:
            if path.is_symlink():
                named.unlink()
                named.symlink_to(path.readlink())
                return named
            copy.write(path.read_bytes())
            copy.flush()
            _give_rights(copy, path)
    except BaseException:
        _remove(named)
        raise
    return named


@contextlib.contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Let errors name this path, not that of an unfinished file."""
    try:
        yield
    except OSError as error:
        error.filename, error.filename2 = str(path), None
        raise


def _refuse_existing(path: Path) -> None:
    if stands(path):
        raise FileExistsError(errno.EEXIST, f"{path.name} exists already", str(path))


def create(folder: Path) -> tuple[Path, BinaryIO]:
    """Create a locked file with a random name in a folder. The caller must rename or remove the file."""
    while True:
        path = folder / f"{PREFIX}{os.urandom(_RANDOM_BYTES).hex()}{SUFFIX}"
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
            # This file system has no locks, so `sweep` removes no files from it.
            locked = True
        if locked and os.fstat(descriptor).st_nlink:
            return path, os.fdopen(descriptor, "wb")
        # Another program's `sweep` removed the file before this process had locked it.
        os.close(descriptor)
        _unfinished.discard(path)


def claim(path: Path, note: bytes) -> int | None:
    """Make a file, if it is missing, lock it, and let `note` be its content. Returns the descriptor, which
    keeps the lock until it is closed (`release`); None if this file system has no locks. Raises
    `BlockingIOError` if another open file has the lock, and other `OSError`s."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            locked = lock_file(descriptor)
        except OSError:
            os.close(descriptor)
            return None
        if not locked:
            os.close(descriptor)
            raise BlockingIOError(errno.EAGAIN, f"{path.name} is locked", str(path))
        if os.fstat(descriptor).st_nlink:
            try:
                os.ftruncate(descriptor, 0)
                os.write(descriptor, note)
            except OSError:
                release(path, descriptor)
                raise
            return descriptor
        # The owner before has removed the file just now.
        os.close(descriptor)


def release(path: Path, descriptor: int) -> None:
    """Give up a claim, and remove its file. Raises nothing."""
    # Windows removes no open file, so the file stays there. Without a lock it disturbs nobody.
    with contextlib.suppress(OSError):
        path.unlink()
    os.close(descriptor)


def room(folder: Path) -> int:
    """The free bytes on the disk of a folder. Raises `OSError`."""
    # `shutil` is imported here, because it takes a while to load and is rarely needed.
    import shutil

    return shutil.disk_usage(folder).free


def sweep(folder: Path, *, idle: float = 0.0) -> None:
    """Remove the unfinished files that a killed process of the program left behind in a folder. With `idle`,
    only files that have not changed for so many seconds are removed: a process that writes several files
    (`adding`) locks only the one that it is writing."""
    latest = time.time() - idle
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        left = [
            entry.path
            for entry in entries
            if _is_temporary(entry.name) and entry.stat(follow_symlinks=False).st_ctime <= latest
        ]
        for path in left:
            with contextlib.suppress(OSError):
                _remove_forsaken(path)


def discard_unfinished() -> None:
    """Remove all files that this process is still writing. Call this just before the process ends."""
    for path in list(_unfinished):
        with contextlib.suppress(OSError):
            path.unlink()


def discard_when_terminated() -> None:
    """Make SIGTERM and SIGHUP remove unfinished files before the program ends. Call this in the main
    thread."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        # `nohup` makes the program ignore SIGHUP. The program must go on ignoring SIGHUP.
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _terminated)


if sys.platform == "win32":
    import msvcrt

    def lock_file(descriptor: int) -> bool:
        """Lock a file without waiting. Returns False if another open file has the lock.

        The lock belongs to this open file and ends with the process. Raises `OSError` where the file system
        has no locks.
        """
        os.lseek(descriptor, 0, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True

    def unlock_file(descriptor: int) -> None:
        """Release the lock."""
        os.lseek(descriptor, 0, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

    def _remove_forsaken(path: str) -> None:
        # Windows refuses to remove a file that is open in another program.
        Path(path).unlink()

else:
    import fcntl

    def lock_file(descriptor: int) -> bool:
        """Lock a file without waiting. Returns False if another open file has the lock.

        The lock belongs to this open file and ends with the process. Raises `OSError` where the file system
        has no locks.
        """
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def unlock_file(descriptor: int) -> None:
        """Release the lock."""
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
    """The file to replace if a new file is written to `path`: `path` itself, or the target of a link
    (`follow`)."""
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
        # The permissions of the folder would allow replacing the file, but the user has made the file
        # read-only.
        raise OSError(errno.EACCES, "it is read-only")
    # A device must not be replaced: a user who may write in the folder would replace the device for
    # everybody.
    if not (stat.S_ISREG(mode) or stat.S_ISLNK(mode) or stat.S_ISDIR(mode)):
        raise OSError(errno.EINVAL, "it is no ordinary file")
    return path


def _is_temporary(name: str) -> bool:
    middle = name.removeprefix(PREFIX).removesuffix(SUFFIX)
    is_random = len(middle) == 2 * _RANDOM_BYTES and set(middle) <= set("0123456789abcdef")
    return is_random and name == f"{PREFIX}{middle}{SUFFIX}"


def _remove(temporary: Path) -> None:
    with contextlib.suppress(OSError):
        temporary.unlink()
    _unfinished.discard(temporary)


def _give_rights(file: BinaryIO, path: Path) -> None:
    """Give a new file the permissions of the file that it will replace. If it replaces no file, give it the
    permissions that the user's new files usually get."""
    if sys.platform == "win32":
        return
    try:
        rights = stat.S_IMODE(path.stat().st_mode) & 0o777
    except FileNotFoundError:
        with _lock:
            # The mask can be read only by setting it.
            mask = os.umask(0o077)
            os.umask(mask)
        rights = 0o666 & ~mask
    with contextlib.suppress(OSError):
        # Some file systems have no permissions.
        os.fchmod(file.fileno(), rights)

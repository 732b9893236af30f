"""One SQLite file: opened in WAL mode, its version checked, set aside if it is damaged; safe for threads and
processes."""

from __future__ import annotations

import contextlib
import logging
import os
import sqlite3
import threading
import time
import weakref
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from cqlgui.base import ahead, errors, priority
from cqlgui.base.files import disk, folders, soundness
from cqlgui.db import proofs

BUSY_SECONDS = 30.0
_BUSY_PAUSE: Final = 0.005
_PAGE: Final = 16_384
"""The bytes in a page of a new file. A search reads columns of 50,000 bytes, which takes half as long as with
the usual pages of 4,096 bytes."""
_PRAGMAS: Final = ("synchronous = normal", "foreign_keys = 0", "cache_size = -4096")
CHECKED_WHOLE = 32 << 20
"""When a file of at most this many bytes is opened, every page is checked. The check takes up to half a
second."""
PROVEN_LATER: Final = ("block", "own")
"""The tables of a large file with rows that are compared with their checksums when they are first used."""
SMALL = 1 << 20
"""A file of at most this many bytes is checked whenever it is opened."""
_HEAD = 100
_NO_ROOM: Final = ("disk I/O error", "disk is full", "unable to open database file")
_LEAST_ROOM: Final = 1 << 16
"""If the disk has fewer free bytes than this, nothing can be written."""
_DAMAGE = ("malformed", "not a database", "unsupported file format", "Could not decode to UTF-8")
_log = logging.getLogger(__name__)


class Damaged(errors.CqlguiError):
    """The file is damaged; it is set aside when it is opened next."""


class _Lease:
    """An object that exists as long as a thread has a connection. When the thread ends, the object is
    deleted."""


class File:
    """A database file and a connection for each thread. When a thread ends, a new thread reuses the
    connection."""

    def __init__(self, path: Path, version: int, what: str, *, check: bool = True) -> None:
        self.path = path
        self.what = what
        self._notice = ""
        self._version = version
        self._place = 0, 0
        self._lock = threading.Lock()
        self._opened: list[sqlite3.Connection] = []
        self._free: list[sqlite3.Connection] = []
        self._own = threading.local()
        # The state of the file if the file was opened immutable for lack of disk space. None if the file need
        # not be opened again.
        self._frozen: tuple[disk.State, bool] | None = None
        if not check:
            return
        begun = _begun.pop(path, None)
        try:
            folders.make(path.parent)
            if _marker(path).exists():
                _end(begun)
                begun = None
                self._mend()
            try:
                self._check(begun)
            except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
                if not _is_damage(error):
                    raise
                _end(begun)
                self._mend()
            # The numbers of the device and the file (inode) identify the file. They are read while the
            # connection of the check is open: until this connection is closed, the system gives these numbers
            # to no other file.
            self._place = _place(path)
        except sqlite3.DatabaseError as error:
            self.close()
            raise self._explained(error) from error
        except OSError as error:
            raise errors.CqlguiError(
                f"The {what} {path} cannot be used: {error.strerror or error}."
            ) from error

    def is_there(self) -> bool:
        """Whether the opened file is still at its path: another program may have deleted this file and made a
        new file."""
        try:
            return _place(self.path) == self._place
        except OSError:
            return False

    def take_notice(self) -> str:
        """A sentence for the user if a damaged file had to be set aside while opening. The result is empty if
        the file was sound. Every later call returns an empty text."""
        with self._lock:
            taken, self._notice = self._notice, ""
        return taken

    def connection(self) -> sqlite3.Connection:
        """The calling thread's connection. It is opened when it is first needed."""
        own = self._own.__dict__
        # After `close`, `_opened` is a new list, and each thread needs a new connection. A thread in
        # a transaction keeps its connection, because its statements belong together.
        if own.get("among") is not self._opened and not self._in_transaction():
            with self._lock:
                left = self._free.pop() if self._free else None
                opened, free = self._opened, self._free
            connection = left or self._connected()
            with self._lock:
                if left is None:
                    opened.append(connection)
            # A connection holds megabytes and takes a while to open. Each piece of work starts new threads,
            # so connections are reused. The lease is an attribute of a `threading.local`, so it is deleted
            # when its thread ends.
            lease = _Lease()
            weakref.finalize(lease, _give_back, connection, opened, free, self._lock).atexit = False
            own.update(connection=connection, among=opened, lease=lease)
        found: sqlite3.Connection = own["connection"]
        return found

    def _connected(self) -> sqlite3.Connection:
        connection, frozen = _connected(self.path)
        if frozen:
            self._frozen = _state(self.path)
        try:
            # An existing file keeps its own size of pages.
            connection.execute(f"PRAGMA page_size = {_PAGE}").close()
            _use_wal(connection)
            for pragma in _PRAGMAS:
                connection.execute(f"PRAGMA {pragma}").close()
        except BaseException:
            connection.close()
            raise
        return connection

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The thread's connection for reading; a damaged file raises `Damaged` and is set aside at the next
        start.
        """
        priority.pause()
        if self._frozen is not None and self._frozen != _state(self.path) and not self._in_transaction():
            self._thaw()
        try:
            yield self.connection()
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            raise self._explained(error) from error

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction. It waits until other writers have finished, and commits at the end. After an error
        nothing is changed."""
        if self._frozen is not None:
            # There may be room on the disk again.
            self._thaw()
        try:
            connection = self.connection()
            try:
                # `BEGIN` is inside the try block, because an interrupt may come right after `BEGIN`. If
                # `BEGIN` were outside the block, the transaction would stay open after this interrupt.
                connection.execute("BEGIN IMMEDIATE")
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                # A failing rollback must not hide the first error, such as a full disk.
                with contextlib.suppress(sqlite3.Error):
                    connection.rollback()
                raise
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            raise self._explained(error) from error

    def close(self) -> None:
        """Close the connections of this thread and of ended threads. The connection of any other thread is
        closed when that thread ends, because closing a connection during one of its statements would crash
        the process."""
        with self._lock:
            for connection in (self._own.__dict__.get("connection"), *self._free):
                if connection is not None and connection in self._opened:
                    connection.close()
            self._opened.clear()
            self._opened, self._free = [], []

    def _in_transaction(self) -> bool:
        """Whether the calling thread has begun a transaction."""
        connection = self._own.__dict__.get("connection")
        try:
            return connection is not None and connection.in_transaction
        except sqlite3.ProgrammingError:
            # The connection was closed.
            return False

    def _thaw(self) -> None:
        """Let all threads open the file again, because it may be writable now."""
        self._frozen = None
        self.close()

    def _mend(self) -> None:
        """Set the damaged file aside, unless another program has just done so. Several programs may find the
        same damage at the same time, and the file that the first one makes anew must stay."""
        self.close()
        with _alone(self.path):
            marker = _marker(self.path)
            if not marker.exists():
                try:
                    self._check(None)
                except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
                    if not _is_damage(error):
                        raise
                else:
                    return
            self.close()
            self._set_aside()
            marker.unlink(missing_ok=True)
            self._check(None)

    def _check(self, begun: ahead.Ahead[None] | None) -> None:
        """Raise `sqlite3.DatabaseError` for damage; `begun` is a check that is already under way."""
        with contextlib.suppress(FileNotFoundError), self.path.open("rb") as file:
            head = file.read(_HEAD)
            if head and not _is_head(head):
                raise sqlite3.DatabaseError("file is not a database")
        connection = self.connection()
        found, noted, sealed = _versions(connection)
        if noted and noted != sealed:
            raise sqlite3.DatabaseError("database disk image is malformed: its tables are altered")
        if found > self._version:
            self.close()
            raise errors.CqlguiError(
                f"The {self.what} {self.path} was written by a newer cqlgui (version {found}, this one knows "
                f"{self._version}). Use that program, or move the file away."
            )
        if begun is not None:
            begun.result()
        else:
            _check_whole(self.path, connection)

    def version(self) -> int:
        """The version of the tables in the file, 0 if there are none yet."""
        return int(self.connection().execute("PRAGMA user_version").fetchone()[0])

    def current(self) -> bool:
        """Whether the file has this version, and the definitions of its tables are still those for which
        `set_version` wrote the checksum."""
        found, noted, sealed = _versions(self.connection())
        return found == self._version and noted == sealed

    def set_version(self, connection: sqlite3.Connection) -> None:
        """Write the version into the file, and a checksum of the version and of all tables' definitions."""
        connection.execute(f"PRAGMA user_version = {self._version}")
        connection.execute(f"PRAGMA application_id = {seal(connection, self._version)}")

    def _explained(self, error: Exception) -> errors.CqlguiError:
        if _is_busy(error):
            return errors.CqlguiError(f"The {self.what} {self.path} is busy in another program.")
        if _is_damage(error):
            with contextlib.suppress(OSError):
                _marker(self.path).touch()
            return Damaged(f"The {self.what} {self.path} is damaged. Start again: it will be built anew.")
        if isinstance(error, sqlite3.OperationalError) and _is_full(self.path, error):
            return errors.CqlguiError(
                f"The disk is full: there is no room for the {self.what} {self.path}. Make room first."
            )
        if isinstance(error, sqlite3.OperationalError) and not _may_write(self.path):
            return errors.CqlguiError(
                f"The program may not write to {self.path.parent}, where it keeps its {self.what}."
            )
        if isinstance(error, sqlite3.OperationalError):
            return errors.CqlguiError(f"The {self.what} {self.path} cannot be used: {error}.")
        raise error

    def _set_aside(self) -> None:
        stamp = time.strftime("%Y%m%d-%H%M%S")
        aside = self.path.with_name(f"{self.path.name}.damaged-{stamp}-{os.getpid()}")
        # The file itself comes last. A program that makes it anew must not find the log of the old file.
        for suffix in ("-wal", "-shm", ""):
            part = self.path.with_name(self.path.name + suffix)
            with contextlib.suppress(FileNotFoundError):
                part.replace(aside.with_name(aside.name + suffix))
        self._notice = f"The {self.what} was damaged and is built anew; the damaged file was kept as {aside}."
        _log.warning("%s", self._notice)


def _connected(path: Path) -> tuple[sqlite3.Connection, bool]:
    """A connection in autocommit mode, and whether it should be opened again later.

    SQLite writes files beside a database. If SQLite cannot write these files, for lack of permission or disk
    space, the database is opened immutable. A database is never opened immutable if a program left changes in
    a file beside the database. If disk space is lacking, the database should be opened again later, because
    there may be room by that time.
    """
    whole = bool(_size(path)) and not _waiting(path)
    if whole and not _may_write(path):
        return _connection(path, as_it_stands=True), False
    connection = _connection(path, as_it_stands=False)
    if whole:
        try:
            connection.execute("PRAGMA schema_version").close()
        except sqlite3.OperationalError as error:
            connection.close()
            if not any(words in str(error) for words in _NO_ROOM):
                raise
            return _connection(path, as_it_stands=True), True
        except BaseException:
            connection.close()
            raise
    return connection, False


def _connection(path: Path, *, as_it_stands: bool) -> sqlite3.Connection:
    name = f"{path.absolute().as_uri()}?mode=ro&immutable=1" if as_it_stands else str(path)
    return sqlite3.connect(
        name,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
        factory=_Connection,
        uri=as_it_stands,
    )


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Only one program at a time is inside this context for one file. Where the file system has no locks,
    every program enters. Raises `sqlite3.OperationalError` if another program stays longer than
    `BUSY_SECONDS`."""
    until = time.monotonic() + BUSY_SECONDS
    with path.with_name(path.name + ".lock").open("a+b") as file:
        try:
            while not (held := disk.lock_file(file.fileno())):
                if time.monotonic() > until:
                    raise sqlite3.OperationalError("database is locked")
                time.sleep(_BUSY_PAUSE)
        except OSError:
            held = False
        try:
            yield
        finally:
            if held:
                disk.unlock_file(file.fileno())


def _use_wal(connection: sqlite3.Connection) -> None:
    """Let the file use a write-ahead log. If several programs do this to a new file at the same time, SQLite
    fails at once in all but one of them. So this tries again, for at most `BUSY_SECONDS`."""
    until = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = wal").close()
        except sqlite3.OperationalError as error:
            if not _is_busy(error) or time.monotonic() > until:
                raise
            time.sleep(_BUSY_PAUSE)
        else:
            return


def _versions(connection: sqlite3.Connection) -> tuple[int, int, int]:
    """The version of the tables, the checksum that `set_version` wrote, and the checksum of the tables as
    they are."""
    with _snapshot(connection):
        found = int(connection.execute("PRAGMA user_version").fetchone()[0])
        noted = int(connection.execute("PRAGMA application_id").fetchone()[0])
        return found, noted, seal(connection, found)


@contextlib.contextmanager
def _snapshot(connection: sqlite3.Connection) -> Iterator[None]:
    """All statements inside see the same state of the file, whatever other programs commit in the meantime.
    Inside a transaction, nothing changes."""
    if connection.in_transaction:
        yield
        return
    connection.execute("BEGIN")
    try:
        yield
    finally:
        connection.rollback()


class _Connection(sqlite3.Connection):
    """A connection to which there may be weak references."""


def _state(path: Path) -> tuple[disk.State, bool] | None:
    """A value that changes when somebody writes to the database: the state of the file, and whether a file
    beside it holds changes."""
    try:
        return disk.State.of(path.stat()), _waiting(path)
    except OSError:
        return None


def _waiting(path: Path) -> bool:
    return bool(_size(path.with_name(path.name + "-wal")))


def _size(path: Path) -> int:
    """The bytes of a file, 0 if the file is missing. The files beside a database are often missing, because
    SQLite removes them when the database is closed."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _is_full(path: Path, error: Exception) -> bool:
    if "disk is full" in str(error):
        return True
    with contextlib.suppress(OSError):
        return disk.room(path.parent) < _LEAST_ROOM
    return False


def _may_write(path: Path) -> bool:
    """Whether this file can be written, and other files can be made beside it. SQLite makes files beside a
    database even for reading."""
    return os.access(path.parent, os.W_OK) and (not path.exists() or os.access(path, os.W_OK))


def _place(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_dev, status.st_ino


def begin_check(path: Path) -> None:
    """Begin to check a file for damage before it is opened. The first `File` for this path waits for the
    result and does not check again."""
    if path.is_file() and not _marker(path).exists():
        _begun[path] = ahead.Ahead(lambda: _checked_alone(path))


_begun: Final[dict[Path, ahead.Ahead[None]]] = {}


def _end(begun: ahead.Ahead[None] | None) -> None:
    """Wait for the end of a check. Call this before the file is moved."""
    if begun is not None:
        with contextlib.suppress(sqlite3.Error, OSError):
            begun.result()


def _checked_alone(path: Path) -> None:
    with contextlib.closing(_connected(path)[0]) as connection:
        _check_whole(path, connection)


def state(path: Path) -> soundness.Checked | None:
    """The present state of a file. None if no note is made about the file, because it is small and can be
    checked again quickly, or because changes wait in the file beside it."""
    return soundness.Checked.of([path]) if _size(path) > SMALL and not _waiting(path) else None


def _check_whole(path: Path, connection: sqlite3.Connection) -> None:
    """Check for damage. If the file has checksums of tables, they are compared. In a large file with such
    checksums, SQLite checks only the tables outside `proofs.NAMES` and `PROVEN_LATER`. In any other file,
    SQLite checks every page. A file that was checked before, and was not written to since, is not read again.
    Raises `sqlite3.DatabaseError`."""
    checked, note = state(path), path.with_name(path.name + ".sound")
    if checked is not None and checked.is_noted(note):
        return
    tables = [row[0] for row in connection.execute("select name from sqlite_master where type = 'table'")]
    proven = "proof" in tables
    if proven:
        proofs.check(connection)
    if proven and path.stat().st_size > CHECKED_WHOLE:
        proven_later = (*proofs.NAMES, *PROVEN_LATER)
        checks = [f"PRAGMA integrity_check({table})" for table in tables if table not in proven_later]
    else:
        checks = ["PRAGMA integrity_check(1)"]
    for check in checks:
        answer = connection.execute(check).fetchone()[0]
        if answer != "ok":
            raise sqlite3.DatabaseError(f"database disk image is malformed: {answer}")
    if checked is not None:
        checked.note(note)


def _give_back(
    connection: sqlite3.Connection,
    opened: list[sqlite3.Connection],
    free: list[sqlite3.Connection],
    lock: threading.Lock,
) -> None:
    """Keep the connection of an ended thread for a new thread. If the file was closed, close the
    connection."""
    with lock:
        if connection not in opened:
            connection.close()
            return
        if connection.in_transaction:
            connection.rollback()
        free.append(connection)


def seal(connection: sqlite3.Connection, version: int) -> int:
    """A checksum of a version and the definitions of all tables in the file, never 0."""
    rows = connection.execute("select type, name, tbl_name, sql from sqlite_master order by 1, 2").fetchall()
    return zlib.crc32(repr((version, rows)).encode("utf-8")) & 0x7FFFFFFF or 1


def _marker(path: Path) -> Path:
    """The marker file beside a database. At the next start, this file shows the program that the database is
    damaged."""
    return path.with_name(path.name + ".damaged")


def _is_head(head: bytes) -> bool:
    """Whether a file begins as SQLite files do. An altered header could make the database read-only, for
    example."""
    fixed = head[:16] == b"SQLite format 3\0" and head[20:24] == b"\x00\x40\x20\x20"
    return len(head) == _HEAD and fixed and head[18] in (1, 2) and head[19] in (1, 2)


def _is_damage(error: Exception) -> bool:
    """Whether an error means damage of the file, rather than a problem around the file."""
    if isinstance(error, UnicodeDecodeError):
        return True
    return any(words in str(error) for words in _DAMAGE)


def _is_busy(error: Exception) -> bool:
    return "locked" in str(error) or "busy" in str(error)

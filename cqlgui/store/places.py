"""Where a published base stands: a local folder, or an address such as `s3://bucket/base`.

Local folders need nothing else. Addresses are read and written by `fsspec`, which is loaded when the first
address is used. Files that come from an address are kept in the cache of this computer. A file in the cache
has the checksum of its content in its name, so it is never out of date.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from cqlgui.base import errors
from cqlgui.base.files import disk, folders
from cqlgui.base.patterns import pattern

_SCHEME: Final = pattern(r"([a-zA-Z][a-zA-Z0-9+.-]+):/+")
"""A path takes two slashes for one. The letter of a drive on Windows is no scheme."""
LISTING: Final = "base.json"
"""The file that makes a folder a published base (`published`)."""
_Found = TypeVar("_Found")


def published_at(paths: Sequence[Path | str]) -> str | None:
    """The published base that `paths` name: one address, or one folder with a listing, or the listing itself.
    None for files. Raises `SourceError` if a published base is not the only path."""
    found = [place for path in paths if (place := _published(path)) is not None]
    if found and len(paths) > 1:
        raise errors.SourceError(f"{found[0]} is a published base. It is opened alone, without other files.")
    return found[0] if found else None


def _published(path: Path | str) -> str | None:
    """The published base at a path; None if there is none."""
    place = spelt(path)
    if Path(place).name == LISTING:
        place = place.removesuffix(LISTING).rstrip("/\\")
    return place if is_address(place) or disk.is_file(Path(place) / LISTING) else None


def spelt(place: Path | str) -> str:
    """A place as it is written: an address, or an absolute path. A path that was made from an address is
    taken for that address."""
    text = str(place)
    found = _SCHEME.match(text)
    if found is None:
        return str(Path(text).absolute())
    if found[1].lower() == "file":
        return "/" + text[found.end() :]
    return f"{found[1]}://{text[found.end() :]}"


def is_address(place: str) -> bool:
    """Whether a spelt place is an address, and not a local folder."""
    return _SCHEME.match(place) is not None


def checksum(data: bytes) -> str:
    """The checksum of a file's content, in hexadecimal digits."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


class PlaceError(errors.SourceError):
    """A place cannot be reached, read or written."""


class Place:
    """A folder with files, local or remote. All methods raise `PlaceError` if the place cannot be
    reached, and `FileNotFoundError` if a file is missing."""

    def __init__(self, place: str) -> None:
        self.name = place
        self._remote: tuple[Any, str] | None = None
        self._folder = Path(place)
        if is_address(place):
            self._remote = _file_system(place)
            self._folder = folders.cache() / "parts"

    def read(self, name: str) -> bytes:
        """The content of a file."""
        if self._remote is None:
            return self._asked(name, (self._folder / name).read_bytes)
        system, root = self._remote
        return self._asked(name, lambda: bytes(system.cat_file(f"{root}/{name}")))

    def write(self, name: str, data: bytes) -> None:
        """Replace a file by `data`, as a whole. A file of a local folder is written beside it and renamed. At
        an address, the store decides; object stores show a file when all of it was written."""
        try:
            if self._remote is None:
                path = self._folder / name
                self._asked(name, lambda: path.parent.mkdir(parents=True, exist_ok=True))
                self._asked(name, lambda: disk.replace_file(path, data))
                return
            system, root = self._remote
            self._asked(name, lambda: system.makedirs(f"{root}/{name}".rpartition("/")[0], exist_ok=True))
            self._asked(name, lambda: system.pipe_file(f"{root}/{name}", data))
        except FileNotFoundError as error:
            # The folder cannot be made, or was removed just now.
            raise self._refused(name, error.strerror or error) from error

    def has(self, name: str, data: bytes) -> bool:
        """Whether there is a file with this content. At an address, only its size is compared, because
        reading a file would take as long as writing it."""
        try:
            if self._remote is None:
                return self._asked(name, (self._folder / name).read_bytes) == data
            system, root = self._remote
            return bool(self._asked(name, lambda: system.size(f"{root}/{name}")) == len(data))
        except FileNotFoundError:
            return False

    def names(self) -> list[str]:
        """The names of all that stands in the folder itself, sorted; none if there is no such folder."""
        try:
            if self._remote is None:
                return sorted(self._asked("", lambda: [path.name for path in self._folder.iterdir()]))
            system, root = self._remote
            # Somebody else may have written there in the meantime.
            system.invalidate_cache()
            found = self._asked("", lambda: system.ls(root, detail=False))
        except FileNotFoundError:
            return []
        return sorted(str(path).rstrip("/").rpartition("/")[2] for path in found)

    def sweep(self) -> None:
        """Remove the unfinished files that killed programs left behind. At an address there are none."""
        if self._remote is None:
            disk.sweep(self._folder)

    def remove(self, name: str) -> None:
        """Remove a file. A file that is missing is no error."""
        try:
            if self._remote is None:
                self._asked(name, (self._folder / name).unlink)
            else:
                system, root = self._remote
                self._asked(name, lambda: system.rm_file(f"{root}/{name}"))
        except FileNotFoundError:
            return

    def local(self, name: str, expected: str) -> Path:
        """A local file with the content of the file `name`: the file itself, or its copy in the cache.
        `expected` is the checksum of the content, and is compared when the copy is made. Raises
        `errors.IndexDamaged` for another content."""
        path = self._folder / name
        return path if self._remote is None or disk.is_file(path) else self.again(name, expected)

    def again(self, name: str, expected: str) -> Path:
        """The same as `local`, if a copy in the cache is missing or altered. A file of a local folder cannot
        be fetched again, so `errors.IndexDamaged` is raised."""
        data = b"" if self._remote is None else self.read(name)
        if checksum(data) != expected:
            raise errors.IndexDamaged(f"The file {name} of {self.name} is damaged: its content is altered.")
        path = self._folder / name
        try:
            folders.make(path.parent)
            disk.replace_file(path, data)
        except OSError as error:
            raise errors.CqlguiError(f"{path} cannot be written: {error.strerror or error}.") from error
        return path

    def _asked(self, name: str, work: Callable[[], _Found]) -> _Found:
        try:
            return work()
        except FileNotFoundError:
            raise
        except OSError as error:
            raise self._refused(name, error.strerror or error) from error
        except Exception as error:
            # A store of objects has errors of its own, and this module does not know them.
            if self._remote is None:
                raise
            raise self._refused(name, error) from error

    def _refused(self, name: str, reason: object) -> PlaceError:
        what = f"The file {name} of {self.name}" if name else self.name
        return PlaceError(f"{what} cannot be used: {reason}.")


def _file_system(place: str) -> tuple[Any, str]:
    """The file system of an address, and the path of the address in it."""
    try:
        import fsspec.core
    except ImportError as error:
        raise PlaceError(
            f"{place} is an address, and addresses need the extra `cluster`: pip install 'cqlgui[cluster]'."
        ) from error
    try:
        system, root = fsspec.core.url_to_fs(place)
    except (ImportError, ValueError, OSError) as error:
        raise PlaceError(f"{place} cannot be reached: {error}.") from error
    return system, str(root).rstrip("/")

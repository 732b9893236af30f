"""The text files that queries read and write (`readfile`, `writefile`), only in folders that the user has
allowed.

A name is looked up in the allowed folders. An absolute name must lie within an allowed folder. The first text
that a search writes to a file replaces the old content; later texts are appended.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from cqlgui.base.files import disk
from cqlgui.board import tree
from cqlgui.cql.interpreting.runtime import host
from cqlgui.pgn import split

if TYPE_CHECKING:
    from cqlgui.pgn import reader

LONGEST: Final = 64 << 20
"""Maximum size in bytes of a file that is read, and of a file that is written."""
MOST_FILES: Final = 1_000
"""Maximum number of files that one search may write, so that a query cannot fill the disk."""

Kept = list[tuple[Path, str]]
"""Files that must not be written. Each file has a phrase that says what the file is, such as "is the query".
Messages put the file's name before the phrase."""


class Files:
    """Reads and writes text files for one search. `written` holds the size in bytes of each file that the
    search has begun to write. `kept` are the files that the search must not write (see `Kept`). A relative
    name is looked up in the folder `beside`. If `beside` is None, the name is looked up in each allowed
    folder."""

    def __init__(
        self,
        reading: Sequence[Path] = (),
        writing: Sequence[Path] = (),
        written: Mapping[str, int] | None = None,
        kept: Iterable[tuple[Path, str]] = (),
        beside: Path | None = None,
    ) -> None:
        self._beside = beside
        self._kept = list(kept)
        self._reading = [folder.resolve() for folder in reading]
        self._writing = [folder.resolve() for folder in writing]
        self.written = dict(written or {})
        self._texts: dict[Path, str] = {}

    def read(self, name: str) -> str:
        """The text of a file. A file that is not valid UTF-8 is read as Windows-1252. Raises
        `host.RefusedError`."""
        # The module is imported here, so that opening a base does not load the language.
        from cqlgui.cql.syntax.families import syntax_strings

        path = self._place(name, self._reading, syntax_strings.READABLE, "read")
        known = self._texts.get(path)
        if known is not None:
            return known
        data = _bytes(name, path)
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = data.decode("cp1252", "replace")
        self._texts = {path: text}
        return text

    def games(self, name: str) -> Iterator[tree.GameTree | None]:
        """The games of a PGN file. The value is None for a game that cannot be played by the rules of chess.
        Raises `host.RefusedError`."""
        path = self._place(name, self._reading, (".pgn",), "read")
        data = _bytes(name, path)
        from cqlgui.pgn import archives, reader

        if archives.kind_of(path, data) != "plain":
            raise host.RefusedError(f"{name} is packed or in UTF-16, which a query does not read.")
        return (_tree(reader.read_raw(raw)) for raw in split.games(split.BytesSource(data)))

    def write(self, name: str, text: str) -> None:
        """Append to a file. Raises `host.RefusedError`."""
        from cqlgui.cql.syntax.families import syntax_strings

        path = self._place(name, self._writing, syntax_strings.WRITABLE, "write")
        data = text.encode("utf-8", "replace")
        length = self.written.get(str(path))
        if length is None and len(self.written) >= MOST_FILES:
            raise host.RefusedError(f"{name} is not written: a search writes {MOST_FILES:,} files at most.")
        what = reason(path, self._kept) if length is None else ""
        if what:
            raise host.RefusedError(f"{name} {what} and is not overwritten.")
        try:
            _plain(name, path)
            if (length or 0) + len(data) > LONGEST:
                raise host.RefusedError(f"{name} has grown too long.")
            if length is None:
                # The new text is written to a new file, and the new file replaces the old file. If the disk
                # is full, the old file is left unchanged.
                disk.replace_file(path, data)
            else:
                _append(path, length, data)
        except OSError as error:
            raise host.RefusedError(f"{name} cannot be written: {error.strerror or error}.") from error
        self.written[str(path)] = (length or 0) + len(data)
        self._texts.pop(path, None)

    def _place(self, name: str, folders: Sequence[Path], ends: tuple[str, ...], verb: str) -> Path:
        """The file that a name means, with symbolic links followed. Raises `host.RefusedError` if the file
        lies outside the allowed folders, or if its ending is not allowed."""
        if not folders:
            raise host.RefusedError(
                f"This query wants to {verb} the file {name}, and no folder was allowed for that."
            )
        if not name.lower().endswith(ends):
            raise host.RefusedError(
                f"A query may only {verb} files that end in {', '.join(ends)}, not {name}."
            )
        try:
            found = places(name, folders, self._beside)
            existing = [place for place in found if place.is_file()]
        except (OSError, ValueError, RuntimeError) as error:
            raise host.RefusedError(f"{name} is no name of a file: {error}.") from error
        if not found:
            raise host.RefusedError(f"{name} lies outside the folders that queries may {verb}.")
        place = (existing or found)[0]
        if not place.name.lower().endswith(ends):
            raise host.RefusedError(f"{name} leads to {place.name}, which does not end in {', '.join(ends)}.")
        return place


def places(name: str, folders: Sequence[Path], beside: Path | None = None) -> list[Path]:
    """The files within `folders` that a name may mean, with symbolic links followed. `folders` must be
    resolved. A relative name is looked up in `beside`. If `beside` is None, the name is looked up in each of
    the folders.

    Raises `OSError`, `ValueError` or `RuntimeError` for a text that is no file name.
    """
    found = [(start / name).resolve() for start in (folders if beside is None else [beside])]
    return [place for place in found if any(place.is_relative_to(folder) for folder in folders)]


def reason(path: Path, kept: Iterable[tuple[Path, str]]) -> str:
    """The phrase that `kept` has for a file; empty if the file is not in `kept`. Other names of the file and
    links to the file are recognised."""
    return next((what for one, what in kept if disk.is_same(path, one)), "")


def _plain(name: str, path: Path) -> None:
    """Raise `host.RefusedError` for a path that exists and is no regular file: opening a pipe or device may
    hang forever."""
    if path.exists() and not path.is_file():
        raise host.RefusedError(f"{name} is no ordinary file.")


def _append(path: Path, length: int, data: bytes) -> None:
    """Keep the first `length` bytes of a file, drop the rest, and append `data`. The rest comes from a worker
    that died before its report, or from a text that did not fit on the disk."""
    with path.open("r+b") as file:
        file.truncate(length)
        file.seek(length)
        file.write(data)


def _bytes(name: str, path: Path) -> bytes:
    """The content of a file; raises `host.RefusedError`."""
    try:
        _plain(name, path)
        with path.open("rb") as file:
            data = file.read(LONGEST + 1)
    except OSError as error:
        raise host.RefusedError(f"{name} cannot be read: {error.strerror or error}.") from error
    if len(data) > LONGEST:
        raise host.RefusedError(f"{name} is too long to be read by a query.")
    return data


def _tree(game: reader.ReadGame) -> tree.GameTree | None:
    return tree.GameTree.decode(game.start_fen, game.words) if game.playable else None

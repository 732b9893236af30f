"""Gives the interpreter the data of one game: tags from the catalog, texts and glyphs from the source."""

from __future__ import annotations

import functools
import itertools
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cqlgui.base import errors
from cqlgui.base.data import dataclass
from cqlgui.base.files import disk
from cqlgui.board import tree
from cqlgui.db import catalog, headers
from cqlgui.pgn import archives, braces, decoding, split
from cqlgui.pgn import texts as texts_module
from cqlgui.store import index
from cqlgui.tasks.databases import files

if TYPE_CHECKING:
    from cqlgui.pgn import reader


def stamp_of(path: Path, folder: Path) -> str:
    """The state of a source and of its index, as one string. Raises `errors.SourceError` if the source or the
    index is gone."""
    try:
        status = path.stat()
    except OSError as error:
        raise errors.SourceError(f"{path} cannot be read any more: {error.strerror or error}.") from error
    written = _written(path, folder).st_mtime_ns
    return "-".join(map(str, (*disk.State.of(status), written)))


def insist(path: Path, folder: Path, digest: str, games: int = 0) -> None:
    """Raise `errors.SourceError` if the index of a source no longer describes the text named `digest`, or if
    it has less than `games` games. An empty digest accepts any text.

    Call this after rows of the source were read from the catalog. The rows then belong to the text. An import
    of another text changes the index first, then removes the old rows, and adds new rows and games last."""
    state = _written(path, folder)
    compare(path, _manifest(folder, state.st_mtime_ns, state.st_size, state.st_ino), digest, games)


def compare(path: Path, known: tuple[index.Identity, int] | None, digest: str, games: int) -> None:
    """`insist` for an index that is open already. `known` has the identity of its text and the number of its
    games."""
    if known is None or (digest and not known[0].is_named(digest)) or known[1] < games:
        # If only games are missing, the same text is being read again.
        raise errors.SourceError(f"{path.name} was read again since this base was opened. Open it again.")


def _written(path: Path, folder: Path) -> os.stat_result:
    """The status of the manifest of a source's index."""
    try:
        return (folder / index.MANIFEST).stat()
    except OSError as error:
        raise errors.SourceError(
            f"The index of {path.name} is gone from the cache folder. Open the file again to make it anew."
        ) from error


@functools.lru_cache(256)
def _manifest(folder: Path, *_state: int) -> tuple[index.Identity, int] | None:
    """The identity of the text that an index describes, and the number of its games; None if there is no
    index. The state of the manifest is a part of the cache key."""
    known = index.Manifest.read(folder)
    return None if known is None else (known.identity, known.games)


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of several games: the text of game g is `data[begins[g]:ends[g]]`, and `flags` has its flags
    in the index (`segments.CLEAN` and so on)."""

    data: bytes
    begins: np.ndarray
    ends: np.ndarray
    flags: np.ndarray


class SourceReader:
    """One indexed source opened for reading: its index, its text and its rows in the catalog. Close the
    reader after use.

    If the indexed games are not named `digest` (`index.Identity.name`), or are fewer than `games`,
    `errors.SourceError` is raised. There is no error if segments of the index were added or repaired after
    the base was opened.
    """

    def __init__(
        self,
        path: Path,
        folder: Path,
        rows: catalog.Catalog,
        source: int,
        digest: str = "",
        games: int = 0,
    ) -> None:
        self.path = path
        self.folder = folder
        self.rows = rows
        self.source = source
        self.index = index.SourceIndex.open(folder)
        self._digest = digest
        try:
            compare(path, (self.index.manifest.identity, self.index.game_count), digest, games)
        except errors.SourceError:
            self.index.close()
            raise
        self._text: texts_module.Text | None = None
        self._named: int | None = None
        # The rows that were fetched last, by ordinal.
        self._headers: dict[int, headers.Header] = {}

    @property
    def text(self) -> texts_module.Text:
        """The text of the source, opened at first use. Raises `errors.SourceError` if the source does not
        hold the text that was indexed."""
        if self._text is None:
            text = archives.open_source(self.path, self.folder)
            if not _holds(self.path, self.folder, text.stamp, self.index.manifest.identity):
                text.close()
                raise self._changed()
            self._text = text
        return self._text

    @property
    def named_games(self) -> int:
        """Number of games with a White tag."""
        if self._named is None:
            named = self.rows.named_count(self.source)
            self._insist()
            self._named = named
        return self._named

    def header(self, ordinal: int, coming: Sequence[int] = ()) -> headers.Header:
        """The row of a game in the catalog. The rows of the games `coming` are fetched with this row, because
        one query for many rows is much faster. Raises `errors.SourceError` if the row is missing."""
        if ordinal not in self._headers:
            found = self.rows.headers(self.source, {ordinal, *coming[:AHEAD]})
            self._insist()
            self._headers = found
        row = self._headers.get(ordinal)
        if row is None:
            raise errors.SourceError(
                f"Headers of {self.path.name} are missing in the catalog. Open the file again."
            )
        return row

    def _insist(self) -> None:
        if self._digest:
            insist(self.path, self.folder, self._digest)

    def raw(self, ordinal: int) -> bytes:
        """The bytes of a game, or only the first bytes if the game is too long (`reading_limit`). Raises
        `errors.SourceError` if the source no longer holds the text that was indexed."""
        offset, length, _line = self.index.span(ordinal)
        return self._bytes(offset, min(length, reading_limit(length)))

    def whole(self, ordinal: int) -> bytes:
        """All bytes of a game of any length; raises the same errors as `raw`."""
        offset, length, _line = self.index.span(ordinal)
        return self._bytes(offset, length)

    def texts(self, ordinals: np.ndarray) -> Texts:
        """All bytes of several games. Games that are close together in the file are read in one call. Raises
        the same errors as `raw`."""
        rows = self.index.rows(ordinals)
        offsets, ends = rows["offset"].astype(np.int64), (rows["offset"] + rows["length"]).astype(np.int64)
        near = (offsets[1:] >= ends[:-1]) & (offsets[1:] <= ends[:-1] + _GAP)
        heads = [0, *(np.flatnonzero(~near) + 1).tolist(), len(rows)]
        begins = np.zeros(len(rows), np.int64)
        parts: list[bytes] = []
        size = 0
        for head, tail in itertools.pairwise(heads):
            while head < tail:
                first = int(offsets[head])
                # At least one game is read, of any length.
                last = max(head + 1, head + int(np.searchsorted(ends[head:tail], first + _READ)))
                begins[head:last] = offsets[head:last] - first + size
                parts.append(self._bytes(first, int(ends[last - 1]) - first))
                size += len(parts[-1])
                head = last
        return Texts(b"".join(parts), begins, begins + rows["length"].astype(np.int64), rows["flags"])

    def stretch(self, begin: int, end: int) -> bytes:
        """The bytes `begin` to `end` - 1 of the text; raises the same errors as `raw`."""
        return self._bytes(begin, end - begin)

    def check(self) -> None:
        """Raise `errors.SourceError` if the source no longer holds the text that was indexed."""
        self._bytes(0, 0)

    def _bytes(self, offset: int, length: int) -> bytes:
        for _ in range(_PATIENCE):
            text = self.text
            data = text.again(offset, length)
            if text.is_intact():
                if len(data) < length:
                    break
                return data
            # The source may have been copied, linked or extended. Open the text of the source again, and
            # compare the whole text with the indexed text.
            text.close()
            self._text = None
        raise self._changed()

    def _changed(self) -> errors.SourceError:
        return errors.SourceError(f"{self.path.name} has changed since it was read. Open it again.")

    def read(self, ordinal: int) -> reader.ReadGame:
        """Read a game again from the text of the source."""
        # The reader is imported here, because the import takes a while and few callers need the reader.
        from cqlgui.pgn import reader

        offset, length, line = self.index.span(ordinal)
        problem = "" if reading_limit(length) == length else "the game is too long to be read"
        return reader.read_game(self.raw(ordinal), line, offset, problem)

    def close(self) -> None:
        """Close the text and the index."""
        if self._text is not None:
            self._text.close()
            self._text = None
        self.index.close()


@functools.lru_cache(64)
def _holds(path: Path, folder: Path, stamp: disk.State, identity: index.Identity) -> bool:
    """Whether a source still begins with the text that was indexed. `stamp` is the state of the source. If
    this state has changed since the indexing, the source's text is compared with the indexed text."""
    if stamp == identity.state:
        return True
    with archives.open_source(path, folder) as text:
        return text.relation(identity.state, identity.text_size, identity.digest) != "changed"


_GAP = 1 << 12
"""Games that are closer together than this many bytes are read in one call."""
_READ = 1 << 22
"""Once this many bytes are read in one call, the next game is read in a new call."""
AHEAD = 200
"""Maximum number of rows of the catalog that are fetched ahead."""
_PATIENCE = 3
"""Maximum number of attempts to read from a source. An attempt fails if the source changes during the
attempt."""
LONGEST_WHOLE = split.LONGEST_GAME
HEAD_OF_LONG = split.HEAD_OF_LONG


def reading_limit(length: int) -> int:
    """The number of bytes of a game that are read: all bytes, or only the head of a game that is too long for
    memory."""
    return length if length <= LONGEST_WHOLE else HEAD_OF_LONG


class GameHost:
    """The interpreter's `Host` for a game of a source. Rows and texts are fetched when a query first needs
    them."""

    __slots__ = ("_coming", "_ending", "_files", "_game", "_ordinal", "_reader", "_tags")

    def __init__(
        self,
        source: SourceReader,
        ordinal: int,
        allowed: files.Files | None = None,
        coming: Sequence[int] = (),
    ) -> None:
        """`coming` are the ordinals of games that are probably evaluated next."""
        self._coming = coming
        self._reader = source
        self._ordinal = ordinal
        self._files = allowed or files.Files()
        self._tags: dict[str, str] | None = None
        self._ending: str | None = None
        self._game: reader.ReadGame | None = None

    @property
    def gamenumber(self) -> int:
        """1-based ordinal in the source."""
        return self._ordinal + 1

    @property
    def game_count(self) -> int:
        """Number of games in the source that have a White tag. The reference program counts the lines with
        White tags too."""
        return self._reader.named_games

    def tag(self, name: str) -> str | None:
        """A tag's text."""
        return self._header().get(name)

    @property
    def result(self) -> str | None:
        """The result at the end of the game's text. If the text ends without a result, the value of the tag
        `Result` is returned."""
        tags = self._header()
        return self._ending or tags.get("Result")

    def text(self) -> str:
        """The game's text, or only the head of the text if the game is too long."""
        return decoding.decode(self._reader.raw(self._ordinal))

    def comment(self, positionid: int) -> str | None:
        """The last comment at a position, with each run of white space replaced by one blank."""
        found = self._read().last_comments.get(positionid)
        return None if found is None else braces.folded(found)

    def all_comments(self, positionid: int) -> str:
        """All comments at a position, with blanks between them."""
        return self._read().comments.get(positionid, "")

    def nags(self, positionid: int) -> tuple[int, ...]:
        """The glyphs at a position."""
        return self._read().nags.get(positionid, ())

    def other_games(self, name: str) -> Iterator[tree.GameTree | None]:
        """The games of another file, if the user allowed the folder of the file."""
        return self._files.games(name)

    def read_file(self, name: str) -> str:
        """A text file, if the user allowed the folder of the file."""
        return self._files.read(name)

    def write_file(self, name: str, text: str) -> None:
        """Append to a text file, if the user allowed the folder of the file."""
        self._files.write(name, text)

    def _header(self) -> dict[str, str]:
        if self._tags is None:
            row = self._reader.header(self._ordinal, self._coming)
            self._tags = headers.to_tags(row)
            self._ending = row.ending
        return self._tags

    def _read(self) -> reader.ReadGame:
        if self._game is None:
            self._game = self._reader.read(self._ordinal)
        return self._game


class BareHost:
    """The interpreter's `Host` for a position without a game."""

    gamenumber = 1
    game_count = 1
    result = None

    def tag(self, name: str) -> str | None:
        """No tag, because there is no game."""
        return None

    def text(self) -> str:
        """The empty text, because there is no game."""
        return ""

    def comment(self, positionid: int) -> str | None:
        """No comment, because there is no game."""
        return None

    def all_comments(self, positionid: int) -> str:
        """No comment, because there is no game."""
        return ""

    def nags(self, positionid: int) -> tuple[int, ...]:
        """No glyph, because there is no game."""
        return ()

    def other_games(self, name: str) -> Iterator[tree.GameTree | None]:
        """Raise `host.RefusedError`, because no folder is allowed."""
        return files.Files().games(name)

    def read_file(self, name: str) -> str:
        """Raise `host.RefusedError`, because no folder is allowed."""
        return files.Files().read(name)

    def write_file(self, name: str, text: str) -> None:
        """Raise `host.RefusedError`, because no folder is allowed."""
        files.Files().write(name, text)

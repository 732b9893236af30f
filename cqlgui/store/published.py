"""A published base: a folder that a search needs nothing beside, so that any computer can search it.

    base.json               {"check": checksum of the rest, "base": {versions, sources with their parts}}
    parts/CHECKSUM.seg      a segment (`segments`)
    parts/CHECKSUM.sig      its signatures (`side_files`); may be missing
    parts/CHECKSUM.npz      the headers of its games, an array for each column
    parts/CHECKSUM.pgn.zst  the text of its games, from the first one up to the next part's first one

The checksum in the names is that of all files of the part, so a file with a given name never changes. All
parts are written before `LISTING`. A killed program therefore leaves a base as it was before, and the next
run finds the parts that are there already.
"""

from __future__ import annotations

import bisect
import collections
import contextlib
import functools
import io
import itertools
import json
import threading
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, overload

import numpy as np
import zstandard

from cqlgui.base import errors, patterns
from cqlgui.base.data import dataclass, named
from cqlgui.base.files import disk
from cqlgui.store import index, places, segments, side_files

VERSION: Final = 1
LISTING: Final = places.LISTING
SEGMENT, SIGNATURES, HEADERS, TEXT = ".seg", side_files.SIGNATURES, ".npz", ".pgn.zst"
_NAME: Final = patterns.pattern("[0-9a-f]{32}")
_MOST_OPEN: Final = 64
"""Number of segments that an index keeps open. A process may open only so many files."""
_LEVEL: Final = 6
_TOO_MUCH: Final = 1 << 62


@dataclass(frozen=True, slots=True)
class Part:
    """A segment with all that belongs to it. `offset`, `end` and `line` are those of `index.SegmentRow`.
    `named` and `bad` count the games with a White tag, and the games that could not be read whole. `sums` has
    the checksum of each file, by the ending of its name."""

    name: str
    games: int
    positions: int
    offset: int
    end: int
    line: int
    named: int
    bad: int
    sums: Mapping[str, str]

    def file(self, ending: str) -> str:
        """The name of a file of the part, in the folder of the base."""
        return f"parts/{self.name}{ending}"


@dataclass(frozen=True)
class Listed:
    """A source of a published base: the path that it had where it was published, and the digest and the size
    of its text (`index.Identity`)."""

    path: str
    digest: str
    text_size: int
    parts: tuple[Part, ...]

    @functools.cached_property
    def firsts(self) -> list[int]:
        """The ordinal of each part's first game, from 0, and the number of all games."""
        return list(itertools.accumulate((part.games for part in self.parts), initial=0))

    @functools.cached_property
    def begins(self) -> list[int]:
        """The byte where the text of each part begins, and the size of the text."""
        return [0, *(part.offset for part in self.parts[1:]), self.text_size]

    @property
    def games(self) -> int:
        """Number of games."""
        return self.firsts[-1]

    def number_of(self, game: int) -> int:
        """The number of the part that holds a game."""
        return bisect.bisect_right(self.firsts, game) - 1


@dataclass(frozen=True, slots=True)
class Listing:
    """The content of `LISTING`. `check` identifies it."""

    sources: tuple[Listed, ...]
    check: str

    @staticmethod
    def of(sources: Sequence[Listed]) -> Listing:
        """The listing of some sources."""
        return Listing(tuple(sources), places.checksum(_canonical(_words(sources))))

    def packed(self) -> bytes:
        """The bytes of `LISTING`."""
        outer = {"check": self.check, "base": _words(self.sources)}
        return json.dumps(outer, indent=1).encode("ascii")

    @staticmethod
    def read(place: places.Place) -> Listing:
        """The listing at a place. Raises `errors.SourceError` if there is no published base, or if another
        version of the program has published it, and `errors.IndexDamaged` if the listing is altered."""
        try:
            data = place.read(LISTING)
        except FileNotFoundError as error:
            raise errors.SourceError(
                f"{place.name} is no published base: it has no {LISTING}. `cqlgui publish` makes one."
            ) from error
        try:
            outer = json.loads(data)
            inner = outer["base"]
            if places.checksum(_canonical(inner)) != outer["check"]:
                raise ValueError("altered")
            versions = inner["versions"]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise errors.IndexDamaged(f"{LISTING} of {place.name} is damaged: {error}.") from error
        if versions != _VERSIONS:
            raise errors.SourceError(
                f"{place.name} was published by another version of the program (formats {_spoken(versions)}; "
                f"this program has {_spoken(_VERSIONS)}). Publish it again."
            )
        try:
            return Listing(tuple(map(_listed, inner["sources"])), outer["check"])
        except (ValueError, KeyError, TypeError) as error:
            raise errors.IndexDamaged(f"{LISTING} of {place.name} is damaged: {error}.") from error


_VERSIONS: Final = {"base": VERSION, "reading": index.VERSION, "segments": segments.VERSION}
"""The versions that must be the same where a base is published and where it is searched. Signatures of
another version are made again."""


def _spoken(versions: Any) -> str:
    known = versions if isinstance(versions, dict) else {}
    return ", ".join(f"{name} {number}" for name, number in known.items()) or "unknown"


def _words(sources: Sequence[Listed]) -> dict[str, Any]:
    rows = [
        {**named(source), "parts": [{**named(part), "sums": dict(part.sums)} for part in source.parts]}
        for source in sources
    ]
    return {"versions": _VERSIONS, "sources": rows}


def _listed(row: dict[str, Any]) -> Listed:
    parts = tuple(Part(**part) for part in row["parts"])
    for part in parts:
        # The names become names of files.
        if not _NAME.fullmatch(part.name) or not {SEGMENT, HEADERS, TEXT} <= set(part.sums):
            raise ValueError("a part has an impossible name")
        numbers = part.games, part.positions, part.offset, part.end, part.line, part.named, part.bad
        if not all(type(number) is int and 0 <= number < _TOO_MUCH for number in numbers) or not part.games:
            raise ValueError("a part has an impossible number")
        if not all(_NAME.fullmatch(text) for text in part.sums.values()):
            raise ValueError("a part has an impossible checksum")
    path, digest, size = row["path"], row["digest"], row["text_size"]
    if not (
        isinstance(path, str) and isinstance(digest, str) and type(size) is int and 0 <= size < _TOO_MUCH
    ):
        raise ValueError("a source has an impossible path, digest or size")
    return Listed(path, digest, size, parts)


def name_of(sums: Mapping[str, str]) -> str:
    """The name of a part whose files have these checksums."""
    return places.checksum(_canonical(dict(sums)))


def _canonical(inner: object) -> bytes:
    return json.dumps(inner, sort_keys=True, separators=(",", ":")).encode("ascii")


class Index(index.SourceIndex):
    """The index of a published source. A segment is fetched, opened and compared with its checksum when it is
    first used."""

    __slots__ = ("_opened",)

    def __init__(self, place: places.Place, source: Listed) -> None:
        self.folder = Path(place.name)
        rows = tuple(
            index.SegmentRow(part.name, part.games, part.positions, part.offset, part.end, part.line)
            for part in source.parts
        )
        identity = index.Identity(source.path, disk.State(0, 0, 0), source.text_size, source.digest)
        self.manifest = index.Manifest(identity, rows, source.text_size, complete=True)
        self._segments = self._opened = _Segments(place, source)
        self._firsts = source.firsts[:-1]
        self.game_count = source.games

    def close(self) -> None:
        """Close the segments that are open."""
        self._opened.close()


class _Segments(Sequence[segments.Segment]):
    """The segments of a source, opened one by one."""

    def __init__(self, place: places.Place, source: Listed) -> None:
        self._place = place
        self._parts = source.parts
        self._open: collections.OrderedDict[int, segments.Segment] = collections.OrderedDict()

    def __len__(self) -> int:
        return len(self._parts)

    @overload
    def __getitem__(self, number: int) -> segments.Segment: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[segments.Segment]: ...
    def __getitem__(self, number: int | slice) -> segments.Segment | Sequence[segments.Segment]:
        if isinstance(number, slice):
            return [self[one] for one in range(*number.indices(len(self)))]
        found = self._open.get(number)
        if found is None:
            found = self._open[number] = open_segment(self._place, self._parts[number])
            while len(self._open) > _MOST_OPEN:
                self._open.popitem(last=False)[1].close()
        self._open.move_to_end(number)
        return found

    def __iter__(self) -> Iterator[segments.Segment]:
        return (self[number] for number in range(len(self)))

    def close(self) -> None:
        """Close all segments."""
        while self._open:
            self._open.popitem()[1].close()


def open_segment(place: places.Place, part: Part) -> segments.Segment:
    """Open the segment of a part. Raises `errors.IndexDamaged` if it is missing or altered."""
    path = _file(place, part, SEGMENT)
    if SIGNATURES in part.sums and places.is_address(place.name):
        # `side_files` looks beside the segment, and does without a file that is missing or altered.
        with contextlib.suppress(errors.IndexDamaged):
            _file(place, part, SIGNATURES)
    try:
        return segments.Segment(path)
    except errors.IndexDamaged:
        # The file was lost or altered after it was compared with its checksum.
        return segments.Segment(_file(place, part, SEGMENT, anew=True))


def check(place: places.Place, part: Part) -> None:
    """Raise `errors.IndexDamaged` if a file that the games of a part need is missing or altered."""
    for ending in (SEGMENT, HEADERS, TEXT):
        _file(place, part, ending, anew=True)


def _file(place: places.Place, part: Part, ending: str, *, anew: bool = False) -> Path:
    """A local file of a part. Its content is compared with its checksum once in a process, or now if it is
    looked at `anew`. Raises `errors.IndexDamaged`, naming the file, if it is missing or altered."""
    name, expected = part.file(ending), part.sums[ending]
    with _reading(place, name):
        path = place.local(name, expected)
        with _lock:
            is_known = not anew and (path, expected) in _sound
        if not is_known and places.checksum(path.read_bytes()) != expected:
            path = place.again(name, expected)
    with _lock:
        _sound.add((path, expected))
    return path


@contextlib.contextmanager
def _reading(place: places.Place, name: str) -> Iterator[None]:
    """Raise `errors.IndexDamaged`, naming the file, if it cannot be read. A file may be lost or altered after
    it was compared with its checksum."""
    try:
        yield
    except FileNotFoundError as error:
        raise errors.IndexDamaged(
            f"The file {name} of {place.name} is missing. If the base was published again, open it again."
        ) from error
    except OSError as error:
        reason = error.strerror or error
        raise errors.IndexDamaged(f"The file {name} of {place.name} cannot be read: {reason}.") from error
    except (zipfile.BadZipFile, zstandard.ZstdError, zlib.error, ValueError, KeyError, EOFError) as error:
        raise errors.IndexDamaged(f"The file {name} of {place.name} is altered.") from error


_sound: Final[set[tuple[Path, str]]] = set()
"""The files that this process has compared with their checksums."""
_lock: Final = threading.Lock()


def packed_headers(columns: Mapping[str, np.ndarray]) -> bytes:
    """The content of a file of headers."""
    file = io.BytesIO()
    np.savez(file, allow_pickle=False, **columns)
    return file.getvalue()


def headers(place: places.Place, part: Part, names: Sequence[str]) -> dict[str, np.ndarray]:
    """Some columns of a part's headers. Raises `errors.IndexDamaged` if the file is missing or altered."""
    path = _file(place, part, HEADERS)
    # NumPy would leave a file open that is no archive.
    with _reading(place, part.file(HEADERS)), path.open("rb") as opened:
        file = np.load(opened, allow_pickle=False)
        return {name: file[name] for name in names}


def packed_text(data: bytes) -> bytes:
    """The content of a file of text."""
    return zstandard.ZstdCompressor(level=_LEVEL).compress(data)


class Text:
    """The text of a published source. The frames that were read last stay in memory."""

    def __init__(self, place: places.Place, source: Listed) -> None:
        self._place = place
        self._source = source
        self._known: collections.OrderedDict[int, bytes] = collections.OrderedDict()

    def read(self, offset: int, length: int) -> bytes:
        """Some bytes of the text; fewer only at its end. Raises `errors.IndexDamaged` if the file with the
        bytes is missing or altered."""
        begins = self._source.begins
        found: list[bytes] = []
        number = max(bisect.bisect_right(begins, offset) - 1, 0)
        while length > 0 and number < len(self._source.parts):
            data = self._frame(number)[offset - begins[number] :][:length]
            found.append(data)
            offset, length, number = offset + len(data), length - len(data), number + 1
        return b"".join(found)

    def _frame(self, number: int) -> bytes:
        data = self._known.get(number)
        if data is None:
            part = self._source.parts[number]
            path = _file(self._place, part, TEXT)
            with _reading(self._place, part.file(TEXT)):
                data = zstandard.ZstdDecompressor().decompress(path.read_bytes())
            self._known[number] = data
            while len(self._known) > _FRAMES:
                self._known.popitem(last=False)
        return data


_FRAMES: Final = 2

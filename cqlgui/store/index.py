"""The index of one source: a folder of immutable segments, named by a manifest that is written last.

    manifest.json   {"check": crc32 of the rest,
                     "manifest": {version, identity, segments, next_offset, next_line, complete}};
                    a segment's row has its file, its games and the part of the text where they stand
    NNNNNN-G.seg    see `segments`; G counts rewritings, so a file with a given name never changes
    NNNNNN-G.sig    see `side_files`
    NNNNNN-G.rem    see `side_files`
    lock            held by the one writer

No segment in the manifest is ever lost. A killed or failed writer loses only the games of its unfinished
segment. The next writer continues at `next_offset`. Ordinals are 0-based within the source.
"""

from __future__ import annotations

import bisect
import contextlib
import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from cqlgui.base import arrays, errors
from cqlgui.base.data import dataclass, named, replace
from cqlgui.base.files import disk, folders, soundness
from cqlgui.store import segments, side_files
from cqlgui.store.segments import (
    BAD,
    CHESS960,
    CLEAN,
    COMMENTS,
    OTHER_ENCODING,
    PLAYABLE,
    ROW,
    USUAL_START,
    VARIATIONS,
    Block,
    GameRecord,
    Problem,
    Span,
)

__all__ = [
    "BAD",
    "CHESS960",
    "CLEAN",
    "COMMENTS",
    "MANIFEST",
    "OTHER_ENCODING",
    "PLAYABLE",
    "ROW",
    "USUAL_START",
    "VARIATIONS",
    "Block",
    "Busy",
    "GameRecord",
    "Identity",
    "Manifest",
    "Problem",
    "SegmentRow",
    "SourceIndex",
    "Span",
    "Writer",
    "lock",
    "note_state",
    "rebuild_segment",
]

VERSION = 6
"""Raise the version whenever games are read in another way. Without a new version, an old index would keep
the games as they were read before, and hits would be marked at wrong positions. The test
`tests/pgn/test_reading_version.py` fails if a new version was forgotten. Version 2 computes `Identity.digest`
in another way. Version 3 added `Identity.state`. Since version 4, `e.p.` no longer ends a game. Since version
5, `e. p.` and `E.P.` no longer end a game. Version 6 added the flags `CLEAN` and `OTHER_ENCODING`."""
MANIFEST: Final = "manifest.json"
"""The name of the file with the manifest."""


@dataclass(frozen=True, slots=True)
class Identity:
    """The state of a source when it was read. `digest` identifies the first `text_size` bytes of its plain
    text (`base.digests`). The digest of a packed source is known only when the source has been read to
    its end; until then `digest` is empty and `text_size` is 0. `token` identifies the text of such a source
    from the beginning. It is a random word.

    `games` is the filter of the import (`db.sifting`). Only the games that pass it are in the index, and
    ordinals count these games alone."""

    path: str
    state: disk.State
    text_size: int
    digest: str
    token: str = ""
    games: str = ""

    @property
    def name(self) -> str:
        """A name for the games in the index: the digest of the text, or the token as long as the digest is
        not known, and the digest of the filter if there is one."""
        return self._named(self.digest or self.token)

    def is_named(self, name: str) -> bool:
        """Whether `name` is the present or an earlier `name` of these games."""
        return name in (self._named(self.digest), self._named(self.token))

    def _named(self, text: str) -> str:
        return f"{text}-{zlib.crc32(self.games.encode('utf-8')):08x}" if self.games else text

    def has_the_games_of(self, other: Identity) -> bool:
        """Whether an index with the identity `other` has the same games: those of the same text that pass the
        same filter."""
        if self.games != other.games:
            return False
        if self.token and self.token == other.token:
            return True
        return bool(self.digest) and (self.text_size, self.digest) == (other.text_size, other.digest)


@dataclass(frozen=True, slots=True)
class SegmentRow:
    """A segment as the manifest lists it. The row has the place of the segment's games in the text, so that
    the segment can be rebuilt."""

    file: str
    games: int
    positions: int
    offset: int
    end: int
    line: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """The content of an index. Reading continues at byte `next_offset` on line `next_line`. If `complete`,
    the whole source has been read."""

    identity: Identity
    segments: tuple[SegmentRow, ...] = ()
    next_offset: int = 0
    next_line: int = 1
    complete: bool = False

    @property
    def games(self) -> int:
        """The number of games in all segments."""
        return sum(row.games for row in self.segments)

    @property
    def positions(self) -> int:
        """The number of positions in all segments, including variations and starts."""
        return sum(row.positions for row in self.segments)

    @staticmethod
    def read(folder: Path) -> Manifest | None:
        """The manifest of an index folder; None if the manifest is missing or was written by another version.
        Raises `errors.IndexDamaged`."""
        try:
            data = (folder / MANIFEST).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise errors.IndexDamaged(
                f"The index in {folder} cannot be read: {error.strerror or error}."
            ) from error
        try:
            outer = json.loads(data)
            inner = outer["manifest"]
            if zlib.crc32(_canonical(inner)) != outer["check"]:
                raise ValueError("altered")
            if inner["version"] != VERSION:
                return None
            rows = tuple(SegmentRow(**row) for row in inner["segments"])
            return Manifest(
                Identity(**{**inner["identity"], "state": disk.State(*inner["identity"]["state"])}),
                rows,
                inner["next_offset"],
                inner["next_line"],
                inner["complete"],
            )
        except (ValueError, KeyError, TypeError) as error:
            raise errors.IndexDamaged(
                f"The manifest of the index in {folder} is damaged: {error}."
            ) from error

    def write(self, folder: Path) -> None:
        """Replace the manifest of the folder by this manifest. After an `OSError` the old manifest is
        unchanged."""
        parts = {"identity": named(self.identity), "segments": [named(row) for row in self.segments]}
        # An indented text would take ten times as long, and a large index is written a thousand times.
        inner = _canonical({"version": VERSION, **named(self), **parts})
        disk.replace_file(folder / MANIFEST, b'{"check":%d,"manifest":%s}' % (zlib.crc32(inner), inner))


class Busy(errors.CqlguiError):  # the name is a state, so it does not end in "Error"
    """Another process writes the index."""


class SourceIndex:
    """An index that is open for reading, with the segments that were in the manifest at the time of opening.
    The content of a segment is compared with its checksum when it is first used. The object is a context
    manager."""

    __slots__ = ("_firsts", "_ledger", "_segments", "folder", "game_count", "manifest")

    def __init__(
        self,
        folder: Path,
        manifest: Manifest,
        opened: Sequence[segments.Segment],
        ledger: soundness.Ledger,
    ) -> None:
        self._ledger = ledger
        self.folder = folder
        self.manifest = manifest
        self._segments = opened
        self._firsts: list[int] = []
        first = 0
        for segment in opened:
            self._firsts.append(first)
            first += segment.games
        self.game_count = first

    @classmethod
    def open(cls, folder: Path) -> SourceIndex:
        """Open an index; raises `errors.IndexDamaged` if a file is missing, truncated or altered. The message
        names this file."""
        manifest = Manifest.read(folder)
        while True:
            if manifest is None:
                raise errors.IndexDamaged(f"There is no index in {folder}.")
            try:
                return cls._of(folder, manifest)
            except errors.IndexDamaged:
                # Another program may have replaced the segments just now.
                before, manifest = manifest, Manifest.read(folder)
                if manifest == before:
                    raise

    @classmethod
    def _of(cls, folder: Path, manifest: Manifest) -> SourceIndex:
        opened: list[segments.Segment] = []
        ledger = soundness.Ledger(folder / segments.NOTE)
        # Each mapped file counts as an open file, and ten million games have a thousand segments.
        disk.allow_many_files()
        try:
            for row in manifest.segments:
                segment = segments.Segment(folder / row.file, ledger)
                opened.append(segment)
                if segment.games != row.games:
                    raise errors.IndexDamaged(
                        f"The index file {row.file} is damaged: it has {segment.games} games."
                    )
        except errors.IndexDamaged:
            for segment in opened:
                segment.close()
            raise
        return cls(folder, manifest, opened, ledger)

    def _at(self, game: int) -> tuple[segments.Segment, int]:
        if not 0 <= game < self.game_count:
            raise IndexError(f"game {game} of {self.game_count}")
        number = bisect.bisect_right(self._firsts, game) - 1
        return self._segments[number], game - self._firsts[number]

    def moves(self, game: int) -> memoryview:
        """The packed tree of a game as u16 words; valid until `close`."""
        segment, place = self._at(game)
        return segment.moves(place)

    def start_fen(self, game: int) -> str | None:
        """The FEN of a game's start; None for the usual start."""
        segment, place = self._at(game)
        return segment.start_fen(place)

    @property
    def parts(self) -> Iterator[tuple[int, segments.Segment]]:
        """The segments, each with the ordinal of its first game."""
        return self.parts_among(0, self.game_count)

    def parts_among(
        self, begin: int, end: int, wanted: Callable[[int, int], bool] | None = None
    ) -> Iterator[tuple[int, segments.Segment]]:
        """The segments that hold games among `begin` to `end` - 1, each with the ordinal of its first game.
        `wanted` gets the first game of a segment and the game after its last one, and says whether the
        segment is wanted. Other segments are not opened; they may be damaged."""
        end = min(end, self.game_count)
        for number in range(max(bisect.bisect_right(self._firsts, begin) - 1, 0), len(self._firsts)):
            first = self._firsts[number]
            if begin >= end or first >= end:
                return
            following = self._firsts[number + 1] if number + 1 < len(self._firsts) else self.game_count
            if wanted is None or wanted(first, following):
                yield first, self._segments[number]

    def part_of(self, game: int) -> tuple[int, segments.Segment]:
        """The segment that holds a game, with the ordinal of its first game."""
        segment, place = self._at(game)
        return game - place, segment

    def span(self, game: int, *, proven: bool = True) -> Span:
        """The place of a game in the plain text: (offset, length, line). Without `proven` the place may be
        wrong."""
        segment, place = self._at(game)
        return segment.span(place, proven=proven)

    def rows(self, games: np.ndarray) -> np.ndarray:
        """The rows of some games (`segments.ROW`), in the order of `games`. Raises `IndexError` for a game
        that does not exist."""
        if len(games) and not (games.min() >= 0 and games.max() < self.game_count):
            raise IndexError(f"no such games among {self.game_count}")
        found = np.empty(len(games), ROW)
        numbers = np.searchsorted(self._firsts, games, "right") - 1
        for number in arrays.distinct(numbers).tolist():
            own = numbers == number
            table = np.frombuffer(bytes(self._segments[number].table()), ROW)
            found[own] = table[games[own] - self._firsts[number]]
        return found

    def flags(self, game: int) -> int:
        """The flags of a game, from `BAD` to `OTHER_ENCODING`, or-ed."""
        segment, place = self._at(game)
        return segment.flags(place)

    def plies(self, game: int) -> int:
        """The number of half-moves in the main line."""
        segment, place = self._at(game)
        return segment.plies(place)

    def positions(self, game: int) -> int:
        """The number of positions in the tree, including the start."""
        segment, place = self._at(game)
        return segment.positions(place)

    @property
    def total_positions(self) -> int:
        """The number of positions in all games, including variations and starts."""
        return sum(segment.total_positions() for segment in self._segments)

    @property
    def complete(self) -> bool:
        """True when the whole source has been read."""
        return self.manifest.complete

    def flaws(self) -> list[Problem]:
        """Every recorded flaw with its severity, in game order."""
        return [
            problem
            for first, segment in zip(self._firsts, self._segments, strict=True)
            for problem in segment.problems(first)
        ]

    def problems(self, severity: str = "error") -> list[tuple[int, int, int, str]]:
        """The flaws of one severity, as (game, offset, line, reason)."""
        return [
            (flaw.game, flaw.offset, flaw.line, flaw.reason)
            for flaw in self.flaws()
            if flaw.severity == severity
        ]

    def verify(self) -> None:
        """Compare every segment with its checksum; raises `errors.IndexDamaged` for the first segment with a
        wrong checksum."""
        for segment in self._segments:
            segment.verify()

    def close(self) -> None:
        """Unmap all segments, and note which of them were found sound."""
        self._ledger.write()
        for segment in self._segments:
            segment.close()
        self._segments = []
        self._firsts = []
        self.game_count = 0

    def __enter__(self) -> SourceIndex:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Writer:
    """Adds games to an index, or begins an index; a context manager that holds the lock.

    `identity` is the current state of the source. An index of the source's current text is continued. With
    `grown`, an index is also continued if more text was appended to the source. Any other index is begun
    again. If the text has grown, the last game is dropped, because this game may have grown as well. Start
    reading at `next_offset` / `next_line`; `game_count` games are committed before this place.

    Raises `Busy` if another process writes, and `errors.CqlguiError` if writing to the disk fails. These
    errors leave the committed games unchanged.
    """

    def __init__(self, folder: Path, identity: Identity, *, grown: bool = False) -> None:
        self.folder = folder
        self._waiting: list[Block] = []
        self._resources = contextlib.ExitStack()
        try:
            folders.make(folder)
        except OSError as error:
            raise _refused(folder, error) from error
        self._resources.enter_context(lock(folder))
        try:
            self.manifest = self._begin(identity, grown)
        except OSError as error:
            self._resources.close()
            raise _refused(folder, error) from error
        except errors.CqlguiError:
            self._resources.close()
            raise

    def _begin(self, identity: Identity, grown: bool) -> Manifest:
        try:
            known = Manifest.read(self.folder)
            if known is not None:
                SourceIndex.open(self.folder).close()
        except errors.IndexDamaged:
            known = None
        fresh = Manifest(identity)
        if known is None or known.identity.path != identity.path:
            manifest = fresh
        elif known.identity.has_the_games_of(identity):
            manifest = replace(known, identity=identity)
        elif grown and known.identity.games == identity.games:
            manifest = self._without_last(replace(known, identity=identity, complete=False))
        else:
            manifest = fresh
        manifest.write(self.folder)
        self._sweep(manifest)
        if known is None:
            # The segments of a new index are trusted until they are first used.
            soundness.Ledger.begin(self.folder / segments.NOTE)
        return manifest

    def _without_last(self, known: Manifest) -> Manifest:
        """The manifest without its last game. The segment of this game is written again without the game."""
        if not known.segments or known.segments[-1].games == 0:
            return known
        last = known.segments[-1]
        segment = segments.Segment(self.folder / last.file)
        try:
            games = segment.block()
            offset, _length, line = segment.span(len(games) - 1)
        finally:
            segment.close()
        rest = known.segments[:-1]
        if len(games) > 1:
            rest += (self._put(len(rest), games.part(0, len(games) - 1), known),)
        return replace(known, segments=rest, next_offset=offset, next_line=line)

    def _sweep(self, manifest: Manifest) -> None:
        """Remove files that the manifest does not name. A killed writer left these files, or they are
        segments of an older text."""
        disk.sweep(self.folder)
        named = {row.file for row in manifest.segments}
        named |= {side_files.path_of(Path(name), one).name for name in named for one in side_files.SUFFIXES}
        for path in [
            *self.folder.glob("*.seg"),
            *(path for one in side_files.SUFFIXES for path in self.folder.glob("*" + one)),
            # Older versions of the program gave these names to unfinished files.
            *self.folder.glob("[0-9]*.tmp"),
            *self.folder.glob(MANIFEST + ".*"),
        ]:
            if path.name not in named:
                # A reader on Windows may still have an old segment mapped. A later writer removes the
                # segment.
                with contextlib.suppress(OSError):
                    path.unlink()

    @property
    def next_offset(self) -> int:
        """The byte of the text where reading continues."""
        return self.manifest.next_offset

    @property
    def next_line(self) -> int:
        """Line of the text at `next_offset`."""
        return self.manifest.next_line

    @property
    def game_count(self) -> int:
        """The number of committed games."""
        return self.manifest.games

    @property
    def waiting(self) -> int:
        """The number of games that were added but not yet committed."""
        return sum(map(len, self._waiting))

    def add(self, game: GameRecord) -> bool:
        """Add a game, in file order. Returns True if the segment is full and must be committed before the
        next game."""
        self.add_games(Block.of([game]))
        return self.waiting == segments.LARGEST

    def add_games(self, games: Block) -> None:
        """Add some games, in file order. Together with the waiting games, these games must fit into one
        segment."""
        self._waiting.append(games)
        assert self.waiting <= segments.LARGEST

    def commit_segment(
        self, next_offset: int, next_line: int, *, complete: bool = False, identity: Identity | None = None
    ) -> None:
        """Commit the games added so far, and note where reading continues. The call is also valid if no games
        were added. `identity` is the identity of the whole text, if it has become known only now."""
        rows = self.manifest.segments
        try:
            if self._waiting:
                rows = (*rows, self._put(len(rows), Block.joined(self._waiting), self.manifest))
            manifest = replace(
                self.manifest,
                identity=identity or self.manifest.identity,
                segments=rows,
                next_offset=next_offset,
                next_line=next_line,
                complete=complete,
            )
            manifest.write(self.folder)
        except OSError as error:
            raise _refused(self.folder, error) from error
        self.manifest = manifest
        self._waiting = []

    def _put(self, number: int, games: Block, known: Manifest) -> SegmentRow:
        taken = {row.file for row in known.segments} | {path.name for path in self.folder.glob("*.seg")}
        name = _free_name(number, taken)
        segments.write(self.folder / name, games)
        return row_of(name, games)

    def close(self) -> None:
        """Release the lock; games that were not committed are dropped."""
        self._waiting = []
        self._resources.close()

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def rebuild_segment(folder: Path, number: int, games: Block | Sequence[GameRecord]) -> None:
    """Replace a damaged segment by `games`. The caller has read these games again from the text between the
    `offset` and the `end` of the segment.

    The caller holds the lock. Raises `errors.IndexDamaged` if the manifest has another number of games for
    this segment (the source has changed), and `errors.CqlguiError` if writing to the disk fails.
    """
    block = games if isinstance(games, Block) else Block.of(games)
    manifest = Manifest.read(folder)
    if manifest is None or number >= len(manifest.segments) or manifest.segments[number].games != len(block):
        raise errors.IndexDamaged(f"The index in {folder} cannot be repaired; the source must be read again.")
    old = manifest.segments[number].file
    name = _free_name(number, {path.name for path in folder.glob("*.seg")} | {old})
    try:
        segments.write(folder / name, block)
        rows = list(manifest.segments)
        rows[number] = row_of(name, block)
        replace(manifest, segments=tuple(rows)).write(folder)
    except OSError as error:
        raise _refused(folder, error) from error
    for path in (folder / old, *(side_files.path_of(folder / old, one) for one in side_files.SUFFIXES)):
        with contextlib.suppress(OSError):
            path.unlink()


def note_state(folder: Path, known: Manifest, state: disk.State) -> None:
    """Note the new state of a source that still holds the indexed text. With this note, the source need not
    be read again to check its text. Nothing is noted if another process writes the index, or if writing to
    the disk fails. In these cases, the text is checked again the next time that the source is opened."""
    with contextlib.suppress(errors.CqlguiError, OSError), lock(folder):
        if Manifest.read(folder) == known:
            replace(known, identity=replace(known.identity, state=state)).write(folder)


@contextlib.contextmanager
def lock(folder: Path) -> Iterator[None]:
    """Hold the lock of an index folder; raises `Busy` if another process has it, and `errors.CqlguiError` if
    the file of the lock cannot be used.

    The lock belongs to the operating system, which releases it when the process is killed.
    """
    try:
        file = (folder / "lock").open("a+b")
    except OSError as error:
        raise _refused(folder, error) from error
    with file:
        try:
            free = disk.lock_file(file.fileno())
        except OSError as error:
            raise _refused(folder, error) from error
        if not free:
            raise Busy("Another window or command is reading this source just now.")
        try:
            yield
        finally:
            disk.unlock_file(file.fileno())


def row_of(name: str, games: Block) -> SegmentRow:
    """A segment with some games, as the manifest lists it."""
    first, last = games.rows[0], games.rows[-1]
    end = int(last["offset"]) + int(last["length"])
    positions = int(games.rows["positions"].sum())
    return SegmentRow(name, len(games), positions, int(first["offset"]), end, int(first["line"]))


def _free_name(number: int, taken: set[str]) -> str:
    generation = 0
    while (name := f"{number:06d}-{generation}.seg") in taken:
        generation += 1
    return name


def _canonical(inner: object) -> bytes:
    return json.dumps(inner, sort_keys=True, separators=(",", ":")).encode("ascii")


def _refused(folder: Path, error: OSError) -> errors.CqlguiError:
    return errors.CqlguiError(f"The index in {folder} cannot be written: {error.strerror or error}.")

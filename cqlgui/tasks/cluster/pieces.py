"""Publishes files on the workers of a cluster: each worker reads a piece of a file, and writes its parts.

A plain file is cut before tags that follow an empty line. If such a place turns out to lie within a game, one
worker reads the whole file instead. One worker also reads a packed file, or a file in UTF-16. All computers
must see the files and the place under the same names. The computer that asks reads plain files too, for their
digests and to count lines.
"""

from __future__ import annotations

import contextlib
import itertools
import uuid
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

from cqlgui.base import errors
from cqlgui.base import progress as progress_module
from cqlgui.base.data import dataclass, named
from cqlgui.base.files import folders
from cqlgui.db import headers
from cqlgui.pgn import archives, texts
from cqlgui.store import index, places, published, segments, side_files
from cqlgui.tasks.cluster import claiming, cutting, messages, publishing, versions, working
from cqlgui.tasks.databases import bases, importing, reading, sources
from cqlgui.tasks.databases import published as published_bases
from cqlgui.tasks.processes import pool as pool_module

PIECE: Final = 32 << 20
"""Number of bytes of a piece of a plain file, at least. A worker reads it in some seconds."""
_FAR: Final = 64 << 20
"""The end of a piece is looked for in so many bytes."""


class Cluster(Protocol):
    """Whoever has work done by others (`clients.Dask`)."""

    def answers(
        self,
        work: Callable[[bytes], bytes],
        requests: Sequence[bytes],
        search: str,
        cancel: progress_module.CancelToken,
    ) -> Iterator[tuple[int, bytes]]:
        """The number of each request with its answer, in any order. `search` is the name under which the work
        is stopped. Raises `errors.Cancelled`, and `CqlguiError` if a worker fails."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """The games of a file that begin at byte `begin`, on line `line`, or behind it, and before byte `end`. If
    `end` is None, the piece is the whole file, whatever its kind. `state` has the size and the time of the
    file when it was cut."""

    path: str
    begin: int
    line: int
    end: int | None
    state: tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Read:
    """What became of a piece: its parts, the digest and the size of the file's text if the piece is the whole
    file, and sentences for the user. `fits` says whether a game begins at the first byte of the piece, and
    whether the last game ends before the end of the piece. `refused` says why the file cannot be read."""

    parts: tuple[published.Part, ...] = ()
    written: int = 0
    size: int = 0
    fits: bool = True
    digest: str = ""
    text_size: int = 0
    said: tuple[str, ...] = ()
    refused: str = ""


def publish(
    paths: Sequence[Path | str],
    place: str,
    cluster: Cluster,
    *,
    cancel: progress_module.CancelToken | None = None,
    progress: progress_module.ProgressSink = progress_module.ignore,
    on_message: Callable[[str], None] | None = None,
) -> publishing.Published:
    """Publish files in a folder or at an address, read by the workers of a cluster. The base gives the same
    answers as the base that `publishing.publish` makes of all games of these files.

    If one of several files cannot be read, or changes meanwhile, it is left out. `on_message` gets sentences
    for the user. Raises `errors.Cancelled`, `errors.SourceError` if a file is missing at the start or if no
    file can be read, and `CqlguiError` if the place cannot be written or if another publication into it is
    under way. The listing is written last, as by `publishing.publish`.
    """
    if places.published_at(paths) is not None:
        raise errors.CqlguiError("This base is published already. Name the files.")
    token = cancel or progress_module.CancelToken()
    say = on_message or (lambda _: None)
    listed, _, left_out = bases.expand(paths)
    for sentence in left_out:
        say(sentence)
    importing.insist(listed)
    target = places.Place(place)
    with claiming.claimed(target) as claim:
        before = publishing.listing_at(target)
        refused = _Refused(len(listed))
        cut: dict[Path, _Cut] = {}
        for path in listed:
            with refused.noted(path):
                cut[path] = _cut(path, token)
        pieces = [piece for file in cut.values() for piece in file.pieces]
        total = sum(piece.state[0] for piece in pieces if piece.begin == 0)
        read = dict(_done(pieces, target, cluster, token, progress, total))
        again = [
            _Piece(path, 0, 1, None, one.state)
            for path, one in {piece.path: piece for piece in pieces}.items()
            if not all(read[piece].fits for piece in pieces if piece.path == path)
            and not any(read[piece].refused for piece in pieces if piece.path == path)
        ]
        whole = {piece.path: found for piece, found in _done(again, target, cluster, token, progress, total)}
        found: list[published.Listed] = []
        written = size = 0
        told: list[str] = []
        for path in listed:
            file = cut.get(path)
            if file is None:
                told.append(refused.paths[path])
                continue
            own = [whole[str(path)]] if str(path) in whole else [read[piece] for piece in file.pieces]
            with refused.noted(path):
                for one in own:
                    if one.refused:
                        raise errors.SourceError(one.refused)
                if _state(path) != file.pieces[0].state:
                    raise errors.SourceError(f"{path.name} has changed while it was read. Publish it again.")
            if path in refused.paths:
                told.append(refused.paths[path])
                continue
            told += dict.fromkeys(sentence for one in own for sentence in one.said)
            parts = tuple(part for one in own for part in one.parts)
            digest, text_size = own[0].digest or file.digest, own[0].text_size or file.text_size
            found.append(published.Listed(str(path), digest, text_size, parts))
            written, size = written + sum(one.written for one in own), size + sum(one.size for one in own)
        listing = published.Listing.of(found)
        for sentence in told:
            say(sentence)
        useless = [part for one in (*read.values(), *whole.values()) for part in one.parts]
        claim.insist()
        publishing.finish(target, listing, before, useless)
    games = sum(one.games for one in found)
    parts_count = sum(len(one.parts) for one in found)
    return publishing.Published(place, games, parts_count, written, size, tuple(refused.paths))


class _Refused:
    """The files that cannot be read, each with a sentence. They end the publication only if no other file is
    left."""

    def __init__(self, count: int) -> None:
        self.paths: dict[Path, str] = {}
        self._count = count

    @contextlib.contextmanager
    def noted(self, path: Path) -> Iterator[None]:
        """Leave out a file if the block finds that it cannot be read. Raises `errors.SourceError` if no file
        is left."""
        try:
            yield
        except errors.SourceError as fault:
            if self._count == 1:
                raise
            self.paths[path] = importing.without(fault)
            if len(self.paths) == self._count:
                raise importing.none_of(self._count, fault) from fault


def _done(
    pieces: Sequence[_Piece],
    target: places.Place,
    cluster: Cluster,
    cancel: progress_module.CancelToken,
    progress: progress_module.ProgressSink,
    total: int,
) -> Iterator[tuple[_Piece, _Read]]:
    """Each piece, and what became of it."""
    name = uuid.uuid4().hex
    asked = {"versions": versions.own(), "search": name, "place": target.name}
    requests = [messages.packed({**asked, "piece": named(piece)}) for piece in pieces]
    done = 0
    for number, answer in cluster.answers(read_piece, requests, name, cancel):
        words, _ = messages.unpacked(answer)
        messages.insist(words)
        parts = tuple(published.Part(**part) for part in words["parts"])
        found = _Read(**{**words, "parts": parts, "said": tuple(words["said"])})
        piece = pieces[number]
        done += (piece.state[0] if piece.end is None else piece.end) - piece.begin
        progress(progress_module.Progress(done, total, "bytes of the files"))
        yield piece, found


def read_piece(request: bytes) -> bytes:
    """Publish a piece, on a worker. The answer is a `_Read`, or an error as that of `working.answer`."""

    def work(words: dict[str, Any], _arrays: object) -> bytes:
        piece = _Piece(**{**words["piece"], "state": tuple(words["piece"]["state"])})
        token = working.token(words["search"])
        token.raise_if_cancelled()
        path, target = Path(piece.path), places.Place(words["place"])
        try:
            if _state(path) != piece.state:
                raise errors.SourceError(
                    f"{path} on {versions.here()} is not the file that was named. All computers must see the "
                    "same files."
                )
            if piece.end is None:
                found = _whole(path, target, token)
            else:
                found = _part(piece, piece.end, target, token)
        except places.PlaceError:
            raise
        except errors.SourceError as error:
            # The file cannot be read. The other files are published without it.
            found = _Read(refused=str(error))
        parts = [{**named(part), "sums": dict(part.sums)} for part in found.parts]
        return messages.packed({**named(found), "parts": parts})

    return working.guarded(request, work)


def _whole(path: Path, target: places.Place, cancel: progress_module.CancelToken) -> _Read:
    """Publish a whole file by way of the index and the catalog of this computer."""
    report = importing.open_base([path], cancel=cancel, games="")
    if report.cancelled:
        raise errors.Cancelled("Stopped.")
    (source,) = report.base.sources
    parts: list[published.Part] = []
    written = size = 0
    for part, is_new, length in publishing.parts_of(source, target):
        cancel.raise_if_cancelled()
        parts.append(part)
        written, size = written + is_new, size + length
    with sources.indexed(source) as opened:
        known = opened.manifest.identity
    return _Read(
        tuple(parts), written, size, digest=known.digest, text_size=known.text_size, said=report.messages
    )


def _part(piece: _Piece, end: int, target: places.Place, cancel: progress_module.CancelToken) -> _Read:
    """Publish a piece of a plain file, without an index or a catalog."""
    parts: list[published.Part] = []
    written = size = 0
    with texts.PlainText(Path(piece.path)) as text:
        coming = reading.pieces(
            text, piece.begin, piece.line, pool=pool_module.shared(), cancel=cancel, until=end
        )
        batches = _batches(coming, importing.FIRST_BATCH if piece.begin == 0 else importing.LATER_BATCH)
        fits, begin = True, piece.begin
        before: tuple[index.Block, list[headers.Table]] | None = None
        # The text of a part goes up to the first game of the next part.
        for batch in itertools.chain(batches, [None]):
            first = end if batch is None else int(batch[0].rows["offset"][0])
            if before is not None:
                last = before[0].rows[-1]
                fits = fits and int(last["offset"]) + int(last["length"]) <= first
                raw = text.again(begin, max(first - begin, 0))
                part, is_new, length = _put(*before, raw, target)
                parts.append(part)
                written, size, begin = written + is_new, size + length, first
            elif piece.begin and first != piece.begin:
                fits = False
            before = batch
        said = [importing.wide(text.path)] if text.wide else []
        if not parts and (piece.begin, end) == (0, text.size):
            said.append(f"{text.path.name} holds no games.")
        if not text.is_intact():
            raise errors.SourceError(f"{piece.path} has changed while it was read. Publish it again.")
    # A piece without a game has no part that could have its text.
    fits = fits and (bool(parts) or (piece.begin == 0 and end == piece.state[0]))
    return _Read(tuple(parts), written, size, fits, said=tuple(said))


def _put(
    games: index.Block, tables: Sequence[headers.Table], text: bytes, target: places.Place
) -> tuple[published.Part, bool, int]:
    """Publish a part. Its segment stands in the cache while its signatures are made."""
    path = folders.cache() / "pieces" / f"{uuid.uuid4().hex}.seg"
    try:
        folders.make(path.parent)
        segments.write(path, games)
        row, table = index.row_of(path.name, games), published_bases.joined(tables)
        return publishing.put(row, segments.Segment(path), table, text, target)
    except OSError as error:
        raise errors.CqlguiError(f"{path} cannot be written: {error.strerror or error}.") from error
    finally:
        for one in (path, side_files.path_of(path)):
            with contextlib.suppress(OSError):
                one.unlink()


def _batches(coming: Iterator[reading.Piece], goal: int) -> Iterator[tuple[index.Block, list[headers.Table]]]:
    """The games of each segment. The first one has `goal` games; the sizes are those of `importing`."""
    blocks: list[index.Block] = []
    tables: list[headers.Table] = []
    for piece in coming:
        taken = 0
        while taken < len(piece):
            part = piece.part(taken, min(taken + goal - sum(map(len, blocks)), len(piece)))
            taken += len(part)
            blocks.append(part.games)
            tables += part.headers
            if sum(map(len, blocks)) >= goal:
                yield index.Block.joined(blocks), tables
                blocks, tables, goal = [], [], importing.next_goal(goal)
    if blocks:
        yield index.Block.joined(blocks), tables


@dataclass(frozen=True, slots=True)
class _Cut:
    """A file in pieces, with the digest and the size of its text. They are unknown for a file that is not
    plain."""

    pieces: list[_Piece]
    digest: str = ""
    text_size: int = 0


def _cut(path: Path, cancel: progress_module.CancelToken) -> _Cut:
    """Cut a file into pieces of at least `PIECE` bytes."""
    name, state = str(path), _state(path)
    if not archives.is_plain(path):
        return _Cut([_Piece(name, 0, 1, None, state)])
    with texts.PlainText(path) as text:
        begins = [(0, 1)]
        while True:
            cancel.raise_if_cancelled()
            last, line = begins[-1]
            found = cutting.boundary(text, last, PIECE, _FAR)
            if found is None:
                break
            begins.append((found, line + cutting.lines(text, last, found, cancel)))
        ends = [*(begin for begin, _ in begins[1:]), text.size]
        pieces = [
            _Piece(name, begin, line, end, state) for (begin, line), end in zip(begins, ends, strict=True)
        ]
        return _Cut(pieces, text.digest(cancel), text.size)


def _state(path: Path) -> tuple[int, int]:
    """The size of a file, and the time of its last change in ns. Raises `errors.SourceError`."""
    try:
        status = path.stat()
    except OSError as error:
        raise texts.refusal(path, error) from error
    return status.st_size, status.st_mtime_ns

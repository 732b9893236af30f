"""Reads the games of a file on the workers of a cluster, for an import into the index of this computer.

This computer cuts a plain file into pieces (`cutting`), and each worker reads the games of a piece. If a
worker does not see the same bytes under the same name, it gets the text as well. The games are passed on in
the order of the file, so an import commits what it would commit if it read the file alone.

A place where the file was cut may lie within a game. So this computer looks where the last game of each piece
ends, and where the next game begins. If they do not meet where the file was cut, it reads the piece itself,
from the last place that is certain.
"""

from __future__ import annotations

import collections
import contextlib
import functools
import uuid
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Protocol

import numpy as np
import zstandard

from cqlgui.base import errors, progress
from cqlgui.base.data import dataclass
from cqlgui.base.files import disk
from cqlgui.db import sifting
from cqlgui.pgn import split, texts
from cqlgui.store import index, places
from cqlgui.tasks.cluster import cutting, messages, versions, working
from cqlgui.tasks.databases import published, reading
from cqlgui.tasks.processes import pool as pool_module

PIECE: Final = 8 << 20
"""Number of bytes of a piece of a file, at least. A worker reads it in about a second."""
_FAR: Final = 3 * PIECE
"""The end of a piece is looked for in so many bytes. If there is none, this computer reads the rest."""
_BEHIND: Final = 1 << 16
"""A worker gets so many bytes behind its piece, to see where the last game ends."""
_LEAST: Final = 4
_MOST: Final = 32
"""Number of pieces that are handed out, or wait for an earlier piece, at the same time: two for each thread
of the workers, within these limits. A piece takes some 5 MB here."""
_NEAR: Final = 1 << 18
_LEVEL: Final = 1


class Errands(Protocol):
    """Work that is handed out piece by piece (`clients.Errands`); a context manager."""

    @property
    def threads(self) -> int:
        """The number of threads of the workers, as far as known."""

    def give(self, request: bytes) -> int:
        """Hand out a request, and return its number. Raises `CqlguiError`."""

    def taken(self) -> list[tuple[int, bytes]]:
        """The numbers of the requests that were answered meanwhile, with the answers. The list may be empty.
        Raises `errors.Cancelled`, and `CqlguiError` if a worker fails."""

    def __enter__(self) -> Errands: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class Cluster(Protocol):
    """Whoever has work done by others (`clients.Dask`)."""

    def errands(self, work: Callable[[bytes], bytes], search: str, cancel: progress.CancelToken) -> Errands:
        """Work for others. `search` is the name under which the work is stopped."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """The games that begin at byte `begin`, on line `line`, or behind it, and before byte `end`. A worker
    sees `length` bytes from `begin` on; `checksum` is theirs. Without a checksum, the piece is read here."""

    begin: int
    line: int
    end: int
    length: int
    checksum: str


class Reader:
    """A `reading.Reader` that has the workers of a cluster read plain files of more than a piece. `notices`
    are sentences for the user."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        # Whether a worker has not seen a file. Then workers get the text without being asked.
        self._sends = False
        self.notices: list[str] = []

    def __call__(
        self,
        text: texts.Text,
        offset: int,
        line: int,
        *,
        pool: pool_module.Pool,
        cancel: progress.CancelToken,
        sieve: sifting.Sieve | None = None,
    ) -> Generator[reading.Piece, None, None]:
        """See `reading.Reader`."""
        here = functools.partial(reading.pieces, text, pool=pool, cancel=cancel, sieve=sieve)
        if not isinstance(text, texts.PlainText):
            self._note(f"{text.path.name} is packed or in UTF-16, so this computer has read it alone.")
            yield from here(offset, line)
            return
        if text.size - offset <= PIECE:
            yield from here(offset, line)
            return
        began = False
        try:
            # Where reading continues, if a game goes beyond the piece in which it begins.
            over: tuple[int, int] | None = None
            with contextlib.closing(self._read(text, offset, line, cancel, sieve)) as pieces:
                for piece, found in pieces:
                    if found is not None and over is None and _meets(text, found.last, piece.end):
                        began = True
                        yield found
                        continue
                    over = over or (piece.begin, piece.line)
                    if found is None:
                        self._note(
                            f"{text.path.name} has a long part without empty lines before tags, so this "
                            "computer has read that part and what follows."
                        )
                    last: reading.Last | None = None
                    with contextlib.closing(here(*over, until=piece.end)) as parts:
                        for part in parts:
                            began, last = True, part.last
                            yield part
                    if last is not None:
                        over = None if _meets(text, last, piece.end) else (last.end, last.end_line)
        except (errors.Cancelled, errors.SourceError, errors.IndexDamaged):
            raise
        except errors.CqlguiError as error:
            kept = (
                " The games that were read are kept. Import the file again to go on, or without --scheduler."
                if began
                else ""
            )
            raise reading.StoppedError(f"{error}{kept}") from error

    def _read(
        self,
        text: texts.PlainText,
        offset: int,
        line: int,
        cancel: progress.CancelToken,
        sieve: sifting.Sieve | None,
    ) -> Generator[tuple[_Piece, reading.Piece | None], None, None]:
        """The pieces of a file in order, with the games that a worker has read. A piece that is to be read
        here has no games and comes last."""
        name = uuid.uuid4().hex
        common = {
            "versions": versions.own(),
            "search": name,
            "path": str(text.path),
            "games": "" if sieve is None else sieve.text,
        }
        cut = _cut(text, offset, line, cancel)
        waiting: collections.deque[_Piece] = collections.deque()
        asked: dict[int, _Piece] = {}
        found: dict[_Piece, reading.Piece] = {}
        with self._cluster.errands(read_games, name, cancel) as errands:
            while True:
                most = min(max(2 * errands.threads, _LEAST), _MOST)
                while len(waiting) < most and (piece := next(cut, None)) is not None:
                    waiting.append(piece)
                    if piece.checksum:
                        asked[errands.give(_request(common, piece, text if self._sends else None))] = piece
                if not waiting:
                    return
                if waiting[0] in found or not waiting[0].checksum:
                    piece = waiting.popleft()
                    yield piece, found.pop(piece, None)
                    continue
                for number, answer in errands.taken():
                    piece = asked.pop(number)
                    words, arrays = messages.unpacked(answer)
                    messages.insist(words)
                    if words["unseen"]:
                        self._sends = True
                        asked[errands.give(_request(common, piece, text))] = piece
                        continue
                    found[piece] = _received(piece, words, arrays)
                    if sieve is not None:
                        sieve.note(words["tags_unseen"])

    def _note(self, sentence: str) -> None:
        if sentence not in self.notices:
            self.notices.append(sentence)


def _cut(text: texts.PlainText, offset: int, line: int, cancel: progress.CancelToken) -> Iterator[_Piece]:
    """The pieces of a file from byte `offset` on."""
    begin = offset
    while begin < text.size:
        cancel.raise_if_cancelled()
        end = cutting.boundary(text, begin, PIECE, _FAR)
        if end is None:
            end = text.size
            if end - begin > PIECE + _FAR:
                yield _Piece(begin, line, end, 0, "")
                return
        data = text.read(begin, min(end + _BEHIND, text.size) - begin)
        yield _Piece(begin, line, end, len(data), places.checksum(data))
        line += split.line_ends(data, 0, end - begin)
        begin = end


def _request(common: dict[str, Any], piece: _Piece, text: texts.Text | None) -> bytes:
    """The request to read a piece. With `text`, the worker gets the bytes. Raises `texts.ChangedError`."""
    arrays: dict[str, np.ndarray] = {}
    if text is not None:
        data = text.again(piece.begin, piece.length)
        if places.checksum(data) != piece.checksum:
            raise texts.ChangedError(f"{text.path.name} has changed while it was read.")
        packed = zstandard.ZstdCompressor(level=_LEVEL).compress(data)
        arrays["text"] = np.frombuffer(packed, np.uint8)
    same = {name: getattr(piece, name) for name in ("begin", "line", "end", "length", "checksum")}
    return messages.packed({**common, **same}, arrays)


def _received(piece: _Piece, words: dict[str, Any], arrays: dict[str, np.ndarray]) -> reading.Piece:
    """The games of an answer."""
    rows = np.frombuffer(arrays.pop("rows").tobytes(), index.ROW)
    packed, fens, lines = (arrays.pop(name) for name in ("words", "fens", "end_lines"))
    problems = tuple(index.Problem(*one) for one in words["problems"])
    games = index.Block(rows, np.array(packed, np.uint16), fens.tobytes(), problems)
    tables = (published.table_of(arrays),) if len(rows) else ()
    last = None if words["last"] is None else reading.Last(*words["last"])
    return reading.Piece(games, tables, np.array(lines, np.int64), piece.end, last)


def _meets(text: texts.Text, last: reading.Last | None, end: int) -> bool:
    """Whether the last game that begins before byte `end` ends before this byte as well, as it was read, and
    whether the next game begins there, after white space alone. At the end of the text, nothing can go
    beyond."""
    if end == text.size:
        return True
    if last is None:
        return False
    games = split.games(_Near(text), last.offset)
    game, after = next(games, None), next(games, None)
    if game is None or after is None or not game.end == last.end <= end == after.offset:
        return False
    # Other bytes between games are read by the lenient reader, and so is the game behind them.
    return not text.again(last.end, end - last.end).strip()


class _Near:
    """A text for the splitter, when only two games are wanted. It is read in small steps."""

    def __init__(self, text: texts.Text) -> None:
        self._text = text

    @property
    def size(self) -> int:
        """See `split.Source`."""
        return self._text.size

    def read(self, offset: int, length: int) -> bytes:
        """See `split.Source`."""
        return self._text.again(offset, min(length, _NEAR))


class _Stretch:
    """A part of a text, for a reader that begins in it. `data` begins at byte `begin`, and seems to end the
    text."""

    def __init__(self, data: bytes, begin: int) -> None:
        self._data = data
        self._begin = begin
        self.size = begin + len(data)

    def read(self, offset: int, length: int) -> bytes:
        """See `split.Source`. There is nothing before `begin`."""
        offset -= self._begin
        return b"" if offset < 0 else self._data[offset : offset + length]


def read_games(request: bytes) -> bytes:
    """Read the games of a piece, on a worker. The answer has their data, or says that the worker needs the
    text (`unseen`), or is an error (`working.guarded`)."""

    def work(words: dict[str, Any], arrays: dict[str, np.ndarray]) -> bytes:
        token = working.token(words["search"])
        token.raise_if_cancelled()
        begin, length = words["begin"], words["length"]
        if "text" in arrays:
            data = zstandard.ZstdDecompressor().decompress(arrays["text"].tobytes(), length)
        else:
            data = _seen(Path(words["path"]), begin, length)
            if places.checksum(data) != words["checksum"]:
                return messages.packed({"unseen": True})
        sieve = sifting.Sieve(words["games"]) if words["games"] else None
        found = list(
            reading.pieces(
                _Stretch(data, begin),
                begin,
                words["line"],
                pool=pool_module.shared(),
                cancel=token,
                until=words["end"],
                sieve=sieve,
            )
        )
        games = index.Block.joined([piece.games for piece in found])
        tables = [table for piece in found for table in piece.headers]
        told = {
            "unseen": False,
            "problems": [list(problem) for problem in games.problems],
            "last": found[-1].last if found else None,
            "tags_unseen": [] if sieve is None else sieve.unseen,
        }
        columns = {
            "rows": np.frombuffer(games.rows.tobytes(), np.uint8),
            "words": games.words,
            "fens": np.frombuffer(games.fens, np.uint8),
            "end_lines": np.concatenate([np.empty(0, np.int64), *(piece.end_lines for piece in found)]),
        }
        if tables:
            columns |= published.columns_of(published.joined(tables))
        return messages.packed(told, columns)

    return working.guarded(request, work)


def _seen(path: Path, begin: int, length: int) -> bytes:
    """Some bytes of a file, as this computer sees it. There are none if it cannot be read."""
    with contextlib.suppress(OSError, ValueError):
        if disk.is_file(path):
            with path.open("rb") as file:
                file.seek(begin)
                return file.read(length)
    return b""

"""Reads the games of a text in order: the kernel reads clean games, worker processes read the other games.

A separate thread reads ahead and hands over pieces of some thousand games. The thread does not hold the
interpreter lock while the kernel (compiled code) runs, or while the thread waits for workers. Without machine
code, the workers read all games.
"""

from __future__ import annotations

import base64
import collections
import contextlib
import functools
import itertools
import queue
import sys
import threading
from array import array
from collections.abc import Generator, Iterator, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from cqlgui.base import arrays, data, errors, progress
from cqlgui.base.data import dataclass
from cqlgui.db import headers, sifting
from cqlgui.jit import native
from cqlgui.pgn import kernel, quick, split, texts
from cqlgui.pgn.kernel import Why
from cqlgui.store import index
from cqlgui.tasks.processes import frames
from cqlgui.tasks.processes import pool as pool_module

_FIRST_WINDOW = 1 << 18
_WINDOW = 1 << 21
_MOST_WINDOW = 1 << 23
"""The kernel gets `_FIRST_WINDOW` bytes in its first call, and up to `_WINDOW` bytes in later calls. For a
large game, the kernel gets up to `_MOST_WINDOW` bytes."""
_FIRST_SLOW = 50
_SLOW = 400
"""Maximum number of games of one piece that workers read. The limit is `_FIRST_SLOW` for the first piece, and
grows to `_SLOW` for later pieces."""
_AHEAD = 2
"""Maximum number of pieces that wait for the caller."""
_MOST_SENT = 4 << 20
"""Maximum number of bytes of text that a worker gets at once, if it gets several games."""
_LOOK = 3 << 16
"""Number of bytes that the splitter gets first when it looks for the end of a single game."""
_BETWEEN = b"\n\n"
"""Stands between two games that are put together."""
_POLL_SECONDS = 0.02


class Last(NamedTuple):
    """The place of a game: its first byte, the first byte after it, and the line of that byte."""

    offset: int
    end: int
    end_line: int


@dataclass(frozen=True, slots=True)
class Piece:
    """Consecutive games: their data for the index and the catalog, and the line number after each game."""

    games: index.Block
    headers: tuple[headers.Table, ...]
    end_lines: np.ndarray
    reached: int
    """The byte of the text up to which all games were read or passed over."""
    last: Last | None = None
    """The last game that was read or passed over so far; None if there was none."""

    def __len__(self) -> int:
        return len(self.end_lines)

    def with_problem(self, reason: str) -> Piece:
        """A copy of this piece; the last game of the copy gets the problem `reason`."""
        rows = self.games.rows.copy()
        last = rows[-1]
        last["flags"] |= index.BAD
        flaw = index.Problem(len(rows) - 1, int(last["offset"]), int(last["line"]), reason, "error")
        table = self.headers[-1]
        bad = table.numbers["bad"].copy()
        bad[-1] = 1
        marked = data.replace(table, numbers={**table.numbers, "bad": bad})
        games = data.replace(self.games, rows=rows, problems=(*self.games.problems, flaw))
        return data.replace(self, games=games, headers=(*self.headers[:-1], marked))

    def part(self, start: int, stop: int) -> Piece:
        """The games `start` to `stop` - 1."""
        tables = []
        first = 0
        for table in self.headers:
            low, high = max(start - first, 0), min(stop - first, len(table))
            if low < high:
                tables.append(table.part(low, high))
            first += len(table)
        games = self.games.part(start, stop)
        return Piece(games, tuple(tables), self.end_lines[start:stop], self.reached, self.last)

    @property
    def positions(self) -> int:
        """Number of positions of all games."""
        return int(self.games.rows["positions"].sum())

    @property
    def end(self) -> tuple[int, int]:
        """The place after the last game, where reading continues: byte offset and line."""
        last = self.games.rows[-1]
        return int(last["offset"]) + int(last["length"]), int(self.end_lines[-1])


class Reader(Protocol):
    """Reads the games of a text as `pieces` does. A reader may have others do the work."""

    def __call__(
        self,
        text: texts.Text,
        offset: int,
        line: int,
        *,
        pool: pool_module.Pool,
        cancel: progress.CancelToken,
        sieve: sifting.Sieve | None = None,
    ) -> Generator[Piece, None, None]:
        """The games from byte `offset` on, to the end of the text. Raises the errors of `pieces`, and
        `StoppedError`."""


class StoppedError(errors.CqlguiError):
    """Those who read the games cannot go on. The games that came before are sound."""


@functools.cache
def begin() -> None:
    """Start compiling the reader to machine code in a thread. The first compilation takes a second. `pieces`
    waits until the compilation is done. The process cannot end before the compilation is done."""

    def work() -> None:
        # Errors are ignored in this thread, because a caller that reads games gets the same error.
        with contextlib.suppress(Exception):
            kernel.UNIT.code()

    if native.available():
        threading.Thread(target=work, name="compiler").start()


def pieces(
    text: split.Source,
    offset: int,
    line: int,
    *,
    pool: pool_module.Pool,
    cancel: progress.CancelToken,
    until: int | None = None,
    sieve: sifting.Sieve | None = None,
) -> Generator[Piece, None, None]:
    """Read the games from byte `offset` on. With `until`, only games that begin before byte `until` are read.
    `offset` is 0 or the end of a game, and lies on line `line`. With `sieve`, only the games that pass the
    sieve are returned, and the moves of the other clean games are not read. A piece may then be empty.

    A game that kills its worker process is returned without moves and with the reason as its problem. Raises
    `errors.Cancelled` and the errors of the reading thread. A caller that stops early must close the
    iterator.
    """
    halt = _Halt(cancel)
    found: queue.Queue[_Found | BaseException | None] = queue.Queue(_AHEAD)

    def put(what: _Found | BaseException | None) -> None:
        while not halt.cancelled:
            with contextlib.suppress(queue.Full):
                found.put(what, timeout=_POLL_SECONDS)
                return

    def work() -> None:
        try:
            with contextlib.closing(_Reader(text, pool, halt, sieve)) as reader:
                for piece in reader.pieces(offset, line, sys.maxsize if until is None else until):
                    put(piece)
                    if halt.cancelled:
                        return
            put(None)
        except BaseException as fault:
            # The error is raised again in the caller's thread.
            put(fault)

    thread = threading.Thread(target=work, name="reader")
    thread.start()
    try:
        while True:
            cancel.raise_if_cancelled()
            try:
                piece = found.get(timeout=_POLL_SECONDS)
            except queue.Empty:
                continue
            if piece is None:
                return
            if isinstance(piece, BaseException):
                raise piece
            yield _piece(piece, sieve)
    finally:
        halt.cancel()
        thread.join()


class _Halt(progress.CancelToken):
    """A token that counts as cancelled if the token itself or the `other` token was cancelled."""

    __slots__ = ("_other",)

    def __init__(self, other: progress.CancelToken) -> None:
        super().__init__()
        self._other = other

    @property
    def cancelled(self) -> bool:
        """True once one of the two tokens was cancelled."""
        return super().cancelled or self._other.cancelled


class _Reader:
    """The work of the reading thread."""

    def __init__(
        self,
        text: split.Source,
        pool: pool_module.Pool,
        halt: progress.CancelToken,
        sieve: sifting.Sieve | None,
    ) -> None:
        self._text = text
        self._pool = pool
        self._sieve = sieve
        self._halt = halt
        self._machine = quick.QuickReader() if native.available() else None
        # Games that pass the sieve are read by `_machine`. The caller's thread uses its texts, so another
        # reader reads the tags for the sieve.
        self._skimmer = quick.QuickReader() if self._machine is not None and sieve is not None else None
        self._leases = contextlib.ExitStack()
        self._crew: pool_module.Crew | None = None

    def close(self) -> None:
        """Return the workers to the pool."""
        self._leases.close()

    def pieces(self, offset: int, line: int, until: int) -> Iterator[_Found]:
        """The pieces of the text; see the function `pieces`."""
        size, most_slow = _FIRST_WINDOW, _FIRST_SLOW
        part = _Part(self._text, offset, line, until)
        while not part.done:
            if self._machine is None:
                self._split(part, most_slow)
            else:
                self._scan(part, self._machine, size, most_slow)
            if part.done or part.full(size, most_slow):
                if self._halt.cancelled:
                    return
                answers = self._answers(part.slow)
                if answers is not None and (part.games or self._sieve is not None):
                    yield _Found(part.games, answers, part.offset, part.last)
                part.next()
                size, most_slow = min(2 * size, _WINDOW), min(2 * most_slow, _SLOW)

    def _scan(self, part: _Part, machine: quick.QuickReader, size: int, most_slow: int) -> None:
        """Read further games with the kernel, from at most one window of text."""
        first, skim = self._skimmer or machine, self._skimmer is not None
        while True:
            window = self._text.read(part.offset, size)
            final = len(window) < size
            data = quick.padded(window)
            base = part.offset
            games = first.read(data, 0, part.line, final=final, skim=skim)
            if games.why is not Why.MORE or len(games) or final or size >= _MOST_WINDOW:
                break
            size *= 2
        while True:
            taken = part.take(games, base)
            if len(taken):
                self._add(part, machine, taken, base)
            if part.done or games.why is Why.END:
                part.done = True
                return
            if games.why is Why.MORE and len(games):
                return
            if games.why is not Why.FULL or not len(games):
                # The kernel refused the next game; a worker reads this game with the lenient reader.
                self._split(part, most_slow, only_next=True)
            if part.done or len(part.slow) >= most_slow or not base <= part.offset < base + len(window):
                return
            games = first.read(data, part.offset - base, part.line, final=final, skim=skim)

    def _add(self, part: _Part, machine: quick.QuickReader, games: quick.Games, base: int) -> None:
        """Add games to a part. If there is a sieve, only the tags of the `games` were read: read the moves of
        those that pass."""
        sieve = self._sieve
        if sieve is None:
            part.games.append(_Quick.of(games, base))
            return
        rows = games.rows[sieve.passing(_tags(games, sieve.columns))]
        starts, sizes = rows[:, kernel.START].tolist(), rows[:, kernel.LENGTH].tolist()
        whole = b"".join(
            games.data[start : start + size] + _BETWEEN for start, size in zip(starts, sizes, strict=True)
        )
        data, at, done = quick.padded(whole), 0, 0
        while done < len(rows):
            found = machine.read(data, at)
            end = done + len(found)
            if len(found):
                own = rows[done:end]
                lines = own[:, kernel.LINE], own[:, kernel.END_LINE]
                part.games.append(_Quick(found, own[:, kernel.START] + base, *lines))
            done, at = end, found.end
            if done < len(rows) and (found.why is not Why.FULL or not len(found)):
                # The kernel refused the moves of the next game; a worker reads this game.
                start, size, line, end_line = rows[done, : kernel.END_LINE + 1].tolist()
                part.add(_Item(base + start, size, line, end_line, ""))
                done += 1
                at = sum(sizes[:done]) + len(_BETWEEN) * done

    def _split(self, part: _Part, most: int, *, only_next: bool = False) -> None:
        """Leave the next games to the workers. With `only_next`, leave the next game and all games without
        tags that directly follow the next game. The kernel would refuse these games."""
        text = _Text(self._text, self._halt, _LOOK if only_next else _MOST_WINDOW)
        found = split.games(text, part.offset, part.line)
        for count, raw in enumerate(found):
            if count and only_next and raw.data.startswith(b"["):
                return
            part.leave(raw)
            if part.done or len(part.slow) >= most:
                return
        part.done = True

    def _answers(self, slow: Sequence[_Item]) -> dict[int, list[Any]] | None:
        """The workers' answers, by the offset of the game; None if the work was stopped."""
        answers: dict[int, list[Any]] = {}
        if slow:
            waiting = collections.deque(slow)
            work = pool_module.Work(
                take=lambda size: _first(waiting, size),
                message=self._message,
                done=lambda items, reply: answers.update(
                    (item.offset, answer) for item, answer in zip(items, reply["games"], strict=True)
                ),
                lost=lambda item, reason: answers.update({item.offset: _lost(item, reason)}),
                size=10,
                largest=100,
                target=0.04,
            )
            if self._crew is None:
                self._crew = self._leases.enter_context(self._pool.lease())
            if not self._crew.run(work, self._halt):
                return None
        return answers

    def _message(self, items: list[_Item]) -> frames.Envelope:
        games = [
            [self._text.read(item.offset, item.sent).decode("latin-1"), item.offset, item.line, item.problem]
            for item in items
        ]
        return {"op": "read", "games": games}


@dataclass(frozen=True, slots=True)
class _Item:
    """A raw game without its bytes. The object is kept while a worker reads the game."""

    offset: int
    length: int
    line: int
    end_line: int
    problem: str

    @property
    def sent(self) -> int:
        """The number of bytes that a worker gets. A game with a problem is too long to be read."""
        return min(self.length, split.HEAD_OF_LONG) if self.problem else self.length


@dataclass(frozen=True, slots=True)
class _Quick:
    """Games that the kernel read, their offsets in the text, their lines, and the lines after them."""

    games: quick.Games
    offsets: np.ndarray
    lines: np.ndarray
    end_lines: np.ndarray

    @classmethod
    def of(cls, games: quick.Games, base: int) -> _Quick:
        """Games of a piece of the text that begins at byte `base`."""
        rows = games.rows
        return cls(games, rows[:, kernel.START] + base, rows[:, kernel.LINE], rows[:, kernel.END_LINE])


@dataclass(frozen=True, slots=True)
class _Found:
    """Games in the order of the text. The kernel has read the games in each `_Quick`. Workers have read the
    games in each list of `_Item`. `answers` maps the offset of a game to the worker's answer. `reached` is
    the byte of the text after these games, and `last` that of `Piece`."""

    games: Sequence[_Quick | list[_Item]]
    answers: dict[int, list[Any]]
    reached: int
    last: Last | None


class _Part:
    """Collects the games of a piece, and holds the place where reading continues."""

    def __init__(self, text: split.Source, offset: int, line: int, until: int) -> None:
        self._text = text
        self.last: Last | None = None
        self.offset = offset
        self.line = line
        self.done = False
        self._until = until
        self.next()

    def next(self) -> None:
        """Begin the next piece."""
        self.start = self.offset
        self.games: list[_Quick | list[_Item]] = []
        self.slow: list[_Item] = []

    def full(self, size: int, most_slow: int) -> bool:
        """Whether there are enough games for a piece."""
        return self.offset - self.start >= size // 2 or len(self.slow) >= most_slow

    def take(self, games: quick.Games, base: int) -> quick.Games:
        """Continue after the games that the kernel read. Returns the games that begin before the end of the
        part."""
        count = len(games)
        if count and base + games.end > self._until:
            count = int(np.searchsorted(games.rows[:, kernel.START], self._until - base))
            self.done = count < len(games)
            games = games.first(count)
        self.offset, self.line = base + games.end, games.end_line
        if count:
            self.last = Last(base + int(games.rows[-1, kernel.START]), self.offset, self.line)
        return games

    def leave(self, raw: split.RawGame) -> None:
        """Note that workers must read a game."""
        if raw.offset >= self._until:
            self.done = True
            return
        item = _Item(raw.offset, raw.length, raw.line, self._end_line(raw), raw.problem)
        self.add(item)
        self.offset, self.line = raw.end, item.end_line
        self.last = Last(raw.offset, raw.end, item.end_line)

    def add(self, item: _Item) -> None:
        """Add a game that a worker must read."""
        if self.games and isinstance(self.games[-1], list):
            self.games[-1].append(item)
        else:
            self.games.append([item])
        self.slow.append(item)

    def _end_line(self, raw: split.RawGame) -> int:
        """The line number after a game, also if the game is too long to be in `raw` as a whole."""
        line = split.end_line(raw)
        offset = raw.offset + len(raw.data)
        while offset < raw.end:
            piece = self._text.read(offset, min(_WINDOW, raw.end - offset))
            if piece.endswith(b"\r"):
                piece += self._text.read(offset + len(piece), 1)
            if not piece:
                break
            line += split.line_ends(piece, 0, len(piece))
            offset += len(piece)
        return line


class _Text:
    """A source for the splitter. The first read returns few bytes, because often only one game is wanted.
    Each further read may return twice as many bytes as the read before. One game may be as long as the text.
    Each read therefore checks for cancellation."""

    def __init__(self, text: split.Source, halt: progress.CancelToken, first: int) -> None:
        self._text = text
        self._halt = halt
        self._most = first

    @property
    def size(self) -> int:
        """See `split.Source`."""
        return self._text.size

    def read(self, offset: int, length: int) -> bytes:
        """See `split.Source`; raises `errors.Cancelled`."""
        self._halt.raise_if_cancelled()
        data = self._text.read(offset, min(length, self._most))
        self._most = min(2 * self._most, _MOST_WINDOW)
        return data


def _first(waiting: collections.deque[_Item], count: int) -> list[_Item]:
    """Take the first games from `waiting`: at most `count`, and at most `_MOST_SENT` bytes or one game."""
    taken: list[_Item] = []
    size = 0
    while waiting and len(taken) < count and (not taken or size + waiting[0].sent <= _MOST_SENT):
        size += waiting[0].sent
        taken.append(waiting.popleft())
    return taken


def _piece(found: _Found, sieve: sifting.Sieve | None) -> Piece:
    """Convert games to the data of the index and the catalog. The conversion runs in the caller's thread,
    because the reading thread has more work than the caller's thread. Of the games that workers have read,
    only those that pass the `sieve` are taken."""
    blocks: list[index.Block] = []
    tables: list[headers.Table] = []
    end_lines: list[np.ndarray] = []
    for games in found.games:
        if isinstance(games, _Quick):
            blocks.append(_block(games))
            tables.append(_table(games.games))
            end_lines.append(games.end_lines)
        else:
            answers = [found.answers[item.offset] for item in games]
            if sieve is not None:
                passing = sieve.passing(headers.Table.of(list(map(_row, answers)))).tolist()
                games = list(itertools.compress(games, passing))
                answers = list(itertools.compress(answers, passing))
            blocks.append(index.Block.of(list(map(_record, games, answers))))
            tables.append(headers.Table.of(list(map(_row, answers))))
            end_lines.append(np.array([item.end_line for item in games]))
    lines = np.concatenate([np.empty(0, np.int64), *end_lines])
    return Piece(index.Block.joined(blocks), tuple(tables), lines, found.reached, found.last)


def _block(found: _Quick) -> index.Block:
    """The kernel's games as a block of the index."""
    games = found.games
    rows = np.empty(len(games), index.ROW)
    table = games.rows
    rows["offset"] = found.offsets
    rows["length"] = table[:, kernel.LENGTH]
    rows["line"] = found.lines
    rows["first"] = table[:, kernel.FIRST_WORD]
    rows["words"] = table[:, kernel.WORDS]
    rows["plies"] = table[:, kernel.PLIES]
    rows["positions"] = table[:, kernel.POSITIONS]
    rows["fen"] = index.USUAL_START
    rows["fen_length"] = 0
    flags = table[:, kernel.FLAGS]
    rows["flags"] = (
        index.PLAYABLE
        + index.CLEAN
        + index.CHESS960 * (flags & kernel.CHESS960 != 0)
        + index.VARIATIONS * (flags & kernel.VARIATIONS != 0)
        + index.COMMENTS * (flags & kernel.COMMENTS != 0)
    )
    rows["flags"][games.other_encoding] |= index.OTHER_ENCODING
    fens = bytearray()
    for game, fen in games.start_fens().items():
        rows["fen"][game] = len(fens)
        rows["fen_length"][game] = len(fen)
        fens += fen.encode("ascii")
    return index.Block(rows, games.words, bytes(fens))


def _table(games: quick.Games) -> headers.Table:
    """The kernel's games as a table of the catalog."""
    known, places = games.tags()
    texts = {column: headers.Coded(known, places[name]) for name, column in headers.COLUMNS.items()}
    texts["ending"] = _endings(texts["result"], games.rows[:, kernel.RESULT])
    rows = games.rows
    more, more_ends = games.other_tags()
    numbers = {
        "white_elo": rows[:, kernel.ELO],
        "black_elo": rows[:, kernel.ELO + 1],
        "plies": rows[:, kernel.PLIES],
        "bad": np.zeros(len(rows), np.int64),
    }
    return headers.Table(texts, numbers, more, more_ends)


def _tags(games: quick.Games, columns: set[str]) -> headers.Table:
    """The kernel's games as a table that has only some columns of tags."""
    names = [name for name, column in headers.COLUMNS.items() if column in columns]
    known, places = games.tags(names) if names else ([], {})
    texts = {headers.COLUMNS[name]: headers.Coded(known, places[name]) for name in names}
    numbers = {"white_elo": games.rows[:, kernel.ELO], "black_elo": games.rows[:, kernel.ELO + 1]}
    more, more_ends = games.other_tags() if sifting.MORE in columns else (b"", np.zeros(len(games), np.int64))
    return headers.Table(texts, numbers, more, more_ends)


def _endings(tags: headers.Coded, endings: np.ndarray) -> headers.Coded:
    """The results at the ends of the games' texts. A result is None if it equals the result in the tag."""
    used = arrays.distinct(tags.places)
    said = [tags.texts[place] for place in used.tolist()]
    meant = np.array([kernel.RESULTS.index(text) if text in kernel.RESULTS else -1 for text in said])
    same = meant[np.searchsorted(used, tags.places)] == endings
    return headers.Coded((None, *kernel.RESULTS), np.where(same, 0, endings + 1))


def _record(item: _Item, answer: list[Any]) -> index.GameRecord:
    """A worker's answer as a record of the index."""
    _tags, start_fen, packed, positions, plies, flags, problems, _ending = answer
    words = array("H")
    words.frombytes(base64.b64decode(packed))
    if sys.byteorder == "big":
        words.byteswap()
    return index.GameRecord(
        offset=item.offset,
        length=item.length,
        line=item.line,
        words=words,
        start_fen=start_fen,
        plies=plies,
        positions=positions,
        flags=flags,
        problems=tuple((offset, line, reason, severity) for line, offset, reason, severity in problems),
    )


def _row(answer: list[Any]) -> headers.Header:
    """A worker's answer as a row of the catalog."""
    tags, _start_fen, _packed, _positions, plies, flags, _problems, ending = answer
    return headers.from_tags([(name, text) for name, text in tags], plies, bool(flags & index.BAD), ending)


def _lost(item: _Item, reason: str) -> list[Any]:
    """The answer for a game that kills its worker: no tags, no moves, one problem."""
    return [[], None, "", 1, 0, index.BAD, [[item.line, item.offset, reason, "error"]], ""]

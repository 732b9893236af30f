"""The catalog: sources, bases and the headers of games by (source, ordinal from 0).

Games are kept in blocks of columns (`columns`). The columns hold the numbers of texts (`names`). To answer a
question about many games, the catalog reads whole columns (`listing`). The catalog can be made again from the
sources at any time, so a damaged file is set aside.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import sqlite3
import zlib
from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from cqlgui.base import arrays, errors
from cqlgui.base.data import dataclass
from cqlgui.db import columns, database, headers, names, own_texts, proofs, schema
from cqlgui.db.columns import Block
from cqlgui.db.headers import Coded, Header, Table
from cqlgui.db.names import TABLES

if TYPE_CHECKING:
    from cqlgui.db import listing

_BLOCKS_SINCE = 6
"""The first version that keeps games in blocks of the present form."""
_YEAR: Final = "[0-9][0-9][0-9][0-9]*"
_PLAYERS: Final = ("white", "black")


@dataclass(frozen=True, slots=True)
class SourceRow:
    """What the catalog holds about a PGN source."""

    id: int
    path: Path
    games: int
    positions: int
    complete: bool


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows that the catalog has of a source, from ordinal 0 to the first missing game. `path` is the path
    of the source; it is empty if the source is unknown."""

    path: str
    blocks: tuple[Block, ...]

    @property
    def games(self) -> int:
        """The number of games that have rows."""
        return self.blocks[-1].first + self.blocks[-1].games if self.blocks else 0

    @property
    def state(self) -> str:
        """A text that identifies these rows. Different rows never have the same text, even if they are in
        different catalogs."""
        return f"{self.games}-{sum(block.id for block in self.blocks):x}"

    def blocks_of(self, first: int, count: int) -> tuple[int, ...]:
        """The numbers of the blocks that hold `count` games from ordinal `first` on. Each block has a number
        of its own, and its content is never altered. The numbers therefore identify the content."""
        return tuple(block.id for block in columns.overlapping(self.blocks, first, first + count))


@dataclass(frozen=True, slots=True)
class Numbered:
    """The rows of some games, with the numbers of their texts. Row n is that of the game `games[n]`, an
    ordinal."""

    games: np.ndarray
    texts: dict[str, np.ndarray]
    """The columns of `names.TABLES`. `Catalog.texts` has the texts with these numbers."""
    numbers: dict[str, np.ndarray]
    """The columns of `headers.NUMBERS`."""
    more: Sequence[tuple[np.ndarray, np.ndarray, np.ndarray]]
    """`Header.more` of the games, for some games at a time: bytes, and where the text of each game begins and
    ends in these bytes."""


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts over the games of some sources. The dates are empty if no game has a date that begins with a
    year."""

    players: int
    events: int
    first_date: str
    last_date: str
    results: dict[str, int]
    bad: int


class Catalog:
    """The catalog file. Every method may be called from any thread; several programs may share the file."""

    def __init__(self, path: Path, *, create: bool = True) -> None:
        """With `create=False` the file is neither checked nor written. Use this value for a file that another
        `Catalog` has already checked."""
        self._file = database.File(path, schema.VERSION, "catalog", check=create)
        self._store = columns.Store()
        self._names = names.Names(path)
        self._compared = "", False
        """The state of the file (`soundness.Checked.digest`) whose columns were compared with their
        checksums, and whether all were sound."""
        self.numbering: Hashable = object()
        """Identifies the numbers of texts. The texts of another catalog have other numbers."""
        if not create or self._file.current():
            return
        with self._file.writing() as connection:
            if int(connection.execute("PRAGMA user_version").fetchone()[0]) < _BLOCKS_SINCE:
                # The rows of an older version are removed. The games are read again when their source is
                # opened next.
                connection.execute("drop table if exists game")
                connection.execute("drop table if exists block")
                connection.execute("drop table if exists own")
            schema.create(connection, schema.catalog)
            proofs.renew(connection)
            self._file.set_version(connection)

    @property
    def path(self) -> Path:
        """The path of the catalog file."""
        return self._file.path

    def take_notice(self) -> str:
        """A sentence for the user if a damaged catalog was set aside. The result is empty if the catalog was
        sound. Every later call returns an empty text."""
        return self._file.take_notice()

    @property
    def is_there(self) -> bool:
        """Whether the opened file is still at its path."""
        return self._file.is_there()

    def close(self) -> None:
        """Close all connections."""
        self._file.close()

    @functools.cached_property
    def _listing(self) -> listing.Listing:
        # Most searches list no games and do not need the module.
        from cqlgui.db import listing

        return listing.Listing(self._store, self._names)

    # --- sources and bases ---

    def source(self, path: Path) -> SourceRow:
        """The row of a source. If there is no row, a new row is made."""
        text = str(path)
        with self._file.reading() as connection:
            row = connection.execute(
                "select id, path, games, positions, complete from source where path = ?", (text,)
            ).fetchone()
        if row is None:
            with self._file.writing() as connection:
                # An open base remembers the numbers of its sources. If the catalog is made anew meanwhile,
                # its sources must have other numbers.
                connection.execute(
                    "insert or ignore into source(id, path, games, positions, complete) "
                    "values (?, ?, 0, 0, 0)",
                    (1 + int.from_bytes(os.urandom(6), "big"), text),
                )
                row = connection.execute(
                    "select id, path, games, positions, complete from source where path = ?", (text,)
                ).fetchone()
        return SourceRow(row[0], Path(row[1]), row[2], row[3], bool(row[4]))

    def base(self, paths: Sequence[Path], name: str = "") -> tuple[int, str]:
        """Id and name of the base with exactly these sources in this order. If a `name` is given, the base is
        renamed."""
        key = json.dumps([str(path) for path in paths], ensure_ascii=False)
        with self._file.reading() as connection:
            row = connection.execute("select id, name from base where key = ?", (key,)).fetchone()
        if row is not None and name in ("", row[1]):
            # Nearly every call ends here without writing. A search must not wait for writers, and must not
            # need permission to write.
            return int(row[0]), str(row[1])
        try:
            with self._file.writing() as connection:
                connection.execute("insert or ignore into base(name, key) values (?, ?)", (name, key))
                if name:
                    connection.execute("update base set name = ? where key = ?", (name, key))
                proofs.renew(connection, "base")
                row = connection.execute("select id, name from base where key = ?", (key,)).fetchone()
        except database.Damaged:
            raise
        except errors.CqlguiError:
            if name:
                raise
            # The number only tells bases apart. A base can be searched where nothing can be written.
            return -zlib.crc32(key.encode("utf-8", "surrogatepass")), ""
        return int(row[0]), str(row[1])

    # --- writing games ---

    def begin(self, source: int, keep: int) -> None:
        """Forget the games of a source from ordinal `keep` on, before new games are added."""
        with self._file.writing() as connection:
            self._cut(connection, source, keep)
            connection.execute("update source set games = ?, complete = 0 where id = ?", (keep, source))

    def add_games(self, source: int, first: int, tables: Sequence[Table], positions: int) -> None:
        """Add games from ordinal `first` on in one transaction. The new games replace all known games from
        `first` on. `positions` is the source's new number of positions.
        """
        count = sum(map(len, tables))
        try:
            with self._file.writing() as connection:
                self._cut(connection, source, first)
                if count:
                    # Only one transaction writes at a time, so the cache needs no lock.
                    block = _fresh()
                    found = _numbers(tables) | self._names.numbered(connection, block, tables)
                    _put(connection, block, source, first, count, found)
                connection.execute(
                    "update source set games = ?, positions = ? where id = ?",
                    (first + count, positions, source),
                )
        except BaseException:
            # The transaction was undone. The numbers of texts that were cached during the transaction may not
            # exist any more.
            self._names.forget()
            raise

    def _cut(self, connection: sqlite3.Connection, source: int, keep: int) -> None:
        """Remove the games from ordinal `keep` on."""
        removed = connection.execute(
            "select id from block where source_id = ? and first >= ?", (source, keep)
        ).fetchall()
        for table, column in (("own", "block_id"), ("block", "id")):
            connection.executemany(f"delete from {table} where {column} = ?", removed)
        row = connection.execute(
            "select id, first, games from block where source_id = ? order by first desc limit 1", (source,)
        ).fetchone()
        if row is None or Block(*row).first + Block(*row).games <= keep:
            return
        block = Block(*row)
        left = keep - block.first
        if left <= 0:
            # This block was to be removed. A damaged index can hide it from one statement and show it here.
            raise sqlite3.DatabaseError("malformed block of games")
        found = {name: self._store.column(connection, block, name)[:left] for name in columns.NUMBERS}
        end = int(found["more_ends"][-1])
        found["more"] = self._store.column(connection, block, "more")[:end]
        connection.execute("delete from block where id = ?", (block.id,))
        part = _fresh()
        # The rows of own texts stay as they are, because the numbers of texts must not change.
        connection.execute("update own set block_id = ? where block_id = ?", (part, block.id))
        _put(connection, part, source, block.first, left, found)

    def finish(self, source: int, games: int, positions: int) -> None:
        """Note that a source has been read to the end."""
        with self._file.writing() as connection:
            connection.execute(
                "update source set games = ?, positions = ?, complete = 1 where id = ?",
                (games, positions, source),
            )

    # --- reading games ---

    def count(self, source: int) -> int:
        """The number of games that the catalog has of a source, from ordinal 0 to the first missing game."""
        with self._file.reading() as connection:
            return sum(block.games for block in self._store.blocks(connection, source))

    def rows(self, source: int) -> Rows:
        """The rows of a source."""
        with self._snapshot() as connection:
            row = connection.execute("select path from source where id = ?", (source,)).fetchone()
            return Rows(row[0], tuple(self._store.blocks(connection, source))) if row else Rows("", ())

    def sound(self, source: int) -> int:
        """The number of sound games of a source. The count begins at ordinal 0 and stops at the first missing
        game, or at the first block with a wrong checksum. A file in which all columns were found sound is not
        read again, as long as no program writes to it. In a file of more than `database.CHECKED_WHOLE` bytes
        the columns are compared with their checksums when they are first used, and not here.
        """
        with self._snapshot() as connection:
            known = self._store.blocks(connection, source)
            if self._file.path.stat().st_size > database.CHECKED_WHOLE or self._is_sound(connection):
                return sum(block.games for block in known)
            return _sound_games(connection, known)

    def _is_sound(self, connection: sqlite3.Connection) -> bool:
        """Whether the columns of all sources are known to be sound. False if the state of the file cannot be
        noted: each source is then checked when it is opened."""
        checked = database.state(self.path)
        # Another file may stand at the path by now. It has another state than the file that is read here.
        if checked is None or checked.is_young or not self._file.is_there():
            return False
        digest, is_sound = self._compared
        if digest != checked.digest:
            note = self.path.with_name(self.path.name + ".columns")
            is_sound = checked.is_noted(note)
            if not is_sound and self._compare_all(connection):
                checked.note(note)
                is_sound = True
            self._compared = checked.digest, is_sound
        return is_sound

    def _compare_all(self, connection: sqlite3.Connection) -> bool:
        """Compare the columns of all sources with their checksums. Returns whether all are sound."""
        try:
            for (source,) in connection.execute("select id from source").fetchall():
                listed = self._store.blocks(connection, source)
                if _sound_games(connection, listed) != sum(block.games for block in listed):
                    return False
        except sqlite3.DatabaseError:
            # This is said when the damaged source is opened.
            return False
        return True

    def bad_count(self, source: int) -> int:
        """How many games of a source could not be read completely."""
        with self._snapshot() as connection:
            # A column of zeros takes no bytes, so only the blocks with such games are read.
            listed = connection.execute(
                "select id from block where source_id = ? and length(bad) > 0", (source,)
            )
            some = {number for (number,) in listed}
            blocks = [block for block in self._store.blocks(connection, source) if block.id in some]
            return int(np.count_nonzero(self._store.whole(connection, blocks, "bad")))

    def named_count(self, source: int) -> int:
        """How many games of a source have a White tag."""
        return int(np.count_nonzero(self._whole([source], ["white"])[0]))

    def summary(self, sources: Sequence[int]) -> Summary:
        """Counts over the games of some sources."""
        white, black, event, date, result, bad = self._whole(
            sources, ["white", "black", "event", "date", "result", "bad"]
        )
        with self._file.reading() as connection:
            numbers, counts = np.unique(result, return_counts=True)
            texts = self._names.named(connection, "text", numbers.tolist())
            results: dict[str, int] = {}
            for number, count in zip(numbers.tolist(), counts.tolist(), strict=True):
                text = texts.get(number, "*")
                results[text] = results.get(text, 0) + count
            dates = self._names.matching(connection, "text", "name glob ?", _YEAR)
            dated = arrays.distinct(date)
            dated = dated[np.isin(dated, dates)]
            years = sorted(self._names.named(connection, "text", dated.tolist()).values())
        often = sorted(results.items(), key=lambda pair: -pair[1])[:8]
        players = arrays.distinct(np.concatenate([white, black]))
        return Summary(
            players=int(np.count_nonzero(players)),
            events=int(np.count_nonzero(arrays.distinct(event))),
            first_date=years[0] if years else "",
            last_date=years[-1] if years else "",
            results=dict(often),
            bad=int(np.count_nonzero(bad)),
        )

    def numbers(self, source: int, name: str, games: int) -> np.ndarray:
        """A column of numbers for the first `games` games of a source. An import may be adding games all the
        time, so columns that belong together must have the same number of games."""
        return self._whole([source], [name])[0][:games].astype(np.int64)

    def coded(self, source: int, name: str, code: Callable[[str], int], games: int) -> np.ndarray:
        """A number for each of the first `games` games of a source. `code` computes this number from the
        game's text in the column `name`. A missing text counts as empty."""
        numbers = self.numbers(source, name, games)
        own = np.flatnonzero(numbers >= own_texts.FIRST)
        rows = list(own_texts.rows_of(numbers[own]))
        numbers[own] = 0
        used, places = arrays.ranked(numbers)
        with self._file.reading() as connection:
            texts = self._names.named(connection, TABLES[name], used.tolist())
            found = np.array([code(texts.get(number, "")) for number in used.tolist()], np.int64)[places]
            before = 0
            for row, some in rows:
                listed = self._names.own.row(connection, row).at(own_texts.places_of(some).tolist())
                found[own[before : before + len(some)]] = list(map(code, listed))
                before += len(some)
        return found

    def texts(self, name: str, numbers: Sequence[int]) -> dict[int, str]:
        """The texts of the column `name` that have these numbers (`numbers`), by number. Number 0 stands for
        a missing text and is left out."""
        with self._file.reading() as connection:
            return self._names.named(connection, TABLES[name], numbers)

    def all_texts(self, name: str, most: int) -> tuple[np.ndarray, bytes, np.ndarray] | None:
        """All texts that columns like `name` can have, of all sources: their numbers, the texts in UTF-8 one
        after another, and the end of each text. Texts that stand in rows of their own (`own_texts`) are left
        out. None if there are more than `most` texts, or if they must be asked for by `texts`."""
        with self._file.reading() as connection:
            return self._names.whole(connection, TABLES[name], most)

    def headers(self, source: int, ordinals: Iterable[int]) -> dict[int, Header]:
        """The rows of some games of a source, by ordinal."""
        games, table = self.table(source, arrays.distinct(np.fromiter(ordinals, np.int64)))
        return dict(zip(games.tolist(), table.rows(), strict=True))

    def table(self, source: int, wanted: np.ndarray) -> tuple[np.ndarray, Table]:
        """The rows of some games of a source as columns, and the ordinals of these games. `wanted` are
        ordinals, ascending. Games that the catalog lacks are left out."""
        with self._snapshot() as connection:
            found = self._numbered(connection, source, wanted)
            if not len(found.games):
                return found.games, Table.of([])
            texts = {}
            for name, table in TABLES.items():
                numbers, coded = np.unique(found.texts[name], return_inverse=True)
                known = self._names.named(connection, table, numbers.tolist())
                texts[name] = headers.Coded([known.get(number) for number in numbers.tolist()], coded)
        more: list[bytes] = []
        for data, starts, ends in found.more:
            # Slices of a buffer are several times as fast as those of an array.
            spans = zip(starts.tolist(), ends.tolist(), strict=True)
            more += [data.data[start:end].tobytes() for start, end in spans]
        return found.games, Table(texts, found.numbers, b"".join(more), np.cumsum([len(one) for one in more]))

    def numbered(self, source: int, wanted: np.ndarray) -> Numbered:
        """The rows of some games of a source. `wanted` are ordinals, ascending. Games that the catalog lacks
        are left out. The numbers of own texts are valid inside one `snapshot`."""
        with self._snapshot() as connection:
            return self._numbered(connection, source, wanted)

    def _numbered(self, connection: sqlite3.Connection, source: int, wanted: np.ndarray) -> Numbered:
        games, more = [np.zeros(0, np.int64)], []
        found: dict[str, list[np.ndarray]] = {name: [] for name in (*TABLES, *headers.NUMBERS)}
        for block in self._store.blocks(connection, source):
            low, high = np.searchsorted(wanted, [block.first, block.first + block.games]).tolist()
            if low < high:
                places = wanted[low:high] - block.first
                games.append(wanted[low:high])
                listed = self._store.columns(connection, block, columns.COLUMNS)
                for name, parts in found.items():
                    parts.append(listed[name][places])
                ends = listed["more_ends"]
                starts = np.where(places > 0, ends[places - 1], 0).astype(np.int64)
                more.append(_cut(listed["more"], starts, ends[places].astype(np.int64)))
        joined = {name: np.concatenate(parts) if parts else games[0] for name, parts in found.items()}
        return Numbered(
            np.concatenate(games),
            {name: joined[name] for name in TABLES},
            {name: joined[name] for name in headers.NUMBERS},
            more,
        )

    def text_numbers(self, source: int, first: int, count: int, name: str) -> list[np.ndarray]:
        """The numbers of the texts of a column of texts in `count` games from ordinal `first` on, in several
        arrays, as the blocks have them. `texts` has the texts. The number is 0 if the game lacks the text or
        the catalog lacks the game."""
        found: list[np.ndarray] = []
        with self._snapshot() as connection:
            known = self._store.blocks(connection, source)
            # Whoever asks for one player mostly asks for both.
            read = _PLAYERS if name in _PLAYERS else (name,)
            for block in columns.overlapping(known, first, first + count):
                begin = max(first - block.first, 0)
                column = self._store.columns(connection, block, read)[name]
                found.append(column[begin : first + count - block.first])
        missing = count - sum(map(len, found))
        return [*found, np.zeros(missing, np.uint8)] if missing else found

    def numbers_with(self, name: str, text: str) -> np.ndarray:
        """The numbers (`text_numbers`) of all texts for the column `name` that contain `text`, in the same
        case. Texts that stand in a row of their own (`own_texts`) are left out."""
        with self._file.reading() as connection:
            return self._names.matching(connection, TABLES[name], "instr(name, ?)", text)

    def tag_column(self, source: int, first: int, count: int, name: str) -> Coded:
        """The texts of one tag in `count` games from ordinal `first` on. The text is None if the game lacks
        the tag or the catalog lacks the game."""
        games = slice(first, first + count)
        with self._snapshot() as connection:
            known = self._store.blocks(connection, source)
            if name in headers.COLUMNS:
                return _padded(self._texts_of(connection, known, headers.COLUMNS[name], games), count)
            ratings = headers.RATINGS.get(name)
            end = min(games.stop, known[-1].first + known[-1].games if known else 0)
            column = np.zeros(max(end - first, 0), np.int64)
            if ratings is not None:
                column = self._store.part(connection, known, ratings, first, games.stop).astype(np.int64)
            numbers, places = arrays.ranked(column)
            texts: list[str | None] = [str(number) if number else None for number in numbers.tolist()]
            for place, more in self._more(connection, known, games, name):
                tags = json.loads(more)
                if name in tags:
                    places[place] = len(texts)
                    texts.append(tags[name])
        codes, listed = arrays.numbered(texts)
        return _padded(Coded(listed, codes[places]), count)

    def result_column(self, source: int, first: int, count: int) -> Coded:
        """The results of `count` games from ordinal `first` on. For each game, the result at the end of the
        text counts. If the text ends without a result, the Result tag counts."""
        games = slice(first, first + count)
        with self._snapshot() as connection:
            known = self._store.blocks(connection, source)
            endings = self._texts_of(connection, known, "ending", games)
            tags = self._texts_of(connection, known, "result", games)
        size = max(len(tags.texts), 1)
        pairs, places = arrays.ranked(endings.places * size + tags.places)
        codes, found = arrays.numbered(
            endings.texts[pair // size] or tags.texts[pair % size] for pair in pairs.tolist()
        )
        return _padded(Coded(found, codes[places]), count)

    def _texts_of(
        self, connection: sqlite3.Connection, known: Sequence[Block], name: str, games: slice
    ) -> Coded:
        """The texts of a column in some games of a source. Games that the source lacks are left out."""
        column = self._store.part(connection, known, name, games.start, games.stop)
        numbers, places = arrays.ranked(column.astype(np.int64))
        texts = self._names.named(connection, TABLES[name], numbers.tolist())
        return Coded([texts.get(number) for number in numbers.tolist()], places)

    def _more(
        self, connection: sqlite3.Connection, known: Sequence[Block], games: slice, name: str
    ) -> Iterator[tuple[int, bytes]]:
        """Yields the index of each game that may have the tag `name`, and the JSON text of those tags of the
        game that have no column."""
        needle = json.dumps(name, ensure_ascii=False).encode("utf-8")
        for block in columns.overlapping(known, games.start, games.stop):
            data, ends = self._store.more(connection, block)
            at = data.find(needle)
            while at >= 0:
                place = int(np.searchsorted(ends, at, side="right"))
                start, end = int(ends[place - 1]) if place else 0, int(ends[place])
                if games.start <= block.first + place < games.stop:
                    yield block.first + place - games.start, data[start:end]
                at = data.find(needle, end)

    def ids(
        self,
        sources: Sequence[tuple[int, int]],
        *,
        sort: str | None = None,
        descending: bool = False,
        text: str = "",
    ) -> array[int]:
        """The games of some sources of a base, sorted. A game is given by its base ordinal (its number in the
        base, from 0). `sources` has a pair for each source: the id of the source, and the base ordinal of the
        first game of the source.

        `sort` is one of `listing.SORTS` or None for the order of the files. Games without a known value come
        last in both directions. Every term of the filter `text` must hold, except the terms on files, which
        the caller decides. Raises `game_filter.FilterError` if the filter cannot be understood.
        """
        with self._snapshot() as connection:
            return self._listing.ids(connection, sources, sort=sort, descending=descending, text=text)

    def sort_keys(self, sources: Sequence[int], sort: str) -> list[np.ndarray]:
        """For each source the sort keys of its games, in the order of the games. The keys of all sources can
        be compared. `sort` is one of `listing.SORTS`. A missing or an unknown header has key 0."""
        with self._snapshot() as connection:
            known = [self._store.blocks(connection, source) for source in sources]
            blocks = [block for some in known for block in some]
            keys = self._listing.keys(connection, blocks, sort)
        sizes = [sum(block.games for block in some) for some in known]
        return np.split(keys, np.cumsum(sizes)[:-1]) if sizes else []

    def names(self, sources: Sequence[int], wanted: Sequence[str], text: str, most: int) -> list[str]:
        """The texts in some columns that contain `text`, at most `most`. Those that begin with `text` come
        first, and among both kinds those of the most games. Case is ignored. A column is one of the texts of
        `TABLES`, or `opening`."""
        with self._snapshot() as connection:
            blocks = [block for source in sources for block in self._store.blocks(connection, source)]
            return self._listing.offered(connection, blocks, wanted, text, most)

    def own_openings(self, source: int) -> Coded:
        """The names of the openings that the games of a source have in their own tags. The text of a game
        without such tags is None."""
        from cqlgui.db import openings

        with self._snapshot() as connection:
            blocks = self._store.blocks(connection, source)
            places = np.zeros(sum(block.games for block in blocks), np.int64)
            known: dict[str | None, int] = {None: 0}
            before = 0
            for block in blocks:
                for place, name in openings.own_names(*self._store.more(connection, block)):
                    places[before + place] = known.setdefault(name, len(known))
                before += block.games
        return Coded(list(known), places)

    def _whole(self, sources: Sequence[int], names: Sequence[str]) -> list[np.ndarray]:
        """Columns for all games of some sources."""
        with self._snapshot() as connection:
            blocks = [block for source in sources for block in self._store.blocks(connection, source)]
            return [self._store.whole(connection, blocks, name) for name in names]

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[None]:
        """All that the calling thread reads inside belongs to one state of the file, whatever an import
        changes in the meantime. So numbers of texts keep their texts."""
        with self._snapshot():
            yield

    @contextlib.contextmanager
    def _snapshot(self) -> Iterator[sqlite3.Connection]:
        """The thread's connection, in a transaction. The data do not change until the transaction ends. A
        snapshot inside another one is part of it."""
        with self._file.reading() as connection:
            if connection.in_transaction:
                yield connection
                return
            try:
                # `begin` is inside the try block, because a worker may be interrupted right after `begin`. If
                # `begin` were outside the block, the transaction would stay open after this interruption.
                connection.execute("begin")
                yield connection
            finally:
                connection.rollback()


def _sound_games(connection: sqlite3.Connection, listed: Sequence[Block]) -> int:
    """The number of games in the sound blocks before the first one with a wrong checksum. Raises
    `sqlite3.DatabaseError` if a block cannot be read."""
    games = 0
    for block in listed:
        row = connection.execute(
            f"select checksums, {', '.join(columns.COLUMNS)} from block where id = ?", (block.id,)
        ).fetchone()
        if row is None:
            raise sqlite3.DatabaseError("malformed block of games: it is missing")
        checks, *values = row
        try:
            columns.verify(block, checks, dict(zip(columns.COLUMNS, values, strict=True)))
            own_texts.verify(connection, block.id)
        except sqlite3.DatabaseError:
            break
        games += block.games
    return games


def _cut(data: np.ndarray, starts: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The texts at `starts` to `ends` in the bytes of a block, copied: bytes, and where each text begins and
    ends. A block must not stay in memory for a few games."""
    lengths = ends - starts
    first, last = int(starts[0]), int(ends[-1])
    if _DENSE * int(lengths.sum()) >= last - first:
        return data[first:last].copy(), starts - first, ends - first
    spans = zip(starts.tolist(), ends.tolist(), strict=True)
    some = b"".join([data.data[start:end] for start, end in spans])
    ends = np.cumsum(lengths)
    return np.frombuffer(some, np.uint8), ends - lengths, ends


_DENSE: Final = 4
"""If the texts are at least one in so many bytes, the bytes between them are copied, too. Copying many texts
one by one would take longer."""


def _padded(column: Coded, count: int) -> Coded:
    """A column, extended with None for the missing games."""
    missing = count - len(column.places)
    if not missing:
        return column
    places = np.concatenate([column.places, np.full(missing, len(column.texts), np.int64)])
    return Coded([*column.texts, None], places)


def _numbers(tables: Sequence[Table]) -> dict[str, np.ndarray]:
    """The columns of games that have no texts of the tables of names."""
    found = {name: np.concatenate([table.numbers[name] for table in tables]) for name in headers.NUMBERS}
    ends, end = [], 0
    for table in tables:
        ends.append(table.more_ends + end)
        end += len(table.more)
    found["more_ends"] = np.concatenate(ends)
    found["more"] = np.frombuffer(b"".join(table.more for table in tables), np.uint8)
    return found


def _fresh() -> int:
    """A number for a new block. No other block has had this number."""
    return int.from_bytes(os.urandom(8), "big") >> 2


def _put(
    connection: sqlite3.Connection,
    number: int,
    source: int,
    first: int,
    games: int,
    found: dict[str, np.ndarray],
) -> None:
    """Add the block with the number `number`."""
    values = [columns.packed(found[name]) for name in columns.NUMBERS] + [found["more"].tobytes()]
    marks = ", ".join("?" * (5 + len(values)))
    connection.execute(
        f"insert into block(id, source_id, first, games, checksums, {', '.join(columns.COLUMNS)}) "
        f"values ({marks})",
        (number, source, first, games, columns.checksums(first, games, values), *values),
    )

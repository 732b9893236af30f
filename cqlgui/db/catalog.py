"""The catalog: sources, bases and the headers of games by (source, ordinal from 0).

Games are kept in blocks of columns (`columns`). Each distinct text is stored once, in a table of texts, and
has a number there. The columns hold the numbers of the texts. To answer a question about many games, the
catalog reads whole columns. The catalog can be made again from the sources at any time, so a damaged file is
set aside.
"""

from __future__ import annotations

import collections
import contextlib
import json
import os
import sqlite3
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from cqlgui.base import arrays, errors
from cqlgui.base.data import dataclass
from cqlgui.db import columns, database, headers, proofs, schema
from cqlgui.db.columns import Block
from cqlgui.db.headers import Coded, Header, Table

if TYPE_CHECKING:
    from cqlgui.db import game_filter

_BLOCKS_SINCE = 3
"""The first version that keeps games in blocks."""
_CHUNK = 500
_MOST_NAMES = 500_000

TABLES: Final = {
    "white": "player",
    "black": "player",
    "event": "event",
    "site": "site",
    "result": "text",
    "date": "text",
    "round": "text",
    "eco": "text",
    "ending": "text",
}
"""For each column of texts, the name of the table with the texts."""
SORTS: Final = (
    "white", "black", "white_elo", "black_elo", "result", "date", "event", "site", "round", "eco", "opening",
    "plies",
)  # fmt: skip
_FOLDED: Final = {"player", "event", "site"}
"""The tables with texts that are sorted without regard to case."""
_COLUMNS: Final = (*headers.TEXTS, *headers.NUMBERS, "more_ends", "more")
_YEAR: Final = "[0-9][0-9][0-9][0-9]*"


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
        self._names: dict[str, dict[str, int]] = {table: {} for table in TABLES.values()}
        self._texts: dict[str, dict[int, str]] = {table: {} for table in TABLES.values()}
        self._ranks: dict[str, tuple[int, np.ndarray]] = {}
        self._codings: list[_Coding] = []
        self._indexes_checked = False
        if not create or self._file.current():
            return
        with self._file.writing() as connection:
            if int(connection.execute("PRAGMA user_version").fetchone()[0]) < _BLOCKS_SINCE:
                # The rows of an older version are removed. The games are read again when their source is
                # opened next.
                connection.execute("drop table if exists game")
                connection.execute("drop table if exists block")
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
                connection.execute(
                    "insert or ignore into source(path, games, positions, complete) values (?, 0, 0, 0)",
                    (text,),
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
        with self._file.writing() as connection:
            connection.execute("insert or ignore into base(name, key) values (?, ?)", (name, key))
            if name:
                connection.execute("update base set name = ? where key = ?", (name, key))
            proofs.renew(connection, "base")
            row = connection.execute("select id, name from base where key = ?", (key,)).fetchone()
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
                    _put(connection, source, first, count, self._coded(connection, tables))
                connection.execute(
                    "update source set games = ?, positions = ? where id = ?",
                    (first + count, positions, source),
                )
        except BaseException:
            # The transaction was undone. The numbers of texts that were cached during the transaction may not
            # exist any more.
            for known in self._names.values():
                known.clear()
            self._codings.clear()
            raise

    def _cut(self, connection: sqlite3.Connection, source: int, keep: int) -> None:
        """Remove the games from ordinal `keep` on."""
        connection.execute("delete from block where source_id = ? and first >= ?", (source, keep))
        row = connection.execute(
            "select id, first, games from block where source_id = ? and first + games > ?", (source, keep)
        ).fetchone()
        if row is None:
            return
        block = Block(*row)
        left = keep - block.first
        found = {name: self._store.column(connection, block, name)[:left] for name in _COLUMNS[:-1]}
        end = int(found["more_ends"][-1])
        found["more"] = self._store.column(connection, block, "more")[:end]
        connection.execute("delete from block where id = ?", (block.id,))
        _put(connection, source, block.first, left, found)

    def _coded(self, connection: sqlite3.Connection, tables: Sequence[Table]) -> dict[str, np.ndarray]:
        """Games as the columns of one block. Each text is replaced by its number."""
        found = {name: np.concatenate([table.numbers[name] for table in tables]) for name in headers.NUMBERS}
        texts = {name: headers.joined([table.texts[name] for table in tables]) for name in headers.TEXTS}
        for kind in self._names:
            mine = [column for name in headers.TEXTS if TABLES[name] == kind for column in texts[name]]
            self._learn(connection, kind, mine)
        for name, parts in texts.items():
            kind = TABLES[name]
            found[name] = np.concatenate([self._coding(kind, part)[part.places] for part in parts])
        ends, end = [], 0
        for table in tables:
            ends.append(table.more_ends + end)
            end += len(table.more)
        # Keep the codings of the two longest lists. The fast reader uses one long list again and again, but
        # short lists are soon replaced by others.
        self._codings = sorted(self._codings, key=lambda one: -len(one.texts))[:2]
        found["more_ends"] = np.concatenate(ends)
        found["more"] = np.frombuffer(b"".join(table.more for table in tables), np.uint8)
        return found

    def _coding(self, table: str, column: headers.Coded) -> np.ndarray:
        """The numbers of the texts in a column's list, by place in the list; below 0 if the number is
        unknown."""
        found = next((one for one in self._codings if one.texts is column.texts), None)
        if found is None:
            found = _Coding(column.texts)
            self._codings.append(found)
        return found.numbers(table)

    def _learn(self, connection: sqlite3.Connection, table: str, columns_: Sequence[headers.Coded]) -> None:
        """Look up the numbers of all texts of some columns, and add new texts."""
        wanted: set[str | None] = set()
        unknown = []
        for column in columns_:
            places = column.places[self._coding(table, column)[column.places] < 0]
            if len(places):
                used = arrays.distinct(places)
                texts = list(map(column.texts.__getitem__, used.tolist()))
                wanted.update(texts)
                unknown.append((column, used, texts))
        ids = self._ids(connection, table, wanted)
        for column, used, texts in unknown:
            self._coding(table, column)[used] = list(map(ids.__getitem__, texts))

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
            return Rows(row[0] if row else "", tuple(self._store.blocks(connection, source)))

    def sound(self, source: int) -> int:
        """The number of sound games of a source. The count begins at ordinal 0 and stops at the first missing
        game, or at the first block with a wrong checksum.
        """
        fields = ", ".join(_COLUMNS)
        games = 0
        with self._snapshot() as connection:
            for block in self._store.blocks(connection, source):
                check, *values = connection.execute(
                    f"select checksum, {fields} from block where id = ?", (block.id,)
                ).fetchone()
                # A text or a number in place of bytes is damage, too.
                if not all(isinstance(value, bytes) for value in values):
                    break
                if check != _checksum(block.first, block.games, values):
                    break
                games += block.games
        return games

    def bad_count(self, source: int) -> int:
        """How many games of a source could not be read completely."""
        return int(np.count_nonzero(self._whole([source], ["bad"])[0]))

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
            texts = self._named(connection, "text", numbers.tolist())
            results: dict[str, int] = {}
            for number, count in zip(numbers.tolist(), counts.tolist(), strict=True):
                text = texts.get(number, "*")
                results[text] = results.get(text, 0) + count
            dates = _matching(connection, "text", "name glob ?", _YEAR)
            dated = arrays.distinct(date)
            dated = dated[np.isin(dated, dates)]
            years = sorted(self._named(connection, "text", dated.tolist()).values())
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
        used, places = arrays.ranked(numbers)
        with self._file.reading() as connection:
            texts = self._named(connection, TABLES[name], used.tolist())
        return np.array([code(texts.get(number, "")) for number in used.tolist()], np.int64)[places]

    def texts(self, name: str, numbers: Sequence[int]) -> dict[int, str]:
        """The texts of the column `name` that have these numbers (`numbers`), by number. Number 0 stands for
        a missing text and is left out."""
        with self._file.reading() as connection:
            return self._named(connection, TABLES[name], numbers)

    def headers(self, source: int, ordinals: Iterable[int]) -> dict[int, Header]:
        """The rows of some games of a source, by ordinal."""
        games, table = self.table(source, arrays.distinct(np.fromiter(ordinals, np.int64)))
        return dict(zip(games.tolist(), table.rows(), strict=True))

    def table(self, source: int, wanted: np.ndarray) -> tuple[np.ndarray, Table]:
        """The rows of some games of a source as columns, and the ordinals of these games. `wanted` are
        ordinals, ascending. Games that the catalog lacks are left out."""
        picked: list[tuple[Block, np.ndarray]] = []
        with self._snapshot() as connection:
            for block in self._store.blocks(connection, source):
                low, high = np.searchsorted(wanted, [block.first, block.first + block.games]).tolist()
                if low < high:
                    picked.append((block, wanted[low:high] - block.first))
            if not picked:
                return np.zeros(0, np.int64), Table.of([])
            found = self._table(connection, picked)
        return np.concatenate([block.first + places for block, places in picked]), found

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
            texts: list[str | None] = [None] * max(end - first, 0)
            if ratings is not None:
                numbers = self._store.part(connection, known, ratings, first, games.stop)
                texts = [str(number) if number else None for number in numbers.tolist()]
            for place, more in self._more(connection, known, games, name):
                texts[place] = json.loads(more).get(name, texts[place])
        return _padded(Coded.of(texts), count)

    def result_column(self, source: int, first: int, count: int) -> Coded:
        """The results of `count` games from ordinal `first` on. For each game, the result at the end of the
        text counts. If the text ends without a result, the Result tag counts."""
        games = slice(first, first + count)
        with self._snapshot() as connection:
            known = self._store.blocks(connection, source)
            endings = self._texts_of(connection, known, "ending", games)
            tags = self._texts_of(connection, known, "result", games)
        pairs = zip(endings.places.tolist(), tags.places.tolist(), strict=True)
        found = [endings.texts[ending] or tags.texts[tag] for ending, tag in pairs]
        return _padded(Coded.of(found), count)

    def _texts_of(
        self, connection: sqlite3.Connection, known: Sequence[Block], name: str, games: slice
    ) -> Coded:
        """The texts of a column in some games of a source. Games that the source lacks are left out."""
        column = self._store.part(connection, known, name, games.start, games.stop)
        numbers, places = np.unique(column, return_inverse=True)
        texts = self._named(connection, TABLES[name], numbers.tolist())
        return Coded([texts.get(number) for number in numbers.tolist()], places)

    def _more(
        self, connection: sqlite3.Connection, known: Sequence[Block], games: slice, name: str
    ) -> Iterator[tuple[int, bytes]]:
        """Yields the index of each game that may have the tag `name`, and the JSON text of those tags of the
        game that have no column."""
        needle = json.dumps(name, ensure_ascii=False).encode("utf-8")
        for block in columns.overlapping(known, games.start, games.stop):
            data, ends = self._more_of(connection, block)
            at = data.find(needle)
            while at >= 0:
                place = int(np.searchsorted(ends, at, side="right"))
                start, end = int(ends[place - 1]) if place else 0, int(ends[place])
                if games.start <= block.first + place < games.stop:
                    yield block.first + place - games.start, data[start:end]
                at = data.find(needle, end)

    def _more_of(self, connection: sqlite3.Connection, block: Block) -> tuple[bytes, np.ndarray]:
        """The JSON texts of the tags without a column of all games of a block, and the end of each text."""
        ends = self._store.column(connection, block, "more_ends").astype(np.int64)
        return (self._store.column(connection, block, "more").tobytes() if ends[-1] else b""), ends

    def _table(self, connection: sqlite3.Connection, picked: Sequence[tuple[Block, np.ndarray]]) -> Table:
        """The rows of some games. `picked` has the indices of the games in each block."""
        for block, _ in picked:
            self._store.load(connection, block, _COLUMNS[:-1])

        def column(name: str) -> np.ndarray:
            return np.concatenate(
                [self._store.column(connection, block, name)[places] for block, places in picked]
            )

        texts = {}
        for name, table in TABLES.items():
            numbers, coded = np.unique(column(name), return_inverse=True)
            known = self._named(connection, table, numbers.tolist())
            texts[name] = headers.Coded([known.get(number) for number in numbers.tolist()], coded)
        more: list[bytes] = []
        for block, places in picked:
            ends = self._store.column(connection, block, "more_ends")
            if not ends[-1]:
                more += [b""] * len(places)
                continue
            data = self._store.column(connection, block, "more")
            for place in places.tolist():
                start = int(ends[place - 1]) if place else 0
                more.append(data[start : int(ends[place])].tobytes())
        return Table(
            texts,
            {name: column(name) for name in headers.NUMBERS},
            b"".join(more),
            np.cumsum([len(one) for one in more]),
        )

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

        `sort` is one of `SORTS` or None for the order of the files. Every term of the filter `text` must
        hold. Raises `game_filter.FilterError` if the filter cannot be understood.
        """
        if sort is not None and sort not in SORTS:
            raise errors.CqlguiError(f"Games cannot be sorted by “{sort}”.")
        found: array[int] = array("q")
        with self._snapshot() as connection:
            numbers, blocks = [np.empty(0, np.int64)], []
            for source, first in sources:
                known = self._store.blocks(connection, source)
                blocks += known
                numbers.append(np.arange(first, first + sum(block.games for block in known)))
            games = np.concatenate(numbers)
            kept = self._filtered(connection, blocks, text)
            if kept is not None:
                games = games[kept]
            if sort is None:
                order = np.argsort(games, kind="stable")[:: -1 if descending else 1]
            else:
                keys = self._keys(connection, blocks, sort)
                keys = keys if kept is None else keys[kept]
                order = _order(keys.max(initial=0) - keys if descending else keys)
            found.frombytes(games[order].tobytes())
        return found

    def sort_keys(self, sources: Sequence[int], sort: str) -> list[np.ndarray]:
        """For each source the sort keys of its games, in the order of the games. The keys of all sources can
        be compared. `sort` is one of `SORTS`. A missing header has key 0."""
        with self._snapshot() as connection:
            known = [self._store.blocks(connection, source) for source in sources]
            blocks = [block for some in known for block in some]
            keys = self._keys(connection, blocks, sort)
        sizes = [sum(block.games for block in some) for some in known]
        return np.split(keys, np.cumsum(sizes)[:-1]) if sizes else []

    def names(self, sources: Sequence[int], names: Sequence[str], text: str, most: int) -> list[str]:
        """The texts in some columns that contain `text`, at most `most`. Those that begin with `text` come
        first, and among both kinds those of the most games. Case is ignored. A column is one of the texts of
        `TABLES`, or `opening`."""
        found: collections.Counter[str] = collections.Counter()
        with self._snapshot() as connection:
            blocks = [block for source in sources for block in self._store.blocks(connection, source)]
            for name in names:
                if name == "opening":
                    openings = self._openings(connection, blocks)
                    counts = np.bincount(openings.places, minlength=len(openings.texts))
                    wanted = text.casefold()
                    # Several codes may have one name.
                    for place, known in enumerate(openings.texts):
                        if known and wanted in known.casefold():
                            found[known] += int(counts[place])
                    continue
                ids = _matching(connection, TABLES[name], _CONTAINS, _containing(text))
                counts = np.bincount(self._store.whole(connection, blocks, name))
                ids = ids[ids < len(counts)]
                ids = ids[counts[ids] > 0]
                if len(ids) > _MOST_OFFERED:
                    begin = _matching(connection, TABLES[name], _CONTAINS, _beginning(text))
                    ids = ids[np.lexsort((-counts[ids], ~np.isin(ids, begin)))][:_MOST_OFFERED]
                listed = self._named(connection, TABLES[name], ids.tolist())
                found.update({listed[number]: int(counts[number]) for number in ids.tolist()})
        begun = text.casefold()
        listed_first = sorted(
            found, key=lambda known: (not known.casefold().startswith(begun), -found[known], known)
        )
        return [known for known in listed_first[:most] if found[known] and known]

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
                for place, name in openings.own_names(*self._more_of(connection, block)):
                    places[before + place] = known.setdefault(name, len(known))
                before += block.games
        return Coded(list(known), places)

    def _opening_keys(self, connection: sqlite3.Connection, blocks: Sequence[Block]) -> np.ndarray:
        """The ranks of the names of the games' openings."""
        names = self._openings(connection, blocks)
        places = {name: place for place, name in enumerate(sorted({name for name in names.texts if name}), 1)}
        ranks: np.ndarray = np.array([places.get(name or "", 0) for name in names.texts], np.int64)[
            names.places
        ]
        return ranks

    def _openings(self, connection: sqlite3.Connection, blocks: Sequence[Block]) -> Coded:
        """The names of the games' openings."""
        from cqlgui.db import openings

        column = self._store.whole(connection, blocks, "eco")
        numbers, places = np.unique(column, return_inverse=True)
        codes = self._named(connection, TABLES["eco"], numbers.tolist())
        names = [openings.name(codes.get(number, "")) for number in numbers.tolist()]
        own: dict[str, int] = {}
        before = 0
        for block in blocks:
            for place, name in openings.own_names(*self._more_of(connection, block)):
                places[before + place] = own.setdefault(name, len(names) + len(own))
            before += block.games
        return Coded([*names, *own], places)

    def _filtered(
        self, connection: sqlite3.Connection, blocks: Sequence[Block], text: str
    ) -> np.ndarray | None:
        """Which games meet every term of `text`; None for all. Raises `game_filter.FilterError` if a term
        asks for a text that no game has."""
        # `game_filter` is imported here, because searches do not need it.
        from cqlgui.db import game_filter

        kept: np.ndarray | None = None
        for term in game_filter.parse(text):
            having = self._fitting(connection, blocks, term.condition)
            if isinstance(term.condition, game_filter.Words) and len(having) and not having.any():
                near = self._nearest(connection, blocks, term.condition)
                raise game_filter.FilterError(game_filter.unknown(term.condition, near))
            if term.negated:
                having = ~having
            kept = having if kept is None else kept & having
        return kept

    def _fitting(
        self, connection: sqlite3.Connection, blocks: Sequence[Block], term: game_filter.Condition
    ) -> np.ndarray:
        """Which games meet a condition."""
        from cqlgui.db import game_filter

        if isinstance(term, game_filter.Words):
            if term.columns == game_filter.TEXTS["opening"]:
                return self._with_opening(connection, blocks, term.text)
            return self._having(connection, blocks, term.columns, _CONTAINS, _containing(term.text))
        if isinstance(term, game_filter.Years):
            bounds = f"cast(substr(name, 1, 4) as integer) between {term.low:d} and {term.high:d}"
            return self._having(connection, blocks, ("date",), f"name glob ? and {bounds}", _YEAR)
        if isinstance(term, game_filter.Codes):
            having = self._having(connection, blocks, ("eco",), "upper(name) >= ?", term.low)
            cut = f"substr(upper(name), 1, {len(term.high)}) <= ?"
            having &= self._having(connection, blocks, ("eco",), cut, term.high)
            return having
        return self._numbered(connection, blocks, term.columns, term.low, term.high)

    def _with_opening(self, connection: sqlite3.Connection, blocks: Sequence[Block], text: str) -> np.ndarray:
        """Which games have an opening whose name contains `text`. Case is ignored."""
        wanted = text.casefold()
        names = self._openings(connection, blocks)
        having: np.ndarray = np.array([wanted in (name or "").casefold() for name in names.texts], np.bool_)[
            names.places
        ]
        return having

    def _nearest(
        self, connection: sqlite3.Connection, blocks: Sequence[Block], term: game_filter.Words
    ) -> str:
        """The word in the texts of the games that is most like the text of a term; empty if none is alike."""
        from rapidfuzz import fuzz, process

        known: dict[str, str] = {}
        for name in term.columns:
            if name in TABLES:
                numbers = arrays.distinct(self._store.whole(connection, blocks, name)[:_MOST_COMPARED])
                for text in self._named(connection, TABLES[name], numbers.tolist()).values():
                    for word in (text, *text.replace(",", " ").split()):
                        known.setdefault(word.casefold(), word)
        # Other scorers take a word for alike if its letters are somewhere in the text.
        text = term.text.casefold()
        near = process.extractOne(text, list(known), scorer=fuzz.ratio, score_cutoff=_ALIKE)
        return known[near[0]] if near else ""

    def _having(
        self,
        connection: sqlite3.Connection,
        blocks: Sequence[Block],
        names: Sequence[str],
        condition: str,
        value: str,
    ) -> np.ndarray:
        """Which games have a text that meets `condition` in one of the columns `names`."""
        found: list[np.ndarray] = []
        for name in names:
            ids = _matching(connection, TABLES[name], condition, value)
            column = self._store.whole(connection, blocks, name)
            holds = np.zeros(int(max(column.max(initial=0), ids.max(initial=0))) + 1, np.bool_)
            holds[ids] = True
            found.append(holds[column])
        having: np.ndarray = np.any(found, axis=0)
        return having

    def _numbered(
        self,
        connection: sqlite3.Connection,
        blocks: Sequence[Block],
        names: Sequence[str],
        low: int,
        high: int,
    ) -> np.ndarray:
        """Which games have a number from `low` to `high` in one of the columns `names`. In every column
        except `plies`, 0 means a missing number."""
        found: list[np.ndarray] = []
        for name in names:
            column = self._store.whole(connection, blocks, name).astype(np.int64)
            found.append((column >= (low if name == "plies" else max(low, 1))) & (column <= high))
        having: np.ndarray = np.any(found, axis=0)
        return having

    def _keys(self, connection: sqlite3.Connection, blocks: Sequence[Block], sort: str) -> np.ndarray:
        """A sort key for each game. The keys have the order of the column `sort`."""
        if sort == "opening":
            return self._opening_keys(connection, blocks)
        column = self._store.whole(connection, blocks, sort)
        if sort not in TABLES:
            return column.astype(np.int64)
        ranks: np.ndarray = self._ranked(connection, TABLES[sort])
        if len(ranks) <= int(column.max(initial=0)):
            raise sqlite3.DatabaseError("malformed block of games")
        found: np.ndarray = ranks[column]
        return found

    def _ranked(self, connection: sqlite3.Connection, table: str) -> np.ndarray:
        """The rank of each text of a table in sort order. The index in the result is the number of the text.
        Texts that are equal in this order share a rank. An empty or a missing text has rank 0."""
        last = connection.execute(f"select coalesce(max(id), 0) from {table}").fetchone()[0]
        known = self._ranks.get(table)
        if known is not None and known[0] == last:
            return known[1]
        order = "name collate nocase" if table in _FOLDED else "name"
        # SQLite makes this one string without the interpreter lock. Making a million small tuples would need
        # the lock.
        ids, places = connection.execute(
            "select group_concat(id), group_concat(place) from "
            f"(select id, dense_rank() over (order by {order}) - (select count(*) > 0 from {table} "
            f"not indexed where name = '') as place from {table} not indexed)"
        ).fetchone()
        ranks = np.zeros(last + 1, np.int64)
        ranks[_numbers(ids)] = _numbers(places)
        self._ranks[table] = (last, ranks)
        return ranks

    def _whole(self, sources: Sequence[int], names: Sequence[str]) -> list[np.ndarray]:
        """Columns for all games of some sources."""
        with self._snapshot() as connection:
            blocks = [block for source in sources for block in self._store.blocks(connection, source)]
            return [self._store.whole(connection, blocks, name) for name in names]

    @contextlib.contextmanager
    def _snapshot(self) -> Iterator[sqlite3.Connection]:
        """The thread's connection, in a transaction. The data do not change until the transaction ends."""
        with self._file.reading() as connection:
            try:
                # `begin` is inside the try block, because a worker may be interrupted right after `begin`. If
                # `begin` were outside the block, the transaction would stay open after this interruption.
                connection.execute("begin")
                yield connection
            finally:
                connection.rollback()

    def _named(self, connection: sqlite3.Connection, table: str, numbers: Sequence[int]) -> dict[int, str]:
        """The texts with these numbers, by number. Number 0 is left out. The texts are cached."""
        known = self._texts[table]
        missing = [number for number in numbers if number and number not in known]
        if missing:
            if len(known) > _MOST_NAMES:
                # The old dictionary is not cleared, because other threads may be reading it.
                known = self._texts[table] = {}
                missing = [number for number in numbers if number]
            for start in range(0, len(missing), _CHUNK):
                chunk = missing[start : start + _CHUNK]
                marks = ",".join("?" * len(chunk))
                known.update(connection.execute(f"select id, name from {table} where id in ({marks})", chunk))
        try:
            return {number: known[number] for number in numbers if number}
        except KeyError as error:
            raise sqlite3.DatabaseError(f"malformed table {table}: there is no text {error}") from error

    def _ids(
        self, connection: sqlite3.Connection, table: str, names: Iterable[str | None]
    ) -> dict[str | None, int]:
        """The numbers of texts; None has number 0. New texts are added to the table. The numbers are
        cached."""
        known = self._names[table]
        if len(known) > _MOST_NAMES:
            known.clear()
        missing = {name for name in names if name is not None and name not in known}
        if missing:
            self._check_indexes(connection)
            known.update(_added(connection, table, list(missing)))
            proofs.extend(connection, table)
        return {name: 0 if name is None else known[name] for name in names}

    def _check_indexes(self, connection: sqlite3.Connection) -> None:
        """Check the indexes of the tables of names, once. Opening a large file does not check these
        indexes."""
        if not self._indexes_checked:
            if self._file.path.stat().st_size > database.CHECKED_WHOLE:
                proofs.check_indexes(connection)
            self._indexes_checked = True


class _Coding:
    """For a list of texts that may grow: the numbers that these texts have in the tables, as far as the
    numbers are known."""

    def __init__(self, texts: Sequence[str | None]) -> None:
        self.texts = texts
        self._numbers: dict[str, np.ndarray] = {}

    def numbers(self, table: str) -> np.ndarray:
        """The numbers of the texts in a table, by place in the list; below 0 if the number is not known
        yet."""
        known = self._numbers.get(table)
        if known is None or len(known) < len(self.texts):
            larger = np.full(2 * len(self.texts), -1, np.int64)
            if known is not None:
                larger[: len(known)] = known
            known = self._numbers[table] = larger
        return known


def _padded(column: Coded, count: int) -> Coded:
    """A column, extended with None for the missing games."""
    missing = count - len(column.places)
    if not missing:
        return column
    places = np.concatenate([column.places, np.full(missing, len(column.texts), np.int64)])
    return Coded([*column.texts, None], places)


def _added(connection: sqlite3.Connection, table: str, names: Sequence[str]) -> dict[str, int]:
    """The numbers of texts. New texts are added to the table."""
    found: dict[str, int] = {}
    plain = [name for name in names if "\0" not in name]
    if plain:
        # One statement handles the whole list. A statement for each name would take the interpreter lock
        # every time.
        joined = json.dumps(plain, ensure_ascii=False)
        connection.execute(f"insert or ignore into {table}(name) select value from json_each(?)", (joined,))
        listed = connection.execute(
            "select group_concat(id) from (select known.id as id from json_each(?) as asked "
            f"cross join {table} as known on known.name = asked.value)",
            (joined,),
        ).fetchone()[0]
        found.update(zip(plain, _numbers(listed).tolist(), strict=True))
    for name in names:
        if "\0" in name:
            # SQLite's JSON functions end a text at a NUL.
            connection.execute(f"insert or ignore into {table}(name) values (?)", (name,))
            row = connection.execute(f"select id from {table} where name = ?", (name,)).fetchone()
            found[name] = row[0]
    return found


_MOST_COMPARED: Final = 50_000
"""Texts of this many games are compared with a text that no game has."""
_ALIKE: Final = 75
"""How alike two words must be to be taken for one another, of 100."""


_MOST_OFFERED: Final = 1_000
"""At most this many texts of a column are read to offer the first of them."""
_CONTAINS: Final = "name like ? escape '\\'"


def _containing(text: str) -> str:
    """The pattern of texts that contain `text`, for `_CONTAINS`."""
    return f"%{_beginning(text)}"


def _beginning(text: str) -> str:
    """The pattern of texts that begin with `text`, for `_CONTAINS`."""
    escaped = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"{escaped}%"


def _fresh() -> int:
    """A number for a new block. No other block has had this number."""
    return int.from_bytes(os.urandom(8), "big") >> 2


def _put(
    connection: sqlite3.Connection, source: int, first: int, games: int, found: dict[str, np.ndarray]
) -> None:
    """Add a block."""
    values = [columns.packed(found[name]) for name in _COLUMNS[:-1]] + [found["more"].tobytes()]
    marks = ", ".join("?" * (5 + len(values)))
    connection.execute(
        f"insert into block(id, source_id, first, games, checksum, {', '.join(_COLUMNS)}) values ({marks})",
        (_fresh(), source, first, games, _checksum(first, games, values), *values),
    )


def _checksum(first: int, games: int, values: Sequence[bytes]) -> int:
    check = zlib.crc32(f"{first} {games} {[len(value) for value in values]}".encode("ascii"))
    for value in values:
        check = zlib.crc32(value, check)
    return check


def _matching(connection: sqlite3.Connection, table: str, condition: str, value: str) -> np.ndarray:
    """The numbers of all texts in a table that meet a condition."""
    # The index is not used, because only the table was compared with a checksum.
    listed = connection.execute(
        f"select group_concat(id) from {table} not indexed where {condition}", (value,)
    )
    return _numbers(listed.fetchone()[0])


def _numbers(joined: str | None) -> np.ndarray:
    return np.fromstring(joined, np.int64, sep=",") if joined else np.empty(0, np.int64)


def _order(keys: np.ndarray) -> np.ndarray:
    """The order of games by their keys (0 to 2**32 - 1). Games with equal keys keep their order. Sorts by 16
    bits at a time, because NumPy sorts 16-bit numbers by counting, which is fast."""
    order: np.ndarray = np.argsort((keys & 0xFFFF).astype(np.uint16), kind="stable")
    high = (keys >> 16).astype(np.uint16)
    return order[np.argsort(high[order], kind="stable")] if high.any() else order

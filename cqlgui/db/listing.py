"""Lists the games of a catalog: in the order of a column, by the terms of a filter, and the texts of a column
that a user may mean. Works on the columns of whole sources."""

from __future__ import annotations

import collections
import sqlite3
from array import array
from collections.abc import Callable, Iterator, Sequence
from concurrent import futures
from typing import TYPE_CHECKING, Final

import numpy as np

from cqlgui.base import arrays, errors, folding, ranking
from cqlgui.db import columns, names, own_texts
from cqlgui.db.columns import Block
from cqlgui.db.headers import Coded
from cqlgui.db.names import TABLES

if TYPE_CHECKING:
    from cqlgui.db import game_filter

SORTS: Final = (
    "white", "black", "white_elo", "black_elo", "result", "date", "event", "site", "round", "eco", "opening",
    "plies",
)  # fmt: skip
NATURAL: Final = ("round",)
"""The columns whose texts are sorted with their numbers as numbers: 1.2, 1.10, 2, 10."""
_YEAR: Final = "[0-9][0-9][0-9][0-9]*"
_MOST_COMPARED: Final = 50_000
"""Texts of this many games are compared with a text that no game has."""
_ALIKE: Final = 75
"""How alike two words must be to be taken for one another, of 100."""
_MOST_OFFERED: Final = 1_000
"""At most this many texts of a column are read to offer the first of them."""


class Listing:
    """Lists games of some blocks. Every method needs a connection with an open transaction."""

    def __init__(self, store: columns.Store, known: names.Names) -> None:
        self._store = store
        self._names = known
        # The sort keys of own texts take a second for millions of games, so the last ones are kept (True). So
        # are those of other texts in their natural order (False).
        self._kept: dict[bool, tuple[tuple[str, tuple[int, ...]], np.ndarray]] = {}

    def ids(
        self,
        connection: sqlite3.Connection,
        sources: Sequence[tuple[int, int]],
        *,
        sort: str | None,
        descending: bool,
        text: str,
    ) -> array[int]:
        """See `Catalog.ids`."""
        if sort is not None and sort not in SORTS:
            raise errors.CqlguiError(f"Games cannot be sorted by “{sort}”.")
        known = [(self._store.blocks(connection, source), first) for source, first in sources]
        blocks = [block for some, _ in known for block in some]
        kept = self._filtered(connection, blocks, text)
        keys = None
        if sort is not None:
            keys = self.keys(connection, blocks, sort)
            keys = keys if kept is None else keys[kept]
        # Most arrays have 32 bits, because ten million numbers of 64 bits take 80 MB.
        numbers = [np.arange(first, first + _games(some), dtype=np.uint32) for some, first in known]
        games = np.concatenate([np.empty(0, np.uint32), *numbers])
        games = games if kept is None else games[kept]
        del numbers
        if keys is None:
            order = np.argsort(games, kind="stable")
            order = np.ascontiguousarray(order[::-1]) if descending else order
        else:
            # Games without a known value come last in both directions.
            most = keys.max(initial=0)
            if descending:
                keys = most - keys
            elif sort != "plies" and not keys.all():
                keys = np.where(keys == 0, most + np.uint32(1), keys)
            order = _order(keys)
        order[:] = games[order]
        found: array[int] = array("q")
        found.frombytes(order.data.cast("B"))
        return found

    def offered(
        self,
        connection: sqlite3.Connection,
        blocks: Sequence[Block],
        wanted: Sequence[str],
        text: str,
        most: int,
    ) -> list[str]:
        """See `Catalog.names`."""
        found: collections.Counter[str] = collections.Counter()
        for name in wanted:
            if name == "opening":
                openings = self._openings(connection, blocks)
                counts = np.bincount(openings.places, minlength=len(openings.texts))
                folded = folding.fold(text)
                # Several codes may have one name.
                for place, known in enumerate(openings.texts):
                    if known and folded in folding.fold(known):
                        found[known] += int(counts[place])
                continue
            table = TABLES[name]
            ids = self._names.containing(connection, table, text)
            column = self._store.whole(connection, blocks, name)
            counts = np.bincount(column[column < own_texts.FIRST])
            ids = ids[ids < len(counts)]
            ids = ids[counts[ids] > 0]
            if len(ids) > _MOST_OFFERED:
                begin = self._names.containing(connection, table, text, first=True)
                ids = ids[np.lexsort((-counts[ids], ~np.isin(ids, begin)))][:_MOST_OFFERED]
            listed = self._names.named(connection, table, ids.tolist())
            found.update({listed[number]: int(counts[number]) for number in ids.tolist()})
            if name in names.MAY_BE_OWN:
                found.update(self._own_offered(connection, blocks, name, text))
        begun = folding.fold(text)
        listed_first = sorted(
            found, key=lambda known: (not folding.fold(known).startswith(begun), -found[known], known)
        )
        return [known for known in listed_first[:most] if found[known] and known]

    def _own_offered(
        self, connection: sqlite3.Connection, blocks: Sequence[Block], name: str, text: str
    ) -> Iterator[str]:
        """Own texts that contain `text`, at most `_MOST_OFFERED`. Those that begin with `text` come first."""
        left = _MOST_OFFERED
        for first in (True, False):
            for _, numbers, texts in self._own(connection, blocks, name):
                if not left:
                    return
                fits = texts.containing(text, first=first)
                if not first:
                    fits &= ~texts.containing(text, first=True)
                places = own_texts.places_of(numbers)
                places = places[fits[places]][:left]
                left -= len(places)
                yield from texts.at(places.tolist())

    # --- openings ---

    def _opening_keys(self, connection: sqlite3.Connection, blocks: Sequence[Block]) -> np.ndarray:
        """The ranks of the names of the games' openings. As in other columns, the case of ASCII letters makes
        no difference."""
        found = self._openings(connection, blocks)
        folded = [(name or "").encode("utf-8", "surrogatepass").lower() for name in found.texts]
        places = {name: place for place, name in enumerate(sorted({b"", *folded}))}
        ranks: np.ndarray = np.array([places[name] for name in folded], np.int64)[found.places]
        return ranks

    def _openings(self, connection: sqlite3.Connection, blocks: Sequence[Block]) -> Coded:
        """The names of the games' openings."""
        from cqlgui.db import openings

        column = self._store.whole(connection, blocks, "eco")
        numbers, places = np.unique(column, return_inverse=True)
        codes = self._names.named(connection, TABLES["eco"], numbers.tolist())
        found = [openings.name(codes.get(number, "")) for number in numbers.tolist()]
        own: dict[str, int] = {}
        before = 0
        for block in blocks:
            for place, name in openings.own_names(*self._store.more(connection, block)):
                places[before + place] = own.setdefault(name, len(found) + len(own))
            before += block.games
        return Coded([*found, *own], places)

    # --- filters ---

    def _filtered(
        self, connection: sqlite3.Connection, blocks: Sequence[Block], text: str
    ) -> np.ndarray | None:
        """Which games meet every term of `text`; None for all. Raises `game_filter.FilterError` if a term
        asks for a text that no game has."""
        # `game_filter` is imported here, because searches do not need it.
        from cqlgui.db import game_filter

        kept: np.ndarray | None = None
        for term in game_filter.parse(text):
            if isinstance(term.condition, game_filter.Files):
                # The catalog does not know which sources are files of one base.
                continue
            having = self._fitting(connection, blocks, term.condition)
            if isinstance(term.condition, game_filter.Words) and len(having) and not having.any():
                near = self._nearest(connection, blocks, term.condition)
                raise game_filter.FilterError(game_filter.unknown(term.condition, near))
            if term.negated:
                having = ~having
            kept = having if kept is None else kept & having
        return kept

    def _fitting(
        self, connection: sqlite3.Connection, blocks: Sequence[Block], term: game_filter.OfColumns
    ) -> np.ndarray:
        """Which games meet a condition on the columns."""
        from cqlgui.db import game_filter

        if isinstance(term, game_filter.Words):
            if term.columns == game_filter.TEXTS["opening"]:
                return self._with_opening(connection, blocks, term.text)
            text = term.text
            having = self._having(
                connection,
                blocks,
                term.columns,
                lambda table: self._names.containing(connection, table, text),
            )
            for name in names.MAY_BE_OWN:
                if name in term.columns:
                    self._add_own(connection, blocks, name, text, having)
            return having
        if isinstance(term, game_filter.Years):
            bounds = f"cast(substr(name, 1, 4) as integer) between {term.low:d} and {term.high:d}"
            return self._meeting(connection, blocks, "date", f"name glob ? and {bounds}", _YEAR)
        if isinstance(term, game_filter.Codes):
            having = self._meeting(connection, blocks, "eco", "upper(name) >= ?", term.low)
            cut = f"substr(upper(name), 1, {len(term.high)}) <= ?"
            having &= self._meeting(connection, blocks, "eco", cut, term.high)
            return having
        return self._numbered(connection, blocks, term.columns, term.low, term.high)

    def _with_opening(self, connection: sqlite3.Connection, blocks: Sequence[Block], text: str) -> np.ndarray:
        """Which games have an opening whose name contains `text`. Case is ignored."""
        wanted = folding.fold(text)
        found = self._openings(connection, blocks)
        having: np.ndarray = np.array([wanted in folding.fold(name or "") for name in found.texts], np.bool_)[
            found.places
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
                for text in self._names.named(connection, TABLES[name], numbers.tolist()).values():
                    for word in (text, *text.replace(",", " ").split()):
                        known.setdefault(folding.fold(word), word)
        # Other scorers take a word for alike if its letters are somewhere in the text.
        text = folding.fold(term.text)
        near = process.extractOne(text, list(known), scorer=fuzz.ratio, score_cutoff=_ALIKE)
        return known[near[0]] if near else ""

    def _meeting(
        self, connection: sqlite3.Connection, blocks: Sequence[Block], name: str, condition: str, value: str
    ) -> np.ndarray:
        """Which games have a text in the column `name` that meets a condition of SQL."""
        return self._having(
            connection,
            blocks,
            (name,),
            lambda table: self._names.matching(connection, table, condition, value),
        )

    def _having(
        self,
        connection: sqlite3.Connection,
        blocks: Sequence[Block],
        wanted: Sequence[str],
        fitting: Callable[[str], np.ndarray],
    ) -> np.ndarray:
        """Which games have a text in one of the columns `wanted` that fits. `fitting` gives the numbers of
        those texts of a table that fit."""
        # Several columns have their texts in one table.
        by_table = {table: fitting(table) for table in dict.fromkeys(TABLES[name] for name in wanted)}
        found: list[np.ndarray] = []
        for name in wanted:
            ids = by_table[TABLES[name]]
            column = self._store.whole(connection, blocks, name)
            own = column >= own_texts.FIRST if name in names.MAY_BE_OWN else np.zeros(1, np.bool_)
            if own.any():
                column = np.where(own, 0, column)
            holds = np.zeros(int(max(column.max(initial=0), ids.max(initial=0))) + 1, np.bool_)
            holds[ids] = True
            found.append(holds[column])
        having: np.ndarray = np.any(found, axis=0)
        return having

    def _add_own(
        self,
        connection: sqlite3.Connection,
        blocks: Sequence[Block],
        name: str,
        text: str,
        having: np.ndarray,
    ) -> None:
        """Add to `having` the games with an own text that contains `text`."""
        for games, numbers, texts in self._own(connection, blocks, name):
            having[games] |= texts.containing(text)[own_texts.places_of(numbers)]

    def _own(
        self,
        connection: sqlite3.Connection,
        blocks: Sequence[Block],
        name: str,
        whole: np.ndarray | None = None,
    ) -> Iterator[tuple[np.ndarray, np.ndarray, own_texts.Texts]]:
        """For each block with own texts in a column: the places of the games with such texts among all games,
        the numbers of their texts, which ascend, and the row with the texts. `whole` has the column of all
        blocks, if it has been read."""
        before = 0
        for block in blocks:
            if whole is None:
                column = self._store.column(connection, block, name)
            else:
                column = whole[before : before + block.games]
            # Most columns of other texts are seen to have no own texts by their size.
            games = np.flatnonzero(column >= own_texts.FIRST if column.itemsize >= _OWN_BYTES else ())
            if len(games):
                ((row, numbers),) = own_texts.rows_of(column[games].astype(np.int64))
                yield before + games, numbers, self._names.own.row(connection, row)
            before += block.games

    def _numbered(
        self,
        connection: sqlite3.Connection,
        blocks: Sequence[Block],
        wanted: Sequence[str],
        low: int,
        high: int,
    ) -> np.ndarray:
        """Which games have a number from `low` to `high` in one of the columns `wanted`. In every column
        except `plies`, 0 means a missing number."""
        found: list[np.ndarray] = []
        for name in wanted:
            column = self._store.whole(connection, blocks, name).astype(np.int64)
            found.append((column >= (low if name == "plies" else max(low, 1))) & (column <= high))
        having: np.ndarray = np.any(found, axis=0)
        return having

    # --- order ---

    def keys(self, connection: sqlite3.Connection, blocks: Sequence[Block], sort: str) -> np.ndarray:
        """A sort key of 32 bits for each game. The keys have the order of the column `sort`. An unknown value
        has key 0."""
        if sort == "opening":
            return self._opening_keys(connection, blocks).astype(np.uint32)
        column = self._store.whole(connection, blocks, sort)
        if sort not in TABLES:
            return column.astype(np.uint32)
        if sort in NATURAL or int(column.max(initial=0)) >= own_texts.FIRST:
            return self._kept_keys(connection, blocks, sort, column)
        ranks: np.ndarray = self._names.ranks(connection, TABLES[sort])
        if len(ranks) <= int(column.max(initial=0)):
            raise sqlite3.DatabaseError("malformed block of games")
        found: np.ndarray = ranks.astype(np.uint32)[column]
        return found

    def _kept_keys(
        self, connection: sqlite3.Connection, blocks: Sequence[Block], sort: str, column: np.ndarray
    ) -> np.ndarray:
        """The sort keys of a column with own texts, or with texts in their natural order."""
        about = sort, tuple(block.id for block in blocks)
        has_own = int(column.max(initial=0)) >= own_texts.FIRST
        kept = self._kept.get(has_own)
        if kept is None or kept[0] != about:
            # The old keys need not stay in memory while the new ones are made.
            self._kept.pop(has_own, None)
            kept = None
            made = self._ranked if has_own else self._naturally_ranked
            kept = self._kept[has_own] = about, made(connection, blocks, sort, column)
        return kept[1]

    def _naturally_ranked(
        self, connection: sqlite3.Connection, _blocks: Sequence[Block], sort: str, column: np.ndarray
    ) -> np.ndarray:
        """The ranks of the texts of a column without own texts in their natural order."""
        numbers = arrays.distinct(column)
        known = self._names.named(connection, TABLES[sort], numbers.tolist())
        texts = {number: text for number, text in known.items() if text.strip(names.UNKNOWN)}
        keys = own_texts.natural(list(texts.values()))
        ranks = {key: place for place, key in enumerate(sorted(set(keys)), 1)}
        by_number = np.zeros(int(numbers.max(initial=0)) + 1, np.uint32)
        by_number[list(texts)] = [ranks[key] for key in keys]
        found: np.ndarray = by_number[column]
        return found

    def _ranked(
        self, connection: sqlite3.Connection, blocks: Sequence[Block], sort: str, column: np.ndarray
    ) -> np.ndarray:
        """The ranks of the texts of a column with own texts. All own texts have a common beginning. A text
        from the tables of names without this beginning stands before all own texts or behind them. The other
        texts are ordered together, eight bytes at a time."""
        folded, natural = TABLES[sort] in names.FOLDED, sort in NATURAL

        def bytes_of(text: str) -> bytes:
            encoded = text.encode("utf-8")
            return encoded.lower() if folded else encoded

        is_own = column >= own_texts.FIRST
        numbers = arrays.distinct(column[~is_own])
        known = self._names.named(connection, TABLES[sort], numbers.tolist())
        given = {number: text for number, text in known.items() if text.strip(names.UNKNOWN)}
        if natural:
            texts = dict(zip(given, own_texts.natural(list(given.values())), strict=True))
        else:
            texts = {number: bytes_of(text) for number, text in given.items()}

        def rows() -> Iterator[tuple[np.ndarray, np.ndarray, own_texts.Texts]]:
            for games, some, own in self._own(connection, blocks, sort, column):
                yield games, some, own.natural() if natural else own

        unknown: list[np.ndarray] = []

        def own_keys(offset: int) -> tuple[np.ndarray, bytes]:
            """The keys of the own texts from a byte on, and their common beginning. `unknown` gets the games
            whose own text stands for an unknown one."""
            unknown.clear()
            made = np.empty(int(np.count_nonzero(is_own)), np.uint64)
            beginnings: set[bytes] = set()

            def put(begin: int, games: np.ndarray, some: np.ndarray, own: own_texts.Texts) -> None:
                places = own_texts.places_of(some)
                unknown.append(games[own.made_of(names.UNKNOWN.encode())[places]])
                made[begin : begin + len(some)] = own.keys(offset, folded=folded)[places]
                beginnings.add(own.common.lower() if folded else own.common)

            # A thread makes the keys of a row while the next row is read.
            end, left = 0, collections.deque[futures.Future[None]]()
            with futures.ThreadPoolExecutor(1) as thread:
                for games, some, own in rows():
                    left.append(thread.submit(put, end, games, some, own))
                    end += len(some)
                    if len(left) > _AT_ONCE:
                        left.popleft().result()
                for one in left:
                    one.result()
            return made, own_texts.common_beginning(beginnings)

        # Most rows have the same beginning as the first one, so all rows need not be read twice.
        _, _, first = next(rows())
        guess = len(first.common)
        made, common = own_keys(guess)
        made_before = {guess: made}
        # Ten million numbers take 80 MB, so they are kept no longer than they are needed.
        del made
        outside = sorted({text for text in texts.values() if not text.startswith(common)})
        low = sum(text < common for text in outside)
        ranks = {text: place + 1 for place, text in enumerate(outside[:low])}
        inside = [number for number, text in texts.items() if text.startswith(common)]
        ends = np.cumsum([len(texts[number]) for number in inside], dtype=np.int64)
        joined = own_texts.Texts(b"", b"".join(texts[number] for number in inside), ends)

        def keys(offset: int) -> np.ndarray:
            made = made_before.pop(offset, None)
            made_before.clear()
            if made is None:
                made, _ = own_keys(offset)
            return np.concatenate([joined.keys(offset, folded=False), made]) if inside else made

        found = ranking.of_keys(keys, len(common))
        found += np.uint32(low + 1)
        behind = int(found.max(initial=low)) + 1
        ranks |= {text: behind + place for place, text in enumerate(outside[low:])}
        result = np.zeros(len(column), np.uint32)
        result[is_own] = found[len(inside) :]
        by_number = np.zeros(int(numbers.max(initial=0)) + 1, np.uint32)
        for number, text in texts.items():
            if text in ranks:
                by_number[number] = ranks[text]
        by_number[inside] = found[: len(inside)]
        result[~is_own] = by_number[column[~is_own]]
        result[np.concatenate(unknown)] = 0
        return result


_PART: Final = 1 << 20
_HIGHEST: Final = (1 << 32) - 1
_AT_ONCE: Final = 2
"""Number of rows of texts that wait for a thread."""
_OWN_BYTES: Final = 4
"""The numbers of own texts take at least this many bytes."""


def _games(blocks: Sequence[Block]) -> int:
    return sum(block.games for block in blocks)


def _order(keys: np.ndarray) -> np.ndarray:
    """The order of games by their keys of 32 bits. Games with equal keys keep their order. Sorts by 16 bits
    at a time, because NumPy sorts 16-bit numbers by counting, which is fast."""
    low = int(keys.min(initial=_HIGHEST))
    if int(keys.max(initial=0)) - low == len(keys) - 1:
        # Often all texts are different, as with the addresses of games. Then each key says the place of its
        # game.
        places = np.full(len(keys), -1, np.int64)
        for begin in range(0, len(keys), _PART):
            some = keys[begin : begin + _PART]
            places[some - np.uint32(low)] = np.arange(begin, begin + len(some))
        if int(places.min(initial=0)) == 0:
            return places
    order: np.ndarray = np.argsort(keys.astype(np.uint16), kind="stable")
    high = (keys >> 16).astype(np.uint16)
    return order[np.argsort(high[order], kind="stable")] if high.any() else order

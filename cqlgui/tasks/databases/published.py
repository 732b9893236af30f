"""Opens a published base (`store.published`): its games, headers and texts, without the catalog.

A published base is searched where it stands. What lists or sorts all games of a base asks the catalog, so
`adopted` puts the headers of a published base into the catalog.
"""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cqlgui.base import arrays, errors
from cqlgui.base import progress as progress_module
from cqlgui.base.data import replace
from cqlgui.db import catalog, columns, headers
from cqlgui.db.headers import Coded, Header, Table
from cqlgui.store import places, published
from cqlgui.tasks.databases import hosts, workspace
from cqlgui.tasks.results import base_model

if TYPE_CHECKING:
    from cqlgui.store import index

_ALL: Final = (
    *headers.TEXTS,
    *(f"{name} texts" for name in headers.TEXTS),
    *headers.NUMBERS,
    "more",
    "more_ends",
)


class Opened:
    """A published base that is open in this process."""

    def __init__(self, place: str) -> None:
        self.place = places.Place(place)
        self.listing = published.Listing.read(self.place)
        self.headers = [Headers(self.place, source) for source in self.listing.sources]


_known: Final[dict[str, Opened]] = {}
_lock: Final = threading.Lock()


def opened(place: str, check: str = "") -> Opened:
    """The published base at a place. It is opened once in a process, and again if its listing is not the one
    that `check` identifies. Raises the errors of `published.Listing.read`, and `errors.SourceError` if
    another base stands there."""
    with _lock:
        found = _known.get(place)
        if found is None or (check and found.listing.check != check):
            found = _known[place] = Opened(place)
    if check and found.listing.check != check:
        raise errors.SourceError(f"{place} was published again since it was opened. Open it again.")
    return found


def base_of(place: str, check: str = "") -> base_model.Base:
    """A published base, whose games are searched where they stand. Raises the errors of `opened`."""
    sources: list[base_model.Source] = []
    first = 1
    for number, listed in enumerate(opened(place, check).listing.sources):
        positions = sum(part.positions for part in listed.parts)
        sources.append(
            base_model.Source(
                Path(listed.path),
                first,
                listed.games,
                positions=positions,
                digest=listed.digest,
                place=(place, number),
            )
        )
        first += listed.games
    positions = sum(source.positions for source in sources)
    return base_model.Base(0, Path(place).name, tuple(sources), first - 1, positions, True)


def open_base(
    place: str,
    *,
    adopt: bool = True,
    cancel: progress_module.CancelToken | None = None,
    progress: progress_module.ProgressSink = progress_module.ignore,
) -> base_model.ImportReport:
    """Open a published base. With `adopt`, its headers are put into the catalog if they are not there, and
    the report has its bad games. Raises the errors of `opened`, `errors.IndexDamaged` and
    `errors.Cancelled`."""
    started = time.perf_counter()
    with _lock:
        # The base may have been published again.
        _known.pop(place, None)
    base = base_of(place)
    bad: tuple[base_model.BadGame, ...] = ()
    if adopt:
        base = adopted(base, cancel=cancel, progress=progress)
        bad = tuple(_bad_games(base))
    seconds = time.perf_counter() - started
    return base_model.ImportReport(base, base.games, base.positions, base.games, bad, seconds)


def _bad_games(base: base_model.Base) -> Iterator[base_model.BadGame]:
    """The same as `bases.bad_games`, but only the segments that have bad games are fetched."""
    for source in base.sources:
        assert source.place is not None
        found = opened(source.place[0])
        listed = found.listing.sources[source.place[1]]
        for first, part in zip(listed.firsts, listed.parts, strict=False):
            if not part.bad:
                continue
            with contextlib.closing(published.open_segment(found.place, part)) as segment:
                flaws = segment.problems(first)
            for flaw in sorted(flaws):
                if flaw.severity == "error":
                    yield base_model.BadGame(
                        source.first + flaw.game, source.path, flaw.offset, flaw.line, flaw.reason
                    )


def adopted(
    base: base_model.Base,
    *,
    cancel: progress_module.CancelToken | None = None,
    progress: progress_module.ProgressSink = progress_module.ignore,
) -> base_model.Base:
    """A published base whose headers are in the catalog too, for everything that asks about all games of a
    base. Raises `errors.Cancelled`."""
    rows = workspace.catalog()
    done = 0
    sources: list[base_model.Source] = []
    for source in base.sources:
        assert source.place is not None
        found = opened(source.place[0])
        listed = found.listing.sources[source.place[1]]
        # Another publication at the same place is another source of the catalog.
        row = rows.source(folder_of(source.place) / found.listing.check)
        known = rows.sound(row.id) if row.complete else 0
        if known < source.games:
            rows.begin(row.id, 0)
            for first, part in zip(listed.firsts, listed.parts, strict=False):
                if cancel is not None:
                    cancel.raise_if_cancelled()
                table = found.headers[source.place[1]].whole(part)
                rows.add_games(row.id, first, [table], 0)
                done += part.games
                progress(progress_module.Progress(done, base.games, "headers"))
            rows.finish(row.id, source.games, source.positions)
        sources.append(replace(source, id=row.id))
    number, name = rows.base([folder_of(one.place) for one in sources if one.place is not None], base.name)
    return replace(base, id=number, name=name, sources=tuple(sources))


def sound(base: base_model.Base, within: np.ndarray | None) -> tuple[np.ndarray, tuple[str, ...]]:
    """The games of a base whose parts can be read, among `within` (ascending; None for all games), and a
    sentence for each part that cannot."""
    games = np.arange(1, base.games + 1) if within is None else within
    left_out: list[str] = []
    for source in base.sources:
        if source.place is None:
            continue
        found = opened(source.place[0])
        listed = found.listing.sources[source.place[1]]
        for first, part in zip(listed.firsts, listed.parts, strict=False):
            try:
                published.check(found.place, part)
            except errors.IndexDamaged as error:
                begin = source.first + first
                games = games[(games < begin) | (games >= begin + part.games)]
                left_out.append(f"Games {begin} to {begin + part.games - 1}: {error}")
    return games, tuple(left_out)


def folder_of(place: tuple[str, int]) -> Path:
    """A path that names a source of a published base, for caches."""
    return Path(place[0]) / str(place[1])


def headers_of(place: tuple[str, int]) -> Headers:
    """The headers of a source of a published base."""
    return opened(place[0]).headers[place[1]]


def index_of(place: tuple[str, int]) -> published.Index:
    """The index of a source of a published base."""
    found = opened(place[0])
    return published.Index(found.place, found.listing.sources[place[1]])


class Reader(hosts.SourceReader):
    """A source of a published base, opened for reading. Raises `errors.SourceError` if the source has not the
    given `digest`."""

    def __init__(self, place: tuple[str, int], digest: str = "") -> None:
        found = opened(place[0])
        listed = found.listing.sources[place[1]]
        self.path = Path(listed.path)
        self.folder = folder_of(place)
        self.rows: Any = found.headers[place[1]]
        self.source = 0
        self.index: index.SourceIndex = published.Index(found.place, listed)
        self._text = None
        self._named = None
        # The files of a publication never change.
        self._digest = ""
        self._headers: dict[int, Header] = {}
        self._frames = published.Text(found.place, listed)
        if digest and listed.digest != digest:
            raise errors.SourceError(f"{place[0]} was published again since it was opened. Open it again.")

    def _bytes(self, offset: int, length: int) -> bytes:
        return self._frames.read(offset, length)


class Headers:
    """The headers of a published source, from the files beside its segments. The methods are those of
    `catalog.Catalog`; the number of the source that they take means nothing here."""

    def __init__(self, place: places.Place, source: published.Listed) -> None:
        self._place = place
        self._source = source
        blocks = [
            # The number of a block identifies its content.
            columns.Block(int(part.name[:15], 16), first, part.games)
            for part, first in zip(source.parts, source.firsts, strict=False)
        ]
        self._rows = catalog.Rows(source.path, tuple(blocks))

    def rows(self, _source: int) -> catalog.Rows:
        """See `Catalog.rows`."""
        return self._rows

    def named_count(self, _source: int) -> int:
        """See `Catalog.named_count`."""
        return sum(part.named for part in self._source.parts)

    def bad_count(self, _source: int) -> int:
        """See `Catalog.bad_count`."""
        return sum(part.bad for part in self._source.parts)

    def headers(self, source: int, ordinals: Iterable[int]) -> dict[int, Header]:
        """See `Catalog.headers`."""
        wanted = arrays.distinct(np.fromiter(ordinals, np.int64))
        games, table = self.table(source, wanted)
        return dict(zip(games.tolist(), table.rows(), strict=True))

    def table(self, _source: int, wanted: np.ndarray) -> tuple[np.ndarray, Table]:
        """See `Catalog.table`."""
        found: list[tuple[np.ndarray, Table]] = []
        wanted = wanted[(wanted >= 0) & (wanted < self._source.games)]
        while len(wanted):
            number = self._source.number_of(int(wanted[0]))
            first = self._source.firsts[number]
            own = int(np.searchsorted(wanted, first + self._source.parts[number].games))
            found.append((wanted[:own], _taken(self.whole(self._source.parts[number]), wanted[:own] - first)))
            wanted = wanted[own:]
        if not found:
            return np.zeros(0, np.int64), Table.of([])
        return np.concatenate([games for games, _ in found]), joined([table for _, table in found])

    def whole(self, part: published.Part) -> Table:
        """The headers of all games of a part."""
        return table_of(published.headers(self._place, part, _ALL))

    def tag_column(self, _source: int, first: int, count: int, name: str) -> Coded:
        """See `Catalog.tag_column`. The games must be those of a part."""
        part = self._part(first, count)
        if name in headers.COLUMNS:
            column = headers.COLUMNS[name]
            return _coded(published.headers(self._place, part, (column, f"{column} texts")), column)
        texts: list[str | None] = [None] * count
        if name in headers.RATINGS:
            column = headers.RATINGS[name]
            numbers = published.headers(self._place, part, (column,))[column].tolist()
            texts = [str(number) if number else None for number in numbers]
        for place, more in self._more(part, name):
            texts[place] = json.loads(more).get(name, texts[place])
        return Coded.of(texts)

    def result_column(self, _source: int, first: int, count: int) -> Coded:
        """See `Catalog.result_column`. The games must be those of a part."""
        part = self._part(first, count)
        names = ("ending", "ending texts", "result", "result texts")
        found = published.headers(self._place, part, names)
        endings, tags = _coded(found, "ending"), _coded(found, "result")
        pairs = zip(endings.places.tolist(), tags.places.tolist(), strict=True)
        return Coded.of([endings.texts[ending] or tags.texts[tag] for ending, tag in pairs])

    def _part(self, first: int, count: int) -> published.Part:
        part = self._source.parts[self._source.number_of(first)]
        assert part.games == count
        return part

    def _more(self, part: published.Part, name: str) -> Iterator[tuple[int, bytes]]:
        """Each game that may have the tag `name`, and the JSON text of those of its tags that have no
        column."""
        found = published.headers(self._place, part, ("more", "more_ends"))
        data, ends = found["more"].tobytes(), found["more_ends"].astype(np.int64)
        needle = json.dumps(name, ensure_ascii=False).encode("utf-8")
        at = data.find(needle)
        while at >= 0:
            place = int(np.searchsorted(ends, at, side="right"))
            end = int(ends[place])
            yield place, data[int(ends[place - 1]) if place else 0 : end]
            at = data.find(needle, end)


def packed(table: Table) -> bytes:
    """The headers of a part as the content of its file."""
    return published.packed_headers(columns_of(table))


def columns_of(table: Table) -> dict[str, np.ndarray]:
    """Headers as arrays of numbers and bytes."""
    found: dict[str, np.ndarray] = {}
    for name, column in table.texts.items():
        texts, firsts, coded = np.unique(column.places, return_index=True, return_inverse=True)
        # The texts stand in the order of the games, so the file is the same whoever has numbered them.
        order = np.argsort(firsts)
        found[name] = _small(arrays.inverse(order)[coded])
        listed = [column.texts[number] for number in texts[order].tolist()]
        found[f"{name} texts"] = np.frombuffer(json.dumps(listed).encode("ascii"), np.uint8)
    for name, numbers in table.numbers.items():
        found[name] = _small(numbers)
    found["more"] = np.frombuffer(table.more, np.uint8)
    found["more_ends"] = _small(table.more_ends)
    return found


def table_of(found: Mapping[str, np.ndarray]) -> Table:
    """The headers that `columns_of` has made into arrays."""
    return Table(
        {name: _coded(found, name) for name in headers.TEXTS},
        {name: found[name].astype(np.int64) for name in headers.NUMBERS},
        found["more"].tobytes(),
        found["more_ends"].astype(np.int64),
    )


def _small(numbers: np.ndarray) -> np.ndarray:
    """Numbers from 0 on, in as few bytes as the largest one needs."""
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))).newbyteorder("<"))


def _coded(found: Mapping[str, np.ndarray], name: str) -> Coded:
    return Coded(json.loads(found[f"{name} texts"].tobytes()), found[name].astype(np.int64))


def _taken(table: Table, chosen: np.ndarray) -> Table:
    """Some rows of a table."""
    starts = np.concatenate([[0], table.more_ends[:-1]])[chosen]
    pieces = [table.more[a:b] for a, b in zip(starts.tolist(), table.more_ends[chosen].tolist(), strict=True)]
    return Table(
        {name: Coded(column.texts, column.places[chosen]) for name, column in table.texts.items()},
        {name: column[chosen] for name, column in table.numbers.items()},
        b"".join(pieces),
        np.cumsum([len(piece) for piece in pieces], dtype=np.int64),
    )


def joined(tables: Sequence[Table]) -> Table:
    """The rows of several tables. Each text is listed once."""
    shifts = np.cumsum([0, *(len(table.more) for table in tables[:-1])])
    texts: dict[str, Coded] = {}
    for name in headers.TEXTS:
        known: dict[str | None, int] = {}
        places_: list[np.ndarray] = []
        for table in tables:
            column = table.texts[name]
            used, own = np.unique(column.places, return_inverse=True)
            numbers = [known.setdefault(column.texts[one], len(known)) for one in used.tolist()]
            places_.append(np.array(numbers, np.int64)[own])
        texts[name] = Coded(list(known), np.concatenate(places_))
    return Table(
        texts,
        {name: np.concatenate([table.numbers[name] for table in tables]) for name in headers.NUMBERS},
        b"".join(table.more for table in tables),
        np.concatenate([table.more_ends + shift for table, shift in zip(tables, shifts, strict=True)]),
    )

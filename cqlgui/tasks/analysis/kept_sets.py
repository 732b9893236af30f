"""Keeps named sets of hits for later starts, in the user's records (`db.journal`), and the last run of each
query.

Arrays are stored as compressed bytes, so a million hits usually take a few megabytes. The compression has a
checksum, so damage is noticed. A set with more than `MOST_HITS` hits, or more than `MOST_BYTES` bytes, is
kept without its hits: its query, its base and its counts remain, and the user can search again.

Neither details nor rights are kept: details are found anew when they are needed, and a set that is shown
again reads and writes no files.
"""

from __future__ import annotations

import hashlib
import json
import logging
import threading
import zlib
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from cqlgui.base import arrays, data, errors
from cqlgui.base.data import dataclass
from cqlgui.cql.interpreting.runtime import settings
from cqlgui.db import journal
from cqlgui.tasks.analysis import sets
from cqlgui.tasks.databases import workspace
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.results import found as found_module
from cqlgui.tasks.search import narrowing, searching

MOST_HITS: Final = 2_000_000
MOST_BYTES: Final = 4 << 20
"""Maximum of hits, and of bytes for them, of a set that is kept with its hits."""
KEPT_RUNS: Final = 100
"""Maximum of runs that are kept. The hits of the oldest ones are dropped earlier if they take much room."""
TOO_MANY: Final = "they were too many to keep"
DAMAGED: Final = "their record is damaged"
_MOST_ALIKE: Final = 10_000
_LARGEST_TEXT: Final = 1 << 24
"""Maximum of bytes of what a set is about, which includes its query."""
_log = logging.getLogger(__name__)
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Loaded:
    """The sets of a base, the oldest first, and the number of records that could not be read. These records
    were deleted."""

    sets: tuple[sets.NamedSet, ...]
    unreadable: int = 0


def store(
    wanted: Callable[[], tuple[Sequence[sets.NamedSet], Collection[str]]],
    complete: Callable[[sets.NamedSet], sets.NamedSet],
) -> tuple[str, ...]:
    """Make the records agree with what `wanted` returns, which are the sets to keep, and the keys of sets to
    delete. New sets are added, and names and the order are brought up to date. `complete` adds the
    fingerprints to a set that is added. `wanted` is called when no other call of this function is at work, so
    that the latest wish wins.

    The result has the names of the sets whose hits are too many to keep, and of those whose hits gave way to
    the hits of added sets. Raises `CqlguiError` if the records cannot be written.
    """
    records = workspace.journal()
    large = []
    with _lock:
        listed, dropped = wanted()
        known = records.set_names()
        gone = known.keys() & set(dropped)
        if gone:
            records.drop_sets(sorted(gone))
        for one in listed:
            name = _storable(one.name)
            if one.key not in known:
                row = _row(complete(one))
                if row.hits is None and not one.lost:
                    large.append(one.name)
                large.extend(records.add_set(row))
            elif known[one.key] != name:
                records.rename_set(one.key, name)
        _put_in_order(records, [one.key for one in listed])
    return tuple(large)


def _put_in_order(records: journal.Journal, keys: Sequence[str]) -> None:
    """Give records the order of their keys, as a set that comes back has its place among others."""
    own = set(keys)
    ordered = [key for key in records.set_names() if key in own]
    pairs = enumerate(zip(keys, ordered, strict=False))
    same = next((place for place, (wanted, there) in pairs if wanted != there), len(ordered))
    if same < len(keys):
        records.put_last(keys[same:])


def load(base: base_model.Base) -> Loaded:
    """The sets of a base: those whose base has a file in common with `base`. Raises `CqlguiError` if the
    records cannot be read."""
    records = workspace.journal()
    paths = {source.path for source in base.sources}
    found, damaged = [], []
    with _lock:
        for row in records.sets():
            try:
                about = _about(row)
                own = _base(about)
                if not paths.isdisjoint(source.path for source in own.sources):
                    found.append(_named(records.set_with_hits(row.key) or row, about, own))
            except (ValueError, KeyError, TypeError, zlib.error) as error:
                _log.info("the record of a set is damaged: %s", error)
                damaged.append(row.key)
        if damaged:
            records.drop_sets(damaged)
    return Loaded(tuple(found), len(damaged))


def keep_run(run: sets.NamedSet) -> None:
    """Keep a run, which has its fingerprints, as the last run of its query over the files of its base, unless
    a later run is kept. If it has too many hits, only the fact that it was run is kept. Raises `CqlguiError`
    if the records cannot be written."""
    records = workspace.runs()
    row = _row(data.replace(run, key=_run_key(run), name=_query_name(run.query)))
    with _lock:
        if any(one.key == row.key and one.asked > row.asked for one in records.sets()):
            return
        # A later run is stored behind all others.
        records.drop_sets([row.key])
        records.add_set(row)
        records.drop_sets(list(records.set_names())[:-KEPT_RUNS])


def last_run(run: sets.NamedSet) -> sets.NamedSet | None:
    """The run of a query before `run` that was kept: over the same files, or else the latest one over a base
    that has a file in common. None if there is none, or if the records cannot be read. Options that are not
    kept are those of `run`."""
    own, wanted = _run_key(run), _query_name(run.query)
    paths = {source.path for source in run.base.sources}
    try:
        records = workspace.runs()
        with _lock:
            rows = [row for row in reversed(records.sets()) if row.name == wanted]
            rows.sort(key=lambda row: row.key != own)
            for row in rows:
                found = _kept_run(records, row, paths)
                if found is not None and found.lost:
                    # An older run is not the last one.
                    return None
                if found is not None:
                    kept = found.result.options
                    # A kept run has no rights.
                    options = data.replace(
                        run.result.options,
                        variations=kept.variations,
                        settings=kept.settings,
                        allow_read=(),
                        allow_write=(),
                    )
                    result = data.replace(found.result, options=options)
                    return data.replace(found, name=run.name, result=result)
    except errors.CqlguiError as error:
        # A run that cannot be kept is told; that says enough.
        _log.info("the last run is not known: %s", error)
    return None


def _kept_run(records: journal.Journal, row: journal.SetRow, paths: set[Path]) -> sets.NamedSet | None:
    """A run that was kept, if its base has one of the files. None if its record is damaged."""
    try:
        about = _about(row)
        base = _base(about)
        if paths.isdisjoint(source.path for source in base.sources):
            return None
        found = _named(records.set_with_hits(row.key) or row, about, base)
    except (ValueError, KeyError, TypeError, zlib.error) as error:
        _log.info("the record of a run is damaged: %s", error)
        return None
    return found


def _query_name(query: str) -> str:
    return hashlib.sha256(sets.key_of(query).encode("utf-8", "surrogatepass")).hexdigest()


def _run_key(run: sets.NamedSet) -> str:
    """What identifies the last run of a query over some files."""
    listed = sorted(str(source.path) for source in run.base.sources)
    about = json.dumps([_query_name(run.query), *listed])
    return hashlib.sha256(about.encode("ascii")).hexdigest()


def _storable(name: str) -> str:
    """A name without halves of characters, which SQLite does not take."""
    return name.encode("utf-8", "replace").decode("utf-8")


def _row(one: sets.NamedSet) -> journal.SetRow:
    result, base = one.result, one.base
    columns = result.games.columns
    if not bool(np.all(columns.hits[1:] > columns.hits[:-1])):
        columns = columns.take(np.argsort(columns.hits, kind="stable"))
    sizes = np.diff(columns.ends, prepend=0).astype(np.int32) if len(columns.codes) else None
    about = {
        "query": one.query,
        "whole": one.whole,
        "games": one.games,
        "hits": one.positions,
        "codes": len(columns.codes),
        "variations": result.options.variations,
        "settings": result.options.settings.as_words(),
        "base": base.name,
        "positions": base.positions,
        "alike": _alike(one),
        "sources": [
            [str(source.path), source.first, source.games, source.positions, source.digest]
            for source in base.sources
        ],
    }
    # All characters are escaped, so halves of characters do no harm.
    row = journal.SetRow(
        one.key, _storable(one.name), one.asked, zlib.compress(json.dumps(about).encode("ascii"))
    )
    if one.lost or len(columns) > MOST_HITS:
        return row
    order = np.fromiter(result.order, np.int64, len(result.order))
    ordered = np.array_equal(order, found_module.each_game(columns.hits))
    full = data.replace(
        row,
        hits=_packed(np.diff(columns.hits, prepend=0)),
        sizes=None if sizes is None else _packed(sizes),
        codes=None if sizes is None else _packed(columns.codes),
        order=None if ordered else _packed(order),
        prints=None if one.prints is None else _packed(one.prints[narrowing.in_games(result)]),
    )
    taken = sum(len(part) for part in (full.hits, full.sizes, full.codes, full.order, full.prints) if part)
    return full if taken <= MOST_BYTES else row


def _alike(one: sets.NamedSet) -> list[int] | None:
    """The numbers of a set's games whose tags another game of the base has, counted from 0. None if that is
    not known, or if there are too many."""
    alone = sets.alone_of(one)
    if alone is None:
        return None
    found = np.flatnonzero(~alone[narrowing.in_games(one.result)])
    return found.tolist() if len(found) <= _MOST_ALIKE else None


def _packed(values: np.ndarray[Any, Any]) -> bytes:
    """An array as compressed bytes. The first bytes of all numbers come first, then the second bytes, and so
    on, because equal bytes then stand together."""
    width = values.dtype.itemsize
    plain = np.ascontiguousarray(values).astype(values.dtype.newbyteorder("<"), copy=False)
    return zlib.compress(plain.view(np.uint8).reshape(-1, width).T.tobytes(), 1)


def _unpacked(packed: bytes, kind: type[np.generic], length: int) -> np.ndarray[Any, Any]:
    """The array of `_packed`. Raises `ValueError` and `zlib.error` for other bytes."""
    width = np.dtype(kind).itemsize
    whole = _inflated(packed, length * width)
    if len(whole) != length * width:
        raise ValueError(f"{len(whole)} bytes, not {length * width}")
    mixed = np.frombuffer(whole, np.uint8).reshape(width, -1)
    return np.ascontiguousarray(mixed.T).view(np.dtype(kind).newbyteorder("<")).reshape(-1).astype(kind)


def _inflated(packed: bytes, most: int) -> bytes:
    reader = zlib.decompressobj()
    # A byte more than allowed shows that there are more, and reads the checksum after the last byte.
    whole = reader.decompress(packed, most + 1)
    if not reader.eof or len(whole) > most:
        raise ValueError("the bytes do not end where they must")
    return whole


def _about(row: journal.SetRow) -> dict[str, Any]:
    found = json.loads(_inflated(row.about, _LARGEST_TEXT))
    if not isinstance(found, dict) or not isinstance(found["query"], str):
        raise TypeError("no query")
    return found


def _base(about: dict[str, Any]) -> base_model.Base:
    listed = tuple(
        base_model.Source(Path(path), int(first), int(games), positions=int(positions), digest=str(digest))
        for path, first, games, positions, digest in about["sources"]
    )
    games = sum(source.games for source in listed)
    return base_model.Base(0, str(about["base"]), listed, games, int(about["positions"]), complete=True)


def _named(row: journal.SetRow, about: dict[str, Any], base: base_model.Base) -> sets.NamedSet:
    games, hits, query = int(about["games"]), int(about["hits"]), about["query"]
    bare = sets.NamedSet(
        row.name,
        base,
        _nothing(query),
        row.asked,
        whole=bool(about["whole"]),
        lost=TOO_MANY,
        counts=(games, hits),
        key=row.key,
    )
    if row.hits is None:
        return bare
    try:
        result, prints, alone = _result(row, about, base, games, hits)
    except (ValueError, zlib.error) as error:
        _log.info("the hits of a set are damaged: %s", error)
        return data.replace(bare, lost=DAMAGED)
    except errors.CqlguiError as error:
        # The program was changed since, and accepts the query no more.
        return data.replace(bare, lost=f"their query cannot be read: {str(error).rstrip('.')}")
    return data.replace(bare, result=result, prints=prints, alone=alone, lost="", counts=None)


def _result(
    row: journal.SetRow, about: dict[str, Any], base: base_model.Base, games: int, hits: int
) -> tuple[search_model.SearchResult, sets.Prints | None, sets.Truths | None]:
    if not 0 <= hits <= MOST_HITS or not 0 <= games <= base.games:
        raise ValueError("the counts cannot be right")
    assert row.hits is not None
    places = np.cumsum(_unpacked(row.hits, np.int64, hits))
    columns = found_module.Columns(places, found_module.no_ends(hits), found_module.NOTHING.codes)
    if row.sizes is not None and row.codes is not None:
        sizes = _unpacked(row.sizes, np.int32, hits)
        codes = _unpacked(row.codes, np.int32, int(about["codes"]))
        if sizes.min(initial=0) < 0 or int(sizes.sum(dtype=np.int64)) != len(codes):
            raise ValueError("the elements do not belong to the hits")
        columns = found_module.Columns(places, np.cumsum(sizes, dtype=np.int64), codes)
    order = None if row.order is None else _unpacked(row.order, np.int64, games)
    with_hits = found_module.each_game(places)
    listed = with_hits if order is None else np.sort(order)
    if bool(np.any(places[1:] <= places[:-1])) or len(listed) != games:
        raise ValueError("the hits do not ascend")
    if games and not 1 <= int(listed[0]) <= int(listed[-1]) <= base.games:
        raise ValueError("a game is not in the base")
    if not np.isin(with_hits, listed).all() or len(arrays.distinct(listed)) != games:
        raise ValueError("the games are not those of the hits")
    options = search_model.SearchOptions(
        variations=bool(about["variations"]), settings=settings.from_words(about["settings"])
    )
    result = searching.of_hits(
        base, about["query"], options, columns, None if order is None else order.tolist()
    )
    prints = alone = None
    if row.prints is not None:
        prints = np.zeros(base.games + 1, np.uint64)
        prints[listed] = _unpacked(row.prints, np.uint64, games)
        # Older programs did not keep the numbers of games with the same tags.
        alike = about.get("alike")
        if isinstance(alike, list):
            if not all(isinstance(one, int) and 0 <= one < games for one in alike):
                raise ValueError("games with the same tags are not games of the set")
            alone = np.zeros(base.games + 1, np.bool_)
            alone[listed] = True
            alone[listed[alike]] = False
    return result, prints, alone


def _nothing(query: str) -> search_model.SearchResult:
    """A result without hits, for a set whose hits are missing."""
    return search_model.SearchResult(
        query=query,
        order=(),
        games=found_module.FoundGames(found_module.NOTHING, {}, None),
    )

"""A source's state on disk, and its index opened for reading."""

from __future__ import annotations

import bisect
import contextlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cqlgui.base import errors
from cqlgui.db import catalog
from cqlgui.store import index
from cqlgui.tasks.databases import hosts, workspace
from cqlgui.tasks.results import base_model

if TYPE_CHECKING:
    from cqlgui.tasks.databases import published


def stamp(source: base_model.Source) -> str:
    """The state of a source and of its index, as one string. When the state changes, an open source must be
    reopened to show added and repaired games."""
    if source.place is not None:
        return source.digest
    return hosts.stamp_of(source.path, workspace.index_folder(source.path))


def headers(source: base_model.Source) -> catalog.Catalog | published.Headers:
    """Who has the headers of the games of a source: the catalog, or the published base itself."""
    if source.place is None:
        return workspace.catalog()
    # Few bases are published, and the modules take a while to load.
    from cqlgui.tasks.databases import published

    return published.headers_of(source.place)


def words(source: base_model.Source, state: str | None = None) -> dict[str, Any]:
    """The fields of a request that tell a worker how to open a source. `state` is the `stamp` of the source.
    If `state` is None, the stamp is taken now.

    Raises `errors.SourceError` if the index no longer describes the text of the open base, or if the catalog
    was made again.
    """
    state = stamp(source) if state is None else state
    if source.place is not None:
        return {"source": 0, "place": list(source.place), "stamp": state, "digest": source.digest, "rows": ""}
    known = rows(source)
    insist(source)
    return {
        "source": source.id,
        "path": str(source.path),
        "folder": str(workspace.index_folder(source.path)),
        "stamp": state,
        "digest": source.digest,
        "catalog": str(workspace.catalog().path),
        "rows": known.state,
    }


@contextlib.contextmanager
def opened(source: base_model.Source) -> Iterator[hosts.SourceReader]:
    """Open the index and text of a source of an open base. Raises `errors.SourceError` if the index no longer
    describes the text of the open base, if it lacks games of the base, or if the catalog was made again."""
    reader = _reader(source)
    try:
        yield reader
    finally:
        reader.close()


@contextlib.contextmanager
def indexed(source: base_model.Source) -> Iterator[index.SourceIndex]:
    """Open only the index of a source of an open base. Raises `errors.SourceError` if the index no longer
    describes the text of the open base, or lacks games of the base."""
    with _index(source) as found:
        known = found.manifest.identity, found.game_count
        hosts.compare(source.path, known, source.digest, source.games)
        yield found


def insist(source: base_model.Source) -> None:
    """`hosts.insist` for a source of an open base. A published source never changes."""
    if source.place is None and source.games:
        hosts.insist(source.path, workspace.index_folder(source.path), source.digest, source.games)


def insist_all(base: base_model.Base, games: Iterable[int]) -> None:
    """`insist` for the sources of some games of a base."""
    for source in {of_game(base, game)[0] for game in games}:
        insist(source)


def _index(source: base_model.Source) -> index.SourceIndex:
    if source.place is None:
        return index.SourceIndex.open(workspace.index_folder(source.path))
    from cqlgui.tasks.databases import published

    return published.index_of(source.place)


def rows(source: base_model.Source, known: catalog.Catalog | None = None) -> catalog.Rows:
    """The account that the catalog `known` has of a source; without `known`, that of `headers`. Raises
    `errors.SourceError` if the catalog was made anew since the source was opened."""
    found = (known or headers(source)).rows(source.id)
    if found.path != str(source.path):
        # The catalog has no rows with the source's number, or the rows belong to another source.
        raise errors.SourceError(
            f"The catalog was made anew since {source.path.name} was opened. Open it again."
        )
    return found


def _reader(source: base_model.Source) -> hosts.SourceReader:
    if source.place is not None:
        from cqlgui.tasks.databases import published

        return published.Reader(source.place, source.digest)
    rows(source)
    return hosts.SourceReader(
        source.path,
        workspace.index_folder(source.path),
        workspace.catalog(),
        source.id,
        source.digest,
        source.games,
    )


def of_game(base: base_model.Base, game: int) -> tuple[base_model.Source, int]:
    """The source that holds a game of the base, and the game's ordinal in the source (from 0). Raises
    `CqlguiError` if the base has no such game."""
    # Sources without games share their first game with the next source.
    place = bisect.bisect_right(base.sources, game, key=lambda source: source.first) - 1
    if place >= 0:
        source = base.sources[place]
        if game < source.first + source.games:
            return source, game - source.first
    raise errors.CqlguiError(f"There is no game {game}; the base has {base.games}.")


class Readers:
    """A context manager that opens each source of a base on demand and only once."""

    def __init__(self, base: base_model.Base) -> None:
        self._base = base
        self._open: dict[int, hosts.SourceReader] = {}

    def of(self, game: int) -> tuple[hosts.SourceReader, int]:
        """The opened source that holds a game of the base, and the game's ordinal in the source (from 0)."""
        source, ordinal = of_game(self._base, game)
        reader = self._open.get(source.first)
        if reader is None:
            reader = self._open[source.first] = _reader(source)
        return reader, ordinal

    def runs(self, games: Sequence[int]) -> Iterator[tuple[hosts.SourceReader, list[int]]]:
        """Runs of consecutive `games` from one source: the opened source, and the ordinals of the games in
        the source."""
        at = 0
        while at < len(games):
            source, _ = of_game(self._base, games[at])
            end = at
            while end < len(games) and source.first <= games[end] < source.first + source.games:
                end += 1
            yield self.of(games[at])[0], [game - source.first for game in games[at:end]]
            at = end

    def check(self, games: Collection[int]) -> None:
        """Raise `errors.SourceError` if a source with one of these games of the base no longer holds the text
        that was indexed."""
        ordered = np.sort(np.fromiter(games, np.int64, len(games)))
        for source in self._base.sources:
            low, high = np.searchsorted(ordered, [source.first, source.first + source.games]).tolist()
            if low < high:
                self.of(source.first)[0].check()

    def __enter__(self) -> Readers:
        return self

    def __exit__(self, *_: object) -> None:
        for reader in self._open.values():
            reader.close()
        self._open.clear()

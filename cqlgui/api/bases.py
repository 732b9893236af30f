"""Opened bases in the library: files of games that can be searched."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from cqlgui.api import asking, faults, results
from cqlgui.base import errors, plurals
from cqlgui.base import progress as progress_module
from cqlgui.tasks.asking import queries
from cqlgui.tasks.databases import games as games_module
from cqlgui.tasks.databases import importing, sources
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import orbits, searching

if TYPE_CHECKING:
    from cqlgui.api.asking import Text
    from cqlgui.tasks.results.found import FoundGames

CancelToken = progress_module.CancelToken
Place: TypeAlias = "str | os.PathLike[str]"
OnProgress: TypeAlias = Callable[[int, int | None, str], None]
"""Gets the work that is done, the whole work if that is known, and words for it."""


_MOST_NAMED: Final = 5
"""The representation of a base names at most this many files."""


def open(paths: Place | Iterable[Place], *, on_progress: OnProgress | None = None) -> Base:
    """Open PGN files, packed ones and `.cqlbase` lists too, as one base.

    Files that are new or have changed are indexed first: about a second for 100,000 games. `on_progress` is
    told how far this is. Raises `SourceError` if a file cannot be read, and `CqlguiError` if the index cannot
    be written, or if a published base is damaged. A file that can be read in part gives a `UserWarning`. An
    interrupt (Ctrl+C) keeps what was indexed.
    """
    _refuse_uncallable(on_progress=on_progress)
    report = importing.open_base(
        _paths(paths),
        progress=progress_module.ignore if on_progress is None else _sink(on_progress),
    )
    if report.unreadable:
        raise errors.SourceError(" ".join(report.messages))
    for message in report.messages:
        warnings.warn(message, stacklevel=2)
    return Base(report.base)


def _paths(paths: Place | Iterable[Place]) -> tuple[Path, ...]:
    """One path or several paths. A text is one path, and not its letters."""
    if isinstance(paths, str | bytes | os.PathLike) or not isinstance(paths, Iterable):
        paths = [paths]
    listed = tuple(paths)
    for one in listed:
        if not isinstance(one, str | os.PathLike):
            raise TypeError(f"A path is a str or an os.PathLike, and no {type(one).__name__}.")
    return tuple(map(Path, listed))


def _refuse_uncallable(**called: object) -> None:
    """Raise `TypeError` for an argument that will be called and cannot be."""
    for name, one in called.items():
        if one is not None and not callable(one):
            raise TypeError(f"A function is given as {name}, and no {type(one).__name__}.")


def _sink(on_progress: OnProgress) -> progress_module.ProgressSink:
    return lambda one: on_progress(one.done, one.total, one.words)


class Base:
    """Games of one or several files, numbered from 1. `open` makes this object.

    A base may be used from several threads. It holds no file open.
    """

    __slots__ = ("_base",)

    def __init__(self, base: base_model.Base) -> None:
        self._base = base

    def __len__(self) -> int:
        """The number of games."""
        return self._base.games

    def __repr__(self) -> str:
        paths = self.paths
        listed = [path.name for path in paths[:_MOST_NAMED]]
        more = [f"{len(paths) - len(listed):,} more"] if len(paths) > len(listed) else []
        names = ", ".join([*listed, *more])
        return f"<Base {names}: {plurals.games(self._base.games)}, {plurals.positions(self._base.positions)}>"

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files, in the order of their games."""
        return tuple(source.path for source in self._base.sources)

    @property
    def positions(self) -> int:
        """The number of positions of all games, variations included."""
        return self._base.positions

    def game_pgn(self, game: int) -> str:
        """The text of a game as it stands in its file. Raises `IndexError` for a number that the base does
        not have, `SourceError` if the file has changed since it was opened, and `CqlguiError` if a published
        base is damaged."""
        return results.game_pgn(self._base, game)

    def search(
        self,
        query: Text,
        games: str = "",
        *,
        limit: int | None = None,
        variations: bool = False,
        allow_read: Place | Iterable[Place] = (),
        on_hits: Callable[[results.Result], None] | None = None,
        on_progress: OnProgress | None = None,
        cancel: CancelToken | None = None,
        threads: int | None = None,
    ) -> results.Result:
        """Find the positions that match `query`.

        `games` narrows the search to some games first, in the words of the filter line: `elo>2400
        year:1990-2000 -result:1/2`. `limit` is the largest number of games in the result. `variations` also
        searches the variations of games, as the header `cql(variations)` does. The query may read files only
        in the folders `allow_read`.

        `on_hits` gets the hits of some games at a time, in game order, while the search goes on;
        `on_progress` is told the games that are done. Both are called in the caller's thread. `cancel` stops
        the search from another thread; the result then has the hits so far (`Result.cancelled`). An interrupt
        (Ctrl+C) ends the search with `KeyboardInterrupt`. `threads` is the number of searching threads; by
        default, one for each processor.

        Raises `QueryError` for a query with errors, `SearchStopped` if a fault of the query ends the search,
        `CqlguiError` if `games` cannot be understood or if a file of the index or of a published base is
        damaged, and `TypeError` for an argument of another kind.

        Games that cannot be searched are left out. A `UserWarning` says how many they are, and
        `Result.failed` names them. If twenty games in a row fail for the same reason, the search ends with
        `SearchStopped`. There is one exception: if a file has changed since it was opened, those of its games
        fail whose text the query needs. After twenty such games in a row all later games of this file fail
        that machine code alone cannot decide. The search goes on with the other files.

        `SourceError` is raised if no game could be searched because files have changed, if a file is gone,
        and if a file was indexed again since it was opened.
        """
        text = asking.written(query)
        if not isinstance(games, str):
            raise TypeError(f"The games are chosen by a text, and no {type(games).__name__}.")
        if not isinstance(variations, bool):
            raise TypeError(
                f"Variations are searched or not (a bool), and this is {type(variations).__name__}."
            )
        if cancel is not None and not isinstance(cancel, CancelToken):
            raise TypeError(f"A search is cancelled by a CancelToken, and not by {type(cancel).__name__}.")
        _refuse_uncallable(on_hits=on_hits, on_progress=on_progress)
        limit = None if limit is None else faults.number(limit)
        threads = None if threads is None else min(faults.number(threads), search_model.MOST_WORKERS)
        if limit is not None and limit < 0:
            raise ValueError(f"The limit is a number of games, and not {limit}.")
        if threads is not None and threads < 1:
            raise ValueError(f"A search needs at least one thread, and not {threads}.")
        within = games_module.fitting(self._base, games) if games.strip() else None
        options = search_model.SearchOptions(
            variations=variations,
            limit=limit,
            workers=threads,
            allow_read=_paths(allow_read),
            details=search_model.Details.NONE,
            within=within,
        )
        with faults.told():
            listed = orbits.orbits(text) if on_hits is not None else ()
            searched_variations = queries.expanded(text, variations).query

            def pass_on(found: FoundGames) -> None:
                assert on_hits is not None
                assert searched_variations is not None
                part = results.part(text, found, listed, options, searched_variations.header.variations)
                on_hits(results.Result(self._base, part))

            found = searching.search(
                self._base,
                text,
                options,
                cancel=cancel,
                progress=progress_module.ignore if on_progress is None else _sink(on_progress),
                on_hits=None if on_hits is None else pass_on,
            )
        if found.stopped is None and found.hopeless:
            _tell_changes(self._base, found.failed_games)
        result = results.Result(self._base, found)
        stop = found.stopped
        if stop is not None:
            place = None if stop.offset < 0 else stop.offset
            raise results.SearchStopped(result, stop.game, stop.reason, place, stop.length)
        if result.failed:
            many, first = plurals.games(len(result.failed)), result.failed[0]
            warnings.warn(
                f"{many} could not be searched. Game {first.game}: {first.reason}",
                stacklevel=2,
            )
        return result


def _tell_changes(base: base_model.Base, failed: Sequence[base_model.BadGame]) -> None:
    """Raise `SourceError` if games failed because their file has changed."""
    told = {(bad.source, bad.reason) for bad in failed}
    paths = {path for path, _ in told}
    with sources.Readers(base) as readers:
        for source in base.sources:
            if source.path not in paths:
                continue
            try:
                readers.of(source.first)[0].check()
            except errors.SourceError as change:
                if (source.path, str(change)) in told:
                    raise


__all__ = ["Base", "CancelToken", "open"]

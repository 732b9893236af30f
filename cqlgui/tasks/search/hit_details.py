"""Fetches details of hits: values, squares to ring, and texts that the query writes into a game.

A search whose hits come straight from the engine leaves out details. The details are fetched for the games
that the user looks at, and for all games if an export needs details. The engine finds the details if it can
(`engine.passes.detail_pass`). If the engine cannot, the interpreter finds the details.
"""

from __future__ import annotations

import collections
import contextlib
import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from cqlgui.base import ahead, data, progress
from cqlgui.base.data import dataclass
from cqlgui.cql.interpreting.runtime import settings
from cqlgui.cql.source import diagnostics
from cqlgui.cql.transforming import transforms
from cqlgui.engine import compiling
from cqlgui.engine.lowering.scope import Unsupported
from cqlgui.engine.passes import detail_pass as detail_passes
from cqlgui.store import index
from cqlgui.tasks.asking import queries
from cqlgui.tasks.databases import sources
from cqlgui.tasks.processes import frames
from cqlgui.tasks.processes import pool as pool_module
from cqlgui.tasks.results import base_model, hit_model, search_model
from cqlgui.tasks.results import found as found_module
from cqlgui.tasks.search import planning, sieving

_FIRST_BATCH: Final = 100
_LAST_BATCH: Final = 4_000
_AHEAD: Final = 3
"""Number of games in the first batch, and at most in later batches. Large batches are faster, but a small
first batch comes soon. `_AHEAD` is the number of batches that the engine works on at the same time."""


def parts(games: Sequence[int]) -> Iterator[list[int]]:
    """Some games in batches. Each batch has twice as many games as the batch before."""
    begin, size = 0, _FIRST_BATCH
    while begin < len(games):
        yield list(games[begin : begin + size])
        begin, size = begin + size, min(2 * size, _LAST_BATCH)


def tell(
    base: base_model.Base,
    result: search_model.SearchResult,
    games: Iterable[int],
    *,
    cancel: progress.CancelToken | None = None,
    pool: pool_module.Pool | None = None,
) -> Iterator[hit_model.GameHits]:
    """The games of a result in the given order, with all details; raises the same errors as `batches`.

    If the details of a game cannot be found, the game is returned as it is in the result.
    """
    for batch, found in batches(base, result, games, cancel=cancel, pool=pool):
        for game in batch:
            yield found[game]


def batches(
    base: base_model.Base,
    result: search_model.SearchResult,
    games: Iterable[int],
    *,
    cancel: progress.CancelToken | None = None,
    pool: pool_module.Pool | None = None,
) -> Iterator[tuple[list[int], found_module.FoundGames]]:
    """The games of a result in the order of `games`, in batches, with their details.

    Raises `errors.Cancelled`, and `CqlguiError` for a base that can no longer be read.
    """
    with contextlib.ExitStack() as resources:
        yield from _batches(base, result, list(games), cancel or progress.CancelToken(), pool, resources)


def _batches(
    base: base_model.Base,
    result: search_model.SearchResult,
    wanted: Sequence[int],
    token: progress.CancelToken,
    pool: pool_module.Pool | None,
    resources: contextlib.ExitStack,
) -> Iterator[tuple[list[int], found_module.FoundGames]]:
    known = result.games
    if result.parts and known.not_told(wanted):
        yield from _of_parts(base, result, wanted, token, pool)
        return
    quick, separable = None, False
    if known.untold is not None and known.not_told(wanted):
        expanded = queries.expanded(result.query, said=said(result.options))
        plan = sieving.plan(expanded, pruned=False)
        quick = _Quick.of(base, result, expanded, plan, resources)
        # If comments of failing filters are kept, the whole game must be interpreted.
        separable = plan.separable and result.options.settings.smart_comments
    coming: collections.deque[ahead.Ahead[found_module.FoundGames]] = collections.deque()
    planned = iter(parts(wanted))
    for batch in parts(wanted):
        token.raise_if_cancelled()
        missing = list(known.not_told(batch))
        columns: list[found_module.Columns] = []
        told = {game: known.told[game] for game in batch if game in known.told} if known.told else {}
        if quick is not None:
            # The engine works on the next batches of games while the caller deals with the present batch.
            while len(coming) < _AHEAD and (games_ahead := next(planned, None)) is not None:
                coming.append(ahead.Ahead(functools.partial(quick.told, quick.asked(games_ahead))))
            quickly = coming.popleft().result()
            columns.append(quickly.columns)
            told |= quickly.told
            if found_module.count_games(quickly.columns.hits) + len(quickly.told) == len(missing):
                missing = []
            else:
                listed = {*found_module.each_game(quickly.columns.hits).tolist(), *quickly.told}
                missing = [game for game in missing if game not in listed]
        elif len(missing) < len(batch):
            # The columns of the result already have the details of these games.
            own = list(batch)
            if known.told:
                own = [game for game in batch if known.is_told(game) and game not in known.told]
            columns.append(known.columns_of(np.array(own, np.int64)))
        places = None
        if separable and missing:
            places = found_module.places(known.hits_in(np.array(missing, np.int64)))
        fresh = details(base, result.query, result.options, missing, places=places, cancel=token, pool=pool)
        for game in missing:
            whole = fresh.get(game)
            # If the result was made from other results, hits of the query may be missing, and hits of another
            # query may be added.
            told[game] = (
                known[game]
                if whole is None
                else found_module.trimmed(whole, known.columns, *known.stretch(game))
            )
        yield batch, found_module.FoundGames(found_module.joined(columns), told, known.untold)


def _of_parts(
    base: base_model.Base,
    result: search_model.SearchResult,
    wanted: Sequence[int],
    token: progress.CancelToken,
    pool: pool_module.Pool | None,
) -> Iterator[tuple[list[int], found_module.FoundGames]]:
    """`_batches` for a result that was made from other results. Each of them finds its own details."""
    known = result.games
    missing = {*known.not_told(wanted)}
    streams = []
    for part in result.parts:
        listed = [game for game in wanted if game in missing and game in part.games]
        streams.append((part, tell(base, part, listed, cancel=token, pool=pool)))
    for batch in parts(wanted):
        token.raise_if_cancelled()
        told: dict[int, hit_model.GameHits] = {}
        for game in batch:
            if game not in missing:
                told[game] = known[game]
                continue
            whole = None
            for part, stream in streams:
                if game not in part.games:
                    continue
                again, own = part.query == result.query, next(stream)
                own = own if again else found_module.foreign(own)
                whole = own if whole is None else found_module.told_by_both(whole, own, again=again)
            assert whole is not None
            told[game] = found_module.trimmed(whole, known.columns, *known.stretch(game))
        yield batch, found_module.FoundGames(found_module.NOTHING, told, known.untold)


def detail_pass(plan: sieving.Plan, chosen: settings.Settings) -> detail_passes.DetailPass | Unsupported:
    """The compiled function that finds all details of a query's hits. A reason if the interpreter must find
    the details."""
    if plan.compiled is None or plan.straight is None:
        return Unsupported(plan.span or _NOWHERE, plan.reason or "the search itself needs the interpreter")
    asking = plan.compiled.detail_pass()
    if isinstance(asking, Unsupported) or not asking.speaks:
        return asking
    if not (chosen.smart_comments and chosen.sort_comments):
        return Unsupported(_NOWHERE, "the options of comments are not compiled")
    return asking


_NOWHERE: Final = diagnostics.Span(0, 0)


@dataclass(frozen=True, slots=True)
class _Asked:
    """Hits in the games of a part. `before` and `base` are explained in `sieving.detailed`."""

    part: planning.Part
    hits: found_module.Integers
    before: int
    base: int


class _Quick:
    """Gets the details of one result's hits from the engine."""

    def __init__(
        self,
        base: base_model.Base,
        result: search_model.SearchResult,
        asking: detail_passes.DetailPass,
        planner: planning.Planner,
        resources: contextlib.ExitStack,
    ) -> None:
        self._base = base
        self._games = result.games
        self._asking = asking
        self._planner = planner
        self._resources = resources
        self._opened: tuple[base_model.Source, index.SourceIndex] | None = None
        """The source of the last game that was asked for, and its index."""
        self._known: tuple[base_model.Source, int, int, planning.Part] | None = None
        """The source and the segment of the last game that was asked for."""

    @classmethod
    def of(
        cls,
        base: base_model.Base,
        result: search_model.SearchResult,
        expanded: transforms.Expanded,
        plan: sieving.Plan,
        resources: contextlib.ExitStack,
    ) -> _Quick | None:
        """A `_Quick` for the hits of `result`. None if the interpreter must find the details. `resources`
        closes what the `_Quick` opens."""
        asking = detail_pass(plan, said(result.options))
        if isinstance(asking, Unsupported):
            return None
        compiled = sieving.compiled(expanded)
        assert isinstance(compiled, compiling.Compiled)
        planner = planning.Planner(expanded, compiled.facts, pruned=False)
        return cls(base, result, asking, planner, resources)

    def asked(self, games: Sequence[int]) -> list[_Asked]:
        """The hits of some games whose details are unknown, by segment. Only one thread at a time may call
        this method."""
        found: list[_Asked] = []
        left = np.sort(np.array(self._games.not_told(games), np.int64))
        while len(left):
            source, ordinal = sources.of_game(self._base, int(left[0]))
            first, count, part = self._segment(source, ordinal)
            end = int(np.searchsorted(left, source.first + first + count))
            own, left = left[:end], left[end:]
            base = source.first + first
            hits = self._games.hits_in(own) - (base << found_module.GAME_SHIFT)
            found.append(_Asked(part, hits, first, base))
        return found

    def told(self, asked: Sequence[_Asked]) -> found_module.FoundGames:
        """The details of hits. Games that the interpreter must evaluate are left out. Any number of threads
        may call this method."""
        parts: list[found_module.Columns] = []
        told: dict[int, hit_model.GameHits] = {}
        for one in asked:
            found = sieving.detailed(
                self._asking, one.part, one.hits, self._games.untold, before=one.before, base=one.base
            )
            parts.append(found.columns)
            told |= found.told
        return found_module.FoundGames(found_module.joined(parts), told)

    def _segment(self, source: base_model.Source, ordinal: int) -> tuple[int, int, planning.Part]:
        """The segment that holds a game of a source: the ordinal of its first game, its number of games, and
        its `planning.Part`."""
        if self._known is None or not self._holds(source, ordinal):
            first, segment = self._index(source).part_of(ordinal)
            self._known = source, first, segment.games, self._planner.part(source, first, segment)
        return self._known[1:]

    def _index(self, source: base_model.Source) -> index.SourceIndex:
        """The index of a source. It stays open until another source is asked for."""
        if self._opened is None or self._opened[0] is not source:
            self._resources.close()
            self._opened = source, self._resources.enter_context(sources.indexed(source))
        return self._opened[1]

    def _holds(self, source: base_model.Source, ordinal: int) -> bool:
        assert self._known is not None
        known, first, count, _ = self._known
        return known is source and first <= ordinal < first + count


def details(
    base: base_model.Base,
    text: str,
    options: search_model.SearchOptions,
    games: Sequence[int],
    *,
    places: Mapping[int, Sequence[int]] | None = None,
    cancel: progress.CancelToken | None = None,
    pool: pool_module.Pool | None = None,
) -> dict[int, hit_model.GameHits]:
    """Evaluate some games with the interpreter in worker processes, and return everything that the
    interpreter finds. Games without a match, and games that the interpreter cannot evaluate, are left out. If
    the query is `sieving.Plan.separable`, `places` may have the positions to evaluate in each game. Raises
    `errors.Cancelled`."""
    token = cancel or progress.CancelToken()
    found: dict[int, hit_model.GameHits] = {}
    by_source: dict[int, list[int]] = {}
    for game in games:
        source, ordinal = sources.of_game(base, game)
        by_source.setdefault(source.first, []).append(ordinal)
    waiting = [
        (first, ordinal) for first, ordinals in sorted(by_source.items()) for ordinal in sorted(ordinals)
    ]
    if not waiting:
        return found
    listed = {source.first: source for source in base.sources}
    stamps = {first: sources.stamp(listed[first]) for first in by_source}
    chosen = said(options)
    at = 0

    def take(size: int) -> list[tuple[int, int]]:
        nonlocal at
        begin = at
        while at < len(waiting) and at - begin < size and waiting[at][0] == waiting[begin][0]:
            at += 1
        return waiting[begin:at]

    def message(items: list[tuple[int, int]]) -> frames.Envelope:
        first = items[0][0]
        return request(
            text,
            chosen,
            sources.words(listed[first], stamps[first]),
            [ordinal for _, ordinal in items],
            options,
            [] if places is None else [places.get(first + ordinal) for _, ordinal in items],
        )

    def done(items: list[tuple[int, int]], reply: frames.Envelope) -> None:
        first = items[0][0]
        for ordinal, *told in reply["hits"]:
            found[first + ordinal] = game_hits(
                first + ordinal,
                *told,
                match_string=reply["match_string"],
                unique=chosen.unique_comments,
            )

    work = pool_module.Work(take=take, message=message, done=done, lost=lambda _item, _reason: None)
    with (pool or pool_module.shared()).lease(min(options.workers or _WORKERS, len(waiting))) as crew:
        if not crew.run(work, token):
            token.raise_if_cancelled()
    return found


_WORKERS: Final = 2
"""Number of workers if the options give no number. More workers would slow down the window while the user
works."""


def said(options: search_model.SearchOptions) -> settings.Settings:
    """The options that override the query's header."""
    return data.replace(options.settings, variations=options.variations or options.settings.variations)


def request(
    text: str,
    chosen: settings.Settings,
    source: dict[str, Any],
    ordinals: Sequence[int],
    options: search_model.SearchOptions,
    places: Sequence[Sequence[int] | None] = (),
) -> frames.Envelope:
    """The request to a worker for some games of a source. The games are independent of each other. The query
    may read files but must not write files. Only a search adds the right to write."""
    return {
        "op": "search",
        "query": text,
        "settings": chosen.as_words(),
        **source,
        "games": list(ordinals),
        "places": list(places),
        "memory": None,
        "read": [str(folder.resolve()) for folder in options.allow_read],
        "beside": None if options.beside is None else str(options.beside.absolute()),
    }


def game_hits(
    game: int,
    hits: list[Any],
    log: list[Any],
    keys: list[Any],
    tags: list[Any],
    removed: list[int],
    *,
    match_string: str,
    unique: bool,
) -> hit_model.GameHits:
    """A matching game, from a worker's reply."""
    return hit_model.GameHits(
        game=game,
        hits=tuple(
            hit_model.Hit(
                game=game,
                positionid=positionid,
                value=value,
                squares=squares,
                matches=tuple(hit_model.OrbitMatch(*match) for match in matches),
            )
            for positionid, value, squares, matches in hits
        ),
        log=tuple((positionid, text, writer) for positionid, text, writer in log),
        sort_keys=tuple(keys),
        tags=tuple((name, text) for name, text in tags),
        removed=tuple(removed),
        match_string=match_string,
        unique=unique,
    )

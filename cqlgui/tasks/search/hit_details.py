"""Fetches the details of hits that only the interpreter knows: values, squares to ring, and what is written
into a game.

A search whose hits come straight from the engine leaves these details out. They are fetched for the games
that somebody looks at, and for all games if an export needs them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from cqlgui.base import data, progress
from cqlgui.cql.interpreting.runtime import settings
from cqlgui.tasks.databases import sources
from cqlgui.tasks.processes import frames
from cqlgui.tasks.processes import pool as pool_module
from cqlgui.tasks.results import base_model, hit_model, search_model
from cqlgui.tasks.results import found as found_module

_BATCH: Final = 2_000
"""Games whose details are fetched before the first of them is returned."""


def tell(
    base: base_model.Base,
    result: search_model.SearchResult,
    games: Iterable[int],
    *,
    cancel: progress.CancelToken | None = None,
    pool: pool_module.Pool | None = None,
) -> Iterator[hit_model.GameHits]:
    """The games of a result in the given order, with all details.

    A game whose details cannot be had is returned as it is in the result. Raises `errors.Cancelled`, and
    `CqlguiError` for a base that can no longer be read.
    """
    token = cancel or progress.CancelToken()
    wanted = list(games)
    for start in range(0, len(wanted), _BATCH):
        batch = wanted[start : start + _BATCH]
        missing = [game for game in batch if game not in result.games.told]
        fresh = details(base, result.query, result.options, missing, cancel=token, pool=pool)
        for game in batch:
            told = fresh.get(game)
            if told is None:
                yield result.games[game]
            else:
                # A result made of other results may lack some of these hits, and may have hits of another
                # query.
                yield found_module.trimmed(told, result.games.columns, *result.games.stretch(game))


def details(
    base: base_model.Base,
    text: str,
    options: search_model.SearchOptions,
    games: Sequence[int],
    *,
    cancel: progress.CancelToken | None = None,
    pool: pool_module.Pool | None = None,
) -> dict[int, hit_model.GameHits]:
    """Everything that the interpreter finds in some games, in worker processes. Games without a match, and
    games that the interpreter cannot evaluate, are left out. Raises `errors.Cancelled`."""
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
    stamps = {first: sources.stamp(listed[first].path) for first in by_source}
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
            said(options),
            sources.words(listed[first], stamps[first]),
            [ordinal for _, ordinal in items],
            options,
        )

    def done(items: list[tuple[int, int]], reply: frames.Envelope) -> None:
        first = items[0][0]
        for ordinal, *told in reply["hits"]:
            found[first + ordinal] = game_hits(first + ordinal, *told, match_string=reply["match_string"])

    work = pool_module.Work(take=take, message=message, done=done, lost=lambda _item, _reason: None)
    with (pool or pool_module.shared()).lease(min(options.workers or _WORKERS, len(waiting))) as crew:
        if not crew.run(work, token):
            token.raise_if_cancelled()
    return found


_WORKERS: Final = 2
"""Number of workers if the options name none. While somebody looks on, more workers would slow down the
window."""


def said(options: search_model.SearchOptions) -> settings.Settings:
    """The options that override the query's header."""
    return data.replace(options.settings, variations=options.variations or options.settings.variations)


def request(
    text: str,
    chosen: settings.Settings,
    source: dict[str, Any],
    ordinals: Sequence[int],
    options: search_model.SearchOptions,
) -> frames.Envelope:
    """The request to a worker for some games of a source. The games are independent of each other. The query
    may read files but must not write any; only a search adds that right."""
    return {
        "op": "search",
        "query": text,
        "settings": chosen.as_words(),
        **source,
        "games": list(ordinals),
        "memory": None,
        "read": [str(folder.resolve()) for folder in options.allow_read],
        "beside": None if options.beside is None else str(options.beside.absolute()),
    }


def game_hits(
    game: int,
    hits: list[Any],
    comments: list[Any],
    keys: list[Any],
    tags: list[Any],
    removed: list[int],
    *,
    match_string: str,
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
        comments=tuple((positionid, text) for positionid, text in comments),
        sort_keys=tuple(keys),
        tags=tuple((name, text) for name, text in tags),
        removed=tuple(removed),
        match_string=match_string,
    )

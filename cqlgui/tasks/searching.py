"""Runs a query over a base in worker processes; hits come out in game order while the search goes on."""

from __future__ import annotations

import contextlib
import dataclasses
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from cqlgui.base import progress as progress_module
from cqlgui.cql import interpreter, memory, settings, transforms
from cqlgui.tasks import frames, model, orbits, queries, sieving, sources, workspace
from cqlgui.tasks import pool as pool_module
from cqlgui.tasks.queries import Rejected

__all__ = ["MAX_MESSAGES", "Rejected", "search"]

MAX_MESSAGES = 100_000
"""Most messages that a result keeps."""

_REPORT_SECONDS = 0.05
_SIEVE_SECONDS = 0.02
_Item = tuple[int, int]
"""Place of the source, and ordinal there from 0."""
_NO_MORE: _Item = (-1, -1)


def search(
    base: model.Base,
    text: str,
    options: model.SearchOptions | None = None,
    *,
    cancel: progress_module.CancelToken | None = None,
    progress: progress_module.ProgressSink = progress_module.ignore,
    on_hits: Callable[[Sequence[model.GameHits]], None] | None = None,
    on_messages: Callable[[Sequence[model.Message]], None] | None = None,
    pool: pool_module.Pool | None = None,
) -> model.SearchResult:
    """Find the games and positions of `base` that match `text`.

    `on_hits` gets the hits of games in game order as they are found, in the caller's thread; `on_messages`
    likewise what the query says, all of it, while the result keeps the first `MAX_MESSAGES` only.
    Cancelling returns within 100 ms with what was found until then. A game that costs its worker process is
    named in `failed_games` and left out. Raises `Rejected` for a bad query, `errors.SourceError` and
    `errors.IndexDamaged` for a base that cannot be read.
    """
    chosen = options or model.SearchOptions()
    said = dataclasses.replace(chosen.settings, variations=chosen.variations or chosen.settings.variations)
    expanded = queries.expanded(text, said=said)
    queries.refuse_files(expanded, reading=bool(chosen.allow_read), writing=bool(chosen.allow_write))
    token = cancel or progress_module.CancelToken()
    run = _Run(base, text, expanded, chosen, said, token, progress, on_hits, on_messages)
    return run.result(pool or pool_module.shared())


class _Run:
    """One search: gives out slices, puts what comes back into game order, counts."""

    def __init__(
        self,
        base: model.Base,
        text: str,
        expanded: transforms.Expanded,
        options: model.SearchOptions,
        said: settings.Settings,
        cancel: progress_module.CancelToken,
        report: progress_module.ProgressSink,
        on_hits: Callable[[Sequence[model.GameHits]], None] | None,
        on_messages: Callable[[Sequence[model.Message]], None] | None,
    ) -> None:
        assert expanded.query is not None
        self.base = base
        self.text = text
        self.variations = expanded.query.header.variations
        self.options = options
        self.said = said
        self.cancel = cancel
        self.report = report
        self.on_hits = on_hits
        self.on_messages = on_messages
        self.program = interpreter.Program(expanded, said)
        # Where games depend on what earlier ones left, one worker takes them in order, with this memory.
        self.remembered = self.program.empty_memory() if self.program.sequential else None
        self.written: list[str] = []
        self.sources = [source for source in base.sources if source.games]
        self.stamps = [sources.stamp(source.path) for source in self.sources]
        # Written out before the search, as printing thousands of elements would delay the answer to Cancel.
        self.orbits = [orbits.describe(info) for info in expanded.orbits]
        self.found: dict[int, model.GameHits] = {}
        self.failed: list[model.BadGame] = []
        self.messages: list[model.Message] = []
        self.messages_dropped = 0
        # What games said whose predecessors are still being searched.
        self._said: dict[int, list[str]] = {}
        self.searched = 0
        self.positions = 0
        self.plan = sieving.plan(expanded, pruned=options.pruned) if options.compiled else sieving.INTERPRETER
        self._coming: Iterator[_Item | None] = self._items()
        # Games done whose predecessors are still being searched; None = without a hit.
        self._waiting: dict[int, model.GameHits | None] = {}
        self._next = 1
        self._full = options.limit is not None and options.limit <= 0
        self._reported = 0.0
        self._peeked: _Item | None = None

    def result(self, pool: pool_module.Pool) -> model.SearchResult:
        started = time.perf_counter()
        work = pool_module.Work(take=self._take, message=self._message, done=self._done, lost=self._lost)
        with contextlib.ExitStack() as stack:
            if self.plan.planner is not None:
                sieve = sieving.Sieve(self.plan, self.sources)
                self._coming = self._sifted(stack.enter_context(sieve))
            crew = stack.enter_context(pool.lease(1 if self.program.sequential else self.options.workers))
            finished = crew.run(work, self.cancel)
        if not finished:
            # What lies beyond a slice that was cut off was found all the same.
            self._release(sorted(self._waiting))
        seconds = time.perf_counter() - started
        self._tell(force=True)
        keys = [(game, hits.sort_keys) for game, hits in sorted(self.found.items())]
        return model.SearchResult(
            query=self.text,
            order=tuple(self.program.order(keys)),
            games=self.found,
            orbits=self._orbits(),
            sort_keys=tuple(
                model.SortKey(spec.doc, spec.descending, spec.quiet) for spec in self.program.sort_specs
            ),
            seconds=seconds,
            games_searched=self.searched,
            positions_searched=self.positions,
            bad_games=sum(workspace.catalog().bad_count(source.id) for source in self.sources),
            engine=self.plan.engine,
            reason=self.plan.reason,
            cancelled=not finished,
            failed_games=tuple(sorted(self.failed, key=lambda bad: bad.game)),
            variations=self.variations,
            messages=tuple(self.messages),
            messages_dropped=self.messages_dropped,
            persistent=self._persistent(),
        )

    def _persistent(self) -> tuple[model.Persistent, ...]:
        if self.remembered is None:
            return ()
        kept = self.program.kept(self.remembered)
        return tuple(model.Persistent(one.name, one.value, one.text) for one in kept)

    def _items(self, first: _Item = (0, 0)) -> Iterator[_Item]:
        """All games from one on."""
        for place in range(first[0], len(self.sources)):
            for ordinal in range(first[1] if place == first[0] else 0, self.sources[place].games):
                yield place, ordinal

    def _sifted(self, sieve: sieving.Sieve) -> Iterator[_Item | None]:
        """The games that the compiled query leaves over; None where none is known yet."""
        done = (0, 0)
        while not sieve.exhausted:
            chunk = sieve.take(_SIEVE_SECONDS)
            if chunk is not None:
                self._pass_over(chunk)
                done = chunk.place, chunk.end
                for ordinal in chunk.left:
                    yield chunk.place, ordinal
            yield None
        # Usually there are no others.
        yield from self._items(done)

    def _pass_over(self, chunk: sieving.Chunk) -> None:
        """Take the games in which nothing was found for done."""
        first = self.sources[chunk.place].first
        left = set(chunk.left)
        for ordinal in range(chunk.begin, chunk.end):
            if ordinal not in left:
                self._waiting[first + ordinal] = None
        self.searched += chunk.end - chunk.begin - len(left)
        self.positions += chunk.passed_positions
        self._advance()

    def _take(self, size: int) -> list[_Item] | None:
        items: list[_Item] = []
        if self._full:
            return items
        while len(items) < size:
            item = self._peeked or next(self._coming, _NO_MORE)
            self._peeked = None
            if item is None:
                return items or None
            if item is _NO_MORE:
                break
            if items and items[0][0] != item[0]:
                self._peeked = item
                break
            items.append(item)
        return items

    def _message(self, items: list[_Item]) -> frames.Message:
        place = items[0][0]
        source = self.sources[place]
        return {
            "op": "search",
            "query": self.text,
            "settings": self.said.as_words(),
            **sources.words(source, self.stamps[place]),
            "games": [ordinal for _, ordinal in items],
            "memory": None if self.remembered is None else self.remembered.packed(),
            "read": [str(folder.resolve()) for folder in self.options.allow_read],
            "write": [str(folder.resolve()) for folder in self.options.allow_write],
            "written": self.written,
        }

    def _done(self, items: list[_Item], reply: frames.Message) -> None:
        place = items[0][0]
        first = self.sources[place].first
        for _, ordinal in items:
            self._waiting[first + ordinal] = None
        for ordinal, texts in reply["messages"]:
            self._said[first + ordinal] = texts
        for ordinal, *found in reply["hits"]:
            self._waiting[first + ordinal] = _game_hits(
                first + ordinal, *found, match_string=self.program.match_string
            )
        if reply["memory"] is not None:
            self.remembered = memory.unpacked(reply["memory"])
        self.written = reply["written"]
        for ordinal, reason in reply["failed"]:
            self._fail(place, ordinal, reason)
        self.searched += len(items)
        self.positions += reply["positions"]
        self._advance()

    def _lost(self, item: _Item, reason: str) -> None:
        place, ordinal = item
        self._waiting[self.sources[place].first + ordinal] = None
        self._fail(place, ordinal, reason)
        self.searched += 1
        self._advance()

    def _fail(self, place: int, ordinal: int, reason: str) -> None:
        source = self.sources[place]
        with sources.opened(source) as reader:
            offset, _length, line = reader.index.span(ordinal)
        self.failed.append(model.BadGame(source.first + ordinal, source.path, offset, line, reason))

    def _advance(self) -> None:
        ready: list[int] = []
        while self._next in self._waiting:
            ready.append(self._next)
            self._next += 1
        self._release(ready)
        self._tell()

    def _release(self, games: Sequence[int]) -> None:
        fresh: list[model.GameHits] = []
        said: list[model.Message] = []
        for game in games:
            hits = self._waiting.pop(game)
            texts = self._said.pop(game, ())
            if not self._full:
                said.extend(model.Message(game, text) for text in texts)
            if hits is None or self._full:
                continue
            self.found[game] = hits
            fresh.append(hits)
            self._full = self.options.limit is not None and len(self.found) >= self.options.limit
        if said:
            kept = said[: MAX_MESSAGES - len(self.messages)]
            self.messages += kept
            self.messages_dropped += len(said) - len(kept)
            if self.on_messages is not None:
                self.on_messages(said)
        if fresh and self.on_hits is not None:
            self.on_hits(fresh)

    def _tell(self, force: bool = False) -> None:
        now = time.monotonic()
        if force or now - self._reported >= _REPORT_SECONDS:
            self._reported = now
            total = sum(source.games for source in self.sources)
            words = "1 game matches" if len(self.found) == 1 else f"{len(self.found)} games match"
            self.report(progress_module.Progress(self.searched, total, words))

    def _orbits(self) -> tuple[model.Orbit, ...]:
        """The orbits with what their elements matched; an element counts once for a hit, however often it
        matched there.
        """
        counts: list[dict[int, list[int]]] = [{} for _ in self.orbits]
        for hits in self.found.values():
            in_game: set[tuple[int, int]] = set()
            for hit in hits.hits:
                at_hit = {(match.orbit, match.element) for match in hit.matches if match.orbit >= 0}
                for orbit, element in at_hit:
                    counts[orbit].setdefault(element, [0, 0])[1] += 1
                in_game |= at_hit
            for orbit, element in in_game:
                counts[orbit][element][0] += 1
        return tuple(
            orbits.counted(orbit, {element: (pair[0], pair[1]) for element, pair in found.items()})
            for orbit, found in zip(self.orbits, counts, strict=True)
        )


def _game_hits(
    game: int,
    hits: list[Any],
    comments: list[Any],
    keys: list[Any],
    tags: list[Any],
    removed: list[int],
    *,
    match_string: str,
) -> model.GameHits:
    return model.GameHits(
        game=game,
        hits=tuple(
            model.Hit(
                game=game,
                positionid=positionid,
                value=value,
                squares=squares,
                matches=tuple(model.OrbitMatch(*match) for match in matches),
            )
            for positionid, value, squares, matches in hits
        ),
        comments=tuple((positionid, text) for positionid, text in comments),
        sort_keys=tuple(keys),
        tags=tuple((name, text) for name, text in tags),
        removed=tuple(removed),
        match_string=match_string,
    )

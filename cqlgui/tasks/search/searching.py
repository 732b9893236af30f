"""Runs a query over a base: the entry point of every search. Hits are returned in game order while the search
continues.

Threads of this process run the compiled query (`sieving`). Worker processes run the interpreter.
"""

from __future__ import annotations

import bisect
import collections
import contextlib
import functools
import time
from collections.abc import Callable, Collection, Iterator, Sequence

import numpy as np

from cqlgui.base import priority
from cqlgui.base import progress as progress_module
from cqlgui.base.data import dataclass, field, replace
from cqlgui.base.patterns import pattern
from cqlgui.cql.interpreting import interpreter, ordering
from cqlgui.cql.interpreting.runtime import game_log, memory
from cqlgui.tasks.asking import queries
from cqlgui.tasks.asking.queries import Rejected
from cqlgui.tasks.databases import sources
from cqlgui.tasks.processes import frames
from cqlgui.tasks.processes import pool as pool_module
from cqlgui.tasks.results import base_model, hit_model, hit_notes, search_model
from cqlgui.tasks.results import found as found_module
from cqlgui.tasks.results.found import Columns, FoundGames, Integers
from cqlgui.tasks.search import hit_details, keeping, narrowing, orbits, scheduling, sieving

__all__ = ["MAX_MESSAGES", "Rejected", "search"]

MAX_MESSAGES = 100_000
"""Maximum number of messages that a result keeps."""

MOST_KEPT = 256_000_000
"""Maximum total length, in characters, of the comments, tags, sort keys and text values in a result. The
messages of a query have a separate limit of the same size."""

HOPELESS = 20
"""If this many games in a row fail for the same reason, a search stops. Games are in a row if the search asks
for no other game between them. A game that the engine or a signature decides also ends a row. Even if every
second game failed by chance, a search would stop wrongly only once in a million games. The time allowed for a
game shrinks with each slow game. Twenty slow games therefore cost a worker less than four minutes."""

_REPORT_SECONDS = 0.05
_SIEVE_SECONDS = 0.02
_STRETCH = 1_000
"""Number of games in a `_Stretch` if all its games are interpreted."""
_Item = tuple[int, int]
"""Index of the source, and ordinal of the game in the source, both from 0."""
_NO_MORE: _Item = (-1, -1)
_NUMBERS = pattern("[0-9]+")


def search(
    base: base_model.Base,
    text: str,
    options: search_model.SearchOptions | None = None,
    *,
    cancel: progress_module.CancelToken | None = None,
    progress: progress_module.ProgressSink = progress_module.ignore,
    on_orbits: Callable[[tuple[hit_model.Orbit, ...]], None] | None = None,
    on_hits: Callable[[FoundGames], None] | None = None,
    on_messages: Callable[[Sequence[hit_model.QueryMessage]], None] | None = None,
    pool: pool_module.Pool | None = None,
    most_seconds: float | None = None,
    scheduler: scheduling.Scheduler | None = None,
    keep_details: bool = True,
) -> search_model.SearchResult:
    """Find the games and positions of `base` that match `text`.

    `on_orbits` gets the orbits of the query, without counts, before the first hits are found. `on_hits` gets
    the hits of games in game order as they are found, in the caller's thread. `on_messages` gets all messages
    of the query, also in game order and in the caller's thread. The result keeps only the first
    `MAX_MESSAGES` messages, or fewer messages if they are long. If the search is cancelled, it returns within
    100 ms with the hits so far. A game that kills its worker process is named in `failed_games` and left out.
    The search stops (`stopped`) at a variable without a value, and at an assertion that fails. It also stops
    if `HOPELESS` games in a row fail for the same reason, or if the texts have more than `MOST_KEPT`
    characters. If games in a row fail because their source has changed, only the other interpreted games of
    this source are given up. If the search would take longer than `most_seconds`, it raises
    `foresight.TooLong` before it begins. `scheduler` says where the games are searched; by default in this
    process. Without `keep_details`, only `on_hits` gets the details that columns have, and the result has
    none of them: those of millions of hits take more memory than all the rest. Raises `Rejected` for a bad
    query, and `errors.SourceError` or `errors.IndexDamaged` for a base that cannot be read.
    """
    chosen = options or search_model.SearchOptions()
    expanded = queries.expanded(text, said=hit_details.said(chosen))
    queries.refuse_files(expanded, reading=bool(chosen.allow_read), writing=bool(chosen.allow_write))
    token = cancel or progress_module.CancelToken()
    job = scheduling.job(base, text, chosen, expanded, token)
    run = _Run(job, scheduler or scheduling.Local(), token, progress, on_hits, on_messages, keep_details)
    if most_seconds is not None:
        from cqlgui.tasks.search import foresight

        foresight.admit(
            foresight.foresee(run.plan, run.sources, chosen.within, threads=chosen.workers, cancel=cancel),
            most_seconds,
        )
    if on_orbits is not None:
        on_orbits(tuple(run.orbits))
    return run.result(pool or pool_module.shared())


def of_hits(
    base: base_model.Base,
    text: str,
    options: search_model.SearchOptions,
    columns: Columns,
    order: Sequence[int] | None = None,
) -> search_model.SearchResult:
    """The result of an earlier search, made again from its hits, which ascend. `order` has the games in the
    order of the result; None for ascending games. A game without a hit may be among them. The result has
    neither sort keys nor details; `hit_details` finds details. Raises `Rejected` for a bad query."""
    said = hit_details.said(options)
    expanded = queries.expanded(text, said=said)
    assert expanded.query is not None
    described = [orbits.describe(info) for info in expanded.orbits]
    sizes = [len(orbit.elements) for orbit in described]
    if not orbits.fits(columns.codes, sizes):
        # The elements are those of another version of the program.
        columns = Columns(columns.hits, found_module.no_ends(len(columns)), found_module.NOTHING.codes)
    games = found_module.each_game(columns.hits).tolist()
    untold = scheduling.defaults(base, expanded, said)
    told = {
        game: hit_model.GameHits(game, (), match_string=untold.match_string)
        for game in set(order or ()).difference(games)
    }
    return search_model.SearchResult(
        query=text,
        order=tuple(games if order is None else order),
        games=FoundGames(columns, told, untold),
        orbits=narrowing.recounted(described, columns),
        games_searched=base.games,
        positions_searched=base.positions,
        variations=expanded.query.header.variations,
        options=options,
    )


@dataclass(slots=True)
class _Stretch:
    """Games `begin` to `end` - 1 of the base: the hits found in these games, and the games that are still to
    be interpreted."""

    begin: int
    end: int
    columns: Columns = found_module.NOTHING
    left: collections.deque[int] = field(default_factory=collections.deque)


class _StoppedError(Exception):
    """The search has stopped. The error ends the crew's work."""


class _Run:
    """Runs one search: hands out slices, puts the results into game order, and counts games and positions."""

    def __init__(
        self,
        job: scheduling.Job,
        scheduler: scheduling.Scheduler,
        cancel: progress_module.CancelToken,
        report: progress_module.ProgressSink,
        on_hits: Callable[[FoundGames], None] | None,
        on_messages: Callable[[Sequence[hit_model.QueryMessage]], None] | None,
        keep_details: bool,
    ) -> None:
        self.job = job
        self.scheduler = scheduler
        base, options, self.expanded = job.base, job.options, job.expanded
        assert self.expanded.query is not None
        self.base = base
        # The details have the sort keys.
        self.keep_details = keep_details or queries.sorts_games(self.expanded.query)
        self.text = job.text
        self.variations = self.expanded.query.header.variations
        self.options = options
        self.said = job.said
        self.cancel = cancel
        self.report = report
        self.on_hits = on_hits
        self.on_messages = on_messages
        self.plan = job.plan
        self.straight = job.straight
        # If the result of a game depends on earlier games, one worker takes the games in order. `remembered`
        # is the worker's memory of earlier games.
        sequential = self.plan.engine != "compiled" and self.program.sequential
        self.remembered = self.program.empty_memory() if sequential else None
        self.written: dict[str, int] = {}
        writing = [str(folder.resolve()) for folder in options.allow_write]
        kept = [(str(path), what) for path, what in keeping.from_query(base, options)] if writing else []
        self.rights = {"write": writing, "kept": kept}
        self.sources = job.sources
        self.stamps = [sources.stamp(source) for source in self.sources]
        # The texts of the orbits are made before the search. During the search, making thousands of texts
        # would delay cancelling.
        self.orbits = [orbits.describe(info) for info in self.expanded.orbits]
        self.grown = found_module.Growing()
        self.told: dict[int, hit_model.GameHits] = {}
        self.matching = 0
        self.untold = None
        if self.straight is not None:
            self.untold = scheduling.defaults(base, self.expanded, self.said, self.plan.separable)
        # Games that failed, by ordinal of the base, each with the reason.
        self.failed: dict[int, str] = {}
        # Those of these games that failed because their source cannot be read any more.
        self._unread: set[int] = set()
        # The sources that are given up after `HOPELESS` such games: the last of these games, and the reason.
        # All later games of the source that are interpreted fail.
        self._given_up: dict[int, tuple[int, str]] = {}
        self.stopped: search_model.Stop | None = None
        # The first fault that stops the search. It is kept until all games before the faulty game are done.
        self._fault: search_model.Stop | None = None
        # `_reasons` has the reasons why games failed, with `#` in place of each number. `_row` is the number
        # of games that failed in a row, in game order. `_row_reason` is the reason why these games failed,
        # and `_row_end` the last of them.
        self._reasons: dict[int, str] = {}
        self._row, self._row_reason, self._row_end = 0, "", -1
        self.messages: list[hit_model.QueryMessage] = []
        self.messages_dropped = 0
        # `_spoken` is the number of characters in messages. `_kept` is the number of characters in all other
        # texts of the result.
        self._spoken = self._kept = 0
        # The messages of interpreted games. A message waits until all earlier games are done.
        self._said: dict[int, list[str]] = {}
        # Hits that the caller has not got yet.
        self._unsent: list[Columns] = []
        self._unsent_hits = 0
        self._fresh: dict[int, hit_model.GameHits] = {}
        # Interpreted games that match and are not yet in the columns.
        self._pending: list[hit_model.GameHits] = []
        self._unsaid: list[hit_model.QueryMessage] = []
        self.searched = 0
        self.positions = 0
        self._coming: Iterator[_Item | None] = self._items()
        # The positions to be interpreted, for games where not all positions are to be interpreted.
        self._places: dict[_Item, list[int]] = {}
        # Interpreted games that wait until all earlier games are done. The value is None for a game that does
        # not match.
        self._waiting: dict[int, hit_model.GameHits | None] = {}
        self._stretches: collections.deque[_Stretch] = collections.deque()
        self._full = options.limit is not None and options.limit <= 0
        self._reported = self._sent = 0.0
        self._peeked: _Item | None = None

    def result(self, pool: pool_module.Pool) -> search_model.SearchResult:
        started = time.perf_counter()
        work = pool_module.Work(
            take=self._take,
            message=self._message,
            done=self._done,
            lost=self._lost,
            undone=lambda reply: len(reply["undone"]),
        )
        chunks = self.scheduler.chunks(self.job, self.remembered)
        with contextlib.ExitStack() as stack:
            if chunks is not None:
                self._coming = self._sifted(stack.enter_context(chunks))
            crew = stack.enter_context(pool.lease(1 if self.remembered is not None else self.options.workers))
            try:
                finished = crew.run(work, self.cancel)
            except _StoppedError:
                finished = True
            # Drop the generator, so that this thread releases the compiled code at the end of this run. The
            # code must not stay in memory until a later garbage collection.
            self._coming = iter(())
            if chunks is not None:
                # The work of others ends while this thread finishes the result.
                chunks.dismiss()
            if not finished:
                # Some slices may be unfinished. Pass on the hits of later slices all the same.
                self._advance(unfinished=True)
            self._send()
            found = self._found()
            orbits_counted = narrowing.recounted(self.orbits, found.columns)
        seconds = time.perf_counter() - started
        self._tell(force=True)
        specs = self._sort_specs
        order = found.games.tolist()
        if specs:
            keys = found.sort_keys()
            order = ordering.order(specs, [(game, keys[game]) for game in order])
        return search_model.SearchResult(
            query=self.text,
            order=tuple(order),
            games=found,
            orbits=orbits_counted,
            sort_keys=tuple(hit_model.SortKey(spec.doc, spec.descending, spec.quiet) for spec in specs),
            seconds=seconds,
            games_searched=self._games_searched(),
            positions_searched=self.positions,
            engine=self.plan.engine,
            reason=self.plan.reason,
            cancelled=not finished,
            failed_games=self._failed(order),
            stopped=self.stopped,
            variations=self.variations,
            messages=tuple(self.messages),
            messages_dropped=self.messages_dropped,
            persistent=self._persistent(),
            options=self.options,
            notices=() if chunks is None else tuple(chunks.notices),
            left_out=(*self.options.left_out, *(() if chunks is None else chunks.left_out)),
        )

    @functools.cached_property
    def program(self) -> interpreter.Program:
        """The interpreter's program of the query. A large program takes a while to make. The program is
        therefore made only when it is needed."""
        return interpreter.Program(self.expanded, self.said)

    @property
    def _sort_specs(self) -> Sequence[interpreter.SortSpec]:
        if self.straight is None:
            return self.program.sort_specs
        return () if self.straight.detail_pass is None else self.straight.detail_pass.specs

    def _games_searched(self) -> int:
        if self.stopped is None:
            return self.searched
        # Workers may have searched games after the one that stopped the search.
        last = self.stopped.game
        return min(self.searched, len(self._wanted(1, last)) + (last in self.failed))

    def _found(self) -> FoundGames:
        return self.grown.whole(self.told, self.untold)

    def _failed(self, matching: Sequence[int]) -> tuple[base_model.BadGame, ...]:
        """The games that failed, in order. Games after the stop of the search, or after the last of the games
        `matching` if these are as many as the limit, are left out: how far other workers came depends on
        their speed."""
        games = sorted(self.failed)
        if self.stopped is not None:
            games = games[: bisect.bisect_right(games, self.stopped.game)]
        elif self._full:
            games = games[: bisect.bisect_right(games, max(matching, default=0))]
        found: list[base_model.BadGame] = []
        for source in self.sources:
            low = bisect.bisect_left(games, source.first)
            high = bisect.bisect_left(games, source.first + source.games)
            if low == high:
                continue
            with sources.indexed(source) as opened:
                for game in games[low:high]:
                    # The game may have failed because its segment is damaged.
                    offset, _length, line = opened.span(game - source.first, proven=False)
                    found.append(base_model.BadGame(game, source.path, offset, line, self.failed[game]))
        return tuple(found)

    def _persistent(self) -> tuple[hit_model.Persistent, ...]:
        if self.remembered is None:
            return ()
        kept = self.program.kept(self.remembered)
        return tuple(hit_model.Persistent(one.name, one.value, one.text) for one in kept)

    def _items(self, first: _Item = (0, 0)) -> Iterator[_Item]:
        """All games that must be searched, from the game `first` on."""
        for place in range(first[0], len(self.sources)):
            source = self.sources[place]
            for begin in range(first[1] if place == first[0] else 0, source.games, _STRETCH):
                end = min(begin + _STRETCH, source.games)
                listed = self._wanted(source.first + begin, source.first + end)
                self._stretches.append(
                    _Stretch(source.first + begin, source.first + end, left=collections.deque(listed))
                )
                for game in listed:
                    yield place, game - source.first

    def _wanted(self, begin: int, end: int) -> Sequence[int]:
        within = self.options.within
        if within is None:
            return range(begin, end)
        low, high = np.searchsorted(within, [begin, end]).tolist()
        wanted: list[int] = within[low:high].tolist()
        return wanted

    def _sifted(self, chunks: scheduling.Chunks) -> Iterator[_Item | None]:
        """The games that the compiled query leaves to the interpreter. The iterator yields None while no game
        for the interpreter is known."""
        done = (0, 0)
        while not chunks.exhausted:
            chunk = chunks.take(_SIEVE_SECONDS)
            if chunk is not None:
                first = self.sources[chunk.place].first
                left = collections.deque(sorted([*(first + ordinal for ordinal in chunk.left), *chunk.told]))
                if self._has_room(chunk.told.values()):
                    self._waiting.update(chunk.told)
                columns = self._that_fit(chunk.columns)
                if len(columns) < len(chunk.columns):
                    # The search stops before this game, because the game will never be done.
                    game = int(chunk.columns.games[len(columns)])
                    left = collections.deque(sorted({*left, game}))
                self._stretches.append(_Stretch(first + chunk.begin, first + chunk.end, columns, left))
                self.searched += chunk.passed
                self.positions += chunk.passed_positions
                self._advance(more=not chunk.left)
                done = chunk.place, chunk.end
                for ordinal, places in chunk.places.items():
                    self._places[chunk.place, ordinal] = places
                answered = self._answered(chunk)
                for ordinal in chunk.left:
                    if ordinal not in answered:
                        yield chunk.place, ordinal
                if chunk.left:
                    continue
            else:
                self._send()
            yield None
        self._send()
        # Usually the sieve has handled all games, and no game remains for this line.
        yield from self._items(done)

    def _answered(self, chunk: sieving.Chunk) -> set[int]:
        """Take over what workers of another computer answered about games of a chunk. Returns these games."""
        done: set[int] = set()
        for ordinals, reply in chunk.replies:
            self._done([(chunk.place, ordinal) for ordinal in ordinals], reply)
            done.update(ordinals)
        for ordinal, reason in chunk.lost:
            self._lost((chunk.place, ordinal), reason)
            done.add(ordinal)
        return done

    def _take(self, size: int) -> list[_Item] | None:
        items: list[_Item] = []
        if self._full or self._fault is not None:
            return items
        skipped = 0
        more = True
        while len(items) < size and skipped < _STRETCH:
            item = self._peeked or next(self._coming, _NO_MORE)
            self._peeked = None
            if item is None:
                break
            if item is _NO_MORE:
                more = False
                break
            place, ordinal = item
            if place in self._given_up:
                self._waiting[self.sources[place].first + ordinal] = None
                self._places.pop(item, None)
                skipped += 1
                continue
            if items and items[0][0] != place:
                self._peeked = item
                break
            items.append(item)
        if skipped:
            self.searched += skipped
            self._advance()
        return items if items or not more else None

    def _message(self, items: list[_Item]) -> frames.Envelope:
        place = items[0][0]
        source = sources.words(self.sources[place], self.stamps[place])
        places = [self._places.get(item) for item in items]
        asked = hit_details.request(
            self.text, self.said, source, [ordinal for _, ordinal in items], self.options, places
        )
        remembered = None if self.remembered is None else self.remembered.packed()
        return {**asked, **self.rights, "written": self.written, "memory": remembered}

    def _done(self, items: list[_Item], reply: frames.Envelope) -> None:
        place = items[0][0]
        first = self.sources[place].first
        if reply["stop"] is not None:
            ordinal, reason, offset, length = reply["stop"]
            # The search stops at game `ordinal`, so later games are not wanted any more. Several workers may
            # each have found a game that stops the search. The earliest of these games counts.
            items = [item for item in items if item[1] < ordinal]
            if self._fault is None or first + ordinal < self._fault.game:
                self._fault = search_model.Stop(first + ordinal, reason, offset, length)
        told = [
            hit_details.game_hits(
                first + ordinal,
                *found,
                match_string=reply["match_string"],
                unique=self.said.unique_comments,
            )
            for ordinal, *found in reply["hits"]
        ]
        if not self._has_room(told, first + items[0][1] if items else None):
            self._advance()
            return
        for item in items:
            self._waiting[first + item[1]] = None
            self._places.pop(item, None)
        for ordinal, texts in reply["messages"]:
            self._said[first + ordinal] = texts
        for hits in told:
            self._waiting[hits.game] = hits
        if reply["memory"] is not None:
            self.remembered = memory.unpacked(reply["memory"])
        self.written = reply["written"]
        unreadable = set(reply["unreadable"])
        for ordinal, reason in reply["failed"]:
            if first + ordinal in self._waiting:
                self._fail(first + ordinal, reason, place if ordinal in unreadable else None)
        self.searched += len(items)
        self.positions += reply["positions"]
        self._advance()

    def _has_room(self, told: Collection[hit_model.GameHits], game: int | None = None) -> bool:
        """Count the characters that the query writes to the games `told`. If there are too many characters,
        the search stops before `game`, or before the first game of `told` if `game` is None."""
        self._kept += sum(map(_characters, told))
        if self._kept <= MOST_KEPT or (game is None and not told):
            return True
        if game is None:
            game = min(hits.game for hits in told)
        self._stop_for_texts(game)
        return False

    def _stop_for_texts(self, game: int) -> None:
        """Stop the search before a game, because the texts have too many characters."""
        reason = (
            f"What the query writes to games takes more than {MOST_KEPT:,} characters. Let it match or"
            " write less, or set a limit of games"
        )
        if self._fault is None or game < self._fault.game:
            self._fault = search_model.Stop(game, reason)

    def _that_fit(self, columns: Columns) -> Columns:
        """Count the characters of the comments in the columns of some games. If there are too many
        characters, the search stops before one of the games, and only the hits before this game are
        returned."""
        notes = None if columns.details is None else columns.details.notes
        if notes is None or not len(columns):
            return columns
        sizes = np.fromiter(map(len, notes.table), np.int64, len(notes.table))
        totals = np.concatenate([[0], np.cumsum(sizes[notes.texts])])
        lengths = np.diff(totals[notes.ends], prepend=0)
        ends = columns.game_ends()
        if ends:
            of_games = np.fromiter(map(_ending_characters, ends), np.int64, len(ends))
            lengths[found_module.first_hits(columns.hits)] += of_games
        kept = self._kept + np.cumsum(lengths)
        if kept[-1] <= MOST_KEPT:
            self._kept = int(kept[-1])
            return columns
        game = int(columns.games[np.searchsorted(kept, MOST_KEPT, "right")])
        self._stop_for_texts(game)
        return columns.of_games(0, game)

    def _lost(self, item: _Item, reason: str) -> None:
        place, ordinal = item
        game = self.sources[place].first + ordinal
        self._waiting[game] = None
        self._fail(game, reason)
        self.searched += 1
        self._advance()

    def _fail(self, game: int, reason: str, unreadable: int | None = None) -> None:
        """Note that a game failed. `unreadable` is the place of the game's source if the source cannot be
        read any more."""
        self.failed[game] = reason
        if unreadable is None:
            self._reasons[game] = _NUMBERS.sub("#", reason)
        else:
            self._unread.add(game)
            # Games of two files are not in a row, even if the files have the same name.
            self._reasons[game] = f"{unreadable}: {reason}"

    def _why_given_up(self, game: int) -> str:
        """Why the source of a game of the base was given up before this game; empty if it was not."""
        for place, (last, reason) in self._given_up.items():
            source = self.sources[place]
            if last < game < source.first + source.games:
                return reason
        return ""

    def _advance(self, unfinished: bool = False, more: bool = False) -> None:
        """Pass on the hits of all games that are done, up to the first game that is not done. At the end of
        an `unfinished` search, also pass on the hits of later games. `more` says that more hits will come
        soon. Raises `_StoppedError` if the search stops here."""
        priority.pause()
        while self._stretches and self.stopped is None:
            stretch = self._stretches[0]
            while stretch.left and (stretch.left[0] in self._waiting or unfinished):
                if self.stopped is not None:
                    break
                game = stretch.left.popleft()
                self._release(stretch.columns.of_games(stretch.begin, game))
                if game in self._waiting:
                    self._release_told(game)
                stretch.begin = game + 1
            if stretch.left:
                if self.stopped is None:
                    self._release(stretch.columns.of_games(stretch.begin, stretch.left[0]))
                    stretch.begin = stretch.left[0]
                    if self._fault is not None and self._fault.game == stretch.begin and not self._full:
                        self.stopped = self._fault
                break
            self._release(stretch.columns.of_games(stretch.begin, stretch.end))
            self._stretches.popleft()
        self._send(more)
        self._tell()
        if self.stopped is not None and not unfinished:
            raise _StoppedError

    def _release(self, columns: Columns) -> None:
        """Add hits that come straight from the engine."""
        if self._full or self.stopped is not None or not len(columns):
            return
        self._add_pending()
        starts = found_module.first_hits(columns.hits)
        limit = self.options.limit
        if limit is not None and self.matching + len(starts) > limit:
            columns = columns.part(0, int(starts[limit - self.matching]))
            starts = starts[: limit - self.matching]
        self.matching += len(starts)
        self._add(columns, starts)

    def _release_told(self, game: int) -> None:
        """Add the hits and messages that the interpreter found in a game."""
        hits = self._waiting.pop(game)
        texts = self._said.pop(game, ())
        if self._full:
            return
        given_up = self._why_given_up(game)
        if given_up:
            # A worker may have evaluated the game, because not every game needs its text. The result must not
            # depend on the speed of the workers, so the game fails.
            self.failed[game] = given_up
            self._reasons.pop(game, None)
            hits, texts = None, ()
        self._count_failures(game)
        self._unsaid.extend(hit_model.QueryMessage(game, text) for text in texts)
        if hits is not None:
            self.told[game] = hits
            self._fresh[game] = hits
            self._pending.append(hits)
            self.matching += 1
            self._full = self.options.limit is not None and self.matching >= self.options.limit

    def _add_pending(self) -> None:
        """Add the hits of interpreted games, all at once. Adding them game by game would take long."""
        if self._pending:
            columns = found_module.of_hits(self._pending)
            self._pending = []
            self._add(columns, found_module.first_hits(columns.hits))

    def _count_failures(self, game: int) -> None:
        """Stop the search if too many games in a row failed for the same reason. If their source cannot be
        read any more, only the search of this source stops."""
        reason = self._reasons.pop(game, "")
        follows = reason == self._row_reason and not len(self._wanted(self._row_end + 1, game))
        self._row = self._row + 1 if follows else 1
        self._row_reason, self._row_end = reason, game
        if reason and self._row >= HOPELESS:
            if game in self._unread:
                self._give_up(game)
                return
            words = f"{HOPELESS} games in a row failed for the same reason: {self.failed[game]}"
            self.stopped = search_model.Stop(game, words)

    def _give_up(self, game: int) -> None:
        """Give up the source of a game of the base, after this game."""
        place = bisect.bisect_right(self.sources, game, key=lambda source: source.first) - 1
        self._given_up[place] = game, self.failed[game]

    def _add(self, columns: Columns, starts: Integers) -> None:
        """Add the hits of some games; a game may have no hits. `starts` has the index of each game's first
        hit."""
        asking = None if self.straight is None else self.straight.detail_pass
        if asking is not None and columns.details is None:
            # These columns have no details, because the details of their games are in `told`.
            blank = found_module.HitDetails.none(asking.valued, len(columns), len(columns.codes))
            columns = replace(columns, details=blank)
        self.grown.add(columns if self.keep_details else replace(columns, details=None), starts)
        self._unsent.append(columns)
        self._unsent_hits += len(columns)
        self._full = self.options.limit is not None and self.matching >= self.options.limit

    def _send(self, more: bool = False) -> None:
        """Give new hits to the caller. If `more` hits will come soon, a small number of hits is held back.
        Without this delay, the caller would have to join many small parts. The window's thread has less time
        for joining than this thread."""
        self._add_pending()
        now = time.monotonic()
        if more and self._unsent_hits < found_module.SMALL and now - self._sent < _REPORT_SECONDS:
            return
        said, self._unsaid = self._unsaid, []
        if said:
            for message in said:
                self._spoken += len(message.text)
                if len(self.messages) < MAX_MESSAGES and self._spoken <= MOST_KEPT:
                    self.messages.append(message)
                else:
                    self.messages_dropped += 1
            if self.on_messages is not None:
                self.on_messages(said)
        parts, self._unsent, self._unsent_hits = self._unsent, [], 0
        told, self._fresh = self._fresh, {}
        if parts and self.on_hits is not None:
            self._sent = now
            self.on_hits(FoundGames(found_module.joined(parts), told, self.untold))

    def _tell(self, force: bool = False) -> None:
        now = time.monotonic()
        if force or now - self._reported >= _REPORT_SECONDS:
            self._reported = now
            within = self.options.within
            total = sum(source.games for source in self.sources) if within is None else len(within)
            words = "1 game matches" if self.matching == 1 else f"{self.matching} games match"
            self.report(progress_module.Progress(self.searched, total, words))


def _ending_characters(end: hit_notes.GameEnd) -> int:
    """The total length of the texts in a `hit_notes.GameEnd`."""
    keys = sum(len(key) for key in end.sort_keys if isinstance(key, str))
    return keys + sum(len(text) for _, text in end.comments)


def _characters(hits: hit_model.GameHits) -> int:
    """The total length of all texts that were made for a game."""
    return (
        sum(len(text) for _, text, writer in hits.log if writer >= game_log.GAME)
        + sum(len(name) + len(text) for name, text in hits.tags)
        + sum(len(key) for key in hits.sort_keys if isinstance(key, str))
        + sum(len(hit.value) for hit in hits.hits if hit.value is not None)
    )

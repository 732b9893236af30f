"""What a search has to do, and who does it: the threads of this process, or the workers of a cluster.

A search takes chunks of games in game order, from whoever finds them. The order of the hits, limits, faults
and the result are the same for all of them (`searching`).
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Protocol

import numpy as np

from cqlgui.base import errors, progress
from cqlgui.base.data import dataclass, replace
from cqlgui.cql.ast import types
from cqlgui.cql.interpreting import interpreter
from cqlgui.cql.interpreting.runtime import memory, settings
from cqlgui.cql.transforming import transforms
from cqlgui.engine.lowering import writing
from cqlgui.engine.lowering.scope import Unsupported
from cqlgui.tasks.databases import sources
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.results import found as found_module
from cqlgui.tasks.search import hit_details, sieving


@dataclass(frozen=True, slots=True)
class Job:
    """A query, the games to search, and how they are searched. `straight` is None if the compiled query
    cannot find all wanted details."""

    base: base_model.Base
    text: str
    options: search_model.SearchOptions
    said: settings.Settings
    expanded: transforms.Expanded
    plan: sieving.Plan
    straight: sieving.Straight | None
    output: search_model.HitFolder | None = None
    """Where whoever searches writes the hits (`Chunk.written`); None if the chunks have the hits."""

    @property
    def sources(self) -> list[base_model.Source]:
        """The sources that have games. `sieving.Chunk.place` counts them."""
        return [source for source in self.base.sources if source.games]


def job(
    base: base_model.Base,
    text: str,
    options: search_model.SearchOptions,
    expanded: transforms.Expanded,
    cancel: progress.CancelToken,
) -> Job:
    """Plan the search of a query."""
    said = hit_details.said(options)
    plan = sieving.INTERPRETER
    # If planning is cancelled, the search has no plan. The search ends like any other cancelled search, and
    # finds nothing.
    with contextlib.suppress(errors.Cancelled):
        if options.compiled:
            plan = sieving.plan(expanded, pruned=options.pruned, cancel=cancel)
            if not said.smart_comments:
                # Comments of failing filters are kept, also where no position matches.
                plan = replace(plan, separable=False)
    straight = _straight(base, options, said, expanded, plan)
    return Job(base, text, options, said, expanded, plan, straight)


def _straight(
    base: base_model.Base,
    options: search_model.SearchOptions,
    said: settings.Settings,
    expanded: transforms.Expanded,
    plan: sieving.Plan,
) -> sieving.Straight | None:
    """The object that makes hits from the results of the compiled query. None if the compiled query cannot
    find all wanted details."""
    wanted, straight = options.details, plan.straight
    if straight is None:
        return None
    if wanted is search_model.Details.HITS and straight.detail_pass is None:
        return replace(straight, orbit_pass=None)
    comments = wanted is search_model.Details.COMMENTS and writes(expanded)
    if straight.detail_pass is None and wanted is not search_model.Details.ALL and not comments:
        return straight
    asking = hit_details.detail_pass(plan, said)
    if isinstance(asking, Unsupported):
        return None
    return replace(straight, detail_pass=asking, defaults=defaults(base, expanded, said, plan.separable))


def writes(expanded: transforms.Expanded) -> bool:
    """Whether a query writes comments, or anything that lasts."""
    written = writing.of(expanded, matches=False)
    return written.comments or written.lasting


def defaults(
    base: base_model.Base, expanded: transforms.Expanded, said: settings.Settings, separable: bool = False
) -> found_module.GameDefaults:
    """The facts that hold for all hits of a query whose details are not known yet. `separable` is that of the
    plan."""
    assert expanded.query is not None
    header = expanded.query.header
    return found_module.GameDefaults(
        types.infer(expanded.query.body, expanded.names) in interpreter.VALUED,
        writes(expanded),
        settings.match_string(header),
        said.header_comment and not header.silent,
        tuple(source.first for source in base.sources if source.games),
        said.unique_comments,
        said.set_tags,
        said.remove_comments,
        separable,
    )


def parts(job: Job) -> Iterator[tuple[int, int, int]]:
    """The number of the source, the first game and the game after the last one (base ordinals), for each
    segment with games that are to be searched. Raises `errors.SourceError` for a source that was read
    again."""
    within = job.options.within
    for number, source in enumerate(job.sources):
        with sources.indexed(source) as opened:
            counts = [row.games for row in opened.manifest.segments]
        for first, end in itertools.pairwise(itertools.accumulate(counts, initial=0)):
            # Games at the end may have been added after the base was opened.
            begin, after = source.first + first, source.first + min(end, source.games)
            if begin < after and (
                within is None or np.searchsorted(within, begin) < np.searchsorted(within, after)
            ):
                yield number, begin, after


def within(job: Job, begin: int, end: int) -> found_module.Integers | None:
    """Those of the games `begin` to `end` - 1 that are to be searched; None for all of them."""
    chosen = job.options.within
    if chosen is None:
        return None
    low, high = np.searchsorted(chosen, [begin, end]).tolist()
    return chosen[low:high]


class Chunks(Protocol):
    """A context manager that gives the chunks of a search in game order, each once."""

    @property
    def exhausted(self) -> bool:
        """Whether all chunks were taken and no further chunk will come."""

    @property
    def left_out(self) -> Sequence[str]:
        """What could not be read and was left out, a sentence for each."""

    @property
    def notices(self) -> Sequence[str]:
        """What the user should know about the way the games are searched, a sentence for each."""

    @property
    def at_work(self) -> bool:
        """Whether somebody may still search when the context has been left."""

    def __enter__(self) -> Chunks: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def take(self, seconds: float) -> sieving.Chunk | None:
        """The next chunk. None if no chunk comes within `seconds`, or if there are no more chunks."""

    def dismiss(self) -> None:
        """Let the work end, without waiting for it."""


class Scheduler(Protocol):
    """Decides where the games of a search are searched."""

    def chunks(self, job: Job, remembered: memory.Memory | None) -> Chunks | None:
        """The chunks of a search. `remembered` is the memory of a query whose games depend on earlier games.
        None if all games are left to the interpreter in the worker processes of this program."""


class Local:
    """The threads of this process. The worker processes of this program get the games that are left."""

    def chunks(self, job: Job, remembered: memory.Memory | None) -> Chunks | None:
        """See `Scheduler.chunks`."""
        if job.plan.planner is None:
            return None
        return sieving.Sieve(
            job.plan,
            job.sources,
            job.straight,
            threads=job.options.workers,
            within=job.options.within,
        )

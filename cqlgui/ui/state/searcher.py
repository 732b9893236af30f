"""Runs a query over the open base in the background and passes on its hits as they come. This module draws
nothing."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from cqlgui.base import errors, progress
from cqlgui.tasks.asking import queries, rights
from cqlgui.tasks.cluster import admission, joining
from cqlgui.tasks.databases import history
from cqlgui.tasks.results import base_model, hit_model, search_model
from cqlgui.tasks.results.found import FoundGames, Integers
from cqlgui.tasks.search import searching
from cqlgui.ui.loop import jobs

LIVE_SECONDS = 0.5
"""A live search runs only if it is predicted to take at most this many seconds."""
_JOB = "search"


class Searcher(QObject):
    """Only one search runs at a time: another search supersedes it.

    `started` carries the orbits of the query. `found` carries new hits (`FoundGames`) in game order.
    `finished` carries the result. After Stop it carries a result with the hits found so far. `rejected`
    carries the diagnostics of a bad query. `failed` carries a sentence. `wanted` carries a `rights.Wish` if
    the query needs a file that it may not use yet. `abandoned` is emitted if the user stopped a search before
    there was anything to search. `superseded` is emitted when a new search replaces a running search whose
    hits are only partly shown. No more hits of the replaced search will come.

    A `live` search begins after a change of the text, without a command of the user. It runs only if it is
    predicted to be quick. For a live search, `started` is emitted with the first hits, or at the end of the
    search. The old hits are shown until `started` is emitted. If a live search does not run, `declined` is
    the only signal. A live search does not enter the history.
    """

    started = Signal(tuple)
    found = Signal(object)
    progressed = Signal(object)
    finished = Signal(object)
    rejected = Signal(tuple)
    failed = Signal(str)
    wanted = Signal(object)
    abandoned = Signal()
    declined = Signal()
    superseded = Signal()
    running_changed = Signal(bool)

    def __init__(self, door: jobs.Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = door
        self._channels: list[jobs.Channel[Any]] = []
        self._running = False
        self.live = False
        """Whether the latest search is a live search."""
        self.text = ""
        """The query of the latest search."""
        self.scheduler = ""
        """The address of the scheduler whose cluster runs the latest search; empty for this computer."""
        # The orbits of a live search that has shown nothing yet.
        self._unstarted: tuple[hit_model.Orbit, ...] | None = None
        # Whether anything of the latest search is shown.
        self._shown = False
        self._asked: tuple[base_model.Base, str, Integers | None, str] | None = None
        self.options = search_model.SearchOptions()
        self._allowed: dict[str, tuple[Path, ...]] = {"read": (), "write": ()}

    @property
    def running(self) -> bool:
        """Whether a search is under way."""
        return self._running

    def allow(self, wish: rights.Wish) -> None:
        """Allow all queries of this searcher to read files (or to write files, see `wish.verb`) in the folder
        of the wish."""
        self._allowed[wish.verb] += (wish.folder,)

    def searches(
        self, base: base_model.Base, text: str, within: Integers | None, scheduler: str = ""
    ) -> bool:
        """Whether exactly this search is running on the user's request, and was not stopped."""
        asked = self._asked
        return (
            self._running
            and not self.live
            and asked is not None
            and (asked[0], asked[1], asked[3]) == (base, text, scheduler)
            and asked[2] is within
        )

    def run(
        self,
        base: base_model.Base,
        text: str,
        beside: Path,
        within: Integers | None = None,
        *,
        live: bool = False,
        kept: tuple[tuple[Path, str], ...] = (),
        scheduler: str = "",
    ) -> None:
        """Search `base` for `text`. Relative file names in the query refer to the folder `beside`. If
        `within` is given, only the games with these ordinals (ascending) are searched. The files in `kept`
        are not overwritten. If the address of a `scheduler` is given, the workers of its cluster search. The
        search connects with the cluster, and fails if it cannot."""
        if self._running and self._shown:
            self.superseded.emit()
        self._close_channels()
        self._asked = base, text, within, scheduler
        self.live, self.text, self._unstarted, self._shown = live, text, None, False
        self.scheduler = scheduler
        heads: jobs.Channel[tuple[hit_model.Orbit, ...]] = self._jobs.channel(self._receive_orbits)
        channel: jobs.Channel[FoundGames] = self._jobs.channel(self._receive)
        self._channels = [heads, channel]
        # A search on a cluster uses no files, whatever was allowed to other queries.
        options = search_model.SearchOptions(
            allow_read=() if scheduler else self._allowed["read"],
            allow_write=() if scheduler else self._allowed["write"],
            beside=beside,
            kept=kept,
            details=search_model.Details.NONE,
            within=within,
        )
        self.options = options

        def work(token: progress.CancelToken, sink: progress.ProgressSink) -> search_model.SearchResult:
            expanded = queries.expanded(text)
            if scheduler:
                admission.refuse(base.sources, files=any(queries.file_uses(expanded)))
            wishes = rights.wishes(expanded, options, beside)
            if wishes:
                raise rights.Wanted(wishes)

            def send(found: FoundGames) -> None:
                # These values are computed in the thread of the job. If there are many hits, the computation
                # would block the GUI thread.
                _ = found.measured, found.says
                channel.send(found)

            with contextlib.ExitStack() as stack:
                cluster = None
                if scheduler:
                    cluster = stack.enter_context(joining.joined(scheduler, cancel=token))
                # The orbits are sent before the hits, because the orbits name the transforms of the first
                # rows.
                result = searching.search(
                    base,
                    text,
                    options,
                    cancel=token,
                    progress=sink,
                    on_orbits=heads.send,
                    on_hits=send,
                    most_seconds=LIVE_SECONDS if live else None,
                    scheduler=cluster,
                )
            result.games.prepare()
            if result.sort_keys:
                result.games.in_order(result.order).prepare()
            if not live:
                remember(base, result)
            return result

        def done(result: search_model.SearchResult) -> None:
            heads.drain()
            channel.drain()
            self._start()
            self._set_running(False)
            self.finished.emit(result)

        self._set_running(True)
        self._jobs.run(work, done, self._failed, self.progressed.emit, _JOB, self._cancelled)

    def stop(self) -> None:
        """Stop the search. The hits found so far are kept. A live search that has shown nothing yet is
        forgotten. If the search were not forgotten, a part of its hits would replace all hits of another
        query."""
        if self._running and self.live and not self._shown:
            self.forget()
            self.declined.emit()
            return
        self._asked = None
        self._jobs.cancel(_JOB)

    def forget(self) -> None:
        """Stop the search and deliver nothing more, because the base is closed."""
        self._asked = None
        self._close_channels()
        self._jobs.cancel(_JOB, drop=True)
        self._set_running(False)

    def _close_channels(self) -> None:
        for channel in self._channels:
            channel.close()
        self._channels = []

    def _receive_orbits(self, sent: list[tuple[hit_model.Orbit, ...]]) -> None:
        if self.live:
            self._unstarted = sent[-1]
        else:
            self._shown = True
            self.started.emit(sent[-1])

    def _start(self) -> None:
        """Emit `started` for a live search that has something to show."""
        orbits, self._unstarted = self._unstarted, None
        if orbits is not None:
            self._shown = True
            self.started.emit(orbits)

    def _receive(self, batches: list[FoundGames]) -> None:
        self._start()
        for found in FoundGames.grouped(batches):
            self.found.emit(found)

    def _cancelled(self) -> None:
        self._set_running(False)
        if self.live:
            self.declined.emit()
        else:
            self.abandoned.emit()

    def _failed(self, error: errors.CqlguiError) -> None:
        self._set_running(False)
        if self.live:
            self.declined.emit()
        elif isinstance(error, searching.Rejected):
            self.rejected.emit(tuple(error.diagnostics))
        elif isinstance(error, rights.Wanted):
            self.wanted.emit(error.wishes[0])
        else:
            self.failed.emit(str(error))

    def _set_running(self, running: bool) -> None:
        if running != self._running:
            self._running = running
            self.running_changed.emit(running)


def remember(base: base_model.Base, result: search_model.SearchResult) -> None:
    """Put the query of a search into the history."""
    # If a search was limited to some games, the history gets no counts. The user would take these counts for
    # counts of the whole base.
    history.add(result.query, base.name, result if result.options.within is None else None)

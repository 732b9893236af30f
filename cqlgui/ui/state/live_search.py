"""Searches the open base shortly after each change of the query, while the user draws or types. This module
draws nothing.

A search begins after a short delay. A search that would take long does not begin. After the next change of
the query, a new search replaces this search. The old hits are shown until the search has hits or has ended.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal

from cqlgui.base import progress
from cqlgui.pattern import reading
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.results.found import Integers
from cqlgui.ui.loop import jobs, turns
from cqlgui.ui.state import searcher

SETTLE = 60
"""A search begins when the query has not changed for this many milliseconds."""
OVERDUE = 300
"""If there is no answer after this many milliseconds, the hits shown count as hits of an earlier query."""
_JOB = "remember"


class LiveSearch(QObject):
    """Decides when a text is searched; the searcher runs the search.

    `overdue` is emitted when the search for the current text was declined or takes long. In this case hits of
    another text may be shown for a while. A query enters the history when the user looks at one of its hits,
    and `remembered` is emitted afterwards.
    """

    overdue = Signal()
    remembered = Signal()
    switched = Signal(bool)

    def __init__(self, door: jobs.Jobs, seeker: searcher.Searcher, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = door
        self._seeker = seeker
        self._on = True
        self._text = ""
        self._base: base_model.Base | None = None
        self._within: Integers | None = None
        self._folder = Path()
        # Whether a change came before all games were there, or while another search ran.
        self._missed = False
        # Whether more games are to come.
        self._growing = False
        # The query whose hits are shown; None if some of the hits are missing.
        self._shown: str | None = None
        # A result that the user has not looked at, and the base of this result.
        self._unseen: tuple[base_model.Base, search_model.SearchResult] | None = None
        self._settle = turns.once(self, SETTLE, self._ask)
        self._late = turns.once(self, OVERDUE, self.overdue.emit)
        seeker.started.connect(lambda _orbits: self._answered())
        seeker.declined.connect(self._declined)
        seeker.superseded.connect(self._half_shown)
        seeker.running_changed.connect(self._catch_up)

    @property
    def on(self) -> bool:
        """Whether texts are searched automatically."""
        return self._on

    @property
    def busy(self) -> bool:
        """True while a search is due or running."""
        return self._settle.isActive() or (self._seeker.running and self._seeker.live)

    def switch(self, on: bool) -> None:
        """Switch the automatic search on or off. When it is switched on, the current text is searched."""
        if on == self._on:
            return
        self._on = on
        if on:
            self._begin()
        else:
            self.stop()
            self.overdue.emit()
        self.switched.emit(on)

    def set_base(self, base: base_model.Base | None, *, anew: bool = True) -> None:
        """Use these games from now on. None means that there are no games yet. `anew` is False while more
        games are to come. If `anew` is True and there was no search after the last change of the text, the
        text is searched now."""
        self._base = base
        self._shown = self._unseen = None
        self._growing = not anew
        if base is not None and anew and self._missed:
            self._begin()

    def set_within(self, within: Integers | None) -> None:
        """Limit searches to these games. None means all games."""
        self._within = within
        self._shown = None

    def change(self, text: str, beside: Path) -> None:
        """The query has this text now. Relative file names in the query refer to the folder `beside`."""
        self._text, self._folder = text, beside
        if self._on and text != self._shown:
            self._begin()
        else:
            self._settle.stop()
            self._missed = False
            if self._seeker.running and self._seeker.live and self._seeker.text != text:
                # The running search is for an earlier text, so nobody needs its hits.
                self._seeker.stop()
            self._declined()

    def forget_change(self) -> None:
        """Do not search the current text, for example because it comes from the last session, or because the
        window closes."""
        self._settle.stop()
        self._late.stop()
        self._missed = False

    def stop(self) -> None:
        """Begin no search before the next change, and stop a live search that is running."""
        self._settle.stop()
        self._missed = False
        self._shown = None
        if self._seeker.running and self._seeker.live:
            self._seeker.stop()

    def take(self, base: base_model.Base, result: search_model.SearchResult) -> None:
        """A live search has ended with this result."""
        if result.cancelled:
            self._shown = None
        self._unseen = base, result

    def asked(self) -> None:
        """The user has started a search for the text, so the text needs no live search."""
        self._settle.stop()
        self._late.stop()
        self._unseen = None
        self._missed = False

    def seen(self) -> None:
        """The user looks at a hit. If a live search has found it, the query enters the history."""
        unseen, self._unseen = self._unseen, None
        if unseen is None:
            return
        base, result = unseen

        def work(_token: progress.CancelToken, _sink: progress.ProgressSink) -> None:
            searcher.remember(base, result)

        self._jobs.run(work, lambda _done: self.remembered.emit(), name=_JOB)

    def _begin(self) -> None:
        self._settle.start()
        if not self._late.isActive():
            self._late.start()

    def _ask(self) -> None:
        base, text = self._base, self._text
        if base is None or not base.games:
            self._missed = True
        elif self._seeker.running and not self._seeker.live:
            # The running search is not a live search. The user started it, so no live search replaces it.
            self._missed = self._seeker.text != text
            self._declined()
        elif text == self._shown:
            # The text was changed back. An earlier search has found the hits of this text already.
            self._missed = False
            self._declined()
        elif not text.strip() or reading.nothing_drawn(text):
            self._seeker.stop()
            self._declined()
        else:
            # If more games are to come, the text is searched again when all games are there.
            self._missed = self._growing
            self._seeker.run(base, text, self._folder, self._within, live=True)

    def _half_shown(self) -> None:
        """The hits shown are incomplete, because a new search has replaced their search."""
        self._shown = None

    def _catch_up(self, running: bool) -> None:
        """A search that the user started has ended. The text may have changed while this search ran."""
        if not running and not self._seeker.live and self._missed and self._on and not self._growing:
            self._begin()

    def _answered(self) -> None:
        self._unseen, self._shown = None, self._seeker.text
        self._late.stop()

    def _declined(self) -> None:
        self._late.stop()
        self.overdue.emit()

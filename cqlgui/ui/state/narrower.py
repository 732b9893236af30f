"""Remembers which part of a result is shown: the whole result, or the hits that remain after narrowing by
facets, kept hits and an orbit element.

This module draws nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from cqlgui.base import errors
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.results.found import Integers
from cqlgui.tasks.search import narrowing
from cqlgui.ui.loop import jobs
from cqlgui.ui.panels import narrow

_JOB, _LIMITING, _ATTRIBUTES = "narrow", "limit", "attributes"

Limit = tuple[int, int, str]
"""Number of an orbit, number of an element in the orbit, and words for the element."""


class Narrower(QObject):
    """`shown` carries the result to show and the words for its narrowing (empty for the whole result).
    `scoped` carries the number of games that the next searches use (-1 for all games). `failed` carries a
    sentence."""

    shown = Signal(object, str)
    scoped = Signal(int)
    failed = Signal(str)

    def __init__(self, door: jobs.Jobs, button: narrow.NarrowButton, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = door
        self._button = button
        self._base: base_model.Base | None = None
        self._known: tuple[base_model.Base, narrowing.Attributes] | None = None
        self._whole: search_model.SearchResult | None = None
        self._result: search_model.SearchResult | None = None
        # The name of the kept hits, if the narrowing began with kept hits. The name is empty if the narrowing
        # began with a search.
        self._recalled = ""
        self._steps: tuple[str, ...] = ()
        self._limit: Limit | None = None
        # The hits of the result that fit the limit. Without a limit this is the result itself. It is None
        # while a job looks for the hits.
        self._part: search_model.SearchResult | None = None
        self._kept: tuple[narrow.Kept, ...] = ()
        self._within: Integers | None = None
        button.chosen.connect(self._choose)
        button.recalled.connect(self._recall)
        button.kept.connect(self._keep)
        button.within_changed.connect(self._set_within)

    @property
    def within(self) -> Integers | None:
        """The ordinals of the games that searches use. None means all games."""
        return self._within

    def leave_base(self) -> None:
        """Forget everything, because the games are closed."""
        self.clear()
        self._base, self._known, self._kept = None, None, ()
        self._button.set_kept(())
        self._button.set_attributes(None)
        self.widen()

    def clear(self) -> None:
        """Drop the result, because a search has begun."""
        self._jobs.cancel(_JOB, drop=True)
        self._whole = None
        self._set(None, ())

    def take(self, base: base_model.Base, result: search_model.SearchResult) -> None:
        """A search has ended with this result, which is already shown."""
        self._base = base
        self._whole = result
        self._set(result, ())
        if self._known is not None and self._known[0] is base:
            return
        self._button.set_attributes(None)

        def done(found: narrowing.Attributes) -> None:
            self._known = (base, found)
            self._button.set_attributes(found)

        self._jobs.run(lambda _token, _sink: narrowing.attributes(base), done, self._fail, name=_ATTRIBUTES)

    def undo(self) -> None:
        """Show the whole result again."""
        if self._whole is not None and (self._recalled or self._steps):
            # A narrowing that is still being computed is dropped, because it would replace the whole result.
            self._jobs.cancel(_JOB, drop=True)
            self._show(self._whole, ())

    def widen(self) -> None:
        """Let searches use all games again."""
        if self._within is not None:
            self._set_within(False)

    def limit(self, limit: Limit | None) -> None:
        """Limit the result to the hits of an orbit element. The user can then narrow and keep only these
        hits, and search only in the games of these hits. None means all hits."""
        if limit != self._limit:
            self._limit = limit
            self._find_part()

    def _find_part(self) -> None:
        result, limit = self._result, self._limit
        self._jobs.cancel(_LIMITING, drop=True)
        if result is None or limit is None:
            self._take_part(result)
            return
        orbit, element, _words = limit
        # `_part` is None and the menu is disabled until the hits of the element are known. So the user can
        # narrow or keep only hits that are shown.
        self._take_part(None)
        self._jobs.run(
            lambda _token, _sink: narrowing.matching(result, orbit, element),
            self._take_part,
            self._fail,
            name=_LIMITING,
        )

    def _take_part(self, part: search_model.SearchResult | None) -> None:
        self._part = part
        self._button.set_result(part)

    def _shown_steps(self) -> tuple[str, ...]:
        """The narrowing of the hits shown, in words."""
        return self._steps if self._limit is None else (*self._steps, self._limit[2])

    def _choose(
        self, make: Callable[[search_model.SearchResult], search_model.SearchResult], words: str
    ) -> None:
        part, recalled, steps = self._part, self._recalled, (*self._shown_steps(), words)
        if part is not None:

            def work(_token: object, _sink: object) -> search_model.SearchResult:
                made = make(part)
                # The table needs this value. It is computed in this job, because the window would not react
                # while the table computed it.
                _ = made.games.measured
                return made

            self._jobs.run(
                work,
                lambda made: self._show(made, steps, recalled),
                self._fail,
                name=_JOB,
            )

    def _recall(self, kept: narrow.Kept) -> None:
        self._jobs.cancel(_JOB, drop=True)
        self._show(kept.result, (), kept.name)

    def _set(
        self, result: search_model.SearchResult | None, steps: tuple[str, ...], recalled: str = ""
    ) -> None:
        self._result, self._steps, self._recalled = result, steps, recalled
        self._find_part()

    def _show(self, result: search_model.SearchResult, steps: tuple[str, ...], recalled: str = "") -> None:
        # The limit does not apply to the new result. If the result was made with the limit, `steps` names the
        # limit.
        self._limit = None
        self._set(result, steps, recalled)
        self.shown.emit(result, ", ".join(filter(None, (recalled, *steps))))

    def _keep(self) -> None:
        if self._part is not None:
            name = ", ".join([self._recalled or narrow.name_of(self._part), *self._shown_steps()])
            others = [one for one in self._kept if one.name != name]
            self._kept = (*others, narrow.Kept(name, self._part))[-narrow.MOST_KEPT :]
            self._button.set_kept(self._kept)

    def _set_within(self, on: bool) -> None:
        self._within = narrowing.in_games(self._part) if on and self._part is not None else None
        self._button.set_within(self._within is not None)
        self.scoped.emit(-1 if self._within is None else len(self._within))

    def _fail(self, error: errors.CqlguiError) -> None:
        self.failed.emit(str(error))

"""Remembers which part of a result is shown: the whole result, or the hits that remain after narrowing by
facets, kept hits and an orbit element. Keeps the named sets of the open base and the last run of each query.

This module draws nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from cqlgui.base import data, errors, progress
from cqlgui.tasks.analysis import attributes as attributes_module
from cqlgui.tasks.analysis import sets
from cqlgui.tasks.databases import games
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.results.found import Integers
from cqlgui.tasks.search import narrowing
from cqlgui.ui.facets import pane as facets_pane
from cqlgui.ui.facets import sets_pane
from cqlgui.ui.loop import jobs
from cqlgui.ui.panels import narrow

_JOB, _LIMITING, _ATTRIBUTES = "narrow", "limit", "attributes"
_COMPARING, _PRINTS = "compare", "fingerprints"

Limit = tuple[int, int, str]
"""Number of an orbit, number of an element in the orbit, and words for the element."""


_Parts = tuple[search_model.SearchResult | None, search_model.SearchResult | None]
"""The parts of two results that fit a limit: of the hits shown, and of those before the choice of facets."""


class Narrower(QObject):
    """`shown` carries the result to show and the words for its narrowing (empty for the whole result).
    `changed` carries the `sets.Changes` since the last run of the query, and the earlier run; it is emitted
    when the same query was run on other games or with other options, and found something else. `scoped`
    carries the number of games that the next searches use (-1 for all games). `failed` carries a sentence.
    `kept_changed` carries the name and the result of each set that is kept. `line_left` is emitted when the
    line of games applies no longer. `line_failed` carries a sentence that says why the line cannot be
    applied, or an empty text."""

    shown = Signal(object, str)
    changed = Signal(object, object)
    kept_changed = Signal(object)
    line_left = Signal()
    line_failed = Signal(str)
    scoped = Signal(int)
    failed = Signal(str)

    def __init__(self, door: jobs.Jobs, button: narrow.NarrowButton, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = door
        self._button = button
        self._base: base_model.Base | None = None
        self._known: tuple[base_model.Base, attributes_module.Attributes] | None = None
        self._prints: tuple[base_model.Base, sets.Prints] | None = None
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
        # The hits before the choice in the pane of facets, their part that fits the limit, and the narrowing
        # up to there in words.
        self._open: search_model.SearchResult | None = None
        self._open_part: search_model.SearchResult | None = None
        self._open_steps: tuple[str, ...] = ()
        # The hits before the line of games was applied, and the narrowing up to there in words; None if no
        # line is applied.
        self._unlined: tuple[search_model.SearchResult, tuple[str, ...]] | None = None
        self._asked = 0.0
        self._shelf = sets.Shelf()
        self._facets: facets_pane.FacetsPane | None = None
        self._sets: sets_pane.SetsPane | None = None
        self._within: Integers | None = None
        button.chosen.connect(self.narrow)
        button.recalled.connect(self._recall)
        button.kept.connect(self._keep)
        button.within_changed.connect(self._set_within)

    def join_facets(self, pane: facets_pane.FacetsPane) -> None:
        """Narrow by the choices in a pane of facets."""
        self._facets = pane
        pane.chosen.connect(self._refine)
        pane.failed.connect(self.failed)
        self._tell_facets()

    def join_sets(self, pane: sets_pane.SetsPane) -> None:
        """Keep, combine and compare as a pane of sets asks."""
        self._sets = pane
        pane.kept.connect(self._keep)
        pane.chosen.connect(self.narrow)
        pane.recalled.connect(self._recall)
        pane.inside.connect(self._search_inside)
        pane.renamed.connect(lambda one, name: self._put(self._shelf.renaming(one, name)))
        pane.dropped.connect(lambda one: self._put(self._shelf.dropping(one)))
        pane.compared.connect(self._compare_with)
        pane.wanted.connect(self._show_changed)
        self._tell_sets()

    @property
    def steps_besides(self) -> tuple[str, ...]:
        """The narrowing of the hits shown in words, without the line of games."""
        if self._unlined is None:
            return tuple(filter(None, (self._recalled, *self._shown_steps())))
        before = len(self._unlined[1])
        shown = self._shown_steps()
        return tuple(filter(None, (self._recalled, *shown[:before], *shown[before + 1 :])))

    @property
    def within(self) -> Integers | None:
        """The ordinals of the games that searches use. None means all games."""
        return self._within

    def leave_base(self) -> None:
        """Forget everything, because the games are closed."""
        self.clear()
        for name in (_ATTRIBUTES, _PRINTS, _COMPARING):
            self._jobs.cancel(name, drop=True)
        self._base, self._known, self._prints = None, None, None
        # The runs stay: the same games may be opened again after their files have changed.
        self._put(data.replace(self._shelf, sets=()))
        self._button.set_attributes(None)
        self.widen()

    def clear(self) -> None:
        """Drop the result, because a search has begun."""
        self._jobs.cancel(_JOB, drop=True)
        self._whole = None
        self._set(None, ())

    def take(
        self, base: base_model.Base, result: search_model.SearchResult, *, remember: bool = True
    ) -> None:
        """A search has ended with this result, which is already shown. With `remember`, it is the last run of
        its query; a search that the user did not ask for, such as a live search, is no run."""
        self._base = base
        self._whole = result
        self._asked = time.time()
        self._set(result, ())
        if remember and not result.cancelled and result.stopped is None:
            self._run(base, result)
        if self._known is not None and self._known[0] is base:
            return
        self._button.set_attributes(None)

        def done(found: attributes_module.Attributes) -> None:
            self._known = (base, found)
            self._button.set_attributes(found)
            self._tell_facets(keep=True)

        self._jobs.run(
            lambda _token, _sink: attributes_module.of_base(base), done, self._fail, name=_ATTRIBUTES
        )

    def _run(self, base: base_model.Base, result: search_model.SearchResult) -> None:
        """Remember a run of a query, and find what changed since the last run."""
        run = sets.NamedSet(narrow.name_of(result), base, result, self._asked)
        before = self._shelf.last_run(result.query)
        self._jobs.cancel(_COMPARING, drop=True)
        if before is None or not sets.comparable(before, base) or sets.asked_alike(before, run):
            self._remember(run)
            return

        def work(token: progress.CancelToken, _sink: object) -> tuple[sets.NamedSet, sets.Changes]:
            whole = self._with_prints(run, token)
            return whole, sets.compare(before, whole)

        def done(found: tuple[sets.NamedSet, sets.Changes]) -> None:
            self._remember(found[0])
            if self._sets is not None:
                self._sets.show_changes(before, found[0], found[1])
            if found[1]:
                self.changed.emit(found[1], before)

        self._jobs.run(work, done, self._fail, name=_COMPARING)

    def _remember(self, run: sets.NamedSet) -> None:
        self._shelf = self._shelf.running(run)
        if run.prints is not None:
            self._prints = run.base, run.prints
            return
        # The fingerprints are made now, because those of a base that has changed can no longer be made.
        self._jobs.run(self._with_prints_of(run), self._take_prints, self._fail, name=_PRINTS)

    def _with_prints_of(self, run: sets.NamedSet) -> jobs.Work[sets.NamedSet]:
        return lambda token, _sink: self._with_prints(run, token)

    def _with_prints(self, run: sets.NamedSet, token: progress.CancelToken) -> sets.NamedSet:
        """A set with the fingerprints of its base."""
        known = self._prints
        if known is not None and known[0] is run.base:
            return data.replace(run, prints=known[1])
        return data.replace(run, prints=sets.fingerprints(run.base, cancel=token))

    def _take_prints(self, run: sets.NamedSet) -> None:
        assert run.prints is not None
        self._prints = run.base, run.prints
        self._put(self._shelf.with_prints(run.base, run.prints))

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
        result, before, limit = self._result, self._open, self._limit
        self._jobs.cancel(_LIMITING, drop=True)
        if result is None or before is None or limit is None:
            self._take_part((result, before))
            return
        orbit, element, _words = limit
        # `_part` is None and the menu is disabled until the hits of the element are known. So the user can
        # narrow or keep only hits that are shown.
        self._take_part((None, None))

        def work(_token: object, _sink: object) -> _Parts:
            part = narrowing.matching(result, orbit, element)
            return part, part if before is result else narrowing.matching(before, orbit, element)

        self._jobs.run(work, self._take_part, self._fail, name=_LIMITING)

    def _take_part(self, parts: _Parts) -> None:
        self._part, self._open_part = parts
        self._button.set_result(self._part)
        # While the hits of a limit are looked for, the pane keeps its choice.
        if self._open_part is not None or self._limit is None:
            self._tell_facets(keep=self._open is not self._result or self._limit is not None)
        self._tell_sets()

    def _tell_facets(self, *, keep: bool = False) -> None:
        if self._facets is not None:
            known = self._known[1] if self._known is not None and self._known[0] is self._base else None
            self._facets.set_result(self._open_part, known, keep=keep)

    def _tell_sets(self) -> None:
        if self._sets is not None:
            self._sets.show_sets(self._shelf.sets, can_keep=bool(self._part is not None and self._part.order))

    def _shown_steps(self) -> tuple[str, ...]:
        """The narrowing of the hits shown, in words."""
        return self._steps if self._limit is None else (*self._steps, self._limit[2])

    def narrow(
        self, make: Callable[[search_model.SearchResult], search_model.SearchResult], words: str
    ) -> None:
        """Show the hits that `make` takes from the hits shown; `words` describe this step."""
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

    def _refine(
        self, make: Callable[[search_model.SearchResult], search_model.SearchResult], words: str
    ) -> None:
        """Show the hits that the choice in the pane of facets leaves. This choice replaces the former choice
        of the pane, whereas the other steps follow each other."""
        part, recalled = self._open_part, self._recalled
        if part is None:
            return
        before = self._open_steps if self._limit is None else (*self._open_steps, self._limit[2])
        steps = (*before, words) if words else before

        def work(_token: object, _sink: object) -> search_model.SearchResult:
            made = make(part)
            _ = made.games.measured
            return made

        self._jobs.run(
            work,
            lambda made: self._show(made, steps, recalled, (part, before), keeps_line=True),
            self._fail,
            name=_JOB,
        )

    def set_games(self, text: str) -> None:
        """Show only the hits in the games that fit the line `text` (`db.game_filter`). The line replaces the
        former line, and whatever was chosen after it. An empty line shows the hits before the line."""
        base, recalled = self._base, self._recalled
        start = self._unlined
        if start is None and self._part is not None:
            start = self._part, self._shown_steps()
        self._jobs.cancel(_JOB, drop=True)
        if base is None or start is None:
            return
        before, steps = start
        if not text.strip():
            self.line_failed.emit("")
            if self._unlined is not None:
                self._show(before, steps, recalled)
            return

        def work(_token: object, _sink: object) -> search_model.SearchResult:
            made = narrowing.of_games(before, games.fitting(base, text))
            _ = made.games.measured
            return made

        def done(made: search_model.SearchResult) -> None:
            self.line_failed.emit("")
            self._unlined = start
            self._show(made, (*steps, text.strip()), recalled, keeps_line=True)

        self._jobs.run(work, done, lambda error: self.line_failed.emit(str(error)), name=_JOB)

    def _recall(self, kept: sets.NamedSet) -> None:
        self._jobs.cancel(_JOB, drop=True)
        self._show(kept.result, (), kept.name)

    def _set(
        self,
        result: search_model.SearchResult | None,
        steps: tuple[str, ...],
        recalled: str = "",
        before: tuple[search_model.SearchResult, tuple[str, ...]] | None = None,
        *,
        keeps_line: bool = False,
    ) -> None:
        if not keeps_line:
            self._unlined = None
            self.line_left.emit()
        self._result, self._steps, self._recalled = result, steps, recalled
        self._open, self._open_steps = (result, steps) if before is None else before
        if before is None and self._facets is not None:
            self._facets.forget()
        self._find_part()

    def _show(
        self,
        result: search_model.SearchResult,
        steps: tuple[str, ...],
        recalled: str = "",
        before: tuple[search_model.SearchResult, tuple[str, ...]] | None = None,
        *,
        keeps_line: bool = False,
    ) -> None:
        """Show other hits. `before` has the hits and the steps before the choice in the pane of facets."""
        # The limit does not apply to the new result. If the result was made with the limit, `steps` names the
        # limit.
        self._limit = None
        self._set(result, steps, recalled, before, keeps_line=keeps_line)
        self.shown.emit(result, ", ".join(filter(None, (recalled, *steps))))

    def _keep(self) -> None:
        if self._part is not None and self._base is not None:
            name = ", ".join([self._recalled or narrow.name_of(self._part), *self._shown_steps()])
            prints = self._prints[1] if self._prints and self._prints[0] is self._base else None
            self._put(self._shelf.keeping(sets.NamedSet(name, self._base, self._part, self._asked, prints)))

    def _put(self, shelf: sets.Shelf) -> None:
        self._shelf = shelf
        self._button.set_kept(shelf.sets)
        self.kept_changed.emit([(one.name, one.result) for one in shelf.sets])
        self._tell_sets()

    def _search_inside(self, one: sets.NamedSet) -> None:
        """Limit the next searches to the games of a set."""
        self._within = narrowing.in_games(one.result)
        self._button.set_within(True)
        self.scoped.emit(len(self._within))

    def _compare_with(self, one: sets.NamedSet) -> None:
        """Find what is different in the hits shown, compared with a set."""
        part, base = self._part, self._base
        if part is None or base is None:
            return
        now = sets.NamedSet("the hits shown", base, part, self._asked)

        def work(token: progress.CancelToken, _sink: object) -> sets.Changes:
            own = now if sets.same_games(one.base, base) else self._with_prints(now, token)
            return sets.compare(one, own)

        def done(found: sets.Changes) -> None:
            if self._sets is not None:
                self._sets.show_changes(one, now, found)

        self._jobs.run(work, done, self._fail, name=_COMPARING)

    def _show_changed(self, result: search_model.SearchResult, words: str) -> None:
        """Show some of the changes."""
        self._jobs.cancel(_JOB, drop=True)
        self._show(result, (), words)

    def _set_within(self, on: bool) -> None:
        self._within = narrowing.in_games(self._part) if on and self._part is not None else None
        self._button.set_within(self._within is not None)
        self.scoped.emit(-1 if self._within is None else len(self._within))

    def _fail(self, error: errors.CqlguiError) -> None:
        self.failed.emit(str(error))

"""Remembers which part of a result is shown: the whole result, or the hits that remain after narrowing by
facets, kept hits and an orbit element. Keeps the named sets of the open base and the last run of each query.

This module draws nothing.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QObject, Signal

from cqlgui.base import data, errors, progress
from cqlgui.tasks.analysis import attributes as attributes_module
from cqlgui.tasks.analysis import facet_terms, kept_sets, sets
from cqlgui.tasks.databases import games
from cqlgui.tasks.likeness import duplicates
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.results.found import Integers
from cqlgui.tasks.search import narrowing
from cqlgui.ui.facets import pane as facets_pane
from cqlgui.ui.facets import sets_pane
from cqlgui.ui.look import wording
from cqlgui.ui.loop import jobs
from cqlgui.ui.panels import narrow

_JOB, _LIMITING, _ATTRIBUTES = "narrow", "limit", "attributes"
_COMPARING, _RUNNING, _LOADING = "compare", "run", "kept sets"


@data.dataclass(frozen=True, slots=True)
class _Step:
    """One step of a narrowing in words, and what means the same: terms of facets (`facet_terms`), a condition
    on hits (`pictures.terms`), or a line of games. Nothing is given if none of them does."""

    words: str
    terms: tuple[str, ...] = ()
    condition: str = ""
    line: str = ""


_Steps = tuple[_Step, ...]

_WITHOUT: Final = _Step("without duplicates")
"""The step that leaves out duplicates."""

_Narrowing = Callable[[search_model.SearchResult], search_model.SearchResult]
"""Makes narrowed hits from a result."""

_Choice = tuple[_Narrowing, _Step]
"""What is chosen in the pane of facets, with its step."""

_Pair = tuple[search_model.SearchResult, search_model.SearchResult]
"""Hits before and after the choice in the pane of facets."""

Limit = tuple[int, int, str]
"""Number of an orbit, number of an element in the orbit, and words for the element."""


_Parts = tuple[search_model.SearchResult | None, search_model.SearchResult | None]
"""Parts of two results: of the hits shown, and of those before the choice of facets."""


@data.dataclass(frozen=True, slots=True)
class _Start:
    """The hits that a line of games applies to, the narrowing up to there, and the name of the kept hits that
    it began with."""

    whole: search_model.SearchResult
    steps: _Steps
    recalled: str


@data.dataclass(frozen=True, slots=True)
class Spelt:
    """A narrowing as options of a command: `games` is the line of `--games`, `facets` are the terms of
    `--facet`, and `conditions` those of `--where`. `besides` has in words what no option does. The duplicates
    are left out."""

    games: str
    facets: tuple[str, ...]
    conditions: tuple[str, ...]
    besides: tuple[str, ...]


class Narrower(QObject):
    """`shown` carries the result to show and the words for its narrowing (empty for the whole result).
    `changed` carries the `sets.Changes` since the last run of the query, and the earlier run; it is emitted
    when the same query was run on other games or with other options, and found something else. `scoped`
    carries the number of games that the next searches use (-1 for all games). `failed` carries a sentence.
    `kept_changed` carries the name and the result of each set that is kept. `line_left` is emitted when the
    line of games applies no longer. `line_failed` carries a sentence that says why the line cannot be
    applied, or an empty text. `duplicates_shown` is emitted when the user wants all hits back, so that
    duplicates are left out no more. `told` carries a sentence about the sets that are kept for later starts.
    `again` carries the query of a set, and its name, to be searched again. `sets_wanted` is emitted when the
    pane of sets has an answer for the user: what changed, or why no set is kept. `dropped` carries words for
    a set that was dropped and that `bring_back` brings back; they are empty after it came back."""

    shown = Signal(object, str)
    changed = Signal(object, object)
    kept_changed = Signal(object)
    line_left = Signal()
    line_failed = Signal(str)
    duplicates_shown = Signal()
    scoped = Signal(int)
    failed = Signal(str)
    told = Signal(str)
    again = Signal(str, str)
    sets_wanted = Signal()
    dropped = Signal(str)

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
        self._steps: _Steps = ()
        self._limit: Limit | None = None
        # The hits of the result that fit the limit. Without a limit this is the result itself. It is None
        # while a job looks for the hits.
        self._part: search_model.SearchResult | None = None
        # The hits before the choice in the pane of facets, their part that fits the limit, and the narrowing
        # up to there in words.
        self._open: search_model.SearchResult | None = None
        self._open_part: search_model.SearchResult | None = None
        self._open_steps: _Steps = ()
        # What is chosen in the pane of facets, with its words; None if nothing is chosen there. The choice
        # and the line of games hold independently of each other: the choice applies to what the line leaves.
        self._choice: _Choice | None = None
        # The hits before the line of games was applied, and the narrowing up to there in words, both without
        # the choice in the pane of facets; None if no line is applied.
        self._unlined: tuple[search_model.SearchResult, _Steps] | None = None
        # The last job that looked for the hits of a line of games, and this line.
        self._line_job: tuple[jobs.Job, str, _Start | None, Callable[[], None] | None] | None = None
        # The duplicates that are left out of every result, and the hits with their narrowing in words before
        # they were left out.
        self._left_out: duplicates.Duplicates | None = None
        self._unsifted: tuple[search_model.SearchResult, _Steps, str] | None = None
        self.by_itself = False
        """While `shown` is emitted: whether the narrowing follows from a search, and nobody asked for it."""
        self._asked = 0.0
        self._shelf = sets.Shelf()
        # The keys of all sets that were on the shelf since the games were opened. Those of them that are no
        # longer on the shelf are deleted from the records.
        self._stored: frozenset[str] = frozenset()
        # The sets that the records must have, and the keys of those that they must not have.
        self._wish: tuple[tuple[sets.NamedSet, ...], frozenset[str]] = (), frozenset()
        self._told_unkept = False
        # The names of the jobs that remember runs, and a lock for the fingerprints.
        self._running: set[str] = set()
        self._printing = threading.Lock()
        # The set whose query is to be searched again; it gets the hits of this search.
        self._renewed: sets.NamedSet | None = None
        self._facets: facets_pane.FacetsPane | None = None
        self._sets: sets_pane.SetsPane | None = None
        self._within: Integers | None = None
        button.chosen.connect(lambda make, words, terms: self.narrow(make, words, terms=terms))
        button.recalled.connect(self._recall)
        button.kept.connect(self._keep)
        button.compared.connect(self._compare_with)
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
        pane.again.connect(self._search_again)
        pane.inside.connect(self._search_inside)
        pane.renamed.connect(lambda one, name: self._put_and_store(self._shelf.renaming(one, name)))
        pane.dropped.connect(self._drop)
        pane.undo_wanted.connect(self.bring_back)
        pane.compared.connect(self._compare_with)
        pane.wanted.connect(self._show_changed)
        self._tell_sets()

    def leave_out(self, found: duplicates.Duplicates | None) -> None:
        """Leave these duplicates out of the hits shown and of the results that follow. None shows the hits
        that were shown before they were left out. What is chosen in the pane of facets and the line of games
        hold in both cases."""
        former, self._left_out = self._left_out, found
        if found is former:
            return
        before = self._unsifted
        if found is not None:
            self._sift()
        elif before is not None:
            whole, steps, recalled = before
            line, sought, start = self._line_now(), self._line_is_sought(), self._unlined
            self._jobs.cancel(_JOB, drop=True)
            later = start is None or _WITHOUT in start[1]
            if not sought and (start is None or not later):
                self._show_opened(lambda _token: whole, steps, recalled, keeps_line=start is not None)
                return
            # A line that was written after the duplicates were left out now applies to all hits.
            begin = _Start(whole, steps, recalled) if later else None

            def show() -> None:
                self._unlined = None if later else start
                self._show_opened(lambda _token: whole, steps, recalled, keeps_line=True)

            self._apply_line(line, begin, show)

    def _line_now(self) -> str:
        """The line of games that applies, or the line that is looked for; empty if there is neither."""
        if self._line_is_sought():
            assert self._line_job is not None
            return self._line_job[1]
        return self.line

    def _sift(self, *, by_itself: bool = False) -> None:
        """Leave the duplicates out of the hits shown. `by_itself` says whether nobody asked for it."""
        found, part, recalled, steps = self._left_out, self._open_part, self._recalled, self._steps_to_open()
        if part is None:
            # The hits of an orbit element are still looked for.
            part, steps = self._open, self._open_steps
        base = self._base
        if base is None or found is None or part is None or self._seeks_line():
            return
        self._unsifted = whole, _, _ = part, steps, recalled
        self._show_opened(
            lambda token: _without(base, whole, found, token),
            (*steps, _WITHOUT),
            recalled,
            keeps_line=self._unlined is not None,
            by_itself=by_itself,
        )

    def _show_opened(
        self,
        make: Callable[[progress.CancelToken], search_model.SearchResult],
        steps: _Steps,
        recalled: str,
        *,
        keeps_line: bool,
        by_itself: bool = False,
    ) -> None:
        """Show what the choice in the pane of facets leaves of the hits that `make` returns."""
        choice = self._choice

        def work(token: progress.CancelToken, _sink: object) -> _Pair:
            return _chosen(make(token), choice)

        def done(pair: _Pair) -> None:
            self.by_itself = by_itself
            self._show_pair(pair, steps, recalled, choice, keeps_line=keeps_line)
            self.by_itself = False

        self._jobs.run(work, done, self._fail, name=_JOB)

    def _show_pair(
        self,
        pair: _Pair,
        steps: _Steps,
        recalled: str,
        choice: _Choice | None,
        *,
        keeps_line: bool,
    ) -> None:
        """Show hits before and after the choice in the pane of facets."""
        opened, made = pair
        if choice is None:
            self._show(made, steps, recalled, keeps_line=keeps_line)
        else:
            self._show(made, (*steps, choice[1]), recalled, (opened, steps), keeps_line=keeps_line)

    @property
    def leaves_out(self) -> bool:
        """Whether duplicates are left out."""
        return self._left_out is not None

    @property
    def part(self) -> search_model.SearchResult | None:
        """The hits that are shown, also while the table is limited to an orbit element; None if there are
        none, or while they are looked for."""
        return self._part

    @property
    def line(self) -> str:
        """The line of games that applies to the hits shown; empty if none does."""
        return "" if self._unlined is None else self._open_steps[len(self._unlined[1])].words

    def spelt(self, *, limited: bool = True) -> Spelt:
        """The narrowing of the hits shown as options of a command. Without `limited`, it is without the limit
        to an orbit element."""
        listed = self._spelt(self._shown_steps() if limited else self._steps)
        terms = tuple(term for step, spelt in listed if spelt for term in step.terms)
        conditions = tuple(step.condition for step, spelt in listed if spelt and step.condition)
        # All words of a line must hold, and so must all lines.
        games = " ".join(
            line for line in (*(step.line for step, spelt in listed if spelt), self.line) if line
        )
        besides = [f"“{step.words}”" for step, spelt in listed if not spelt and step != _WITHOUT]
        if self._unlined is not None and _WITHOUT in self._unlined[1]:
            # A command leaves out duplicates among the games of the line.
            besides.append("duplicates of games outside the line")
        recalled = f"the set “{self._recalled}”" if self._recalled else ""
        return Spelt(games, terms, conditions, tuple(words for words in (recalled, *besides) if words))

    def _spelt(self, shown: _Steps) -> list[tuple[_Step, bool]]:
        """Steps of the narrowing without the line of games that can still be changed, each with whether
        options of a command mean it."""
        if self._unlined is not None:
            before = len(self._unlined[1])
            shown = (*shown[:before], *shown[before + 1 :])
        # A command leaves out duplicates before it asks the terms, so a step before that has none.
        first = shown.index(_WITHOUT) + 1 if _WITHOUT in shown else 0
        met: set[str] = set()
        found = []
        for place, step in enumerate(shown):
            names = {facet_terms.split(term)[0] for term in step.terms}
            # Terms of one facet are alternatives, but both of two steps hold.
            able = bool(step.condition) or (bool(names) and not names & met)
            # A command asks for the games of a line before it leaves out duplicates.
            in_order = _WITHOUT not in shown[:place] if step.line else place >= first
            found.append((step, in_order and (able or bool(step.line))))
            met |= names
        return found

    @property
    def within(self) -> Integers | None:
        """The ordinals of the games that searches use. None means all games."""
        return self._within

    def leave_base(self) -> None:
        """Forget everything, because the games are closed."""
        self.clear()
        self._left_out = None
        for name in (_ATTRIBUTES, _COMPARING, _LOADING, *self._running):
            self._jobs.cancel(name, drop=True)
        self._running.clear()
        self._base, self._known, self._prints = None, None, None
        self._hide_changes()
        self._stored, self._renewed = frozenset(), None
        # The runs stay: the same games may be opened again after their files have changed. The sets stay in
        # the user's records.
        if self._shelf.dropped:
            self.dropped.emit("")
        self._put(data.replace(self._shelf, sets=(), dropped=()))
        self._button.set_attributes(None)
        self.widen()

    def open_base(self, base: base_model.Base) -> None:
        """Show the sets that were kept of these games."""
        self._base = base

        def done(found: kept_sets.Loaded) -> None:
            known = {one.key for one in found.sets}
            later = [one for one in self._shelf.sets if one.key not in known]
            shelf = data.replace(self._shelf, sets=found.sets)
            for one in later:
                shelf = shelf.keeping(one)
            # Hits may have been kept before the records were read.
            (self._put_and_store if later else self._put)(shelf)
            if found.unreadable:
                number = wording.counted(found.unreadable, "kept set was", "kept sets were")
                self.told.emit(f"{number} damaged and cannot be shown.")

        self._jobs.run(lambda _token, _sink: kept_sets.load(base), done, self._fail, name=_LOADING)

    def clear(self) -> None:
        """Drop the result, because a search has begun."""
        self._jobs.cancel(_JOB, drop=True)
        self._whole, self._unsifted = None, None
        self._set(None, ())

    def take(
        self, base: base_model.Base, result: search_model.SearchResult, *, remember: bool = True
    ) -> None:
        """A search has ended with this result, which is already shown. With `remember`, it is the last run of
        its query; a search that the user did not ask for, such as a live search, is no run."""
        self._base = base
        self._whole = result
        self._hide_changes()
        self._asked = time.time()
        self._set(result, ())
        if remember and not result.cancelled and result.stopped is None:
            self._run(base, result)
        self._renewed = None
        self._sift(by_itself=True)
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
        """Remember a run of a query, and find what changed since the last run. A run in some games only says
        nothing about the others, so it is neither remembered nor compared."""
        if result.options.within is not None:
            return
        run = sets.NamedSet(narrow.name_of(result), base, result, self._asked)
        key = sets.key_of(run.query)
        # Each run has a job of its own, because the next search must not cancel it.
        name = f"{_RUNNING} {run.key}"
        before = self._shelf.last_run(run.query, base)
        is_sure = before is not None and before is self._shelf.runs.get(key)
        renewed = self._renewed
        if renewed is not None and renewed.whole and sets.key_of(renewed.query) == key:
            if not renewed.lost:
                before, is_sure = (renewed, True) if sets.comparable(renewed, base) else (None, True)
            self._put_and_store(self._shelf.renewing(renewed, run))
        elif is_sure and before is not None and before.base is base and sets.asked_alike(before, run):
            # The run before it is kept, and says the same.
            self._shelf = self._shelf.running(data.replace(run, prints=before.prints))
            return

        def work(
            token: progress.CancelToken, _sink: object
        ) -> tuple[sets.NamedSet, sets.NamedSet | None, sets.Changes | None]:
            whole = self._with_prints(run, token)
            listed = [before, None if is_sure else kept_sets.last_run(run)]
            known = [one for one in listed if one is not None and sets.comparable(one, base)]
            last = max(known, key=lambda one: one.asked, default=None)
            if last is None or sets.asked_alike(last, run):
                return whole, None, None
            return whole, last, sets.compare(last, whole)

        def done(found: tuple[sets.NamedSet, sets.NamedSet | None, sets.Changes | None]) -> None:
            whole, last, changes = found
            self._running.discard(name)
            shown = self._whole
            is_shown = shown is not None and sets.key_of(shown.query) == key
            if changes and not is_shown:
                # The user sees another query. What changed is told when this one runs again.
                return
            there = self._shelf.runs.get(key)
            is_told = there is not None and there.base is base and sets.asked_alike(there, run)
            self._remember(whole)
            if last is None or changes is None or is_told:
                return
            if self._sets is not None and is_shown:
                self._sets.show_changes(last, whole, changes)
            if changes:
                self.changed.emit(changes, last)

        self._running.add(name)
        self._jobs.run(work, done, self._fail, name=name)

    def _hide_changes(self) -> None:
        if self._sets is not None:
            self._sets.hide_changes()

    def _remember(self, run: sets.NamedSet) -> None:
        """Remember a run, which has its fingerprints, as the last one of its query, and keep it for later
        starts."""
        assert run.prints is not None
        self._shelf = self._shelf.running(run)
        self._put(self._shelf.with_prints(run.base, run.prints))
        self._jobs.run(lambda _token, _sink: kept_sets.keep_run(run), lambda _none: None, self._fail_to_keep)

    def _fail_to_keep(self, error: errors.CqlguiError) -> None:
        """Say once that runs cannot be kept. The searches of this session can be compared all the same."""
        if not self._told_unkept:
            self._told_unkept = True
            self._fail(error)

    def _with_prints(self, run: sets.NamedSet, token: progress.CancelToken) -> sets.NamedSet:
        """A set with the fingerprints of its base. They are made once, because several runs may wait for
        them, and because those of a base that has changed can no longer be made."""
        with self._printing:
            known = self._prints
            if known is None or known[0] is not run.base:
                known = self._prints = run.base, sets.fingerprints(run.base, cancel=token)
        return data.replace(run, prints=known[1])

    def _complete(self, one: sets.NamedSet, token: progress.CancelToken) -> sets.NamedSet:
        """A set as it is kept for later starts. The fingerprints of a set that was loaded are known, and can
        no longer be made if its games have changed since."""
        return one if one.lost or one.prints is not None else self._with_prints(one, token)

    def undo(self) -> None:
        """Show the whole result again."""
        if self._whole is not None and (self._recalled or self._steps):
            # A narrowing that is still being computed is dropped, because it would replace the whole result.
            self._jobs.cancel(_JOB, drop=True)
            left_out, self._left_out = self._left_out, None
            self._show(self._whole, ())
            if left_out is not None:
                self.duplicates_shown.emit()

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
            can_keep = bool(self._part is not None and self._part.order)
            can_undo = bool(self._shelf.dropped)
            self._sets.show_sets(self._shelf.sets, self._base, can_keep=can_keep, can_undo=can_undo)

    def _shown_steps(self) -> _Steps:
        """The narrowing of the hits shown."""
        return self._with_limit(self._steps)

    def _with_limit(self, steps: _Steps) -> _Steps:
        """A narrowing followed by the limit to an orbit element, if there is one."""
        if self._limit is None or self._result is None:
            return steps
        orbit, element, words = self._limit
        return (*steps, _Step(words, (facet_terms.of_element(self._result.orbits, orbit, element),)))

    def narrow(self, make: _Narrowing, words: str, condition: str = "", terms: tuple[str, ...] = ()) -> None:
        """Show the hits that `make` takes from the hits shown; `words` describe this step. `condition` or
        `terms` mean the same (`_Step`). The same step a second time is none: a part of a picture
        that was clicked stays in the picture."""
        part, recalled, before = self._part, self._recalled, self._shown_steps()
        steps = (*before, _Step(words, terms, condition))
        if part is not None:

            def work(_token: object, _sink: object) -> search_model.SearchResult:
                made = make(part)
                # The table needs this value. It is computed in this job, because the window would not react
                # while the table computed it.
                _ = made.games.measured
                return made

            def done(made: search_model.SearchResult) -> None:
                if before[-1:] != steps[-1:] or made.positions != part.positions:
                    self._show(made, steps, recalled)

            self._jobs.run(work, done, self._fail, name=_JOB)

    def _refine(self, make: _Narrowing, words: str, terms: tuple[str, ...]) -> None:
        """Show the hits that the choice in the pane of facets leaves. `terms` mean the same as `words`. This
        choice replaces the former choice of the pane, whereas the other steps follow each other."""
        part, before = self._open_part, self._steps_to_open()
        if part is None:
            return
        step = _Step(words, terms)
        self._choice = (make, step) if words else None
        if self._seeks_line():
            return
        recalled, steps = self._recalled, (*before, step) if words else before

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

    def _seeks_line(self) -> bool:
        """Whether a job is looking for the hits of a line of games. If so, another job takes its place, and
        looks for them with what was chosen since."""
        if self._line_job is None or not self._line_is_sought():
            return False
        self._apply_line(*self._line_job[1:])
        return True

    def _line_is_sought(self) -> bool:
        """Whether a job is looking for the hits of a line of games."""
        return self._line_job is not None and not self._line_job[0].stale and self._line_job[0].running

    def _steps_to_open(self) -> _Steps:
        """The narrowing before the choice in the pane of facets."""
        return self._with_limit(self._open_steps)

    def set_games(self, text: str) -> None:
        """Show only the hits in the games that fit the line `text` (`db.game_filter`). The line replaces the
        former line. An empty line shows the hits before the line. What is chosen in the pane of facets holds
        with every line."""
        self._apply_line(text.strip())

    def _apply_line(
        self, line: str, begin: _Start | None = None, if_wrong: Callable[[], None] | None = None
    ) -> None:
        """See `set_games`. The line applies to the hits `begin`, or if it is None to those of the former line
        or to those shown. `if_wrong` is called if the line cannot be applied."""
        base, recalled, choice = self._base, self._recalled, self._choice
        start = self._unlined
        if begin is not None:
            start, recalled = (begin.whole, begin.steps), begin.recalled
        elif start is None and self._open_part is not None:
            start = self._open_part, self._steps_to_open()
            if self._unsifted is not None and start[1] == (*self._unsifted[1], _WITHOUT):
                # Duplicates are left out among the games of the line, as on the command line. Otherwise a
                # duplicate of a game outside the line would be missing.
                start = self._unsifted[:2]
        if base is None or start is None:
            return
        if not line and self._unlined is None and choice is None and not self._jobs.active(_JOB):
            self.line_failed.emit("")
            return
        self._jobs.cancel(_JOB, drop=True)
        whole, steps = start[0], (*start[1], _Step(line, line=line)) if line else start[1]
        # Duplicates that were left out after the line was written are left out of the games of the new line.
        sifted = self._left_out if _WITHOUT not in start[1] else None

        def work(token: progress.CancelToken, _sink: object) -> tuple[search_model.SearchResult, _Pair]:
            lined = narrowing.of_games(whole, games.fitting(base, line)) if line else whole
            return lined, _chosen(lined if sifted is None else _without(base, lined, sifted, token), choice)

        def done(found: tuple[search_model.SearchResult, _Pair]) -> None:
            lined, pair = found
            self.line_failed.emit("")
            self._unlined = start if line else None
            after = steps
            if sifted is not None:
                self._unsifted = lined, steps, recalled
                after = (*steps, _WITHOUT)
            self._show_pair(pair, after, recalled, choice, keeps_line=bool(line))

        def fail(error: errors.CqlguiError) -> None:
            if line:
                self.line_failed.emit(str(error))
            else:
                self._fail(error)
            if if_wrong is not None:
                if_wrong()

        self._line_job = self._jobs.run(work, done, fail, name=_JOB), line, begin, if_wrong

    def _recall(self, kept: sets.NamedSet) -> None:
        def show(result: search_model.SearchResult) -> None:
            self._show(result, (), kept.name)
            self._sift()

        self._with_hits_of(kept, show)

    def _with_hits_of(self, kept: sets.NamedSet, then: Callable[[search_model.SearchResult], None]) -> None:
        """Call `then` with the hits of a set in the open base, or tell why this base does not have them."""
        base = self._base
        self._jobs.cancel(_JOB, drop=True)
        if base is None or sets.is_of(kept, base):
            then(kept.result)
            return
        # The games may have the same numbers all the same, and must be compared.
        self._jobs.run(lambda _token, _sink: sets.in_base(kept, base), then, self._fail, name=_JOB)

    def _search_again(self, kept: sets.NamedSet) -> None:
        self._renewed = kept
        self.again.emit(kept.query, kept.name)
        if not kept.whole:
            self.told.emit(
                f"“{kept.name}” has a part of the hits of its query, or hits of other sets too. The query is "
                "searched as a whole, and the set stays as it is."
            )

    def _set(
        self,
        result: search_model.SearchResult | None,
        steps: _Steps,
        recalled: str = "",
        before: tuple[search_model.SearchResult, _Steps] | None = None,
        *,
        keeps_line: bool = False,
    ) -> None:
        if not keeps_line:
            self._unlined = None
            self.line_left.emit()
        self._result, self._steps, self._recalled = result, steps, recalled
        self._open, self._open_steps = (result, steps) if before is None else before
        if before is None:
            self._choice = None
            if self._facets is not None:
                self._facets.forget()
        self._find_part()

    def _show(
        self,
        result: search_model.SearchResult,
        steps: _Steps,
        recalled: str = "",
        before: tuple[search_model.SearchResult, _Steps] | None = None,
        *,
        keeps_line: bool = False,
    ) -> None:
        """Show other hits. `before` has the hits and the steps before the choice in the pane of facets."""
        # The limit does not apply to the new result. If the result was made with the limit, `steps` names the
        # limit.
        self._limit = None
        self._set(result, steps, recalled, before, keeps_line=keeps_line)
        self.shown.emit(result, ", ".join(filter(None, (recalled, *(step.words for step in steps)))))

    def _keep(self) -> None:
        if self._part is not None and self._base is not None:
            steps = [step.words for step in self._shown_steps()]
            name = ", ".join([self._recalled or narrow.name_of(self._part), *steps])
            prints = self._prints[1] if self._prints and self._prints[0] is self._base else None
            whole = self._part is self._whole and self._part.options.within is None
            made = sets.NamedSet(name, self._base, self._part, self._asked, prints, whole)
            try:
                self._shelf.check_room(made)
            except sets.FullError as error:
                self._refuse(str(error))
            else:
                self._put_and_store(self._shelf.keeping(made))

    def _refuse(self, words: str) -> None:
        """Show the pane of sets, which says why no set is kept."""
        if self._sets is not None:
            self._sets.refuse(words)
            self.sets_wanted.emit()

    def _drop(self, one: sets.NamedSet) -> None:
        self._put_and_store(self._shelf.dropping(one))
        self.dropped.emit(f"“{one.name}” was dropped")

    def bring_back(self) -> None:
        """Bring back the set that was dropped last."""
        if self._shelf.dropped:
            key = self._shelf.dropped[-1][1].key
            self._put_and_store(self._shelf.restoring())
            self.dropped.emit("")
            if self._sets is not None:
                self._sets.choose(key)

    def _put(self, shelf: sets.Shelf) -> None:
        self._shelf = shelf
        self._stored |= {one.key for one in shelf.sets}
        base = self._base
        self._button.set_kept(shelf.sets, base)
        same = [one for one in shelf.sets if base is not None and sets.is_of(one, base)]
        self.kept_changed.emit([(one.name, one.result) for one in same])
        self._tell_sets()

    def _put_and_store(self, shelf: sets.Shelf) -> None:
        """Show these sets, and keep them for later starts."""
        self._put(shelf)
        self._wish = shelf.sets, self._stored - {one.key for one in shelf.sets}
        never = progress.CancelToken()

        def done(large: tuple[str, ...]) -> None:
            if large:
                named = ", ".join(f"“{name}”" for name in large)
                self.told.emit(
                    f"Too many hits to keep: at the next start, these sets have only queries: {named}."
                )

        # A name for the job would cancel a job that keeps the set before. The jobs may end in any order.
        self._jobs.run(
            lambda _token, _sink: kept_sets.store(lambda: self._wish, lambda one: self._complete(one, never)),
            done,
            self._fail,
        )

    def _search_inside(self, one: sets.NamedSet) -> None:
        """Limit the next searches to the games of a set."""

        def limit(result: search_model.SearchResult) -> None:
            self._within = narrowing.in_games(result)
            self._button.set_within(True)
            self.scoped.emit(len(self._within))

        self._with_hits_of(one, limit)

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
                self.sets_wanted.emit()

        self._jobs.run(work, done, self._fail, name=_COMPARING)

    def _show_changed(self, result: search_model.SearchResult, words: str) -> None:
        """Show some of the changes."""
        self._jobs.cancel(_JOB, drop=True)
        self._show(result, (), words)
        self._sift()

    def _set_within(self, on: bool) -> None:
        self._within = narrowing.in_games(self._part) if on and self._part is not None else None
        self._button.set_within(self._within is not None)
        self.scoped.emit(-1 if self._within is None else len(self._within))

    def _fail(self, error: errors.CqlguiError) -> None:
        self.failed.emit(str(error))


def _without(
    base: base_model.Base,
    result: search_model.SearchResult,
    found: duplicates.Duplicates,
    token: progress.CancelToken,
) -> search_model.SearchResult:
    """The hits without those of games that are duplicates among the games of the result."""
    left = duplicates.first_ones(base, found, narrowing.in_games(result), cancel=token)
    return narrowing.of_games(result, left)


def _chosen(opened: search_model.SearchResult, choice: _Choice | None) -> _Pair:
    """Some hits, and what the choice in the pane of facets leaves of them."""
    made = opened if choice is None else choice[0](opened)
    # The table needs this value. It is computed here, in a job, because the window would not react while the
    # table computed it.
    _ = made.games.measured
    return opened, made

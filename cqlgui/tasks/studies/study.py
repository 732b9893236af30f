"""Runs a study: many queries over several bases make one table.

A study that is stopped keeps what is done (`study_counts.Kept`), and a later run goes on from there. A query
that fails is named, and the other queries go on.
"""

from __future__ import annotations

import contextlib
import functools
import time
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from cqlgui.base import ahead, errors
from cqlgui.base import progress as progress_module
from cqlgui.base.data import dataclass
from cqlgui.cql.interpreting.runtime import settings
from cqlgui.cql.source import diagnostics
from cqlgui.db import game_filter
from cqlgui.tasks.asking import queries
from cqlgui.tasks.databases import games as games_module
from cqlgui.tasks.judging import judging
from cqlgui.tasks.processes import pool as pool_module
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.results.found import Integers
from cqlgui.tasks.search import hit_details, searching, sieving
from cqlgui.tasks.studies import study_counts, study_text

_JUDGES: Final = {"syzygy": "Syzygy tables", "engine": "an engine"}
_WRITE_SECONDS: Final = 1.0
"""Numbers that are done are written after this time at the latest."""


@dataclass(frozen=True, slots=True)
class StudyBase:
    """A base of a study: its name in the table, and its games."""

    name: str
    base: base_model.Base


@dataclass(frozen=True, slots=True)
class Fault:
    """What went wrong with a query in a base, as a message with the place. `base` is empty if the base does
    not matter, and `query` if the query does not. If the fault is `fatal`, the table lacks the rows."""

    query: str
    base: str
    message: str
    fatal: bool = True


@dataclass(frozen=True, slots=True)
class Part:
    """The rows of a query and a base."""

    query: str
    base: str
    found: study_counts.Found


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of a study: its parts in the order of the queries, and of the bases for each query.
    `again` is the number of parts that were known from an earlier run, and `wanted` the number of all
    parts."""

    study: study_text.Study
    bases: tuple[StudyBase, ...]
    parts: tuple[Part, ...]
    faults: tuple[Fault, ...]
    again: int
    wanted: int
    seconds: float
    cancelled: bool
    judged: tuple[str, ...] = ()
    """The fields that the judges filled (`judgement.Wanted.fields`)."""

    @property
    def failed(self) -> bool:
        """Whether the table lacks rows because of a fault."""
        return any(fault.fatal for fault in self.faults)


def run(
    study: study_text.Study,
    bases: Sequence[StudyBase],
    *,
    resume: bool = False,
    workers: int | None = None,
    cancel: progress_module.CancelToken | None = None,
    progress: progress_module.ProgressSink = progress_module.ignore,
    on_fault: Callable[[Fault], None] | None = None,
    on_begin: Callable[[str, str], None] | None = None,
    on_part: Callable[[Part], None] | None = None,
    pool: pool_module.Pool | None = None,
    judges: judging.Judges | None = None,
) -> Report:
    """Search each base with each query of a study. `on_fault` gets each fault at once, and `on_part` each
    part that is done. `on_begin` gets the names of a query and a base before they are searched. With
    `judges`, the first hit of each game is judged.

    With `resume`, numbers of an earlier run of the same file are used again, as far as query, games and
    groups are the same. If the study is cancelled, the report has the parts that are done. Raises
    `judgement.JudgeError` for a table or an engine that fails; what is done is kept all the same.
    """
    token = cancel or progress_module.CancelToken()
    listeners = on_fault, on_begin, on_part
    return _Run(study, tuple(bases), resume, workers, token, progress, listeners, pool, judges).report()


def _compile(text: str, said: settings.Settings, cancel: progress_module.CancelToken) -> object:
    return sieving.plan(queries.expanded(text, said=said), cancel=cancel)


def _wait(compiling: ahead.Ahead[object] | None) -> None:
    if compiling is not None:
        # The search of the query reports the error.
        with contextlib.suppress(errors.CqlguiError):
            compiling.result()


_Listeners = tuple[
    Callable[[Fault], None] | None, Callable[[str, str], None] | None, Callable[[Part], None] | None
]


class _Run:
    """One run of a study."""

    def __init__(
        self,
        study: study_text.Study,
        bases: tuple[StudyBase, ...],
        resume: bool,
        workers: int | None,
        cancel: progress_module.CancelToken,
        progress: progress_module.ProgressSink,
        listeners: _Listeners,
        pool: pool_module.Pool | None,
        judges: judging.Judges | None,
    ) -> None:
        self.study = study
        self.bases = bases
        self.workers = workers
        self.cancel = cancel
        self.progress = progress
        self.on_fault, self.on_begin, self.on_part = listeners
        self.pool = pool
        self.judges = judges
        self._judges_name = "" if judges is None else judges.name
        self.kept = study_counts.Kept(study, resume=resume)
        self.parts: list[Part] = []
        self.faults: list[Fault] = []
        self.again = 0
        self._facts: dict[int, study_counts.Facts] = {}
        self._within: dict[tuple[int, str], Integers] = {}
        # Which bases lack a text of a filter of games, and the messages that say so.
        self._lacking: set[tuple[int, str]] = set()
        # Bases that can no longer be read.
        self._broken: set[int] = set()
        self._written = time.monotonic()
        self._unkept = False

    def report(self) -> Report:
        started = time.perf_counter()
        ended = False
        self._tell_missing()
        try:
            # Errors in queries are found before the first search, so that the user need not wait for them.
            sound = [one for one in self.study.questions if not self._refused(one)]
            self._all(sound)
            ended = not self.cancel.cancelled
        finally:
            # The numbers of a base that cannot be read at the moment are kept.
            self._write(finished=ended and not self._broken)
        return Report(
            study=self.study,
            bases=self.bases,
            parts=tuple(self.parts),
            faults=tuple(self.faults),
            again=self.again,
            wanted=len(self.study.questions) * len(self.bases),
            seconds=time.perf_counter() - started,
            cancelled=self.cancel.cancelled,
            judged=() if self.judges is None else self.judges.fields,
        )

    def _tell_missing(self) -> None:
        """Tell which judges the study asks for although the user has named none."""
        known = None if self.judges is None else self.judges.wanted
        named = {"syzygy": bool(known and known.syzygy), "engine": bool(known and known.engine)}
        for one in self.study.judge:
            if not named[one]:
                words = f"{self.study.judge_place}The study asks for {_JUDGES[one]}"
                told = f"{words}, which --{one} names. Without it the columns are left out."
                self._fail(Fault("", "", told, fatal=False))

    def _refused(self, question: study_text.Question) -> bool:
        messages = study_text.refused(question)
        for message in messages:
            self._fail(Fault(question.name, "", message))
        return bool(messages)

    def _all(self, questions: Sequence[study_text.Question]) -> None:
        total = len(questions) * sum(one.base.games for one in self.bases)
        done = 0
        compiling: ahead.Ahead[object] | None = None
        # All bases are searched with one query before the next query comes, so that a query is compiled once.
        # Meanwhile a thread compiles the next query.
        for number, question in enumerate(questions, 1):
            words = f"{question.name} ({number} of {len(questions)})"
            _wait(compiling)
            if self.cancel.cancelled:
                return
            compiling = self._compiling(questions[number]) if number < len(questions) else None
            for place, one in enumerate(self.bases):
                if self.cancel.cancelled:
                    # The thread must not outlive the study.
                    _wait(compiling)
                    return

                def tell(report: progress_module.Progress, before: int = done, words: str = words) -> None:
                    self.progress(progress_module.Progress(before + report.done, total, words))

                self.progress(progress_module.Progress(done, total, words))
                self._part(question, place, one, tell)
                done += one.base.games
                if time.monotonic() - self._written >= _WRITE_SECONDS:
                    self._write()

    def _compiling(self, question: study_text.Question) -> ahead.Ahead[object] | None:
        """Begin to compile a query, unless all its numbers are known. `sieving` keeps the result for the
        search."""
        names = (self._key(question, one) for one in self.bases)
        if all(self.kept.get(name) is not None for name in names):
            return None
        said = hit_details.said(self._options(question, None))
        return ahead.Ahead(functools.partial(_compile, question.text, said, self.cancel))

    def _options(self, question: study_text.Question, within: Integers | None) -> search_model.SearchOptions:
        return search_model.SearchOptions(
            workers=self.workers,
            settings=study_text.said(question),
            details=search_model.Details.HITS,
            within=within,
        )

    def _part(
        self,
        question: study_text.Question,
        place: int,
        one: StudyBase,
        tell: progress_module.ProgressSink,
    ) -> None:
        if place in self._broken:
            return
        name = self._key(question, one)
        known = self.kept.get(name)
        if known is not None:
            # A text that the base lacks is told again. The numbers need nothing of the base.
            with contextlib.suppress(errors.CqlguiError):
                self._games(question, place, one)
            self.again += 1
            self._add(Part(question.name, one.name, known))
            return
        if self.on_begin is not None:
            self.on_begin(question.name, one.name)
        try:
            found, whole = self._searched(question, place, one, tell)
        except errors.Cancelled:
            # The judges were stopped.
            return
        except queries.Rejected as rejected:
            for finding in rejected.diagnostics:
                self._fail(Fault(question.name, one.name, question.rendered(finding)))
            return
        except (errors.SourceError, errors.IndexDamaged) as error:
            self._broken.add(place)
            self._fail(Fault("", one.name, f"{one.name}: {error}"))
            return
        if found is None:
            return
        if whole:
            self.kept.put(name, found)
        self._add(Part(question.name, one.name, found))

    def _add(self, part: Part) -> None:
        self.parts.append(part)
        if self.on_part is not None:
            self.on_part(part)

    def _searched(
        self,
        question: study_text.Question,
        place: int,
        one: StudyBase,
        tell: progress_module.ProgressSink,
    ) -> tuple[study_counts.Found | None, bool]:
        """What a query found in a base, and whether all games could be searched. None if the search was
        cancelled or failed."""
        within = self._games(question, place, one)
        result = searching.search(
            one.base,
            question.text,
            self._options(question, within if question.games else None),
            cancel=self.cancel,
            progress=tell,
            pool=self.pool,
        )
        if result.cancelled:
            return None, False
        if result.stopped is not None:
            stop = result.stopped
            message = f"The search stopped at game {stop.game} of {one.name}: {stop.reason}"
            span = diagnostics.Span(max(stop.offset, 0), stop.length)
            told = question.rendered(diagnostics.Diagnostic(span, "stopped", message))
            self._fail(Fault(question.name, one.name, told))
            return None, False
        failed = result.failed_games
        if failed:
            many = f"{len(failed)} of {result.games_searched} games of {one.name} could not be searched"
            message = f"{question.where}: {question.name}: {many}, first game {failed[0].game}: "
            self._fail(Fault(question.name, one.name, message + failed[0].reason, fatal=result.hopeless))
            if result.hopeless:
                return None, False
        if place not in self._facts:
            self._facts[place] = study_counts.facts(one.base)
        if self.judges is not None:
            self.judges.progress = self.progress
        numbers = study_counts.found(one.base, self._facts[place], result, within, self.study, self.judges)
        return numbers, not failed

    def _key(self, question: study_text.Question, one: StudyBase) -> str:
        return study_counts.key(self.study, question, one.base, self._judges_name)

    def _games(self, question: study_text.Question, place: int, one: StudyBase) -> Integers:
        """The games that a query is to search in a base."""
        if (place, question.games) not in self._within:
            found = games_module.fitting(one.base, "")
            terms = [(part, *piece) for part in question.filters for piece in game_filter.pieces(part.text)]
            for part, text, word in terms:
                try:
                    found = np.intersect1d(found, games_module.fitting(one.base, text))
                except game_filter.FilterError as error:
                    # The filter can be understood, so the base lacks a text. No game fits, or each game fits
                    # if the text is not wanted. That is said in both cases.
                    found = found if word.negated else found[:0]
                    message = f"{part.place}{one.name}: games: {error}"
                    if (place, message) not in self._lacking:
                        self._lacking.add((place, message))
                        self._fail(Fault("", one.name, message, fatal=False))
            self._within[place, question.games] = found
        return self._within[place, question.games]

    def _fail(self, fault: Fault) -> None:
        self.faults.append(fault)
        if self.on_fault is not None:
            self.on_fault(fault)

    def _write(self, *, finished: bool = False) -> None:
        try:
            self.kept.write(finished=finished)
        except OSError as error:
            if not self._unkept:
                self._unkept = True
                reason = error.strerror or error
                words = f"What is done cannot be kept: {self.kept.path} cannot be written: {reason}."
                self._fail(Fault("", "", words, fatal=False))
        self._written = time.monotonic()

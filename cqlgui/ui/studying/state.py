"""Holds the study that is shown, and runs it. This module draws nothing."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, Signal

from cqlgui.base import errors, progress
from cqlgui.base.data import dataclass
from cqlgui.tasks.results import base_model
from cqlgui.tasks.studies import study, study_bases, study_counts, study_table, study_text
from cqlgui.ui.look import naming, wording
from cqlgui.ui.loop import jobs

_READING, _RUNNING, _SAVING, _EXAMPLE = "read study", "study", "save study", "example study"
_BUSY: Final = "A study is running. Cancel it first; what is done is kept."
_NO_GAMES: Final = "The study names no bases. Open games first (Ctrl+O): then it searches these."


class Phase(enum.Enum):
    """Where a study is: none is open, it can be run, it runs, it was stopped, or it has ended."""

    EMPTY = "empty"
    READY = "ready"
    RUNNING = "running"
    STOPPED = "stopped"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class _Loaded:
    """A study that was read. `known` is the number of searches that are known from an earlier run. `note`
    says which bases are left out, because they are listed twice."""

    study: study_text.Study
    known: int
    note: str


@dataclass(frozen=True, slots=True)
class Place:
    """A base of the study that runs, and the files to open for it."""

    base: study.StudyBase
    files: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class _Begun:
    """The study was read again, and its bases are open."""

    study: study_text.Study
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Searching:
    """A query begins to search a base."""

    query: str
    base: str


class Runner(QObject):
    """The study shown and its numbers.

    `listed` is emitted when the rows of the table are other ones, without numbers. `happened` carries in
    order what a run tells: `Searching`, `study.Part` and `study.Fault`. `changed` is emitted when the phase
    or the numbers as a whole have changed. `progressed` carries done, total (0 if unknown) and words.
    `opened` carries the path of a study that was opened. `told` carries a sentence about something that was
    done, `failed` one about a fault, and `warned` one about a base that could not be read whole, or that is
    left out because it is listed twice.
    """

    listed = Signal()
    happened = Signal(object)
    changed = Signal()
    progressed = Signal(int, int, str)
    opened = Signal(object)
    told = Signal(str)
    failed = Signal(str)
    warned = Signal(str)

    def __init__(self, door: jobs.Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = door
        self._channel: jobs.Channel[object] | None = None
        self._before = Phase.EMPTY
        self.phase = Phase.EMPTY
        self.study: study_text.Study | None = None
        self.names: tuple[str, ...] = ()
        """The names of the bases in the table."""
        self.places: dict[str, Place] = {}
        """The bases of the last run, by name."""
        self.parts: dict[tuple[str, str], study.Part] = {}
        """The numbers that are known, by query and base."""
        self.faults: list[study.Fault] = []
        self.report: study.Report | None = None
        """The outcome of the last run; None while there is none."""
        self.known = 0
        """The number of searches that a resumed run need not do."""
        self.open_base: base_model.Base | None = None
        """The base that is open in the window, once it is read whole."""
        self.in_open_base = False
        """Whether the open base is searched in place of the study's own bases."""

    @property
    def running(self) -> bool:
        """Whether the study runs."""
        return self.phase is Phase.RUNNING

    @property
    def open_name(self) -> str:
        """The name of the open base in the table; empty if none is open."""
        base = self.open_base
        if base is None:
            return ""
        return base.name or naming.title([source.path for source in base.sources])

    @property
    def uses_open_base(self) -> bool:
        """Whether a run searches the open base: the user wants this, or the study names no bases."""
        return self.study is not None and (self.in_open_base or not self.study.bases)

    @property
    def runnable(self) -> bool:
        """Whether there is something to run."""
        ready = self.study is not None and not self.running
        return ready and not (self.uses_open_base and self.open_base is None)

    def question(self, name: str) -> study_text.Question | None:
        """The query of the study with a name."""
        found = self.study.questions if self.study is not None else ()
        return next((one for one in found if one.name == name), None)

    def faults_of(self, query: str, base: str) -> list[study.Fault]:
        """The faults of a row of the table."""
        return [one for one in self.faults if one.query in ("", query) and one.base in ("", base)]

    def open(self, path: Path) -> None:
        """Read a study and list its rows. If it cannot be read, the study shown stays."""
        if self.running:
            self.failed.emit(_BUSY)
            return

        def work(_token: progress.CancelToken, _sink: progress.ProgressSink) -> _Loaded:
            asked = study_text.read(path.absolute())
            _, notes = study_bases.distinct(asked.bases)
            return _Loaded(asked, study_counts.Kept(asked, resume=True).known, " ".join(notes))

        self._jobs.run(work, self._loaded, lambda error: self.failed.emit(str(error)), name=_READING)

    def _loaded(self, loaded: _Loaded) -> None:
        if self.running:
            return
        self.study, self.known = loaded.study, loaded.known
        self.in_open_base = False
        self._list_ready()
        self.opened.emit(loaded.study.path)
        if loaded.note:
            self.warned.emit(loaded.note)

    def _list_ready(self) -> None:
        """List the rows of a study that was not run yet."""
        assert self.study is not None
        self.phase = Phase.READY
        if self.uses_open_base:
            self._list((self.open_name or "the open games",))
        else:
            self._list(study_bases.names(study_bases.distinct(self.study.bases)[0]))

    def _list(self, names: Sequence[str], places: Sequence[Place] = ()) -> None:
        """List the rows without numbers."""
        self.names = tuple(names)
        self.places = {place.base.name: place for place in places}
        self.parts, self.faults, self.report = {}, [], None
        self.listed.emit()
        self.changed.emit()

    def set_base(self, base: base_model.Base | None) -> None:
        """Tell which base is open in the window; None if none is open or it is not read whole."""
        if base == self.open_base:
            return
        self.open_base = base
        if self.uses_open_base and self.phase is Phase.READY:
            self._list_ready()
        else:
            self.changed.emit()

    def choose_bases(self, *, open_base: bool) -> None:
        """Choose whether a run searches the open base or the study's own bases."""
        if self.study is None or self.running or open_base == self.in_open_base:
            return
        self.in_open_base = open_base
        self._list_ready()

    def run(self, *, resume: bool) -> None:
        """Run the study, as its file is now. With `resume`, numbers of an earlier run are used again."""
        asked = self.study
        if asked is None or self.running:
            return
        own: Place | None = None
        if self.uses_open_base:
            if self.open_base is None:
                self.failed.emit(_NO_GAMES)
                return
            files = self.open_base.paths
            own = Place(study.StudyBase(self.open_name, self.open_base), files)
        self._before, self.phase = self.phase, Phase.RUNNING
        channel: jobs.Channel[object] = self._jobs.channel(self._receive)
        self._channel = channel

        def work(token: progress.CancelToken, sink: progress.ProgressSink) -> study.Report:
            now = study_text.read(asked.path)
            places = (own,) if own is not None else _opened(now, token, sink, channel)
            channel.send(_Begun(now, places))
            return study.run(
                now,
                [place.base for place in places],
                resume=resume,
                cancel=token,
                progress=sink,
                on_begin=lambda query, base: channel.send(Searching(query, base)),
                on_part=channel.send,
                on_fault=channel.send,
            )

        def done(report: study.Report) -> None:
            channel.drain()
            self.report = report
            self.known = len(report.parts)
            self._end(Phase.STOPPED if report.cancelled else Phase.DONE)

        self._jobs.run(
            work,
            done,
            self._fail,
            lambda told: self.progressed.emit(told.done, told.total or 0, told.words),
            name=_RUNNING,
            on_cancelled=lambda: self._end(self._before),
        )
        self.changed.emit()

    def cancel(self) -> None:
        """Stop the run. What is done is kept."""
        self._jobs.cancel(_RUNNING)

    def _receive(self, told: list[object]) -> None:
        batch: list[object] = []
        for one in told:
            if isinstance(one, _Begun):
                self.study = one.study
                self._before = Phase.STOPPED
                self._list([place.base.name for place in one.places], one.places)
            elif isinstance(one, str):
                self.warned.emit(one)
            else:
                if isinstance(one, study.Part):
                    self.parts[one.query, one.base] = one
                elif isinstance(one, study.Fault):
                    self.faults.append(one)
                batch.append(one)
        if batch:
            self.happened.emit(batch)

    def _fail(self, error: errors.CqlguiError) -> None:
        if self._channel is not None:
            self._channel.drain()
        self._end(self._before)
        self.failed.emit(str(error))

    def _end(self, phase: Phase) -> None:
        self.phase = phase
        self.changed.emit()

    def save(self, path: Path) -> None:
        """Write the table of the last run to a file in the background, in the format of its ending."""
        report = self.report
        if report is None:
            return

        def work(_token: object, _sink: object) -> int:
            study_table.checked_ending(path)
            inputs = [report.study.path, *(Path(one.where) for one in report.study.questions)]
            study_table.refuse(report.bases, inputs, path)
            # The dialog has asked whether an existing file is to be replaced.
            study_table.write(report, path, overwrite=True)
            return len(study_table.rows(report))

        self._jobs.run(
            work,
            lambda rows: self.told.emit(f"{wording.counted(rows, 'row', 'rows')} written to {path}."),
            lambda error: self.failed.emit(str(error)),
            name=_SAVING,
        )

    def save_example(self, path: Path) -> None:
        """Write an example of a study to a file, and open it."""
        bases = [source.path for source in self.open_base.sources] if self.open_base is not None else []

        self._jobs.run(
            lambda _token, _sink: study_text.write_example(path, bases),
            lambda _nothing: self.open(path),
            lambda error: self.failed.emit(str(error)),
            name=_EXAMPLE,
        )


def _opened(
    asked: study_text.Study,
    token: progress.CancelToken,
    sink: progress.ProgressSink,
    channel: jobs.Channel[object],
) -> tuple[Place, ...]:
    """Open the bases that a study names."""
    if not asked.bases:
        raise study_text.StudyError(_NO_GAMES)
    found = study_bases.open_bases(asked, cancel=token, progress=sink, on_message=channel.send)
    return tuple(Place(one, (file,)) for one, file in zip(found.bases, found.files, strict=True))

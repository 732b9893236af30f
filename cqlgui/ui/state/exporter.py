"""Writes hits to a file in the background."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PySide6.QtCore import QObject, Signal

from cqlgui.base import errors
from cqlgui.base import progress as progress_module
from cqlgui.tasks.analysis import arranging, sorted_rows
from cqlgui.tasks.export import exporting
from cqlgui.tasks.likeness import duplicates, new_bases
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import narrowing
from cqlgui.ui.loop import jobs
from cqlgui.ui.panels import export_dialog

_JOB = "export"


class Exporter(QObject):
    """`started` carries the file. At the end, `written` carries the `ExportReport`, or `ended` carries a
    sentence and its kind ("error" or "info"). `progressed` carries the same four values as
    `Opener.progressed`: done, total, words and a rate, which is 0 here. `too_large` carries a sentence, and a
    function that writes the file all the same. `made` carries the file of a new base, the number of its
    games, and the number of duplicates that were left out."""

    started = Signal(object)
    progressed = Signal(int, int, str, float)
    written = Signal(object)
    ended = Signal(str, str)
    too_large = Signal(str, object)
    made = Signal(object, int, int)

    def __init__(self, door: jobs.Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = door
        self.note = ""
        """What was left out of the file that was written last, in words; often empty."""

    @property
    def busy(self) -> bool:
        """Whether a file is being written."""
        return self._jobs.active(_JOB)

    def write(
        self,
        base: base_model.Base,
        result: search_model.SearchResult,
        choice: export_dialog.ExportChoice,
        selected: Sequence[int],
        element: tuple[int, int] | None,
        sorts: Sequence[arranging.Key] = (),
        *,
        large: bool = False,
    ) -> None:
        """Write the chosen part of a result; a table has its rows in the order of `sorts`. If the file would
        be very large, `too_large` carries a sentence and a function that writes it all the same, unless
        `large`. If `choice.what` is `SELECTED`, only the `selected` games are written. If `choice.what` is
        `ELEMENT`, only the hits of `element` are written."""
        chosen = list(selected) if choice.what is export_dialog.What.SELECTED else None
        limit = element if choice.what is export_dialog.What.ELEMENT else None
        self.note = ""

        def work(
            token: progress_module.CancelToken, sink: progress_module.ProgressSink
        ) -> tuple[search_model.ExportReport, str]:
            written, games, note = result, chosen, ""
            if choice.unique:
                # Of several games that are the same, one of those that are written stays.
                if limit is not None:
                    written = narrowing.matching(written, *limit)
                if games is not None:
                    written, games = narrowing.of_games(written, np.sort(np.array(games, np.int64))), None
                written, note = duplicates.without(base, written, cancel=token, progress=sink)
            arranged = sorted_rows.arranged(
                base, rows=choice.rows, sorts=sorts, normalise=choice.normalise, cancel=token
            )
            report = exporting.export(
                base,
                written,
                choice.path,
                arranged=arranged,
                games=games,
                annotate=choice.annotate,
                element=limit,
                normalise=choice.normalise,
                rows=choice.rows,
                study=choice.study,
                large=large,
                overwrite=choice.overwrite,
                cancel=token,
                progress=sink,
            )
            return report, note

        def done(ended: tuple[search_model.ExportReport, str]) -> None:
            report, self.note = ended
            self.written.emit(report)

        def fail(error: errors.CqlguiError) -> None:
            if isinstance(error, exporting.TooLarge):
                again = functools.partial(
                    self.write, base, result, choice, selected, element, sorts, large=True
                )
                self.too_large.emit(str(error), again)
            else:
                self.ended.emit(str(error), "error")

        self.started.emit(choice.path)
        self._jobs.run(
            work,
            done,
            fail,
            lambda report: self.progressed.emit(report.done, report.total or 0, report.words, 0.0),
            name=_JOB,
            on_cancelled=lambda: self.ended.emit("Writing was stopped; no file was changed.", "info"),
        )

    def make_base(
        self, base: base_model.Base, games: Sequence[int], path: Path, *, without_duplicates: bool
    ) -> None:
        """Write some games to a new PGN and index it, so that it opens at once. Duplicates among the games
        are left out on request. A file that exists is not written over."""

        def work(
            token: progress_module.CancelToken, sink: progress_module.ProgressSink
        ) -> tuple[base_model.ImportReport, int]:
            wanted = np.array(games, np.int64)
            if without_duplicates:
                wanted = duplicates.find(base, wanted, cancel=token, progress=sink).among(wanted)
            report = new_bases.make(base, wanted.tolist(), path, cancel=token, progress=sink)
            return report, len(games) - len(wanted)

        self.started.emit(path)
        self._jobs.run(
            work,
            lambda done: self.made.emit(path, done[0].base.games, done[1]),
            lambda error: self.ended.emit(str(error), "error"),
            lambda report: self.progressed.emit(report.done, report.total or 0, report.words, 0.0),
            name=_JOB,
            on_cancelled=lambda: self.ended.emit("Writing was stopped; no file was made.", "info"),
        )

    def cancel(self) -> None:
        """Stop writing. The file is not changed."""
        self._jobs.cancel(_JOB)

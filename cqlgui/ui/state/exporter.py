"""Writes hits to a file in the background."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from cqlgui.base import errors
from cqlgui.base import progress as progress_module
from cqlgui.tasks.export import exporting, hit_table
from cqlgui.tasks.results import base_model, search_model
from cqlgui.ui.loop import jobs
from cqlgui.ui.panels import export_dialog

_JOB = "export"


class Exporter(QObject):
    """`started` carries the file. At the end, `written` carries the `ExportReport`, or `ended` carries a
    sentence and its kind ("error" or "info"). `progressed` carries the same four values as
    `Opener.progressed`: done, total, words and a rate, which is 0 here. `too_large` carries a sentence, and a
    function that writes the file all the same."""

    started = Signal(object)
    progressed = Signal(int, int, str, float)
    written = Signal(object)
    ended = Signal(str, str)
    too_large = Signal(str, object)

    def __init__(self, door: jobs.Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = door

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
        rows: hit_table.Rows = hit_table.Rows.HITS,
        *,
        large: bool = False,
    ) -> None:
        """Write the chosen part of a result. `rows` says what a row of a table is. If the file would be very
        large, `too_large` carries a sentence and a function that writes it all the same, unless `large`. If
        `choice.what` is `SELECTED`, only the `selected` games are written. If `choice.what` is `ELEMENT`,
        only the hits of `element` are written."""
        chosen = list(selected) if choice.what is export_dialog.What.SELECTED else None
        limit = element if choice.what is export_dialog.What.ELEMENT else None

        def work(
            token: progress_module.CancelToken, sink: progress_module.ProgressSink
        ) -> search_model.ExportReport:
            return exporting.export(
                base,
                result,
                choice.path,
                games=chosen,
                annotate=choice.annotate,
                element=limit,
                normalise=choice.normalise,
                rows=rows,
                large=large,
                cancel=token,
                progress=sink,
            )

        def fail(error: errors.CqlguiError) -> None:
            if isinstance(error, exporting.TooLarge):
                again = functools.partial(
                    self.write, base, result, choice, selected, element, rows, large=True
                )
                self.too_large.emit(str(error), again)
            else:
                self.ended.emit(str(error), "error")

        self.started.emit(choice.path)
        self._jobs.run(
            work,
            self.written.emit,
            fail,
            lambda report: self.progressed.emit(report.done, report.total or 0, report.words, 0.0),
            name=_JOB,
            on_cancelled=lambda: self.ended.emit("Writing was stopped; no file was changed.", "info"),
        )

    def cancel(self) -> None:
        """Stop writing. The file is not changed."""
        self._jobs.cancel(_JOB)

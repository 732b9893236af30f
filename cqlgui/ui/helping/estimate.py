"""Searches a sample of games while the user writes a query, and estimates how many games the query will find.

The estimate is computed in the background a moment after the last key; the next key supersedes it. Only a
query that has no errors and is compiled has an estimate.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from cqlgui.base import progress
from cqlgui.tasks.results import base_model
from cqlgui.tasks.results.found import Integers
from cqlgui.tasks.search import estimating
from cqlgui.ui.editor import panel
from cqlgui.ui.loop import jobs

DELAY = 250
"""A sample is searched when nothing has changed for this many milliseconds."""
_JOB = "estimate"


class Estimating(QObject):
    """Shows beside the editor how many games the query will find. The number follows the text of the editor
    and the open base. `said` carries the number in words.
    """

    said = Signal(str)

    def __init__(self, door: jobs.Jobs, editor: panel.EditorPanel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = door
        self._editor = editor
        self._base: base_model.Base | None = None
        self._within: Integers | None = None
        # The text that was last estimated, and the words for its estimate.
        self._known: tuple[str, str] | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(DELAY)
        self._timer.timeout.connect(self._ask)
        editor.text_changed.connect(lambda _text: self._overtaken())
        editor.diagnostics_changed.connect(lambda _found: self._timer.start())

    @property
    def busy(self) -> bool:
        """True while an estimate is still to come."""
        return self._timer.isActive() or self._jobs.active(_JOB)

    def set_base(self, base: base_model.Base | None) -> None:
        """Use this base from now on."""
        self._base = base
        self._begin()

    def set_within(self, within: Integers | None) -> None:
        """Estimate within these games from now on. None means all games."""
        self._within = within
        self._begin()

    def tell(self, text: str, words: str) -> None:
        """A search has found the games for a text. If the editor still holds that text, no sample is
        needed."""
        if text == self._editor.text():
            self.stop()
            self._known = text, words
            self._say(words)

    def stop(self) -> None:
        """Stop estimating, so that a search can use all processors. The next change starts a new estimate."""
        self._timer.stop()
        self._jobs.cancel(_JOB, drop=True)

    def _begin(self) -> None:
        self._known = None
        self._overtaken()
        self._timer.start()

    def _overtaken(self) -> None:
        """Remove the estimate of another text, so that the user does not take it for an estimate of the
        editor's text."""
        self.stop()
        text = self._editor.text()
        self._say(self._known[1] if self._known is not None and self._known[0] == text else "")

    def _ask(self) -> None:
        text, base, within = self._editor.text(), self._base, self._within
        if self._editor.checking:
            # When the editor has checked the text, this function is called again.
            return
        faulty = any(one.severity == "error" for one in self._editor.findings)
        if base is None or not base.games or faulty or not text.strip():
            return
        if self._known is not None and self._known[0] == text:
            return

        def work(token: progress.CancelToken, _sink: progress.ProgressSink) -> estimating.Estimate | None:
            return estimating.estimate(base, text, within, cancel=token)

        def done(found: estimating.Estimate | None) -> None:
            self._known = text, "" if found is None else found.words
            self._say(self._known[1])

        # Other parts of the window report errors in the query or the base, so no error is shown here.
        self._jobs.run(work, done, lambda _fault: self._say(""), name=_JOB)

    def _say(self, words: str) -> None:
        self._editor.set_estimate(words)
        self.said.emit(words)

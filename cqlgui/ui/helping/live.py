"""Live truth: at every key and every move, shows which filters of the query hold at the position on the
board.

A question is a query and a position. A worker process evaluates the query at the position. If the question
becomes outdated, the worker is told to drop the question. A question is asked only if a game is on the board,
the text is free of errors, and the answer is unknown. While all workers are busy with a search, the question
waits. Whether a query counts as slow depends only on the time that its worker needs. The wait for a free
worker does not count.
"""

from __future__ import annotations

from PySide6.QtCore import QObject

from cqlgui.base import errors, progress
from cqlgui.cql.editing import structure
from cqlgui.tasks.results import base_model, truth_model
from cqlgui.tasks.search import margin
from cqlgui.ui.editor import gutter, panel
from cqlgui.ui.loop import jobs, turns
from cqlgui.ui.state import browser

PENDING_AFTER = 50
"""If there is no answer after this many milliseconds, the old marks beside the lines turn pale."""
SLOW_AFTER = 500
"""When a worker has used this many milliseconds, the margin says that the query takes too long."""
GIVE_UP_AFTER = 10_000
"""When a worker has used this many milliseconds, the worker is told to stop."""
_SETTLE = 10
_JOB = "live truth"
_Answer = tuple[truth_model.Truth, tuple[truth_model.LineTruth, ...]]
_Place = tuple[base_model.Base, int, int]
"""Base, game and positionid."""


class Live(QObject):
    """Keeps the margin of the editor up to date with the position that the browser shows."""

    def __init__(
        self,
        door: jobs.Jobs,
        editor: panel.EditorPanel,
        shown: browser.Browser,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._jobs = door
        self._editor = editor
        self._browser = shown
        self._breaks = 0
        self._watching = True
        self._settle = turns.once(self, _SETTLE, self._ask)
        self._pending = turns.once(self, PENDING_AFTER, lambda: editor.set_truth(gutter.PENDING))
        self._slow = turns.once(self, SLOW_AFTER, self._too_slow)
        self._end = turns.once(self, GIVE_UP_AFTER, lambda: door.cancel(_JOB, drop=True))
        self._asked: tuple[str, _Place] | None = None
        # The last question that was answered, and the answer. The same question comes again when the editor
        # has checked an unchanged text, or when the user goes to another move and back.
        self._found: tuple[tuple[str, _Place], _Answer] | None = None
        editor.text_changed.connect(lambda _text: self._text_changed())
        editor.diagnostics_changed.connect(lambda _found: self._settle.start())
        shown.shown.connect(lambda _game, _position: self._overtaken())
        shown.shown.connect(lambda _game, _position: self._settle.start())
        editor.edit.gutter.pointed.connect(shown.point_out)

    @property
    def busy(self) -> bool:
        """True while an answer is still to come."""
        return self._settle.isActive() or self._jobs.active(_JOB)

    def watch(self, watching: bool) -> None:
        """Switch the marks beside the lines on or off. They are off, for example, while the board shows no
        position."""
        self._watching = watching
        self._settle.start()

    def _text_changed(self) -> None:
        # If the number of lines is unchanged, the marks beside the lines are kept and turn pale. If the
        # number has changed, the marks are removed, because they would stand beside wrong lines.
        count = self._editor.text().count("\n")
        if count != self._breaks or self._editor.edit.gutter.state == gutter.SLOW:
            self._editor.edit.gutter.forget_rows()
        self._breaks = count
        self._overtaken()

    def _overtaken(self) -> None:
        self._jobs.cancel(_JOB, drop=True)
        self._slow.stop()
        self._end.stop()
        if not self._pending.isActive() and self._editor.edit.gutter.state == gutter.KNOWN:
            self._pending.start()

    def _ask(self) -> None:
        text, base, game = self._editor.text(), self._browser.base, self._browser.game
        if self._editor.checking:
            # When the editor has checked the text, this function is called again.
            return
        faulty = any(one.severity == "error" for one in self._editor.findings)
        if base is None or game is None or faulty or not text.strip() or not self._watching:
            self._overtaken()
            self._show("")
            return
        number, place = game.game, self._browser.positionid
        question = (text, (base, number, place))
        if self._found is not None and _same(self._found[0], question):
            self._answered(question, self._found[1])
            return
        if self._asked is not None and _same(self._asked, question) and self._jobs.active(_JOB):
            return
        self._asked = question

        def work(token: progress.CancelToken, sink: progress.ProgressSink) -> _Answer:
            begun = progress.Progress(0, None)
            return margin.margin(base, number, place, text, cancel=token, begun=lambda: sink(begun))

        self._jobs.run(
            work,
            lambda answer: self._answered(question, answer),
            self._failed,
            lambda _report: self._begun(),
            name=_JOB,
        )
        if not self._pending.isActive() and self._editor.edit.gutter.state != gutter.PENDING:
            self._pending.start()

    def _begun(self) -> None:
        """A worker has begun with the question."""
        self._slow.start()
        self._end.start()

    def _too_slow(self) -> None:
        self._editor.set_truth(gutter.SLOW, rows=self._unknown())

    def _answered(self, question: tuple[str, _Place], answer: _Answer) -> None:
        self._found = (question, answer)
        whole, rows = answer
        game = self._browser.game
        left_out = game is not None and margin.left_out(question[0], game.tree, question[1][2])
        self._show(gutter.KNOWN, whole.matched, rows, left_out=left_out)

    def _failed(self, fault: errors.CqlguiError) -> None:
        self._show(gutter.FAULT, None, self._unknown())
        self._editor.edit.gutter.reason = str(fault)

    def _unknown(self) -> tuple[truth_model.LineTruth, ...]:
        """Entries for the lines that have filters, without the information whether the filters hold."""
        text = self._editor.text()
        query = structure.checked(text).query
        lines = margin.filter_lines(text, query) if query is not None else ()
        return tuple(truth_model.LineTruth(line, None, "", ()) for line in lines)

    def _show(
        self,
        state: str,
        matched: bool | None = None,
        rows: tuple[truth_model.LineTruth, ...] | None = None,
        *,
        left_out: bool = False,
    ) -> None:
        for timer in (self._pending, self._slow, self._end):
            timer.stop()
        self._editor.set_truth(state, matched, rows, left_out=left_out)


def _same(one: tuple[str, _Place], other: tuple[str, _Place]) -> bool:
    """Whether two questions are equal. A base that was read again counts as another base, even if it has the
    same games."""
    return one[0] == other[0] and one[1][0] is other[1][0] and one[1][1:] == other[1][1:]

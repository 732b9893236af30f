"""Answers "Why not?": names the first filter that fails at the position on the board, and leads to the
nearest position where this filter holds."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal

from cqlgui.base import errors, progress
from cqlgui.board import tree
from cqlgui.cql.transforming import words as words_module
from cqlgui.tasks.results import base_model, truth_model
from cqlgui.tasks.search import explaining, margin
from cqlgui.ui.editor import panel
from cqlgui.ui.look import infobar
from cqlgui.ui.loop import jobs
from cqlgui.ui.state import browser

WAIT_AFTER = 500
"""If there is no answer after this many milliseconds, a message says that the answer takes time."""
GIVE_UP_AFTER = 10_000
_JOB = "why not"
_KEY = "why not"


class WhyNot(QObject):
    """Looks for the answer in the background. The answer is shown in the message bar, and the failing filter
    is selected in the text.

    When the text or the position changes, a shown answer is removed and a pending question is dropped. A
    query may run forever, so a question is given up after some time.
    """

    busy_changed = Signal(bool)
    named = Signal()
    """`named` is emitted after a filter of the text was selected."""

    def __init__(
        self,
        door: jobs.Jobs,
        editor: panel.EditorPanel,
        shown: browser.Browser,
        bar: infobar.InfoBar,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._jobs = door
        self._editor = editor
        self._browser = shown
        self._bar = bar
        self._busy = False
        self._wait = self._timer(WAIT_AFTER, self._say_waiting)
        self._end = self._timer(GIVE_UP_AFTER, self._give_up)
        shown.shown.connect(lambda _game, _position: self._overtaken())
        editor.text_changed.connect(lambda _text: self._overtaken())
        editor.why_not_requested.connect(self.ask)

    @property
    def busy(self) -> bool:
        """True while an answer is still to come."""
        return self._busy

    def ask(self) -> None:
        """Find out why the position on the board does not match."""
        self._overtaken()
        base, game = self._browser.base, self._browser.game
        text, place = self._editor.text(), self._browser.positionid
        if base is None or game is None:
            self._say("Open a game first: there is no position to look at.")
            return
        if any(one.severity == "error" for one in self._editor.findings) or not text.strip():
            self._say("The query has to be without mistakes first.")
            return

        def work(token: progress.CancelToken, _sink: progress.ProgressSink) -> truth_model.WhyNot:
            return explaining.why_not(base, game.game, place, text, cancel=token)

        self._jobs.run(work, lambda found: self._answer(text, game, place, found), self._fail, name=_JOB)
        self._wait.start()
        self._end.start()
        self._set_busy(True)

    def stop(self) -> None:
        """Drop the pending question, if there is one."""
        if self._busy:
            self._overtaken()
            self._say("Stopped: why this position does not match was not found out.")

    def _timer(self, after: int, call: Callable[[], None]) -> QTimer:
        made = QTimer(self)
        made.setSingleShot(True)
        made.setInterval(after)
        made.timeout.connect(call)
        return made

    def _overtaken(self) -> None:
        self._jobs.cancel(_JOB, drop=True)
        self._set_busy(False)
        self._bar.dismiss(_KEY)

    def _say_waiting(self) -> None:
        self._say("Looking for the filter that fails ...", ("Stop", self.stop))

    def _give_up(self) -> None:
        self._overtaken()
        seconds = self._end.interval() // 1000
        self._say(f"This takes too long: after {seconds} seconds it was not known which filter fails here.")

    def _set_busy(self, busy: bool) -> None:
        if not busy:
            self._wait.stop()
            self._end.stop()
        if busy != self._busy:
            self._busy = busy
            self.busy_changed.emit(busy)

    def _fail(self, fault: errors.CqlguiError) -> None:
        self._set_busy(False)
        self._say(f"This cannot be told: {fault}")

    def _answer(self, text: str, game: base_model.LoadedGame, asked: int, found: truth_model.WhyNot) -> None:
        self._set_busy(False)
        if self._editor.text() != text:
            return
        part = found.part
        left_out = margin.left_out(text, game.tree, asked)
        if part is None:
            words = "This position matches: every filter of the query holds here."
            self._say(f"{words} But a search passes over variations; cql(variations) looks at them too."
                      if left_out else words)  # fmt: skip
            return
        self._editor.edit.select(part.offset, part.offset + part.length)
        self.named.emit()
        self._say(*self._reason(text, game.tree, asked, found, part))

    def _reason(
        self, text: str, game: tree.GameTree, asked: int, found: truth_model.WhyNot, part: truth_model.Truth
    ) -> tuple[str, infobar.Action | None]:
        """The message about a filter that fails, and an action that goes to the nearest position where the
        filter holds."""
        how = f" ({found.words})" if found.transform not in ("", words_module.AS_WRITTEN) else ""
        line = text.count("\n", 0, part.offset) + 1
        # If the filter is inside a search in the tree or inside a sequence of moves, it may have failed at
        # another position. The message then names that position.
        where = "" if part.positionid == asked else f" at {part.place}"
        words = f"Not here, because `{margin.shortened(part.text)}`{how} fails{where} (line {line})."
        # If the position on the board is in a variation, variations are searched in any case.
        whole = asked >= game.mainline_length or not margin.left_out(text, game, len(game) - 1)
        scope = "this game" if whole else "the main line"
        if found.nearest is None:
            if found.fault:
                return f"{words} Elsewhere it could not be told: {found.fault}", None
            return f"{words} It holds nowhere in {scope}.", None
        nearest, place = found.nearest, _place(game, found.nearest)
        words += f" It holds nearest at {place}"
        if found.whole == nearest:
            words += ", where the whole query matches."
        elif found.whole is not None:
            words += f"; the whole query matches at {_place(game, found.whole)}."
        elif found.fault:
            words += f"; elsewhere the query could not be run: {found.fault}"
        else:
            words += f"; the whole query matches nowhere in {scope}."
        return words, (f"Go to {place}", lambda: self._browser.go(nearest))

    def _say(self, words: str, action: infobar.Action | None = None) -> None:
        self._bar.dismiss(_KEY)
        self._bar.show_message(words, "info", action=action, key=_KEY, front=True)


def _place(game: tree.GameTree, positionid: int) -> str:
    return browser.move_text(game, positionid) or "the start"

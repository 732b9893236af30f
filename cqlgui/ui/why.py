"""Why not? Names the first filter that fails at the position on the board, and leads to where it holds."""

from __future__ import annotations

from PySide6.QtCore import QObject

from cqlgui.base import errors, progress
from cqlgui.board import tree
from cqlgui.tasks import explaining, margin, model
from cqlgui.ui import browser, jobs
from cqlgui.ui.editor import panel
from cqlgui.ui.panels import infobar

_JOB = "why not"
_KEY = "why not"


class WhyNot(QObject):
    """Asks in the background, answers in the bar of messages, with the failing filter selected in the text.

    An answer is taken back when the text or the position changes.
    """

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
        shown.shown.connect(lambda _game, _position: bar.dismiss(_KEY))
        editor.text_changed.connect(lambda _text: bar.dismiss(_KEY))
        editor.why_not_requested.connect(self.ask)

    def ask(self) -> None:
        """Look at the position on the board."""
        base, game = self._browser.base, self._browser.game
        text, place = self._editor.text(), self._browser.positionid
        if base is None or game is None:
            self._say("Open a game first: there is no position to look at.")
            return
        if any(one.severity == "error" for one in self._editor.findings) or not text.strip():
            self._say("The query has to be without mistakes first.")
            return

        def work(token: progress.CancelToken, _sink: progress.ProgressSink) -> model.WhyNot:
            return explaining.why_not(base, game.game, place, text, cancel=token)

        self._jobs.run(
            work,
            lambda found: self._answer(text, game, found),
            lambda fault: self._say(_sentence(fault)),
            name=_JOB,
        )

    def _answer(self, text: str, game: model.LoadedGame, found: model.WhyNot) -> None:
        if self._editor.text() != text:
            return
        part = found.part
        if part is None:
            self._say("This position matches: every filter of the query holds here.")
            return
        self._editor.edit.select(part.offset, part.offset + part.length)
        shown = margin.shortened(part.text)
        how = f" ({found.words})" if found.transform not in ("", "<>") else ""
        line = text.count("\n", 0, part.offset) + 1
        words = f"Not here, because `{shown}`{how} fails (line {line})."
        if found.nearest is None:
            self._say(f"{words} It holds nowhere in this game.")
            return
        where = _place(game.tree, found.nearest)
        words += f" It holds nearest at {where}"
        if found.whole == found.nearest:
            words += ", where the whole query matches."
        elif found.whole is not None:
            words += f"; the whole query matches at {_place(game.tree, found.whole)}."
        else:
            words += "; the whole query matches nowhere in this game."
        nearest = found.nearest
        self._say(words, (f"Go to {where}", lambda: self._browser.go(nearest)))

    def _say(self, words: str, action: infobar.Action | None = None) -> None:
        self._bar.dismiss(_KEY)
        self._bar.show_message(words, "info", action=action, key=_KEY, front=True)


def _place(game: tree.GameTree, positionid: int) -> str:
    return browser.move_text(game, positionid) or "the start"


def _sentence(fault: errors.CqlguiError) -> str:
    return f"This cannot be told: {fault}"

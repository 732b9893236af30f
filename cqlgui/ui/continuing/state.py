"""Holds the tree of continuations of the result shown, and the path that the user chose in it. This module
draws nothing."""

from __future__ import annotations

import functools
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from cqlgui.base import errors, priority, progress
from cqlgui.base.data import dataclass
from cqlgui.tasks.analysis import continuations
from cqlgui.tasks.pictures import terms
from cqlgui.tasks.results import base_model, found, search_model
from cqlgui.ui.loop import jobs

_JOB = "continuations"
Path = tuple[int, ...]
Narrowing = Callable[[search_model.SearchResult], search_model.SearchResult]


@dataclass(frozen=True, slots=True)
class Example:
    """A hit as an example of a path of moves. The position after the moves is `positionid + plies`, because
    the first child of a position has the next positionid."""

    game: int
    positionid: int
    plies: int


@dataclass(frozen=True, slots=True, eq=False)
class _Answer:
    """What a job has found: the place in the tree, its path, and the lines."""

    lines: continuations.Lines
    path: Path
    node: continuations.Node


class Tree(QObject):
    """The place in the tree of the result. `changed` is emitted when `node` and `path` have changed; the
    signal carries whether the user asked for the change. `asked` is emitted when a job begins to look for a
    place. `failed` carries a sentence."""

    changed = Signal(bool)
    asked = Signal()
    failed = Signal(str)

    def __init__(self, door: jobs.Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = door
        self._base: base_model.Base | None = None
        self._result: search_model.SearchResult | None = None
        self._facts: tuple[base_model.Base, continuations.Facts] | None = None
        self._lines: continuations.Lines | None = None
        self._active = False
        self._stale = False
        self.normalised = False
        self.path: Path = ()
        self.node: continuations.Node | None = None

    @property
    def result(self) -> search_model.SearchResult | None:
        """The result whose tree is shown."""
        return self._result

    @property
    def deepest(self) -> int:
        """The greatest number of plies of a path."""
        return continuations.deepest(self._result.positions) - 1 if self._result is not None else 0

    @property
    def facts(self) -> continuations.Facts | None:
        """The facts about the games of the base; None before a tree was computed."""
        return None if self._facts is None else self._facts[1]

    @property
    def busy(self) -> bool:
        """Whether a job looks for a place."""
        return self._jobs.active(_JOB)

    def set_result(self, base: base_model.Base | None, result: search_model.SearchResult | None) -> None:
        """Show the tree of a result. None shows nothing. If the result has the same query as the last one, as
        after a narrowing, the path stays as far as it still has hits."""
        if result is self._result and base is self._base:
            return
        again = result is not None and self._result is not None and result.query == self._result.query
        if base is not self._base:
            self._facts, again = None, False
        self._base, self._result = base, result
        self._keep(None)
        if result is None or not again:
            self.path = ()
        if result is None or not result.positions:
            self._jobs.cancel(_JOB, drop=True)
            self._stale, self.path, self.node = False, (), None
            self.changed.emit(False)
            return
        self._look(self.path, by_user=False)

    def set_normalised(self, on: bool) -> None:
        """Show the moves in the query's own frame, or as they were played. The names of the moves differ, so
        the path begins anew."""
        if on == self.normalised:
            return
        self.normalised = on
        self._keep(None)
        if self._result is not None and self._result.positions:
            self._look((), by_user=False)

    def set_active(self, on: bool) -> None:
        """Set whether the tree is in view. A tree out of view is not computed."""
        self._active = on
        if on and self._stale:
            self._look(self.path, by_user=False)

    def go(self, path: Path) -> bool:
        """Go to a place. Returns False if the path is too long."""
        if self._result is None or len(path) > self.deepest:
            return False
        self._look(path, by_user=True)
        return True

    def example(self, line: int, plies: int) -> Example | None:
        """The hit of a line of the tree."""
        if self._lines is None or line < 0:
            return None
        hit = int(self._lines.hits[line])
        return Example(hit >> found.GAME_SHIFT, hit & found.PLACE_MASK, plies)

    def narrowing(self, path: Path) -> tuple[Narrowing, str, str] | None:
        """A function that leaves the hits of a result whose lines begin with a path, words for it, and the
        term that means the same (`pictures.terms`)."""
        lines = self._lines
        if lines is None or not path:
            return None
        words = "then " + " ".join(continuations.numbered(path))
        if self.normalised:
            words += " in the query's frame"
        term = terms.of_moves(path, framed=self.normalised)
        return functools.partial(continuations.narrowed, lines, path), words, term

    def close(self) -> None:
        """Stop the work, because the pane is being deleted."""
        self._jobs.cancel(_JOB, drop=True)

    def _look(self, path: Path, *, by_user: bool) -> None:
        self._stale = True
        base, result, normalised = self._base, self._result, self.normalised
        if not self._active or base is None or result is None:
            self._jobs.cancel(_JOB, drop=True)
            return
        facts = self._facts[1] if self._facts is not None and self._facts[0] is base else None
        # The work empties this list, so that the lines are not kept until the job has ended.
        given = [self._lines]

        def work(token: progress.CancelToken, _sink: progress.ProgressSink) -> _Answer:
            depth = len(path) + 1
            lines = known = given.pop()
            if lines is None or lines.depth < depth:
                lines = continuations.lines(
                    base, result, depth, normalised=normalised, known=known or facts, cancel=token
                )
            place = path
            node = continuations.node(lines, place, cancel=token)
            while place and not node.count:
                place = place[:-1]
                node = continuations.node(lines, place, cancel=token)
            return _Answer(lines, place, node)

        def done(answer: _Answer) -> None:
            self._stale = False
            self._facts = base, answer.lines.facts
            self._keep(answer.lines)
            self.path, self.node = answer.path, answer.node
            self.changed.emit(by_user)

        self._jobs.run(work, done, self._fail, name=_JOB)
        self.asked.emit()

    def _keep(self, lines: continuations.Lines | None) -> None:
        """Keep these lines instead of the former lines. A job deletes the former lines bit by bit, because
        the window would not react while the system takes back much memory at once."""
        former, self._lines = self._lines, lines
        if former is None or former is lines:
            return
        pieces = list(former.pieces)

        def delete(_token: progress.CancelToken, _sink: progress.ProgressSink) -> None:
            while pieces:
                pieces.pop()
                priority.pause()

        self._jobs.run(delete)

    def _fail(self, error: errors.CqlguiError) -> None:
        self._stale = False
        self.path, self.node = (), None
        self.failed.emit(str(error))

"""Which file or title a text belongs to, through undo and redo.

A text that replaces another (a query opened, a script translated) is one step of undo. After undoing it, the
old text must have its old name again: otherwise saving would write it over the wrong file.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtGui import QTextDocument

from cqlgui.base.data import dataclass


@dataclass(frozen=True, slots=True)
class Identity:
    """The file of a text, or the title of a text that belongs to no file."""

    path: Path | None = None
    title: str = ""


@dataclass(slots=True)
class _Mark:
    """From this number of undo steps on an identity is valid."""

    steps: int
    identity: Identity


class Identities:
    """The identities of a document. Call `follow` at each change of its text, `begin` after a change that
    gave it another identity."""

    def __init__(self, document: QTextDocument) -> None:
        self._document = document
        self._marks = [_Mark(0, Identity())]
        self._steps = 0
        # Whether the change since the last `follow` is a new one, neither undone nor redone.
        self._added = False
        document.undoCommandAdded.connect(self._note_addition)

    @property
    def current(self) -> Identity:
        """The identity of the current text."""
        return self._in_force().identity

    def begin(self, identity: Identity) -> None:
        """From this text on the document has another identity; undoing leads back to the old one."""
        self.follow()
        self._marks = [mark for mark in self._marks if mark.steps != self._steps]
        self._marks.append(_Mark(self._steps, identity))
        self._marks.sort(key=lambda mark: mark.steps)

    def rename(self, identity: Identity) -> None:
        """Replace the identity of the current text, as when it is saved."""
        self._in_force().identity = identity

    def follow(self) -> None:
        """Update the number of undo steps after the text was undone, redone or changed."""
        former, self._steps = self._steps, self._document.availableUndoSteps()
        if self._added:
            self._added = False
            # The steps undone before can no longer be redone, so their identities are dropped.
            self._marks = [mark for mark in self._marks if mark.steps <= former]

    def _note_addition(self) -> None:
        self._added = True

    def _in_force(self) -> _Mark:
        return next(mark for mark in reversed(self._marks) if mark.steps <= self._steps)

"""Remembers the file or the title of each text, also for the texts that undo and redo bring back.

Opening a query or translating a script replaces the text, as one undo step. After the user has undone this
step, the old text must have its old file again. If the old text were still assigned to the new file, saving
the old text would overwrite the new file.
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
    """An identity, and a number of undo steps. The identity is valid only while the document has at least
    this many undo steps."""

    steps: int
    identity: Identity


class Identities:
    """The identities of a document. Call `follow` at each change of the document's text. Call `begin` after a
    change that gave the document another identity."""

    def __init__(self, document: QTextDocument) -> None:
        self._document = document
        self._marks = [_Mark(0, Identity())]
        self._steps = 0
        # Whether a new edit has changed the text since the last `follow`. Undo and redo are not new edits.
        self._added = False
        document.undoCommandAdded.connect(self._note_addition)

    @property
    def current(self) -> Identity:
        """The identity of the current text."""
        return self._in_force().identity

    def begin(self, identity: Identity) -> None:
        """Give another identity to the current text and to all later texts. Undo restores the old
        identity."""
        self.follow()
        self._marks = [mark for mark in self._marks if mark.steps != self._steps]
        self._marks.append(_Mark(self._steps, identity))
        self._marks.sort(key=lambda mark: mark.steps)

    def rename(self, identity: Identity) -> None:
        """Replace the identity of the current text, for example after saving."""
        self._in_force().identity = identity

    def follow(self) -> None:
        """Update the number of undo steps after the text was undone, redone or changed."""
        former, self._steps = self._steps, self._document.availableUndoSteps()
        if self._added:
            self._added = False
            # After a new edit, undone steps cannot be redone any more, and their identities are dropped.
            self._marks = [mark for mark in self._marks if mark.steps <= former]

    def _note_addition(self) -> None:
        self._added = True

    def _in_force(self) -> _Mark:
        return next(mark for mark in reversed(self._marks) if mark.steps <= self._steps)

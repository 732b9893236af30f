"""Keys that a pane takes before the window."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QWidget


class UndoKey(QObject):
    """Takes the key for Undo (Ctrl+Z) in a pane and in its widgets while `is_on` returns True, and calls
    `undo`. Otherwise the window gets the key, and takes back the last change of the query. A text field in
    the pane keeps the key for its own text."""

    def __init__(self, pane: QWidget, is_on: Callable[[], bool], undo: Callable[[], object]) -> None:
        super().__init__(pane)
        self._is_on = is_on
        self._undo = undo
        pane.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if (
            isinstance(event, QKeyEvent)
            and event.type() in (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress)
            and event.matches(QKeySequence.StandardKey.Undo)
            and self._is_on()
        ):
            # An accepted `ShortcutOverride` becomes a `KeyPress`, and no shortcut of the window.
            if event.type() == QEvent.Type.KeyPress:
                self._undo()
            event.accept()
            return True
        return super().eventFilter(watched, event)

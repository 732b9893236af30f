"""Does what takes long on the GUI thread one thing after the other; the event loop goes round in between.

Qt delivers all that is posted in one go, and repaints at the end of it: what a key set off, what searches
found meanwhile and the repaint after them would be one long turn, in which no other key is heard. Knows no
widget.
"""

from __future__ import annotations

import collections
import time
from collections.abc import Callable

from PySide6.QtCore import QAbstractEventDispatcher, QObject, Qt, QTimer, SignalInstance
from PySide6.QtGui import QGuiApplication

from cqlgui.base import priority

TURN_SECONDS = 0.004
"""A turn that has worked for so long leaves what can wait to the next one."""
LEFT_SECONDS = 0.016
"""Turns in a row leave a call for so long: about as long as a picture stands on the screen."""

Call = Callable[[], None]
Later = Callable[[Call], None]
"""Makes a call when its turn comes."""


def now(call: Call) -> None:
    """A `Later` that does not wait."""
    call()


def once(owner: QObject, after: int, call: Callable[[], object] | SignalInstance) -> QTimer:
    """A timer of `owner` that calls once, so many milliseconds after its last start."""
    made = QTimer(owner)
    made.setSingleShot(True)
    made.setInterval(after)
    made.timeout.connect(call)
    return made


class Turns(QObject):
    """A queue of calls, of which each turn of the loop makes one. A turn that has worked for long before may
    leave it to the next one, but not many in a row, and while a button of the mouse is down no two, as all of
    them are long while a pane is dragged.

    While a call is made, and until the loop waits, work in other threads is held back (`priority.hold`).
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._waiting: collections.deque[Call] = collections.deque()
        # Since when turns have left their call to the next one; None when the last one did not.
        self._left: float | None = None
        # Seconds for which this thread had worked when this turn began.
        self._began = time.thread_time()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._take)
        self._dispatcher: QAbstractEventDispatcher | None = QAbstractEventDispatcher.instance()
        if self._dispatcher is not None:
            self._dispatcher.aboutToBlock.connect(self._begin)

    def close(self) -> None:
        """Hear no more of the event loop, which could otherwise call an object that is being deleted."""
        if self._dispatcher is not None:
            self._dispatcher.aboutToBlock.disconnect(self._begin)
            self._dispatcher = None

    def ask(self, call: Call) -> None:
        """Make a call in one of the next turns, after those that were asked for before."""
        self._waiting.append(call)
        if not self._timer.isActive():
            self._timer.start(0)

    def _begin(self) -> None:
        """One turn is over; the loop looks, or waits, for what the next one has to do."""
        priority.let_go()
        self._began = time.thread_time()

    def _take(self) -> None:
        if not self._waiting:
            return
        if time.thread_time() - self._began > TURN_SECONDS and self._may_leave():
            self._timer.start(0)
            return
        self._left = None
        call = self._waiting.popleft()
        if self._waiting:
            # Before the call, which may open a dialog that needs the others.
            self._timer.start(0)
        priority.hold()
        call()

    def _may_leave(self) -> bool:
        """Whether this turn may leave its call to the next one, which is noted then."""
        now = time.monotonic()
        if self._left is None:
            self._left = now
            return True
        dragged = QGuiApplication.mouseButtons() != Qt.MouseButton.NoButton
        return not dragged and now - self._left < LEFT_SECONDS

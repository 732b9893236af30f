"""Splits long work of the GUI thread into several turns of the event loop.

Without this module, Qt would deliver all posted events in one turn, and repaint at the end. The effect of a
key, the results of searches and the repaint would all happen in one long turn. During this turn no other key
would be handled. This module does not use widgets.
"""

from __future__ import annotations

import collections
import time
from collections.abc import Callable

from PySide6.QtCore import QAbstractEventDispatcher, QObject, Qt, QTimer, SignalInstance
from PySide6.QtGui import QGuiApplication

from cqlgui.base import priority

TURN_SECONDS = 0.004
"""If the work in a turn has taken more seconds than this, the next call may be postponed to the next turn."""
LEFT_SECONDS = 0.016
"""A call is postponed for at most this many seconds. This is about the time between two repaints of a
screen."""

Call = Callable[[], None]
Later = Callable[[Call], None]
"""A function that makes a call at once or in a later turn."""


def now(call: Call) -> None:
    """A `Later` that makes the call at once."""
    call()


def once(owner: QObject, after: int, call: Callable[[], object] | SignalInstance) -> QTimer:
    """A timer that makes one call, `after` milliseconds after the last start of the timer. `owner` is the
    parent of the timer."""
    made = QTimer(owner)
    made.setSingleShot(True)
    made.setInterval(after)
    made.timeout.connect(call)
    return made


class Turns(QObject):
    """A queue of calls; each turn of the event loop makes one call. If the work in a turn has already taken
    long, the next call may be postponed to the next turn. A call may be postponed several times, but for at
    most `LEFT_SECONDS`. While the user drags a pane, all turns are long, and every call would be postponed
    several times. A call may therefore be postponed only once while a mouse button is down.

    When a call begins, other threads are held back (`priority.hold`) until the event loop waits for events.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._waiting: collections.deque[Call] = collections.deque()
        # The time when the next call was first postponed; None if the next call has not been postponed.
        self._left: float | None = None
        # The processor time of the GUI thread at the beginning of the turn.
        self._began = time.thread_time()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._take)
        self._dispatcher: QAbstractEventDispatcher | None = QAbstractEventDispatcher.instance()
        if self._dispatcher is not None:
            self._dispatcher.aboutToBlock.connect(self._begin)

    def close(self) -> None:
        """Disconnect from the event loop, because the event loop must not call an object that is being
        deleted."""
        if self._dispatcher is not None:
            self._dispatcher.aboutToBlock.disconnect(self._begin)
            self._dispatcher = None

    def ask(self, call: Call) -> None:
        """Make a call in a later turn, after all calls that are already in the queue."""
        self._waiting.append(call)
        if not self._timer.isActive():
            self._timer.start(0)

    def _begin(self) -> None:
        """The event loop has ended a turn and begins to wait for events. Let other threads run, and store the
        processor time for the next turn."""
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
            # The next turn is requested before the call. The call may open a dialog, and the dialog may need
            # the other calls.
            self._timer.start(0)
        priority.hold()
        call()

    def _may_leave(self) -> bool:
        """Whether the next call may be postponed. When the call is first postponed, the present time is
        stored in `_left`."""
        now = time.monotonic()
        if self._left is None:
            self._left = now
            return True
        dragged = QGuiApplication.mouseButtons() != Qt.MouseButton.NoButton
        return not dragged and now - self._left < LEFT_SECONDS

"""Splits long work of the GUI thread into several turns of the event loop.

Qt delivers all posted events in one go and repaints at the end. So the effect of a key, the results of
searches and the repaint would be one long turn, in which no other key is handled. Does not use widgets.
"""

from __future__ import annotations

import collections
import time
from collections.abc import Callable

from PySide6.QtCore import QAbstractEventDispatcher, QObject, Qt, QTimer, SignalInstance
from PySide6.QtGui import QGuiApplication

from cqlgui.base import priority

TURN_SECONDS = 0.004
"""A turn that has worked for more than this many seconds may leave its call to the next turn."""
LEFT_SECONDS = 0.016
"""A call is postponed for at most this many seconds: about as long as a picture stands on the screen."""

Call = Callable[[], None]
Later = Callable[[Call], None]
"""Makes a call when its turn comes."""


def now(call: Call) -> None:
    """A `Later` that does not wait."""
    call()


def once(owner: QObject, after: int, call: Callable[[], object] | SignalInstance) -> QTimer:
    """A timer of `owner` that calls once, `after` milliseconds after its last start."""
    made = QTimer(owner)
    made.setSingleShot(True)
    made.setInterval(after)
    made.timeout.connect(call)
    return made


class Turns(QObject):
    """A queue of calls; each turn of the event loop makes one call. A turn that has already worked for long
    may leave its call to the next turn. Several turns in a row may do so only for `LEFT_SECONDS`. While a
    mouse button is down, the turn after such a turn must make its call, because all turns are long while a
    pane is dragged.

    From the beginning of a call until the loop waits, other threads are held back (`priority.hold`).
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._waiting: collections.deque[Call] = collections.deque()
        # Since when turns have postponed their call; None if the last turn did not.
        self._left: float | None = None
        # This thread's processor time at the beginning of the turn.
        self._began = time.thread_time()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._take)
        self._dispatcher: QAbstractEventDispatcher | None = QAbstractEventDispatcher.instance()
        if self._dispatcher is not None:
            self._dispatcher.aboutToBlock.connect(self._begin)

    def close(self) -> None:
        """Disconnect from the event loop, which could otherwise call an object that is being deleted."""
        if self._dispatcher is not None:
            self._dispatcher.aboutToBlock.disconnect(self._begin)
            self._dispatcher = None

    def ask(self, call: Call) -> None:
        """Make a call in one of the next turns, after the calls that were asked for before."""
        self._waiting.append(call)
        if not self._timer.isActive():
            self._timer.start(0)

    def _begin(self) -> None:
        """A turn is over; the loop waits for events."""
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
            # The next turn is requested before the call, which may open a dialog that needs the other calls.
            self._timer.start(0)
        priority.hold()
        call()

    def _may_leave(self) -> bool:
        """Whether this turn may postpone its call. The time of the first postponement in a row is noted."""
        now = time.monotonic()
        if self._left is None:
            self._left = now
            return True
        dragged = QGuiApplication.mouseButtons() != Qt.MouseButton.NoButton
        return not dragged and now - self._left < LEFT_SECONDS

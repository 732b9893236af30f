"""Collects Python's cyclic garbage on the GUI thread, at moments when it disturbs nobody.

Left to itself the collector runs in whichever thread happens to allocate. There it stops every other thread
too, for some hundred milliseconds once a search has found many hits, and it may end a Qt object away from the
thread it belongs to. Knows no widget.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

from cqlgui.base import heap
from cqlgui.ui.loop import turns

YOUNG_MS = 300
"""How often what is new is looked through: the more often, the less there is of it each time, and all of it
is looked through once."""
WHOLE_EVERY = 33
"""One in this many looks goes through everything, if nothing is going on."""
MOST = 10_000
"""More new objects than this are not gone through at once, as that takes longer than a repaint. They are
those of a large orbit, as a rule, which go by themselves with its query."""
LONGEST = 0.015
"""Seconds that going through everything may be expected to take; else it is put off."""
PATIENCE = 100
"""After so many looks in a row that found too much, what there is counts as lasting."""
PATIENCE_WITH_ALL = 6
"""After so many times in a row that going through everything was put off for the time it was expected to
take, it is done all the same."""
MOST_BLOCKS = 150_000
"""While more blocks of memory than this have come since what there was counted as lasting, not all of it is
gone through, whatever is expected: a search that is interpreted brings some hundred thousand hits, of which
looks at what is new see a little each time."""
GROWN = 64 << 20
"""By how many bytes unused memory must have grown before it is worth giving back."""
IDLE = 4
"""After so many looks in a row at which nothing was going on, unused memory is given back."""


class Collector(QObject):
    """Takes the collector's work over until `stop`; `busy` tells whether the program is at work, `later` when
    there is time for a look."""

    def __init__(
        self, busy: Callable[[], bool], later: turns.Later = turns.now, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._busy = busy
        self._looks = self._idle = 0
        # How often in a row the new was not gone through, and everything, since it was too much or for the
        # time it was expected to take.
        self._passed_over = self._too_many = self._put_off = 0
        # What going through everything may take: as long as the last time, and what came since.
        self._expected = 0.0
        self._settled = False
        # The least since what there was counted as lasting.
        self._blocks = sys.getallocatedblocks()
        # The least since memory was given back, and what was left then.
        self._unused = heap.unused()
        self._timer = QTimer(self)
        self._timer.setInterval(YOUNG_MS)
        self._timer.timeout.connect(lambda: later(self.look))

    def start(self) -> None:
        """From now on garbage is collected here only; what exists already is taken for lasting."""
        gc.collect()
        gc.disable()
        self._keep()
        self._timer.start()

    def stop(self) -> None:
        """Give the work back to Python."""
        self._timer.stop()
        gc.unfreeze()
        gc.enable()

    def look(self) -> None:
        """Collect what is due: the young objects, or all of them now and then in an idle moment."""
        self._looks += 1
        self._idle = 0 if self._busy() else self._idle + 1
        if self._looks >= WHOLE_EVERY and self._idle:
            self._looks = 0
            self._collect_all()
        elif self._idle < IDLE or not self._give_back():
            self._collect_young()

    def _give_back(self) -> bool:
        """Give unused memory back where there is much more of it; True when that was done."""
        unused = heap.unused()
        self._unused = min(self._unused, unused)
        if unused <= self._unused + GROWN:
            return False
        # Here and now, as the window would wait for memory meanwhile anyway.
        heap.give_back()
        self._unused = heap.unused()
        return True

    def _collect_young(self) -> None:
        # What came since the last look, less what has gone, older ones too: nobody tells more without holding
        # all objects for a moment, and tuples that other threads are making cannot stand that.
        if gc.get_count()[0] <= MOST:
            self._passed_over = 0
            self._expected += self._seconds(1)
            return
        self._passed_over += 1
        if self._passed_over > PATIENCE:
            self._passed_over = 0
            self._keep()

    def _collect_all(self) -> None:
        blocks = sys.getallocatedblocks()
        self._blocks = min(self._blocks, blocks)
        if blocks - self._blocks > MOST_BLOCKS:
            self._too_many += 1
            # Games have been opened by the first time, and what was loaded for that lasts.
            if not self._settled or self._too_many > PATIENCE:
                self._too_many = 0
                self._settled = True
                self._keep()
            return
        self._too_many = 0
        if (self._expected > LONGEST or gc.get_count()[0] > MOST) and self._put_off < PATIENCE_WITH_ALL:
            self._put_off += 1
            return
        self._put_off = 0
        self._expected = self._seconds(2)
        # Later what takes so long is what is shown.
        if not self._settled or self._expected > LONGEST:
            self._settled = True
            self._keep()

    def _keep(self) -> None:
        """Take what there is for lasting. Garbage that is among it stays until `stop`: to find it the window
        would have to wait for as long as is to be spared."""
        gc.freeze()
        self._expected = 0.0
        self._blocks = sys.getallocatedblocks()

    @staticmethod
    def _seconds(generation: int) -> float:
        """Collect a generation and the younger ones; how long it took."""
        started = time.perf_counter()
        gc.collect(generation)
        return time.perf_counter() - started

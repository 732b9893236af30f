"""Collects Python's cyclic garbage on the GUI thread, at moments when it disturbs nobody.

By default Python runs the collector in whichever thread happens to allocate. The collector then stops every
other thread too. Once a search has found many hits, it stops them for some hundred milliseconds. It may also
delete a Qt object in another thread than the object's own. Does not use widgets.
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
"""Milliseconds between collections of young objects. More frequent collections have fewer objects to look
at."""
WHOLE_EVERY = 33
"""One in this many collections is a full one, if the program is idle."""
MOST = 10_000
"""If there are more new objects than this, they are not collected at once, because that takes longer than a
repaint. As a rule so many objects belong to a large orbit and are freed with the query of the orbit."""
LONGEST = 0.015
"""Seconds. A full collection that is expected to take longer is postponed."""
PATIENCE = 100
"""After this many collections in a row that found too many objects, the existing objects count as permanent
(`gc.freeze`)."""
PATIENCE_WITH_ALL = 6
"""After this many postponements in a row, a full collection is done all the same."""
MOST_BLOCKS = 150_000
"""If more blocks of memory than this were allocated since objects were made permanent, no full collection is
done. An interpreted search allocates some hundred thousand hits. The collections of young objects see a few
of these hits each time."""
GROWN = 64 << 20
"""Bytes by which unused memory must have grown before it is given back to the system."""
IDLE = 4
"""After this many idle collections in a row, unused memory is given back."""


class Collector(QObject):
    """Replaces Python's automatic collector until `stop`. `busy` says whether the program is at work; `later`
    makes a call when there is time for it."""

    def __init__(
        self, busy: Callable[[], bool], later: turns.Later = turns.now, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._busy = busy
        self._looks = self._idle = 0
        # Numbers in a row: skipped collections of young objects, skipped full collections, and postponed full
        # collections.
        self._passed_over = self._too_many = self._put_off = 0
        # Expected seconds of a full collection: the seconds of the last full collection and of all
        # collections of young objects since.
        self._expected = 0.0
        self._settled = False
        # The lowest number of memory blocks since objects were made permanent.
        self._blocks = sys.getallocatedblocks()
        # The lowest number of unused bytes measured since memory was last given back. The measurement right
        # after giving back counts, too.
        self._unused = heap.unused()
        self._timer = QTimer(self)
        self._timer.setInterval(YOUNG_MS)
        self._timer.timeout.connect(lambda: later(self.look))

    def start(self) -> None:
        """From now on garbage is collected here only; existing objects become permanent."""
        gc.collect()
        gc.disable()
        self._keep()
        self._timer.start()

    def stop(self) -> None:
        """Switch Python's automatic collector on again."""
        self._timer.stop()
        gc.unfreeze()
        gc.enable()

    def look(self) -> None:
        """Collect what is due: young objects, or now and then all objects, if the program is idle."""
        self._looks += 1
        self._idle = 0 if self._busy() else self._idle + 1
        if self._looks >= WHOLE_EVERY and self._idle:
            self._looks = 0
            self._collect_all()
        elif self._idle < IDLE or not self._give_back():
            self._collect_young()

    def _give_back(self) -> bool:
        """Give unused memory back to the system if there is much of it. True if that was done."""
        unused = heap.unused()
        self._unused = min(self._unused, unused)
        if unused <= self._unused + GROWN:
            return False
        # This runs on the GUI thread, because the window would have to wait for memory anyway.
        heap.give_back()
        self._unused = heap.unused()
        return True

    def _collect_young(self) -> None:
        # This count is allocations minus deallocations, and deallocations of older objects count, too. An
        # exact count would need `gc.get_objects`. Its references are unsafe for tuples that other threads are
        # still building.
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
            # The first time, the objects are those that were loaded when games were opened, and these stay.
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
        # If a later collection is slow, there are many objects because they are on display, and they stay as
        # well.
        if not self._settled or self._expected > LONGEST:
            self._settled = True
            self._keep()

    def _keep(self) -> None:
        """Make the existing objects permanent. Garbage among these objects stays until `stop`, because
        finding it would take the time that is to be saved."""
        gc.freeze()
        self._expected = 0.0
        self._blocks = sys.getallocatedblocks()

    @staticmethod
    def _seconds(generation: int) -> float:
        """Collect a generation and the younger ones. Returns the seconds it took."""
        started = time.perf_counter()
        gc.collect(generation)
        return time.perf_counter() - started

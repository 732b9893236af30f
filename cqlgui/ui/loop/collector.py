"""Collects Python's cyclic garbage on the GUI thread, at moments when it disturbs nobody.

By default the collector runs in whichever thread happens to allocate. There it stops every other thread too,
for some hundred milliseconds once a search has found many hits, and it may delete a Qt object away from its
thread. Does not use widgets.
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
"""Milliseconds between collections of young objects. The more often they run, the fewer objects there are
each time."""
WHOLE_EVERY = 33
"""One in this many collections is a full one, if the program is idle."""
MOST = 10_000
"""More new objects than this are not collected at once, because that takes longer than a repaint. As a rule
they belong to a large orbit and are freed with its query."""
LONGEST = 0.015
"""Seconds that a full collection may be expected to take; otherwise it is postponed."""
PATIENCE = 100
"""After this many collections in a row that found too many objects, the existing objects count as permanent
(`gc.freeze`)."""
PATIENCE_WITH_ALL = 6
"""After this many postponements in a row, a full collection is done all the same."""
MOST_BLOCKS = 150_000
"""While more blocks of memory than this were allocated since objects were made permanent, no full collection
is done: an interpreted search allocates some hundred thousand hits, and collections of young objects see a
few of them each time."""
GROWN = 64 << 20
"""Bytes by which unused memory must have grown before it is given back to the system."""
IDLE = 4
"""After this many idle collections in a row, unused memory is given back."""


class Collector(QObject):
    """Replaces Python's automatic collector until `stop`. `busy` says whether the program is at work; `later`
    calls back when there is time."""

    def __init__(
        self, busy: Callable[[], bool], later: turns.Later = turns.now, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._busy = busy
        self._looks = self._idle = 0
        # How often in a row a young collection was skipped, and a full one was skipped or postponed.
        self._passed_over = self._too_many = self._put_off = 0
        # Expected seconds of a full collection: the last one, and the objects since.
        self._expected = 0.0
        self._settled = False
        # The lowest number of memory blocks since objects were made permanent.
        self._blocks = sys.getallocatedblocks()
        # The lowest number of unused bytes since memory was given back, that left over then included.
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
        """Collect what is due: young objects, or now and then, when idle, all of them."""
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
        # On this thread, because the window would wait for memory meanwhile anyway.
        heap.give_back()
        self._unused = heap.unused()
        return True

    def _collect_young(self) -> None:
        # This count is of allocations minus deallocations, also of older objects. An exact one would need
        # `gc.get_objects`, whose references are unsafe for tuples that other threads are still building.
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
            # The first time, games have been opened already, and what was loaded for that stays.
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
        # If a later collection is slow, the many objects are on display and stay as well.
        if not self._settled or self._expected > LONGEST:
            self._settled = True
            self._keep()

    def _keep(self) -> None:
        """Make the existing objects permanent. Garbage among them stays until `stop`: finding it would take
        the time that is to be saved."""
        gc.freeze()
        self._expected = 0.0
        self._blocks = sys.getallocatedblocks()

    @staticmethod
    def _seconds(generation: int) -> float:
        """Collect a generation and the younger ones. Returns the seconds it took."""
        started = time.perf_counter()
        gc.collect(generation)
        return time.perf_counter() - started

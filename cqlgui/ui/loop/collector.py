"""Collects Python's cyclic garbage on the GUI thread, at moments when the collection does not disturb the
user.

By default Python runs its collector in any thread that allocates memory. During a collection all other
threads wait. After a search with many hits, the wait takes some hundred milliseconds. Python's collector may
also delete a Qt object in the wrong thread. This module does not use widgets.
"""

from __future__ import annotations

import gc
import math
import sys
import time
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

from cqlgui.base import heap
from cqlgui.ui.loop import turns

YOUNG_MS = 300
"""The time in milliseconds between collections of young objects. If the time is shorter, each collection has
fewer objects to examine."""
WHOLE_EVERY = 33
"""After this many calls of `look`, a full collection is due. The full collection waits until the program is
idle."""
MOST = 10_000
"""If there are more new objects than this, the collection is skipped, because the collection would take
longer than a repaint. In most cases the new objects belong to the large orbit of a query, and are freed
together with the query."""
LONGEST = 0.015
"""A time in seconds. A full collection that is expected to take longer is postponed."""
PATIENCE = 100
"""If more than this many collections in a row are skipped because of too many objects, the existing objects
become permanent (`gc.freeze`)."""
PATIENCE_WITH_ALL = 6
"""A full collection is postponed at most this many times in a row."""
MOST_BLOCKS = 150_000
"""If more than this many blocks of memory were allocated since objects were last made permanent, a full
collection is skipped. An interpreted search makes some hundred thousand hits, and a full collection would
examine all of them. A collection of young objects examines only a few of these hits."""
GROWN = 64 << 20
"""If unused memory has grown by more than this many bytes, the memory is given back to the system."""
IDLE = 4
"""If the program was idle at this many calls of `look` in a row, unused memory is given back."""
MEASURING_SHARE = 0.001
"""Unused memory is measured for at most this share of the time. A measurement visits each free part of the
heap. After a result with millions of hits it takes tens of milliseconds, during which the window waits."""
MOST_SECONDS = 60.0
"""After this many seconds unused memory is measured again, even if the last measurement took long. The
process may have been suspended during that measurement."""


class Collector(QObject):
    """Replaces Python's automatic collector until `stop` is called. `busy` says whether the program is at
    work. `later` makes a call when the GUI thread has time for the call."""

    def __init__(
        self, busy: Callable[[], bool], later: turns.Later = turns.now, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._busy = busy
        self._looks = self._idle = 0
        # Three counters of events in a row: how often a collection of young objects was skipped, how often a
        # full collection was skipped, and how often a full collection was postponed.
        self._passed_over = self._too_many = self._put_off = 0
        # The expected time of a full collection in seconds. It is the time of the last full collection, plus
        # the times of all later collections of young objects.
        self._expected = 0.0
        self._settled = False
        # The lowest number of memory blocks since objects were last made permanent.
        self._blocks = sys.getallocatedblocks()
        # The lowest measured number of unused bytes since memory was given back to the system. An estimate of
        # the number directly after giving back counts, too.
        self._unused = heap.unused()
        self._measure_at = -math.inf
        self._timer = QTimer(self)
        self._timer.setInterval(YOUNG_MS)
        self._timer.timeout.connect(lambda: later(self.look))

    def start(self) -> None:
        """Switch Python's automatic collector off, make the existing objects permanent, and begin to collect
        garbage here."""
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
        """Collect young objects. If a full collection is due and the program is idle, collect all objects. If
        the program has been idle for long, give unused memory back."""
        self._looks += 1
        self._idle = 0 if self._busy() else self._idle + 1
        if self._looks >= WHOLE_EVERY and self._idle:
            self._looks = 0
            self._collect_all()
        elif self._idle < IDLE or not self._give_back():
            self._collect_young()

    def _give_back(self) -> bool:
        """If there is much unused memory, give it back to the system and return True."""
        started = time.perf_counter()
        if started < self._measure_at:
            return False
        unused = heap.unused()
        measured = time.perf_counter()
        self._measure_at = measured + min((measured - started) / MEASURING_SHARE, MOST_SECONDS)
        self._unused = min(self._unused, unused)
        if unused <= self._unused + GROWN:
            return False
        # Memory is given back on the GUI thread. Another thread would not help, because the window would
        # still have to wait when it needs memory.
        before = heap.resident()
        heap.give_back()
        # Another measurement would make the window wait once more.
        self._unused = unused - max(0, before - heap.resident())
        return True

    def _collect_young(self) -> None:
        # `gc.get_count` is not exact: it counts allocations minus deallocations, and deallocations of older
        # objects count, too. An exact count would need `gc.get_objects`. That function returns references to
        # tuples that other threads may still be building, which is unsafe.
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
            # Until `_settled` is True, the new objects come from the files that are being opened. These
            # objects will stay in use, and are made permanent.
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
        # After the first full collection, a full collection is slow if the window displays many objects.
        # These objects will stay in use, too, and are made permanent.
        if not self._settled or self._expected > LONGEST:
            self._settled = True
            self._keep()

    def _keep(self) -> None:
        """Make the existing objects permanent. Garbage among these objects is not freed before `stop` is
        called, because a search for the garbage would take too long."""
        gc.freeze()
        self._expected = 0.0
        self._blocks = sys.getallocatedblocks()

    @staticmethod
    def _seconds(generation: int) -> float:
        """Collect a generation and all younger generations. Returns the time of the collection in seconds."""
        started = time.perf_counter()
        gc.collect(generation)
        return time.perf_counter() - started

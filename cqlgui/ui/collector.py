"""Collects Python's cyclic garbage on the GUI thread, at moments when it disturbs nobody.

Left to itself the collector runs in whichever thread happens to allocate. There it stops every other thread
too, for some hundred milliseconds once a search has found many hits, and it may end a Qt object away from the
thread it belongs to. Knows no widget.
"""

from __future__ import annotations

import gc
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

from cqlgui.base import heap

YOUNG_MS = 1000
"""How often what is new is looked through, which takes a few milliseconds."""
WHOLE_EVERY = 10
"""One in this many looks goes through everything, if nothing is going on."""
MOST = 30_000
"""More objects than this are not gone through at once, as that takes longer than a repaint. They are those of
a large orbit, as a rule, which go by themselves with its query."""
PATIENCE = 30
"""After so many looks of a kind in a row that found too much, what there is counts as lasting."""
GROWN = 64 << 20
"""By how many bytes the process must have grown before what is free in it is worth giving back."""


class Collector(QObject):
    """Takes the collector's work over until `stop`; `busy` tells whether the program is at work."""

    def __init__(self, busy: Callable[[], bool], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._busy = busy
        self._looks = 0
        self._put_off = {1: 0, 2: 0}
        self._settled = False
        self._resident = heap.resident()
        self._timer = QTimer(self)
        self._timer.setInterval(YOUNG_MS)
        self._timer.timeout.connect(self.look)

    def start(self) -> None:
        """From now on garbage is collected here only; what exists already is taken for lasting."""
        gc.collect()
        gc.freeze()
        gc.disable()
        self._timer.start()

    def stop(self) -> None:
        """Give the work back to Python."""
        self._timer.stop()
        gc.unfreeze()
        gc.enable()

    def look(self) -> None:
        """Collect what is due: the young objects, or all of them now and then in an idle moment."""
        self._looks += 1
        if self._looks >= WHOLE_EVERY and not self._busy():
            self._looks = 0
            self._go_through(2)
            if not self._settled:
                # By now games were opened: what was loaded for that lasts, and is most of what there is.
                self._settled = True
                gc.freeze()
            resident = heap.resident()
            self._resident = min(self._resident, resident)
            if resident > self._resident + GROWN:
                # Here and now, as the window would wait for memory meanwhile anyway.
                heap.give_back()
                self._resident = heap.resident()
        else:
            self._go_through(1)

    def _go_through(self, generation: int) -> None:
        """Collect a generation and the younger ones, if they are not too many."""
        # What came since the last look, less what has gone, of the old, too; so there may be more.
        count = gc.get_count()[0]
        if count <= MOST:
            count = len(gc.get_objects(generation=0)) + len(gc.get_objects(generation=1))
        if generation == 2 and count <= MOST:
            count += len(gc.get_objects(generation=2))
        if count <= MOST:
            self._put_off[generation] = 0
            gc.collect(generation)
            return
        self._put_off[generation] += 1
        if self._put_off[generation] > PATIENCE:
            self._put_off[generation] = 0
            gc.freeze()

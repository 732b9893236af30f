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
GROWN = 64 << 20
"""By how many bytes the process must have grown before what is free in it is worth giving back."""


class Collector(QObject):
    """Takes the collector's work over until `stop`; `busy` tells whether the program is at work."""

    def __init__(self, busy: Callable[[], bool], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._busy = busy
        self._looks = 0
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
            gc.collect()
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
            gc.collect(1)

"""Time from a click on a transform's chip to the strip as it is painted:  python -m tests.tools.perf.chips

Opens the picker and the editor in the real window without games, and clicks through the chips of a few
patterns. The caller sets CQLGUI_HOME.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # Qt is imported late, after the platform is chosen.
    from PySide6.QtWidgets import QApplication

    from cqlgui.ui.window.main_window import MainWindow

CLICKED = "transform chip to strip, 95th percentile"
WORKED = "the same in processor time, which a busy machine does not spoil"
PATTERNS = ("Nf5 kg8", "Bh7 kg8 check", "Pf6 kg7 Qh6", "Nf5 attacks kg8 wtm Ra1 [QR]d1-8")
WORDS = ("flipcolor", "flipvertical", "fliphorizontal", "flip", "shifthorizontal", "shift")
GIVE_UP_SECONDS = 5
WARM_UP = 3


def main() -> int:
    """Print the median, the 95th percentile and the longest time, in milliseconds."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtWidgets import QApplication

    from cqlgui.tasks.processes import pool
    from cqlgui.ui.window import main_window, start

    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    start.set_up(app)
    shown = main_window.MainWindow()
    shown.show()
    try:
        found = _clicks(app, shown)[WARM_UP:]
    finally:
        shown.close()
        pool.close()
    for name, column in zip((CLICKED, WORKED), zip(*found, strict=True), strict=True):
        figures = sorted(column)
        middle, most = figures[len(figures) // 2], figures[int(0.95 * (len(figures) - 1))]
        print(f"{name}: {most:.0f} ms (median {middle:.0f} ms, longest {figures[-1]:.0f} ms)")
    return 0


def _clicks(app: QApplication, shown: MainWindow) -> list[tuple[float, float]]:
    """Milliseconds by the clock and of processor time for each click."""
    view = shown.picker.view
    figures = []
    for text in PATTERNS:
        for word in WORDS:
            shown.editor.set_text(text)
            _until(app, lambda: not shown.editor.checking and not view.elements.rowCount())
            # Nothing of the former text is to be done any more.
            _until(app, lambda: not shown.picker.busy)
            began, worked = time.perf_counter(), time.process_time()
            shown.picker.toggles[word].click()
            if not _until(app, lambda: view.elements.rowCount() > 0):
                print(f"{word} {{{text}}}: nothing came", file=sys.stderr)
            view.viewport().repaint()
            while not view._bare.isEmpty():
                view.viewport().repaint()
            figures.append(((time.perf_counter() - began) * 1000, (time.process_time() - worked) * 1000))
    return figures


def _until(app: QApplication, there: Callable[[], bool]) -> bool:
    end = time.monotonic() + GIVE_UP_SECONDS
    while not there():
        if time.monotonic() > end:
            return False
        app.processEvents()
        # As Qt's own loop, which waits: one that only turns would keep the interpreter from the workers.
        time.sleep(0.0005)
    return True


if __name__ == "__main__":
    sys.exit(main())

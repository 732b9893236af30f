"""Start-up of the window: what must happen before Qt is loaded, then Qt itself, lazily."""

from __future__ import annotations

from collections.abc import Sequence

from cqlgui.base import heap, places, priority
from cqlgui.base.files import log


def main(argv: Sequence[str]) -> int:
    """Open the window on the files named (PGN sources, one query); the exit code of the program."""
    log.configure()
    priority.switch_often()
    heap.share()
    # Qt loads what lies there as a part of the program.
    places.forget_relative("QT_PLUGIN_PATH", "QT_QPA_PLATFORM_PLUGIN_PATH")
    from cqlgui.ui.window import start

    return start.run(list(argv))

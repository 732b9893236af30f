"""Starts the window: prepares the process before Qt is loaded, then imports Qt."""

from __future__ import annotations

from collections.abc import Sequence

from cqlgui.base import heap, places, priority
from cqlgui.base.files import log


def main(argv: Sequence[str]) -> int:
    """Open the window with the named files (PGN sources and at most one query). Returns the exit code of the
    program."""
    log.configure()
    priority.switch_often()
    heap.share()
    # Qt loads plug-ins from the folders in these two environment variables. A relative path would depend on
    # the current folder, which may belong to a stranger.
    places.forget_relative("QT_PLUGIN_PATH", "QT_QPA_PLATFORM_PLUGIN_PATH")
    from cqlgui.ui.window import start

    return start.run(list(argv))

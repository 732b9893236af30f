"""Start-up of the window: what must happen before Qt is loaded, then Qt itself, lazily."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from cqlgui.base import log

SWITCH_SECONDS = 0.0005
"""How long a thread may keep the interpreter: a tenth of Python's own figure, so that repaints slip in."""


def main(argv: Sequence[str]) -> int:
    """Open the window on the files named (PGN sources, one query); the exit code of the program."""
    log.configure()
    sys.setswitchinterval(SWITCH_SECONDS)
    from cqlgui.ui import start

    return start.run(list(argv))

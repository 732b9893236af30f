"""Imports a PGN in children that die at a chosen moment:  python -m tests.helpers.mortal

Each line on stdin is a JSON list: home, source, moment. A moment is the beginning or the end of a step by
which files or rows are written, counted from 0; the child that reaches it is killed as by the system, without
a word. It says `ready` on stdout, and then for each line the number of moments passed, or -1 when the child
was killed. Children are forked, so that a hundred of them take no longer than a few programs.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cqlgui.base.files import disk
from cqlgui.db import catalog
from cqlgui.jit import native
from cqlgui.pgn import quick
from cqlgui.pgn.packed import copies
from cqlgui.store import index, segments
from cqlgui.tasks.databases import importing, workspace

STEPS: list[tuple[Any, str]] = [
    (disk, "replace_file"),
    (disk, "create"),
    (segments, "write"),
    (index.Manifest, "write"),
    (index.Writer, "commit_segment"),
    (index.Writer, "_sweep"),
    (catalog.Catalog, "source"),
    (catalog.Catalog, "begin"),
    (catalog.Catalog, "add_games"),
    (catalog, "_put"),
    (catalog.Catalog, "finish"),
    (copies.Copy, "put"),
    (copies.Copy, "put_end"),
    (Path, "replace"),
    (Path, "unlink"),
    (os, "fsync"),
]


class Life:
    """Counts moments, and ends at one of them."""

    def __init__(self, end: int) -> None:
        self.passed = 0
        self._end = end

    def moment(self) -> None:
        """One more."""
        if self.passed == self._end:
            os.kill(os.getpid(), signal.SIGKILL)
        self.passed += 1

    def wrap(self, step: Callable[..., Any]) -> Callable[..., Any]:
        """A step that begins and ends with a moment."""

        def wrapped(*given: Any, **named: Any) -> Any:
            self.moment()
            found = step(*given, **named)
            self.moment()
            return found

        return wrapped


def live(home: str, source: str, end: int) -> int:
    """Import until the end comes; gives the number of moments where it does not."""
    os.environ["CQLGUI_HOME"] = home
    importing.FIRST_BATCH, importing.LATER_BATCH = 10, 40
    life = Life(end)
    for owner, name in STEPS:
        setattr(owner, name, life.wrap(getattr(owner, name)))
    importing.open_base([source])
    workspace.close()
    return life.passed


def main() -> None:
    """Serve until stdin ends."""
    if native.available():
        # Compiled here, the reader's code serves all children.
        read = quick.QuickReader().read(quick.padded(b'[White "A"]\n\n1. e4 *\n'))
        assert read.tags()[0]
    print("ready", flush=True)
    for line in sys.stdin:
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            passed = live(*json.loads(line))
            os.write(writing, str(passed).encode())
            os._exit(0)
        os.close(writing)
        _, status = os.waitpid(child, 0)
        told = os.read(reading, 20).decode()
        os.close(reading)
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
            told = "-1"
        print(told, flush=True)


if __name__ == "__main__":
    main()

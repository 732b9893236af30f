"""Ends a server whose client has gone, whatever the server does then."""

from __future__ import annotations

import os
import select
import sys
import threading
import time
from collections.abc import Callable
from typing import Final

from cqlgui.base import progress
from cqlgui.cli import terminal

_PATIENCE_SECONDS: Final = 4.0
"""A server without a client has this time to end by itself. A client that has sent all its requests has this
time to read a part of the answers."""
_EVERY_SECONDS: Final = 0.2


def begin(code: int, close: Callable[[], None], cancel: progress.CancelToken | None = None) -> None:
    """Watch standard input and output in a thread. A client that has closed both has gone: `cancel` is
    cancelled, and a server that goes on is ended with the exit code `code`. A client that has closed only the
    input may still wait for answers, but has gone too if it reads no answer. `close` releases what the
    process uses. Nothing is watched where the system has no `poll`."""
    if not hasattr(select, "poll"):
        return
    # The package mcp gives both numbers to other files while it serves.
    source, target = os.dup(sys.stdin.fileno()), os.dup(sys.stdout.fileno())

    def watch() -> None:
        # With no other events, `poll` waits until the client closes its end of the input.
        _polled(source, 0, None)
        begun = time.monotonic()
        while time.monotonic() < begun + _PATIENCE_SECONDS:
            state = _polled(target, select.POLLOUT, 0)
            if state & (select.POLLERR | select.POLLHUP):
                break
            if state:
                begun = time.monotonic()
            time.sleep(_EVERY_SECONDS)
        if cancel is not None:
            cancel.cancel()
        time.sleep(_PATIENCE_SECONDS)
        terminal.end(code, close)

    threading.Thread(target=watch, name="client", daemon=True).start()


def _polled(stream: int, events: int, milliseconds: int | None) -> int:
    """The state of a stream, as `select.poll` tells it; 0 for none of the `events`."""
    waiting = select.poll()
    waiting.register(stream, events)
    found = waiting.poll(milliseconds)
    return found[0][1] if found else 0

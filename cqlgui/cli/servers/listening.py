"""The input of a server, read ahead by a thread, so that its end is noticed whatever the server does."""

from __future__ import annotations

import io
import os
import queue
import sys
import threading
import time
from collections.abc import Callable
from typing import Final

from cqlgui.base import progress
from cqlgui.cli import terminal

_PIECE: Final = 1 << 16
_LAST_SECONDS: Final = 4.0
"""After its input has ended, a server has this time to end by itself."""


def begin(
    code: int, close: Callable[[], None], cancel: progress.CancelToken | None = None
) -> io.BufferedReader:
    """Begin to read standard input; returns it as a stream. When it ends, the client has gone, and `cancel`
    is cancelled. A server that goes on then, because it writes an answer that nobody reads, is ended with the
    exit code `code`. `close` releases what the process uses."""
    pieces: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    # Reading the stream itself would hold its lock, for which Python waits at exit.
    source = sys.stdin.fileno()

    def listen() -> None:
        piece = b" "
        while piece:
            try:
                piece = os.read(source, _PIECE)
            except OSError:
                piece = b""
            pieces.put(piece)
        if cancel is not None:
            cancel.cancel()
        time.sleep(_LAST_SECONDS)
        terminal.end(code, close)

    threading.Thread(target=listen, name="input", daemon=True).start()
    return io.BufferedReader(_Input(pieces))


class _Input(io.RawIOBase):
    """Bytes that another thread has read."""

    def __init__(self, pieces: queue.SimpleQueue[bytes]) -> None:
        self._pieces = pieces
        self._piece = b""

    def readable(self) -> bool:
        """True."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # it gets no other buffers
        """Wait for bytes; 0 at the end."""
        piece = self._piece or self._pieces.get()
        if not piece:
            self._pieces.put(piece)
        count = min(len(piece), len(buffer))
        buffer[:count] = piece[:count]
        self._piece = piece[count:]
        return count

"""Messages between the program and its workers: a length of four bytes, big-endian, then JSON.

Messages are never pickles. If a hostile game takes over a worker, the worker therefore cannot run code in the
program.
"""

from __future__ import annotations

import json
import struct
from typing import IO, Any

Envelope = dict[str, Any]

_LENGTH = struct.Struct(">I")
LIMIT = 1 << 30


def write(stream: IO[bytes], message: Envelope) -> None:
    """Send one message; raises `OSError` or `ValueError` if the other end is closed."""
    data = json.dumps(message, separators=(",", ":")).encode("ascii")
    stream.write(_LENGTH.pack(len(data)) + data)
    stream.flush()


def read(stream: IO[bytes]) -> Envelope | None:
    """The next message. None at the end of the stream, and for a message that is cut off or malformed."""
    head = _exactly(stream, _LENGTH.size)
    if head is None:
        return None
    (length,) = _LENGTH.unpack(head)
    if length > LIMIT:
        return None
    data = _exactly(stream, length)
    if data is None:
        return None
    try:
        message = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return message if isinstance(message, dict) else None


def _exactly(stream: IO[bytes], length: int) -> bytes | None:
    data = bytearray()
    while len(data) < length:
        part = stream.read(length - len(data))
        if not part:
            return None
        data += part
    return bytes(data)

"""The digest of a long text: the blake2b digest over the digests of its blocks.

Threads can hash blocks at the same time, and a text that comes in pieces can be hashed as it comes. Both ways
give the same digest.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Sequence
from typing import Final

from cqlgui.base import progress

BLOCK: Final = 1 << 20
_HASHERS: Final = 2


def of(
    read: Callable[[int, int], bytes], size: int, *, cancel: progress.CancelToken | None = None
) -> str | None:
    """The digest of the first `size` bytes of a text; None if the text is shorter. `read(offset, length)`
    returns fewer than `length` bytes only at the end of the text. Two threads call `read`.

    Raises `errors.Cancelled` and the errors of `read`.
    """
    parts = range(0, size, BLOCK)
    found = [b""] * len(parts)
    faults: list[Exception] = []
    over = threading.Event()

    def work(begin: int) -> None:
        try:
            for number in range(begin, len(parts), _HASHERS):
                if over.is_set():
                    return
                if cancel is not None:
                    cancel.raise_if_cancelled()
                length = min(BLOCK, size - parts[number])
                block = read(parts[number], length)
                if len(block) < length:
                    over.set()
                    return
                found[number] = _of_block(block)
        except Exception as fault:
            # The fault is raised again below: without the whole text there is no digest.
            faults.append(fault)
            over.set()

    others = [threading.Thread(target=work, args=(n,), name="hasher") for n in range(1, _HASHERS)]
    try:
        for other in others:
            other.start()
        work(0)
        for other in others:
            other.join()
    finally:
        # If this thread is interrupted, the other threads end after their current block.
        ended = over.is_set()
        over.set()
    if faults:
        raise faults[0]
    return None if ended else _joined(found)


class Running:
    """The digest of a text that comes in pieces."""

    def __init__(self) -> None:
        self._blocks: list[bytes] = []
        self._open = hashlib.blake2b(digest_size=_BLOCK_BYTES)
        self._size = 0

    def add(self, data: bytes) -> None:
        """Add the next piece of the text."""
        at = 0
        while at < len(data):
            piece = memoryview(data)[at : at + BLOCK - self._size]
            self._open.update(piece)
            at += len(piece)
            self._size += len(piece)
            if self._size == BLOCK:
                self._blocks.append(self._open.digest())
                self._open = hashlib.blake2b(digest_size=_BLOCK_BYTES)
                self._size = 0

    def value(self) -> str:
        """The digest of the text so far."""
        return _joined([*self._blocks, self._open.digest()] if self._size else self._blocks)


_BLOCK_BYTES: Final = 32


def _of_block(block: bytes) -> bytes:
    return hashlib.blake2b(block, digest_size=_BLOCK_BYTES).digest()


def _joined(blocks: Sequence[bytes]) -> str:
    return hashlib.blake2b(b"".join(blocks), digest_size=20).hexdigest()

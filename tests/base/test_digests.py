"""The digest of a text is the same whether threads hash its blocks or one thread hashes it piece by piece."""

from __future__ import annotations

import random
import threading

import pytest

from cqlgui.base import digests


@pytest.mark.parametrize("size", [0, 1, digests.BLOCK - 1, digests.BLOCK, 3 * digests.BLOCK + 17])
def test_pieces_of_any_size_have_the_digest_of_the_blocks(size: int) -> None:
    rng = random.Random(size)
    data = rng.randbytes(size)
    running = digests.Running()
    at = 0
    while at < size:
        piece = data[at : at + rng.choice((1, 1000, digests.BLOCK, 2 * digests.BLOCK))]
        running.add(piece)
        at += len(piece)
    assert running.value() == digests.of(lambda offset, length: data[offset : offset + length], size)
    changed = bytes([data[0] ^ 1]) + data[1:] if data else b"x"
    assert running.value() != digests.of(
        lambda offset, length: changed[offset : offset + length], len(changed)
    )


def test_a_text_that_is_shorter_has_no_digest() -> None:
    data = bytes(100)
    assert digests.of(lambda offset, length: data[offset : offset + length], 101) is None


def test_hashers_end_with_whoever_asked_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """An interrupt of the asking thread ends the others at the block that they have."""
    gone, read = threading.Event(), []

    class Interrupt(BaseException):
        pass

    def interrupted(_offset: int, length: int) -> bytes:
        if threading.current_thread() is threading.main_thread():
            raise Interrupt
        read.append(length)
        assert gone.wait(30)
        return bytes(length)

    monkeypatch.setattr(digests, "BLOCK", 10)
    try:
        with pytest.raises(Interrupt):
            digests.of(interrupted, 1000)
        others = [thread for thread in threading.enumerate() if thread.name == "hasher"]
    finally:
        gone.set()
    for other in others:
        other.join(30)
        assert not other.is_alive()
    assert len(read) <= 1

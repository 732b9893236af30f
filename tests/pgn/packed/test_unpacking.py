"""The blocks of zstandard frames are found by their headers, wherever the pieces of a file end."""

from __future__ import annotations

import io
import random
from pathlib import Path

import pytest
import zstandard

from cqlgui.pgn.packed import unpacking

NOISE = random.Random(1).randbytes(400_000)
TEXT = NOISE[:200_000].hex().encode()


def frames() -> list[tuple[bytes, bytes]]:
    """Packed frames of all forms, each with its text."""
    found = [(b"\x50\x2a\x4d\x18" + (5).to_bytes(4, "little") + b"12345", b"")]
    for data in (b"", b"1. e4 *", NOISE, b"a" * 700_000, TEXT):
        for checksum in (False, True):
            for size in (False, True):
                machine = zstandard.ZstdCompressor(write_checksum=checksum, write_content_size=size)
                found.append((machine.compress(data), data))
    return found


def unpacked(packed: bytes) -> tuple[bytes, list[str]]:
    damage: list[str] = []
    return b"".join(unpacking.blocks(Path("a.zst"), "zst", io.BytesIO(packed), damage)), damage


@pytest.mark.parametrize("most", [1, 7, 1 << 10, 1 << 17])
def test_frames_of_all_forms_are_unpacked_in_pieces_of_any_size(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    some = [(packed, text) for packed, text in frames() if most > 100 or len(packed) < 1000]
    monkeypatch.setattr(unpacking, "_SIP", most)
    monkeypatch.setattr(unpacking._Zstandard, "most", most)
    packed, text = (b"".join(parts) for parts in zip(*some, strict=True))
    assert unpacked(packed) == (text, [])


def test_a_frame_that_is_cut_off_anywhere_says_so() -> None:
    whole = b"1. e4 e5 *\n" * 30 + NOISE[:50]
    packed = zstandard.ZstdCompressor(write_checksum=True).compress(whole)
    for length in range(1, len(packed)):
        text, damage = unpacked(packed[:length])
        # The text is a single block, which only the checksum of four bytes follows.
        assert (damage, text) == (["it is cut off"], whole if length >= len(packed) - 4 else b"")


def test_no_piece_is_much_larger_than_a_megabyte() -> None:
    packed = zstandard.ZstdCompressor().compress(b"a" * (64 << 20))
    assert len(packed) < 10_000
    sizes = [len(one) for one in unpacking.blocks(Path("a.zst"), "zst", io.BytesIO(packed), [])]
    assert sum(sizes) == 64 << 20
    assert max(sizes) <= 2 << 20


@pytest.mark.parametrize("junk", [b"junk", b"no frame at all" * 9])
def test_bytes_behind_the_last_frame_are_called_wrong_and_not_cut_off(junk: bytes) -> None:
    packed = zstandard.compress(b"1. e4 *")
    assert unpacked(packed + junk) == (b"1. e4 *", [f"its bytes are wrong from byte {len(packed)} on"])

"""A packed text is read while it is unpacked, and later from its copy: always the same bytes at an offset."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
import zstandard

from cqlgui.base import digests, errors, progress
from cqlgui.pgn import archives, texts
from cqlgui.pgn.packed import copies, stream, unpacking
from tests.helpers import faults

GAMES = faults.text(20_000).encode()


@pytest.fixture
def small_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "FRAME", 10_000)
    monkeypatch.setattr(unpacking, "_BLOCK", 100_000)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "a.pgn.zst"
    found.write_bytes(zstandard.ZstdCompressor(write_checksum=True).compress(GAMES))
    return found


def spots(seed: int, count: int = 60) -> list[tuple[int, int]]:
    rng = random.Random(seed)
    return [(rng.randrange(len(GAMES)), rng.choice((1, 500, 30_000))) for _ in range(count)]


def test_the_first_bytes_come_before_the_rest_is_unpacked(path: Path, tmp_path: Path) -> None:
    assert len(GAMES) > 3 << 20
    with archives.open_source(path, tmp_path / "cache") as text:
        assert text.read(0, 100) == GAMES[:100]
        assert not text.ended
        assert text.size < len(GAMES) // 2
        done, total = text.share(100)
        assert 0 < done <= total == path.stat().st_size
        text.finish()
        assert (text.ended, text.size) == (True, len(GAMES))


@pytest.mark.usefixtures("small_frames")
def test_every_place_has_its_bytes_while_unpacking_and_later(path: Path, tmp_path: Path) -> None:
    for seed in range(3):
        with archives.open_source(path, tmp_path / "cache") as text:
            for number, (offset, length) in enumerate(spots(seed)):
                assert text.read(offset, length) == GAMES[offset : offset + length]
                if number % 10 == 3:
                    text.keep()
            assert text.read(len(GAMES) - 5, 100) == GAMES[-5:]
            assert text.read(len(GAMES), 100) == b""
            assert text.digest() == digests.of(lambda at, size: GAMES[at : at + size], len(GAMES))


def test_what_was_kept_is_not_unpacked_again(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with archives.open_source(path, tmp_path / "cache") as text:
        text.read(0, 1 << 20)
        text.keep()
    monkeypatch.setattr(stream, "_Unpacking", None)
    with archives.open_source(path, tmp_path / "cache") as text:
        assert text.read(5000, 1000) == GAMES[5000:6000]
        assert not text.ended


@pytest.mark.usefixtures("small_frames")
@pytest.mark.parametrize("seed", range(4))
def test_missing_and_damaged_parts_are_unpacked_again(seed: int, path: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    rng = random.Random(seed)
    with archives.open_source(path, cache) as text:
        for at in range(0, len(GAMES), len(GAMES) // 7):
            text.read(0, at)
            text.keep()
        text.finish()
    parts = sorted(cache.glob("*.part"))
    assert len(parts) > 4
    for part in rng.sample(parts, 3):
        data = bytearray(part.read_bytes())
        place = rng.randrange(len(data))
        harms = (b"", bytes(data[:place]), bytes(data[:place] + bytes([data[place] ^ 4]) + data[place + 1 :]))
        part.write_bytes(rng.choice(harms))
    rng.choice(parts).unlink(missing_ok=True)
    with archives.open_source(path, cache) as text:
        for offset, length in spots(seed):
            assert text.read(offset, length) == GAMES[offset : offset + length]
        assert text.read(0, len(GAMES) + 1) == GAMES
    # The copy is whole again.
    path.write_bytes(b"?")
    copy = copies.Copy(cache, "text-", parts[0].name.rsplit("-", 2)[0])
    assert copy.reach(0) == len(GAMES)


def test_two_programs_may_unpack_at_once(path: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    with archives.open_source(path, cache) as one, archives.open_source(path, cache) as other:
        one.read(0, 1_000_000)
        one.keep()
        other.read(0, 2_500_000)
        other.keep()
        one.finish()
        other.finish()
        assert one.read(0, len(GAMES)) == other.read(0, len(GAMES)) == GAMES
    with archives.open_source(path, cache) as text:
        assert text.read(0, len(GAMES)) == GAMES


def test_a_copy_of_a_file_that_changed_meanwhile_is_not_kept(path: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    with archives.open_source(path, cache) as text:
        text.read(0, 1 << 20)
        os.utime(path, ns=(10**18, 10**18))
        with pytest.raises(texts.ChangedError):
            text.keep()
    assert not list(cache.iterdir())


def test_finishing_can_be_cancelled_and_keeps_what_was_unpacked(path: Path, tmp_path: Path) -> None:
    token = progress.CancelToken()
    with archives.open_source(path, tmp_path / "cache", cancel=token) as text:
        text.read(0, 1 << 20)
        token.cancel()
        with pytest.raises(errors.Cancelled):
            text.finish()
        assert text.read(100, 1000) == GAMES[100:1100]
    said: list[str] = []
    with archives.open_source(
        path, tmp_path / "cache", report=lambda report: said.append(report.words)
    ) as text:
        assert text.size >= 1 << 20
        assert text.read(0, len(GAMES)) == GAMES
    assert said[0] == "Unpacking a.pgn.zst"

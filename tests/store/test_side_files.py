"""What stands beside a segment is used only where it is sound and belongs to that segment."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cqlgui.base.files import disk, soundness
from cqlgui.store import index, segments, side_files

CONTENT = bytes(range(200))


@pytest.fixture
def segment(tmp_path: Path) -> Iterator[segments.Segment]:
    path = tmp_path / "000000-0.seg"
    segments.write(path, segments.Block.of([game(3), game(5)]))
    opened = segments.Segment(path)
    yield opened
    opened.close()


def game(length: int) -> segments.GameRecord:
    return segments.GameRecord(0, length, 1, segments.array("H", range(length)), None, length, length + 1, 0)


def test_content_comes_back(segment: segments.Segment) -> None:
    assert side_files.read(segment, 1) is None
    assert side_files.write(segment, 1, CONTENT)
    assert side_files.read(segment, 1) == CONTENT
    assert side_files.read(segment, 2) is None
    assert side_files.write(segment, 2, b"")
    assert side_files.read(segment, 2) == b""


def test_every_damage_is_noticed(segment: segments.Segment) -> None:
    side_files.write(segment, 1, CONTENT)
    path = side_files.path_of(segment.path)
    good = path.read_bytes()
    for place in range(len(good)):
        path.write_bytes(good[:place])
        assert side_files.read(segment, 1) is None
        path.write_bytes(good[:place] + bytes([good[place] ^ 1]) + good[place + 1 :])
        assert side_files.read(segment, 1) is None
    path.write_bytes(good + b"\0")
    assert side_files.read(segment, 1) is None


def test_another_segment_of_that_name_has_none(segment: segments.Segment, tmp_path: Path) -> None:
    side_files.write(segment, 1, CONTENT)
    segments.write(segment.path, segments.Block.of([game(3), game(6)]))
    other = segments.Segment(segment.path)
    assert side_files.read(other, 1) is None
    other.close()


def test_a_disk_that_refuses_does_no_harm(segment: segments.Segment) -> None:
    side_files.path_of(segment.path).mkdir()
    assert not side_files.write(segment, 1, CONTENT)
    assert side_files.read(segment, 1) is None


def test_the_writer_removes_what_belongs_to_no_segment(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    with index.Writer(folder, index.Identity("a", disk.State(1, 1, 1), 1, "x")) as writer:
        writer.add(game(3))
        writer.commit_segment(1, 1)
    with index.SourceIndex.open(folder) as opened:
        _, part = next(opened.parts)
        side_files.write(part, 1, CONTENT)
        stray = folder / "000009-0.sig"
        stray.write_bytes(b"")
        with index.Writer(folder, index.Identity("a", disk.State(1, 1, 1), 1, "x")):
            pass
        assert side_files.read(part, 1) == CONTENT
        assert not stray.exists()
    with index.Writer(folder, index.Identity("b", disk.State(1, 1, 1), 1, "y")):
        pass
    assert not list(folder.glob("*.sig"))


def test_what_was_read_beforehand_is_taken_once_and_only_for_its_segment(segment: segments.Segment) -> None:
    side_files.write(segment, 1, CONTENT)
    side_files.begin([segment.path])
    assert side_files.read(segment, 1) == CONTENT
    side_files.write(segment, 2, b"")
    assert side_files.read(segment, 2) == b""
    side_files.begin([segment.path, segment.path.with_name("none.seg")])
    assert side_files.read(segment, 1) is None
    path = side_files.path_of(segment.path)
    path.write_bytes(path.read_bytes() + b"\0")
    side_files.begin([segment.path])
    assert side_files.read(segment, 2) is None
    side_files.write(segment, 1, CONTENT)
    segments.write(segment.path, segments.Block.of([game(3), game(6)]))
    side_files.begin([segment.path])
    other = segments.Segment(segment.path)
    assert side_files.read(other, 1) is None
    other.close()


def _signed(folder: Path) -> Path:
    """The path of a segment that has signatures, in a new index."""
    with index.Writer(folder, index.Identity("a", disk.State(1, 1, 1), 1, "x")) as writer:
        writer.add(game(3))
        writer.commit_segment(100, 5, complete=True)
    with index.SourceIndex.open(folder) as opened:
        ((_, segment),) = opened.parts
        assert side_files.write(segment, 1, CONTENT)
        return segment.path


def test_what_was_found_sound_beforehand_is_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _signed(tmp_path)
    monkeypatch.setattr(soundness, "YOUNG", -1e9)
    checksum, checked = side_files._checksum, []

    def noted(content: bytes | memoryview) -> bytes:
        checked.append(len(content))
        return checksum(content)

    monkeypatch.setattr(side_files, "_checksum", noted)
    for times in (1, 1):
        side_files.begin([path])
        # The file is old enough to be noted, and `read` comes later than the check.
        with index.SourceIndex.open(tmp_path) as opened:
            ((_, segment),) = opened.parts
            assert side_files.read(segment, 1) == CONTENT
        assert len(checked) == times


def test_a_young_file_is_not_noted_even_if_it_is_read_late(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _signed(tmp_path)
    for young, known in ((1e9, False), (-1e9, True)):
        monkeypatch.setattr(soundness, "YOUNG", young)
        side_files.begin([path])
        found = side_files._begun[path].result()
        monkeypatch.setattr(soundness, "YOUNG", -1e9)
        with index.SourceIndex.open(tmp_path) as opened:
            ((_, segment),) = opened.parts
            assert side_files.read(segment, 1) == CONTENT
        assert found is not None
        side = side_files.path_of(path)
        state = soundness.Checked.of([side])
        assert state is not None
        assert soundness.Ledger(tmp_path / segments.NOTE).has(side, state) is known

"""Notes that files were found sound."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from cqlgui.base.files import soundness

_OLD = 60.0


def _files(folder: Path) -> list[Path]:
    """Two files. Their last writes are old, but their ctime is the present time."""
    files = [folder / "one", folder / "two"]
    for path in files:
        path.write_bytes(b"content")
        os.utime(path, (time.time() - _OLD,) * 2)
    return files


def _are_noted(files: list[Path], note: Path) -> bool:
    checked = soundness.Checked.of(files)
    assert checked is not None
    return checked.is_noted(note)


@pytest.fixture(name="later")
def _later(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock of the notes is a minute ahead, so that no file is young."""
    monkeypatch.setattr(soundness.time, "time", lambda: _now() + _OLD)


_now = time.time


@pytest.mark.usefixtures("later")
def test_a_note_holds_until_a_file_is_written(tmp_path: Path) -> None:
    files, note = _files(tmp_path), tmp_path / "note"
    checked = soundness.Checked.of(files)
    assert checked is not None
    assert not checked.is_noted(note)
    checked.note(note)
    assert _are_noted(files, note)
    before = files[1].stat()
    files[1].write_bytes(b"kontent")
    os.utime(files[1], ns=(before.st_atime_ns, before.st_mtime_ns))
    assert not _are_noted(files, note)


@pytest.mark.usefixtures("later")
def test_a_note_is_for_these_files_only(tmp_path: Path) -> None:
    files, note = _files(tmp_path), tmp_path / "note"
    checked = soundness.Checked.of(files)
    assert checked is not None
    checked.note(note)
    assert not _are_noted(files[:1], note)
    files[0].replace(tmp_path / "three")
    assert soundness.Checked.of(files) is None
    assert not _are_noted([tmp_path / "three", files[1]], note)


def test_young_files_are_not_noted(tmp_path: Path) -> None:
    files, note = _files(tmp_path), tmp_path / "note"
    checked = soundness.Checked.of(files)
    assert checked is not None
    checked.note(note)
    assert not note.exists()


def test_a_note_grows_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files, note = _files(tmp_path), tmp_path / "note"
    checked = soundness.Checked.of(files)
    assert checked is not None
    week = soundness.DAYS * 24 * 60 * 60
    for ahead, holds in ((_OLD, True), (_OLD + week - 5, True), (_OLD + week + 5, False), (_OLD - 30, False)):
        monkeypatch.setattr(soundness.time, "time", lambda ahead=ahead: _now() + ahead)
        if not note.exists():
            checked.note(note)
        assert checked.is_noted(note) == holds, ahead


@pytest.mark.usefixtures("later")
@pytest.mark.parametrize("content", [b"", b"x", b"x y", b"\xff\xfe", b" 1", b"x " + b"9" * 400])
def test_a_damaged_note_says_nothing(tmp_path: Path, content: bytes) -> None:
    note = tmp_path / "note"
    note.write_bytes(content)
    assert not _are_noted(_files(tmp_path), note)


@pytest.mark.usefixtures("later")
def test_a_note_that_cannot_be_written_does_no_harm(tmp_path: Path) -> None:
    checked = soundness.Checked.of(_files(tmp_path))
    assert checked is not None
    checked.note(tmp_path / "none" / "note")
    assert not checked.is_noted(tmp_path / "none" / "note")

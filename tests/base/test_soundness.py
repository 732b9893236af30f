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


def _ledger_with(file: Path, note: Path) -> soundness.Ledger:
    """A ledger that is read anew, after the file was noted in another one."""
    checked = soundness.Checked.of([file])
    assert checked is not None
    ledger = soundness.Ledger(note)
    ledger.add(file, checked)
    ledger.write()
    return soundness.Ledger(note)


def _has(ledger: soundness.Ledger, file: Path) -> bool:
    checked = soundness.Checked.of([file])
    assert checked is not None
    return ledger.has(file, checked)


@pytest.mark.usefixtures("later")
def test_a_ledger_notes_each_file_by_itself_until_it_is_written(tmp_path: Path) -> None:
    (one, two), note = _files(tmp_path), tmp_path / "note"
    soundness.Ledger.begin(note)
    other = soundness.Ledger(note)
    ledger = _ledger_with(one, note)
    assert (_has(ledger, one), _has(ledger, two)) == (True, False)
    checked = soundness.Checked.of([two])
    assert checked is not None
    # This ledger was opened before the first file was noted, and keeps that note.
    other.add(two, checked)
    other.write()
    ledger = soundness.Ledger(note)
    assert (_has(ledger, one), _has(ledger, two)) == (True, True)
    one.write_bytes(b"kontent")
    assert (_has(ledger, one), _has(ledger, two)) == (False, True)


@pytest.mark.usefixtures("later")
def test_a_ledger_that_was_removed_stays_removed_until_it_is_begun_anew(tmp_path: Path) -> None:
    (one, _), note = _files(tmp_path), tmp_path / "note"
    ledger = _ledger_with(one, note)
    assert not note.exists()
    assert not ledger.is_there
    checked = soundness.Checked.of([one])
    assert checked is not None
    ledger.add(one, checked)
    ledger.write(anew=True)
    assert _has(soundness.Ledger(note), one)


def test_a_ledger_has_no_young_file_and_forgets_what_is_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (one, _), note = _files(tmp_path), tmp_path / "note"
    soundness.Ledger.begin(note)
    assert not _has(_ledger_with(one, note), one)
    week = soundness.DAYS * 24 * 60 * 60
    monkeypatch.setattr(soundness.time, "time", lambda: _now() + _OLD)
    assert _has(_ledger_with(one, note), one)
    monkeypatch.setattr(soundness.time, "time", lambda: _now() + _OLD + week)
    assert not _has(soundness.Ledger(note), one)


@pytest.mark.usefixtures("later")
@pytest.mark.parametrize("line", ["", "x", "x 1", "x y one", "x -1 one", f"x {'9' * 400} one", "\xff \xfe"])
def test_lines_of_a_ledger_that_cannot_be_read_say_nothing(tmp_path: Path, line: str) -> None:
    (one, two), note = _files(tmp_path), tmp_path / "note"
    soundness.Ledger.begin(note)
    _ledger_with(two, note)
    note.write_bytes(f"{line}\n".encode("latin-1") + note.read_bytes())
    ledger = soundness.Ledger(note)
    assert (_has(ledger, one), _has(ledger, two)) == (False, True)

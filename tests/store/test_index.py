"""The index files: what is committed stays, damage is noticed and named, growth is continued."""

import dataclasses
import subprocess
import sys
from array import array
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cqlgui.base import errors
from cqlgui.base.files import disk
from cqlgui.pgn import archives
from cqlgui.store import index

_WORDS = array("H", [796, 2332])


def _record(number: int, *, bad: bool = False) -> index.GameRecord:
    problems = ((number * 100 + 5, number + 2, "move 1. e5 is illegal", "error"),) if bad else ()
    return index.GameRecord(
        number * 100, 90, number + 1, _WORDS[: number % 3], None if number % 2 else f"fen {number}", number %
        3, 1 + number % 3, index.PLAYABLE | (index.BAD if bad else 0), problems,
    )  # fmt: skip


def _source(folder: Path, text: bytes = b"abc") -> Path:
    path = folder / "games.pgn"
    path.write_bytes(text)
    return path


def _identity(path: Path) -> index.Identity:
    with archives.open_source(path) as text:
        return index.Identity(str(path), text.stamp, text.size, text.digest())


def _relation(known: index.Identity, path: Path) -> str:
    with archives.open_source(path) as text:
        return text.relation(known.state, known.text_size, known.digest)


def _fill(writer: index.Writer, first: int, count: int, *, complete: bool = False) -> None:
    for number in range(first, first + count):
        writer.add(_record(number, bad=number % 5 == 0))
    writer.commit_segment((first + count) * 100, first + count + 1, complete=complete)


def test_what_was_added_is_read_back_over_several_segments(tmp_path: Path) -> None:
    identity = _identity(_source(tmp_path))
    with index.Writer(tmp_path / "i", identity) as writer:
        _fill(writer, 0, 7)
        _fill(writer, 7, 4, complete=True)
    with index.SourceIndex.open(tmp_path / "i") as opened:
        assert opened.game_count == 11
        assert opened.complete
        for number in range(11):
            record = _record(number, bad=number % 5 == 0)
            assert opened.moves(number).tolist() == record.words.tolist()
            assert opened.start_fen(number) == record.start_fen
            assert opened.span(number) == (record.offset, record.length, record.line)
            assert (opened.flags(number), opened.plies(number)) == (record.flags, record.plies)
            assert opened.positions(number) == record.positions
        assert opened.total_positions == sum(_record(number).positions for number in range(11))
        assert [row[0] for row in opened.problems()] == [0, 5, 10]
        assert opened.problems()[1] == (5, 505, 7, "move 1. e5 is illegal")
        opened.verify()
        with pytest.raises(IndexError):
            opened.span(11)


def test_an_uncommitted_segment_is_lost_and_reading_goes_on_behind_the_committed_ones(tmp_path: Path) -> None:
    identity = _identity(_source(tmp_path))
    with index.Writer(tmp_path / "i", identity) as writer:
        _fill(writer, 0, 3)
        writer.add(_record(3))
    with index.Writer(tmp_path / "i", identity) as writer:
        assert (writer.game_count, writer.next_offset, writer.next_line) == (3, 300, 4)
        assert not writer.manifest.complete
        _fill(writer, 3, 2, complete=True)
    with index.SourceIndex.open(tmp_path / "i") as opened:
        assert [opened.span(number).offset for number in range(5)] == [0, 100, 200, 300, 400]


def test_a_killed_writer_leaves_its_commits_and_no_lock(tmp_path: Path) -> None:
    source = _source(tmp_path)
    identity = _identity(source)
    script = (
        "import os, sys; from pathlib import Path; from array import array; "
        "from cqlgui.base.files import disk; from cqlgui.store import index\n"
        "i = index.Identity(sys.argv[2], disk.State(0, 0, 0), 3, sys.argv[3])\n"
        "w = index.Writer(Path(sys.argv[1]), i)\n"
        "g = index.GameRecord(0, 9, 1, array('H'), None, 0, 1, 8)\n"
        "w.add(g); w.commit_segment(9, 2); w.add(g)\n"
        "Path(sys.argv[1], '000001-0.seg.77.tmp').write_bytes(b'half')\n"
        "Path(sys.argv[1], '000001-0.seg').write_bytes(b'half')\n"
        "os._exit(9)\n"
    )
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "i"), str(source), identity.digest],
        cwd=root,
        check=False,
        timeout=60,
    )
    assert done.returncode == 9
    with index.Writer(tmp_path / "i", _identity(source)) as writer:
        assert (writer.game_count, writer.next_offset) == (1, 9)
        assert sorted(path.name for path in (tmp_path / "i").glob("*seg*")) == ["000000-0.seg"]


def test_there_is_one_writer(tmp_path: Path) -> None:
    identity = _identity(_source(tmp_path))
    with index.Writer(tmp_path / "i", identity) as writer:
        with pytest.raises(errors.CqlguiError, match="Another"):
            index.Writer(tmp_path / "i", identity)
        _fill(writer, 0, 1)
        index.SourceIndex.open(tmp_path / "i").close()


def test_a_grown_source_keeps_all_but_the_last_game(tmp_path: Path) -> None:
    source = _source(tmp_path, b"abc")
    known = _identity(source)
    with index.Writer(tmp_path / "i", known) as writer:
        _fill(writer, 0, 2)
        _fill(writer, 2, 2, complete=True)
    assert _relation(known, source) == "same"
    source.write_bytes(b"abcdef")
    assert _relation(known, source) == "grown"
    with index.Writer(tmp_path / "i", _identity(source), grown=True) as writer:
        assert (writer.game_count, writer.next_offset, writer.next_line) == (3, 300, 4)
        _fill(writer, 3, 3, complete=True)
    with index.SourceIndex.open(tmp_path / "i") as opened:
        assert [opened.span(number).offset for number in range(6)] == [0, 100, 200, 300, 400, 500]


def test_a_changed_source_is_begun_anew(tmp_path: Path) -> None:
    source = _source(tmp_path, b"abc")
    known = _identity(source)
    with index.Writer(tmp_path / "i", known) as writer:
        _fill(writer, 0, 2, complete=True)
    for text in (b"abX", b"abXdef", b"ab"):
        source.write_bytes(text)
        # A coarse clock may not have moved on; the size or the content must tell.
        assert (
            _relation(dataclasses.replace(known, state=known.state._replace(mtime_ns=0)), source) == "changed"
        )
    with index.Writer(tmp_path / "i", _identity(source)) as writer:
        assert (writer.game_count, writer.next_offset) == (0, 0)


def test_a_failing_disk_leaves_the_committed_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    identity = _identity(_source(tmp_path))
    with index.Writer(tmp_path / "i", identity) as writer:
        _fill(writer, 0, 2)

        def full(path: Path, data: bytes) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(disk, "replace_file", full)
        writer.add(_record(2))
        with pytest.raises(errors.CqlguiError, match="No space left"):
            writer.commit_segment(300, 4)
        assert writer.game_count == 2
        monkeypatch.undo()
        writer.commit_segment(300, 4)
    with index.SourceIndex.open(tmp_path / "i") as opened:
        assert opened.game_count == 3


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_damage_is_told_by_name_and_repaired(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("damage")
    with index.Writer(folder / "i", _identity(_source(folder))) as writer:
        _fill(writer, 0, 3)
        _fill(writer, 3, 3, complete=True)
    path = folder / "i" / "000001-0.seg"
    content = bytearray(path.read_bytes())
    if data.draw(st.booleans()):
        content = content[: data.draw(st.integers(0, len(content) - 1))]
    else:
        content[data.draw(st.integers(0, len(content) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    path.write_bytes(content)
    with (
        pytest.raises(errors.IndexDamaged, match=r"000001-0\.seg"),
        index.SourceIndex.open(folder / "i") as opened,
    ):
        opened.verify()
    row = index.Manifest.read(folder / "i").segments[1]
    assert (row.offset, row.end, row.line, row.games) == (300, 590, 4, 3)
    with index.lock(folder / "i"):
        index.rebuild_segment(
            folder / "i", 1, [_record(number, bad=number % 5 == 0) for number in range(3, 6)]
        )
    with index.SourceIndex.open(folder / "i") as opened:
        opened.verify()
        assert opened.span(5).offset == 500


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"check": 1, "manifest": {"version": 1}}', b"\xff"])
def test_a_damaged_manifest_is_told_and_begun_anew(tmp_path: Path, content: bytes) -> None:
    identity = _identity(_source(tmp_path))
    with index.Writer(tmp_path / "i", identity) as writer:
        _fill(writer, 0, 2)
    (tmp_path / "i" / "manifest.json").write_bytes(content)
    with pytest.raises(errors.IndexDamaged, match="damaged"):
        index.SourceIndex.open(tmp_path / "i")
    with index.Writer(tmp_path / "i", identity) as writer:
        assert writer.game_count == 0


def test_an_index_of_another_version_is_begun_anew_without_a_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    identity = _identity(_source(tmp_path))
    with monkeypatch.context() as patch:
        patch.setattr(index, "VERSION", index.VERSION - 1)
        with index.Writer(tmp_path / "i", identity) as writer:
            _fill(writer, 0, 2, complete=True)
    assert index.Manifest.read(tmp_path / "i") is None
    with index.Writer(tmp_path / "i", identity) as writer:
        assert writer.game_count == 0
        _fill(writer, 0, 1, complete=True)
    assert len(list((tmp_path / "i").glob("*.seg"))) == 1


def test_moves_outlive_closing_while_they_are_held(tmp_path: Path) -> None:
    with index.Writer(tmp_path / "i", _identity(_source(tmp_path))) as writer:
        _fill(writer, 0, 3)
    opened = index.SourceIndex.open(tmp_path / "i")
    held = opened.moves(2)
    opened.close()
    assert held.tolist() == _WORDS.tolist()

"""What queries may do with text files: nothing outside the folders that were allowed."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from cqlgui.cql.interpreting.runtime import host
from cqlgui.tasks.asking import queries
from cqlgui.tasks.databases import files


def test_without_leave_nothing_is_read_or_written(tmp_path: Path) -> None:
    (tmp_path / "a.cqo").write_text("x", encoding="utf-8")
    refused = files.Files()
    for attempt in (
        lambda: refused.read(str(tmp_path / "a.cqo")),
        lambda: refused.write(str(tmp_path / "a.cqo"), "y"),
        lambda: files.Files(writing=[tmp_path]).read("a.cqo"),
        lambda: files.Files(reading=[tmp_path]).write("a.cqo", "y"),
    ):
        with pytest.raises(host.RefusedError):
            attempt()
    assert (tmp_path / "a.cqo").read_text(encoding="utf-8") == "x"


@pytest.mark.parametrize("name", ["../out.cqo", "/out.cqo", "a.exe", "a\0.cqo", "link.cqo"])
def test_names_that_lead_elsewhere_are_refused(tmp_path: Path, name: str) -> None:
    inside = tmp_path / "in"
    inside.mkdir()
    (tmp_path / "out.cqo").write_text("secret", encoding="utf-8")
    (inside / "link.cqo").symlink_to(tmp_path / "out.cqo")
    allowed = files.Files([inside], [inside])
    with pytest.raises(host.RefusedError):
        allowed.read(name)
    with pytest.raises(host.RefusedError):
        allowed.write(name, "x")
    assert (tmp_path / "out.cqo").read_text(encoding="utf-8") == "secret"


def test_the_first_write_of_a_search_empties_a_file_and_later_ones_append(tmp_path: Path) -> None:
    target = tmp_path / "a.cqo"
    target.write_text("old", encoding="utf-8")
    first = files.Files(writing=[tmp_path])
    first.write("a.cqo", "one")
    first.write("a.cqo", "ü")
    files.Files(writing=[tmp_path], written=first.written).write("a.cqo", "!")
    assert target.read_text(encoding="utf-8") == "oneü!"


def test_what_a_worker_wrote_that_died_is_written_once(tmp_path: Path) -> None:
    first = files.Files(writing=[tmp_path])
    first.write("a.cqo", "one ")
    known = dict(first.written)
    for _ in range(2):
        files.Files(writing=[tmp_path], written=known).write("a.cqo", "two")
    assert (tmp_path / "a.cqo").read_text(encoding="utf-8") == "one two"


def test_a_relative_name_begins_beside_the_query(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for folder in (one, other):
        folder.mkdir()
        (folder / "a.cqo").write_text(folder.name, encoding="utf-8")
    both = files.Files([one, other], [one, other], beside=other)
    assert both.read("a.cqo") == "other"
    both.write("a.cqo", "new")
    both.write("b.cqo", "new")
    assert (one / "a.cqo").read_text() == "one"
    assert sorted(path.name for path in other.iterdir()) == ["a.cqo", "b.cqo"]
    assert both.read(str(one / "a.cqo")) == "one"
    with pytest.raises(host.RefusedError, match="outside"):
        files.Files([one], beside=other).read("a.cqo")


def test_a_file_that_is_read_only_stays(tmp_path: Path) -> None:
    kept = tmp_path / "a.cqo"
    kept.write_text("old", encoding="utf-8")
    kept.chmod(0o444)
    with pytest.raises(host.RefusedError, match="it is read-only"):
        files.Files(writing=[tmp_path]).write("a.cqo", "new")
    assert kept.read_text(encoding="utf-8") == "old"


def test_a_full_disk_costs_nobody_the_old_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.cqo").write_text("old", encoding="utf-8")

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(host.RefusedError, match="No space left"):
        files.Files(writing=[tmp_path]).write("a.cqo", "new")
    assert [(path.name, path.read_text(encoding="utf-8")) for path in tmp_path.iterdir()] == [
        ("a.cqo", "old")
    ]


def test_texts_are_utf8_or_windows_1252(tmp_path: Path) -> None:
    (tmp_path / "a.cql").write_bytes("ü".encode())
    (tmp_path / "b.cql").write_bytes("ü".encode("cp1252"))
    allowed = files.Files([tmp_path])
    assert allowed.read("a.cql") == allowed.read("b.cql") == "ü"


@pytest.mark.parametrize(
    ("text", "offset"), [('mate writefile("a.cqo" "x")', 5), ('flip {Ka1 #(readfile "a.cqo") > 1}', 12)]
)
def test_a_query_with_files_is_rejected_at_the_word_unless_a_folder_is_allowed(
    text: str, offset: int
) -> None:
    found = queries.expanded(text)
    with pytest.raises(queries.Rejected) as caught:
        queries.refuse_files(found, reading=False, writing=False)
    (finding,) = caught.value.diagnostics
    assert (finding.code, finding.span.offset) == ("file-access", offset)
    queries.refuse_files(found, reading=True, writing=True)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes can be made on POSIX systems only")
def test_pipes_and_folders_are_refused_at_once(tmp_path: Path) -> None:
    for name in ("a.cqo", "a.cql", "a.pgn"):
        os.mkfifo(tmp_path / name)
    (tmp_path / "b.cqo").mkdir()
    allowed = files.Files([tmp_path], [tmp_path])
    for attempt in (
        lambda: allowed.read("a.cql"),
        lambda: allowed.read("b.cqo"),
        lambda: allowed.games("a.pgn"),
        lambda: allowed.write("a.cqo", "x"),
        lambda: allowed.write("b.cqo", "x"),
    ):
        with pytest.raises(host.RefusedError, match="no ordinary file"):
            attempt()


def test_a_search_writes_a_bounded_number_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MOST_FILES", 3)
    allowed = files.Files(writing=[tmp_path])
    for number in range(3):
        allowed.write(f"{number}.cqo", "x")
    allowed.write("0.cqo", "more")
    with pytest.raises(host.RefusedError, match="3 files at most"):
        allowed.write("3.cqo", "x")
    assert len(list(tmp_path.iterdir())) == 3

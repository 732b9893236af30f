"""The library of query files: front matter, folders, what is left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from cqlgui.tasks.asking import library, queries

QUERY = """// title: Two bishops
// description: They mate
//   a lone king.
// tags: endings, bishops
// fen: 8/8/8/3k4/8/3BB3/3K4/8

cql()
B == 2  // both
"""


def test_front_matter_is_read_and_taken_off(tmp_path: Path) -> None:
    path = tmp_path / "two.cql"
    path.write_text(QUERY, encoding="utf-8")
    entry = library.read(path, ("Endings",))
    assert entry.title == "Two bishops"
    assert entry.description == "They mate a lone king."
    assert entry.tags == ("endings", "bishops")
    assert entry.fen == "8/8/8/3k4/8/3BB3/3K4/8 w - - 0 1"
    assert entry.group == ("Endings",)
    assert entry.text == QUERY
    assert library.body(QUERY) == "cql()\nB == 2  // both"


def test_front_matter_alone_leaves_no_query() -> None:
    assert library.body("// title: Two bishops\n// description: They mate.\n//   Both of them.") == ""
    assert library.body("// title: Two bishops\n\n") == ""
    assert library.body("\n\n") == ""


@pytest.mark.parametrize("text", ["cql() mate", "// a remark\nmate", "/// a comment of the query\nmate", ""])
def test_a_file_without_front_matter_takes_its_name_for_a_title(tmp_path: Path, text: str) -> None:
    path = tmp_path / "long_way-home.cql"
    path.write_text(text, encoding="utf-8")
    entry = library.read(path)
    assert (entry.title, entry.description, entry.tags, entry.fen) == ("Long way home", "", (), "")
    assert library.body(text) == text


def test_what_is_no_position_gives_no_diagram(tmp_path: Path) -> None:
    path = tmp_path / "a.cql"
    path.write_text("// title: A\n// fen: somewhere\nmate", encoding="utf-8")
    assert library.read(path).fen == ""


def test_folders_are_groups_and_unreadable_files_are_left_out() -> None:
    folder = library.own_folder()
    (folder / "pawn-endings" / "races").mkdir(parents=True)
    (folder / "b.cql").write_text("mate", encoding="utf-8")
    (folder / "pawn-endings" / "races" / "a.cql").write_text("// title: Race\nmate", encoding="utf-8")
    (folder / "broken.cql").write_bytes(b"\xff\xfe")
    own = [entry for entry in library.entries() if entry.group[:1] == (library.OWN_GROUP,)]
    assert [(entry.title, entry.group[1:]) for entry in own] == [
        ("B", ()),
        ("Race", ("Pawn endings", "Races")),
    ]


def test_what_is_no_ordinary_file_is_left_out() -> None:
    device = library.own_folder() / "device.cql"
    device.symlink_to("/dev/null")
    assert device not in [entry.path for entry in library.entries()]


def test_every_shipped_query_is_described_and_runs_without_a_remark() -> None:
    shipped = [entry for entry in library.entries() if entry.group[:1] != (library.OWN_GROUP,)]
    assert len({entry.title for entry in shipped}) == len(shipped) > 20
    for entry in shipped:
        assert entry.description, entry.path
        assert entry.tags, entry.path
        assert queries.findings(entry.text) == (), entry.path

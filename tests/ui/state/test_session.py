"""The session comes back as it was left, and whatever lies in its file never stops the program."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqlgui.ui.state import session

FULL = session.Session(
    files=("/games/größe.pgn", "b.zst"),
    query="flipcolor {Bh7 kh8}\n// ♗×♟",
    query_path="/q.cql",
    hit_game=7,
    hit_place=12,
    game=12,
    positionid=44,
    geometry=session.packed(b"\x00\xff geometry"),
    layout="Writing",
    layouts=session.rows_text([("Writing", "Writing", session.packed(b""), "dragged")]),
    theme="dark",
    turned=True,
    coordinates=False,
    folder="/out",
)


def test_what_was_saved_is_loaded() -> None:
    assert session.load() == session.Session()
    assert session.save(FULL)
    assert session.load() == FULL
    assert [path.name for path in session.path().parent.iterdir()] == [session.NAME]


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"null", b"\xff\xfe\x00", b"[" * 100_000, b'{"files": 3, "game": "x", "turned": 1}'],
)
def test_a_damaged_file_means_the_defaults(content: bytes) -> None:
    session.path().write_bytes(content)
    assert session.load() == session.Session()


def test_a_bad_field_loses_only_itself() -> None:
    session.path().write_text(json.dumps({"files": ["a.pgn", 3], "game": True, "query": "mate", "new": 1}))
    assert session.load() == session.Session(query="mate")


def test_a_name_that_is_not_utf_8_survives() -> None:
    kept = session.Session(files=("\udcff.pgn",))
    assert session.save(kept)
    assert session.load() == kept


def test_a_file_that_is_too_long_is_not_read() -> None:
    session.path().write_text(json.dumps({"query": "x" * (session.LARGEST + 1)}))
    assert session.load() == session.Session()


def test_a_folder_in_its_place_is_no_reason_to_stop() -> None:
    session.path().mkdir()
    (session.path() / "x").touch()
    assert session.load() == session.Session()
    assert not session.save(FULL)
    assert [path.name for path in session.path().parent.iterdir()] == [session.NAME]


def test_a_save_that_fails_leaves_the_old_one(monkeypatch: pytest.MonkeyPatch) -> None:
    assert session.save(FULL)

    def full(_self: Path, _target: Path) -> Path:
        raise OSError("no space left")

    monkeypatch.setattr(Path, "replace", full)
    assert not session.save(session.Session())
    assert session.load() == FULL
    assert [path.name for path in session.path().parent.iterdir()] == [session.NAME]


@given(st.binary())
def test_bytes_survive_packing(data: bytes) -> None:
    assert session.unpacked(session.packed(data)) == data


def test_a_damaged_field_unpacks_to_nothing() -> None:
    assert session.unpacked("é") == session.unpacked("a") == session.unpacked("a*b=") == b""


@pytest.mark.parametrize("text", ["", "{", "3", "[" * 100_000, '["a", ["b"], ["c", 1]]'])
def test_rows_of_a_damaged_field_are_left_out(text: str) -> None:
    assert session.rows_of(text, 2) == []


def test_rows_come_back() -> None:
    rows = [("Searching", "größe"), ("", "")]
    assert session.rows_of(session.rows_text(rows), 2) == rows


def test_what_another_window_left_unsaved_is_kept_by_the_last_one() -> None:
    begun = session.load()
    own = session.Session(query="mine", unsaved=(("old", 1.0),))
    assert session.beside_another(own, begun, 9.0) == own
    other = session.Session(query="two hours", query_modified=True, unsaved=(("older", 2.0), ("old", 1.0)))
    assert session.save(other)
    found = session.beside_another(own, begun, 9.0)
    assert found.query == "mine"
    assert found.unsaved == (("two hours", 9.0), ("older", 2.0), ("old", 1.0))
    assert session.beside_another(own, session.load(), 9.0) == own, "this window began with it"


def test_windows_that_close_in_the_same_moment_keep_what_each_left_unsaved() -> None:
    begun = session.load()
    windows = [session.Session(query=f"query {n}", query_modified=True) for n in range(8)]
    with ThreadPoolExecutor(len(windows)) as pool:
        done = list(pool.map(lambda one: session.save_last(one, begun, 9.0), windows))
    assert all(done)
    kept = session.load()
    assert {kept.query, *(text for text, _ in kept.unsaved)} == {one.query for one in windows}


def test_a_long_text_left_unsaved_does_not_cost_the_others() -> None:
    kept = session.with_unsaved((("old", 1.0),), "x" * (1 << 20), 2.0)
    assert [text for text, _ in kept] == ["x" * (1 << 20), "old"]

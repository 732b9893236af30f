"""Which files a query is asked about before it runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from cqlgui.tasks.asking import queries, rights
from cqlgui.tasks.results import search_model


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """Two folders; `a` holds data.cqo."""
    for name in "ab":
        (tmp_path / name).mkdir()
    (tmp_path / "a" / "data.cqo").write_text("x")
    return tmp_path / "a", tmp_path / "b"


def wished(
    text: str, beside: Path, read: tuple[Path, ...] = (), write: tuple[Path, ...] = ()
) -> list[tuple[str, str, Path]]:
    options = search_model.SearchOptions(allow_read=read, allow_write=write)
    found = rights.wishes(queries.expanded(text), options, beside)
    return [(wish.verb, wish.name, wish.folder) for wish in found]


def test_a_query_is_asked_about_each_file_in_turn(folders: tuple[Path, Path]) -> None:
    a, b = folders
    absolute = str(b / "log.cqo")
    text = f'#readfile "data.cqo" > 0 writefile("{absolute}" "hi") similarposition "games.pgn"'
    assert wished(text, a) == [
        ("read", "data.cqo", a),
        ("write", absolute, b),
        ("read", "games.pgn", a),
    ]
    assert wished(text, a, read=(a,)) == [("write", absolute, b)]
    assert wished(text, a, read=(a,), write=(b,)) == []
    assert wished("mate", a) == []


def test_a_file_beside_the_query_is_asked_about_though_another_folder_was_allowed(
    folders: tuple[Path, Path],
) -> None:
    a, b = folders
    assert wished('#readfile "data.cqo" > 0', a, read=(b,)) == [("read", "data.cqo", a)]
    (b / "data.cqo").write_text("another")
    assert wished('#readfile "data.cqo" > 0', a, read=(b,)) == [("read", "data.cqo", a)]
    assert wished('#readfile "none.cqo" > 0', a, read=(b,)) == [("read", "none.cqo", a)]
    assert wished('#readfile "data.cqo" > 0', a, read=(b, a)) == []


def test_names_that_a_query_makes_up_and_names_that_lead_away(folders: tuple[Path, Path]) -> None:
    a, b = folders
    made = 'x = "data.cqo" #readfile x > 0'
    assert wished(made, a) == [("read", "", a)]
    assert wished(made, a, read=(b,)) == [("read", "", a)]
    assert wished(made, a, read=(b, a)) == []
    away = '#readfile "../a/data.cqo" > 0'
    assert wished(away, b) == [("read", "../a/data.cqo", b)]
    assert wished(away, b, read=(b,)) == [], "what was granted is not asked again"

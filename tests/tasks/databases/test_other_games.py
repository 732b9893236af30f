"""Games of another file for `similarposition`: only from allowed folders, every game in its place."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from cqlgui.cql.interpreting.runtime import host
from cqlgui.tasks.asking import queries
from cqlgui.tasks.databases import files, importing
from cqlgui.tasks.results import search_model
from cqlgui.tasks.search import searching

PGN = """[Event "one"]
[Result "*"]

1. e4 e5 (1... c5) *

[Event "two"]
[FEN "no fen at all"]
[SetUp "1"]
[Result "*"]

1. e4 *

[Event "three"]
[Result "*"]

1. d4 *
"""


def test_the_games_of_an_allowed_file_come_in_order(tmp_path: Path) -> None:
    (tmp_path / "o.pgn").write_text(PGN, encoding="utf-8")
    found = list(files.Files(reading=[tmp_path]).games("o.pgn"))
    assert [one and len(one) for one in found] == [4, None, 2]


def test_other_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "o.pgn").write_text(PGN, encoding="utf-8")
    inner = tmp_path / "inner"
    inner.mkdir()
    for allowed, name in (
        ([], "o.pgn"),
        ([inner], "../o.pgn"),
        ([inner], str(tmp_path / "o.pgn")),
        ([tmp_path], "missing.pgn"),
        ([tmp_path], "o.txt"),
    ):
        with pytest.raises(host.RefusedError):
            files.Files(reading=allowed).games(name)


@pytest.mark.parametrize("data", [gzip.compress(PGN.encode()), PGN.encode("utf-16")], ids=["gz", "utf16"])
def test_a_file_that_is_no_plain_text_is_not_taken_for_one_game(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "o.pgn").write_bytes(data)
    with pytest.raises(host.RefusedError, match="packed or in UTF-16"):
        files.Files(reading=[tmp_path]).games("o.pgn")


def test_the_number_of_games_is_that_of_games_with_a_white_tag(tmp_path: Path) -> None:
    """The reference counts the lines that such tags stand on."""
    source = tmp_path / "a.pgn"
    source.write_text('[White "A"]\n\n1. e4 *\n\n[Black "B"]\n\n1. d4 *\n\n[White "?"]\n\n1. c4 *\n\n')
    base = importing.open_base([source]).base
    found = searching.search(base, "initial lastgamenumber > 0", search_model.SearchOptions())
    assert {hits.hits[0].value for hits in found.games.values()} == {"2"}
    assert found.order == (1, 2, 3)


def test_similar_positions_are_searched_where_a_folder_is_allowed(tmp_path: Path) -> None:
    source = tmp_path / "o.pgn"
    source.write_text(PGN, encoding="utf-8")
    base = importing.open_base([source]).base
    query = 'cql(matchstring "") ply == 1 similarposition nosort "o.pgn"'
    with pytest.raises(queries.Rejected) as caught:
        searching.search(base, query, search_model.SearchOptions())
    assert caught.value.diagnostics[0].code == "file-access"
    assert caught.value.diagnostics[0].span.offset == query.index("similar")
    found = searching.search(base, query, search_model.SearchOptions(allow_read=(tmp_path,)))
    assert {game: [hit.positionid for hit in hits.hits] for game, hits in found.games.items()} == {
        1: [1],
        3: [1],
    }

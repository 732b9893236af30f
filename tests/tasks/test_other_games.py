"""Games of another file for `similarposition`: only from allowed folders, every game in its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from cqlgui.cql import host
from cqlgui.tasks import files

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

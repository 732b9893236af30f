"""What a list of sources may look like."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from cqlgui.base import errors
from cqlgui.tasks.databases import bases, games, importing


@pytest.mark.parametrize(
    ("content", "name"),
    [(["a.pgn"], ""), ({"sources": ["a.pgn"]}, "mine"), ({"name": "Mine", "sources": ["a.pgn"]}, "Mine")],
)
def test_a_list_is_an_array_or_an_object(tmp_path: Path, content: object, name: str) -> None:
    (tmp_path / "a.pgn").write_text("1. e4 *\n")
    listed = tmp_path / "mine.cqlbase"
    listed.write_text(json.dumps(content))
    base = importing.open_base([listed]).base
    assert (base.name, base.games) == (name, 1)


def test_a_name_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.pgn").write_text("1. e4 *\n")
    listed = tmp_path / "mine.cqlbase"
    listed.write_text('{"name": "\\ud800", "sources": ["a.pgn"]}')
    with pytest.raises(errors.SourceError, match="not valid text"):
        importing.open_base([listed])


@pytest.mark.parametrize("content", [3, "a.pgn", None, {"name": "Mine"}])
def test_anything_else_is_no_list(tmp_path: Path, content: object) -> None:
    listed = tmp_path / "mine.cqlbase"
    listed.write_text(json.dumps(content))
    with pytest.raises(errors.SourceError, match="list of sources"):
        importing.open_base([listed])


def test_what_is_no_file_or_too_long_is_no_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pipe, long = tmp_path / "pipe.cqlbase", tmp_path / "long.cqlbase"
    os.mkfifo(pipe)
    with pytest.raises(errors.SourceError, match="not an ordinary file"):
        importing.open_base([pipe])
    monkeypatch.setattr(bases, "_LONGEST", 99)
    long.write_text(json.dumps(["a.pgn"] * 20))
    with pytest.raises(errors.SourceError, match="too long"):
        importing.open_base([long])


def test_games_are_chosen_by_the_names_of_their_files(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("Wijk 1990.pgn", "empty.pgn", "linares.pgn", "wijk-b.pgn")]
    for path, count in zip(paths, (2, 0, 1, 3), strict=True):
        path.write_text('[White "A"]\n\n1. e4 *\n\n' * count)
    base = importing.open_base(paths).base
    for line, fitting in {
        "file:wijk": [1, 2, 4, 5, 6],
        'file:"wijk 1"': [1, 2],
        "-file:linares": [1, 2, 4, 5, 6],
        "file:wijk -file:1990 white:a": [4, 5, 6],
        "file : linares plies > 1": [],
    }.items():
        assert games.fitting(base, line).tolist() == fitting
    assert list(games.ids(base, sort="white", descending=True, text="file:linares")) == [3]
    assert games.names(base, "file", "wij") == ["wijk-b.pgn", "Wijk 1990.pgn"]
    with pytest.raises(errors.CqlguiError, match=r"“linaers” in the name of its file\. Did you mean linares"):
        games.fitting(base, "file:linaers")

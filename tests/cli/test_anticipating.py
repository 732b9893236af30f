"""`cqlgui anticipate` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cqlgui.jit import native
from tests import helpers

pytestmark = pytest.mark.skipif(not native.available(), reason="kernels are slow without machine code")

BASE = """[White "Composer, A"]
[Black "+"]
[Date "1910.??.??"]
[FEN "8/5k2/8/3p4/3P4/4K3/8/8 w - - 0 1"]
[SetUp "1"]

1. Kf4 Ke6 2. Kg5 *

[White "Composer, B"]
[FEN "8/1p3k2/1P6/8/2b5/8/6PK/3R4 w - - 0 1"]
[SetUp "1"]

1. Rd4 *

[White "Player"]

1. e4 *
"""
ENTRIES = """[White "Later"]
[FEN "8/2k5/8/4p3/4P3/3K4/8/8 w - - 0 1"]
[SetUp "1"]

*

[White "Game"]

1. d4 *
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "base.pgn").write_text(BASE)
    (tmp_path / "entries.pgn").write_text(ENTRIES)
    return tmp_path


def test_the_nearest_studies_are_printed_with_their_transform(folder: Path) -> None:
    run = helpers.cli("anticipate", folder / "entries.pgn", folder / "base.pgn", "--top", "1")
    assert run.code == 0, run.err
    first, near, second, reason = run.out.splitlines()
    assert first == "1: Later - ? 8/2k5/8/4p3/4P3/3K4/8/8 w - - 0 1"
    assert near == (
        "    1. 100.0%  1: Composer, A - + 1910.??.??  4 of 4 men, entry's start, game's start, "
        "<reflect_v> left and right mirrored  8/5k2/8/3p4/3P4/4K3/8/8 w - - 0 1"
    )
    assert second == "2: Game - ?"
    assert reason == "    It begins from the usual array. The measure is meant for compositions."
    assert run.err.splitlines() == [
        "2 entries compared with 6 positions of 2 compositions; 1 game begins from the usual array or could "
        "not be read."
    ]


def test_json_has_all_that_is_known(folder: Path) -> None:
    run = helpers.cli("anticipate", folder / "entries.pgn", folder / "base.pgn", "--json")
    found = json.loads(run.out)
    assert (found["games"], found["positions"], found["left_out"]) == (2, 6, 1)
    first, second = found["entries"]
    near = first["nearest"][0]
    assert {
        name: near[name] for name in ("rank", "game", "white", "score", "transform", "ply", "entry_ply")
    } == {
        "rank": 1,
        "game": 1,
        "white": "Composer, A",
        "score": 1.0,
        "transform": "<reflect_v>",
        "ply": 0,
        "entry_ply": 0,
    }
    assert second["nearest"] == []
    assert second["error"] == "It begins from the usual array. The measure is meant for compositions."


def test_of_several_files_the_file_is_named(folder: Path) -> None:
    (folder / "other").mkdir()
    (folder / "none.pgn").write_text("")
    (folder / "more.pgn").write_text(BASE)
    words = [
        "anticipate",
        folder / "entries.pgn",
        folder / "none.pgn",
        folder / "base.pgn",
        folder / "more.pgn",
    ]
    lines = helpers.cli(*words, "--top", "2").out.splitlines()
    assert [line.split(": Composer")[0].split()[-2:] for line in lines[1:3]] == [
        ["base.pgn", "1"],
        ["more.pgn", "1"],
    ]
    near = json.loads(helpers.cli(*words, "--top", "2", "--json").out)["entries"][0]["nearest"]
    assert [(one["game"], Path(one["file"]).name, one["gamenumber"]) for one in near] == [
        (1, "base.pgn", 1),
        (4, "more.pgn", 1),
    ]
    (folder / "more.pgn").rename(folder / "other" / "base.pgn")
    words[-1] = folder / "other" / "base.pgn"
    assert f"{folder / 'other' / 'base.pgn'} 1: Composer, A" in helpers.cli(*words, "--top", "2").out


@pytest.mark.parametrize(
    ("entries", "base", "message"),
    [
        ("empty.pgn", "base.pgn", "empty.pgn has no games."),
        ("entries.pgn", "game.pgn", "game.pgn has no compositions"),
        ("none.pgn", "base.pgn", "none.pgn does not exist"),
    ],
)
def test_faults_are_said(folder: Path, entries: str, base: str, message: str) -> None:
    (folder / "empty.pgn").write_text("\n")
    (folder / "game.pgn").write_text("1. e4 *\n")
    run = helpers.cli("anticipate", folder / entries, folder / base)
    assert (run.code, run.out) == (2, "")
    assert message in run.err
    assert helpers.TRACEBACK not in run.err

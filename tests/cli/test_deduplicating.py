"""Duplicates on the command line: listed, written without them, and left out of the answer of a search."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests import helpers

LINE = (
    "1. e4 e5 2. Nf3 Nc6 3. Bc4 Nf6 4. Ng5 d5 5. exd5 Na5 6. Bb5+ c6 7. dxc6 bxc6 8. Be2 h6 9. Nf3 e4 "
    "10. Ne5 Bd6"
)
GAMES = [
    f'[White "Short, N"]\n[Black "Adams, M"]\n\n{LINE} *',
    '[White "Other"]\n[Black "Player"]\n\n1.f3   e5 2.g4 Qh4# 0-1',
    f'[White "Nigel Short"]\n[Black "Michael Adams"]\n[Date "1990.??.??"]\n\n{LINE} 11. d4 exd3 1-0',
    f'[White "Short,Nigel"]\n[Black "ADAMS,M"]\n\n{LINE} 11. d4 exd3 1-0',
]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "a.pgn"
    path.write_text("\n\n".join(GAMES) + "\n")
    return path


def test_groups_are_listed_with_the_reasons(source: Path) -> None:
    run = helpers.cli("duplicates", source)
    assert run.code == 0, run.err
    assert run.out.splitlines() == [
        "3: Nigel Short - Michael Adams 1990.??.?? 22 plies: kept, more moves, more tags",
        "    1: Short, N - Adams, M 20 plies: left out, beginning of game 3",
        "    4: Short,Nigel - ADAMS,M 22 plies: left out, same moves",
    ]
    assert run.err.splitlines() == [
        "2 of 4 games are duplicates: 1 has the same moves as another game, 1 is the beginning of another "
        "game."
    ]


def test_of_several_files_the_file_is_named(source: Path, tmp_path: Path) -> None:
    (tmp_path / "b.pgn").write_text("\n\n".join(GAMES[1:3]) + "\n")
    source.write_text(f"{GAMES[1].replace('Other', 'Somebody')}\n\n{GAMES[0]}\n")
    run = helpers.cli("duplicates", source, tmp_path / "b.pgn")
    assert run.out.splitlines() == [
        "b.pgn 2: Nigel Short - Michael Adams 1990.??.?? 22 plies: kept, more moves",
        "    a.pgn 2: Short, N - Adams, M 20 plies: left out, beginning of b.pgn 2",
    ]
    (group,) = json.loads(helpers.cli("duplicates", source, tmp_path / "b.pgn", "--json").out)["groups"]
    places = [(Path(one["file"]).name, one["gamenumber"]) for one in (group, *group["others"])]
    assert places == [("b.pgn", 2), ("a.pgn", 2)]


def test_the_base_without_them_is_written_byte_for_byte(source: Path, tmp_path: Path) -> None:
    run = helpers.cli("duplicates", source, "--json", "-o", tmp_path / "kept.pgn")
    assert json.loads(run.out)["groups"] == [
        {
            "kept": 3,
            "file": str(source),
            "gamenumber": 3,
            "why_kept": "more moves, more tags",
            "others": [
                {"game": 1, "file": str(source), "gamenumber": 1, "reason": "beginning of game 3"},
                {"game": 4, "file": str(source), "gamenumber": 4, "reason": "same moves"},
            ],
        }
    ]
    assert "2 games written" in run.err
    assert (tmp_path / "kept.pgn").read_text() == f"{GAMES[1]}\n\n{GAMES[2]}\n"
    assert json.loads(helpers.cli("duplicates", tmp_path / "kept.pgn", "--json").out)["left_out"] == 0


def test_a_source_is_not_overwritten(source: Path, tmp_path: Path) -> None:
    before = source.read_bytes()
    run = helpers.cli("duplicates", source, "-o", source)
    assert (run.code, source.read_bytes()) == (2, before)
    assert "is a source of this base and is not overwritten" in run.err
    run = helpers.cli("duplicates", source, "-o", tmp_path / "kept.csv")
    assert run.code == 2
    assert "the ending must be .pgn" in run.err


@pytest.mark.parametrize("form", ["--json", "--jsonl", "--csv", "--count", "-o", ""])
def test_a_search_leaves_them_out_in_every_form(source: Path, tmp_path: Path, form: str) -> None:
    words = ["search", source, "-e", 'sort "n" gamenumber ply == 20 or mate', "--no-duplicates"]
    output = tmp_path / "found.pgn"
    run = helpers.cli(*words, *filter(None, [form]), *([output] if form == "-o" else []))
    assert run.code == 0, run.err
    assert "2 of 4 games are duplicates: 1 has the same moves" in run.err
    assert "2 of 4 games match (2 positions)" in run.err
    match form:
        case "--json":
            found = json.loads(run.out)
            assert (found["games"], found["positions"]) == ([3, 2], [[3, 20], [2, 4]])
        case "--jsonl":
            assert [json.loads(line)["game"] for line in run.out.splitlines()] == [3, 2]
        case "--csv":
            lines = run.out.splitlines()
            assert lines[0].startswith("file,")
            assert len(lines) == 3
        case "--count":
            assert run.out == "2 games, 2 positions\n"
        case "-o":
            assert output.read_text() == f"{GAMES[2]}\n\n{GAMES[1]}\n"
        case _:
            assert [line.split(":")[0] for line in run.out.splitlines()] == ["3", "2"]


def test_without_the_option_all_games_are_found(source: Path) -> None:
    run = helpers.cli("search", source, "-e", "ply == 20", "--count")
    assert run.out == "3 games, 3 positions\n"
    assert "duplicates" not in run.err


def test_only_matching_games_are_compared(source: Path) -> None:
    # Game 3 is longer than game 1, but it does not match.
    run = helpers.cli("search", source, "-e", "ply == 20 terminal", "--count", "--no-duplicates")
    assert run.out == "1 game, 1 position\n"


def test_a_batch_refuses_the_option(source: Path, tmp_path: Path) -> None:
    batch = tmp_path / "b.jsonl"
    batch.write_text('{"id": 1, "query": "mate"}\n')
    run = helpers.cli("search", source, "--batch", batch, "--no-duplicates")
    assert (run.code, run.out) == (2, "")
    assert "--no-duplicates" in run.err

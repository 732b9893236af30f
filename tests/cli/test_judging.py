"""Columns of tablebases and of an engine on the command line."""

from __future__ import annotations

import argparse
import contextlib
import csv
import io
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import chess
import pytest

from cqlgui.base import errors
from cqlgui.cli import arguments, terminal
from cqlgui.cli.searching import command
from tests import helpers
from tests.helpers import engines as programs
from tests.helpers import three_men

# White to move sees 40, Black to move 10, and a mate where only kings and a rook are left.
ANSWER = (
    'mate = "KQkq" not in fen',
    'say("info score mate 9" if mate else f"info score cp {40 if \' w \' in fen else 10}")',
    'say("bestmove 0000")',
)
SLOW = ("time.sleep(0.25)", *ANSWER)
GAMES = (
    '[White "A"]\n[Black "B"]\n[Result "1-0"]\n[WhiteElo "2450"]\n\n1. e3 e5 1-0\n\n'
    '[White "C"]\n[Black "D"]\n[Result "1-0"]\n[WhiteElo "2350"]\n[SetUp "1"]\n'
    '[FEN "8/8/8/4k3/8/8/8/R5K1 w - - 3 70"]\n\n70. Kf2 1-0\n\n'
    '[White "E"]\n[Black "F"]\n[Result "1/2-1/2"]\n[WhiteElo "2350"]\n[SetUp "1"]\n'
    '[FEN "8/8/8/4K3/8/8/1k6/R7 b - - 3 70"]\n\n70... Kxa1 1/2-1/2\n\n'
)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "a.pgn"
    path.write_text(GAMES)
    return path


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("syzygy")
    three_men.write(made)
    return made


def test_rows_have_what_tables_and_the_engine_say(source: Path, tables: Path) -> None:
    engine = programs.scripted(source.parent, *ANSWER)
    asked = (
        "search",
        source,
        "-e",
        "true",
        "--syzygy",
        tables,
        "--engine",
        engine,
        "--engine",
        "interpreter",
    )
    run = helpers.cli(*asked, "--jsonl")
    assert run.code == 0, run.err
    rows = [json.loads(line) for line in run.out.splitlines()]
    assert list(rows[0])[-6:] == ["wdl", "dtz", "eval_cp", "mate", "best", "best_san"]
    assert [(row["wdl"], row["eval_cp"], row["mate"], row["best"]) for row in rows] == [
        *[(None, 40, None, None), (None, 10, None, None), (None, 40, None, None)],
        *[(2, None, 9, None), (-2, None, 9, None)],
        *[(0, None, 9, None), (0, None, 9, None)],
    ]
    solved, (rook, black) = three_men.solved(), (chess.A1, chess.E5)
    plies = solved.white_plies[chess.G1, rook, black], -solved.black_plies[chess.F2, rook, black]
    assert [row["dtz"] for row in rows[3:]] == [*plies, 0, 0]
    assert "interpreted" in run.err
    before = len(programs.told(engine, "go"))
    run = helpers.cli(*asked, "--csv", "--group", "game")
    listed = list(csv.DictReader(io.StringIO(run.out)))
    assert [(row["hits"], row["wdl"], row["eval_cp"], row["mate"]) for row in listed] == [
        ("3", "", "40", ""),
        ("2", "2", "", "9"),
        ("2", "0", "", "9"),
    ]
    # Nothing is asked again.
    assert len(programs.told(engine, "go")) == before


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--syzygy", "."], "add columns to rows, and no rows are written: use --jsonl"),
        (["--engine", "x", "-o", "out.pgn"], "add columns to rows, and no rows are written"),
        (["--engine", "./x", "--jsonl"], f"There is no engine {Path('x').absolute()}."),
        (["--engine", "x", "--jsonl"], "There is no engine x where a shell looks"),
        (["--engine", "interpretor", "--jsonl"], "did you mean interpreter?"),
        (["--engine", "./auto", "--jsonl"], f"There is no engine {Path('auto').absolute()}."),
        (["--engine", "", "--jsonl"], "the name of the program is empty"),
        (["--engine-depth", "9", "--jsonl"], "--engine-depth says nothing without --engine PROGRAM"),
        (["--engine", "x", "--engine-nodes", "5", "--engine-depth", "9", "--jsonl"], "not allowed with"),
        (["--engine", "x", "--engine-seconds", "nan", "--jsonl"], "seconds from 0.01 to"),
        (["--syzygy", "tests", "--jsonl"], "There are no Syzygy tables in tests"),
    ],
)
def test_what_cannot_be_judged_is_said_before_the_search(
    source: Path, options: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    parsed: argparse.Namespace | None = None
    with contextlib.suppress(SystemExit):
        parsed = arguments.parser("search").parse_args(["search", str(source), "-e", "true", *options])
    if parsed is not None:
        try:
            assert command.run(parsed) == terminal.USAGE
        except errors.CqlguiError as error:
            terminal.say(str(error))
    told = capsys.readouterr()
    assert words in told.err
    assert told.out == ""


def test_ctrl_c_writes_no_file_and_keeps_what_was_judged(source: Path) -> None:
    engine = programs.scripted(source.parent, *SLOW)
    out = source.parent / "out.csv"
    asked = ["search", str(source), "-e", "true", "-o", str(out), "--engine", str(engine)]
    process = subprocess.Popen(
        [sys.executable, "-m", "cqlgui", *asked], cwd=helpers.ROOT, stderr=subprocess.PIPE, text=True
    )
    end = time.monotonic() + 60
    while not ((engine.parent / "log").exists() and len(programs.told(engine, "go")) >= 3):
        assert time.monotonic() < end
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert told.endswith(f"Stopped. What was judged is kept. Nothing was written to {out}.\n")
    assert not out.exists()
    done = len(programs.told(engine, "go"))
    run = helpers.cli(*asked)
    assert (run.code, out.exists()) == (0, True)
    positions = programs.told(engine, "position")
    assert len(set(positions)) == 7
    # At most the position at which the user stopped is asked twice.
    assert done + 4 <= len(positions) <= 8


STUDY = """bases = ["a.pgn"]
judge = ["syzygy", "engine"]

[groups]
elo = 100

[[query]]
name = "All"
text = "true"

[[query]]
name = "Moves of Black"
text = "btm"
"""


def test_a_study_counts_judgements_of_first_hits_from_the_view_of_white(source: Path, tables: Path) -> None:
    engine = programs.scripted(source.parent, *ANSWER)
    path = source.parent / "s.toml"
    path.write_text(STUDY)
    asked = ("study", path, "--syzygy", tables, "--engine", engine)
    run = helpers.cli(*asked, "--json")
    assert run.code == 0, run.err
    rows = json.loads(run.out)["rows"]
    names = ("query", "band", "games", "tabled", "won", "drawn", "lost", "evaluated", "evaluation")
    # The first hits of "All" are the start (40), a win of White (a mate counts 1000), and a draw where Black
    # to move is told a mate (-1000). In the second query Black sees 10, so White sees -10.
    assert [tuple(row[name] for name in names) for row in rows] == [
        ("All", "", 3, 2, 0.5, 0.5, 0.0, 3, round(40 / 3, 6)),
        ("All", "2300-2399", 2, 2, 0.5, 0.5, 0.0, 2, 0.0),
        ("All", "2400-2499", 1, 0, None, None, None, 1, 40.0),
        ("Moves of Black", "", 3, 2, 0.5, 0.5, 0.0, 3, round(-2010 / 3, 6)),
        ("Moves of Black", "2300-2399", 2, 2, 0.5, 0.5, 0.0, 2, -1000.0),
        ("Moves of Black", "2400-2499", 1, 0, None, None, None, 1, -10.0),
    ]
    out = source.parent / "t.csv"
    again = helpers.cli(*asked, "--resume", "-o", out)
    assert "2 of them in an earlier run" in again.err
    with out.open(newline="") as file:
        texts = list(csv.DictReader(file))
    assert [[row[name] for name in names] for row in texts] == [
        ["" if row[name] is None else str(row[name]) for name in names] for row in rows
    ]
    # Another limit is another judge, so nothing is known of it.
    other = helpers.cli(*asked, "--resume", "--engine-nodes", "7")
    assert "earlier run" not in other.err
    head = other.out.splitlines()[0]
    assert head.split("score %")[1].split("  ")[-6:] == [
        *("tabled", "won %", "drawn %", "lost %", "evaluated", "evaluation")
    ]


def test_a_study_starts_no_program(source: Path) -> None:
    path = source.parent / "s.toml"
    path.write_text(STUDY)
    run = helpers.cli("study", path, "--json")
    assert run.code == 0
    assert f"{path}:2: The study asks for an engine, which --engine names." in run.err
    assert "tabled" not in json.loads(run.out)["rows"][0]

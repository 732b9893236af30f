"""Files and queries that no one should have to read: a clear sentence, the right exit code, no hang."""

from __future__ import annotations

import json
import os
import random
import re
from pathlib import Path

import pytest

from tests import helpers

GAME = """[Event "Test"]
[White "A"]
[Black "B"]
[Result "1-0"]

1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0

"""
MATE = "btm mate"


def sentence(run: helpers.Run) -> str:
    """What the run told the user on stderr; it must be a message, not the innards of the program."""
    assert helpers.TRACEBACK not in run.err + run.out
    message = run.err.strip()
    assert message
    assert len(message) < 4000
    return message


def count(run: helpers.Run) -> int:
    assert run.code == 0, run.err
    assert helpers.TRACEBACK not in run.err
    found = json.loads(run.out)["count"]
    assert isinstance(found, int)
    return found


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


# --- sources that are none ------------------------------------------------------------------------------


@pytest.mark.parametrize("command", [["import"], ["info"], ["search", "-e", "mate"]])
def test_missing_file(command: list[str], home: Path, tmp_path: Path) -> None:
    run = helpers.cli(command[0], tmp_path / "nowhere.pgn", *command[1:], home=home)
    assert run.code == 2
    assert "nowhere.pgn" in sentence(run)


@pytest.mark.parametrize("command", [["import"], ["search", "-e", "mate"]])
def test_directory(command: list[str], home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "folder.pgn"
    folder.mkdir()
    run = helpers.cli(command[0], folder, *command[1:], home=home)
    assert run.code == 2
    assert "folder" in sentence(run)


def test_empty_file_is_a_base_without_games(home: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty.pgn"
    empty.touch()
    assert helpers.cli("import", empty, home=home).code == 0
    assert count(helpers.cli("search", empty, "-e", "mate", "--json", home=home)) == 0


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="the superuser may read everything")
def test_file_without_permission(home: Path, tmp_path: Path) -> None:
    locked = tmp_path / "locked.pgn"
    locked.write_text(GAME)
    locked.chmod(0)
    run = helpers.cli("import", locked, home=home)
    assert run.code == 2
    assert "locked.pgn" in sentence(run)


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".zst", ".zip"])
def test_archive_that_is_none(suffix: str, home: Path, tmp_path: Path) -> None:
    broken = tmp_path / f"broken.pgn{suffix}"
    broken.write_bytes(random.Random(suffix).randbytes(5000))
    run = helpers.cli("import", broken, home=home)
    assert run.code == 2
    assert "broken.pgn" in sentence(run)


@pytest.mark.parametrize("seed", range(3))
def test_random_bytes_as_pgn(seed: int, home: Path, tmp_path: Path) -> None:
    noise = tmp_path / "noise.pgn"
    noise.write_bytes(random.Random(seed).randbytes(200_000))
    run = helpers.cli("import", noise, home=home)
    assert run.code in (0, 2)
    assert helpers.TRACEBACK not in run.err
    if run.code == 2:
        sentence(run)
    else:
        assert count(helpers.cli("search", noise, "-e", "mate", "--json", home=home)) == 0


def test_noise_between_games_loses_none_of_them(home: Path, tmp_path: Path) -> None:
    mixed = tmp_path / "mixed.pgn"
    noise = bytes(random.Random(4).choices(range(128, 256), k=3000))
    mixed.write_bytes(GAME.encode() + noise + b"\n\n" + GAME.encode())
    assert count(helpers.cli("search", mixed, "-e", MATE, "--json", home=home)) == 2


def long_line(path: Path, size: int) -> None:
    """A game, one line of `size` bytes without an end, and another game."""
    with path.open("wb") as file:
        file.write(GAME.encode())
        file.write(b'[Event "long"]\n\n1. e4 { ')
        chunk = b"word " * 20_000
        for _ in range(size // len(chunk)):
            file.write(chunk)
        file.write(b"} e5 *\n\n" + GAME.encode())


@pytest.mark.parametrize(
    "megabytes", [5, pytest.param(300, marks=[pytest.mark.full, pytest.mark.timeout(900)])]
)
def test_one_long_line(megabytes: int, home: Path, tmp_path: Path) -> None:
    path = tmp_path / "long.pgn"
    long_line(path, megabytes << 20)
    assert count(helpers.cli("search", path, "-e", MATE, "--json", home=home, timeout=800)) == 2


def test_one_long_line_of_nothing(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "nothing.pgn"
    path.write_bytes(b"x" * (5 << 20))
    run = helpers.cli("import", path, home=home)
    assert run.code in (0, 2)
    assert helpers.TRACEBACK not in run.err


# --- queries that are none ------------------------------------------------------------------------------


def rejected(run: helpers.Run) -> str:
    """The message of a rejected query: `file:line:col: error[code]: ...` on stderr and nothing on stdout."""
    assert run.code == 1, run.err
    assert re.search(r"^\S*:\d+:\d+: error\[[\w-]+\]: \S", run.err, re.MULTILINE), run.err
    return sentence(run)


@pytest.fixture
def base(tmp_path: Path) -> Path:
    path = tmp_path / "base.pgn"
    path.write_text(GAME)
    return path


@pytest.mark.parametrize("command", ["search", "check", "orbit", "explain"])
@pytest.mark.parametrize(
    "text",
    ["{" * 10_000 + "mate" + "}" * 10_000, "(" * 10_000 + "mate" + ")" * 10_000, "not " * 10_000 + "mate"],
    ids=["braces", "brackets", "not"],
)
def test_ten_thousand_deep(command: str, text: str, base: Path, home: Path, tmp_path: Path) -> None:
    query = tmp_path / "deep.cql"
    query.write_text(text)
    files = [base] if command == "search" else []
    more = ["--fen", "8/8/8/8/8/8/8/Kk6 w - - 0 1"] if command == "explain" else []
    rejected(helpers.cli(command, *files, "--query-file", query, *more, home=home))


@pytest.mark.parametrize(
    "text", ["{" * 10_000, "}" * 10_000, "flip " * 10_000 + "K", "A|" * 10_000, '"' * 9_999]
)
def test_ten_thousand_of_one_token_never_break_the_program(text: str, home: Path, tmp_path: Path) -> None:
    query = tmp_path / "many.cql"
    query.write_text(text)
    run = helpers.cli("check", "--query-file", query, home=home)
    assert run.code in (0, 1)
    assert helpers.TRACEBACK not in run.err


@pytest.mark.parametrize("seed", range(3))
def test_random_bytes_as_query(seed: int, base: Path, home: Path, tmp_path: Path) -> None:
    query = tmp_path / "noise.cql"
    query.write_bytes(random.Random(seed).randbytes(20_000))
    run = helpers.cli("search", base, "--query-file", query, home=home)
    assert run.code in (1, 2)
    sentence(run)


@pytest.mark.parametrize("text", ["", "   \n", "cql()", "// only a comment"])
def test_query_without_a_filter(text: str, base: Path, home: Path, tmp_path: Path) -> None:
    query = tmp_path / "empty.cql"
    query.write_text(text)
    run = helpers.cli("search", base, "--query-file", query, home=home)
    assert run.code == 1
    sentence(run)


def test_misspelt_word_gets_a_suggestion(base: Path, home: Path) -> None:
    assert "flipcolor" in rejected(helpers.cli("search", base, "-e", "flippcolor Bh7", home=home))


def test_unbuilt_engine_says_so(base: Path, home: Path) -> None:
    run = helpers.cli("search", base, "-e", 'mate fen ~~ "x+"', "--engine", "compiled", home=home)
    assert run.code != 0
    assert "not" in sentence(run)


def test_missing_query_file(base: Path, home: Path, tmp_path: Path) -> None:
    run = helpers.cli("search", base, "--query-file", tmp_path / "nowhere.cql", home=home)
    assert run.code == 2
    assert "nowhere.cql" in sentence(run)


# --- the torture files ----------------------------------------------------------------------------------


def test_torture_files_are_read_to_the_end(shared: Path, home: Path) -> None:
    files = sorted((shared / "data" / "torture").glob("*.pgn"))
    assert files
    run = helpers.cli("import", *files, home=home, timeout=250)
    assert helpers.TRACEBACK not in run.err
    assert run.code == 0, run.err
    found = json.loads(helpers.cli("search", *files, "-e", "initial", "--json", home=home).out)
    assert len(found["sources"]) == len(files)

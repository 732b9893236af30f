"""The figures of speed can be had: the quick form runs and names what it should. No timing is asserted."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cqlgui.jit import native
from tests import helpers
from tests.helpers import games, memory
from tests.tools.perf import growth, large, processes


def output(*words: str) -> str:
    command = [sys.executable, "-m", *words]
    environment = dict(os.environ, QT_QPA_PLATFORM="offscreen")
    done = subprocess.run(
        command, cwd=helpers.ROOT, env=environment, capture_output=True, text=True, timeout=280, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def printed() -> str:
    return output("tests.tools.perf", "--quick")


@pytest.fixture(scope="module")
def table() -> str:
    return output("tests.tools.perf.table", "--quick")


@pytest.mark.parametrize(
    "name",
    [
        "python-chess reads",
        "import of",
        "compiled: Ra1 kg8",
        "search: one pattern, 1 worker",
        "search: orbit of 16, 1 worker",
        "search: attacks and a loop, 1 worker",
        "start-up: cqlgui search",
        "start-up: the window is shown",
        "longest gap during the search",
        "longest repaint",
    ],
)
def test_figure_is_printed(name: str, printed: str) -> None:
    assert name in printed


@pytest.mark.skipif(not native.available(), reason="queries are compiled with llvmlite only")
@pytest.mark.parametrize(
    "what",
    [
        "import from .pgn",
        "private memory at most",
        "packed moves",
        "Ra1 kg8",
        "geometric mean",
        "queries compiled wholly",
        "never ask the interpreter, annotated",
        "of the limit, without pruning",
        "queries on texts",
        "the slowest of them",
        "whole games of .pgn, own text",
        "query text to machine code",
        "times one thread",
        "cqlgui search to its answer, later",
        "F5 to the first rows",
    ],
)
def test_row_is_in_the_table(what: str, table: str) -> None:
    assert what in table


def test_whole_processes_are_timed(tmp_path: Path) -> None:
    source = tmp_path / "few.pgn"
    source.write_text('[White "A"]\n[Result "1-0"]\n\n1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n\n')
    printed = output("tests.tools.perf.processes", str(source), "--queries", "2", "--ways", "annotate,json")
    assert "annotate: 2 queries, geometric mean" in printed
    assert "json: 2 queries, geometric mean" in printed


@pytest.mark.parametrize(
    ("seconds", "asked"), [((0.5, 0.3, 0.4), 3), ((9.0, 0.1, 0.1), 1), ((0.5, 8.5, 0.1), 3)]
)
def test_fastest_time_counts(
    seconds: tuple[float, ...], asked: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    times = [processes.Timed("a", "true", each, 0, "compiled") for each in seconds]
    left = iter(times)
    monkeypatch.setattr(processes, "timed", lambda *_: next(left))
    found = processes.fastest(3, tmp_path, "json", ("a", "true"), {}, tmp_path)
    assert found == min(times[:asked], key=lambda one: one.seconds)
    assert len(list(left)) == 3 - asked


def test_processes_are_slow_unless_they_write_much() -> None:
    few, many = (processes.Timed("a", "true", 9.0, size, "compiled") for size in (1_000, 300_000_000))
    quick = processes.Timed("b", "true", 7.9, 1_000, "compiled")
    assert processes.slow([few, many, quick]) == [few]


@pytest.mark.skipif(not Path("/proc/self/stat").is_file(), reason="the system does not tell it")
def test_the_time_of_other_processes_counts() -> None:
    start = memory.spent()
    burn = "import time\nwhile time.process_time() < 0.5: pass\ninput()"
    with subprocess.Popen([sys.executable, "-c", burn], stdin=subprocess.PIPE) as child:
        while memory.spent() - start < 0.4:
            assert child.poll() is None
        child.communicate(b"\n")
    assert memory.spent() - start >= 0.4


def test_a_large_base_is_made_and_measured(tmp_path: Path) -> None:
    source = tmp_path / "few.pgn"
    source.write_text(
        '[White "Capablanca"]\n[Result "1-0"]\n\n1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n\n'
    )
    found = {figure.name.strip(): figure.value for figure in large.figures(source, tmp_path / "large", 2)}
    assert "large base: import, 4 games" in found
    assert any(name.startswith("large base: games sorted by white (") for name in found)
    assert "private memory of the process" in found
    assert len({path.read_bytes() for path in large.sources(source, tmp_path / "large", 2)}) == 2


@pytest.mark.parametrize("lichess", [False, True])
def test_the_games_of_growing_bases_have_tags_of_their_own(tmp_path: Path, lichess: bool) -> None:
    source = tmp_path / "few.pgn"
    source.write_text(
        '[Event "E"]\n[Site "S"]\n[White "A"]\n[Result "1-0"]\n\n1. e4 1-0\n\n'
        '[Event "F"]\n[White "B"]\n[Round "7"]\n[Result "*"]\n\n1. d4 *\n\n'
    )
    listed = growth.made(source, tmp_path / "made", 7, 2, lichess=lichess)
    found = [game for path in listed for game in games.from_pgn(path.read_text())]
    assert [game.host.tag("White") for game in found] == ["A", "B", "A", "B", "A", "B", "A"]
    assert len({game.host.tag("Site") for game in found}) == 7
    assert len({game.host.tag("Round") for game in found}) == 7
    assert all(len(game.tree) == 2 for game in found)
    assert {game.host.tag("TimeControl") for game in found} == ({"300+0"} if lichess else {None})


def test_growing_bases_are_measured(tmp_path: Path) -> None:
    source = tmp_path / "few.pgn"
    source.write_text('[Event "E"]\n[White "A"]\n[Result "1-0"]\n\n1. e4 1-0\n\n')
    listed = growth.made(source, tmp_path / "made", 5, 2)
    found = {figure.name.strip() for figure in growth.figures(listed, tmp_path / "home", growth.ROOT)}
    assert {"imported", "opened, first time", "games table sorted by site"} <= found
    assert "mate, again time (0 games, 0 positions)" in found
    assert growth.Figure("", 2.0, "s", 1.0).missed
    assert growth.Figure("", 0.7, "", 0.8, least=True).missed
    assert not growth.Figure("", 0.9, "", 0.8, least=True).missed

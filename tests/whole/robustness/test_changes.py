"""Sources that change under an open base, and programs that meet at one base: noticed, said, mended."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cqlgui.base import errors
from cqlgui.tasks.databases import games, importing
from cqlgui.tasks.results import base_model
from cqlgui.tasks.search import searching
from tests import helpers
from tests.helpers import faults

GAMES = 120


def grow(path: Path) -> None:
    with path.open("a") as file:
        file.write(faults.text(7).replace("Event", "More"))


def edit_in_place(path: Path) -> None:
    data = path.read_bytes().replace(b"Player", b"PLAYER")
    with path.open("r+b") as file:
        file.write(data)


def edit_and_hide(path: Path) -> None:
    """As programs do that keep the times of what they copy."""
    status = path.stat()
    edit_in_place(path)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def shrink(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 3)


def replace(path: Path) -> None:
    other = path.with_name("other")
    other.write_text(faults.text(50).replace("Other", "Another"))
    other.replace(path)


def empty(path: Path) -> None:
    path.write_bytes(b"")


HIDDEN = pytest.param(
    edit_and_hide,
    marks=pytest.mark.skipif(os.name == "nt", reason="no time there that nobody can set back"),
)
CHANGES = [grow, edit_in_place, HIDDEN, shrink, replace, empty]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "a.pgn"
    path.write_text(faults.text(GAMES, odd=40))
    old = path.stat().st_mtime_ns - 10**10
    os.utime(path, ns=(old, old))
    return path


@pytest.mark.parametrize("at", [0, 10, 50, 90])
@pytest.mark.parametrize("change", CHANGES)
def test_a_source_that_changes_while_it_is_read(
    change: Callable[[Path], None], at: int, source: Path, tmp_path: Path
) -> None:
    left = [change]

    def changes(base: base_model.Base) -> None:
        if left and base.games >= at:
            left.pop()(source)

    with faults.at_home(tmp_path / "home"), faults.small_batches():
        report = importing.open_base([source], on_base=changes)
        assert not left
        found = faults.everything(report.base)
        assert any("has changed while it was read" in message for message in report.messages)
        again = importing.open_base([source])
        assert (again.games, again.reused) == (report.games, report.games)
    assert found == faults.clean(source, tmp_path / "clean")


def test_a_source_that_never_stops_changing(source: Path, tmp_path: Path) -> None:
    with faults.at_home(tmp_path / "home"), faults.small_batches():
        with pytest.raises(errors.SourceError, match="changes while it is read"):
            importing.open_base([source], on_base=lambda base: grow(source))
        found = faults.imported(source)
    assert found == faults.clean(source, tmp_path / "clean")


def test_a_source_that_goes_away_while_it_is_read(source: Path, tmp_path: Path) -> None:
    away = source.with_name("away.pgn")

    def goes(base: base_model.Base) -> None:
        if base.games and source.exists():
            source.rename(away)

    with faults.at_home(tmp_path / "home"), faults.small_batches():
        with pytest.raises(errors.SourceError, match="does not exist"):
            importing.open_base([source], on_base=goes)
        away.rename(source)
        report = importing.open_base([source])
        assert (report.games, report.reused > 0) == (GAMES, True)
        assert faults.everything(report.base) == faults.clean(source, tmp_path / "clean")


@pytest.mark.parametrize("change", [edit_in_place, HIDDEN, shrink, replace, empty, Path.unlink])
def test_a_game_of_a_source_that_has_changed_is_not_shown(
    change: Callable[[Path], None], source: Path, tmp_path: Path
) -> None:
    with faults.at_home(tmp_path / "home"):
        base = importing.open_base([source]).base
        change(source)
        with pytest.raises(errors.SourceError, match=r"a\.pgn"):
            games.load(base, 20)
        with pytest.raises(errors.SourceError, match=r"a\.pgn"):
            games.text(base, 20)
        # The table goes on with what is known.
        assert games.rows(base, [21])[0].white == "Player 20"


def test_an_index_that_goes_away_is_named_and_made_anew(source: Path, tmp_path: Path) -> None:
    with faults.at_home(tmp_path / "home"):
        base = importing.open_base([source]).base
        for manifest in (tmp_path / "home").rglob("manifest.json"):
            manifest.unlink()
        with pytest.raises(errors.SourceError, match=r"index of a\.pgn is gone"):
            searching.search(base, "initial")
        again = importing.open_base([source])
        assert searching.search(again.base, "initial").positions == GAMES


def test_a_game_of_a_source_that_has_grown_is_shown(source: Path, tmp_path: Path) -> None:
    with faults.at_home(tmp_path / "home"):
        base = importing.open_base([source]).base
        grow(source)
        assert games.load(base, 21).row.white == "Player 20"
        assert b"Player 20" in games.text(base, 21)


@pytest.mark.parametrize("query", ["initial", 'originalcomment "good"'])
@pytest.mark.parametrize("change", [edit_in_place, HIDDEN, shrink, replace, Path.unlink])
def test_a_search_in_a_source_that_has_changed(
    change: Callable[[Path], None], query: str, source: Path, tmp_path: Path
) -> None:
    with faults.at_home(tmp_path / "home"):
        base = importing.open_base([source]).base
        before = searching.search(base, query)
        assert before.order
        change(source)
        order, said = outcome(base, query)
        # What does not need the text is answered from the index; what does says that it cannot be.
        assert order == before.order or "a.pgn" in said


def outcome(base: base_model.Base, query: str) -> tuple[tuple[int, ...], str]:
    """Games that a search finds, and what it says of games or the whole that could not be searched."""
    try:
        found = searching.search(base, query)
    except errors.CqlguiError as error:
        return (), str(error)
    return found.order, " ".join(failed.reason for failed in found.failed_games)


@pytest.mark.parametrize("change", [edit_in_place, shrink, replace])
def test_a_base_whose_source_another_program_reads_again(
    change: Callable[[Path], None], source: Path, tmp_path: Path
) -> None:
    with faults.at_home(tmp_path / "home"):
        base = importing.open_base([source]).base
        change(source)
        assert helpers.cli("import", source, home=tmp_path / "home").code == 0
        for ask in (
            lambda: games.load(base, 5),
            lambda: games.text(base, 5),
            lambda: searching.search(base, "initial"),
            lambda: searching.search(base, 'originalcomment "good"'),
            lambda: searching.search(base, "mate"),
        ):
            with pytest.raises(errors.SourceError, match=r"a\.pgn was read again .* Open it again"):
                ask()
        assert searching.search(importing.open_base([source]).base, "initial").order


def together(commands: list[list[str]], home: Path) -> list[tuple[int, str, str]]:
    """Run commands at the same time, and give how each ended."""
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "cqlgui", *words],
            cwd=helpers.ROOT,
            env=dict(os.environ, CQLGUI_HOME=str(home)),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for words in commands
    ]
    found = []
    for program in running:
        out, err = program.communicate(timeout=200)
        found.append((program.returncode, out, err))
    return found


@pytest.mark.parametrize("rounds", [1, pytest.param(15, marks=[pytest.mark.full, pytest.mark.timeout(3000)])])
def test_programs_that_meet_at_one_base(rounds: int, tmp_path: Path) -> None:
    source = tmp_path / "a.pgn"
    for number in range(rounds):
        home = tmp_path / f"home-{number}"
        # Every second round begins with an index of an older text.
        source.write_text(faults.text(3000, odd=500))
        if number % 2:
            assert helpers.cli("import", source, home=home).code == 0
            source.write_text(faults.text(2500, odd=300).replace("Player", "Someone"))
        search = ["search", str(source), "-e", "initial", "--json"]
        ends = together([["import", "--json", str(source)], search, ["import", "--json", str(source)]], home)
        for code, _out, err in ends:
            assert (code, helpers.TRACEBACK in err) == (0, False), err
        first, searched, second = (json.loads(out) for _code, out, _err in ends)
        assert first["games"] == second["games"] == searched["count"]
        with faults.at_home(home):
            found = faults.imported(source)
        assert found == faults.clean(source, tmp_path / f"clean-{number}")

"""An import that is killed at any moment: what was committed stays, and the next import has all the rest."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cqlgui.tasks.databases import importing
from tests import helpers
from tests.helpers import faults

GAMES = 130
FORMS = ["quick", pytest.param("full", marks=[pytest.mark.full, pytest.mark.timeout(3000)])]
FEW = 12

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="children are forked and killed by signal")

Live = Callable[[Path, Path, int], int]


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """Imports a source into a home until a moment comes; see `mortal`."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.helpers.mortal"],
        cwd=helpers.ROOT,
        env=dict(os.environ, CQLGUI_HOME=str(tmp_path_factory.mktemp("server"))),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        questions, answers = server.stdin, server.stdout
        assert answers.readline() == "ready\n"

        def one(home: Path, source: Path, moment: int) -> int:
            print(json.dumps([str(home), str(source), moment]), file=questions, flush=True)
            return int(answers.readline())

        yield one
        questions.close()


def moments(total: int, form: str) -> list[int]:
    """Those that are tried: all, or some from everywhere."""
    return sorted({total * n // FEW for n in range(FEW)}) if form == "quick" else list(range(total))


def check(home: Path, source: Path, expected: object) -> None:
    """Import after a kill: nothing that was committed is read again, and everything is there."""
    with faults.at_home(home), faults.small_batches():
        kept = faults.committed(home)
        report = importing.open_base([source])
        assert report.reused == kept
        assert report.games == len(faults.everything(report.base)[0])
        assert faults.everything(report.base) == expected
        again = importing.open_base([source])
        assert (again.reused, again.messages) == (again.games, ())
    # Half a text goes later, when nobody can be writing it any more.
    left = (home / "cache" / "index").rglob("*.tmp")
    assert not [path for path in left if not path.name.startswith("text-")]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "packed"])
def test_killed_at_any_moment(live: Live, packed: bool, form: str, tmp_path: Path) -> None:
    source = tmp_path / ("a.pgn.gz" if packed else "a.pgn")
    data = faults.text(GAMES).encode()
    source.write_bytes(gzip.compress(data) if packed else data)
    expected = faults.clean(source, tmp_path / "clean")
    total = live(tmp_path / "whole", source, -1)
    assert total > 60
    for moment in moments(total, form):
        home = tmp_path / f"home-{moment}"
        assert live(home, source, moment) == -1, f"moment {moment} of {total} never came"
        check(home, source, expected)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("how", ["grown", "changed"])
def test_killed_while_another_text_is_read(live: Live, how: str, form: str, tmp_path: Path) -> None:
    source, before = tmp_path / "a.pgn", tmp_path / "before"
    source.write_text(faults.text(GAMES))
    with faults.at_home(before), faults.small_batches():
        importing.open_base([source])
    text = faults.text(GAMES + 70)
    source.write_text(text if how == "grown" else text.replace("Player", "Another"))
    expected = faults.clean(source, tmp_path / "clean")
    total = live(faults.copied(before, tmp_path / "whole"), source, -1)
    for moment in moments(total, form):
        home = faults.copied(before, tmp_path / f"home-{moment}")
        assert live(home, source, moment) == -1
        with faults.at_home(home), faults.small_batches():
            assert faults.imported(source) == expected, f"moment {moment} of {total}"
            again = importing.open_base([source])
            assert (again.reused, again.messages) == (again.games, ())


@pytest.mark.parametrize("form", FORMS)
def test_killed_twice(live: Live, form: str, tmp_path: Path) -> None:
    source = tmp_path / "a.pgn"
    source.write_text(faults.text(GAMES))
    expected = faults.clean(source, tmp_path / "clean")
    total = live(tmp_path / "whole", source, -1)
    for moment in moments(total, form)[1:]:
        home = tmp_path / f"home-{moment}"
        assert live(home, source, moment) == -1
        live(home, source, moment // 2)
        check(home, source, expected)

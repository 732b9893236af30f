"""An import killed half-way loses nothing that was committed; a damaged index is noticed and made again."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests import helpers

GAMES = 24_000
GAME = """[White "A"]
[Black "B"]
[Result "1-0"]
[Round "{}"]

1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0

"""
SMALL = 300


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def write_games(path: Path, number: int) -> Path:
    games = [GAME.format(n) for n in range(1, number + 1)]
    # A spelling for which a worker is asked.
    games[0] = games[0].replace("1. e4", "1. e2e4")
    path.write_text("".join(games), encoding="ascii")
    return path


def committed(home: Path) -> int:
    """Games that the manifests under `home` name."""
    total = 0
    for manifest in (home / "cache").rglob("manifest.json"):
        rows = json.loads(manifest.read_text())["manifest"]["segments"]
        total += sum(row["games"] for row in rows)
    return total


def search(path: Path, home: Path) -> dict[str, object]:
    run = helpers.cli("search", path, "-e", "mate", "--json", home=home)
    assert run.code == 0, run.err
    answer = json.loads(run.out)
    assert isinstance(answer, dict)
    return answer


def importing(path: Path, home: Path) -> subprocess.Popen[str]:
    """An import that has stopped with its first games committed and others to come, however fast it is.

    It stops itself, as nobody who watches its files is sure to be in time. It leads a session of its own, so
    that its workers can be counted afterwards.
    """
    code = (
        "import os, signal, sys\n"
        "from cqlgui.__main__ import main\n"
        "from cqlgui.store.index import Writer\n"
        # Who runs in the background has it ignored.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "commit = Writer.commit_segment\n"
        "def then_stop(*arguments, **named):\n"
        "    commit(*arguments, **named)\n"
        "    Writer.commit_segment = commit\n"
        "    os.kill(os.getpid(), signal.SIGSTOP)\n"
        "Writer.commit_segment = then_stop\n"
        "sys.exit(main(['import', sys.argv[1]]))\n"
    )
    importer = subprocess.Popen(
        [sys.executable, "-c", code, str(path)],
        cwd=helpers.ROOT,
        env=dict(os.environ, CQLGUI_HOME=str(home)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    _, state = os.waitpid(importer.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(state), f"the import ended before it was half done: {state}"
    return importer


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of a session's processes in files")
def test_killed_import_goes_on_where_it_stopped(home: Path, tmp_path: Path) -> None:
    path = write_games(tmp_path / "many.pgn", GAMES)
    with importing(path, home) as importer:
        assert len(members(importer.pid)) > 1, "no worker is there that could outlive the program"
        importer.kill()
    kept = committed(home)
    assert 0 < kept < GAMES, "the import was not caught half-way"
    assert gone(importer.pid), "workers outlive the program that was killed"
    again = helpers.cli("import", path, "--json", home=home)
    assert again.code == 0, again.err
    report = json.loads(again.out)
    assert report["games"] == GAMES
    assert report["reused"] >= kept
    assert report["bad_games"] == []
    assert search(path, home)["count"] == GAMES


def gone(session: int) -> bool:
    """Whether every process of the session has ended, within some seconds."""
    end = time.monotonic() + 15
    while members(session):
        if time.monotonic() > end:
            for process in members(session):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            return False
        time.sleep(0.05)
    return True


def members(session: int) -> list[int]:
    """The processes of a session that have not ended; a zombie has."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            # After the name, which may hold anything: state, parent, group, session.
            state, _, _, own = path.read_bytes().rpartition(b")")[2].split()[:4]
            if int(own) == session and state not in b"ZX":
                found.append(int(path.parent.name))
    return found


@pytest.mark.skipif(os.name != "posix", reason="interrupts a process by signal")
def test_interrupted_import_says_so(home: Path, tmp_path: Path) -> None:
    path = write_games(tmp_path / "many.pgn", GAMES)
    with importing(path, home) as importer:
        importer.send_signal(signal.SIGINT)
        importer.send_signal(signal.SIGCONT)
        _, err = importer.communicate(timeout=60)
    assert importer.returncode == 130, err
    assert helpers.TRACEBACK not in err
    assert helpers.cli("import", path, home=home).code == 0


@pytest.mark.parametrize("how", ["cut", "altered", "missing", "manifest"])
def test_damaged_index_is_made_again(how: str, home: Path, tmp_path: Path) -> None:
    path = write_games(tmp_path / "few.pgn", SMALL)
    assert search(path, home)["count"] == SMALL
    segment = min((home / "cache").rglob("*.seg"))
    data = segment.read_bytes()
    if how == "cut":
        segment.write_bytes(data[: len(data) // 2])
    elif how == "altered":
        middle = len(data) // 2
        segment.write_bytes(
            data[:middle] + bytes(255 - byte for byte in data[middle : middle + 64]) + data[middle + 64 :]
        )
    elif how == "missing":
        segment.unlink()
    else:
        segment.with_name("manifest.json").write_text("{")
    assert search(path, home)["count"] == SMALL


def test_changed_file_is_read_anew(home: Path, tmp_path: Path) -> None:
    path = write_games(tmp_path / "few.pgn", SMALL)
    assert search(path, home)["count"] == SMALL
    write_games(path, SMALL // 3)
    assert search(path, home)["count"] == SMALL // 3


def test_grown_file_gets_its_new_games(home: Path, tmp_path: Path) -> None:
    path = write_games(tmp_path / "few.pgn", SMALL)
    assert search(path, home)["count"] == SMALL
    write_games(path, 2 * SMALL)
    assert search(path, home)["count"] == 2 * SMALL

"""A disk that is full, or fails, or is read-only: said in a sentence, nothing committed is lost, and the next
import finishes the work.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import gzip
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cqlgui.base import errors
from cqlgui.tasks.databases import bases, history, importing, workspace
from cqlgui.tasks.export import exporting
from cqlgui.tasks.search import searching
from cqlgui.ui.state import session
from tests import helpers
from tests.helpers import faults

GAMES = 150
FULL = [pytest.param("full", marks=[pytest.mark.full, pytest.mark.timeout(3000)])]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "a.pgn"
    path.write_text(faults.text(GAMES))
    return path


def written(source: Path, tmp_path: Path) -> int:
    """Bytes that an import writes to files of its own."""
    home = tmp_path / "counted"
    disk = faults.FullDisk(home, 1 << 40)
    with faults.at_home(home), faults.small_batches(), disk.inserted():
        importing.open_base([source])
    return disk.written


@pytest.mark.parametrize("form", ["quick", *FULL])
def test_files_fail_at_the_nth_byte(form: str, source: Path, tmp_path: Path) -> None:
    expected = faults.clean(source, tmp_path / "clean")
    total = written(source, tmp_path)
    steps = 12 if form == "quick" else 400
    for step in range(steps):
        home = tmp_path / f"home-{step}"
        code = (errno.ENOSPC, errno.EIO)[step % 2]
        disk = faults.FullDisk(home, total * step // steps)
        with faults.at_home(home), faults.small_batches():
            with disk.inserted(code), pytest.raises(errors.CqlguiError, match="written") as caught:
                importing.open_base([source])
            assert os.strerror(code) in str(caught.value)
            kept = faults.committed(home)
            assert not list(home.rglob("*.tmp"))
            report = importing.open_base([source])
            assert (report.games, report.reused) == (GAMES, kept)
            assert faults.everything(report.base) == expected


def fault(paths: list[Path]) -> str:
    """What an import says when it fails; empty when it does not."""
    try:
        importing.open_base(paths)
    except errors.CqlguiError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("form", ["quick", *FULL])
def test_the_catalog_fails_at_the_nth_page(form: str, source: Path, tmp_path: Path) -> None:
    expected = faults.clean(source, tmp_path / "clean")
    failed = 0
    for pages in range(4, 200, 2 if form == "quick" else 1):
        home = tmp_path / f"home-{pages}"
        with faults.at_home(home), faults.small_batches():
            with faults.full_database(pages):
                reason = fault([source])
            if not reason:
                break
            failed += 1
            assert "full" in reason
            workspace.close()
            kept = faults.committed(home)
            report = importing.open_base([source])
            assert (report.games, report.reused) == (GAMES, kept)
            assert faults.everything(report.base) == expected
    assert failed > 2


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (errno.ENOSPC, r"There is no room left on the disk to unpack a\.pgn\.gz\.$"),
        (errno.EIO, r"^a\.pgn\.gz cannot be unpacked: "),
    ],
)
def test_a_packed_source_that_cannot_be_unpacked(code: int, said: str, tmp_path: Path) -> None:
    path = tmp_path / "a.pgn.gz"
    path.write_bytes(gzip.compress(faults.text(GAMES).encode()))
    home = tmp_path / "home"
    with faults.at_home(home):
        with (
            faults.FullDisk(home, 1000).inserted(code),
            pytest.raises(errors.SourceError, match=said),
        ):
            importing.open_base([path])
        assert not list(home.rglob("*.tmp"))
        assert importing.open_base([path]).games == GAMES


def limited(words: list[str], home: Path, limit: int) -> helpers.Run:
    """A command whose files may have `limit` bytes."""
    import resource

    done = subprocess.run(
        [sys.executable, "-m", "cqlgui", *words],
        cwd=helpers.ROOT,
        # Python would leave half-written bytecode behind.
        env=dict(os.environ, CQLGUI_HOME=str(home), PYTHONDONTWRITEBYTECODE="1"),
        capture_output=True,
        text=True,
        timeout=120,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
        check=False,
    )
    return helpers.Run(done.returncode, done.stdout, done.stderr)


@pytest.mark.skipif(sys.platform == "win32", reason="sizes of files can be limited on POSIX alone")
@pytest.mark.parametrize(
    "limit", [0, 30_000, *(pytest.param(n, marks=pytest.mark.full) for n in range(5_000, 120_000, 5_000))]
)
def test_files_that_may_not_grow(limit: int, tmp_path: Path) -> None:
    source, home = tmp_path / "a.pgn", tmp_path / "home"
    source.write_text(faults.text(900))
    run = limited(["import", str(source)], home, limit)
    assert run.code == 2, run.err
    assert helpers.TRACEBACK not in run.err
    assert str(home) in run.err
    again = helpers.cli("import", source, home=home)
    assert again.code == 0, again.err
    assert again.out.startswith("900 games")


def without_override() -> None:
    """Take from the superuser, before a program is run, the right to write where no one may."""
    if os.geteuid() == 0 and sys.platform == "linux":
        drop, override = 24, 1
        ctypes.CDLL(None).prctl(drop, override, 0, 0, 0)


@pytest.mark.skipif(sys.platform == "win32", reason="folders cannot be made read-only there")
@pytest.mark.parametrize("command", [["import"], ["search", "-e", "mate", "--count"]])
def test_a_cache_that_cannot_be_written(command: list[str], source: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    for name in ("cache", "config", "data"):
        (home / name).mkdir(parents=True)
    (home / "cache").chmod(0o555)
    done = subprocess.run(
        [sys.executable, "-m", "cqlgui", command[0], str(source), *command[1:]],
        cwd=helpers.ROOT,
        env=dict(os.environ, CQLGUI_HOME=str(home), PYTHONDONTWRITEBYTECODE="1"),
        preexec_fn=without_override,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert helpers.TRACEBACK not in done.stderr
    assert str(home) in done.stderr


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 24 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if sys.platform != "linux" or os.geteuid():
        pytest.skip("only the superuser of Linux can make a disk that is full")
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "none", folder], check=False)
    if done.returncode:
        pytest.skip("no file system may be mounted here")
    try:
        yield folder
    finally:
        workspace.close()
        subprocess.run(["umount", "-l", folder], check=True)


def fill(folder: Path) -> Path:
    """Leave no room on a disk."""
    path = folder / "rest"
    with path.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while file.write(b"x" * 4096):
            pass
    return path


ASKED = [
    ["search", "-e", "ply == 2", "--count"],
    ["search", "-e", 'originalcomment "good"', "--json"],
    ["import"],
    ["info"],
]


@pytest.mark.parametrize("command", ASKED, ids=" ".join)
def test_a_full_disk_does_not_stop_what_reads_a_complete_index(
    command: list[str], source: Path, small_disk: Path
) -> None:
    home = small_disk / "home"
    assert helpers.cli("import", source, home=home).code == 0
    expected = helpers.cli(command[0], source, *command[1:], home=home)
    fill(small_disk)
    run = helpers.cli(command[0], source, *command[1:], home=home)
    assert run.code == 0, run.err
    assert [word for word in run.out.split() if "." not in word] == [
        word for word in expected.out.split() if "." not in word
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="sizes of files can be limited on POSIX alone")
@pytest.mark.parametrize("command", ASKED[:3], ids=" ".join)
def test_files_that_may_not_grow_do_not_stop_what_reads_a_complete_index(
    command: list[str], source: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    assert helpers.cli("import", source, home=home).code == 0
    run = limited([command[0], str(source), *command[1:]], home, 0)
    assert run.code == 0, run.err


def test_what_must_be_written_says_that_the_disk_is_full(
    source: Path, small_disk: Path, tmp_path: Path
) -> None:
    home = small_disk / "home"
    assert helpers.cli("import", source, home=home).code == 0
    other = tmp_path / "b.pgn"
    other.write_text(faults.text(10))
    rest = fill(small_disk)
    run = helpers.cli("import", other, home=home)
    assert run.code == 2
    assert "The disk is full" in run.err
    out = small_disk / "out.pgn"
    run = helpers.cli("search", source, "-e", "ply == 2", "-o", out, home=home)
    assert run.code == 2
    assert "No space left" in run.err
    assert not out.exists()
    rest.unlink()
    assert helpers.cli("import", other, home=home).code == 0


def test_the_window_goes_on_while_the_disk_is_full_and_writes_when_it_is_not(
    source: Path, small_disk: Path, tmp_path: Path
) -> None:
    with faults.at_home(small_disk / "home"):
        base = importing.open_base([source]).base
        bases.remember([source])
        history.add("mate")
        workspace.close()
        rest = fill(small_disk)
        base = importing.open_base([source]).base
        result = searching.search(base, "ply == 2")
        assert result.positions == GAMES
        history.add("ply == 2", "", result)
        bases.remember([tmp_path / "b.pgn"])
        assert bases.recent_files() == [(source,)]
        assert [entry.text for entry in history.entries()] == ["mate"]
        assert not session.save(session.Session(query="mate"))
        with pytest.raises(errors.CqlguiError, match="No space left"):
            exporting.export(base, result, small_disk / "out.pgn")
        assert not list(small_disk.rglob("*.tmp"))
        rest.unlink()
        history.add("ply == 2", "", result)
        assert [entry.text for entry in history.entries()] == ["ply == 2", "mate"]
        other = tmp_path / "b.pgn"
        other.write_text(faults.text(10))
        assert importing.open_base([other]).games == 10
        assert session.save(session.Session(query="mate"))


def test_no_history_can_be_begun_on_a_full_disk(small_disk: Path) -> None:
    with faults.at_home(small_disk / "home"):
        session.path()
        history_file = small_disk / "home" / "data"
        history_file.mkdir(parents=True)
        fill(small_disk)
        history.add("mate")
        assert bases.recent_files() == []

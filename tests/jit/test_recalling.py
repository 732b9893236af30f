"""The code of a query that is asked again comes from disk."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from cqlgui.base import ahead
from cqlgui.base.files import disk
from cqlgui.jit import emitter, native, recalling
from cqlgui.jit.words import Pointer, Scalar
from tests import helpers

pytestmark = pytest.mark.skipif(
    not native.available(), reason="there is no llvmlite here, or it is switched off"
)


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CQLGUI_HOME", str(tmp_path))

    def at_once(work: object) -> None:
        work()  # type: ignore[operator]  # a call without arguments

    monkeypatch.setattr(ahead, "Ahead", at_once)


def made(number: int) -> tuple[emitter.Assembly, emitter.Callee]:
    module = emitter.Module()
    f = module.function("answer", [("a", Pointer(Scalar.WORD))], Scalar.INT, exported=True)
    f.leave(
        f.binary("add", f.converted(f.load(f.arguments[0]), Scalar.INT), emitter.literal(number, Scalar.INT))
    )
    callee = f.finish()
    return module.assembly(), callee


def answer(number: int) -> int:
    assembly, callee = made(number)
    code, given = recalling.code(assembly), np.array([5], np.uint64)
    return int(code.function(callee)(given.ctypes.data))


def test_code_is_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not recalling.has(made(1)[0])
    assert answer(1) == 6
    assert recalling.has(made(1)[0])
    assert not recalling.has(made(1)[0], ["other"])
    monkeypatch.setattr(native, "_compiled", lambda *_: pytest.fail("compiled once more"))
    assert answer(1) == 6
    # A later version of the program may compile in another way.
    monkeypatch.setattr(recalling, "source", lambda module: f"another {module.__name__}")
    assert not recalling.has(made(1)[0])


def test_what_a_killed_process_left_is_removed_after_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert answer(1) == 6
    left = tmp_path / "cache" / "queries" / f"{disk.PREFIX}{5:016x}{disk.SUFFIX}"
    left.write_bytes(b"")
    assert answer(2) == 7
    assert left.exists()
    monkeypatch.setattr(native, "_IDLE_SECONDS", -10.0)
    monkeypatch.setattr(native, "_SELDOM", 1)
    assert answer(3) == 8
    assert not left.exists()


def test_damaged_code_is_made_again(tmp_path: Path) -> None:
    assert answer(1) == 6
    (path,) = (tmp_path / "cache" / "queries").iterdir()
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    assert answer(1) == 6
    assert answer(1) == 6


def test_only_so_many_queries_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recalling, "_MOST", 3)
    monkeypatch.setattr(native, "_SELDOM", 1)
    folder = tmp_path / "cache" / "queries"
    first: set[Path] = set()
    for number in range(5):
        assert answer(number) == 5 + number
        for path in folder.iterdir():
            # The clock of a file system may be coarse.
            seconds = path.stat().st_mtime - 10
            os.utime(path, (seconds, seconds))
        first = first or set(folder.iterdir())
    assert len(list(folder.iterdir())) == 3
    assert not first & set(folder.iterdir())


def test_a_process_looks_for_old_files_seldom(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "_SELDOM", 3)
    seen: list[int] = []
    monkeypatch.setattr(native, "_sweep", lambda folder, _: seen.append(len(list(folder.iterdir()))))
    for number in range(8):
        assert answer(number) == 5 + number
    assert seen == [1, 4, 7]


def test_without_a_place_for_files_the_code_is_made(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file, and no folder", "utf-8")
    assert answer(1) == 6
    assert not recalling.has(made(1)[0])


@pytest.mark.skipif(
    os.name == "nt" or not hasattr(os, "geteuid") or os.geteuid() == 0, reason="all may be read"
)
def test_a_folder_that_cannot_be_read_does_no_harm(tmp_path: Path) -> None:
    assert answer(1) == 6
    folder = tmp_path / "cache" / "queries"
    folder.chmod(0)
    try:
        assert not recalling.has(made(1)[0])
        assert answer(1) == 6
    finally:
        folder.chmod(0o700)


def test_a_disk_that_fails_does_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    assert answer(1) == 6

    def fail(*_: object, **__: object) -> None:
        raise PermissionError

    for name in ("is_file", "read_bytes"):
        monkeypatch.setattr(Path, name, fail)
    monkeypatch.setattr(native.folders, "make", fail)
    assert not recalling.has(made(1)[0])
    assert answer(1) == 6


def test_what_is_stored_late_goes_where_the_home_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    late: list[Callable[[], None]] = []
    monkeypatch.setattr(ahead, "Ahead", late.append)
    first, second = tmp_path / "first", tmp_path / "second"
    monkeypatch.setenv("CQLGUI_HOME", str(first))
    assert answer(1) == 6
    monkeypatch.setenv("CQLGUI_HOME", str(second))
    for put in late:
        put()
    assert not second.exists()
    monkeypatch.setenv("CQLGUI_HOME", str(first))
    monkeypatch.setattr(native, "_compiled", lambda *_: pytest.fail("compiled once more"))
    assert answer(1) == 6


def test_a_home_that_was_removed_is_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    late: list[Callable[[], None]] = []
    monkeypatch.setattr(ahead, "Ahead", late.append)
    home = tmp_path / "home"
    monkeypatch.setenv("CQLGUI_HOME", str(home))
    assert answer(1) == 6
    shutil.rmtree(home)
    with pytest.raises(OSError, match="home"):
        late[0]()
    assert not home.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="LLVM loads machine code elsewhere")
def test_a_search_that_is_asked_again_does_not_load_llvm(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text('[White "A"]\n[Black "B"]\n\n1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n', "utf-8")
    words = ["search", str(path), "-e", "flip mate", "--jsonl"]

    def asked() -> tuple[str, bool]:
        done = subprocess.run(
            [sys.executable, "-P", "-X", "importtime", "-m", "cqlgui", *words],
            env={**os.environ, "CQLGUI_HOME": str(tmp_path), "PYTHONPATH": str(helpers.ROOT)},
            capture_output=True, text=True, check=True, encoding="utf-8",
        )  # fmt: skip
        return done.stdout, "llvmlite.binding" in done.stderr

    first, loaded = asked()
    assert loaded
    assert len(first.splitlines()) == 1
    # The first process may have ended before all code was stored.
    end = time.monotonic() + 60
    while (again := asked())[1]:
        assert time.monotonic() < end
    assert again[0] == first

"""A folder with a stranger's modules beside the games, as the current folder or in the environment: none of
them is ever imported.
"""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import helpers

GAME = '[White "A"]\n[Black "B"]\n[Result "0-1"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n'
MARKING = """
import os
with open(os.path.join({marks!r}, __name__), "w"):
    pass
"""
AS_SCRIPT = f"""
import sys
sys.path.append({str(helpers.ROOT)!r})
from cqlgui.__main__ import main
if __name__ == "__main__":
    sys.exit(main())
"""
IN_A_WINDOW = """
from cqlgui.ui.window import main_window

def searched(main, report):
    main.searcher.finished.connect(lambda result: finished(main, result))
    main.searcher.run(report.base, "mate", None)

def finished(main, result):
    print("found", len(result.games), flush=True)
    main.close()

plain_begin = main_window.MainWindow.begin

def begin(main, *arguments):
    main.opener.opened.connect(lambda report: searched(main, report))
    plain_begin(main, *arguments)

main_window.MainWindow.begin = begin
"""
QUERY = "mate"


@pytest.fixture
def marks(tmp_path: Path) -> Path:
    """Where each foreign module that is imported leaves its name."""
    path = tmp_path / "marks"
    path.mkdir()
    return path


@pytest.fixture
def foreign(tmp_path: Path, marks: Path) -> Path:
    """A folder with games, and with a module of every name that the program imports."""
    folder = tmp_path / "foreign"
    folder.mkdir()
    all_names = loaded(
        "import cqlgui.cli.run, cqlgui.tasks.search.worker, cqlgui.cli.searching.command, peewee"
    )
    assert {"heapq", "json", "chess", "peewee", "cqlgui"} <= all_names
    plant(folder, marks, all_names | {"sitecustomize", "usercustomize", "psycopg2", "simplejson", "readline"})
    (folder / "games.pgn").write_text(GAME * 3)
    return folder


def plant(folder: Path, marks: Path, names: set[str]) -> None:
    """Put modules of these names there, every other one as a package."""
    for number, name in enumerate(sorted(names)):
        if number % 2:
            (folder / f"{name}.py").write_text(MARKING.format(marks=str(marks)))
        else:
            (folder / name).mkdir()
            (folder / name / "__init__.py").write_text(MARKING.format(marks=str(marks)))


def loaded(code: str) -> set[str]:
    """The modules at top level that are there after a program began so."""
    told = f"{code}\nimport sys\nprint(*{{name.split('.')[0] for name in sys.modules}})"
    done = subprocess.run(
        [sys.executable, "-c", told], cwd=helpers.ROOT, capture_output=True, text=True, check=True
    )
    return set(done.stdout.split()) - {"__main__", "__mp_main__"}


def run(command: list[str | Path], folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program in the folder with an environment that points there as far as `environment` says."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return subprocess.run(
        list(map(str, command)),
        cwd=folder,
        env={**plain, **environment},
        input="",
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def names(folder: Path) -> list[str]:
    """What lies in a folder."""
    return sorted(path.name for path in folder.iterdir())


def searching(folder: Path) -> list[str | Path]:
    return ["search", folder / "games.pgn", "-e", QUERY, "--engine", "interpreter", "--count"]


def test_the_current_folder_gives_no_modules(foreign: Path, marks: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(AS_SCRIPT)
    done = run([sys.executable, script, *searching(foreign)], foreign)
    assert (done.stdout, names(marks)) == ("3 games, 3 positions\n", []), done.stderr


def test_the_environment_gives_none_to_what_an_isolated_program_starts(
    foreign: Path, marks: Path, tmp_path: Path
) -> None:
    script = tmp_path / "script.py"
    script.write_text(AS_SCRIPT)
    base = tmp_path / "base"
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    (base / "lib" / version).mkdir(parents=True)
    (base / "lib" / version / "site-packages").symlink_to(foreign)
    environment = {
        "PYTHONPATH": str(foreign),
        "PYTHONUSERBASE": str(base),
        "PYTHONSTARTUP": str(foreign / "heapq.py"),
        "PYTHONHOME": str(foreign),
        "PYTHONINSPECT": "1",
    }
    done = run([sys.executable, "-I", script, *searching(foreign)], foreign, **environment)
    assert (done.stdout, names(marks)) == ("3 games, 3 positions\n", []), done.stderr


@pytest.mark.parametrize("path", ["{root}", "{root}" + os.pathsep, os.pathsep + "{root}", ""])
def test_a_program_started_by_its_name_imports_none_later(
    foreign: Path, marks: Path, tmp_path: Path, path: str
) -> None:
    # What Python itself loads to find a module by its name cannot be kept from the current folder.
    probe = tmp_path / "probe"
    probe.mkdir()
    (probe / "begun.py").write_text("import sys\nprint(*sys.modules)")
    early = run([sys.executable, "-m", "begun"], probe).stdout.split()
    for name in {*early, "cqlgui", "sitecustomize", "usercustomize"}:
        remove(foreign, name)
    assert (foreign / "heapq").exists() or (foreign / "heapq.py").exists()
    environment = {"PYTHONPATH": path.format(root=helpers.ROOT)}
    if not path:
        # The folder is a checkout, with more in it than belongs there.
        (foreign / "cqlgui").symlink_to(helpers.ROOT / "cqlgui")
        environment = {}
    done = run([sys.executable, "-m", "cqlgui", *searching(foreign)], foreign, **environment)
    assert (done.stdout, names(marks)) == ("3 games, 3 positions\n", []), done.stderr


def remove(folder: Path, name: str) -> None:
    """Take a planted module away."""
    (folder / f"{name}.py").unlink(missing_ok=True)
    if (folder / name).is_dir():
        (folder / name / "__init__.py").unlink()
        (folder / name).rmdir()


def test_the_window_imports_none(foreign: Path, marks: Path, tmp_path: Path) -> None:
    pytest.importorskip("PySide6")
    script = tmp_path / "script.py"
    script.write_text(IN_A_WINDOW + AS_SCRIPT)
    there = {name.removesuffix(".py") for name in names(foreign)}
    plant(foreign, marks, loaded("import cqlgui.app, cqlgui.ui.window.start") - there)
    done = run([sys.executable, script, foreign / "games.pgn"], foreign, CQLGUI_JIT="0")
    assert (done.stdout, names(marks)) == ("found 3\n", []), done.stderr


def test_a_window_takes_no_plugins_from_the_current_folder(
    foreign: Path, marks: Path, tmp_path: Path
) -> None:
    script = tmp_path / "script.py"
    told = "print(os.environ.get('QT_PLUGIN_PATH'), os.environ.get('QT_QPA_PLATFORM_PLUGIN_PATH'))"
    script.write_text(f"{AS_SCRIPT.replace('sys.exit(main())', 'main()')}\n    import os; {told}")
    script.write_text(IN_A_WINDOW + script.read_text())
    entries = os.pathsep.join(["", ".", str(tmp_path), "plugins"])
    games = foreign / "games.pgn"
    environment = {"QT_PLUGIN_PATH": entries, "QT_QPA_PLATFORM_PLUGIN_PATH": "platforms"}
    done = run([sys.executable, script, games], foreign, **environment)
    assert (done.stdout, names(marks)) == (f"found 3\n{tmp_path} None\n", []), done.stderr


@pytest.mark.skipif(os.name == "nt", reason="folders have no such rights there")
def test_what_the_program_keeps_is_the_users_alone(tmp_path: Path) -> None:
    home = tmp_path / "home"
    packed = tmp_path / "games.pgn.gz"
    packed.write_bytes(gzip.compress(GAME.encode()))
    before = os.umask(0)
    try:
        assert helpers.cli("search", packed, "-e", "mate", home=home).code == 0
    finally:
        os.umask(before)
    made = [path for path in (home / "cache", home / "config", home / "data") if path.is_dir()]
    made += [path for top in made for path in top.rglob("*") if path.is_dir()]
    assert len(made) > 4
    assert [path for path in made if path.stat().st_mode & 0o077] == []

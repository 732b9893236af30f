"""Rules of the repository itself: what lies where, what it may say, and that shipped files have a licence."""

from __future__ import annotations

import fnmatch
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from tests import helpers

ROOT = helpers.ROOT
GIVEN = {"cqlgui", "resources", "tests", "packaging"}
TOP_LEVEL = GIVEN | {".ci", ".gitignore", "LICENSE", "README.md", "pyproject.toml"}
# Home folders and checkouts of one machine do not belong here. Spelled apart, or this file would offend.
MACHINE_PATHS = re.compile(r"(?<![\w.~>-])/(?:wor" + r"k|home/[a-z]+|ro" + r"ot|Users/\w+)(?:/|\b)")
BINARY = {".png", ".zst", ".gz", ".bz2", ".zip", ".pgn"}


@pytest.fixture(scope="module")
def tracked() -> list[Path]:
    """Files that git knows, relative to the root."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        pytest.skip("this is not a git checkout")
    return [Path(name) for name in listed.stdout.decode().split("\0") if name and (ROOT / name).exists()]


def test_nothing_else_lies_at_the_top(tracked: list[Path]) -> None:
    assert {path.parts[0] for path in tracked} <= TOP_LEVEL


def test_no_paths_of_one_machine(tracked: list[Path]) -> None:
    found = []
    for path in tracked:
        if path.suffix in BINARY:
            continue
        lines = (ROOT / path).read_text(encoding="utf-8", errors="replace").splitlines()
        found += [
            f"{path}:{n}: {line.strip()}" for n, line in enumerate(lines, 1) if MACHINE_PATHS.search(line)
        ]
    assert not found


def test_no_unfinished_marks(tracked: list[Path]) -> None:
    marks = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X|raise NotImplemented" + r"Error)\b")
    found = [
        f"{path}:{n}"
        for path in tracked
        if path.suffix in {".py", ".sh"}
        for n, line in enumerate((ROOT / path).read_text(encoding="utf-8").splitlines(), 1)
        if marks.search(line)
    ]
    assert not found


def test_every_module_says_what_it_is_for(tracked: list[Path]) -> None:
    modules = [p for p in tracked if p.suffix == ".py" and (ROOT / p).read_text(encoding="utf-8").strip()]
    assert [p for p in modules if not (ROOT / p).read_text(encoding="utf-8").lstrip().startswith('"""')] == []


def test_every_shipped_file_has_a_licence() -> None:
    patterns = licence_patterns()
    shipped = [p.relative_to(ROOT / "resources") for p in (ROOT / "resources").rglob("*") if p.is_file()]
    unlisted = [
        str(p) for p in shipped if not any(fnmatch.fnmatchcase(str(p), pattern) for pattern in patterns)
    ]
    idle = [pattern for pattern in patterns if not any(fnmatch.fnmatchcase(str(p), pattern) for p in shipped)]
    assert unlisted == []
    assert idle == [], "lines of LICENSES.md that stand for no file"


def licence_patterns() -> list[str]:
    """First column of the table in LICENSES.md."""
    text = (ROOT / "resources" / "LICENSES.md").read_text(encoding="utf-8")
    return re.findall(r"^\| `([^`]+)` \|", text, re.MULTILINE)


def test_licence_is_the_gpl() -> None:
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "GNU GENERAL PUBLIC LICENSE" in text
    assert "Version 3" in text
    assert "END OF TERMS AND CONDITIONS" in text


def test_files_are_written_in_one_way() -> None:
    """By `base.files.disk`; but `writefile` of a query appends, and a worker's pipe is no file."""
    written = re.compile(r"write_(text|bytes)\(|open\([^)]*\"(?:[wx]|r\+)|\btempfile\b|O_CREAT")
    found = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "cqlgui").rglob("*.py")
        if written.search(path.read_text(encoding="utf-8"))
    }
    assert found == {"cqlgui/base/files/disk.py", "cqlgui/tasks/databases/files.py"}


def test_qt_stays_below_the_release_that_breaks_python_before_3_12() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    old = [line for line in project["dependencies"] if line.startswith("PySide6") and "< '3.12'" in line]
    assert old
    assert all("<6.12" in line for line in old)


def test_shell_scripts_are_plain_sh() -> None:
    shell = "dash" if Path("/bin/dash").exists() else "sh"
    for name in ("packaging/start", "packaging/test", "packaging/setup.sh"):
        done = subprocess.run([shell, "-n", name], cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("script", ["packaging/start", "packaging/test"])
def test_scripts_of_the_readme_exist(script: str) -> None:
    assert f"sh {script}" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert (ROOT / script).is_file()


def test_links_of_the_readme_lead_somewhere() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)#]+)\)", text)
    assert [t for t in targets if "://" not in t and not (ROOT / t).exists()] == []


def test_wheel_holds_the_resources(tmp_path: Path) -> None:
    for name in ("hatchling", "shtab", "argparse_manpage"):
        pytest.importorskip(name, reason=f"{name} is not installed, so no wheel is built without a network")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    for path in (ROOT / "resources").rglob("*"):
        if path.is_file():
            assert f"cqlgui/resources/{path.relative_to(ROOT / 'resources')}" in names
    assert "cqlgui/__init__.py" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert not any(name.startswith("tests/") for name in names)
    # What `man` and the shells look for.
    for place in ("man/man1/cqlgui.1", "bash-completion/completions/cqlgui", "zsh/site-functions/_cqlgui"):
        assert any(name.endswith(f".data/data/share/{place}") for name in names)

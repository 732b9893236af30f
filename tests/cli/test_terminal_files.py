"""The manual page and the completions of the shells name all that the argument parser knows."""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cqlgui.cli import arguments
from tests import helpers

PAGE = "share/man/man1/cqlgui.1"
BASH = "share/bash-completion/completions/cqlgui"
ZSH = "share/zsh/site-functions/_cqlgui"
FISH = "share/fish/vendor_completions.d/cqlgui.fish"
MACROS = {"TH", "SH", "SS", "TP", "RS", "RE", "B"}
"""The macros of man(7) that the page uses."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with all files."""
    for name in ("hatchling", "shtab", "argparse_manpage"):
        pytest.importorskip(name, reason=f"{name} is not installed, so no completions can be made")
    folder = tmp_path_factory.mktemp("made")
    script = helpers.ROOT / "packaging" / "terminal_files.py"
    done = subprocess.run(
        [sys.executable, str(script), str(folder)], capture_output=True, text=True, check=False, cwd=folder
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [BASH, ZSH, FISH, PAGE]
    return folder


def options() -> dict[str, set[str]]:
    """The long and the short options of each subcommand."""
    (commands,) = [
        action for action in arguments.parser()._actions if isinstance(action, argparse._SubParsersAction)
    ]
    return {
        name: {word for action in one._actions for word in action.option_strings}
        for name, one in commands.choices.items()
    }


def test_the_page_has_a_part_with_all_options_for_each_subcommand(made: Path) -> None:
    page = (made / PAGE).read_text(encoding="utf-8").replace("\\-", "-")
    part = re.compile(r"^\.SS \\fBcqlgui (\S+)\\fR\n(.*?)(?=^\.S[SH]|\Z)", re.MULTILINE | re.DOTALL)
    parts = dict(part.findall(page))
    assert list(parts) == list(arguments.SUBCOMMANDS)
    for name, known in options().items():
        # `-h` and `--help` are the same everywhere, and the page has `-h` in the lines of usage.
        described = set(re.findall(r"\\fB(--?[a-z][-a-z]*)\\fR", parts[name]))
        assert described == known - {"-h", "--help"}


def test_troff_takes_no_text_of_the_page_for_a_macro(made: Path) -> None:
    lines = (made / PAGE).read_text(encoding="utf-8").splitlines()
    assert {line[1:].split(" ")[0] for line in lines if line.startswith((".", "'"))} <= MACROS


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed, so no page can be set")
def test_the_page_is_set_without_a_warning(made: Path) -> None:
    command = ["groff", "-man", "-ww", "-Tutf8", str(made / PAGE)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "search chess games" in done.stdout


@pytest.mark.skipif(shutil.which("mandoc") is None, reason="mandoc is not installed")
def test_mandoc_sees_no_error_in_the_page(made: Path) -> None:
    done = subprocess.run(
        ["mandoc", "-W", "error", str(made / PAGE)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("place", [BASH, ZSH, FISH])
def test_completions_name_all_subcommands_and_options(place: str, made: Path) -> None:
    text = (made / place).read_text(encoding="utf-8")
    for name, known in options().items():
        assert re.search(rf"\b{name}\b", text)
        for option in known:
            # fish has `-l json` for `--json`, and `-s e` for `-e`.
            short = not option.startswith("--")
            spelled = f"-{'s' if short else 'l'} {option.lstrip('-')}" if place == FISH else option
            assert re.search(rf"(?<![-\w]){re.escape(spelled)}(?![-\w])", text), (name, option)


@pytest.mark.parametrize(("place", "shell"), [(BASH, "bash"), (ZSH, "zsh"), (FISH, "fish")])
def test_shells_accept_their_file(place: str, shell: str, made: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    done = subprocess.run([shell, "-n", str(made / place)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["se"], {"search"}),
        (["search", "--engine-"], {"--engine-nodes", "--engine-depth", "--engine-seconds"}),
        (["translate", "--shift-rule", ""], {"auto", "exact", "cql6"}),
        (["search", "ga"], {"games.pgn"}),
        (["search", "games.pgn", "--syzygy", "ta"], {"tables"}),
        (["study", "-o", "ta"], {"tables", "table.csv"}),
    ],
)
def test_bash_completes(words: list[str], expected: set[str], made: Path, tmp_path: Path) -> None:
    (tmp_path / "games.pgn").touch()
    (tmp_path / "table.csv").touch()
    (tmp_path / "tables").mkdir()
    script = (
        'source "$1"; shift; set -- cqlgui "$@"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
        '_shtab_cqlgui cqlgui "${@: -1}" "${@: -2:1}"; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        ["bash", "-c", script, "bash", str(made / BASH), *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.stderr == ""
    assert set(done.stdout.split()) == expected

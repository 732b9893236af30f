"""Makes the manual page and the completions of the shells from the argument parser.

    python packaging/terminal_files.py FOLDER

writes the files below FOLDER. A build of the wheel makes them too, and an installation puts them below the
prefix, where `man` and the shells look for them if the prefix is `/usr` or `/usr/local`. Needs the packages
hatchling, shtab and argparse-manpage, which a build has (`build-system` in `pyproject.toml`).
"""

from __future__ import annotations

import argparse
import functools
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import shtab
from argparse_manpage.manpage import Manpage
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parents[1]
SHELLS: Final = {
    "bash": "share/bash-completion/completions/cqlgui",
    "zsh": "share/zsh/site-functions/_cqlgui",
    "fish": "share/fish/vendor_completions.d/cqlgui.fish",
}
"""The place of each shell's completions below the prefix of an installation."""
MANUAL: Final = "share/man/man1/cqlgui.1"


class TerminalFiles(BuildHookInterface[Any]):
    """Adds the files to a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the files in a temporary folder, and name them in `build_data`."""
        self._folder = Path(tempfile.mkdtemp())
        for place in write(self._folder):
            build_data["shared_data"][str(self._folder / place)] = place

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the temporary folder."""
        shutil.rmtree(self._folder)


def write(folder: Path) -> list[str]:
    """Write all files below `folder`, and return their paths there."""
    made = {place: completions(shell) for shell, place in SHELLS.items()} | {MANUAL: manual()}
    for place, text in made.items():
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    return list(made)


def completions(shell: str) -> str:
    """The completions for a shell (`SHELLS`)."""
    top = _parser()
    for one in _parsers(top):
        for action in one._actions:
            if "FILE" in str(action.metavar) or action.type is Path:
                action.complete = shtab.FILE  # type: ignore[attr-defined]
            elif action.metavar == "DIR":
                action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
    return shtab.complete(top, shell)


def manual() -> str:
    """The manual page, in troff with the macros of man(7)."""
    top = _parser()
    for one in _parsers(top):
        # Help on one line. A wrapped line could begin with a dot (`.pgn`), and troff would take it for a
        # macro.
        one.formatter_class = functools.partial(argparse.HelpFormatter, width=1_000_000)  # type: ignore[assignment]
    from cqlgui import __version__

    page = Manpage(
        top,
        format="single-commands-section",
        _data={
            "project_name": "cqlgui",
            "version": __version__,
            "description": "search chess games with the Chess Query Language",
            "manual_title": "User Commands",
        },
    )
    return str(page)


def _parser() -> argparse.ArgumentParser:
    # A build runs this file in an environment where the project is not installed.
    sys.path.insert(0, str(ROOT))
    try:
        from cqlgui.cli import arguments
    finally:
        sys.path.remove(str(ROOT))
    return arguments.parser()


def _parsers(top: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """The parser and those of its subcommands."""
    yield top
    for action in top._actions:
        if isinstance(action, argparse._SubParsersAction):
            for one in action.choices.values():
                yield from _parsers(one)


def main(words: list[str]) -> int:
    """Write the files below the folder named; returns the exit code."""
    if len(words) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    for place in write(Path(words[0])):
        print(place)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

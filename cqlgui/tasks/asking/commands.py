"""Writes what is asked in the window as a command line that prints the same rows."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from cqlgui.store import places
from cqlgui.tasks.results import base_model


def command_line(
    base: base_model.Base,
    text: str,
    *,
    games: str = "",
    options: Sequence[str] = (),
    output: Path | None = None,
    scheduler: str = "",
) -> str:
    """A command for a POSIX shell that searches a base. `games` are the terms of `--games`, and `options` are
    further options. If the address of a `scheduler` is given, its cluster searches. The command writes to the
    file `output`, or prints JSON lines if there is none."""
    words = ["cqlgui", "search", *map(places.spelt, base.paths), "-e", text]
    if scheduler:
        words += ["--scheduler", scheduler]
    if games.strip():
        words.append(f"--games={games.strip()}")
    where = ["--jsonl"] if output is None else ["-o", str(output)]
    return shlex.join([*words, *options, *where])

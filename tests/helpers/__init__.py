"""What several test folders share: where things are, and running the command line as a user does."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from cqlgui.jit import native

ROOT = Path(__file__).resolve().parents[2]
"""The checkout."""

SHARED = ROOT.parent / "shared"
"""Reference material beside the checkout; absent in most clones."""

ENGINE = "compiled" if native.available() else "interpreted"
"""What results say of a query that can be compiled."""

TRACEBACK = "Traceback (most recent call last)"


@dataclass(frozen=True)
class Run:
    """How a program ended."""

    code: int
    out: str
    err: str


def cli(*arguments: str | Path, home: Path | None = None, stdin: str = "", timeout: float = 120) -> Run:
    """Run `python -m cqlgui` with `arguments` in a process of its own; `home` is its CQLGUI_HOME.

    Without `home` the caller's is inherited. Output is decoded as UTF-8, other bytes as backslash escapes.
    Raises `TimeoutExpired` when it hangs.
    """
    environment = dict(os.environ, PYTHONUTF8="1")
    if home is not None:
        environment["CQLGUI_HOME"] = str(home)
    done = subprocess.run(
        [sys.executable, "-m", "cqlgui", *map(str, arguments)],
        input=stdin.encode(),
        capture_output=True,
        timeout=timeout,
        env=environment,
        cwd=ROOT,
        check=False,
    )
    return Run(
        done.returncode,
        done.stdout.decode("utf-8", "backslashreplace"),
        done.stderr.decode("utf-8", "backslashreplace"),
    )

"""Prints the figures of speed:  python -m tests.tools.perf [--quick] [--big] [FILE.pgn]

Without a file the sample base is measured; with one, that plain PGN. User folders are temporary.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from cqlgui.jit import native
from tests import helpers
from tests.tools.perf import compiled, headless, large, window

QUICK_BYTES = 30_000


def main(words: Sequence[str] | None = None) -> int:
    """Measure and print; nothing is judged."""
    arguments = argparse.ArgumentParser(prog="python -m tests.tools.perf", description=__doc__)
    arguments.add_argument(
        "file", nargs="?", type=Path, default=headless.SAMPLE, help="plain PGN (default: the sample base)"
    )
    arguments.add_argument("--quick", action="store_true", help="a few games only, to see that it works")
    arguments.add_argument("--big", action="store_true", help="eight copies of the file as one base, too")
    options = arguments.parse_args(words)
    with tempfile.TemporaryDirectory(prefix="cqlgui-perf-") as folder:
        os.environ["CQLGUI_HOME"] = str(Path(folder, "home"))
        path = shortened(options.file, Path(folder)) if options.quick else options.file
        machine = f"{platform.platform()}, Python {platform.python_version()}, {os.cpu_count()} processors"
        print(f"{machine}, {path.name}")
        figures, yardstick = headless.reading(path)
        if native.available():
            figures += headless.kernel_(path, yardstick)
        more, base = headless.importing_(path, yardstick)
        figures += more + compiled.scanning(base)
        figures += headless.interpreting(base, yardstick) + headless.starting(path)
        for figure in figures:
            print(figure.line())
        if options.big:
            for figure in large.figures(path, Path(folder, "large"), 8):
                print(figure.line())
        # The window gets a process of its own: its figures shall not suffer from what was loaded here.
        command = [sys.executable, "-m", "tests.tools.perf.window", str(path), str(window.QUERY)]
        return subprocess.run(command, cwd=helpers.ROOT, check=False).returncode


def shortened(path: Path, folder: Path) -> Path:
    """The first games of a file, in a file of their own."""
    head = path.read_bytes()[:QUICK_BYTES]
    short = folder / "quick.pgn"
    short.write_bytes(head[: head.rfind(b"\n[Event ")])
    return short


if __name__ == "__main__":
    from cqlgui.tasks.processes import pool

    try:
        code = main()
    finally:
        pool.close()
    sys.exit(code)

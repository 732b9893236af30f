"""Breeds random queries and compares the engines:

    python -m tests.tools.breeding [--count 5000] [--seed N] [--transform WORD] [FILE.pgn ...]

Prints the share that was accepted and compiled, how often each keyword came up, the queries that took too
long, and every disagreement with the smallest query found that still shows it; then the exit status is 1.
An interrupt ends it early, with what was compared until then. With `--transform` the queries are known ones,
each with one part under a transform: elements must be told under every kind of filter.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path


def main() -> int:
    words = argparse.ArgumentParser(
        prog="python -m tests.tools.breeding",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    words.add_argument(
        "files", nargs="*", type=Path, metavar="FILE.pgn", help="games to search (default: own ones)"
    )
    words.add_argument("--count", type=int, default=5000)
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--transform", metavar="WORD", help="such as flip or shift")
    options = words.parse_args()
    with tempfile.TemporaryDirectory(prefix="cqlgui-breeding-") as folder:
        os.environ.setdefault("CQLGUI_HOME", folder)
        from cqlgui.tasks.processes import pool
        from tests.tools.breeding import comparing

        try:
            paths = options.files or comparing.own_games(Path(folder))
            found = comparing.run(paths, options.count, options.seed, options.transform)
        finally:
            pool.close()
    for line in found.report():
        print(line)
    return 1 if found.differences else 0


if __name__ == "__main__":
    sys.exit(main())

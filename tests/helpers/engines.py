"""Programs that speak UCI as a test wants it, and the engine of Debian."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Final

import chess
import pytest

_PROGRAM: Final = """#!{python}
import sys, time
from pathlib import Path

here = Path(__file__).parent
log = (here / "log").open("a")
fen = ""


def say(text):
    print(text, flush=True)


for line in sys.stdin:
    line = line.strip()
    print(line, file=log, flush=True)
    if line == "uci":
        say("id name Scripted")
        say("option name Threads type spin default 4 min 1 max 8")
        say("option name Hash type spin default 64 min 32 max 128")
        say("uciok")
    elif line == "isready":
        say("readyok")
    elif line.startswith("position"):
        fen = line.removeprefix("position fen ").replace("position startpos", "{start}")
    elif line.startswith("go"):
        {go}
    elif line == "quit":
        break
"""


def scripted(folder: Path, *go: str) -> Path:
    """A program that does what the Python lines `go` say when it is asked. They know `fen`, `say` and `here`,
    the folder of the program. The file `log` in this folder gets what the program was told."""
    path = folder / "engine"
    path.write_text(
        _PROGRAM.format(python=sys.executable, start=chess.STARTING_FEN, go="\n        ".join(go))
    )
    path.chmod(0o755)
    return path


def told(engine: Path, word: str) -> list[str]:
    """The lines that a scripted engine got and that begin with a word."""
    lines = (engine.parent / "log").read_text().splitlines()
    return [line for line in lines if line.split(" ")[0] == word]


def stockfish() -> Path:
    """Stockfish, or the test is skipped."""
    found = shutil.which("stockfish") or shutil.which("/usr/games/stockfish")
    if found is None:
        pytest.skip("stockfish is not installed (Debian: stockfish)")
    return Path(found)

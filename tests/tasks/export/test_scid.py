"""Scid, another chess database, reads every kind of exported PGN: the same games, with their marks."""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
from pathlib import Path

import chess.pgn
import pytest

from cqlgui.tasks.databases import importing
from cqlgui.tasks.export import exporting
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import searching
from tests import helpers

# Games in files of others: tags with signs and without the usual ones, comments of all kinds, nested
# variations, null moves, castling with zeros, positions, a game without moves and one without an end.
ODD = r"""[Event "Ü \"quoted\" [bracket] {brace}"]
[White "Varied"]
[Result "0-1"]

{before the first move} 1. e4 $1 {good (no variation)} (1. d4 d5 (1... Nf6 2. c4 (2. Nf3+ g6) 2... e6) 2. c4)
1... e5 ; to the end of the line
2. Nf3 (2. f4 {[%csl Gf4]} exf4 (2... d5)) 2... Nc6 0-1

[White "Zeros"]

1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. 0-0 Nf6 5. d3 0-0 1/2-1/2

[White "Null moves"]

1. e4 -- 2. d4 Z0 3. Qh5 g6 4. Qxg6+ *

[FEN "4k3/4p3/8/8/8/8/4P3/R3K3 b Q - 3 17"]
[SetUp "1"]

17... e5 18. O-O-O Ke7 19. Rd7+ *

[White "No moves"]
[Result "1-0"]

1-0

[White "No tags like"]
[Annotator "a; b"]

1. e4 {
[White "in a comment"]

1. d4} e5 2. Qh5 Ke7 3. Qxe5# 1-0

[White "Cut off"]
[Result "*"]

1. e4 e5 (1... c5 2. Nf3"""

SCRIPT = """
fconfigure stdout -encoding utf-8
foreach file $argv {
    set base [sc_base create [file rootname $file]]
    set found [sc_base import $base $file]
    puts "BASE [lindex $found 0]"
    puts [lindex $found 1]
    for {set game 1} {$game <= [sc_base numGames $base]} {incr game} {
        sc_game load $game
        puts "GAME"
        puts [sc_game pgn -tags 1 -comments 1 -var 1 -width 9999]
    }
    sc_base close $base
}
exit
"""


@pytest.fixture
def base(tmp_path: Path) -> base_model.Base:
    odd = tmp_path / "odd.pgn"
    odd.write_text(ODD, encoding="utf-8")
    return importing.open_base([odd, helpers.ROOT / "resources" / "sample" / "sample.pgn"]).base


def scid(folder: Path, *files: Path) -> list[tuple[str, list[chess.pgn.Game]]]:
    """What Scid says of each file when it imports it, and the games that it then has."""
    # Debian puts it where the path of a script need not lead.
    program = shutil.which("tkscid", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/games"]))
    if program is None:
        pytest.skip("Scid is not installed (Debian: scid)")
    script = folder / "read.tcl"
    script.write_text(SCRIPT)
    done = subprocess.run(
        [program, script, *files],
        cwd=folder,
        env={**os.environ, "HOME": str(folder), "LC_ALL": "C.UTF-8"},
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    found = []
    for text in done.stdout.decode("utf-8").split("BASE ")[1:]:
        said, *games = text.split("\nGAME\n")
        count, _, warnings = said.partition("\n")
        assert int(count) == len(games)
        read = [chess.pgn.read_game(io.StringIO(game)) for game in games]
        found.append((warnings, [game for game in read if game is not None]))
    assert len(found) == len(files)
    return found


def moves(node: chess.pgn.GameNode) -> list[object]:
    """The moves from a position on, with their variations."""
    return [(child.move.uci(), moves(child)) for child in node.variations if child.move is not None]


def marks(game: chess.pgn.Game) -> int:
    """How many positions of a game have the mark of a hit."""
    count, nodes = 0, [game]
    while nodes:
        node = nodes.pop()
        count += bool(re.search(r"\bCQL\b", node.comment))
        nodes += node.variations  # type: ignore[arg-type]  # nodes below a game
    return count


def test_scid_reads_the_games_with_their_variations_and_marks(base: base_model.Base, tmp_path: Path) -> None:
    result = searching.search(base, "check or initial", search_model.SearchOptions(limit=64, variations=True))
    plain, marked, study = (tmp_path / f"{name}.pgn" for name in ("plain", "marked", "study"))
    exporting.export(base, result, plain)
    exporting.export(base, result, marked, annotate=True)
    exporting.export(base, result, study, study=True)
    files = [(tmp_path / "odd.pgn"), plain, marked, study]
    (_, source), *exports = scid(tmp_path, *files)
    assert [game.headers["White"] for game in source][::6] == ["Varied", "Cut off"]
    for warnings, games in exports:
        assert len(games) == len(result.order) == 64
        assert ["result missing" in line for line in warnings.splitlines() if line.strip()] == [True]
        assert [moves(game) for game in games[:7]] == [moves(game) for game in source]
        assert [moves(game) for game in games] == [moves(game) for game in exports[0][1]]
    (_, unmarked), *others = exports
    assert sum(map(marks, unmarked)) == 0
    for _, games in others:
        assert [marks(game) for game in games] == [len(result.games[number].hits) for number in result.order]

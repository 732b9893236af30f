"""The command line of a search prints the rows of this search."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import numpy as np

from cqlgui.tasks.asking import commands
from cqlgui.tasks.cluster import publishing
from cqlgui.tasks.databases import games, importing
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import searching
from tests import helpers

GAME = '[White "A"]\n[Black "O\'Kelly"]\n[Result "{}"]\n\n1. e4 e5 2. Qh5 Ke7 3. Qxe5# {}\n\n'


def test_the_command_prints_the_same_rows(tmp_path: Path) -> None:
    path = tmp_path / "it's a file.pgn"
    path.write_text(GAME.format("1-0", "1-0") + GAME.format("0-1", "0-1"))
    base = importing.open_base([path]).base
    text = '// "quoted" $HOME\nflipcolor {check}'
    line = "-result:0-1 O'Kelly"
    command = commands.command_line(base, text, games=line, options=["--group", "game"])
    program, *words = shlex.split(command)
    assert program == "cqlgui"
    run = helpers.cli(*words)
    assert run.code == 0, run.err
    within = games.fitting(base, line)
    assert within.tolist() == [1]
    result = searching.search(base, text, search_model.SearchOptions(within=np.array(within)))
    rows = [json.loads(row) for row in run.out.splitlines()]
    assert [(row["game"], row["hits"]) for row in rows] == [
        (game, len(result.games[game].hits)) for game in result.order
    ]
    assert rows


def test_the_command_names_a_published_base_and_its_scheduler(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(GAME.format("1-0", "1-0"))
    publishing.publish(importing.open_base([path]).base, str(tmp_path / "pub"))
    base = importing.open_base([tmp_path / "pub"]).base
    # The files need not be there any more.
    path.unlink()
    command = commands.command_line(base, "check", scheduler="tls://host:8786")
    program, *words = shlex.split(command)
    assert program == "cqlgui"
    place = words.index("--scheduler")
    assert words[place + 1] == "tls://host:8786"
    run = helpers.cli(*words[:place], *words[place + 2 :])
    assert run.code == 0, run.err
    assert [json.loads(row)["game"] for row in run.out.splitlines()] == [1]


def test_the_command_names_an_address_as_it_was_written() -> None:
    source = base_model.Source(Path("/elsewhere/a.pgn"), 1, 3, place=("s3://bucket/base", 0))
    base = base_model.Base(1, "", (source,), 3, 9, complete=True)
    assert commands.command_line(base, "mate") == "cqlgui search s3://bucket/base -e mate --jsonl"

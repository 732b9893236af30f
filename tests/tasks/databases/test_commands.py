"""The numbers of a segment's games are those that the interpreter reads, and those of python-chess."""

from __future__ import annotations

import io
from pathlib import Path
from random import Random
from typing import Any

import chess.pgn
import pytest

from cqlgui.cql.source import commands as rules
from cqlgui.jit import native
from cqlgui.store import side_files
from cqlgui.tasks.asking import queries
from cqlgui.tasks.databases import commands, hosts, importing, sources, workspace
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import estimating, searching, sieving
from tests import helpers

CLOCKS = (helpers.ROOT / "tests" / "cql" / "data" / "clocks.pgn").read_text("utf-8")


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    """As in a program that was just started."""
    commands.KEPT.clear()


@pytest.fixture
def base(tmp_path: Path) -> base_model.Base:
    path = tmp_path / "a.pgn"
    # The last game is left to the lenient reader.
    path.write_text(CLOCKS + "\n" + CLOCKS.replace("{Theory.", "; to the end\n{") + "\n", "utf-8")
    return importing.open_base([path]).base


def of_games(base: base_model.Base) -> list[dict[int, tuple[int | None, ...]]]:
    found = commands.of_segment(base.sources[0], 0)
    return [found.of_game(game) for game in range(len(found))]


def test_numbers_are_those_of_the_interpreter(base: base_model.Base) -> None:
    found = of_games(base)
    assert len(found) == base.games == 10
    assert found[0] == {1: (60, None, -62), 2: (59, None, -70), 3: (9, None, -99_999), 4: (58, None, None)}
    assert found[4] == {}
    assert found[:5] == found[5:]
    with sources.opened(base.sources[0]) as opened:
        for game, own in enumerate(found):
            host = hosts.GameHost(opened, game)
            for place in range(12):
                told = tuple(rules.value(host.all_comments(place), key) for key in rules.KEYS)
                assert own.get(place, (None, None, None)) == told


def test_texts_are_read_once(base: base_model.Base, monkeypatch: pytest.MonkeyPatch) -> None:
    first = of_games(base)
    (segment,) = workspace.index_folder(base.sources[0].path).glob("*.seg")
    assert side_files.path_of(segment, side_files.COMMANDS).is_file()
    read: list[int] = []
    find = commands.find

    def counted(*arguments: Any) -> Any:
        read.append(1)
        return find(*arguments)

    monkeypatch.setattr(commands, "find", counted)
    commands.KEPT.clear()
    assert of_games(base) == first
    assert not read


def asked(base: base_model.Base, query: str, *, compiled: bool = True) -> dict[int, list[int]]:
    """The hits of a query by game."""
    options = search_model.SearchOptions(compiled=compiled, details=search_model.Details.NONE)
    found = searching.search(base, query, options)
    assert not compiled or found.engine == "compiled"
    return {game - 1: [hit.positionid for hit in found.games[game].hits] for game in found.order}


@pytest.mark.skipif(not native.available(), reason="queries are compiled with llvmlite only")
def test_games_without_such_a_number_are_passed_over(base: base_model.Base) -> None:
    for query, games in (
        ("cql(variations) pgn clk < 10", [0, 1, 3, 5, 6, 8]),
        ("cql(variations) pgn eval black < -90000", [3, 8]),
        ("pgn emt >= 3600", [2, 7]),
        ("pgn clk < 0", []),
        ("not pgn clk", list(range(10))),
    ):
        assert sorted(asked(base, query)) == games
        planner = sieving.plan(queries.expanded(query)).planner
        assert planner is not None
        with sources.indexed(base.sources[0]) as opened:
            ((first, segment),) = opened.parts
            assert planner.part(base.sources[0], first, segment).numbers.tolist() == games


@pytest.mark.skipif(not native.available(), reason="estimates are made from machine code")
def test_an_estimate_asks_for_numbers_too(base: base_model.Base) -> None:
    found = estimating.estimate(base, "pgn clk < 10")
    assert found is not None
    assert (found.games, found.total) == (4, 10)


def test_numbers_of_played_games_are_those_of_python_chess(tmp_path: Path) -> None:
    random = Random(5)
    text = (helpers.ROOT / "resources" / "sample" / "sample.pgn").read_text("utf-8")[:12_000]
    written, wanted = [], dict[str, list[tuple[int, int]]]()
    stream = io.StringIO(text)
    while (game := chess.pgn.read_game(stream)) is not None:
        for ply, node in enumerate(game.mainline(), 1):
            if random.random() < 0.9:
                node.set_clock(random.choice([random.uniform(0, 20), random.uniform(0, 9_000)]))
            if random.random() < 0.5:
                node.set_emt(random.randrange(2_000))
            if random.random() < 0.8:
                mate = chess.engine.Mate(random.choice([-3, -1, 1, 12]))
                score = random.choice([chess.engine.Cp(random.randrange(-900, 900)), mate])
                node.set_eval(chess.engine.PovScore(score, chess.WHITE), random.choice([None, 22]))
            place = len(written), ply
            for query, holds in (
                ("pgn clk < 10", (clock := node.clock()) is not None and clock < 10),
                ("pgn emt >= 1000", (used := node.emt()) is not None and used >= 1_000),
                ("pgn eval > 450", (found := node.eval()) is not None
                 and found.white().score(mate_score=100_000) > 450),
                ("pgn eval black >= 99999", found is not None and found.black() == chess.engine.Mate(1)),
            ):  # fmt: skip
                wanted.setdefault(query, [])
                if holds:
                    wanted[query].append(place)
        written.append(str(game))
    path = tmp_path / "played.pgn"
    path.write_text("\n\n".join(written) + "\n", "utf-8")
    base = importing.open_base([path]).base
    for query, places in wanted.items():
        assert places
        found = asked(base, query, compiled=native.available())
        assert [(game, place) for game, own in found.items() for place in own] == places

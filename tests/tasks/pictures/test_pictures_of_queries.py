"""The games left after each filter, and the order of several queries in their games."""

from __future__ import annotations

import collections
import itertools
import json

import pytest

from cqlgui.base import errors
from cqlgui.jit import native
from cqlgui.tasks.databases import importing
from cqlgui.tasks.pictures import left_over, pictures, transitions
from cqlgui.tasks.results import base_model
from cqlgui.tasks.search import searching
from tests import helpers

pytestmark = pytest.mark.skipif(not native.available(), reason="kernels are slow without machine code")
SAMPLE = helpers.ROOT / "resources" / "sample" / "sample.pgn"
QUERIES = ["check", "castle", "#Q == 0 #q == 0", "mate", "Bh7"]


@pytest.fixture
def base() -> base_model.Base:
    return importing.open_base([SAMPLE]).base


@pytest.fixture
def named(base: base_model.Base) -> list[transitions.Named]:
    return [(query, searching.search(base, query)) for query in QUERIES]


def orders(named: list[transitions.Named]) -> dict[int, list[tuple[int, ...]]]:
    """The queries of each game in the order of their first hits. A tie is one entry with several queries."""
    firsts: dict[int, list[tuple[int, int]]] = collections.defaultdict(list)
    for number, (_, result) in enumerate(named):
        for game in result.order:
            firsts[game].append((min(hit.positionid for hit in result.games[game].hits), number))
    return {
        game: [
            tuple(number for _, number in together)
            for _, together in itertools.groupby(sorted(found), key=lambda pair: pair[0])
        ]
        for game, found in firsts.items()
    }


def test_flows_count_the_games_in_their_order(named: list[transitions.Named]) -> None:
    found = transitions.transitions(named)
    numbers = {queries: number for number, queries in enumerate(found.members)}
    expected = {game: [numbers[one] for one in order] for game, order in orders(named).items()}
    assert any(number >= len(named) for order in expected.values() for number in order)
    steps: dict[tuple[int, int, int], set[int]] = collections.defaultdict(set)
    for game, order in expected.items():
        for stage, (one, other) in enumerate(zip(order, [*order[1:], transitions.END], strict=True)):
            steps[stage, one, other].add(game)
    assert found.games == len(expected)
    assert {(flow.stage, flow.one, flow.other): flow.games for flow in found.flows} == {
        key: len(games) for key, games in steps.items()
    }
    assert max(flow.stage for flow in found.flows) >= 2
    for key, games in steps.items():
        assert transitions.along(named, *key).tolist() == sorted(games)


def test_flows_of_a_node_add_up_to_its_games(named: list[transitions.Named]) -> None:
    found = transitions.transitions(named)
    assert sum(node.games for node in found.nodes if node.stage == 0) == found.games
    for node in found.nodes:
        out = sum(f.games for f in found.flows if (f.stage, f.one) == (node.stage, node.query))
        into = sum(f.games for f in found.flows if (f.stage + 1, f.other) == (node.stage, node.query))
        assert node.games == out
        assert node.stage == 0 or node.games == into


def test_a_flow_leads_to_the_hits_in_its_games(named: list[transitions.Named]) -> None:
    flow = transitions.transitions(named).flows[0]
    games = transitions.along(named, flow.stage, flow.one, flow.other)
    _, result = named[flow.one]
    narrowed = pictures.in_games(result, games)
    assert sorted(narrowed.order) == games.tolist()
    assert narrowed.positions == sum(len(result.games[game].hits) for game in games.tolist())


def test_queries_that_hit_at_one_position_are_a_tie(base: base_model.Base) -> None:
    one, other = (searching.search(base, query) for query in ("mate", "check mate"))
    found = transitions.transitions([("A", one), ("B", other)])
    assert found.names == ("A", "B", "A = B")
    assert found.members == ((0,), (1,), (0, 1))
    assert found.nodes == (transitions.Node(0, 2, len(one.order)),)
    assert found.flows == (transitions.Flow(0, 2, transitions.END, len(one.order)),)
    assert found.table.rows == (("1. A = B", "no further query", len(one.order), 1.0),)


def test_rare_ties_share_a_number(base: base_model.Base) -> None:
    # The number of the ply says which queries hit there.
    named = [
        (str(bit), searching.search(base, f"ply > 0 ply < 64 (ply / {1 << bit}) % 2 == 1 check"))
        for bit in range(4)
    ]
    found = transitions.transitions(named)
    ties = [queries for queries in found.members if len(queries) != 1]
    assert [len(queries) > 1 for queries in ties] == [True] * transitions.MOST_TIES + [False]
    assert found.names[-1] == transitions.OTHER_TIES
    expected = orders(named)
    rare = len(found.members) - 1
    for stage in range(4):
        games = {
            game
            for game, order in expected.items()
            if stage < len(order) and len(order[stage]) > 1 and order[stage] not in ties
        }
        assert transitions.along(named, stage, rare).tolist() == sorted(games)
    assert any(node.query == rare for node in found.nodes)


def test_games_without_any_hit_are_counted_nowhere(base: base_model.Base) -> None:
    nothing = ("nothing", searching.search(base, "ply > 5000"))
    assert transitions.transitions([nothing, nothing]).note == "No game matches any of the queries."
    assert transitions.transitions([nothing]).flows == ()


def test_too_many_results_are_refused(named: list[transitions.Named]) -> None:
    with pytest.raises(errors.CqlguiError, match="At most 8"):
        transitions.transitions(named[:1] * 9)


def test_the_games_left_are_those_that_the_command_line_explains(base: base_model.Base) -> None:
    query = "cql(result 1-0) year > 1950 flip {Nf7} check"
    result = searching.search(base, query)
    found = left_over.left_over(base, result)
    # No step excludes a game with a hit, so a step cannot narrow the hits.
    assert all(step.games >= len(result.order) for step in found.steps)
    assert found.steps[0].games == base.games
    assert [step.games for step in found.steps] == sorted((step.games for step in found.steps), reverse=True)
    run = helpers.cli("explain", "-e", query, "--json", SAMPLE)
    assert run.code == 0, run.err
    told = [
        (step["text"], step["games"])
        for step in json.loads(run.out)["plan"]
        if step["means"] in ("header", "catalog", "signature", "together")
    ]
    assert told
    assert [(step.words, step.games) for step in found.steps[1:-1]] == told
    assert found.steps[-1].games == int(helpers.cli("search", SAMPLE, "-e", query, "--count").out.split()[0])

"""Queries that keep data from game to game give the same results, whether the engine leaves games out or
not."""

from __future__ import annotations

import pytest

from cqlgui.jit import native
from cqlgui.tasks.asking import queries
from cqlgui.tasks.databases import importing
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import searching, sieving
from tests import helpers

pytestmark = pytest.mark.skipif(not native.available(), reason="queries are compiled with llvmlite only")

QUERIES = (
    "initial persistent Games += 1 if mate persistent Mates += 1",
    "check persistent Na += 1 Na > 30",
    'check persistent Na += 1 Na > 30 comment("n" Na)',
    "x=5 persistent Na+=x mate x==5",
    "flip {persistent Ka += 1 Ke1 check} Ka%2==0",
    "if initial yy=3 ply>4 mate persistent Qa += yy Qa>3",
    "persistent Na = 1 isbound Na mate",
    "persistent Na = 1 mate unbind Na",
    "check persistent Na += 1 sort Na",
    "if check persistent Na += 1 mate",
    "not {check persistent Na += 1} mate Na > 100",
    "(persistent Na += 1 or mate) mate",
    "x=0 while (x<3) {x+=1 if mate persistent Na+=x} mate Na>5",
    "path -- {persistent Za += 1 check} --",
    "find {persistent Za += 1 check} Za > 40",
    "persistent quiet Tot+=1 Tot%100==0",
    "dictionary Da mate Da[ply]=1 #Da > 3",
    "dictionary Da unbind Da mate Da[1]=2",
    'dictionary Da mate Da["k"]=3 va=4 string ka in Da {true} va==4',
    'dictionary Da check Da["a"]=ply wtm sort Da["a"]',
    "dictionary Da if mate {piece Pa in [RNBQP]&to {if not Da[typename Pa] Da[typename Pa]=0"
    " Da[typename Pa]=Da[typename Pa]+1}} mate",
    'local dictionary Da if mate {Da["a"]=ply} Da["a"]>3',
    'local dictionary Da initial Da["a"]=3',
    "dictionary Da mate",
    'mate message quiet ("mate in game " gamenumber)',
    'check message ("x" ply) wtm',
    'message ("x") mate',
    'mate comment("m") message ("x" ply)',
)


@pytest.fixture
def base() -> base_model.Base:
    return importing.open_base([helpers.ROOT / "resources" / "sample" / "sample.pgn"]).base


def told(base: base_model.Base, query: str, *, compiled: bool) -> dict[str, object]:
    """Everything that a search finds."""
    options = search_model.SearchOptions(compiled=compiled, details=search_model.Details.ALL)
    found = searching.search(base, query, options)
    assert found.stopped is None
    assert not found.failed_games
    return {
        "order": found.order,
        "games": [found.games[game] for game in found.order],
        "messages": found.messages,
        "persistent": found.persistent,
        "searched": (found.games_searched, found.positions_searched),
    }


def test_the_engine_leaves_out_only_what_changes_nothing(base: base_model.Base) -> None:
    for query in QUERIES:
        own, wanted = told(base, query, compiled=True), told(base, query, compiled=False)
        assert own == wanted, query
        assert own["order"] or own["persistent"], query


def test_only_positions_that_reach_such_a_filter_are_interpreted(base: base_model.Base) -> None:
    def places(query: str) -> tuple[int, int]:
        """The numbers of games and of positions that are left to the interpreter."""
        plan = sieving.plan(queries.expanded(query))
        assert plan.separable
        chunks = []
        with sieving.Sieve(plan, base.sources) as sieve:
            while not sieve.exhausted:
                chunk = sieve.take(1.0)
                if chunk is not None:
                    chunks.append(chunk)
        listed = [place for chunk in chunks for places in chunk.places.values() for place in places]
        assert all(len(chunk.left) == len(chunk.places) for chunk in chunks)
        return sum(len(chunk.left) for chunk in chunks), len(listed)

    mates = searching.search(base, "mate")
    assert 0 < len(mates.order) < base.games // 2
    for query in ("mate persistent Na += 1", "dictionary Da if mate Da[1]=2 false", 'mate message ("x")'):
        assert places(query) == (len(mates.order), mates.positions)

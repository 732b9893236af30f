"""A search for hits alone finds the positions of a whole search."""

from __future__ import annotations

import numpy as np
import pytest

from cqlgui.jit import native
from cqlgui.tasks.databases import importing
from cqlgui.tasks.results import hit_model, search_model
from cqlgui.tasks.search import searching
from tests import helpers


@pytest.mark.parametrize(
    "query",
    [
        "flipcolor {Nf3 check}",
        "shift {Ra1 Pa2}",
        "mate",
        "2 <= flip count Ra1",
        "sort ply check",
        'fen ~~ " b " mate',
    ],
)
def test_positions_and_order_are_those_of_a_whole_search(query: str) -> None:
    base = importing.open_base([helpers.ROOT / "resources" / "sample" / "sample.pgn"]).base
    whole = searching.search(base, query)
    found = searching.search(base, query, search_model.SearchOptions(details=search_model.Details.HITS))
    assert found.order == whole.order
    assert np.array_equal(found.games.columns.hits, whole.games.columns.hits)
    assert len(found.order)
    if whole.orbits and whole.engine == "compiled":
        assert len(whole.games.columns.codes)
        assert not len(found.games.columns.codes)


@pytest.mark.parametrize(
    "query",
    [
        "flipcolor {Nf3 check}",
        "find check",
        "mate",
        'sort "ply" ply check',
        "cql(sort matchcount 1) mate",
        'fen ~~ " b " mate',
    ],
)
def test_without_kept_details_the_caller_has_them_all_the_same(query: str) -> None:
    base = importing.open_base([helpers.ROOT / "resources" / "sample" / "sample.pgn"]).base
    whole = searching.search(base, query)
    seen: dict[int, hit_model.GameHits] = {}
    found = searching.search(base, query, on_hits=lambda some: seen.update(some), keep_details=False)
    assert found.order == whole.order
    assert found.orbits == whole.orbits
    assert np.array_equal(found.games.columns.hits, whole.games.columns.hits)
    assert seen == dict(whole.games)
    assert found.games.sort_keys() == whole.games.sort_keys()
    if native.available() and whole.engine == "compiled" and "sort" not in query:
        assert whole.games.columns.details is not None
        assert found.games.columns.details is None

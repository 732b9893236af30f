"""A search for hits alone finds the positions of a whole search."""

from __future__ import annotations

import numpy as np
import pytest

from cqlgui.tasks.databases import importing
from cqlgui.tasks.results import search_model
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

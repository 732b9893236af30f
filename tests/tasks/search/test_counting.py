"""Counted games are those that a search finds."""

from __future__ import annotations

import numpy as np
import pytest

from cqlgui.base import errors, progress
from cqlgui.jit import native
from cqlgui.tasks.databases import importing
from cqlgui.tasks.results import base_model
from cqlgui.tasks.search import counting, searching
from tests import helpers

pytestmark = pytest.mark.skipif(not native.available(), reason="queries are compiled with llvmlite only")


@pytest.fixture
def base() -> base_model.Base:
    return importing.open_base([helpers.ROOT / "resources" / "sample" / "sample.pgn"]).base


@pytest.mark.parametrize("text", ["Nf5 kg8", "flipcolor flipvertical {Nf5 kg8}", "Q == 1", "Ra1 ra1"])
def test_the_games_of_a_search_are_counted(base: base_model.Base, text: str) -> None:
    games = searching.search(base, text).order
    assert counting.count(base, text) == counting.Counted(len(games), 0)
    within = np.arange(1, 101)
    assert counting.count(base, text, within) == counting.Counted(sum(game <= 100 for game in games), 0)


@pytest.mark.parametrize("text", ["cql(matchcount 2) K", "cql(result 1-0) K", "persistent x += 1"])
def test_nothing_is_told_of_what_needs_a_search(base: base_model.Base, text: str) -> None:
    assert counting.count(base, text) is None


def test_who_wants_it_no_more_stops_it(base: base_model.Base) -> None:
    token = progress.CancelToken()
    token.cancel()
    with pytest.raises(errors.Cancelled):
        counting.count(base, "K", cancel=token)

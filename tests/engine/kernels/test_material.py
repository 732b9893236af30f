"""The men and the plies of hits are those of the game trees."""

from __future__ import annotations

import numpy as np
import pytest

from cqlgui.engine.kernels import material
from cqlgui.jit import native
from tests.engine import test_against_interpreter as comparing
from tests.engine.kernels import test_listing
from tests.helpers import games as readings
from tests.helpers import packed_games

pytestmark = pytest.mark.skipif(not native.available(), reason="kernels are slow without machine code")


@pytest.mark.parametrize("variations", [False, True])
def test_men_and_plies_are_those_of_the_tree(variations: bool) -> None:
    games = [*comparing.shipped(8), *readings.from_pgn(test_listing.ODD)]
    packed = packed_games.of_words(
        (game.tree.root.fen() if "FEN" in game.host.tags else None, game.tree.encode()) for game in games
    )
    hits, men, plies = [], [], []
    for number, game in enumerate(games):
        played = game.tree if variations else game.tree.mainline()
        for place, position in enumerate(played.positions):
            hits.append(number << 32 | place)
            men.append(sum(man != 0 for man in position.squares))
            above, ply = place, 0
            while above:
                above, ply = played.parents[above], ply + 1
            plies.append(ply)
    found = material.men_and_plies(packed, np.array(hits), variations=variations)
    assert [numbers.tolist() for numbers in found] == [men, plies]
    assert len(set(men)) > 10

"""FENs that machine code writes are the FENs of the positions."""

from __future__ import annotations

import numpy as np
import pytest

from cqlgui.engine.kernels import listing
from cqlgui.jit import native
from tests.engine import test_against_interpreter as comparing
from tests.helpers import games as readings
from tests.helpers import packed_games

pytestmark = pytest.mark.skipif(not native.available(), reason="kernels are slow without machine code")

ODD = (
    '[FEN "4k3/8/8/8/8/8/4P3/4K2R w K - 7 31"]\n\n1. e4 Kd7 2. O-O Ke6 3. Rf8 *\n\n'
    '[FEN "rnbqkbnr/pppp1ppp/8/8/3Pp3/8/PPP1PPPP/RNBQKBNR b KQkq d3 0 2"]\n\n2... exd3 3. Qxd3 *\n\n'
    '[FEN "1k5r/8/8/8/8/8/8/RR2K2R w HA - 3 9"]\n\n9. Kd2 (9. Ke2 Kc7) 9... Kc7 10. -- Kb6 *\n\n'
)


@pytest.mark.parametrize("variations", [False, True])
def test_each_position_has_the_fen_that_the_tree_gives_it(variations: bool) -> None:
    games = [*comparing.shipped(12), *readings.from_pgn(ODD)]
    packed = packed_games.of_words(
        (game.tree.root.fen() if "FEN" in game.host.tags else None, game.tree.encode()) for game in games
    )
    hits, expected = [], []
    for number, game in enumerate(games):
        played = game.tree if variations else game.tree.mainline()
        for place, position in enumerate(played.positions):
            hits.append(number << 32 | place)
            expected.append((position.fen(), played.plies[place]))
    halfmoves = np.array([game.tree.root.halfmove for game in games])
    fullmoves = np.array([game.tree.root.fullmove for game in games])
    listed = listing.fens(packed, np.array(hits), halfmoves, fullmoves, variations=variations)
    begins = [0, *listed.ends[:-1].tolist()]
    found = [listed.text[begin:end].decode() for begin, end in zip(begins, listed.ends.tolist(), strict=True)]
    assert list(zip(found, listed.plies.tolist(), strict=True)) == expected
    assert len(expected) > 500

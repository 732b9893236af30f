"""FENs and moves that machine code writes are those of the positions."""

from __future__ import annotations

import numpy as np
import pytest

from cqlgui.board import moves, tree
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
    '[FEN "3q2k1/2P3pp/8/8/2N5/8/2N3PP/R2N2K1 w - - 0 1"]\n\n'
    "1. cxd8=Q+ (1. N2e3 Qe8 2. Nf2) (1. c8=N) (1. N1e3 Qd7) Kf7 2. Qd7+ Kf8 3. Qf5+ Kg8 4. Ra8# *\n\n"
    '[FEN "4k3/8/1Q3Q2/8/8/1Q6/8/r3K3 w - - 0 1"]\n\n1. Kd2 Rd1+ 2. Kxd1 Kd7 3. Q3b5+ Kc8 4. Qbc6+ *\n\n'
    '[FEN "bnrbkrqn/pppppppp/8/8/8/8/PPPPPPPP/BNRBKRQN w CFcf - 0 1"]\n\n1. O-O f6 *\n\n'
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
    listed = listing.positions(packed, np.array(hits), halfmoves, fullmoves, variations=variations)
    found = [texts[listing.FEN] for texts in listed.texts()]
    assert list(zip(found, listed.plies.tolist(), strict=True)) == expected
    assert len(expected) > 500
    lines = [
        moves_at(played if variations else played.mainline(), place)
        for played in (game.tree for game in games)
        for place in range(len(played if variations else played.mainline()))
    ]
    assert [texts[1:] for texts in listed.texts()] == lines
    # The moves behind the last hit of a game are not all played.
    some = np.array(hits[::7])
    few = listing.positions(packed, some, halfmoves, fullmoves, variations=variations)
    assert few.texts() == listed.texts()[::7]
    assert few.plies.tolist() == listed.plies[::7].tolist()


def moves_at(played: tree.GameTree, place: int) -> list[str]:
    """The texts of the moves before and after a position, in the order of `listing.TEXTS`."""

    def made(number: int) -> list[str]:
        if played.parents[number] < 0:
            return ["", ""]
        return [played.san(number), moves.uci(played.mover(number), played.moves[number])]

    line = []
    at = place
    while played.children[at] and len(line) < listing.FOLLOWING:
        at = played.children[at][0]
        line.append(at)
    following = [" ".join(texts) for texts in zip(*map(made, line), strict=True)] or ["", ""]
    return [*made(place), *(made(line[0]) if line else ["", ""]), *following]

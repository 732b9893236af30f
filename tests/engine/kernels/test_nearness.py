"""The scores of positions are those that plain code finds."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

from cqlgui.board.position import Position
from cqlgui.engine.kernels import nearness
from cqlgui.jit import native
from tests.engine import test_against_interpreter as comparing
from tests.engine.kernels import test_listing
from tests.helpers import games as readings
from tests.helpers import packed_games

pytestmark = pytest.mark.skipif(not native.available(), reason="kernels are slow without machine code")


def score(one: Position, other: Position) -> Fraction:
    shared = sum(nearness.WEIGHTS[a] for a, b in zip(one.squares, other.squares, strict=True) if a == b and a)
    if not shared:
        return Fraction(0)
    whole = nearness.weight_of(one.squares) + nearness.weight_of(other.squares)
    return Fraction(2 * (shared + nearness.TURN_WEIGHT * (one.turn == other.turn)), whole)


def test_the_best_position_of_each_game_is_found() -> None:
    games = [*comparing.shipped(12), *readings.from_pgn(test_listing.ODD), *readings.sparse()]
    packed = packed_games.of_words(
        (game.tree.root.fen() if "FEN" in game.host.tags else None, game.tree.encode()) for game in games
    )
    chosen = np.array([number for number in range(len(games)) if number % 3], np.int64)
    lines = [games[number].tree.mainline().positions for number in chosen.tolist()]
    known = nearness.Positions.of(packed, chosen, np.array([len(line) + 1 for line in lines]))
    assert np.diff(known.starts).tolist() == [len(line) for line in lines]
    assert known.boards.tobytes() == b"".join(bytes(one.squares) for line in lines for one in line)
    assert known.turns.tolist() == [one.turn for line in lines for one in line]
    choice = random.Random(3)
    best = nearness.Best(known)
    expected = [(Fraction(0), -1, 0)] * len(lines)
    for code in range(20):
        one = choice.choice(choice.choice(lines))
        # Positions after captures count less, as those of an entry do.
        most = nearness.weight_of(one.squares) + choice.randrange(10)
        best.compare(one.squares, one.turn, most=most, code=code)
        for game, line in enumerate(lines):
            found = [score(one, other) * nearness.weight_of(one.squares) / most for other in line]
            if max(found) > expected[game][0]:
                expected[game] = (max(found), code, found.index(max(found)))
    for game, (value, code, ply) in enumerate(expected):
        assert best.scores[game] == int(value * nearness.ONE)
        assert best.codes[game] == code
        if code >= 0:
            assert best.places[game] - known.starts[game] == ply
    assert max(best.scores) == nearness.ONE

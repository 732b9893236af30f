"""Castling written as a move of the king onto his own rook, or over two squares."""

from __future__ import annotations

import pytest

from cqlgui.pgn import reader

FEN = '[FEN "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"]\n\n'


@pytest.mark.parametrize("text", ["1. O-O O-O-O", "1. e1h1 e8a8", "1. e1g1 e8c8"])
def test_all_ways_to_write_castling_mean_the_same(text: str) -> None:
    game = reader.read_game(f"{FEN}{text} *\n".encode())
    assert game.words == reader.read_game(f"{FEN}1. O-O O-O-O *\n".encode()).words
    assert game.positions == 3

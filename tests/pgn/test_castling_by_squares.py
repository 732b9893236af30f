"""Castling written as a move of the king onto his own rook, or over two squares."""

from __future__ import annotations

import pytest

from cqlgui.board import moves
from cqlgui.pgn import reader

FEN = '[FEN "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"]\n\n'


@pytest.mark.parametrize("text", ["1. O-O O-O-O", "1. e1h1 e8a8", "1. e1g1 e8c8"])
def test_all_ways_to_write_castling_mean_the_same(text: str) -> None:
    game = reader.read_game(f"{FEN}{text} *\n".encode())
    assert game.words == reader.read_game(f"{FEN}1. O-O O-O-O *\n".encode()).words
    assert game.positions == 3


@pytest.mark.parametrize("text", ["1. O-O", "1. f1g1"])
def test_a_king_beside_his_rook_goes_onto_him_to_castle(text: str) -> None:
    game = reader.read_game(f'[FEN "4k3/8/8/8/8/8/8/1R3KR1 w GB - 0 1"]\n\n{text} *\n'.encode())
    assert [moves.flag(word) for word in game.words] == [moves.CASTLE]

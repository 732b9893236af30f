"""The kernels that count possible moves agree with the moves that `board.legality` lists."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import chess
import numpy as np
import pytest

from cqlgui.board import legality, moves, squares
from cqlgui.board.position import Position
from cqlgui.engine.kernels import routines
from cqlgui.engine.replaying import layout
from cqlgui.jit import native
from tests.helpers import packed_games

pytestmark = pytest.mark.skipif(not native.available(), reason="kernels are slow without machine code")

ODD = (
    "4k3/8/8/2pP4/8/8/8/4K3 w - c6 0 1",
    "8/8/8/K1pP3r/8/8/8/4k3 w - c6 0 1",
    "4k3/8/8/8/1pPp4/8/8/4K3 b - c3 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "r3k2r/8/8/8/8/5n2/8/R3K2R w KQkq - 0 1",
    "4k3/8/8/8/8/8/3KK3/8 w - - 0 1",
    "8/8/8/8/8/8/PPPPPPPP/8 w - - 0 1",
    "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
    "7k/5Q2/6K1/8/p7/8/8/8 b - - 0 1",
    "4k3/P6P/8/8/8/8/p6p/4K3 b - - 0 1",
    "4k3/4r3/8/8/8/8/4N3/4K3 w - - 0 1",
)


def fens() -> Iterator[str]:
    yield from ODD
    chance = random.Random(3)
    for _ in range(12):
        board = chess.Board()
        for _ in range(80):
            choice = list(board.legal_moves)
            if not choice:
                break
            special = [one for one in choice if board.is_castling(one) or board.is_en_passant(one)]
            board.push(chance.choice(special if special and chance.random() < 0.3 else choice))
            yield board.fen(en_passant="fen")


def landing(move: int) -> int:
    """The square where the man arrives; the king's square, if the move is castling."""
    end = move >> 6 & 63
    if move >> 12 != moves.CASTLE:
        return end
    return move & 56 | (6 if end > move & 63 else 2)


@pytest.mark.parametrize("pseudo", [0, 1])
def test_moves_are_counted_and_found(pseudo: int) -> None:
    listed = list(fens())
    packed = packed_games.of_words((fen, b"") for fen in listed)
    chance = random.Random(7)
    count: Any = routines.possible_count
    exists: Any = routines.is_possible
    counted = castled = passed = stalemates = 0
    for number, fen in enumerate(listed):
        position = Position.from_fen(fen)
        start = int(packed.starts[number])
        record = np.ascontiguousarray(packed.start_records[start * layout.SIZE :][: layout.SIZE])
        moves_here = (legality.pseudolegal_moves if pseudo else legality.legal_moves)(position)
        pairs = {(move & 63, landing(move), move >> 12) for move in moves_here}
        for goals in (squares.ALL, chance.getrandbits(64)):
            for sources in (squares.ALL, chance.getrandbits(64)):
                fitting = {one for one in pairs if sources >> one[0] & 1 and goals >> one[1] & 1}
                distinct = {one[:2] for one in fitting}
                assert count(record, sources, goals, pseudo, routines.ANY_MOVE) == len(distinct), fen
                assert exists(record, sources, goals, pseudo, routines.ANY_MOVE) == bool(distinct), fen
                castlings = {one[:2] for one in fitting if one[2] == moves.CASTLE}
                assert count(record, sources, goals, pseudo, routines.CASTLES) == len(castlings), fen
                in_passing = {one[:2] for one in fitting if one[2] == moves.EN_PASSANT}
                assert count(record, sources, goals, pseudo, routines.IN_PASSING) == len(in_passing), fen
                assert exists(record, sources, goals, pseudo, routines.IN_PASSING) == bool(in_passing), fen
                counted, castled, passed = (
                    counted + len(distinct),
                    castled + len(castlings),
                    passed + len(in_passing),
                )
        stalemate: Any = routines.is_stalemate
        assert stalemate(record) == legality.is_stalemate(position), fen
        stalemates += legality.is_stalemate(position)
    assert counted > 5_000
    assert min(castled, passed, stalemates) > 0

"""Known numbers of move sequences (chessprogramming.org, Perft Results and Chess960 Perft Results)."""

from __future__ import annotations

import pytest

from cqlgui.board import legality
from cqlgui.board.position import START_FEN, Position


def perft(p: Position, depth: int) -> int:
    """Number of legal sequences of `depth` moves."""
    choice = legality.legal_moves(p)
    if depth == 1:
        return len(choice)
    total = 0
    for move in choice:
        after = p.copy()
        after.make(move)
        total += perft(after, depth - 1)
    return total


@pytest.mark.parametrize(
    ("fen", "counts"),
    [
        (START_FEN, (20, 400, 8902)),
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", (48, 2039)),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", (14, 191, 2812, 43238)),
        ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", (6, 264, 9467)),
        ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", (44, 1486)),
        ("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", (21, 528, 12189)),
        ("2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9", (21, 807)),
        ("1rqbkrbn/1ppppp1p/1n6/p1N3p1/8/2P4P/PP1PPPP1/1RQBKRBN w FBfb - 0 9", (29, 502)),
    ],
)
def test_perft(fen: str, counts: tuple[int, ...]) -> None:
    assert tuple(perft(Position.from_fen(fen), depth) for depth in range(1, len(counts) + 1)) == counts

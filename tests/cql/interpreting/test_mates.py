"""Economical mates and stalemates: which are pure, model or ideal, and who takes part."""

from __future__ import annotations

import chess
import pytest

from cqlgui.board import squares
from cqlgui.board.position import Position
from cqlgui.cql.checking import check
from cqlgui.cql.interpreting import interpreter
from cqlgui.cql.interpreting.runtime import economy
from cqlgui.cql.transforming import transforms
from tests.helpers import games

WORDS = ("pure", "model", "ideal")

MATES = [
    # Everybody works: king and rook alone.
    ("R6k/8/6K1/8/8/8/8/8 b - - 0 1", "a8 g6 h8", 3),
    # The rooks do it while the king looks on.
    ("R6k/1R6/8/8/8/8/8/4K3 b - - 0 1", "a8 b7 h8", 2),
    # An idle knight leaves it pure, no more.
    ("R6k/1R6/8/8/8/8/8/N3K3 b - - 0 1", "a8 b7 h8", 1),
    # h7 is guarded twice.
    ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "", 0),
    # The rook guards h8 through the king, and the bishop guards it once more.
    ("R5k1/5p1p/8/8/8/8/1B6/6K1 b - - 0 1", "", 0),
    # The fool's mate; a bishop's pawn keeps nothing from the queen, the pawn on h2 stands in his rook's way.
    ("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", "d1 d2 e1 e2 f1 h2 h4", 1),
    # The rook beside the king could step in on b7 if he were not pinned, so the pin is needed.
    ("kr5R/8/8/1N6/8/8/8/6KB b - - 0 1", "a8 b5 b8 h1 h8", 2),
    # Against a check that he cannot meet, the guard on him is one too many.
    ("kb5R/8/8/1N6/8/8/8/6KB b - - 0 1", "", 0),
    # The rook could step in on d8 but for his own pawn; what stands beside him is in nobody's way.
    ("R6k/1R6/8/8/3p4/3rnp2/8/K7 b - - 0 1", "a8 b7 d4 h8", 2),
    # The queen, pinned herself, could step in on c6, and on e4 as well but for the knight.
    ("k7/2P5/8/8/q1N5/7K/8/R5BB b - - 0 1", "a1 a8 c4 c7 g1 h1", 2),
]  # fmt: skip
STALEMATES = [
    ("7k/5K2/6P1/8/8/8/8/8 b - - 0 1", "f7 g6 h8", 3),
    ("7k/5K2/6P1/8/8/P7/8/8 b - - 0 1", "f7 g6 h8", 2),
    ("7k/5K2/6P1/8/8/8/8/N7 b - - 0 1", "f7 g6 h8", 1),
    ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "", 0),
]  # fmt: skip


def names(board: int) -> str:
    return " ".join(sorted(squares.square_name(square) for square in squares.bits(board)))


@pytest.mark.parametrize(("fen", "expected", "degree"), MATES)
def test_mates(fen: str, expected: str, degree: int) -> None:
    assert chess.Board(fen).is_checkmate()
    _check(fen, expected, degree, "mate", "stalemate")


@pytest.mark.parametrize(("fen", "expected", "degree"), STALEMATES)
def test_stalemates(fen: str, expected: str, degree: int) -> None:
    assert chess.Board(fen).is_stalemate()
    _check(fen, expected, degree, "stalemate", "mate")


def _check(fen: str, expected: str, degree: int, ending: str, other: str) -> None:
    for rank, word in enumerate(WORDS):
        found = _value(f"{word}{ending}", fen)
        assert found == (expected if rank < degree else ""), word
        assert _value(f"{word}{other}", fen) == ""


def _value(text: str, fen: str) -> str:
    game = games.from_fen(fen)
    outcome = interpreter.Program(transforms.expand(check.check(f"cql() {text}"))).run(game.tree, game.host)
    value = outcome.hits[0].value if outcome else None
    return " ".join(sorted((value or "").strip("[]").replace(",", " ").split()))


@pytest.mark.parametrize("fen", [fen for fen, _, _ in MATES])
def test_a_mate_looks_the_same_from_the_other_side(fen: str) -> None:
    board = chess.Board(fen)
    for word in WORDS:
        found = economy.mate(Position.from_fen(fen), word)
        for turned in (board.mirror(), board.transform(chess.flip_horizontal)):
            turned.castling_rights = chess.BB_EMPTY
            image = economy.mate(Position.from_fen(turned.fen()), word)
            flip = chess.flip_vertical if turned.turn != board.turn else chess.flip_horizontal
            assert names(image) == names(flip(found)), word


def test_a_board_without_the_king_is_no_picture() -> None:
    for text in ("purestalemate", "puremate"):
        assert _value(text, "8/8/8/8/8/8/8/K7 b - - 0 1") == ""


def test_three_checks_at_once_are_no_pure_mate() -> None:
    assert _value("puremate", "5rqK/2k2n2/6Bq/8/8/8/8/5B2 w - - 0 1") == ""

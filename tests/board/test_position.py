"""FEN in and out, men, squares, directions and the notation of single moves."""

from __future__ import annotations

import pytest

from cqlgui.board import directions, legality, men, moves, san, squares
from cqlgui.board.position import START_FEN, Position


@pytest.mark.parametrize(
    ("fen", "written"),
    [
        (START_FEN, START_FEN),
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1",
        ),
        ("4k3/8/8/8/8/8/8/R3K2R w HA - 3 0", "4k3/8/8/8/8/8/8/R3K2R w KQ - 3 1"),
        ("4k3/8/8/8/8/8/8/RR2K2R w B - 0 1", "4k3/8/8/8/8/8/8/RR2K2R w B - 0 1"),
        ("4k3/8/8/8/8/8/8/4K2R w KQkq - 0 1", "4k3/8/8/8/8/8/8/4K2R w K - 0 1"),
        ("4k3/8/8/8/8/8/4K3/R6R w KQ - 0 1", "4k3/8/8/8/8/8/4K3/R6R w - - 0 1"),
        ("4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1", "4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1"),
        ("4k3/8/8/8/4P3/8/8/4K3 w - e3 0 1", "4k3/8/8/8/4P3/8/8/4K3 w - - 0 1"),
        ("4k3/8/8/8/8/8/8/4K3 b - e3 - -", "4k3/8/8/8/8/8/8/4K3 b - - 0 1"),
    ],
)
def test_fen_is_read_and_written(fen: str, written: str) -> None:
    assert Position.from_fen(fen).fen() == written


@pytest.mark.parametrize(
    "fen",
    [
        "",
        "8/8/8/8/8/8/8 w - - 0 1",
        "9/8/8/8/8/8/8/8 w - - 0 1",
        "44/8/8/8/8/8/8/8 w - - 0 1",
        "7/8/8/8/8/8/8/8 w - - 0 1",
        "8P/8/8/8/8/8/8/8 w - - 0 1",
        "x7/8/8/8/8/8/8/8 w - - 0 1",
        "8/8/8/8/8/8/8/8 W - - 0 1",
        "8/8/8/8/8/8/8/8 w KX - 0 1",
        "8/8/8/8/8/8/8/8 w - e9 0 1",
        "8/8/8/8/8/8/8/8 w - - one 1",
        "8/8/8/8/8/8/8/8 w - - 0 1 2",
    ],
)
def test_broken_fen_is_refused_with_a_sentence(fen: str) -> None:
    with pytest.raises(ValueError, match=r"\.$"):
        Position.from_fen(fen)


@pytest.mark.parametrize(
    ("fen", "word"),
    [
        (START_FEN, moves.pack(20, 28)),
        (START_FEN, moves.pack(4, 7, moves.CASTLE)),
        (START_FEN, moves.pack(1, 18, moves.PROMOTE_Q)),
        (START_FEN, moves.BACK << 12 | 12),
    ],
)
def test_unplayable_words_are_refused_and_leave_the_board_alone(fen: str, word: int) -> None:
    p = Position.from_fen(fen)
    with pytest.raises(ValueError, match=r"cannot be played"):
        p.make(word)
    assert p.fen() == fen


def test_san_and_uci_of_special_moves() -> None:
    p = Position.from_fen("r3k2r/1P6/8/3pP3/8/8/8/R3K2R w KQkq d6 0 1")
    pairs = {(san.san(p, word), moves.uci(p.turn, word)) for word in legality.legal_moves(p)}
    assert {
        ("O-O", "e1g1"),
        ("O-O-O", "e1c1"),
        ("exd6", "e5d6"),
        ("bxa8=Q+", "b7a8q"),
        ("b8=N", "b7b8n"),
    } <= pairs
    assert san.san(p, moves.pack(49, 57, moves.PROMOTE_Q), figurine=True) == "b8=♕+"
    shuffled = Position.from_fen("4k3/8/8/8/8/8/8/5KR1 w G - 0 1")
    assert moves.uci(shuffled.turn, moves.pack(5, 6, moves.CASTLE)) == "f1g1"


def test_null_move_passes_and_clears_en_passant() -> None:
    p = Position.from_fen("4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1")
    word = moves.pack(60, 60, moves.NULL)
    assert san.san(p, word) == "--"
    p.make(word)
    assert p.fen() == "4k3/8/8/8/4P3/8/8/4K3 w - - 1 2"


def test_square_names_and_sets() -> None:
    assert [squares.parse_square(squares.square_name(s)) for s in range(64)] == list(range(64))
    for text in ("", "e", "e9", "i1", "E4", "e44"):
        with pytest.raises(ValueError, match="not the name"):
            squares.parse_square(text)
    assert squares.DARK & 1
    assert squares.popcount(squares.LIGHT) == 32
    assert list(squares.bits(squares.BIT[3] | squares.BIT[60])) == [3, 60]
    assert (squares.lowest(0), squares.highest(0)) == (-1, -1)


def test_men_and_colours() -> None:
    assert men.swap_colours(men.WHITE_MASK) == men.BLACK_MASK
    assert men.swap_colours(1 << men.WN | 1) == 1 << men.BN | 1
    assert (men.kind(men.BQ), men.kind(men.WQ), men.kind(men.EMPTY)) == (5, 5, 0)


def test_directions_turn_and_have_words() -> None:
    words = directions.WORDS
    assert directions.rotate45(words["diagonal"]) == words["orthogonal"]
    for mask in range(256):
        assert directions.rotate45(mask, 8) == mask
    assert [directions.word_of(mask) for mask in words.values()] == list(words)
    assert directions.word_of(0b11) is None

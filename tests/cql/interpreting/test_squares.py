"""Filters about single squares, placements and pawn structure."""

from __future__ import annotations

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cqlgui.board import position, squares
from cqlgui.cql.checking import check
from cqlgui.cql.explaining import explain
from cqlgui.cql.interpreting import interpreter
from cqlgui.cql.transforming import transforms
from tests.helpers import games

START = position.START_FEN
LONE = "4k3/8/8/8/4n3/8/P7/4K2R b K - 3 9"


def value(text: str, fen: str = START) -> str | None:
    """The value at the root; None without a match, `+` for a match without value."""
    game = games.from_fen(fen)
    checked = check.check(f"cql() {text}")
    assert not checked.errors, checked.errors
    outcome = interpreter.Program(transforms.expand(checked)).run(game.tree, game.host)
    return (outcome.hits[0].value or "+") if outcome else None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rank n", "4"),
        ("file n", "5"),
        ("rank [Kk]", None),
        ("file q", None),
        ("type n", "2"),
        ("type e5", "0"),
        ("colortype n", "-2"),
        ("colortype R", "4"),
        ("colortype e5", "0"),
        ("typename n", "N"),
        ("typename d4", "_"),
        ("piecename n", "n"),
        ("piecename a2", "P"),
        ("piecename [a2,a3]", None),
        ("pieceid e1", "0"),
        ("pieceid h1", "1"),
        ("pieceid a2", "2"),
        ("pieceid e3", None),
        ("makesquare(file n rank n)", "e4"),
        ("makesquare(5 4)", "e4"),
        ("#makesquare(0 4)", "0"),
        ("#makesquare(4 9)", "0"),
        ("#makesquare(file q 1)", "0"),
        ('makesquare "h8"', "h8"),
        ('#makesquare("h9")', "0"),
        ('#makesquare("e44")', "0"),
        ("sidetomove", "-1"),
        ("white", "1"),
        ("black", "-1"),
        ("flipcolor {sidetomove == black Ra1}", None),
        ("fen", "4k3/8/8/8/4n3/8/P7/4K2R b K - 0 1"),
        ('fen "4k3/8/8/8/4n3/8/P7/4K2R"', "+"),
        ('fen "4k3/8/8/8/4n3/8/P7/4K2R w KQkq - 0 1"', "+"),
        ('fen "4k3/8/8/8/4N3/8/P7/4K2R"', None),
        ('fen "4k3/8/8/8/4a3/8/A7/.....___"', None),
        ('fen "4k3/8/8/8/4a3/8/A7/........"', "+"),
        ('fen "......../......../......../......../......../......../......../........"', "+"),
        ('flip fen "4k3/8/8/8/3n4/8/7P/R2K4"', None),
        ('flipvertical fen "3k4/8/8/8/3n4/8/7P/R2K4"', "+"),
        ('flipcolor fen "4k2r/p7/8/4N3/8/8/8/4K3"', "+"),
        ('1 == shift count {fen "4k3/8/8/8/4n3/8/P7/4K2R"}', "1"),
        ("passedpawns & isolatedpawns", "a2"),
        ("#connectedpawns", "0"),
        ("#doubledpawns", "0"),
    ],
)
def test_values(text: str, expected: str | None) -> None:
    assert value(text, LONE) == expected


def test_pawn_words_are_the_same_for_every_transform() -> None:
    fen = "4k3/8/8/8/8/8/P7/4K3 w - - 0 1"
    assert value("flip count {passedpawns}", fen) == "1"
    assert value("flipvertical count {passedpawns & Pa2}", fen) == "1"
    assert value("flip count {puremate or true}", fen) == "1"


def test_the_orbit_of_a_placement_draws_no_lines_over_the_whole_board() -> None:
    for text, drawn in (('flipvertical fen "4k3/8/8/8/8/8/8/4K2R"', 0), ("flipvertical {Ra1 ke8}", 2)):
        (orbit,) = transforms.expand(check.check(text)).orbits
        assert len(orbit.elements) == 2
        assert [len(element.lines) for element in orbit.elements] in ([0, drawn], [drawn, 0])
        assert all(bool(element.squares) == bool(drawn) for element in orbit.elements)


def test_no_lines_are_drawn_for_what_must_not_be_there() -> None:
    (orbit,) = transforms.expand(check.check("flipvertical {Ra1 not ke8 not {Bc1 or Qd1}}")).orbits
    lines = [element.lines for element in orbit.elements]
    assert sorted(len(found) for found in lines) == [0, 1]
    assert [origin for found in lines for origin, _image in found] == [0]


def test_an_explained_placement_names_the_squares_that_differ() -> None:
    game = games.from_fen(LONE)
    expanded = transforms.expand(check.check('cql() fen "4k3/8/8/8/4N3/8/P7/4K1R1"'))
    body = explain.explain(expanded, game.tree, game.host, 0)
    assert body.matched is False
    assert [one.text for one in body.children] == ["Ne4", "Rg1", "_h1"]
    assert all(one.matched is False for one in body.children)


pawns = st.lists(st.tuples(st.integers(8, 55), st.booleans()), max_size=16, unique_by=lambda one: one[0])


@settings(max_examples=150, deadline=None)
@given(pawns)
def test_pawn_structure_is_as_defined(men: list[tuple[int, bool]]) -> None:
    board = chess.Board(None)
    for square, white in men:
        board.set_piece_at(square, chess.Piece(chess.PAWN, white))
    wanted: dict[str, set[int]] = {"passed": set(), "isolated": set(), "doubled": set(), "connected": set()}
    for square, white in men:
        file, rank = square & 7, square >> 3
        own = [one for one, colour in men if colour == white and one != square]
        beside = any(abs((one & 7) - file) == 1 for one in own)
        wanted["connected" if beside else "isolated"].add(square)
        if any(one & 7 == file for one in own):
            wanted["doubled"].add(square)
        stopped = any(
            colour != white
            and abs((one & 7) - file) <= 1
            and ((one >> 3) > rank if white else (one >> 3) < rank)
            for one, colour in men
        )
        if not stopped:
            wanted["passed"].add(square)
    fen = f"{board.board_fen()} w - - 0 1"
    for word, expected in wanted.items():
        got = value(f"{{#{word}pawns {word}pawns}}", fen)
        found = {squares.parse_square(name) for name in (got or "").strip("[]").split(",") if name}
        assert found == expected, word


@settings(max_examples=80, deadline=None)
@given(st.lists(st.sampled_from("PNBRQKpnbrqk........"), min_size=64, max_size=64))
def test_a_placement_finds_its_own_board(letters: list[str]) -> None:
    board = chess.Board(None)
    for square, letter in enumerate(letters):
        if letter != ".":
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
    fen = f"{board.board_fen()} w - - 0 1"
    assert value(f'fen "{board.board_fen()}"', fen) == "+"
    assert (value(f'fen "{board.transform(chess.flip_horizontal).board_fen()}"', fen) == "+") == (
        board.transform(chess.flip_horizontal).board_fen() == board.board_fen()
    )
    assert value(f'flipvertical fen "{board.transform(chess.flip_horizontal).board_fen()}"', fen) == "+"

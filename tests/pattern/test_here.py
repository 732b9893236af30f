"""Queries for a position find it, and none that differs in what they ask; what positions share."""

from __future__ import annotations

import functools
from collections.abc import Callable

import chess
import pytest

from cqlgui.board import position
from cqlgui.cql.checking import check
from cqlgui.cql.interpreting import interpreter
from cqlgui.cql.transforming import transforms
from cqlgui.pattern import common, here, reading, writing
from tests import helpers
from tests.helpers import games

SAMPLE = helpers.ROOT / "resources" / "sample" / "sample.pgn"


@functools.cache
def played() -> list[games.Game]:
    """A few games of the sample base."""
    text = SAMPLE.read_text(encoding="utf-8")
    return games.from_pgn("\n\n[Event ".join(text.split("\n\n[Event ")[:4]))


def boards(game: games.Game) -> list[chess.Board]:
    return [chess.Board(one.fen()) for one in game.tree.positions]


def hits(text: str, game: games.Game) -> set[int]:
    outcome = interpreter.Program(transforms.expand(check.check(text))).run(game.tree, game.host)
    return {hit.positionid for hit in outcome.hits} if outcome else set()


def exact(board: chess.Board) -> object:
    return board.board_fen(), board.turn


def pawns(board: chess.Board) -> object:
    return tuple(board.pieces(chess.PAWN, colour) for colour in chess.COLORS)


def material(board: chess.Board) -> object:
    return tuple(len(board.pieces(kind, colour)) for kind in chess.PIECE_TYPES for colour in chess.COLORS)


QUERIES = [(here.exact, exact), (here.skeleton, pawns), (here.material, material)]


@pytest.mark.parametrize(("query", "key"), QUERIES)
def test_a_query_for_a_position_finds_just_what_it_asks(
    query: Callable[[position.Position], str], key: Callable[[chess.Board], object]
) -> None:
    for game in played()[:2]:
        listed = boards(game)
        for place in range(0, len(listed), 7):
            text = query(position.Position.from_fen(listed[place].fen()))
            alike = {at for at, board in enumerate(listed) if key(board) == key(listed[place])}
            assert hits(text, game) == alike


@pytest.mark.parametrize(("query", "key"), QUERIES)
def test_twins_find_the_mirrored_position_and_that_with_colours_swapped(
    query: Callable[[position.Position], str], key: Callable[[chess.Board], object]
) -> None:
    listed = boards(played()[0])
    for place in range(5, len(listed), 11):
        text = here.twins(query(position.Position.from_fen(listed[place].fen())))
        mirrored = listed[place].transform(chess.flip_horizontal)
        for twin in (listed[place], mirrored, listed[place].mirror(), mirrored.mirror()):
            assert hits(text, games.from_fen(twin.fen())) == {0}
        other = listed[place].copy()
        other.set_piece_at(chess.A4, None if other.piece_at(chess.A4) else chess.Piece.from_symbol("P"))
        assert hits(text, games.from_fen(other.fen())) == set()


def test_the_exact_position_is_drawn_as_marks() -> None:
    text = here.exact(position.Position.start())
    pattern = reading.pattern_at(text, 1)
    assert pattern is not None
    assert (len(pattern.marks), pattern.others) == (33, ())


def test_the_common_pattern_is_what_all_positions_share_up_to_mirror_and_colours() -> None:
    first = chess.Board("6k1/5ppp/8/5N2/8/8/1P3PPP/3R2K1 w - - 0 1")
    second = chess.Board("3r2k1/2p2ppp/8/8/5n2/8/5PPP/6K1 b - - 0 1").transform(chess.flip_horizontal)
    found = common.common([position.Position.from_fen(one.fen()) for one in (first, second)])
    assert writing.text_of(found) == "{Kg1 Rd1 Nf5 Pf2 Pg2 Ph2 kg8 pf7 pg7 ph7}"
    assert common.common([position.Position.from_fen(first.fen())]).marks[0].squares == 1 << chess.G1
    assert common.common([]).marks == ()

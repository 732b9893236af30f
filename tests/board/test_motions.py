"""Motions of the board form a group, and a game seen through one is written as that frame would write it."""

from __future__ import annotations

import random

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqlgui.board import motions, moves, san, squares, tree
from cqlgui.board.motions import Motion
from cqlgui.board.position import Position
from cqlgui.cql.transforming import geometry, words
from tests.helpers import trees

MOTIONS = st.builds(Motion, st.integers(0, 7), st.integers(-7, 7), st.integers(-7, 7), st.booleans())
POINT = st.tuples(st.integers(-9, 9), st.integers(-9, 9))
COLOURS = geometry.motion("<invertcolor reflect_h>")
SQUARE = squares.parse_square


@given(MOTIONS, MOTIONS, POINT)
def test_one_after_the_other_is_a_motion(first: Motion, second: Motion, point: tuple[int, int]) -> None:
    assert first.then(second).point(*point) == second.point(*first.point(*point))


@given(MOTIONS)
def test_an_inverse_takes_everything_back(motion: Motion) -> None:
    assert motion.then(motion.inverse) == motions.STILL == motion.inverse.then(motion)
    assert motion.inverse.inverse == motion


@given(MOTIONS, st.integers(0, 63))
def test_squares_on_the_board_come_back(motion: Motion, square: int) -> None:
    image = motion.square(square)
    assert image == squares.NONE or motion.inverse.square(image) == square
    assert motion.set(1 << square) == (0 if image < 0 else 1 << image)


@pytest.mark.parametrize("name", [name for name in geometry.SYMMETRIES if name])
def test_a_symmetry_moves_squares_as_its_transform_does(name: str) -> None:
    motion = geometry.motion(f"<{name}>")
    assert motion is not None
    basic = geometry.Basic(name, symmetry=geometry.SYMMETRIES.index(name))
    for square in range(64):
        assert 1 << motion.square(square) == geometry.map_squares(basic, 1 << square)


def test_the_outermost_part_of_a_transform_acts_last() -> None:
    motion = geometry.motion("<up^3 reflect_v>")
    assert motion is not None
    assert motion.square(SQUARE("b3")) == SQUARE("g6")
    assert geometry.motion("<reflect_v right^2>") == geometry.motion("<left^2 reflect_v>")
    assert geometry.motion("<>") == motions.STILL


def test_half_of_the_turns_of_directions_are_motions() -> None:
    assert geometry.motion("<rotate45^2>") == geometry.motion("<counterclockwise90>")
    assert geometry.motion("<rotate45^6>") == geometry.motion("<clockwise90>")
    assert geometry.motion("<rotate45^3>") is None


def test_taking_back_is_told_in_its_own_order() -> None:
    assert words.undone("<invertcolor reflect_h reflect_v>") == "colours swapped back, mirrored back"
    assert words.undone("<reflect_h right^4 up^4>") == "mirrored back, shifted back"
    assert words.undone("<clockwise90>") == "turned back"
    assert words.undone("<>") == ""


@given(MOTIONS)
def test_a_figure_is_fixed_by_its_motion(motion: Motion) -> None:
    figure = motions.figure(motion)
    twice = motion.then(motion)
    if figure.centre is not None:
        assert figure.quarters
        # Four quarters, or two halves, are once round.
        assert figure.quarters == 2 or twice.then(twice).point(0, 0) == (0, 0)
        assert figure.quarters != 2 or twice.point(0, 0) == (0, 0)
        x, y = figure.centre
        # Points about the centre stay as far from it.
        image = motion.point(0, 0)
        assert (image[0] - x) ** 2 + (image[1] - y) ** 2 == pytest.approx(x * x + y * y)
    elif figure.axis is not None:
        (x, y), (dx, dy) = figure.axis
        glide = figure.vector or (0.0, 0.0)
        image = motion.point(0, 0)
        # The middle between a point and its image lies on the axis, but for the glide.
        middle = ((image[0] - glide[0]) / 2 - x, (image[1] - glide[1]) / 2 - y)
        assert middle[0] * dy - middle[1] * dx == pytest.approx(0)
    else:
        assert figure.vector == ((motion.right, motion.up) if motion.shifted else None)


def random_game(seed: int, plies: int = 80) -> tuple[tree.GameTree, list[chess.Move]]:
    chance, board, played = random.Random(seed), chess.Board(), []
    builder, handle = trees.TreeBuilder(), trees.TreeBuilder.ROOT
    ours = Position.start()
    while len(played) < plies and (legal := list(board.legal_moves)):
        move = chance.choice(legal)
        flag, target = moves.NORMAL, move.to_square
        if board.is_castling(move):
            flag = moves.CASTLE
            target = chess.square(7 if chess.square_file(target) == 6 else 0, chess.square_rank(target))
        elif board.is_en_passant(move):
            flag = moves.EN_PASSANT
        elif move.promotion:
            flag = move.promotion + 2
        word = moves.pack(move.from_square, target, flag)
        ours.make(word)
        handle = builder.add(handle, word)
        board.push(move)
        played.append(move)
    return tree.GameTree.decode(None, builder.finish()[0]), played


@pytest.mark.parametrize("seed", range(12))
def test_a_game_with_colours_swapped_is_written_as_python_chess_writes_it(seed: int) -> None:
    assert COLOURS is not None
    game, played = random_game(seed)
    frame, board = game.framed(COLOURS), chess.Board().mirror()
    for number, move in enumerate(played, 1):
        mirrored = chess.Move(
            chess.square_mirror(move.from_square), chess.square_mirror(move.to_square), move.promotion
        )
        assert frame.san(number) == board.san(mirrored)
        assert frame.mover(number) == (not board.turn)
        assert frame.display_number(number) == board.fullmove_number
        board.push(mirrored)
        assert COLOURS.position(game.positions[number]).fen() == board.fen(en_passant="fen")


def test_other_frames_name_squares_and_keep_castling_as_played() -> None:
    position = Position.from_fen("r3k2r/8/8/2P5/1p6/8/8/R3K2R w KQkq - 0 1")
    mirror, turn = Motion(2), Motion(5)
    castle = moves.pack(SQUARE("e1"), SQUARE("h1"), moves.CASTLE)
    assert san.san(position, castle, frame=mirror) == "O-O"
    rook = moves.pack(SQUARE("a1"), SQUARE("a8"))
    assert san.san(position, rook, frame=mirror) == "Rxh8+"
    assert san.san(position, rook, frame=turn) == "Rxa1+"
    assert san.san(position, rook, frame=Motion(right=-1)) == "Rx~+"
    assert san.san(position, moves.pack(SQUARE("e1"), SQUARE("e2")), frame=Motion(up=1)) == "Ke3"


def test_files_and_ranks_that_change_places_change_how_men_are_told_apart() -> None:
    position = Position.from_fen("4k3/8/8/8/R7/8/8/R3K3 w - - 0 1")
    up = moves.pack(SQUARE("a1"), SQUARE("a2"))
    assert san.san(position, up) == "R1a2"
    assert san.san(position, up, frame=Motion(5)) == "Rhg1"
    pawns = Position.from_fen("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1")
    assert san.san(pawns, moves.pack(SQUARE("e4"), SQUARE("d5")), frame=Motion(3)) == "d5xe4"


def test_castling_rights_are_left_out_where_they_would_be_others() -> None:
    start = Position.start()
    assert Motion(2).position(start).castling == 0
    assert Motion(1, swapped=True).position(start).fen() == Position.start().fen().replace(" w ", " b ")
    lost = Motion(right=4).position(start)
    assert lost.fen().split()[0] == "4rnbq/4pppp/8/8/8/8/4PPPP/4RNBQ"

"""Packing games into words and back, numbering, replay and notation of lines."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cqlgui.board import legality, moves, squares, tree
from cqlgui.board.position import Position
from cqlgui.board.tree import GameTree
from tests.helpers import trees
from tests.helpers.trees import TreeBuilder


def move(text: str, flag: int = moves.NORMAL) -> int:
    """The word of a move written as two squares."""
    return moves.pack(squares.parse_square(text[:2]), squares.parse_square(text[2:]), flag)


def back(plies: int) -> int:
    """One BACK word."""
    return moves.BACK << 12 | plies


SICILIAN = [move("e2e4"), move("e7e5"), move("g1f3"), back(2), move("c7c5"), move("g1f3"), move("d7d6")]


def test_positions_are_numbered_in_preorder() -> None:
    game = GameTree.decode(None, SICILIAN)
    assert game.parents == [-1, 0, 1, 2, 1, 4, 5]
    assert game.children == [(1,), (2, 4), (3,), (), (5,), (6,), ()]
    assert game.plies == [0, 1, 2, 3, 2, 3, 4]
    assert game.depths == [0, 0, 0, 0, 1, 1, 1]
    assert game.mainline_length == 4
    assert trees.line_to(game, 6) == [0, 1, 4, 5, 6]
    assert [game.movenumber(n) for n in range(7)] == [1, 1, 2, 2, 2, 2, 3]
    assert game.encode() == SICILIAN
    assert tree.san_line(game, range(7)) == ["1.e4", "e5", "2.Nf3", "1...c5", "2.Nf3", "d6"]
    assert tree.san_line(game, [5, 6], figurine=True) == ["2.♘f3", "d6"]


def test_a_builder_takes_moves_in_file_order() -> None:
    builder = TreeBuilder()
    e4 = builder.add(TreeBuilder.ROOT, move("e2e4"))
    e5 = builder.add(e4, move("e7e5"))
    c5 = builder.add(e4, move("c7c5"))
    nf3 = builder.add(c5, move("g1f3"))
    d6 = builder.add(nf3, move("d7d6"))
    main = builder.add(e5, move("g1f3"))
    words, ids = builder.finish()
    assert words == SICILIAN
    assert [ids[h] for h in (0, e4, e5, main, c5, nf3, d6)] == [0, 1, 2, 3, 4, 5, 6]


def test_the_main_line_is_a_view_without_variations() -> None:
    game = GameTree.decode(None, SICILIAN)
    line = game.mainline()
    assert (len(line), line.children, line.encode()) == (4, [(1,), (2,), (3,), ()], SICILIAN[:3])
    assert line.positions[3].fen() == game.positions[3].fen()
    assert game.mainline().positions[2] is game.positions[2]
    assert line.mainline() is line


def test_a_game_without_moves_has_one_position() -> None:
    game = GameTree.decode("4k3/8/8/8/8/8/8/4K3 b - - 0 30", [])
    assert (len(game), game.children, game.mainline_length, len(game.positions)) == (1, [()], 1, 1)
    assert tree.san_line(game, [0]) == []


def test_numbers_of_a_game_black_begins() -> None:
    words = [move("e8e7"), move("e1e2"), move("e7e6")]
    game = GameTree.decode("4k3/8/8/8/8/8/8/4K3 b - - 0 30", words)
    assert [game.movenumber(n) for n in range(4)] == [1, 2, 2, 3]
    assert [game.display_number(n) for n in range(4)] == [30, 30, 31, 31]
    assert tree.san_line(game, range(4)) == ["30...Ke7", "31.Ke2", "Ke6"]


@pytest.mark.parametrize(
    "words",
    [
        [back(1), move("e2e4")],
        [move("e2e4"), back(2), move("d2d4")],
        [move("e2e4"), back(1), back(1), move("d2d4")],
        [move("e2e4"), back(1)],
        [move("e2e4"), back(0), move("e7e5")],
    ],
)
def test_impossible_returns_are_refused_with_a_sentence(words: list[int]) -> None:
    with pytest.raises(ValueError, match=r"damaged: .*\.$"):
        GameTree.decode(None, words)


def test_a_move_that_cannot_be_played_is_refused_at_replay() -> None:
    game = GameTree.decode(None, [move("e3e4")])
    with pytest.raises(ValueError, match="cannot be played"):
        _ = game.positions


def test_men_keep_their_numbers() -> None:
    game = GameTree.decode(
        "r3k3/1P6/8/3pP3/8/8/8/R3K2R w KQq d6 0 1",
        [
            move("e5d6", moves.EN_PASSANT),
            move("e8a8", moves.CASTLE),
            move("b7b8", moves.PROMOTE_N),
            back(3),
            move("b7a8", moves.PROMOTE_Q),
            move("e8e8", moves.NULL),
            move("e1h1", moves.CASTLE),
        ],
    )
    names = [
        {squares.square_name(square): man for square, man in game.men_ids(number).items()}
        for number in range(len(game))
    ]
    assert names[0] == {"a1": 0, "e1": 1, "h1": 2, "d5": 3, "e5": 4, "b7": 5, "a8": 6, "e8": 7}
    assert names[1] == {"a1": 0, "e1": 1, "h1": 2, "d6": 4, "b7": 5, "a8": 6, "e8": 7}
    assert names[2] == {"a1": 0, "e1": 1, "h1": 2, "d6": 4, "b7": 5, "d8": 6, "c8": 7}
    assert names[3] == {"a1": 0, "e1": 1, "h1": 2, "d6": 4, "b8": 5, "d8": 6, "c8": 7}
    assert names[4] == names[5] == {"a1": 0, "e1": 1, "h1": 2, "d5": 3, "e5": 4, "a8": 5, "e8": 7}
    assert names[6]["g1"] == 1
    assert names[6]["f1"] == 2


def test_very_long_games_and_long_returns() -> None:
    shuffle = [move("g1f3"), move("g8f6"), move("f3g1"), move("f6g8")]
    words = shuffle * 4424 + moves.pack_back(17_696) + shuffle[:2]
    game = GameTree.decode(None, words)
    assert game.mainline_length == 17_697
    assert game.children[0] == (1, 17_697)
    assert game.encode() == words
    assert len(moves.pack_back(17_696)) == 5
    assert game.positions[-1].fen() == game.positions[2].fen()
    builder = TreeBuilder()
    handle = TreeBuilder.ROOT
    for word in shuffle * 2500:
        builder.add(handle, move("a2a3"))
        handle = builder.add(handle, word)
    words, ids = builder.finish()
    deep = GameTree.decode(None, words)
    assert len(deep) == 20_001
    assert deep.depths[ids[handle]] == 10_000


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 200), st.integers(0, 40)), max_size=40))
def test_decode_undoes_building(choices: list[tuple[int, int]]) -> None:
    builder = TreeBuilder()
    positions = [Position.start()]
    parents = [-1]
    plies = [0]
    for where, which in choices:
        parent = where % len(positions)
        before = positions[parent]
        legal = legality.legal_moves(before)
        king = before.squares.index(12 if before.turn else 6)
        legal.append(moves.pack(king, king, moves.NULL))
        after = before.copy()
        after.make(legal[which % len(legal)])
        assert builder.add(parent, legal[which % len(legal)]) == len(positions)
        positions.append(after)
        parents.append(parent)
        plies.append(plies[parent] + 1)
    words, ids = builder.finish()
    assert sorted(ids) == list(range(len(positions)))
    game = GameTree.decode(None, words)
    assert game.encode() == words
    for handle, number in enumerate(ids):
        assert game.positions[number].key() == positions[handle].key()
        assert game.plies[number] == plies[handle]
        assert game.parents[number] == (ids[parents[handle]] if handle else -1)
        assert game.children[number] == tuple(ids[h] for h in range(len(ids)) if h and parents[h] == handle)
        assert trees.line_to(game, number)[0] == 0
    assert game.mainline().encode() == words[: game.mainline_length - 1]

"""What the text of a pattern asks, as the interpreter sees it, is what its marks say of the board."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqlgui.board import men, position, squares
from cqlgui.cql.checking import check
from cqlgui.cql.interpreting import interpreter
from cqlgui.cql.transforming import transforms
from cqlgui.pattern import reading, writing
from cqlgui.pattern.marks import Arrow, Condition, Mark, Pattern, Relation, Role
from tests.helpers import games

FENS = (
    "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4",
    "6k1/5ppp/3N4/8/8/3q4/3R1PPP/6K1 b - - 0 1",
    "8/2k5/8/3p4/3P4/2K5/8/8 w - - 0 1",
)
MASKS = [1 << man for man in range(13)] + [
    men.WHITE_MASK,
    men.BLACK_MASK,
    men.ANY_MASK,
    1 << men.WN | 1 << men.WB,
]
MARKS = st.builds(
    Mark,
    st.sampled_from(MASKS),
    st.one_of(
        st.integers(0, 63).map(lambda square: 1 << square),
        st.sampled_from([*squares.FILES, *squares.RANKS, squares.ALL]),
        st.integers(1, squares.ALL),
    ),
    st.sampled_from(Role),
)


@st.composite
def patterns(draw: st.DrawFn) -> Pattern:
    """Patterns as they are read: alternatives together, no mark twice, arrows between the first of their
    kind."""
    drawn = draw(st.lists(MARKS, max_size=5, unique_by=lambda one: (one.men, one.squares)))
    either = [one for one in drawn if one.role is Role.EITHER]
    places = [place for place, one in enumerate(drawn) if one.role is Role.EITHER]
    marks = [one for one in drawn if one.role is not Role.EITHER]
    if places:
        marks[places[0] : places[0]] = either
    arrows: list[Arrow] = []
    if len(marks) > 1:
        ends = st.integers(0, len(marks) - 1)
        made = st.builds(Arrow, st.sampled_from(Relation), ends, ends)
        arrows = draw(st.lists(made.filter(lambda one: one.origin != one.target), max_size=2))
    turn = draw(st.sampled_from([(), (Condition("turn", "wtm"),), (Condition("check", "not check"),)]))
    return Pattern(tuple(marks), tuple(arrows), turn)


@given(patterns())
def test_a_pattern_is_read_from_its_text_as_it_was_written(pattern: Pattern) -> None:
    text = writing.text_of(pattern)
    assert reading.pattern_at(text, 1) == pattern
    query = check.check(text).query
    assert query is not None
    of_node = reading.of_node(query.body)
    assert (of_node.arrows, of_node.conditions) == (pattern.arrows, pattern.conditions)
    # A single alternative has brackets, which leave no node.
    either = [one for one in pattern.marks if one.role is Role.EITHER]
    if len(either) != 1:
        assert of_node == pattern


@given(patterns(), st.sampled_from(FENS))
def test_the_text_of_a_pattern_asks_what_its_marks_say(pattern: Pattern, fen: str) -> None:
    game = games.from_fen(fen)
    assert matches(writing.text_of(pattern), game) == holds(pattern, position.Position.from_fen(fen), None)


@pytest.mark.parametrize(("move", "expected"), [("Nf3", True), ("Nh3", False), ("e4", False)])
def test_an_arrow_of_a_move_asks_for_the_move_played_next(move: str, expected: bool) -> None:
    (game,) = games.from_pgn(f'[Result "*"]\n\n1. {move} *\n')
    text = writing.text_of(
        Pattern(
            (Mark(1 << men.WN, squares.BIT[6]), Mark(men.ANY_MASK, squares.FILES[5])),
            (Arrow(Relation.MOVES, 0, 1),),
        )
    )
    assert matches(text + " initial", game) == expected


def matches(text: str, game: games.Game) -> bool:
    program = interpreter.Program(transforms.expand(check.check(text)))
    return program.run(game.tree, game.host) is not None


def holds(pattern: Pattern, board: position.Position, move: tuple[int, int] | None) -> bool:
    """The same question, asked of the board mark by mark."""
    found = [standing(one, board) for one in pattern.marks]
    for role, here in zip((one.role for one in pattern.marks), found, strict=True):
        if role is (Role.NOT if here else Role.MUST):
            return False
    either = [here for one, here in zip(pattern.marks, found, strict=True) if one.role is Role.EITHER]
    if either and not any(either):
        return False
    for arrow in pattern.arrows:
        pairs = itertools.product(squares.bits(found[arrow.origin]), squares.bits(found[arrow.target]))
        if not any(related(arrow.relation, start, end, board, move) for start, end in pairs):
            return False
    return all(
        {"wtm": board.turn == men.WHITE, "not check": not position.in_check(board)}[one.text]
        for one in pattern.conditions
    )


def standing(mark: Mark, board: position.Position) -> int:
    """The squares of a mark on which one of its men stands."""
    return sum(1 << one for one in squares.bits(mark.squares) if mark.men >> board.squares[one] & 1)


def related(
    relation: Relation, start: int, end: int, board: position.Position, move: tuple[int, int] | None
) -> bool:
    if relation is Relation.MOVES:
        return move == (start, end)
    if relation is Relation.ATTACKS:
        man = board.squares[start]
        colour = men.BLACK if men.is_black(man) else men.WHITE
        return man != men.EMPTY and bool(position.attackers(board, end, colour) >> start & 1)
    files = squares.file_of(end) - squares.file_of(start)
    ranks = squares.rank_of(end) - squares.rank_of(start)
    if start == end:
        return False
    if relation is Relation.FILE:
        return not files
    if relation is Relation.RANK:
        return not ranks
    if relation is Relation.DIAGONAL:
        return abs(files) == abs(ranks)
    if files and ranks and abs(files) != abs(ranks):
        return False
    steps = max(abs(files), abs(ranks))
    between = [start + place * ((end - start) // steps) for place in range(1, steps)]
    occupied = sum(board.squares[one] != men.EMPTY for one in between)
    return occupied == (1 if relation is Relation.RAY_ONE else 0)

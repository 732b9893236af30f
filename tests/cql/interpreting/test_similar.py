"""Positions of another file: who may be asked, which boards count as similar, how games are ordered."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cqlgui.cql.checking import check
from cqlgui.cql.interpreting import interpreter
from cqlgui.cql.interpreting.families import closures_similar
from cqlgui.cql.transforming import geometry, transforms
from tests.helpers import games

KINGS = "8/8/8/3k4/8/8/1K6/8 w - - 0 1"
PAWNS = "8/8/8/3k4/8/8/1KP5/8 w - - 0 1"


def pgn(*fens: str) -> str:
    """A file of bare positions."""
    return "\n\n".join(f'[Event "x"]\n[SetUp "1"]\n[FEN "{fen}"]\n[Result "*"]\n\n*' for fen in fens) + "\n"


def run(
    query: str, fen: str, files: dict[str, str]
) -> tuple[interpreter.Program, interpreter.GameOutcome | None]:
    game = games.from_fen(fen)
    game.host.files = files
    checked = check.check(query)
    assert not checked.errors, checked.errors
    program = interpreter.Program(transforms.expand(checked))
    return program, program.run(game.tree, game.host)


def matches(query: str, fen: str, *others: str) -> bool:
    return run(query, fen, {"o.pgn": pgn(*others)})[1] is not None


@pytest.mark.parametrize(
    ("fen", "other", "expected", "plainly"),
    [
        (KINGS, KINGS, True, True),
        (KINGS, "8/8/8/3k4/8/8/1K6/8 b - - 0 1", False, False),
        (KINGS, "8/8/8/4k3/8/8/6K1/8 w - - 0 1", True, False),
        (KINGS, "8/1K6/8/8/3k4/8/8/8 w - - 0 1", True, False),
        (KINGS, "8/8/8/4k3/8/8/2K5/8 w - - 0 1", False, False),
        (PAWNS, "8/8/8/4k3/8/8/2KP4/8 w - - 0 1", True, False),
        (PAWNS, "8/8/8/2k5/8/8/K1P5/8 w - - 0 1", False, False),
        (PAWNS, "8/8/8/4k3/8/8/5PK1/8 w - - 0 1", True, False),
        (PAWNS, "8/1KP5/8/8/3k4/8/8/8 w - - 0 1", False, False),
    ],
)
def test_which_boards_are_similar(fen: str, other: str, expected: bool, plainly: bool) -> None:
    assert matches('cql() similarposition "o.pgn"', fen, other) is expected
    assert matches('cql() similarposition notransform "o.pgn"', fen, other) is plainly


def test_a_hit_is_told_and_games_come_in_the_order_of_the_other_file() -> None:
    files = {"o.pgn": pgn(PAWNS, "8/8/8/4k3/8/8/6K1/8 w - - 0 1", KINGS)}
    program, outcome = run('cql(matchstring "") similarposition "o.pgn"', KINGS, files)
    assert outcome is not None
    assert outcome.comments == (
        (0, "Game number 1"),
        (0, "see o.pgn game: 2 at move: 1 wtm <reflect_v>"),
        (0, "see o.pgn game: 3 at move: 1 wtm <>"),
    )
    assert outcome.sort_keys == (2,)
    assert program.order([(1, (5,)), (2, (2,)), (3, (None,))]) == [2, 1, 3]
    program, outcome = run('cql(quiet) similarposition nosort "o.pgn"', KINGS, files)
    assert outcome is not None
    assert (program.sort_specs, len(outcome.comments)) == ((), 3)
    outcome = run('cql(silent) similarposition nosort "o.pgn"', KINGS, files)[1]
    assert outcome is not None
    assert outcome.comments == ()


def test_a_file_that_was_not_allowed_is_refused() -> None:
    with pytest.raises(interpreter.QueryError, match="may not be read") as caught:
        run('cql() similarposition "secret.pgn"', KINGS, {})
    assert caught.value.span is not None
    assert caught.value.span.offset == 6


def test_a_file_with_too_many_positions_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(closures_similar, "MAX_POSITIONS", 2)
    with pytest.raises(interpreter.QueryError, match="more than 2 positions"):
        run('cql() similarposition "o.pgn"', KINGS, {"o.pgn": pgn(KINGS, KINGS, KINGS)})


boards = st.lists(st.sampled_from([0] * 12 + list(range(1, 13))), min_size=64, max_size=64).map(bytes)


@settings(max_examples=150, deadline=None)
@given(boards, st.integers(0, 7), st.booleans(), st.integers(-7, 7))
def test_images_of_a_board_have_its_normal_form(
    board: bytes, symmetry: int, pawnless: bool, shift: int
) -> None:
    board = bytes(man if man not in (1, 7) or not pawnless else 0 for man in board)
    if not any(board):
        return
    if 1 in board or 7 in board:
        symmetry = 2 if symmetry % 2 else 0
        basics = [geometry.Basic(symmetry=symmetry), geometry.Basic(right=shift)]
    else:
        basics = [geometry.Basic(symmetry=symmetry)]
    image = bytearray(64)
    for square, man in enumerate(board):
        if not man:
            continue
        place = 1 << square
        for basic in basics:
            place = geometry.map_squares(basic, place)
        if not place:
            return
        image[place.bit_length() - 1] = man
    normal = closures_similar._normal_form
    assert normal(bytes(image), True) == normal(board, True)
    name = closures_similar._transform(board, bytes(image))
    assert _applied(board, name) == bytes(image)


def _applied(board: bytes, name: str) -> bytes:
    """The board after the named transform, innermost part last."""
    steps = []
    for part in reversed(name.split()):
        if "^" in part:
            word, count = part.split("^")
            steps.append(geometry.Basic(right=int(count) if word == "right" else -int(count)))
        else:
            steps.append(geometry.Basic(symmetry=geometry.SYMMETRIES.index(part)))
    image = bytearray(64)
    for square, man in enumerate(board):
        place = 1 << square
        for basic in steps:
            place = geometry.map_squares(basic, place) if man else 0
        if man:
            image[place.bit_length() - 1] = man
    return bytes(image)

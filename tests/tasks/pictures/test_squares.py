"""The maps of squares and the paths have the counts that python-chess finds, game by game."""

from __future__ import annotations

import collections
import functools
from collections.abc import Iterator

import chess
import chess.pgn
import pytest

from cqlgui.base import errors, progress
from cqlgui.board import motions
from cqlgui.cql.transforming import geometry
from cqlgui.jit import native
from cqlgui.tasks.databases import importing
from cqlgui.tasks.pictures import square_maps
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import searching
from tests import helpers

pytestmark = pytest.mark.skipif(not native.available(), reason="kernels are slow without machine code")
SAMPLE = helpers.ROOT / "resources" / "sample" / "sample.pgn"
QUERIES = [
    "check",
    "flipcolor {Bh7 kg8}",
    "flip {Nf7}",
    "shift {Nc3 Nd5}",
    "move enpassant",
    "move promote A",
]
KNIGHTS, ROOKS = 1 << 2, 1 << 4 | 1 << 10
PLIES = 7
Man = tuple[int, int]
"""A man as its code and its square."""


@pytest.fixture
def base() -> base_model.Base:
    return importing.open_base([SAMPLE]).base


@functools.cache
def played() -> list[chess.pgn.Game]:
    with SAMPLE.open(encoding="utf-8") as file:
        return list(iter(lambda: chess.pgn.read_game(file), None))  # type: ignore[arg-type]  # ends with None


def code(piece: chess.Piece) -> int:
    return piece.piece_type + (0 if piece.color else 6)


def motion_of(
    result: search_model.SearchResult, matches: tuple[object, ...], normalised: bool
) -> motions.Motion:
    if not normalised or not matches:
        return motions.STILL
    first = matches[0]
    element = result.orbits[first.orbit].elements[first.element]  # type: ignore[attr-defined]  # a match
    found = geometry.motion(element.transform)
    return motions.STILL if found is None else found.inverse


def hits(
    result: search_model.SearchResult, normalised: bool
) -> Iterator[tuple[int, chess.Board, list[chess.Move], motions.Motion, int]]:
    """Game, board, next moves, motion and ringed squares of each hit in a main line."""
    for game in result.order:
        board = played()[game - 1].board()
        line = list(played()[game - 1].mainline_moves())
        for hit in result.games[game].hits:
            while board.ply() < hit.positionid:
                board.push(line[board.ply()])
            rest = line[hit.positionid : hit.positionid + PLIES]
            yield game, board.copy(stack=False), rest, motion_of(result, hit.matches, normalised), hit.squares


def marked(what: square_maps.What, board: chess.Board, rest: list[chess.Move]) -> set[Man]:
    """The men and squares that a map counts at a hit."""
    if what is square_maps.What.MEN:
        return {(code(piece), square) for square, piece in board.piece_map().items()}
    found = set()
    for move in rest:
        piece = board.piece_at(move.from_square)
        assert piece is not None
        if what is square_maps.What.ARRIVALS or board.is_capture(move):
            found.add((code(piece), move.to_square))
        if what is square_maps.What.ARRIVALS and board.is_castling(move):
            rook = {6: 5, 2: 3}[move.to_square & 7] + (move.to_square & 56)
            found.add((code(chess.Piece(chess.ROOK, piece.color)), rook))
        board.push(move)
    return found


def counts(pairs: list[tuple[int, set[int]]]) -> tuple[list[int], list[int]]:
    """The hits and the games of each square, from the game and the squares of each hit."""
    of_hits = collections.Counter(square for _, own in pairs for square in own)
    of_games = collections.Counter(
        square for _, square in {(game, square) for game, own in pairs for square in own}
    )
    return [of_hits[square] for square in range(64)], [of_games[square] for square in range(64)]


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("what", [square_maps.What.MEN, square_maps.What.ARRIVALS, square_maps.What.CAPTURES])
@pytest.mark.parametrize("normalised", [False, True])
def test_a_map_has_the_counts_of_the_games(
    base: base_model.Base, query: str, what: square_maps.What, normalised: bool
) -> None:
    result = searching.search(base, query)
    assert result.positions
    for wanted in (square_maps.ALL_MEN, KNIGHTS, ROOKS):
        pairs = []
        for game, board, rest, motion, _ in hits(result, normalised):
            images = ((motion.man(man), motion.square(square)) for man, square in marked(what, board, rest))
            pairs.append((game, {image for man, image in images if wanted >> man & 1 and image >= 0}))
        of_hits, of_games = counts(pairs)
        choice = square_maps.Choice(what, wanted, PLIES)
        found = square_maps.square_map(base, result, choice, normalised=normalised)
        assert list(found.hits) == of_hits
        assert list(found.of_games) == of_games
        for square in found.shown[:3]:
            narrowed = square_maps.on_squares(base, result, choice, 1 << square, normalised=normalised)
            assert narrowed.positions == of_hits[square]
            assert len(narrowed.order) == of_games[square]


@pytest.mark.parametrize("details", [search_model.Details.ALL, search_model.Details.NONE])
@pytest.mark.parametrize("normalised", [False, True])
def test_ringed_squares_are_those_of_the_hits(
    base: base_model.Base, details: search_model.Details, normalised: bool
) -> None:
    query = "flipcolor {Bh7 kg8}"
    told = searching.search(base, query)
    pairs = [
        (game, set(chess.SquareSet(motion.set(squares))))
        for game, _, _, motion, squares in hits(told, normalised)
    ]
    result = searching.search(base, query, search_model.SearchOptions(details=details))
    choice = square_maps.Choice(square_maps.What.RINGED)
    found = square_maps.square_map(base, result, choice, normalised=normalised)
    assert (list(found.hits), list(found.of_games)) == counts(pairs)
    assert any(found.hits)
    if normalised:
        # In the query's own frame, these are the squares of the query.
        assert {chess.square_name(square) for square in found.shown} == {"h7", "g8"}


def followed(board: chess.Board, rest: list[chess.Move], here: int) -> tuple[list[tuple[int, int]], bool]:
    """The moves of the man on a square, and whether it is captured."""
    steps = []
    for move in rest:
        victim = move.to_square
        if board.is_en_passant(move):
            victim = move.to_square & 7 | move.from_square & 56
        then = here
        if move.from_square == here:
            then = move.to_square
        elif board.is_castling(move):
            corner = (7 if move.to_square & 7 == 6 else 0) + (move.to_square & 56)
            if here == corner:
                then = {6: 5, 2: 3}[move.to_square & 7] + (move.to_square & 56)
        elif board.is_capture(move) and victim == here:
            return steps, True
        if then != here:
            steps.append((here, then))
        here = then
        board.push(move)
    return steps, False


@pytest.mark.parametrize(
    ("query", "origin"),
    [
        ("check ply < 25", "g8"),
        ("flipcolor {Bh7 kg8}", "g8"),
        ("flip {Nf7}", "f7"),
        ("shift {Nf3 kg8}", "g8"),
        ("castle", "h1"),
        ("initial", "g1"),
    ],
)
@pytest.mark.parametrize("normalised", [False, True])
def test_paths_follow_the_man_of_each_game(
    base: base_model.Base, query: str, origin: str, normalised: bool
) -> None:
    result = searching.search(base, query)
    start = chess.parse_square(origin)
    pairs, steps = [], collections.Counter[tuple[int, int]]()
    begun = captured = stayed = 0
    for game, board, rest, motion, _ in hits(result, normalised):
        here = motion.inverse.square(start)
        if here < 0 or board.piece_at(here) is None:
            continue
        begun += 1
        moves, is_captured = followed(board, rest, here)
        captured += is_captured
        stayed += not moves and not is_captured
        shown = [(motion.square(one), motion.square(other)) for one, other in moves]
        # A square may be off the board of the frame.
        steps.update((one, other) for one, other in shown if one >= 0 <= other)
        pairs.append((game, {other for _, other in shown if other >= 0}))
    choice = square_maps.WayChoice(start, square_maps.ALL_MEN, PLIES)
    found = square_maps.ways(base, result, choice, normalised=normalised)
    assert (found.begun, found.captured, found.stayed) == (begun, captured, stayed)
    assert begun
    assert (list(found.hits), list(found.of_games)) == counts(pairs)
    assert {(one, other): count for one, other, count in found.steps} == steps
    for square in found.shown[:2]:
        narrowed = square_maps.reaching(base, result, choice, 1 << square, normalised=normalised)
        assert narrowed.positions == found.hits[square]


def test_paths_begin_on_the_square_that_is_left_most_often(base: base_model.Base) -> None:
    result = searching.search(base, "initial")
    firsts = collections.Counter(rest[0].from_square for _, _, rest, _, _ in hits(result, False) if rest)
    assert square_maps.usual_origin(base, result) == firsts.most_common(1)[0][0]


@pytest.mark.parametrize("normalised", [False, True])
def test_paths_of_chosen_men_begin_where_these_men_stand(base: base_model.Base, normalised: bool) -> None:
    result = searching.search(base, "flipcolor {Bh7 kg8}")
    for wanted in (1 << code(chess.Piece(chess.KING, chess.BLACK)), 1 << code(chess.Piece(chess.PAWN, True))):
        origin = square_maps.usual_origin(base, result, wanted=wanted, normalised=normalised)
        choice = square_maps.WayChoice(origin, wanted, PLIES)
        assert square_maps.ways(base, result, choice, normalised=normalised).begun
    mates = searching.search(base, "mate")
    kings = collections.Counter(board.king(chess.BLACK) for _, board, _, _, _ in hits(mates, False))
    least = min(
        square for square, count in kings.items() if count == max(kings.values()) and square is not None
    )
    black = 1 << code(chess.Piece(chess.KING, chess.BLACK))
    assert square_maps.usual_origin(base, mates, wanted=black) == least


@pytest.mark.parametrize("what", [square_maps.What.MEN, square_maps.What.ARRIVALS, square_maps.What.CAPTURES])
def test_a_map_of_a_query_and_its_twin_add_up(base: base_model.Base, what: square_maps.What) -> None:
    def found(query: str, wanted: int) -> tuple[int, ...]:
        result = searching.search(base, query)
        choice = square_maps.Choice(what, wanted, PLIES)
        return square_maps.square_map(base, result, choice, normalised=True).hits

    # The side to move tells the two elements apart, so no hit matches both.
    one, twin = found("wtm Ra1 not ra8", KNIGHTS), found("btm ra8 not Ra1", KNIGHTS << 6)
    both = found("flipcolor {wtm Ra1 not ra8}", KNIGHTS)
    assert any(one)
    assert both == tuple(one[square] + twin[square ^ 56] for square in range(64))


def test_hits_in_variations_follow_their_own_moves(base: base_model.Base, tmp_path: object) -> None:
    from pathlib import Path

    assert isinstance(tmp_path, Path)
    path = tmp_path / "variations.pgn"
    path.write_text(
        '[Result "*"]\n\n1. e4 e5 (1... c5 2. Nf3 (2. Nc3 Nc6) 2... d6) 2. Bc4 *\n', encoding="utf-8"
    )
    own = importing.open_base([path]).base
    result = searching.search(own, "pc5", search_model.SearchOptions(variations=True))
    # The positions after 1...c5, 2.Nf3, 2...d6, 2.Nc3 and 2...Nc6.
    assert result.positions == 5
    found = square_maps.square_map(own, result, square_maps.Choice(square_maps.What.ARRIVALS, plies=2))
    by_name = {chess.square_name(square): found.hits[square] for square in found.shown}
    # The main continuation after 1...c5 is 2.Nf3 d6.
    assert by_name == {"f3": 1, "d6": 2, "c6": 1}


def test_counting_stops_when_it_is_cancelled(base: base_model.Base) -> None:
    token = progress.CancelToken()
    token.cancel()
    with pytest.raises(errors.Cancelled):
        square_maps.square_map(base, searching.search(base, "check"), square_maps.Choice(), cancel=token)


def test_no_hits_make_an_empty_map_with_a_reason(base: base_model.Base) -> None:
    result = searching.search(base, "ply > 5000")
    found = square_maps.square_map(base, result, square_maps.Choice())
    assert found.positions == 0
    assert found.note == "The result has no hits."
    assert found.table.rows == ()

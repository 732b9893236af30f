"""The signature of a game covers every one of its positions, and nothing that no position needs."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

from cqlgui.board import legality, moves, position, tree
from cqlgui.board.position import Position
from cqlgui.engine.pruning import signatures
from cqlgui.jit import native
from tests import helpers
from tests.helpers import games as readings
from tests.helpers import packed_games, planned

EVER = (1 << 64) - 1


def expected(game: tree.GameTree) -> list[int]:
    """A signature, found the slow way."""
    ever = [0] * 13
    counts: list[list[int]] = []
    events = 0
    for positionid in range(len(game)):
        here = game.positions[positionid]
        for man in range(13):
            ever[man] |= here.men[man]
        counts.append([min(here.men[man].bit_count(), signatures.MOST_COUNTED) for man in range(1, 13)])
        events |= signatures.BLACK_TO_MOVE if here.turn else signatures.WHITE_TO_MOVE
        events |= signatures.VARIATION if game.depths[positionid] else 0
        if position.in_check(here):
            events |= signatures.CHECK
        if not legality.legal_moves(here):
            events |= signatures.MATE if position.in_check(here) else signatures.STALEMATE
        if positionid:
            events |= of_move(game.moves[positionid])
    least = sum(min(column) << 5 * place for place, column in enumerate(zip(*counts, strict=True)))
    most = sum(max(column) << 5 * place for place, column in enumerate(zip(*counts, strict=True)))
    return [*ever, least, most, events | max(game.plies) << signatures.PLIES]


def of_move(move: int) -> int:
    match moves.flag(move):
        case moves.CASTLE:
            return signatures.SHORT if moves.target(move) > moves.origin(move) else signatures.LONG
        case moves.EN_PASSANT:
            return signatures.IN_PASSING
        case moves.NULL:
            # Whether there was a legal move is not looked at then.
            return signatures.NULL_MOVE | signatures.MATE | signatures.STALEMATE
        case moves.NORMAL:
            return 0
        case flag:
            return signatures.PROMOTED << (flag - moves.PROMOTE_N)


def check(listed: Iterable[tree.GameTree]) -> int:
    played = list(listed)
    packed = packed_games.of_words(
        (None if game.root.key() == Position.start().key() else game.root.fen(), game.encode())
        for game in played
    )
    made = signatures.make(packed)
    again = signatures.Signatures.unpacked(made.packed(), len(played))
    assert again is not None
    branched = 0
    for found in (made, again):
        for variations in (False, True):
            columns = planned.columns(found, variations)
            for number, game in enumerate(played):
                own = expected(game if variations else game.mainline())
                assert columns[:, number].tolist() == own, (number, variations)
        lengths = found.lengths()
        assert lengths is not None
        assert lengths.tolist() == [len(game.mainline()) - 1 for game in played]
        branched = len(found.differing)
    return branched


def test_shipped_games() -> None:
    listed = []
    for path in sorted((helpers.ROOT / "tests" / "whole" / "library").glob("*.pgn")):
        listed += readings.from_pgn(path.read_text("utf-8")[:6_000])[:6]
    branched = check(game.tree for game in listed)
    print(len(listed), "games,", branched, "with variations that matter")
    assert branched


FILES = ("data/annotated.pgn", "data/chess960.pgn", "data/setups.pgn", "data/studies.pgn")


@pytest.mark.parametrize("each", [6, pytest.param(400, marks=pytest.mark.full)])
def test_given_games(shared: Path, each: int) -> None:
    for name in FILES:
        text = (shared / name).read_text("utf-8", "replace")[: 6_000 * each]
        print(name, check(game.tree for game in readings.from_pgn(text)[:each]))


ODD = '[FEN "{}"]\n\n{} *\n\n'


@pytest.mark.parametrize(
    ("fen", "text"),
    [
        ("8/P7/8/8/8/8/8/K1k5 w - - 0 1", "1. a8=Q (1. a8=N Kd2) (1. a8=R) 1... -- 2. -- Kd2"),
        ("8/p7/8/1P6/8/8/8/K1k5 b - - 0 1", "1... a5 2. bxa6 (2. b6 Kd2 (2... Kb3))"),
        ("QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQ1/8/8/K1k5 w - - 0 1", "1. --"),
        ("k7/2Q5/1K6/8/8/8/8/8 b - - 0 1", "1... --"),
        ("8/8/8/8/8/8/8/8 w - - 0 1", ""),
        ("qqqqqqqq/qqqqqqqq/qqqqqqqq/qqqqqqqq/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ w - - 0 1", ""),
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "1. O-O (1. O-O-O O-O) 1... O-O-O"),
        # Two lines that each capture another man leave as many squares empty.
        ("4k3/8/8/3p1n2/4P3/8/8/4K3 w - - 0 1", "1. Kd2 (1. exd5) (1. exf5)"),
    ],
)
def test_odd_games(fen: str, text: str) -> None:
    check(game.tree for game in readings.from_pgn(ODD.format(fen, text)))


def test_games_that_cannot_be_played_may_be_anything() -> None:
    usual = readings.from_pgn("1. e4 (1. d4) e5 *")[0].tree.encode()
    packed = packed_games.of_words(
        [(None, usual), ("no position", []), (None, [moves.pack(20, 30)]), (None, usual)]
    )
    made = signatures.make(packed)
    assert made.lengths() is None
    for variations in (False, True):
        columns = planned.columns(made, variations)
        assert (columns[:, 0] == columns[:, 3]).all()
        for number in (1, 2):
            own = columns[:, number].tolist()
            assert own[:13] == [EVER] * 13
            assert own[signatures.LEAST :] == [0, EVER, EVER]


def test_more_positions_than_are_played_at_once() -> None:
    """The kernel gives back before all the games asked for are played."""
    if not native.available():
        pytest.skip("so many positions take a minute without machine code")
    there_and_back = [moves.pack(6, 21), moves.pack(62, 45), moves.pack(21, 6), moves.pack(45, 62)]
    short = [there_and_back * (number % 3) for number in range(1_500)]
    long = there_and_back * 15_000
    listed = [*short, long, long, [moves.pack(12, 28)]]
    found = signatures.make(packed_games.of_words((None, words) for words in listed))
    for number, words in enumerate(listed):
        if number % 97 == 0 or number >= len(short):
            own = signatures.make(packed_games.of_words([(None, words)]))
            assert np.array_equal(planned.columns(found, True)[:, number], planned.columns(own, True)[:, 0])


def test_bytes_of_another_length_are_refused() -> None:
    made = signatures.make(packed_games.of_words([(None, [])] * 3))
    data = made.packed()
    assert signatures.Signatures.unpacked(data[:-1], 3) is None
    assert signatures.Signatures.unpacked(data, 4) is None
    beyond = dataclasses.replace(made, differing=np.array([3], np.uint32), whole=made.main.T[:1].copy())
    assert signatures.Signatures.unpacked(beyond.packed(), 3) is None


def test_plain_python_gathers_the_same() -> None:
    if not native.available():
        pytest.skip("there is no machine code to compare with")
    game = readings.from_pgn("1. e4 (1. d4 d5) e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# *")[0].tree
    packed = packed_games.of_words([(None, game.encode())])
    made = signatures.make(packed).packed()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(native, "available", lambda: False)
        assert signatures.make(packed).packed() == made

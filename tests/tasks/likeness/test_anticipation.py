"""A composition is found again however it is turned, shifted or recoloured, and near ones come behind."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path

import pytest

from cqlgui.base import errors, progress
from cqlgui.board import men, motions, squares, tree
from cqlgui.board.position import Position
from cqlgui.cql.transforming import geometry
from cqlgui.engine.kernels import nearness
from cqlgui.jit import native
from cqlgui.tasks.databases import importing, sources
from cqlgui.tasks.likeness import anticipation
from cqlgui.tasks.results import base_model
from tests.helpers import games as readings

pytestmark = pytest.mark.skipif(not native.available(), reason="kernels are slow without machine code")

STUDIES = [
    ("8/2q5/8/8/3N4/1K6/7Q/k7 w - - 0 1", "1. Qh1+ Qc1 2. Qh8"),
    ("8/5k2/8/3p4/3P4/4K3/8/8 w - - 0 1", "1. Kf4 Ke6 2. Kg5"),
    ("4k3/8/3B4/8/5n2/8/2R5/4K3 b - - 0 1", "1... Nd3+ 2. Kd2 Nb4 3. Bxb4"),
    ("8/1p3k2/1P6/8/2b5/8/6PK/3R4 w - - 0 1", "1. Rd4 Bb5 2. Rd5"),
    ("7k/8/5K2/6Q1/8/8/8/1r6 b - - 0 1", ""),
    ("8/8/8/2k5/8/2K1P3/8/8 w - - 0 1", "1. e4 Kd6 2. Kd4"),
    ("r1b1k3/8/8/1n6/8/5N2/4B3/2Q1K3 w - - 0 1", "1. Qxc8+ Rxc8 2. Bxb5+"),
    ("8/2p5/1pP3k1/1P6/6K1/8/7P/8 w - - 0 1", ""),
]
"""Positions of the test, with legal moves."""


def written(path: Path, listed: Sequence[tuple[str, str]]) -> base_model.Base:
    path.write_text(
        "".join(f'[White "S"]\n[FEN "{fen}"]\n[SetUp "1"]\n\n{line} *\n\n' for fen, line in listed)
    )
    return importing.open_base([path]).base


def allowed(position: Position) -> Iterator[motions.Motion]:
    """The motions under which a position is looked for, found by trying all."""
    pawns = any(men.kind(man) == men.PAWN for man in position.squares if man)
    shifts = range(-7, 8)
    for symmetry, right, up, swapped in itertools.product(range(8), shifts, shifts, [False, True]):
        motion = motions.Motion(symmetry, right, up, swapped)
        if pawns and (up or not motion.keeps_pawns):
            continue
        points = (motion.point(square & 7, square >> 3) for square in squares.bits(position.occupied))
        if all(0 <= x < 8 and 0 <= y < 8 for x, y in points):
            yield motion


@pytest.fixture
def base(tmp_path: Path) -> base_model.Base:
    return written(tmp_path / "base.pgn", STUDIES)


def test_a_turned_study_is_found_first(base: base_model.Base, tmp_path: Path) -> None:
    choice = random.Random(1)
    turned, used = [], []
    for number, (fen, _) in enumerate(STUDIES, 1):
        start = Position.from_fen(fen)
        every = list(allowed(start))
        for motion in every if len(every) < 20 else choice.sample(every, 20):
            turned.append((motion.position(start).fen(), ""))
            used.append((number, fen))
    assert len(turned) > 80
    found = anticipation.find(written(tmp_path / "turned.pgn", turned), base)
    for entry, (fen, _), (number, origin) in zip(found.entries, turned, used, strict=True):
        first = entry.nearest[0]
        assert (first.game, first.score, first.ply, first.entry_ply) == (number, 1.0, 0, 0)
        assert entry.nearest[1].score < 1
        # The motion leads from the entry to the study, and its name says the same.
        start = Position.from_fen(origin)
        moved = first.motion.position(Position.from_fen(fen))
        assert (moved.squares, moved.turn) == (start.squares, start.turn)
        assert geometry.motion(first.transform) == first.motion
        assert first.fen.split()[:2] == origin.split()[:2]
        assert first.same == first.men == start.occupied.bit_count()


def test_scores_are_those_of_plain_code(base: base_model.Base, tmp_path: Path) -> None:
    entries = [
        ("8/8/6q1/8/4N3/6K1/8/Q6k w - - 0 1", "1. Qa8 Qg7+ 2. Kf3"),
        ("8/8/4k3/6K1/3p4/3P4/8/7B w - - 0 1", "1. Bd5+ Kxd5 2. Kf4"),
        ("4k3/8/8/3b4/8/8/2N2r2/4K3 w - - 0 1", ""),
    ]
    found = anticipation.find(written(tmp_path / "entries.pgn", entries), base, top=len(STUDIES))
    lines = [positions(*study) for study in STUDIES]
    for entry, (fen, text) in zip(found.entries, entries, strict=True):
        own = positions(fen, text)
        expected = {}
        for game, line in enumerate(lines, 1):
            scores = [
                (-score(motion.position(one), other, own[0]), entry_ply, ply)
                for entry_ply, one in enumerate(own)
                for motion in allowed(one)
                for ply, other in enumerate(line)
            ]
            expected[game] = min(scores)
        ranked = sorted((key, game) for game, key in expected.items() if key[0])
        assert [near.game for near in entry.nearest] == [game for _, game in ranked]
        for near, ((value, entry_ply, _), _) in zip(entry.nearest, ranked, strict=True):
            assert near.score == pytest.approx(float(-value), abs=1e-6)
            assert near.entry_ply == entry_ply


def positions(fen: str, text: str) -> list[Position]:
    """The positions of a main line, from SAN."""
    (game,) = readings.from_pgn(f'[FEN "{fen}"]\n[SetUp "1"]\n\n{text} *\n\n')
    return tree.GameTree.decode(fen, game.tree.encode()).mainline().positions


def score(one: Position, other: Position, start: Position) -> Fraction:
    pairs = zip(one.squares, other.squares, strict=True)
    shared = sum(nearness.WEIGHTS[man] for man, twin in pairs if man == twin)
    if not shared:
        return Fraction(0)
    own, its = nearness.weight_of(one.squares), nearness.weight_of(other.squares)
    shared += nearness.TURN_WEIGHT * (one.turn == other.turn)
    return Fraction(2 * shared, own + its) * Fraction(own, nearness.weight_of(start.squares))


def test_a_position_after_moves_anticipates(base: base_model.Base, tmp_path: Path) -> None:
    # The position of the first study after two plies, mirrored, and the position after one with one more man.
    after = positions(*STUDIES[0])[2]
    mirrored = motions.Motion(2).position(after)
    found = anticipation.find(written(tmp_path / "after.pgn", [(mirrored.fen(), "")]), base)
    first = found.entries[0].nearest[0]
    assert (first.game, first.score, first.ply, first.transform) == (1, 1.0, 2, "<reflect_v>")
    longer = ("5b2/2q5/8/8/3N4/1K6/8/k6Q b - - 0 1", "1... Qc1")
    found = anticipation.find(written(tmp_path / "longer.pgn", [longer]), base, top=1)
    (near,) = found.entries[0].nearest
    assert (near.game, near.ply, near.entry_ply) == (1, 1, 0)
    assert near.score < 1
    assert (near.same, near.men) == (5, 6)


def test_an_entry_is_not_compared_with_itself(base: base_model.Base) -> None:
    found = anticipation.find(base, base, top=len(STUDIES))
    for entry in found.entries:
        assert entry.number not in {near.game for near in entry.nearest}
    assert (found.games, found.left_out) == (len(STUDIES), 0)


def test_answers_are_the_same_in_small_parts(
    base: base_model.Base, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = written(tmp_path / "entries.pgn", [(fen, "") for fen, _ in STUDIES[::-1]])
    for top in (1, 3, len(STUDIES)):
        whole = anticipation.find(entries, base, top=top)
        with monkeypatch.context() as small:
            small.setattr(anticipation, "_MOST_POSITIONS", 4)
            assert anticipation.find(entries, base, top=top) == whole


def test_copies_come_in_the_order_of_the_base(tmp_path: Path) -> None:
    base = written(tmp_path / "copies.pgn", [STUDIES[1], STUDIES[0], STUDIES[1]])
    found = anticipation.find(written(tmp_path / "one.pgn", STUDIES[1:2]), base, top=3)
    assert [(near.game, near.score) for near in found.entries[0].nearest][:2] == [(1, 1.0), (3, 1.0)]
    # Both are equally near, and no game is second.
    assert found.entries[0].ranks == (1, 1, 3)


def test_a_position_alone_is_compared_without_the_game_it_stands_in(base: base_model.Base) -> None:
    start = Position.from_fen(STUDIES[3][0])
    (entry,) = anticipation.find_position(motions.Motion(2).position(start), base, top=2).entries
    assert (entry.nearest[0].game, entry.nearest[0].score) == (4, 1.0)
    (other,) = anticipation.find_position(start, base, top=2, besides=4).entries
    assert other.nearest[0].game == entry.nearest[1].game
    (usual,) = anticipation.find_position(Position.start(), base).entries
    assert (usual.reason, usual.nearest) == (anticipation.USUAL, ())


def test_entries_that_cannot_be_compared_say_why(base: base_model.Base, tmp_path: Path) -> None:
    path = tmp_path / "odd.pgn"
    usual = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b - - 0 1"
    path.write_text(
        '[White "A"]\n\n1. e4 *\n\n'
        '[White "B"]\n[FEN "9/8 w"]\n[SetUp "1"]\n\n*\n\n'
        f'[White "C"]\n[FEN "{usual}"]\n[SetUp "1"]\n\n*\n\n'
        f'[White "D"]\n[FEN "{STUDIES[0][0]}"]\n[SetUp "1"]\n\n*\n\n'
    )
    first, broken, third, fine = anticipation.find(importing.open_base([path]).base, base).entries
    assert first.reason == third.reason == anticipation.USUAL
    assert broken.reason.startswith("It cannot be read. odd.pgn, line 5: the FEN is broken")
    assert first.nearest + broken.nearest + third.nearest == ()
    assert (fine.reason, fine.nearest[0].game) == ("", 1)


def test_files_without_compositions_are_refused(base: base_model.Base, tmp_path: Path) -> None:
    games, empty = tmp_path / "games.pgn", tmp_path / "empty.pgn"
    games.write_text('[White "A"]\n\n1. e4 *\n\n')
    empty.write_text("\n")
    with pytest.raises(errors.CqlguiError, match=r"games\.pgn has no compositions"):
        anticipation.find(base, importing.open_base([games]).base)
    with pytest.raises(errors.CqlguiError, match=r"empty\.pgn has no games"):
        anticipation.find(importing.open_base([empty]).base, base)


def test_the_work_can_be_stopped(base: base_model.Base) -> None:
    token = progress.CancelToken()
    token.cancel()
    with pytest.raises(errors.Cancelled):
        anticipation.find(base, base, cancel=token)


def test_fifty_turned_studies_are_each_found_first(shared: Path, tmp_path: Path) -> None:
    base = importing.open_base([shared / "data" / "studies.pgn"]).base
    choice = random.Random(50)
    turned, origins = [], []
    with sources.indexed(base.sources[0]) as opened:
        for ordinal in choice.sample(range(base.games), 50):
            start = Position.from_fen(opened.start_fen(ordinal) or "")
            motion = choice.choice(list(allowed(start)))
            turned.append((motion.position(start).fen(), ""))
            origins.append((ordinal + 1, start))
    found = anticipation.find(written(tmp_path / "turned.pgn", turned), base, top=10)
    firsts = 0
    for entry, (number, start) in zip(found.entries, origins, strict=True):
        ranked = [near.game for near in entry.nearest]
        place = ranked.index(number)
        assert entry.nearest[place].score == 1.0
        # The collection has some positions twice. Nothing else may come first.
        images = {motion.position(start).placement() for motion in allowed(start)}
        assert all(near.fen.split()[0] in images and near.score == 1.0 for near in entry.nearest[:place])
        assert entry.ranks[place] == 1
        firsts += place == 0
    print(f"{firsts} of 50 are first, the others are behind a copy of the same position")
    assert firsts > 40

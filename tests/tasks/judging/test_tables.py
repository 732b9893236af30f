"""Answers of Syzygy tables equal a solution of the ending that knows nothing of tables."""

from __future__ import annotations

import random
from pathlib import Path

import chess
import numpy as np
import pytest

from cqlgui.tasks.judging import judgement, tables
from tests.helpers import three_men

SYMBOLS = "KRk"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("syzygy")
    three_men.write(made)
    return made


def judged(folder: Path, *positions: str) -> list[tuple[int | None, int | None]]:
    with tables.Tables([folder]) as opened:
        found = [opened.judge(judgement.position_of(position)) for position in positions]
    return [(one.wdl, one.dtz) for one in found]


def test_rook_against_king_is_judged_as_its_solution_says(folder: Path) -> None:
    solved, drawn = three_men.solved(), random.Random(7)
    asked: list[str] = []
    wanted: list[tuple[int | None, int | None]] = []
    for turn, places, plies in (
        (chess.WHITE, solved.white, solved.white_plies),
        (chess.BLACK, solved.black, solved.black_plies),
    ):
        for place in drawn.sample(np.argwhere(places).tolist(), 60):
            board = chess.Board(None)
            for square, symbol in zip(place, SYMBOLS, strict=True):
                board.set_piece_at(square, chess.Piece.from_symbol(symbol))
            board.turn = turn
            asked += [board.fen(), board.mirror().fen()]
            count = int(plies[tuple(place)])
            # A king that is mated has a distance of 1 in Syzygy's measure.
            wdl, dtz = (0, 0) if count < 0 else (2, count) if turn else (-2, -max(count, 1))
            wanted += [(wdl, dtz)] * 2
    assert judged(folder, *asked) == wanted
    assert {wdl for wdl, _ in wanted} == {-2, 0, 2}


def test_the_solution_has_the_known_lengths_and_legal_positions() -> None:
    solved = three_men.solved()
    # A rook mates in sixteen moves at most.
    assert (int(solved.white_plies.max()), int(solved.black_plies.max())) == (31, 32)
    drawn = random.Random(3)
    for turn, places in ((chess.WHITE, solved.white), (chess.BLACK, solved.black)):
        for place in drawn.choices(range(64**3), k=400):
            king, rook, other = place // 4096, place // 64 % 64, place % 64
            board = chess.Board(None)
            for square, symbol in zip((king, rook, other), SYMBOLS, strict=True):
                board.set_piece_at(square, chess.Piece.from_symbol(symbol))
            board.turn = turn
            legal = len(board.piece_map()) == 3 and board.is_valid()
            assert bool(places[king, rook, other]) is legal, board.fen()


@pytest.mark.parametrize(
    ("position", "answer"),
    [
        ("8/8/8/4k3/8/8/3B4/3K4 w - - 17 60", (0, 0)),
        ("8/8/8/4k3/8/8/3b4/3K4 b - - 0 1", (0, 0)),
        ("8/8/8/4k3/8/8/3Q4/3K4 w - - 0 1", (None, None)),  # no such table
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", (None, None)),  # castling is possible
        ("8/8/8/8/8/8/8/R2Kk3 w - - 0 1", (None, None)),  # the kings stand side by side
        ("8/8/8/8/8/8/8/R2K4 w - - 0 1", (None, None)),  # a king is missing
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1", (None, None)),
        # The rook takes the bishop and wins. The table of four men is missing, but a win needs no more.
        ("8/8/8/4k3/8/8/8/R2b2K1 w - - 0 1", (2, 1)),
    ],
)
def test_only_what_tables_have_is_judged(
    folder: Path, position: str, answer: tuple[int | None, int | None]
) -> None:
    assert judged(folder, position) == [answer]


def test_without_the_file_of_distances_the_result_is_known(tmp_path: Path) -> None:
    three_men.single(tmp_path, "KQvK", 2)
    assert judged(tmp_path, "8/8/8/4k3/8/8/3Q4/3K4 w - - 0 1") == [(2, None)]


@pytest.mark.parametrize("damage", [b"", b"\0" * 80, bytes.fromhex("71e8235d") + b"\x01" * 76])
def test_a_damaged_table_is_named(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / "KRvK.rtbw").write_bytes(damage)
    with pytest.raises(judgement.JudgeError, match="table for KRvK"):
        judged(tmp_path, "8/8/8/4k3/8/8/3R4/3K4 w - - 0 1")


def test_a_folder_without_tables_is_refused(tmp_path: Path) -> None:
    with pytest.raises(judgement.JudgeError, match=r"no Syzygy tables in .*KRvK\.rtbw"):
        tables.Tables([tmp_path])
    with pytest.raises(judgement.JudgeError, match="cannot be read: No such file"):
        tables.Tables([tmp_path / "none"])


def test_another_set_of_tables_has_another_name(tmp_path: Path) -> None:
    def name() -> str:
        with tables.Tables([tmp_path]) as opened:
            return opened.name

    three_men.single(tmp_path, "KBvK")
    first = name()
    assert name() == first
    three_men.single(tmp_path, "KNvK")
    assert name() != first

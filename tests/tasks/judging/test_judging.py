"""What was judged is kept, and rows of every format have the same judgements."""

from __future__ import annotations

import csv
import importlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import chess
import pytest

from cqlgui.base import data, errors
from cqlgui.base import progress as progress_module
from cqlgui.tasks.databases import importing
from cqlgui.tasks.export import exporting, hit_table
from cqlgui.tasks.judging import judgement, judging
from cqlgui.tasks.results import search_model
from cqlgui.tasks.search import searching
from tests.helpers import engines as programs
from tests.helpers import three_men

# The answer depends on the position: it is the length of its FEN in hundredths of a pawn.
ANSWER = 'say(f"info score cp {len(fen)}")'
DIES = 'if (here / "die").exists() and fen.startswith("rnbqkbnr/pppp1ppp"): sys.exit()'
GAME = '[White "A"]\n[Black "B"]\n[Result "*"]\n\n1. e4 e5 2. Nf3 Nc6 *\n\n'
ROOK = (
    '[White "C"]\n[Black "D"]\n[Result "*"]\n[SetUp "1"]\n[FEN "8/8/8/8/8/6k1/R7/6K1 b - - 9 70"]\n\n'
    "70... Kf3 71. Ra3+ Ke4 *\n\n"
)


@pytest.fixture
def engine(tmp_path: Path) -> Path:
    folder = tmp_path / "program"
    folder.mkdir()
    return programs.scripted(folder, DIES, ANSWER, 'say("bestmove 0000")')


def wanted(engine: Path, nodes: int = 5) -> judgement.Wanted:
    return judgement.Wanted(engine=engine, limit=judgement.Limit(judgement.Measure.NODES, nodes))


def boards(*moves: str) -> list[str]:
    """The positions after these moves from the start."""
    board = chess.Board()
    fens = [board.fen()]
    for move in moves:
        board.push_san(move)
        fens.append(board.fen())
    return fens[1:]


def test_a_position_is_judged_once_whatever_its_counters(engine: Path) -> None:
    fens = boards("e3", "Nf6", "Nf3", "Ng8", "Ng1")
    for _ in range(2):
        with judging.Judges(wanted(engine)) as judges:
            first, *_, last = judges.of(fens)
        assert first == last
        assert first.eval_cp is not None
    assert len(programs.told(engine, "go")) == 4
    with judging.Judges(wanted(engine, nodes=6)) as judges:
        judges.of(fens)
    assert len(programs.told(engine, "go")) == 8


def test_what_was_judged_before_the_engine_died_is_kept(engine: Path) -> None:
    fens = boards("d3", "e5", "Nf3", "d6")
    (engine.parent / "die").touch()
    with judging.Judges(wanted(engine)) as judges, pytest.raises(judgement.JudgeError, match="ended at"):
        judges.of(fens)
    assert len(programs.told(engine, "go")) == 2
    (engine.parent / "die").unlink()
    with judging.Judges(wanted(engine)) as judges:
        found = judges.of(fens)
    assert len(programs.told(engine, "go")) == 2 + 3
    assert [one.eval_cp for one in found] == [
        len(judgement.fen_of(judgement.position_of(fen))) for fen in fens
    ]


def test_what_was_judged_before_the_user_stopped_is_kept(engine: Path) -> None:
    fens = boards("d3", "e5", "Nf3", "d6")
    cancel = progress_module.CancelToken()

    def stop(report: progress_module.Progress) -> None:
        assert report.words == "Judging"
        if report.done == 2:
            cancel.cancel()

    with (
        judging.Judges(wanted(engine), cancel=cancel, progress=stop) as judges,
        pytest.raises(errors.Cancelled),
    ):
        judges.of(fens)
    with judging.Judges(wanted(engine)) as judges:
        judges.of(fens)
    assert len(set(programs.told(engine, "position"))) == len(fens)
    assert len(programs.told(engine, "go")) <= len(fens) + 1


@pytest.fixture
def found(tmp_path: Path) -> tuple[Any, search_model.SearchResult]:
    path = tmp_path / "games.pgn"
    path.write_text(GAME + ROOK)
    base = importing.open_base([path]).base
    return base, searching.search(base, "btm", search_model.SearchOptions())


FIELDS = (*judgement.TABLE_FIELDS, *judgement.ENGINE_FIELDS)


def exported(
    found: tuple[Any, search_model.SearchResult], engine: Path, folder: Path, *endings: str
) -> list[dict[str, Any]]:
    """Write the rows in these formats and as JSON lines, and read the latter."""
    base, result = found
    three_men.write(folder)
    with judging.Judges(data.replace(wanted(engine), syzygy=(folder,))) as judges:
        for ending in (".jsonl", *endings):
            exporting.export(base, result, folder / f"out{ending}", judges=judges)
    return [json.loads(line) for line in (folder / "out.jsonl").read_text().splitlines()]


def test_texts_have_the_same_judgements(
    found: tuple[Any, search_model.SearchResult], engine: Path, tmp_path: Path
) -> None:
    rows = exported(found, engine, tmp_path, ".csv", ".epd", ".html", ".tex", ".tsv")
    assert len(programs.told(engine, "go")) == len(set(programs.told(engine, "position"))) == 4
    assert tuple(rows[0]) == hit_table.FIELDS + FIELDS
    solved = three_men.solved()
    assert [(row["wdl"], row["dtz"]) for row in rows] == [
        *[(None, None)] * 2,
        (-2, -solved.black_plies[chess.G1, chess.A2, chess.G3]),
        (-2, -solved.black_plies[chess.G1, chess.A3, chess.F3]),
    ]
    said = [len(judgement.fen_of(judgement.position_of(row["fen"]))) for row in rows]
    assert [[row[name] for name in judgement.ENGINE_FIELDS] for row in rows] == [
        [length, None, None, None] for length in said
    ]
    with (tmp_path / "out.csv").open(newline="") as file:
        texts = list(csv.DictReader(file))
    assert [[row[name] for name in FIELDS] for row in texts] == [
        ["" if row[name] is None else str(row[name]) for name in FIELDS] for row in rows
    ]
    for line, row in zip((tmp_path / "out.epd").read_text().splitlines(), rows, strict=True):
        board = chess.Board()
        told = board.set_epd(line)
        assert (board.fen(en_passant="fen"), told["ce"]) == (row["fen"], row["eval_cp"])
        wdl = row["wdl"]
        assert told.get("c6") == (None if wdl is None else f"wdl {wdl}, dtz {row['dtz']}")
    for name, break_ in (("out.html", "<figure>"), ("out.tex", "\\solution{"), ("out.tsv", "<svg ")):
        _, *parts = (tmp_path / name).read_text("utf-8").replace("-{}", "-").split(break_)[-len(rows) - 1 :]
        for part, row in zip(parts, rows, strict=True):
            assert f"engine: +{row['eval_cp'] / 100:.2f} for the side to move" in part
            said = f"tables: the side to move loses, DTZ {row['dtz']}"
            assert (said in part) == (row["wdl"] == -2)


def test_arrow_and_parquet_have_the_same_judgements(
    found: tuple[Any, search_model.SearchResult], engine: Path, tmp_path: Path
) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed (cqlgui[arrow])")
    importlib.import_module("pyarrow.ipc")
    importlib.import_module("pyarrow.parquet")
    rows = exported(found, engine, tmp_path, ".arrow", ".parquet")
    read = pyarrow.parquet.read_table(tmp_path / "out.parquet").to_pylist()
    assert [{name: row[name] for name in FIELDS} for row in read] == [
        {name: row[name] for name in FIELDS} for row in rows
    ]
    with pyarrow.ipc.open_file(tmp_path / "out.arrow") as reader:
        assert reader.read_all().to_pylist() == read


def test_epd_names_the_best_move_and_a_mate(tmp_path: Path) -> None:
    path = tmp_path / "a.pgn"
    path.write_text('[SetUp "1"]\n[FEN "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"]\n[Result "*"]\n\n1. Ra8# *\n')
    program = programs.scripted(tmp_path, 'say("info score mate 1")', 'say("bestmove a1a8")')
    base = importing.open_base([path]).base
    result = searching.search(base, "true", search_model.SearchOptions())
    with judging.Judges(wanted(program)) as judges:
        exporting.export(base, result, tmp_path / "out.epd", judges=judges)
    first, last = (tmp_path / "out.epd").read_text().splitlines()
    told = chess.Board().set_epd(first)
    assert (told["bm"], told["dm"]) == ([chess.Move.from_uci("a1a8")], 1)
    assert 'c6 "mate 0"' in last
    assert "bm" not in last.split()


def test_a_file_is_not_replaced_when_the_engine_fails(
    found: tuple[Any, search_model.SearchResult], engine: Path, tmp_path: Path
) -> None:
    base, result = found
    out = tmp_path / "out.csv"
    out.write_text("mine")
    (engine.parent / "die").touch()
    again = searching.search(base, "true", result.options)
    with judging.Judges(wanted(engine)) as judges, pytest.raises(judgement.JudgeError):
        exporting.export(base, again, out, judges=judges, overwrite=True)
    assert out.read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith(".")) == []


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        # Colours swapped: the position is worth the same.
        ("flipcolor {ra7 wtm}", lambda board: board.mirror()),
        # A quarter turn: pawns stand where they cannot stand, so nothing is known of the position.
        ("rotate90 {k[a4,a5,h4,h5] btm}", None),
    ],
)
def test_with_the_frame_of_the_query_the_position_that_the_row_shows_is_judged(
    found: tuple[Any, search_model.SearchResult],
    engine: Path,
    tmp_path: Path,
    query: str,
    shown: Callable[[chess.Board], chess.Board] | None,
) -> None:
    base, _ = found
    result = searching.search(base, query, search_model.SearchOptions())
    three_men.write(tmp_path)
    out, played = tmp_path / "out.jsonl", tmp_path / "played.jsonl"
    with judging.Judges(data.replace(wanted(engine), syzygy=(tmp_path,))) as judges:
        exporting.export(base, result, out, judges=judges, normalise=True)
        exporting.export(base, result, played, judges=judges)
    own, before = ([json.loads(line) for line in path.read_text().splitlines()] for path in (out, played))
    assert own
    for row, other in zip(own, before, strict=True):
        assert row["fen"] != other["fen"]
        if shown is None:
            assert not chess.Board(row["fen"]).is_valid()
            assert [row[name] for name in FIELDS] == [None] * len(FIELDS)
        else:
            assert judgement.position_of(row["fen"]) == shown(chess.Board(other["fen"])).epd()
            assert (row["wdl"], row["dtz"]) == (other["wdl"], other["dtz"])
            assert row["wdl"] == -2
            assert row["eval_cp"] == len(judgement.fen_of(judgement.position_of(row["fen"])))

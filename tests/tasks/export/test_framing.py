"""Hits written in the query's own frame: tables, and games where their image is legal."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import chess
import chess.pgn
import pytest

from cqlgui.cql.interpreting.runtime import settings
from cqlgui.tasks.databases import importing
from cqlgui.tasks.export import exporting
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import searching
from tests import helpers

# Black wins the exchange of pawns that the query is written for from White's side.
BLACK = (
    '[Event "Club"]\n[White "A \\"x\\""]\n[Black "B"]\n[WhiteElo "2000"]\n[Result "0-1"]\n\n'
    "1. a3 e5 2. a4 d5 3. Nc3 Nf6 4. e4 Be7 5. Nf3 O-O 0-1\n\n"
)
WHITE = '[White "C"]\n[Black "D"]\n[Result "1-0"]\n\n1. e4 e5 2. d4 d5 3. Nf3 Nc6 1-0\n\n'
TEXT = BLACK + WHITE


@pytest.fixture
def base(tmp_path: Path) -> base_model.Base:
    source = tmp_path / "a.pgn"
    source.write_text(TEXT)
    return importing.open_base([source]).base


def written(base: base_model.Base, query: str, path: Path) -> search_model.ExportReport:
    return exporting.export(base, searching.search(base, query), path, normalise=True, overwrite=True)


def test_tables_have_position_squares_and_moves_of_the_frame(tmp_path: Path, base: base_model.Base) -> None:
    path = tmp_path / "out.jsonl"
    written(base, "flipcolor {Pe4 Pd4 pa5 wtm}", path)
    records = [json.loads(line) for line in path.read_text().splitlines()]
    record = next(one for one in records if one["normalised"])
    assert record["normalised"] == "colours swapped back"
    assert record["squares"] == ["d4", "e4", "a5"]
    board = chess.Board(record["fen"])
    assert board.is_valid()
    for move in record["moves"].split():
        board.push_san(move.rpartition(".")[2])


def test_castling_on_the_other_wing_has_no_move_in_uci_notation(
    tmp_path: Path, base: base_model.Base
) -> None:
    path = tmp_path / "out.jsonl"
    found = {}
    for query in ("flip {Kd1 nc6 btm}", "flipcolor {Nf6 nc3 ke8 Pe5 wtm}"):
        written(base, query, path)
        for record in map(json.loads, path.read_text().splitlines()):
            found[query] = found.get(query, False) or record["san"] == "O-O"
            if record["uci"]:
                assert chess.Board(record["fen"]).is_legal(chess.Move.from_uci(record["uci"]))
            else:
                assert record["san"] in ("", "O-O")
    assert all(found.values())


def test_every_format_says_what_was_taken_back(tmp_path: Path, base: base_model.Base) -> None:
    query = "flipcolor {Pe4 Pd4 pa5}"
    for ending in ("csv", "html", "epd"):
        path = tmp_path / f"out.{ending}"
        written(base, query, path)
        text = path.read_text()
        assert "colours swapped back" in text
        plain = tmp_path / f"plain.{ending}"
        exporting.export(base, searching.search(base, query), plain)
        assert "swapped back" not in plain.read_text()
    rows = list(csv.DictReader((tmp_path / "out.csv").read_text().splitlines()))
    fens = [line.split(" id ")[0] for line in (tmp_path / "out.epd").read_text().splitlines()]
    assert fens == [" ".join(row["fen"].split()[:4]) for row in rows]


def test_a_game_with_colours_swapped_is_written_from_its_first_hit_on(
    tmp_path: Path, base: base_model.Base
) -> None:
    path = tmp_path / "out.pgn"
    report = written(base, "flipcolor {Pe4 Pd4 pa5}", path)
    assert (report.games, report.as_played) == (1, 0)
    game = chess.pgn.read_game(io.StringIO(path.read_text()))
    assert game is not None
    assert game.errors == []
    assert game.headers["White"] == "B"
    assert '[Black "A \\"x\\""]' in path.read_text()
    assert (game.headers["BlackElo"], game.headers["Result"]) == ("2000", "1-0")
    assert game.board().piece_at(chess.E4) == chess.Piece.from_symbol("P")
    assert [node.san() for node in game.mainline()][-1] == "O-O"
    assert "As the query is written: colours swapped back. Game 1, position" in game.comment
    again = importing.open_base([path]).base
    assert len(searching.search(again, "{Pe4 Pd4 pa5}").games) == 1


def test_a_game_whose_image_is_not_legal_stays_as_it_was_played(
    tmp_path: Path, base: base_model.Base
) -> None:
    path = tmp_path / "out.pgn"
    report = written(base, "flipvertical {pe5 pd5 Ph4}", path)
    assert (report.games, report.as_played) == (1, 1), "somebody castles after it"
    text = path.read_text()
    assert "1. a3 e5 2. a4" in text
    assert "CQL: left and right mirrored <reflect_v>" in text


def test_a_mirrored_game_is_written_where_nobody_castles(tmp_path: Path, base: base_model.Base) -> None:
    path = tmp_path / "out.pgn"
    assert written(base, "gamenumber == 2 flipvertical {Pd5 pe5 Pe4 .}", path).games == 0
    assert written(base, "gamenumber == 2 flipvertical {pd5 pe5 Pe4 Nc3}", path).as_played == 0
    game = chess.pgn.read_game(io.StringIO(path.read_text()))
    assert game is not None
    assert game.errors == []
    assert [node.san() for node in game.mainline()] == ["Nf6"]


def test_the_command_line_writes_so_and_says_where_it_cannot(tmp_path: Path, base: base_model.Base) -> None:
    source, out = base.sources[0].path, tmp_path / "out.pgn"
    run = helpers.cli("search", source, "-e", "flipvertical {pe5 pd5 Ph4}", "-o", out, "--normalise")
    assert run.code == 0
    assert "1 of them as they were played" in run.err
    # Without transforms, the query's frame is that of the game, and there is nothing to say.
    plain, framed = (tmp_path / f"{name}.pgn" for name in ("plain", "framed"))
    run = helpers.cli("search", source, "-e", "Pe4", "-o", framed, "--normalise")
    assert (run.code, "as they were played" in run.err) == (0, False)
    assert helpers.cli("search", source, "-e", "Pe4", "-o", plain, "--annotate").code == 0
    assert framed.read_bytes() == plain.read_bytes() != b""
    run = helpers.cli("search", source, "-e", "wtm", "--count", "--normalise")
    assert "--normalise changes nothing" in run.err


def framed_game(tmp_path: Path, text: str, query: str, **header: bool) -> chess.pgn.Game:
    source, path = tmp_path / "one.pgn", tmp_path / "framed.pgn"
    source.write_text(text)
    opened = importing.open_base([source]).base
    said = settings.Settings(**header)
    result = searching.search(opened, query, search_model.SearchOptions(settings=said))
    exporting.export(opened, result, path, normalise=True, overwrite=True)
    assert importing.open_base([path]).base.games == 1
    game = chess.pgn.read_game(io.StringIO(path.read_text()))
    assert game is not None
    assert game.errors == []
    return game


MATE = "1. f3 e5 2. g4 Qh4# 0-1\n"


@pytest.mark.parametrize(
    ("tags", "result"),
    [
        ("", "1-0"),
        ('[Result "0-1"]\n', "1-0"),
        ('[Result "White won"]\n', "1-0"),
        ('[Result "* [Event \\"forged\\"] 1. d4 d5"]\n', "1-0"),
        ('[Result "1/2-1/2"]\n[Result "0-1"]\n[White "E"]\n', "1/2-1/2"),
        ('[Result "1-0"]\n', "0-1"),
        ('[Result "1/2"]\n', "1/2-1/2"),
        ('[RESULT "1-0 "]\n', "0-1"),
    ],
)
def test_the_result_is_that_of_the_game_whatever_a_tag_says(tmp_path: Path, tags: str, result: str) -> None:
    text = f'[White "C"]\n[Black "D"]\n{tags}\n{MATE}'
    game = framed_game(tmp_path, text, "flipcolor {Q attacks k check}")
    assert (game.headers["White"], game.headers["Black"]) == ("D", "C")
    assert game.headers["Result"] == result
    assert (tmp_path / "framed.pgn").read_text().rstrip().endswith(" 1-0"), "as the text says, turned"


def test_off_the_main_line_nobody_has_won(tmp_path: Path) -> None:
    text = '[White "C"]\n[Black "D"]\n[Result "0-1"]\n\n1. f3 e5 2. g4 (2. h3 Qh4+ 3. g3) 2... Qh4# 0-1\n'
    game = framed_game(tmp_path, text, "flipcolor {Pe4 ph6}", variations=True)
    assert game.headers["Result"] == "*"


def test_tags_in_any_case_are_those_of_the_fragment(tmp_path: Path) -> None:
    text = (
        '[WHITE "C"]\n[black "D"]\n[whiteElo "2000"]\n[Setup "1"]\n[Fen "4k3/8/8/8/8/8/P7/4K2R w K - 0 1"]\n'
        "\n1. a4 Kd7 2. a5 Kc7 3. a6 Kb8 4. a7+ Ka8 5. Rh8+ Kxa7 1-0\n"
    )
    game = framed_game(tmp_path, text, "flipcolor {pa3 btm}")
    assert (game.headers["White"], game.headers["Black"], game.headers["BlackElo"]) == ("D", "C", "2000")
    assert game.board().fen().startswith("4k2r/")
    assert len(list(game.mainline())) > 0
    written = (tmp_path / "framed.pgn").read_text().lower()
    assert written.count("[fen ") == written.count("[setup ") == 1

"""What a row is, which games are searched, and the tree of moves, on the command line."""

from __future__ import annotations

import contextlib
import csv
import io
import itertools
import json
import re
import signal
from pathlib import Path
from typing import Any

import pytest

from cqlgui.cli import arguments, run
from cqlgui.jit import native
from cqlgui.tasks.analysis import sorted_rows
from cqlgui.tasks.export import exporting
from tests import helpers

GAMES = (
    '[White "Adams, Michael"]\n[Black "Lobron E"]\n[WhiteElo "2610"]\n[Date "1992.??.??"]\n[ECO "B90"]\n'
    '[Event "Brussels"]\n[Result "1-0"]\n\n1. e4 c5 2. Nf3 d6 3. d4 1-0\n\n'
    '[White "Lobron E"]\n[Black "Müller, Karl"]\n[WhiteElo "2500"]\n[BlackElo "2400"]\n[Date "2001.05.06"]\n'
    '[ECO "C65"]\n[Result "1/2-1/2"]\n\n1. e4 e5 2. Nf3 Nc6 1/2-1/2\n\n'
    '[White "Nobody"]\n[Black "Else"]\n[Opening "Own name"]\n[ECO "B01"]\n[Result "0-1"]\n\n1. e4 d5 0-1\n\n'
)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "a.pgn"
    path.write_text(GAMES, "utf-8")
    return path


def lines(*arguments_: str | Path) -> list[dict[str, Any]]:
    run = helpers.cli("search", *arguments_, "--jsonl")
    assert run.code == 0, run.err
    return [json.loads(line) for line in run.out.splitlines()]


@pytest.mark.parametrize(
    ("terms", "games"),
    [
        ("lobron", [1, 2]),
        ("white:lobron", [2]),
        ("player:lobron -white:lobron", [1]),
        ("-elo>2450", [3]),
        ("elo>=2400 year:2000-", [2]),
        ("eco:B00-B99", [1, 3]),
        ("opening:najdorf", [1]),
        ('opening:"ruy lopez"', [2]),
        ("opening:own", [3]),
        ("-result:1-0", [2, 3]),
        ("müller", [2]),
        ("elo>3000", []),
    ],
)
def test_games_are_chosen_by_their_headers(source: Path, terms: str, games: list[int]) -> None:
    run = helpers.cli("search", source, "-e", "initial", "--json", "--games", terms)
    assert run.code == 0, run.err
    assert json.loads(run.out)["games"] == games
    assert ("no game of 3 fits" in run.err) is (not games)
    batch = source.parent / "batch.jsonl"
    batch.write_text('{"id": 1, "query": "initial"}\n')
    run = helpers.cli("search", source, "--batch", batch, "--games", terms)
    assert json.loads(run.out)["games"] == games


@pytest.mark.parametrize(
    ("terms", "said"),
    [
        (
            "lobrom",
            "No game has “lobrom” in players, event, site, date, ECO code or result. Did you mean Lobron?",
        ),
        ("-white:adms", "No game has “adms” as White. Did you mean Adams?"),
        ("rating>3", "There is no field rating: known are white, black,"),
        ("elo>strong", "elo takes a number or a range"),
    ],
)
def test_what_no_game_has_is_said(source: Path, terms: str, said: str) -> None:
    run = helpers.cli("search", source, "-e", "initial", "--count", "--games", terms)
    assert run.code != 0
    assert said in run.err
    assert not run.out


def test_an_option_is_not_taken_for_terms() -> None:
    words = arguments.joined(["search", "a.pgn", "--games", "-eco:B90", "-e", "mate"])
    assert words == ["search", "a.pgn", "--games=-eco:B90", "-e", "mate"]
    words = ["search", "a.pgn", "--games", "--count"]
    assert arguments.joined(words) == words


def test_a_row_has_headers_and_moves(source: Path) -> None:
    found = lines(source, "-e", "ply == 2")
    assert [one["file"] for one in found] == [str(source)] * 3
    assert [one["opening"] for one in found] == [
        "Sicilian defence: Najdorf", "Ruy Lopez: Berlin defence", "Own name",
    ]  # fmt: skip
    first = found[0]
    assert (first["white_elo"], first["black_elo"]) == (2610, None)
    assert (first["last"], first["last_uci"], first["san"], first["uci"]) == ("c5", "c7c5", "Nf3", "g1f3")
    assert first["next"] == "Nf3 d6 d4"
    assert (found[2]["san"], found[2]["uci"], found[2]["next"]) == ("", "", "")


def test_rows_are_runs_or_games(source: Path) -> None:
    query = "flipcolor {wtm or ply >= 3}"
    whole = lines(source, "-e", query)
    spans = lines(source, "-e", query, "--spans")
    assert sum(one["plies"] for one in spans) == len(whole) > len(spans)
    for one in spans:
        assert one["until"] == one["ply"] + one["plies"] - 1
    games = lines(source, "-e", query, "--group", "game")
    assert [one["game"] for one in games] == [1, 2, 3]
    assert [one["hits"] for one in games] == [
        sum(other["game"] == game for other in whole) for game in (1, 2, 3)
    ]
    run = helpers.cli("search", source, "-e", query, "--csv", "--group", "game")
    rows = list(csv.DictReader(io.StringIO(run.out)))
    assert [(row["game"], row["hits"]) for row in rows] == [
        (str(one["game"]), str(one["hits"])) for one in games
    ]
    output = source.parent / "out.csv"
    assert helpers.cli("search", source, "-e", query, "-o", output, "--spans").code == 0
    written = list(csv.DictReader(io.StringIO(output.read_text("utf-8"))))
    assert [(int(row["game"]), int(row["ply"]), int(row["until"])) for row in written] == [
        (one["game"], one["ply"], one["until"]) for one in spans
    ]


@pytest.mark.parametrize("option", [["--spans"], ["--group", "game"]])
@pytest.mark.parametrize(
    ("form", "said"),
    [
        (["--tree", "2"], "does not go with --tree. It says what a row of a table is"),
        (["--json"], "does not go with --json."),
        (["--count"], "does not go with --count."),
        (["-o", "{}/out.pgn"], "needs a table."),
        (["--json", "-o", "{}/out.pgn"], "does not go with --json."),
        ([], "needs a table."),
    ],
)
def test_rows_are_refused_where_nothing_has_rows(
    source: Path, tmp_path: Path, option: list[str], form: list[str], said: str
) -> None:
    form = [word.format(tmp_path) for word in form]
    run = helpers.cli("search", source, "-e", "check", *form, *option)
    assert (run.code, run.out) == (2, "")
    assert f"cqlgui search: {option[0]} {said}" in run.err
    assert len(run.err.splitlines()) == 1
    assert not (tmp_path / "out.pgn").exists()


def test_rows_are_refused_for_many_queries(source: Path, tmp_path: Path) -> None:
    batch = tmp_path / "b.jsonl"
    batch.write_text('{"query": "mate"}')
    run = helpers.cli("search", source, "--batch", batch, "--spans")
    assert (run.code, run.out) == (2, "")
    assert "--spans does not go with --batch." in run.err


def test_rows_are_sorted(source: Path) -> None:
    query = "ply >= 2"
    found = lines(source, "-e", query, "--sort", "-white_elo,-ply")
    assert [(one["game"], one["ply"]) for one in found] == [
        (1, 5), (1, 4), (1, 3), (1, 2), (2, 4), (2, 3), (2, 2), (3, 2),
    ]  # fmt: skip
    # The same rows come from the interpreter, and without duplicates.
    assert found == lines(
        source, "-e", query, "--sort=-white_elo,-ply", "--engine", "interpreter", "--no-duplicates"
    )
    games = lines(source, "-e", query, "--sort=black", "--group", "game")
    assert [(one["black"], one["hits"]) for one in games] == [
        ("Else", 1), ("Lobron E", 4), ("Müller, Karl", 3),
    ]  # fmt: skip
    run = helpers.cli("search", source, "-e", query, "--csv", "--spans", "--sort", "date")
    rows = list(csv.DictReader(io.StringIO(run.out)))
    assert [(row["game"], row["ply"], row["until"]) for row in rows] == [
        ("1", "2", "5"), ("2", "2", "4"), ("3", "2", "2"),
    ]  # fmt: skip
    output = source.parent / "sorted.csv"
    run = helpers.cli("search", source, "-e", query, "--spans", "--sort", "date", "-o", output)
    assert run.code == 0, run.err
    assert list(csv.DictReader(io.StringIO(output.read_text("utf-8")))) == rows
    pgn = source.parent / "sorted.pgn"
    for words in (
        ["--sort", "ply"],
        ["--sort", "ply", "--count"],
        ["--sort", "ply", "-o", str(pgn)],
        ["--jsonl", "--sort", "rating"],
    ):
        run = helpers.cli("search", source, "-e", query, *words)
        assert run.code == 2
        assert "--sort" in run.err
        assert not run.out
        assert not pgn.exists()
    batch = source.parent / "batch.jsonl"
    batch.write_text('{"id": 1, "query": "initial"}\n')
    run = helpers.cli("search", source, "--batch", batch, "--sort", "ply")
    assert "--sort does not go with --batch" in run.err
    # The help names the columns.
    words = re.sub(r"\s+", " ", helpers.cli("search", "--help").out)
    assert f"(columns: {', '.join(sorted_rows.NAMES)})" in words


@pytest.mark.skipif(not native.available(), reason="kernels are slow without machine code")
def test_the_tree_of_moves_is_one_object(source: Path) -> None:
    run = helpers.cli("search", source, "-e", "ply == 1", "--tree", "2")
    made = json.loads(run.out)
    assert (made["count"], made["ended"]) == (3, 0)
    assert {one["move"]: one["count"] for one in made["children"]} == {"...c5": 1, "...e5": 1, "...d5": 1}
    sicilian = next(one for one in made["children"] if one["move"] == "...c5")
    assert (sicilian["score"], sicilian["elo"], sicilian["last_year"]) == (1.0, 2610, 1992)
    assert [one["move"] for one in sicilian["children"]] == ["Nf3"]
    run = helpers.cli("search", source, "-e", "ply == 1", "--tree", "99")
    assert run.code == 2
    assert "at most 20 plies" in run.err


@pytest.mark.parametrize("more", [("--annotate",), ("--study",), ()])
def test_an_interrupt_while_a_file_is_written_tells_that_nothing_was_written(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: tuple[str, ...]
) -> None:
    real = exporting.export

    def export(*arguments_: Any, **options: Any) -> Any:
        signal.raise_signal(signal.SIGINT)
        return real(*arguments_, **options)

    monkeypatch.setattr(exporting, "export", export)
    output, said = tmp_path / "out.pgn", io.StringIO()
    output.write_text("old")
    asked = ["search", str(source), "-e", "true", "-o", str(output), "--overwrite", *more]
    with contextlib.redirect_stderr(said):
        code = run.main(asked)
    assert code == 130
    assert said.getvalue().endswith(f"Stopped. Nothing was written to {output}.\n")
    assert output.read_text() == "old"


class Interrupting(io.StringIO):
    """A stdout whose reader presses Ctrl+C as soon as it sees a game."""

    def write(self, text: str) -> int:
        if "Adams" in text and not self.getvalue().count("Adams"):
            signal.raise_signal(signal.SIGINT)
        return super().write(text)


@pytest.mark.parametrize("form", ["--csv", "--jsonl", "--threads=1"])
def test_an_interrupt_stops_what_is_printed(tmp_path: Path, form: str) -> None:
    path = tmp_path / "many.pgn"
    moves = itertools.product("abcdefgh", "34", "abcdefgh", "65")
    games = [f'[White "Adams"]\n[Result "*"]\n\n1. {a}{b} {c}{d} *\n\n' for a, b, c, d in moves]
    path.write_text("".join(games))
    printed, said = Interrupting(), io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(said):
        code = run.main(["search", str(path), "-e", "true", "--no-duplicates", form])
    assert code == 130
    assert "Stopped" in said.getvalue()
    lines_of_games = printed.getvalue().count("Adams")
    assert 0 < lines_of_games < (256 if form == "--threads=1" else 700)


@pytest.mark.parametrize(
    "query", ['sort "k" power a ply > 2', "cql(sort matchcount 1 9) ply > 1", "sort ply ply == 2"]
)
@pytest.mark.parametrize("options", [[], ["--spans"], ["--group", "game"], ["--no-duplicates"]])
def test_rows_have_the_order_of_a_query_that_sorts(
    source: Path, tmp_path: Path, query: str, options: list[str]
) -> None:
    order = json.loads(helpers.cli("search", source, "-e", query, "--json", "--values").out)["order"]
    assert len(order) > 1
    rows = lines(source, "-e", query, *options)
    assert list(dict.fromkeys(row["game"] for row in rows)) == order
    table = helpers.cli("search", source, "-e", query, "--csv", *options)
    games = [int(row["game"]) for row in csv.DictReader(io.StringIO(table.out))]
    assert games == [row["game"] for row in rows]
    written = tmp_path / "rows.jsonl"
    assert helpers.cli("search", source, "-e", query, "-o", written, *options).code == 0
    assert [json.loads(line) for line in written.read_text("utf-8").splitlines()] == rows


@pytest.mark.parametrize(
    "query",
    [
        # What is said at a hit may be said by another hit.
        'flipcolor {wtm ply > 0 find comment("later")}',
        "N--(flip Nb1)",
        'find 2 {ply > 1 comment("x")}',
        'ply > 1 comment("ply " ply)',
    ],
)
def test_sorted_rows_are_the_rows_of_the_search(source: Path, tmp_path: Path, query: str) -> None:
    place = tmp_path / "pub"
    assert helpers.cli("publish", source, "-o", place).code == 0
    for options in ([], ["--group", "game"]):
        # In the order of plies, a row of a game shows its first hit, as it does without an order.
        by_ply = lines(source, "-e", query, *options, "--sort=-white,ply")
        rows = lines(source, "-e", query, *options)
        assert len(rows) == len(by_ply) > 0
        assert sorted(map(json.dumps, by_ply)) == sorted(map(json.dumps, rows))
        assert [row["white"] for row in by_ply] == sorted((row["white"] for row in rows), reverse=True)
        # A file has the same rows in the same order, also in the frame of the query.
        for more in ([], ["--normalise"]):
            out = tmp_path / "out.jsonl"
            words = ("--sort=-white,ply", "--overwrite", "-o", out)
            run = helpers.cli("search", source, "-e", query, *options, *more, *words)
            assert run.code == 0, run.err
            written = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
            if more:
                names = ("game", "positionid", "white", "comment")
                assert [[row[name] for name in names] for row in written] == [
                    [row[name] for name in names] for row in by_ply
                ]
            else:
                assert written == by_ply
        far = lines(place, "-e", query, *options, "--sort=-white,ply")
        assert [row["white"] for row in far] == [row["white"] for row in by_ply]

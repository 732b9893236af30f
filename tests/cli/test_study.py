"""`cqlgui study` as a user meets it: tables, files, exit codes, messages."""

from __future__ import annotations

import csv
import errno
import html.parser
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import chess
import chess.pgn
import pytest

from cqlgui.jit import native
from cqlgui.tasks.databases import importing
from cqlgui.tasks.studies import study, study_table, study_text
from tests import helpers
from tests.helpers import faults

SAMPLE = helpers.ROOT / "resources" / "sample" / "sample.pgn"
MATE = '[White "A"]\n[Black "B"]\n[Result "0-1"]\n[Date "1900.01.02"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n'
QUIET = '[White "C"]\n[Result "1-0"]\n\n1. e4 e5 2. Nf3 1-0\n\n'
STUDY = """title = "Ends <of> games"
bases = ["a.pgn"]
samples = 1

[[query]]
name = "=Mate & more"
text = "mate"

[[query]]
name = "Second"
text = "ply == 2"
"""
HEAD = ",".join(study_table.FIELDS)
ROWS = [
    "'=Mate & more,a.pgn,,,2,1,0.5,1,1.0,4.0,0.0",
    "Second,a.pgn,,,2,2,1.0,2,1.0,2.0,0.5",
]


@pytest.fixture
def asked(tmp_path: Path) -> Path:
    (tmp_path / "a.pgn").write_text(QUIET + MATE)
    path = tmp_path / "s.toml"
    path.write_text(STUDY)
    return path


def test_a_study_prints_its_table(asked: Path) -> None:
    run = helpers.cli("study", asked)
    assert (run.code, helpers.TRACEBACK in run.err) == (0, False)
    head, first, second = run.out.splitlines()
    assert re.split(r"\s{2,}", head)[:3] == ["query", "searched", "games"]
    assert re.split(r"\s{2,}", first) == ["=Mate & more", "2", "1", "50.00", "1", "1.0", "4.0", "0.0"]
    assert re.split(r"\s{2,}", second) == ["Second", "2", "2", "100.00", "2", "1.0", "2.0", "50.0"]
    assert "2 of 2 searches done" in run.err


def test_csv_has_the_table_and_formulas_are_defused(asked: Path, tmp_path: Path) -> None:
    out = tmp_path / "t.csv"
    run = helpers.cli("study", asked, "-o", out)
    assert (run.code, run.out) == (0, "")
    assert out.read_text().splitlines() == [HEAD, *ROWS]
    assert f"2 rows written to {out}" in run.err


def test_json_has_rows_and_examples(asked: Path, tmp_path: Path) -> None:
    out = tmp_path / "t.json"
    run = helpers.cli("study", asked, "--json", "-o", out)
    found = json.loads(run.out)
    assert found == json.loads(out.read_text())
    assert (found["title"], found["faults"]) == ("Ends <of> games", [])
    assert found["bases"] == [{"base": "a.pgn", "games": 2, "files": [str(tmp_path / "a.pgn")]}]
    assert found["rows"][0] == dict(
        zip(study_table.FIELDS, ["=Mate & more", "a.pgn", "", "", 2, 1, 0.5, 1, 1.0, 4.0, 0.0], strict=True)
    )
    first = found["samples"][0]
    assert first.pop("fen").startswith("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq")
    assert first == {
        "query": "=Mate & more", "base": "a.pgn", "file": str(tmp_path / "a.pgn"), "game": 2, "gamenumber": 2,
        "white": "A", "black": "B", "result": "0-1", "year": 1900, "ply": 4, "positionid": 4,
    }  # fmt: skip


class _Page(html.parser.HTMLParser):
    """The texts of a page, its cells, and its links within the page."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""
        self.links: set[str] = set()
        self.places: set[str] = set()
        self.opened: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = dict(attributes)
        if tag == "a":
            self.links.add((found["href"] or "")[1:])
        if "id" in found:
            self.places.add(found["id"] or "")
        if tag not in ("meta", "br"):
            self.opened.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.opened.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_html_shows_the_table_and_a_diagram_of_each_example(asked: Path, tmp_path: Path) -> None:
    out = tmp_path / "t.html"
    assert helpers.cli("study", asked, "-o", out).code == 0
    text = out.read_text()
    page = _Page()
    page.feed(text)
    assert page.opened == []
    assert page.links == page.places == {"q1", "q2"}
    assert "Ends <of> games" in page.text
    assert "=Mate & more" in page.text
    assert "♜ ♞ ♝ · ♚ ♝ ♞ ♜\n♟ ♟ ♟ ♟ · ♟ ♟ ♟\n· · · · · · · ·\n· · · · ♟ · · ·\n· · · · · · ♙ ♛" in page.text
    assert "A - B, 1900, 0-1" in page.text
    assert "http" not in text


def test_parquet_has_the_table(asked: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    out = tmp_path / "t.parquet"
    run = helpers.cli("study", asked, "-o", out)
    assert run.code == 0, run.err
    table = parquet.read_table(out)
    assert table.column_names == list(study_table.FIELDS)
    assert table.column("query").to_pylist() == ["=Mate & more", "Second"]
    assert table.column("share").to_pylist() == [0.5, 1.0]


def test_without_its_package_parquet_is_refused_before_the_search(
    asked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # An entry None means a module that cannot be imported.
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(study_table.errors.CqlguiError, match="pyarrow, which is not installed"):
        study_table.checked_ending(tmp_path / "t.parquet")


def test_files_named_take_the_place_of_the_bases(asked: Path, tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    other, same = tmp_path / "d" / "o.pgn", tmp_path / "d" / "a.pgn"
    other.write_text(MATE)
    same.write_text(MATE + MATE)
    listed = tmp_path / "all.cqlbase"
    listed.write_text(json.dumps(["a.pgn", "d/o.pgn"]))
    run = helpers.cli("study", asked, tmp_path / "a.pgn", other, same, listed, "--json")
    found = [(row["base"], row["searched"], row["games"]) for row in json.loads(run.out)["rows"][:4]]
    assert found == [
        (str(tmp_path / "a.pgn"), 2, 1),
        ("o.pgn", 1, 1),
        (str(same), 2, 2),
        ("all.cqlbase", 3, 2),
    ]


def test_numbers_equal_those_of_search(tmp_path: Path) -> None:
    if not native.available():
        pytest.skip("twenty themes are slow without machine code")
    small = tmp_path / "small.pgn"
    small.write_text(SAMPLE.read_text()[:40_000].rpartition("[Event")[0])
    run = helpers.cli("study", "themes", SAMPLE, small, "--json")
    assert run.code == 0, run.err
    rows = json.loads(run.out)["rows"]
    assert len(rows) == 40
    assert sum(row["games"] > 0 for row in rows) > 15
    batch = tmp_path / "b.jsonl"
    themes = study_text.read(study_text.shipped()["themes"]).questions
    batch.write_text("".join(json.dumps({"id": one.name, "query": one.text}) + "\n" for one in themes))
    for path in (SAMPLE, small):
        answers = map(json.loads, helpers.cli("search", path, "--batch", batch).out.splitlines())
        expected = {one["id"]: (one["count"], sum(len(at) - 1 for at in one["positions"])) for one in answers}
        found = {row["query"]: (row["games"], row["positions"]) for row in rows if row["base"] == path.name}
        assert found == expected


def test_the_endings_of_a_book_are_counted_by_one_command(tmp_path: Path) -> None:
    if not native.available():
        pytest.skip("the endings are slow without machine code")
    out = tmp_path / "endings.csv"
    assert helpers.cli("study", "endings", "-o", out).code == 0
    with out.open(newline="") as file:
        rows = {row["query"]: row for row in csv.DictReader(file)}
    count = helpers.cli(
        "search",
        SAMPLE,
        "--count",
        "-e",
        "R == 1 r == 1 [QBNqbn] == 0 {parent:{R == 1 r == 1 [QBNqbn] == 0} or "
        "child:{R == 1 r == 1 [QBNqbn] == 0}}",
    )
    row = rows["Rook endings"]
    assert f"{row['games']} games, {row['positions']} positions\n" == count.out
    assert int(row["games"]) > 50
    parts = [int(row["games"]) for name, row in rows.items() if name.startswith("Rook endings, ")]
    assert max(parts) < int(row["games"]) < sum(parts)


def test_rook_endings_are_counted_by_their_pawns_as_plain_code_counts_them(tmp_path: Path) -> None:
    if not native.available():
        pytest.skip("the endings are slow without machine code")
    some, out = tmp_path / "some.pgn", tmp_path / "table.csv"
    some.write_text("\n\n[Event ".join(SAMPLE.read_text().split("\n\n[Event ")[:150]) + "\n")
    assert helpers.cli("study", "rook-endings", some, "-o", out).code == 0
    with out.open(newline="") as file:
        found = {row["query"]: (int(row["games"]), int(row["positions"])) for row in csv.DictReader(file)}
    games = []
    with some.open() as text:
        while (game := chess.pgn.read_game(text)) is not None:
            board = game.board()
            games.append([_pawns(board)])
            for move in game.mainline_moves():
                board.push(move)
                games[-1].append(_pawns(board))
    assert len(games) == 150

    def total(least: int, most: int) -> list[Callable[[int, int], bool]]:
        return [lambda white, black: least <= white + black <= most]

    def ahead(least: int, most: int) -> list[Callable[[int, int], bool]]:
        return [
            lambda white, black: least <= white - black <= most,
            lambda white, black: least <= black - white <= most,
        ]

    asked = {"All rook endings": total(0, 16), "No pawns": total(0, 0), "1 pawn": total(1, 1)}
    asked |= {f"{count} pawns": total(count, count) for count in range(2, 13)}
    asked |= {
        "13 pawns or more": total(13, 16),
        "Equal pawns": [lambda white, black: white == black > 0],
        "One pawn more": ahead(1, 1),
        "Two pawns more": ahead(2, 2),
        "Three pawns more, or still more": ahead(3, 8),
    }
    expected = {}
    for name, sides in asked.items():
        hits = [
            sum(any(_stays(game, ply, holds) for holds in sides) for ply in range(len(game)))
            for game in games
        ]
        expected[name] = (sum(map(bool, hits)), sum(hits))
    assert found == expected
    assert expected["All rook endings"][0] >= 10


def _pawns(board: chess.Board) -> tuple[int, int] | None:
    """White's and Black's pawns in a rook ending; None in another position."""
    for colour in chess.COLORS:
        if len(board.pieces(chess.ROOK, colour)) != 1:
            return None
    if board.queens | board.bishops | board.knights:
        return None
    return len(board.pieces(chess.PAWN, chess.WHITE)), len(board.pieces(chess.PAWN, chess.BLACK))


def _stays(game: Sequence[tuple[int, int] | None], ply: int, holds: Callable[[int, int], bool]) -> bool:
    """Whether the pawns at a ply are asked for, and also those a ply before or after."""

    def there(at: int) -> bool:
        pawns = game[at] if 0 <= at < len(game) else None
        return pawns is not None and holds(*pawns)

    return there(ply) and (there(ply - 1) or there(ply + 1))


def test_shipped_studies_are_listed_with_their_titles() -> None:
    run = helpers.cli("study", "--list")
    assert run.code == 0
    lines = [re.split(r"\s{2,}", line) for line in run.out.splitlines()]
    assert [name for name, _ in lines] == sorted(study_text.shipped())
    assert ["rook-endings", "Rook endings by the number of their pawns (19 queries)"] in lines
    run = helpers.cli("study")
    assert (run.code, run.out) == (2, "")
    assert "--list" in run.err


def test_a_query_with_errors_is_rendered_as_check_does(asked: Path, tmp_path: Path) -> None:
    asked.write_text(STUDY + "[[query]]\nname = 'Bad'\ntext = '''\nK & matte'''\n")
    out = tmp_path / "t.csv"
    run = helpers.cli("study", asked, "-o", out)
    assert run.code == 1
    checked = helpers.cli("check", "-e", "\nK & matte")
    first, *others = checked.err.splitlines()
    assert first.startswith("query:2:5: error[")
    assert first.replace("query:2:5", f"{asked}:15:5") in run.err
    assert others
    for line in others:
        assert line in run.err
    # What could be done is done.
    assert out.read_text().splitlines() == [HEAD, *ROWS]
    assert "2 of 3 searches done" in run.err


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text + "[[query]\n", "s.toml:12:8: This is not TOML: "),
        (lambda text: text.replace("title", "titel"), "s.toml:1: A study has no key titel. Did you mean ti"),
        (lambda text: text.replace("a.pgn", "gone.pgn"), "s.toml:2: "),
        (lambda text: text.replace('bases = ["a.pgn"]\n', ""), "names no bases"),
    ],
)  # fmt: skip
def test_a_bad_study_is_one_sentence_and_nothing_is_written(
    asked: Path, tmp_path: Path, change: object, said: str
) -> None:
    assert callable(change)
    asked.write_text(change(STUDY))
    out = tmp_path / "t.csv"
    run = helpers.cli("study", asked, "-o", out)
    assert (run.code, run.out, out.exists()) == (2, "", False)
    assert said in run.err
    assert len(run.err.splitlines()) == 1


def test_a_study_without_a_sound_query_writes_nothing(asked: Path, tmp_path: Path) -> None:
    asked.write_text("bases = ['a.pgn']\n[[query]]\ntext = 'matte'\n")
    out = tmp_path / "t.csv"
    for more in ([], ["--overwrite"]):
        run = helpers.cli("study", asked, "-o", out, *more)
        assert run.code == 1
        assert "s.toml:3:9: error[" in run.err
        assert f"Nothing was written to {out}, as no query could be searched." in run.err
        assert not out.exists() if not more else out.read_text() == "earlier"
        out.write_text("earlier")
    run = helpers.cli("study", asked)
    assert (run.code, run.out) == (1, "")
    # A table that lacks rows is written, but it replaces no table.
    asked.write_text(asked.read_text() + "[[query]]\ntext = 'mate'\n")
    run = helpers.cli("study", asked, "-o", out, "--overwrite")
    assert (run.code, out.read_text()) == (1, "earlier")
    assert "as the table would lack rows, and the file is kept" in run.err
    out.unlink()
    assert helpers.cli("study", asked, "-o", out).code == 1
    assert len(out.read_text().splitlines()) == 2


def test_a_base_that_is_listed_twice_counts_once(asked: Path, tmp_path: Path) -> None:
    once = helpers.cli("study", asked, "--json")
    base = tmp_path / "a.pgn"
    asked.write_text(STUDY.replace('"a.pgn"', '"a.pgn", "./a.pgn", "a.pgn"'))
    twice = helpers.cli("study", asked, "--json")
    assert twice.code == once.code == 0
    assert json.loads(twice.out)["rows"] == json.loads(once.out)["rows"]
    assert twice.err.count(f"{base} is left out, because it is listed twice.") == 2
    twice = helpers.cli("study", asked, base, base, "--json")
    assert json.loads(twice.out)["rows"] == json.loads(once.out)["rows"]
    assert f"{base} is left out, because it is listed twice." in twice.err


def test_a_missing_base_is_named(asked: Path, tmp_path: Path) -> None:
    asked.write_text(STUDY.replace("a.pgn", "gone.pgn"))
    assert "gone.pgn does not exist" in helpers.cli("study", asked).err
    assert "other.pgn does not exist" in helpers.cli("study", asked, tmp_path / "other.pgn").err


def test_a_file_that_is_left_out_shows_in_the_exit_code(asked: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.pgn.gz").write_bytes(b"\x1f\x8b no gzip")
    listed = tmp_path / "l.cqlbase"
    listed.write_text(json.dumps(["a.pgn", "bad.pgn.gz"]))
    run = helpers.cli("study", asked, listed)
    assert run.code == 2
    assert "bad.pgn.gz" in run.err
    assert "2 of 2 searches done" in run.err


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("t.txt", "the ending must be one of .csv .parquet .html .json"),
        ("none/t.csv", "there is no folder"),
        ("dir.csv", "is a folder"),
        ("a.csv", "is not overwritten, because the study reads it"),
    ],
)
def test_an_output_that_cannot_be_written_is_refused_before_the_search(
    asked: Path, tmp_path: Path, name: str, said: str
) -> None:
    (tmp_path / "dir.csv").mkdir()
    os.link(tmp_path / "a.pgn", tmp_path / "a.csv")
    run = helpers.cli("study", asked, "-o", tmp_path / name)
    assert run.code == 2
    assert said in run.err
    assert "searches" not in run.err
    assert (tmp_path / "a.pgn").read_text() == QUIET + MATE


@pytest.mark.parametrize("ending", [".csv", ".html", ".json"])
@pytest.mark.parametrize("room", [0, 100])
def test_a_full_disk_leaves_the_file_as_it_was(asked: Path, tmp_path: Path, ending: str, room: int) -> None:
    asked_study = study_text.read(asked)
    base = importing.open_base([tmp_path / "a.pgn"]).base
    report = study.run(asked_study, [study.StudyBase("a.pgn", base)])
    folder = tmp_path / "full"
    folder.mkdir()
    out = folder / f"t{ending}"
    out.write_text("before")
    with (
        faults.FullDisk(folder, room).inserted(errno.ENOSPC),
        pytest.raises(study_table.errors.CqlguiError, match=r"cannot be written: No space left on device\."),
    ):
        study_table.write(report, out, overwrite=True)
    assert [path.name for path in folder.iterdir()] == [out.name]
    assert out.read_text() == "before"


def test_ctrl_c_keeps_what_is_done(tmp_path: Path) -> None:
    if not native.available():
        pytest.skip("the first queries are slow without machine code")
    # The first query takes more than a second, so its numbers are kept when it ends. The last query takes
    # minutes, so the study is stopped in it.
    slow = "x = 0 while (x < 3000000) {x = x + 1 + x % 2}"
    first = slow.replace("3000000", "100000")
    asked = tmp_path / "s.toml"
    asked.write_text(
        f"[[query]]\nname='A'\ntext='{first}'\n[[query]]\nname='B'\ntext='mate'\n"
        f"[[query]]\nname='C'\ntext='{slow}'\n"
    )
    out = tmp_path / "t.csv"
    kept = Path(os.environ["CQLGUI_HOME"]) / "cache" / "studies"
    command = [sys.executable, "-m", "cqlgui", "study", str(asked), str(SAMPLE), "-o", str(out)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=helpers.ROOT) as running:
        deadline = time.monotonic() + 60
        while not list(kept.glob("*.json")) and time.monotonic() < deadline:
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=60)
    assert running.returncode == 130, said
    assert f"Nothing was written to {out}. With --resume the study goes on from here." in said
    assert not out.exists()
    done = len(json.loads(next(kept.glob("*.json")).read_text())["done"])
    assert done in (1, 2)
    asked.write_text(asked.read_text().replace(slow, "stalemate"))
    run = helpers.cli("study", asked, SAMPLE, "--resume", "-o", out)
    assert run.code == 0, run.err
    assert f"3 of 3 searches done, {done} of them in an earlier run" in run.err
    assert len(list(csv.DictReader(io.StringIO(out.read_text())))) == 3


def test_a_study_loads_no_window_and_no_package_of_tables(asked: Path) -> None:
    code = (
        "import sys; from cqlgui.cli import run; run.main(sys.argv[1:]); "
        "print([n for n in ('PySide6', 'pyarrow', 'chess', 'pandas') if n in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "study", str(asked)],
        capture_output=True, text=True, check=True, cwd=helpers.ROOT,
    )  # fmt: skip
    assert done.stdout.splitlines()[-1] == "[]"

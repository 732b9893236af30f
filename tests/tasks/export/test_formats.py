"""Each export is read again by another program, which finds the same hits."""

from __future__ import annotations

import csv
import html.parser
import importlib.util
import io
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import chess
import chess.pgn
import pytest

from cqlgui.base import errors
from cqlgui.tasks.databases import importing
from cqlgui.tasks.export import exporting, hit_table
from cqlgui.tasks.export.formats import epd_lines, latex_sheets, studies
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import searching
from tests import helpers

ODD_NAME = 'M\u00fcller & Sons_{%}\\input{x} <b>"\u0418\u0432\u0430\u043d"</b> #1 $2^n~'
ODD = """[Event "Line
two \u2116 \u4e2d"]
[White "{name}"]
[Black "\u0141ukasz\tTab"]
[Date "1999.01.02"]
[Result "1-0"]
[Annotator "{name}"]

1. e4 e5

2. Qh5 {{a comment

[with a blank line]}} Nc6 3. Bc4 Nf6 (3... g6 4. Qf3) 4. Qxf7# 1-0

[White "Second"]

1. f3 e5 2. g4 {{never closed
"""


@pytest.fixture
def base(tmp_path: Path) -> base_model.Base:
    odd = tmp_path / "odd.pgn"
    name = ODD_NAME.replace("\\", "\\\\").replace('"', '\\"')
    odd.write_text(ODD.format(name=name), encoding="utf-8")
    return importing.open_base([odd, helpers.ROOT / "resources" / "sample" / "sample.pgn"]).base


@pytest.fixture
def result(base: base_model.Base) -> search_model.SearchResult:
    found = searching.search(base, "flipcolor {check or mate}", search_model.SearchOptions(limit=20))
    assert found.order[0] == 1
    return found


def test_the_moves_of_each_row_are_legal_in_its_position(
    base: base_model.Base, result: search_model.SearchResult, tmp_path: Path
) -> None:
    exporting.export(base, result, tmp_path / "out.jsonl")
    exporting.export(base, result, tmp_path / "out.csv")
    exact = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()]
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    assert len(exact) == len(table) == result.positions
    for row, flat in zip(exact, table, strict=True):
        assert (flat["fen"], flat["uci"], flat["san"]) == (row["fen"], row["uci"], row["san"])
        board = chess.Board(row["fen"])
        if row["uci"]:
            move = chess.Move.from_uci(row["uci"])
            assert move in board.legal_moves
            assert board.san(move) == row["san"] == row["next"].split()[0]
        assert flat["next_uci"] == row["next_uci"]
        for san, uci in zip(row["next"].split(), row["next_uci"].split(), strict=True):
            move = chess.Move.from_uci(uci)
            assert move in board.legal_moves
            assert board.san(move) == san
            board.push(move)


def test_epd_lines_have_the_position_and_the_move_that_was_played(
    base: base_model.Base, result: search_model.SearchResult, tmp_path: Path
) -> None:
    exporting.export(base, result, tmp_path / "out.epd")
    exporting.export(base, result, tmp_path / "out.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()]
    lines = (tmp_path / "out.epd").read_text("utf-8").splitlines()
    assert len(lines) == result.positions
    for line, row in zip(lines, rows, strict=True):
        board, operations = chess.Board.from_epd(line)
        assert board.fen(en_passant="fen") == row["fen"]
        assert operations["id"] == f"game {row['game']} position {row['positionid']}"
        move = operations.get("sm")
        move = move[0] if isinstance(move, list) else move
        assert (move.uci() if isinstance(move, chess.Move) else move or "") in (row["uci"], row["san"])
        assert operations.get("c1", "") == row["next"]


class Page(html.parser.HTMLParser):
    """Counts diagrams, and collects what a page would load and the text of its captions."""

    def __init__(self) -> None:
        super().__init__()
        self.diagrams = 0
        self.men = 0
        self.loads: list[str] = []
        self.tags: set[str] = set()
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.diagrams += tag == "figure"
        known = dict(attributes)
        self.men += tag == "use" and str(known.get("href")).startswith("#man-")
        self.loads += [str(known[name]) for name in ("src", "href", "data") if name in known]

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_a_page_has_a_diagram_for_each_hit_and_loads_nothing(
    base: base_model.Base, result: search_model.SearchResult, tmp_path: Path
) -> None:
    out = tmp_path / "out.html"
    exporting.export(base, result, out)
    exporting.export(base, result, tmp_path / "out.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()]
    page = Page()
    page.feed(out.read_text("utf-8"))
    assert page.diagrams == result.positions
    assert page.men == sum(len(chess.Board(row["fen"]).piece_map()) for row in rows)
    assert all(one.startswith("#") for one in page.loads)
    assert "url(" not in out.read_text("utf-8")
    assert not page.tags & {"script", "img", "link", "iframe", "b>"}
    assert f"1. {ODD_NAME} - \u0141ukasz Tab" in "".join(page.text)


@pytest.mark.parametrize("rows", list(hit_table.Rows))
@pytest.mark.parametrize("normalise", [False, True])
def test_formats_to_read_tell_runs_ratings_and_files(
    tmp_path: Path, rows: hit_table.Rows, normalise: bool
) -> None:
    source = tmp_path / "games.pgn"
    source.write_text(
        '[WhiteElo "2610"]\n[BlackElo "2590"]\n[ECO "B01"]\n[Result "*"]\n\n1. e4 d5 2. exd5 *\n\n'
        '[BlackElo "2400"]\n\n1. d4 d5 *\n\n1. f3 e5 2. g4 Qh4# *\n'
    )
    base = importing.open_base([source]).base
    result = searching.search(base, "flipcolor {check or not check}", search_model.SearchOptions(limit=3))
    for ending in (".jsonl", ".epd", ".tsv", ".tex", ".html"):
        exporting.export(base, result, tmp_path / f"out{ending}", rows=rows, normalise=normalise)
    listed = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()]
    lines = (tmp_path / "out.epd").read_text("utf-8").splitlines()
    notes = _notes(tmp_path / "out.tsv")
    solutions = re.findall(r"\\solution\{\d+\}.*", (tmp_path / "out.tex").read_text("utf-8"))
    figures = (tmp_path / "out.html").read_text("utf-8").split("<figure>")[1:]
    for row, line, note, solution, figure in zip(listed, lines, notes, solutions, figures, strict=True):
        operations = chess.Board.from_epd(line)[1]
        words = {
            hit_table.Rows.HITS: lambda row: "",
            hit_table.Rows.SPANS: lambda row: (
                f"a run of {row['plies']} pl{'y' if row['plies'] == 1 else 'ies'}, "
                f"from ply {row['ply']} to ply {row['until']}"
            ),
            hit_table.Rows.GAMES: lambda row: f"{row['hits']} hit{'s' * (row['hits'] > 1)} in the game",
        }[rows](row)
        assert operations.get("c7", "") == words
        assert words in note[1]
        assert words in solution
        assert ("a run of" in note[1], "a run of" in solution) == (rows is hit_table.Rows.SPANS,) * 2
        if rows is hit_table.Rows.SPANS:
            assert f"<dt>until</dt><dd>{row['until']}</dd><dt>plies</dt>" in figure
        assert operations["c9"] == f"{row['file']}, game {row['gamenumber']}"
        assert operations.get("eco", "") == row["eco"].strip("?")
        ratings = {1: "Elo 2610 - 2590", 2: "Elo ? - 2400", 3: ""}[row["game"]]
        assert operations.get("c8", "") == ratings
        assert (ratings or "<div>") in note[1]
        assert latex_sheets.escaped(ratings) in solution
    assert {row["game"] for row in listed} == {1, 2, 3}


@pytest.mark.parametrize("normalise", [False, True])
def test_formats_to_read_have_the_moves_in_uci_the_element_and_all_tags(
    base: base_model.Base, tmp_path: Path, normalise: bool
) -> None:
    result = searching.search(base, "flipcolor {check wtm}", search_model.SearchOptions(limit=20))
    for ending in (".jsonl", ".epd", ".tsv", ".tex", ".html"):
        exporting.export(base, result, tmp_path / f"out{ending}", normalise=normalise)
    listed = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()]
    lines = (tmp_path / "out.epd").read_text("utf-8").splitlines()
    notes = _notes(tmp_path / "out.tsv")
    solutions = re.findall(r"\\solution\{\d+\}.*", (tmp_path / "out.tex").read_text("utf-8"))
    figures = (tmp_path / "out.html").read_text("utf-8").split("<figure>")[1:]
    for row, line, note, solution, figure in zip(listed, lines, notes, solutions, figures, strict=True):
        operations = chess.Board.from_epd(line)[1]
        back, unprinted, page = (
            html.unescape(text) for text in (note[1], solution.partition("% ")[2], figure)
        )
        assert operations.get("uci", "") == row["next_uci"]
        assert operations.get("last", "") == f"{row['last']} {row['last_uci']}".strip()
        assert operations["ply"] == row["ply"]
        assert operations["element"] == f"{row['element']} {row['transform']}"
        for told in (back, unprinted):
            assert row["next_uci"] in told
            assert f"{row['last']} {row['last_uci']}".strip() in told
            assert f"ply {row['ply']}" in told
            assert f"{row['element']} {row['transform']}" in told
        for name, text in row["tags"].items():
            words = f"{name}: {' '.join(text.split())}"
            assert words in back
            assert words in unprinted
            assert words in page
            assert words.translate({34: "'", 92: "/"}) in operations["tags"]
    assert any(row["tags"] for row in listed)
    assert any(row["element"] for row in listed)


def test_a_long_name_of_a_file_is_cut_at_its_beginning() -> None:
    file = "/" + "folder/" * 40 + "games.pgn"
    operation = epd_lines._place(file, 7)
    assert operation.endswith('/games.pgn, game 7";')
    assert len(operation) == len(' c9 "";') + epd_lines._LONGEST


@pytest.mark.parametrize("rows", list(hit_table.Rows))
def test_pages_and_sheets_of_columns_are_those_of_objects(
    base: base_model.Base,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    rows: hit_table.Rows,
) -> None:
    query = 'flipcolor {check} comment("<b>" currentposition) sort "n" ply'
    result = searching.search(base, query, search_model.SearchOptions(limit=20))
    endings = ".html", ".tex", ".tsv", ".epd"
    ways: list[list[str]] = []
    for plain in (True, False):
        if not plain:
            # As for games with details that only objects can hold.
            monkeypatch.setattr(hit_table, "parts", lambda _found, games: iter([(list(games), False)]))
        for ending in endings:
            exporting.export(base, result, tmp_path / f"out{ending}", rows=rows, overwrite=True)
        ways.append([(tmp_path / f"out{ending}").read_text("utf-8") for ending in endings])
    assert ways[0] == ways[1]


def test_a_page_with_very_many_diagrams_is_written_only_if_allowed(
    base: base_model.Base,
    result: search_model.SearchResult,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(exporting, "LARGE", result.positions - 1)
    for ending in (".html", ".tex"):
        out = tmp_path / f"out{ending}"
        with pytest.raises(exporting.TooLarge, match=f"{result.positions} diagrams"):
            exporting.export(base, result, out)
        assert not out.exists()
        # One row for each game makes fewer diagrams.
        exporting.export(base, result, out, rows=hit_table.Rows.GAMES)
        exporting.export(base, result, out, large=True, overwrite=True)
    exporting.export(base, result, tmp_path / "out.csv")


def _notes(path: Path) -> list[list[str]]:
    """The notes of a text file as the manual of Anki describes it."""
    lines = path.read_text("utf-8").split("\n")
    heads = dict(line[1:].split(":", 1) for line in lines if line.startswith("#"))
    assert (heads["separator"], heads["html"], heads["tags column"]) == ("tab", "true", "3")
    assert heads["columns"].split("\t") == ["Front", "Back", "Tags"]
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def test_notes_for_anki_have_three_fields_on_one_line(
    base: base_model.Base, result: search_model.SearchResult, tmp_path: Path
) -> None:
    out = tmp_path / "out.tsv"
    exporting.export(base, result, out)
    notes = _notes(out)
    assert [len(note) for note in notes] == [3] * result.positions
    assert len({front for front, _, _ in notes}) == result.positions
    front, back, tags = notes[0]
    assert html.escape(ODD_NAME) in front
    assert "to move" in front
    assert ODD_NAME not in front + back
    assert "chess::year::1999" in tags.split(" ")


def test_anki_imports_every_note(
    base: base_model.Base, result: search_model.SearchResult, tmp_path: Path
) -> None:
    if importlib.util.find_spec("anki") is None:
        pytest.skip("the package anki is not installed")
    out = tmp_path / "out.tsv"
    exporting.export(base, result, out)
    # The importer has threads of its own, so it runs in a process of its own.
    code = (
        "import sys, json\n"
        "from anki.collection import Collection, ImportCsvRequest\n"
        "col = Collection(sys.argv[2])\n"
        "metadata = col.get_csv_metadata(path=sys.argv[1], delimiter=None)\n"
        "col.import_csv(ImportCsvRequest(path=sys.argv[1], metadata=metadata))\n"
        "notes = [col.get_note(one) for one in col.find_notes('')]\n"
        "print(json.dumps([[*note.fields, note.tags] for note in notes]))\n"
        "col.close()\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, str(out), str(tmp_path / "collection.anki2")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    notes = json.loads(done.stdout.splitlines()[-1])
    assert sorted(note[:2] for note in notes) == sorted(fields[:2] for fields in _notes(out))
    assert len(notes) == result.positions
    assert all("chess" in "".join(note[2]) for note in notes)


def test_texts_for_latex_have_no_commands_of_their_own() -> None:
    made = latex_sheets.escaped(
        "M\u00fcller & Sons_{%} #1 $2 ^~ \\input{x} \u0418\u0432\u0430\u043d 1-0 \u4e2d \u1ea0\n"
    )
    assert made == (
        "M\u00fcller \\& Sons\\_\\{\\%\\} \\#1 \\$2 \\textasciicircum{}\\textasciitilde{} "
        "\\textbackslash{}input\\{x\\} \\cyrillic{\u0418\u0432\u0430\u043d} 1-{}0 ? A"
    )


def test_signs_that_stand_for_several_are_whole_in_latex() -> None:
    made = latex_sheets.escaped("½-½ Ⅻ №5 ﬁ Ⅳ")
    assert made.replace("{}", "") == "1/2-1/2 XII No5 fi IV"


def test_long_words_may_end_a_line_in_latex() -> None:
    assert latex_sheets.escaped("a" * 60) == "a" * 60
    made = latex_sheets.escaped("a" * 125 + " b")
    assert made == "a" * 60 + "\\allowbreak{}" + "a" * 60 + "\\allowbreak{}" + "a" * 5 + " b"


def test_sheets_have_a_diagram_and_a_solution_for_each_hit(
    base: base_model.Base, result: search_model.SearchResult, tmp_path: Path
) -> None:
    out = tmp_path / "out.tex"
    exporting.export(base, result, out)
    text = out.read_text("utf-8").split("\\begin{document}")[1]
    exporting.export(base, result, tmp_path / "out.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()]
    assert re.findall(r"\\puzzle\{\d+\}\{([^{}]*)\}", text) == [row["fen"] for row in rows]
    assert len(re.findall(r"\\solution\{\d+\}", text)) == result.positions


@pytest.mark.full
def test_pdflatex_makes_a_page_for_six_diagrams(
    base: base_model.Base, result: search_model.SearchResult, tmp_path: Path
) -> None:
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed (Debian: texlive-games, texlive-latex-extra)")
    found = subprocess.run(["kpsewhich", "chessboard.sty", "xifthen.sty"], capture_output=True, check=False)
    if found.returncode:
        pytest.skip(
            "the LaTeX package chessboard is not installed (Debian: texlive-games, texlive-latex-extra)"
        )
    out = tmp_path / "out.tex"
    exporting.export(base, result, out)
    letters = "".join(chr(code) for code in range(0xA0, 0x530))
    text = out.read_text("utf-8")
    out.write_text(text.replace("\\end{document}", f"{latex_sheets.escaped(letters)}\n\\end{{document}}"))
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", out.name],
        cwd=tmp_path,
        capture_output=True,
        check=False,
        timeout=280,
    )
    told = done.stdout.decode("utf-8", "replace")
    assert done.returncode == 0, told[-2000:]
    pages = int(re.findall(r"\((\d+) pages?", told.replace("\n", ""))[-1])
    sheets = -(-result.positions // latex_sheets.A_PAGE)
    assert sheets < pages <= sheets + 2 + result.positions // 12


def test_chapters_of_studies_are_at_most_64_a_file_and_lichess_cuts_them_where_they_end(
    base: base_model.Base, tmp_path: Path
) -> None:
    result = searching.search(base, "flipcolor {check or mate}", search_model.SearchOptions(limit=130))
    report = exporting.export(base, result, tmp_path / "out.pgn", study=True)
    assert [path.name for path in report.files] == ["out-1.pgn", "out-2.pgn", "out-3.pgn"]
    assert sorted(path.name for path in tmp_path.glob("out*")) == [path.name for path in report.files]
    sizes, names = [], []
    for path in report.files:
        text = path.read_text("utf-8")
        # Lichess cuts a text at a blank line before a bracket.
        chapters = [one for one in re.split(r"\n\n(?=\[)", text) if one.strip()]
        sizes.append(len(chapters))
        with io.StringIO(text) as file:
            for chapter in chapters:
                game = chess.pgn.read_game(file)
                assert game is not None
                alone = chess.pgn.read_game(io.StringIO(chapter))
                assert alone is not None
                assert alone.headers == game.headers
                # python-chess leaves the escapes of tag values as they are.
                names.append(re.sub(r"\\(.)", r"\1", game.headers["ChapterName"]))
                marked = [node for node in [game, *game.mainline()] if "CQL" in node.comment]
                assert marked or game.headers["White"] == "Second"
            assert chess.pgn.read_game(file) is None
    assert sizes == [64, 64, 2]
    assert names[0] == f"{ODD_NAME} - \u0141ukasz Tab"[:74] + ", 1999"
    assert (report.games, report.hits) == (130, result.positions)


def test_chapters_of_one_study_have_different_names(tmp_path: Path) -> None:
    source, out = tmp_path / "a.pgn", tmp_path / "out.pgn"
    long = "A" * 90
    players = [("Same", "Pair")] * 3 + [("Same", "Pair, 1999 (2)"), (long, "B"), (long, "C")]
    tags = [f'[White "{white}"]\n[Black "{black}"]\n[Date "1999.01.01"]' for white, black in players]
    # The last game is the first one of the next study, where its name is free.
    tags += [f'[White "W{number}"]\n[Date "1999.01.01"]' for number in range(studies.CHAPTERS - len(tags))]
    tags += tags[:1]
    source.write_text("".join(f"{one}\n\n1. e4 *\n\n" for one in tags))
    base = importing.open_base([source]).base
    report = exporting.export(base, searching.search(base, "ply == 1"), out, study=True)
    names: list[str] = []
    for path in report.files:
        with path.open(encoding="utf-8") as file:
            read = iter(lambda: chess.pgn.read_game(file), None)
            found = [game.headers["ChapterName"] for game in read]
        assert len(set(found)) == len(found)
        assert max(map(len, found)) <= 80
        names += found
    assert names[:4] == [
        *("Same - Pair, 1999", "Same - Pair, 1999 (2)", "Same - Pair, 1999 (3)"),
        "Same - Pair, 1999 (2), 1999",
    ]
    assert names[4:6] == ["A" * 74 + ", 1999", "A" * 70 + ", 1999 (2)"]
    assert names[-1] == names[0]
    assert studies.name({"white": "A", "black": "B", "date": "?"}, {"A - B", "A - B (2)"}) == "A - B (3)"


def test_no_file_of_a_study_replaces_a_file_that_is_searched(tmp_path: Path) -> None:
    source = tmp_path / "out-2.pgn"
    text = "1. e4 *\n\n" * (studies.CHAPTERS + 1)
    source.write_text(text)
    base = importing.open_base([source]).base
    result = searching.search(base, "ply == 1")
    with pytest.raises(errors.CqlguiError, match=r"out-2\.pgn is .* not overwritten"):
        exporting.export(base, result, tmp_path / "out.pgn", study=True, overwrite=True)
    assert source.read_text() == text
    assert list(tmp_path.iterdir()) == [source]


def test_marks_of_a_chapter_are_those_of_the_hits(base: base_model.Base, tmp_path: Path) -> None:
    result = searching.search(
        base, "flipcolor flipvertical {Bh7 kg8 check}", search_model.SearchOptions(limit=3)
    )
    out = tmp_path / "out.pgn"
    report = exporting.export(base, result, out, study=True)
    assert report.files == (out,)
    with out.open(encoding="utf-8") as file:
        for number in result.order:
            game = chess.pgn.read_game(file)
            assert game is not None
            boards = [game, *game.mainline()]
            marked = {place for place, node in enumerate(boards) if node.arrows()}
            assert marked == {hit.positionid for hit in result.games[number].hits}


def test_files_of_studies_replace_nothing_and_appear_together(base: base_model.Base, tmp_path: Path) -> None:
    result = searching.search(base, "flipcolor {check or mate}", search_model.SearchOptions(limit=130))
    (tmp_path / "out-3.pgn").write_text("mine")
    with pytest.raises(errors.CqlguiError, match=r"out-3\.pgn exists already"):
        exporting.export(base, result, tmp_path / "out.pgn", study=True)
    assert [path.name for path in tmp_path.glob("*out*")] == ["out-3.pgn"]
    assert (tmp_path / "out-3.pgn").read_text() == "mine"
    assert not list(tmp_path.glob(".cqlgui*"))
    report = exporting.export(base, result, tmp_path / "out.pgn", study=True, overwrite=True)
    assert [path.name for path in report.files] == ["out-1.pgn", "out-2.pgn", "out-3.pgn"]
    assert "ChapterName" in (tmp_path / "out-3.pgn").read_text()
    assert studies.paths(tmp_path / "a.b.pgn", 65)[1].name == "a.b-2.pgn"


def test_normalised_chapters_are_games_in_the_frame_of_the_query(
    base: base_model.Base, tmp_path: Path
) -> None:
    query = "flipcolor {Bh7 kg8 check}"
    result = searching.search(base, query, search_model.SearchOptions(limit=20))
    out = tmp_path / "out.pgn"
    exporting.export(base, result, out, study=True, normalise=True)
    count = 0
    with out.open(encoding="utf-8") as file:
        while (game := chess.pgn.read_game(file)) is not None:
            assert not game.errors
            assert "ChapterName" in game.headers
            count += 1
    assert count == 20

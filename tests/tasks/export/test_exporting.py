"""What is exported opens again as the same games, byte for byte or with the match marked; sources are never
overwritten.
"""

from __future__ import annotations

import csv
import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import chess
import chess.pgn
import numpy as np
import pytest

from cqlgui.base import errors, progress
from cqlgui.base.files import disk
from cqlgui.tasks.asking import library, translating
from cqlgui.tasks.databases import bases, games, history, importing
from cqlgui.tasks.export import exporting
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import searching
from tests import helpers
from tests.helpers import faults

TEXT = (
    '[White "A"]\r\n[Result "1-0"]\r\n\r\n1. e4  e5 {odd   spacing} 2. Nf3 1-0\r\n\r\n'
    "1. d4 d5\n\n"
    '[White "C <&>"]\n\n1. e4 e5 {never closed\n\n'
)


@pytest.fixture
def base(tmp_path: Path) -> base_model.Base:
    source = tmp_path / "a.pgn"
    source.write_bytes(TEXT.encode())
    return importing.open_base([source]).base


@pytest.fixture
def result(base: base_model.Base) -> search_model.SearchResult:
    return searching.search(base, "flipvertical {ply == 1 Pe4}")


def texts(path: Path) -> list[bytes]:
    base = importing.open_base([path]).base
    return [games.text(base, game) for game in range(1, base.games + 1)]


def test_games_keep_their_own_bytes(tmp_path: Path, base: base_model.Base) -> None:
    everything = searching.search(base, "initial")
    out = tmp_path / "out.pgn"
    report = exporting.export(base, everything, out)
    assert (report.games, report.hits) == (base.games, base.games)
    written = texts(out)
    assert written[:2] == [games.text(base, 1), games.text(base, 2)]
    assert len(written) == base.games


def test_hits_limited_to_an_element_are_marked_as_its_own(tmp_path: Path, base: base_model.Base) -> None:
    query = 'ply == 0 flipvertical {Ra1 comment("seen " currenttransform)}'
    found = searching.search(base, query)
    hit = found.games[1].hits[0]
    assert [match.element for match in hit.matches] == [0, 1]
    out, table = tmp_path / "out.pgn", tmp_path / "out.csv"
    exporting.export(base, found, out, annotate=True, element=(0, 1))
    text = out.read_text()
    assert "CQL: left and right mirrored <reflect_v> [%csl Gh1] [%cal Ya1h1]" in text
    assert "Ga1" not in text
    assert "as written" not in text
    exporting.export(base, found, table, element=(0, 1))
    row = next(csv.DictReader(table.read_text().splitlines()))
    assert (row["squares"], row["orbit"]) == ("h1", "<reflect_v> left and right mirrored")


def test_comments_of_hits_that_a_limit_leaves_out_are_left_out(tmp_path: Path, base: base_model.Base) -> None:
    # Element 0 matches after 1...e5 alone, element 1 after 2.Nf3 alone.
    found = searching.search(base, 'gamenumber == 1 flipcolor {Pe4 wtm comment("own " currenttransform)}')
    out = tmp_path / "out.pgn"
    exporting.export(base, found, out, annotate=True)
    assert "own <>" in out.read_text()
    exporting.export(base, found, out, annotate=True, element=(0, 1), overwrite=True)
    text = out.read_text()
    assert "own <invertcolor reflect_h>" in text
    assert "own <>" not in text


def test_a_match_is_marked_in_comments(
    tmp_path: Path, base: base_model.Base, result: search_model.SearchResult
) -> None:
    out = tmp_path / "out.pgn"
    exporting.export(base, result, out, annotate=True)
    text = out.read_text()
    assert "CQL: as written <>" in text
    assert "[%csl Ge4]" in text
    assert text.count("{Game number 1}") == 1
    again = importing.open_base([out]).base
    assert searching.search(again, "flipvertical {ply == 1 Pe4}").positions == result.positions


def test_marked_games_without_tags_stay_apart(tmp_path: Path) -> None:
    source, out = tmp_path / "plain.pgn", tmp_path / "out.pgn"
    source.write_bytes(b"1. e4 e5\n\n1. d4 {(} d5\n\n1. c4 c5 *\n\n1. Nf3 (1. b4) Nf6 1-0\n")
    base = importing.open_base([source]).base
    exporting.export(base, searching.search(base, "initial"), out, annotate=True)
    again = texts(out)
    assert [f"Game number {game}".encode() in text for game, text in enumerate(again, 1)] == [True] * 4
    assert [text.count(b"1. ") for text in again] == [1, 1, 1, 2]


def test_marks_are_read_by_other_programs(tmp_path: Path, base: base_model.Base) -> None:
    out = tmp_path / "out.pgn"
    exporting.export(base, searching.search(base, "flipvertical {ply == 1 Pd4}"), out, annotate=True)
    with out.open() as file:
        game = chess.pgn.read_game(file)
    assert game is not None
    arrows = game.next().arrows()
    assert {(arrow.tail, arrow.head, arrow.color) for arrow in arrows} == {
        (chess.E4, chess.E4, "green"),
        (chess.D4, chess.E4, "yellow"),
    }


def test_only_chosen_games_or_elements_are_written(
    tmp_path: Path, base: base_model.Base, result: search_model.SearchResult
) -> None:
    assert result.order[0] == 1
    out = tmp_path / "out.pgn"
    assert exporting.export(base, result, out, games=[1], overwrite=True).games == 1
    places = {element.transform: place for place, element in enumerate(result.orbits[0].elements)}
    assert exporting.export(base, result, out, element=(0, places["<>"]), overwrite=True).games == 2
    limited = exporting.export(base, result, out, element=(0, places["<reflect_v>"]), overwrite=True)
    assert limited.games == 1


def test_no_cell_of_a_table_is_a_formula(tmp_path: Path) -> None:
    source = tmp_path / "formulas.pgn"
    source.write_text('[White "=1+1"]\n[Black "x;@SUM(A1)"]\n[Result "1-0"]\n\n1. e4 e5 1-0\n')
    base = importing.open_base([source]).base
    found = searching.search(base, 'ply == 1 comment("+cmd")')
    out, exact = tmp_path / "out.csv", tmp_path / "out.jsonl"
    exporting.export(base, found, out)
    exporting.export(base, found, exact)
    with out.open(newline="", encoding="utf-8") as file:
        (row,) = csv.DictReader(file)
    assert (row["white"], row["black"], row["comment"]) == ("'=1+1", "x;'@SUM(A1)", "'+cmd")
    assert (row["result"], row["game"], row["positionid"]) == ("1-0", "1", "1")
    record = json.loads(exact.read_text(encoding="utf-8"))
    assert (record["white"], record["black"], record["comment"]) == ("=1+1", "x;@SUM(A1)", "+cmd")


def test_tables_list_every_hit(
    tmp_path: Path, base: base_model.Base, result: search_model.SearchResult
) -> None:
    for ending in (".csv", ".jsonl", ".epd", ".html"):
        exporting.export(base, result, tmp_path / f"out{ending}")
    with (tmp_path / "out.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert next((row["game"], row["positionid"], row["squares"]) for row in rows) == ("1", "1", "e4")
    records = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert records[0]["fen"].startswith("rnbqkbnr/pppppppp/8/8/4P3")
    assert records[0]["orbit"][0]["transform"] == "<>"
    assert (
        (tmp_path / "out.epd").read_text().startswith("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq ")
    )
    page = (tmp_path / "out.html").read_text()
    assert "C &lt;&amp;&gt;" in page or base.games < 3


def test_where_a_query_names_the_output_a_link_leads_nowhere_else(
    base: base_model.Base, result: search_model.SearchResult, tmp_path: Path
) -> None:
    folder, outside = tmp_path / "in", tmp_path / "outside.pgn"
    folder.mkdir()
    outside.write_text("outside")
    (folder / "x.pgn").symlink_to(outside)
    with pytest.raises(errors.CqlguiError, match="does not lie in a folder"):
        exporting.export(base, result, folder / "x.pgn", allowed=[folder])
    assert outside.read_text() == "outside"
    exporting.export(base, result, folder / "y.pgn", allowed=[folder])
    assert (folder / "y.pgn").exists()


def test_a_source_is_never_overwritten(base: base_model.Base, result: search_model.SearchResult) -> None:
    before = base.sources[0].path.read_bytes()
    with pytest.raises(errors.CqlguiError, match="not overwritten"):
        exporting.export(base, result, base.sources[0].path)
    assert base.sources[0].path.read_bytes() == before


def test_faults_leave_nothing_behind(
    tmp_path: Path, base: base_model.Base, result: search_model.SearchResult
) -> None:
    with pytest.raises(errors.CqlguiError, match="ending"):
        exporting.export(base, result, tmp_path / "out.doc")
    with pytest.raises(errors.CqlguiError, match="cannot be written"):
        exporting.export(base, result, tmp_path / "missing" / "out.pgn")
    cancel = progress.CancelToken()
    cancel.cancel()
    with pytest.raises(errors.Cancelled):
        exporting.export(base, result, tmp_path / "out.pgn", cancel=cancel)
    assert [path.name for path in tmp_path.iterdir()] == ["a.pgn"]


def test_front_matter_names_a_query(tmp_path: Path) -> None:
    path = library.own_folder() / "mine.cql"
    library.save(path, "// title: Mate at last\n// description: One\n// two\n// tags: a, b\n\nmate\n")
    entry = library.read(path, (library.OWN_GROUP,))
    assert (entry.title, entry.description, entry.tags) == ("Mate at last", "One two", ("a", "b"))
    assert entry in library.entries()


def test_the_history_remembers_counts(result: search_model.SearchResult) -> None:
    history.add("mate")
    history.add("check", "base", result)
    first, second = history.entries()
    assert (first.text, first.games, second.text, second.games) == ("check", len(result.games), "mate", None)


def test_what_stands_under_an_old_temporary_name_is_left_alone(
    tmp_path: Path, base: base_model.Base, result: search_model.SearchResult
) -> None:
    victim = tmp_path / "victim"
    victim.write_bytes(b"mine")
    writers: dict[str, Callable[[Path], object]] = {
        "out.pgn": lambda path: exporting.export(base, result, path),
        "out.cql": lambda path: library.save(path, "cql() mate"),
        "out.cqlbase": lambda path: bases.save(path, [tmp_path / "a.pgn"]),
        "old.cql": lambda path: translating.save("cql() mate", path),
    }
    for name, write in writers.items():
        for foreseen in (f".{name}.{os.getpid()}.tmp", f"{name}.tmp"):
            (tmp_path / foreseen).symlink_to(victim)
        before = set(tmp_path.iterdir())
        write(tmp_path / name)
        assert set(tmp_path.iterdir()) - before == {tmp_path / name}
    assert victim.read_bytes() == b"mine"


ALL_ENDINGS = ["pgn", "annotated", "csv", "jsonl", "epd", "html", "tex", "tsv"]
GAMES = 130


@pytest.fixture(params=["plain", "packed"])
def long(request: pytest.FixtureRequest, tmp_path: Path) -> base_model.Base:
    data = faults.text(GAMES).encode()
    packed = request.param == "packed"
    source = tmp_path / ("long.pgn.gz" if packed else "long.pgn")
    source.write_bytes(gzip.compress(data) if packed else data)
    old = source.stat().st_mtime_ns - 10**10
    os.utime(source, ns=(old, old))
    return importing.open_base([source]).base


def cut(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 3)


def overwrite(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2)
        file.write(b"Player")


def overwrite_and_hide(path: Path) -> None:
    status = path.stat()
    overwrite(path)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def replace(path: Path) -> None:
    other = path.with_name("other.pgn")
    other.write_text(faults.text(GAMES).replace("Other", "Elsewhere"))
    other.replace(path)


def changed_export(base: base_model.Base, how: str, change: Callable[[Path], None]) -> Path:
    """Export all games; the source changes when half of them are written."""
    result = searching.search(base, "ply == 2")
    assert len(result.games) == GAMES
    path = base.sources[0].path.parent
    out = path / f"out.{'pgn' if how == 'annotated' else how}"
    out.write_bytes(b"old")
    left = [change]

    def changes(report: progress.Progress) -> None:
        if left and report.done >= GAMES // 3:
            left.pop()(base.sources[0].path)

    report = exporting.export(
        base, result, out, annotate=how == "annotated", overwrite=True, progress=changes
    )
    assert not left
    assert (report.games, report.hits) == (GAMES, GAMES)
    return out


def test_a_file_is_replaced_only_if_this_is_allowed(tmp_path: Path) -> None:
    source, out, late = tmp_path / "a.pgn", tmp_path / "out.pgn", tmp_path / "late.pgn"
    source.write_text(faults.text(3))
    base = importing.open_base([source]).base
    result = searching.search(base, "ply == 2")
    out.write_bytes(b"old")
    with pytest.raises(errors.CqlguiError, match=r"out\.pgn exists already and is not overwritten"):
        exporting.export(base, result, out)
    assert out.read_bytes() == b"old"
    exporting.export(base, result, out, overwrite=True)
    assert out.read_bytes() != b"old"

    # A file that appears while the games are written stays, too.
    def appear(_report: progress.Progress) -> None:
        late.write_bytes(b"mine")

    with pytest.raises(errors.CqlguiError, match=r"late\.pgn exists already"):
        exporting.export(base, result, late, progress=appear)
    assert late.read_bytes() == b"mine"
    assert not list(tmp_path.glob(".cqlgui*"))


@pytest.mark.parametrize("how", ALL_ENDINGS)
@pytest.mark.parametrize("change", [cut, overwrite, overwrite_and_hide, replace, Path.unlink])
def test_a_source_that_changes_ends_the_export(
    how: str, change: Callable[[Path], None], long: base_model.Base
) -> None:
    folder = long.sources[0].path.parent
    before = set(folder.iterdir())
    with pytest.raises(errors.SourceError, match=r"long\.pgn.* (changed|exist|damaged)"):
        changed_export(long, how, change)
    (out,) = folder.glob("out.*")
    assert out.read_bytes() == b"old"
    assert set(folder.iterdir()) - before == {out}


def link(path: Path) -> None:
    path.with_name("link").hardlink_to(path)


def copy_back(path: Path) -> None:
    data = path.read_bytes()
    path.unlink()
    path.write_bytes(data)


@pytest.mark.parametrize("how", ALL_ENDINGS)
@pytest.mark.parametrize("change", [Path.touch, link, copy_back])
def test_a_source_that_was_only_touched_is_exported(
    how: str, change: Callable[[Path], None], long: base_model.Base
) -> None:
    out = changed_export(long, how, change).read_bytes()
    assert out == changed_export(long, how, lambda path: None).read_bytes()
    assert out.count(b"Player") >= GAMES


def test_a_source_that_grows_is_exported(tmp_path: Path) -> None:
    source = tmp_path / "a.pgn"
    source.write_text(faults.text(GAMES))
    base = importing.open_base([source]).base

    def grow(path: Path) -> None:
        with path.open("a") as file:
            file.write(faults.text(3))

    assert changed_export(base, "pgn", grow).read_bytes().count(b"[Event ") == GAMES


def test_a_program_that_exports_from_a_changing_source_ends_with_an_error(tmp_path: Path) -> None:
    source, out = tmp_path / "a.pgn", tmp_path / "out.pgn"
    source.write_text(faults.text(GAMES))
    out.write_bytes(b"old")
    code = (
        "import sys; from pathlib import Path\n"
        "from cqlgui.__main__ import main\n"
        "from cqlgui.tasks.databases import hosts\n"
        "texts = hosts.SourceReader.texts\n"
        "def cutting(self, ordinals):\n"
        "    Path(sys.argv[1]).write_text('1. e4 *')\n"
        "    return texts(self, ordinals)\n"
        "hosts.SourceReader.texts = cutting\n"
        "sys.exit(main(['search', sys.argv[1], '-e', 'ply == 2', '--overwrite', '-o', sys.argv[2]]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(source), str(out)],
        env=dict(os.environ, CQLGUI_HOME=str(tmp_path / "home")),
        cwd=helpers.ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "a.pgn has changed since it was read" in done.stderr
    assert "written" not in done.stderr
    assert out.read_bytes() == b"old"


@pytest.mark.parametrize("form", ["--json", "--jsonl", "--csv"])
def test_what_is_printed_of_a_changing_source_ends_with_an_error(form: str, tmp_path: Path) -> None:
    source = tmp_path / "a.pgn"
    source.write_text(faults.text(GAMES))
    code = (
        "import sys; from pathlib import Path\n"
        "from cqlgui.__main__ import main\n"
        "from cqlgui.tasks.search import searching\n"
        "search = searching.search\n"
        "def cutting(*given, **named):\n"
        "    found = search(*given, **named)\n"
        "    Path(sys.argv[1]).write_text('1. e4 *')\n"
        "    return found\n"
        "searching.search = cutting\n"
        "sys.exit(main(['search', sys.argv[1], '-e', 'ply == 2', sys.argv[2]]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(source), form],
        env=dict(os.environ, CQLGUI_HOME=str(tmp_path / "home")),
        cwd=helpers.ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert "a.pgn has changed since it was read" in done.stderr


@pytest.mark.parametrize("most", [1, 40, 1 << 15])
def test_the_same_is_written_however_many_hits_are_written_together(
    most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found_base = importing.open_base([helpers.ROOT / "resources" / "sample" / "sample.pgn"]).base
    options = search_model.SearchOptions(within=np.arange(1, 61))
    found = searching.search(found_base, 'check comment("at " ply)', options)
    assert found.positions > 100
    expected, out = tmp_path / "expected.pgn", tmp_path / "out.pgn"
    first = exporting.export(found_base, found, expected, annotate=True)
    made: list[int] = []
    batch = exporting._Job._batch
    monkeypatch.setattr(exporting._Job, "_batch", lambda *given: made.append(len(given[1])) or batch(*given))
    monkeypatch.setattr(exporting, "_MOST_HITS", most)
    again = exporting.export(found_base, found, out, annotate=True)
    assert out.read_bytes() == expected.read_bytes()
    assert (again.games, again.hits) == (first.games, first.hits)
    assert sum(made) == first.games
    assert (max(made) == 1) == (most == 1)
    assert (len(made) == 1) == (most == 1 << 15)


@pytest.mark.parametrize(
    "query",
    [
        'path -- check ///"check by " from\n[x]. ///"captured on " to',
        "find all check",
        'comment("a") comment("b" ply) check',
        'comment("CQL") check',
        "flip {path focus N -- --}",
        'initial comment("start")',
        "initial",
        "flipcolor {Bf1 find check}",
        'sort "men" #[Aa] check comment("x " [Aa])',
        "echo(s t) {t[<]s check s:check}",
        "shift Ra1 or check",
        'player white comment("white " player white)',
    ],
)
def test_engine_and_interpreter_write_the_same_file(query: str, tmp_path: Path) -> None:
    sample = helpers.ROOT / "resources" / "sample" / "sample.pgn"
    base = importing.open_base([sample]).base
    written = []
    for compiled in (True, False):
        within = np.arange(1, 41)
        options = search_model.SearchOptions(
            compiled=compiled,
            within=within,
            details=search_model.Details.NONE if compiled else search_model.Details.ALL,
        )
        found = searching.search(base, query, options)
        assert found.order
        out = tmp_path / f"{compiled}.pgn"
        exporting.export(base, found, out, annotate=True)
        written.append(out.read_bytes())
    assert written[0] == written[1]


@pytest.mark.skipif(sys.platform == "win32", reason="a killed process leaves no open file there")
def test_what_a_killed_export_left_behind_is_removed_by_a_later_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = importing.open_base([helpers.ROOT / "resources" / "sample" / "sample.pgn"]).base
    left, file = disk.create(tmp_path)
    other = tmp_path / ".cqlgui-note.tmp"
    other.write_text("the user's own")
    usual = exporting.FORSAKEN_SECONDS
    with file:
        monkeypatch.setattr(exporting, "FORSAKEN_SECONDS", 0.0)
        exporting.export(base, searching.search(base, "mate"), tmp_path / "one.csv")
        # The process that writes this file is still there.
        assert left.exists()
    monkeypatch.setattr(exporting, "FORSAKEN_SECONDS", usual)
    exporting.export(base, searching.search(base, "mate"), tmp_path / "one.csv", overwrite=True)
    # It may be one of several files that belong together.
    assert left.exists()
    monkeypatch.setattr(exporting, "FORSAKEN_SECONDS", 0.0)
    exporting.export(base, searching.search(base, "mate"), tmp_path / "two.csv")
    assert sorted(path.name for path in tmp_path.iterdir()) == [other.name, "one.csv", "two.csv"]

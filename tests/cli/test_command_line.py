"""The headless twin as a user meets it: output forms, exit codes, streams, signals."""

from __future__ import annotations

import csv
import gc
import gzip
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from cqlgui.base import errors
from cqlgui.cli import arguments, opening, run
from cqlgui.cli.searching import command as search_command
from cqlgui.jit import native
from cqlgui.tasks.export import exporting, hit_table
from cqlgui.tasks.results import base_model
from tests import helpers

MATE = '[White "A"]\n[Black "B"]\n[Result "0-1"]\n[Date "1900.01.02"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n'
QUIET = '[White "C"]\n\n1. e4 e5 2. Nf3 *\n\n'


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "a.pgn"
    path.write_text(QUIET + MATE)
    return path


def answer(*arguments: str | Path) -> dict:
    run = helpers.cli(*arguments)
    assert run.code == 0, run.err
    return json.loads(run.out)


def test_import_and_info_print_what_is_in_a_file(source: Path) -> None:
    run = helpers.cli("import", source)
    assert (run.code, run.out.split(",")[0]) == (0, "2 games")
    assert "9 positions, 0 bad games" in run.out
    again = answer("import", source, "--json")
    assert (again["games"], again["reused"], again["bad_games"]) == (2, 2, [])
    assert answer("info", source, "--json")["sources"] == [
        {"file": str(source), "first": 1, "games": 2, "positions": 9}
    ]
    assert "games      2" in helpers.cli("info", source).out


def test_garbage_is_seldom_looked_for_in_commands_that_end(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, during = gc.get_threshold(), []
    monkeypatch.setattr(run, "_command", lambda _: lambda _: during.append(gc.get_threshold()) or 0)
    for words in (["search", str(source), "-e", "mate"], ["lsp"]):
        assert run.main(words) == 0
        assert gc.get_threshold() == before
    assert during == [(run._SELDOM, *before[1:]), before]


def test_search_answers_one_object(source: Path) -> None:
    found = answer("search", source, "-e", "flipcolor {btm mate}", "--json")
    assert (found["games"], found["positions"], found["count"]) == ([2], [[2, 4]], 1)
    assert (found["engine"], found["bad_games"], found["sources"][0]["games"]) == (helpers.ENGINE, 0, 2)
    (orbit,) = found["orbit"]
    assert orbit["transform"] == "flipcolor"
    assert orbit["span"] == {"offset": 0, "length": 20}
    assert {"text", "transform", "words", "games", "positions"} == set(orbit["elements"][0])
    assert "values" not in found


def test_games_that_could_not_be_searched_are_counted(source: Path) -> None:
    run = helpers.cli("search", source, "-e", "if mate while (true) {x = 1}")
    assert run.code == 0, run.err
    assert "1 of 2 games matches (4 positions), 1 could not be searched, " in run.err
    # Where every game failed the query is at fault.
    run = helpers.cli("search", source, "-e", "while (true) {x = 1}")
    assert run.code == 1, run.err
    assert "0 of 2 games match (0 positions), 2 could not be searched, " in run.err
    assert "could not" not in helpers.cli("search", source, "-e", "mate").err


def test_values_order_and_sort_keys_come_on_request(source: Path) -> None:
    found = answer("search", source, "-e", 'sort "n" ply', "--json", "--values")
    assert (found["order"], found["sortkeys"]) == ([2, 1], {"n": [[2, 4], [1, 3]]})
    assert [2, 4, "4"] in found["values"]


def test_what_a_query_writes_comes_with_the_answer(source: Path) -> None:
    query = 'cql(sort matchcount 1 9) btm comment("x") settag("N" "t") removecomment message quiet ply'
    found = answer(
        "search", source, "-e", f'{query} sort "matchcount" ply sort min "m" #[Aa]', "--json", "--values"
    )
    assert found["comments"][:3] == [[1, 0, "Game number 1"], [1, 1, "x"], [1, 1, "CQL"]]
    assert found["messages"] == [[1, "1"], [1, "3"], [2, "1"], [2, "3"]]
    assert found["tags"] == [[1, "N", "t"], [2, "N", "t"]]
    assert found["removed_comments"] == [[1, 1], [1, 3], [2, 1], [2, 3]]
    assert [(key["doc"], key["order"], key["quiet"]) for key in found["sort"]] == [
        ("matchcount", "descending", False), ("m", "ascending", False), ("matchcount", "descending", False),
    ]  # fmt: skip
    assert [key["values"] for key in found["sort"]] == [
        [[1, 3], [2, 3]],
        [[1, 32], [2, 32]],
        [[1, 2], [2, 2]],
    ]
    assert list(found["sortkeys"]) == ["matchcount", "m", "matchcount (2)"]
    said = helpers.cli("search", source, "-e", 'initial message("here")', "--count")
    assert said.err.splitlines()[:2] == ["Game: 1 move 1(wtm): here", "Game: 2 move 1(wtm): here"]
    assert said.out == "2 games, 2 positions\n"


def test_switches_override_the_header(source: Path) -> None:
    def games(*words: str) -> list[int]:
        return answer("search", source, "-e", 'cql(gamenumber 1 quiet) btm comment("x")', "--json", *words)[
            "games"
        ]

    def comments(*words: str) -> list[str]:
        found = answer("search", source, "-e", "cql(gamenumber 1) btm ply==1", "--json", *words)
        return [text for _, _, text in found.get("comments", ())]

    assert (games(), games("--gamenumber", "2"), games("--gamenumber", "1-2")) == ([1], [2], [1, 2])
    assert (games("--matchcount", "2-3"), games("--matchcount", "9")) == ([1], [])
    assert comments() == ["Game number 1", "CQL"]
    assert comments("--quiet") == ["Game number 1"]
    assert comments("--silent") == []
    assert comments("--matchstring", "hit", "--noheader") == ["hit"]
    assert (games("--gamenumber", "2-"), games("--gamenumber", "1-")) == ([2], [1, 2])
    assert games("--matchcount", "1-") == [1]


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("--gamenumber=-1", "a number from 1, or two as in 2-5, was expected, not '-1'"),
        ("--gamenumber=0", "a number from 1, or two as in 2-5, was expected, not '0'"),
        ("--gamenumber=x", "a number from 1, or two as in 2-5, was expected, not 'x'"),
        ("--gamenumber=1-x", "a number from 1, or two as in 2-5, was expected, not '1-x'"),
        ("--gamenumber=-", "a number from 1, or two as in 2-5, was expected, not '-'"),
        ("--matchcount=-1", "a number from 0, or two as in 2-5, was expected, not '-1'"),
        ("--matchcount=3-2", "the smaller number stands first"),
    ],
)
def test_bounds_that_are_none_are_refused(word: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        arguments.parser().parse_args(["search", "a.pgn", "-e", "mate", word])
    assert stopped.value.code == 2
    assert said in capsys.readouterr().err


def test_switches_without_effect_are_told(source: Path, tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere"
    run = helpers.cli(
        "search",
        source,
        "-e",
        "mate",
        "--count",
        "--annotate",
        "--allow-read",
        nowhere,
        "--allow-write",
        source,
    )
    assert (run.code, run.out) == (0, "1 game, 1 position\n")
    said = run.err.splitlines()
    assert any("--annotate" in line for line in said)
    assert any("--allow-read" in line and str(nowhere) in line for line in said)
    assert any("--allow-write" in line and str(source) in line for line in said)
    effective = helpers.cli(
        "search", source, "-e", "mate", "--annotate", "-o", tmp_path / "o.pgn", "--allow-read", tmp_path
    )
    assert effective.code == 0
    assert not any(word in effective.err for word in ("--annotate", "--allow-read"))


def test_a_query_names_files_only_where_that_is_allowed(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "found.pgn"
    query = f'cql(input "{source}" output "{out}") mate'
    refused = helpers.cli("search", "-e", query)
    assert (refused.code, "--allow-read" in refused.err) == (2, True)
    run = helpers.cli("search", "-e", query, "--allow-read", tmp_path, "--count")
    assert (run.code, run.out) == (0, "1 game, 1 position\n")
    assert "--allow-write" in run.err
    assert not out.exists()
    assert helpers.cli("search", source, "-e", query, "--allow-write", tmp_path).code == 0
    assert out.read_text() == MATE.strip() + "\n"
    nothing = helpers.cli("search", "-e", "mate")
    assert (nothing.code, "No file to search in" in nothing.err) == (2, True)


def test_links_that_lead_to_themselves_lie_in_no_folder(source: Path, tmp_path: Path) -> None:
    loop = tmp_path / "loop.pgn"
    try:
        loop.symlink_to(loop)
    except OSError:
        pytest.skip("no links can be made here")
    read = helpers.cli("search", "-e", f'cql(input "{loop}") mate', "--allow-read", tmp_path)
    assert (read.code, f"may not read {loop}" in read.err) == (2, True)
    query = f'cql(output "{loop}") mate'
    written = helpers.cli("search", source, "-e", query, "--allow-write", tmp_path, "--count")
    assert (written.code, f"may not write {loop}" in written.err) == (0, True)
    allowed = helpers.cli(
        "search", source, "-e", query, "--allow-write", loop, "--allow-read", loop, "--count"
    )
    assert (allowed.code, allowed.err.count(f"allows nothing, for {loop} is no folder")) == (0, 2)
    found = helpers.cli("search", source, "-e", 'message readfile "x.cql"', "--allow-read", loop)
    assert (found.code, "error[" in found.err) == (1, True)


def test_hits_stream_as_lines(source: Path) -> None:
    record = answer("search", source, "-e", "mate", "--jsonl")
    assert (record["game"], record["positionid"], record["ply"], record["date"]) == (2, 4, 4, "1900.01.02")
    assert tuple(record) == hit_table.FIELDS
    rows = list(csv.DictReader(io.StringIO(helpers.cli("search", source, "-e", "mate", "--csv").out)))
    assert [row["white"] for row in rows] == ["A"]
    assert helpers.cli("search", source, "-e", "mate", "--count").out == "1 game, 1 position\n"
    assert "A - B 0-1" in helpers.cli("search", source, "-e", "mate").out


def test_a_batch_answers_a_line_each(source: Path, tmp_path: Path) -> None:
    batch = tmp_path / "batch.jsonl"
    lines = [
        json.dumps({"id": "a", "query": "mate"}),
        json.dumps({"id": "b", "query": "matte"}),
        "broken",
        json.dumps({"id": "c", "query": "initial", "variations": True}),
        json.dumps({"id": "d", "query": "initial", "variations": "yes"}),
        '{"id": NaN, "query": "mate"}',
        '{"id": 1e999, "query": "mate"}',
    ]
    batch.write_text("\n".join(lines))
    run = helpers.cli("search", source, "--batch", batch, "--values")
    assert run.code == 0
    found = [json.loads(line) for line in run.out.splitlines()]
    assert [one["id"] for one in found] == ["a", "b", None, "c", "d", None, None]
    assert found[0]["games"] == [2]
    assert found[1]["error"]["offset"] == 0
    assert found[2]["error"]["code"] == "batch"
    assert found[3]["count"] == 2
    assert found[4]["error"]["code"] == "batch"
    assert '"variations" in line 5' in found[4]["error"]["message"]
    assert found[5]["error"]["code"] == found[6]["error"]["code"] == "batch"


def test_a_file_that_changes_costs_a_batch_only_the_answers_with_its_hits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sources = [tmp_path / "a.pgn", tmp_path / "b.pgn"]
    sources[0].write_text('[Result "*"]\n\n1. e4 *\n')
    sources[1].write_text('[Result "*"]\n\n1. d4 *\n')
    batch = tmp_path / "batch.jsonl"
    lines = [
        json.dumps({"id": id_, "query": query}) for id_, query in enumerate(("Pe4", "Pd4", "Pe4", "Pe3"))
    ]
    batch.write_text("\n".join(lines))
    opened = opening.open_base

    def open_and_change(*given: object) -> base_model.ImportReport:
        report = opened(*given)  # type: ignore[arg-type]  # the arguments of the command
        sources[1].write_text('[Result "*"]\n\n1. c4 *\n')
        return report

    monkeypatch.setattr(opening, "open_base", open_and_change)
    code = run.main(["search", *map(str, sources), "--batch", str(batch)])
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert code == 2
    assert [one["id"] for one in found] == [0, 1, 2, 3]
    assert [one.get("games") for one in found] == [[1], None, [1], []]
    assert "b.pgn has changed" in found[1]["error"]["message"]


def test_main_lines_only_holds_in_a_batch_too(tmp_path: Path) -> None:
    source, batch = tmp_path / "branches.pgn", tmp_path / "batch.jsonl"
    source.write_text("1. e4 (1. d4 d5) 1... e5 *\n")
    batch.write_text(json.dumps({"query": "true", "variations": True}))
    run = helpers.cli("search", source, "--batch", batch, "--mainline")
    alone = helpers.cli("search", source, "-e", "true", "--mainline", "--json")
    everywhere = helpers.cli("search", source, "-e", "true", "--variations", "--json")
    found = json.loads(run.out)["positions"]
    assert found == json.loads(alone.out)["positions"]
    assert found != json.loads(everywhere.out)["positions"]


def test_the_query_is_not_overwritten(source: Path, tmp_path: Path) -> None:
    query = tmp_path / "query.jsonl"
    query.write_text("mate")
    run = helpers.cli("search", source, "--query-file", query, "-o", query)
    assert run.code != 0
    assert "is the query and is not overwritten" in run.err
    assert query.read_text() == "mate"


@pytest.mark.parametrize("form", [[], ["--json"], ["--engine", "interpreter", "--json"]])
def test_a_variable_without_a_value_stops_the_search_and_ends_with_one(source: Path, form: list[str]) -> None:
    run = helpers.cli("search", source, "-e", "initial or {piece T in k mate T}", *form)
    assert run.code == 1
    assert "query:1:31: error[stopped]: The search stopped at game 2: The variable T has no value" in run.err
    assert run.err.count("has no value") == 1
    if form:
        found = json.loads(run.out)
        assert found["games"] == [1]
        assert found["stopped"]["offset"] == 30
    else:
        assert run.out.startswith("1: C - ? ")


@pytest.mark.parametrize(
    "query",
    [
        "initial or {piece T in k mate T}",
        "assert gamenumber < 2",
        'similarposition "GAMES.PGN"',
    ],
)
def test_a_search_that_fails_leaves_the_file_for_its_hits_alone(
    source: Path, tmp_path: Path, query: str
) -> None:
    for name in ("games.pgn", "new.pgn"):
        output = tmp_path / name
        if name == "games.pgn":
            output.write_text("earlier results")
        run = helpers.cli(
            "search", source, "-e", query, "--allow-read", tmp_path, "--overwrite", "-o", output
        )
        assert run.code == 1
        assert f"Nothing was written to {output}, as the search failed." in run.err
        assert output.exists() == (name == "games.pgn")
    assert (tmp_path / "games.pgn").read_text() == "earlier results"


def test_a_file_is_not_replaced_by_what_only_some_games_were_searched_for(
    source: Path, tmp_path: Path
) -> None:
    (tmp_path / "A.cql").write_text("x")
    query = 'initial (gamenumber > 1 or readfile "typo.cql" == "x")'
    old, new = tmp_path / "old.pgn", tmp_path / "new.pgn"
    old.write_text("earlier results")
    run = helpers.cli("search", source, "-e", query, "--allow-read", tmp_path, "--overwrite", "-o", old)
    assert (run.code, old.read_text()) == (1, "earlier results")
    assert f"Nothing was written to {old}, as some games could not be searched." in run.err
    run = helpers.cli("search", source, "-e", query, "--allow-read", tmp_path, "-o", new)
    assert (run.code, new.exists()) == (0, True)
    assert "1 could not be searched" in run.err


def test_a_query_writes_over_no_source_and_through_no_link(source: Path, tmp_path: Path) -> None:
    for name in ("games.cqo", "other.pgn"):
        (tmp_path / name).write_bytes(source.read_bytes())
    (tmp_path / "link.cqo").symlink_to(tmp_path / "other.pgn")
    games = tmp_path / "games.cqo"
    for name, words in (("games.cqo", "is a source of this base"), ("link.cqo", "leads to other.pgn")):
        query = f'initial writefile("{name}" "x")'
        run = helpers.cli("search", games, "-e", query, "--allow-write", tmp_path, "--count")
        assert run.code == 1
        assert words in run.err
    for name in ("games.cqo", "other.pgn"):
        assert (tmp_path / name).read_bytes() == source.read_bytes()


def test_a_query_writes_over_nothing_that_the_user_named(source: Path, tmp_path: Path) -> None:
    query, batch = tmp_path / "q.cql", tmp_path / "batch.cql"
    query.write_text('initial writefile("q.cql" "x")')
    batch.write_text(json.dumps({"query": 'initial writefile("batch.cql" "x")'}))
    before = query.read_text(), batch.read_text()
    run = helpers.cli("search", source, "--query-file", query, "--allow-write", tmp_path, "--count")
    assert run.code == 1
    assert "q.cql is the query and is not overwritten" in run.err
    run = helpers.cli("search", source, "--batch", batch, "--allow-write", tmp_path)
    assert "batch.cql is the list of queries and is not overwritten" in run.out
    assert (query.read_text(), batch.read_text()) == before


def test_an_output_takes_the_place_of_nothing_that_was_to_be_searched(source: Path, tmp_path: Path) -> None:
    broken, named = tmp_path / "broken.pgn", tmp_path / "named.pgn"
    broken.write_bytes(b"\x1f\x8bno archive")
    named.write_text("1. e4 *")
    for query, output, words in (
        ("mate", broken, "is to be searched"),
        (f'cql(input "{named}") mate', named, "is named in the query as its input"),
    ):
        before = output.read_bytes()
        run = helpers.cli("search", source, broken, "-e", query, "-o", output)
        assert run.code not in (0, None)
        assert f"{output} {words} and is not overwritten" in run.err
        assert output.read_bytes() == before


def test_a_file_is_not_replaced_where_a_source_could_not_be_read(source: Path, tmp_path: Path) -> None:
    output, cut = tmp_path / "out.pgn", tmp_path / "cut.pgn.gz"
    output.write_text("earlier results")
    cut.write_bytes(gzip.compress(source.read_bytes())[:-30])
    for files in ([cut], [source, tmp_path / "missing.pgn"]):
        run = helpers.cli("search", *files, "-e", "true", "--overwrite", "-o", output)
        assert run.code != 0
        assert output.read_text() == "earlier results"
    run = helpers.cli("search", cut, "-e", "true", "--overwrite", "-o", output)
    assert (run.code, f"Nothing was written to {output}, as not all of the files" in run.err) == (1, True)
    (tmp_path / "new").mkdir()
    run = helpers.cli("search", cut, "-e", "true", "-o", tmp_path / "new" / "out.pgn")
    assert (run.code, (tmp_path / "new" / "out.pgn").exists()) == (0, True)


@pytest.mark.skipif(not Path("/dev/stdin").exists(), reason="there is no /dev/stdin here")
@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
def test_what_comes_by_standard_input_is_not_overwritten(source: Path, tmp_path: Path, name: str) -> None:
    query, games = tmp_path / "q.cql", tmp_path / "g.cql"
    query.write_text('initial writefile("q.cql" "gone")')
    games.write_bytes(source.read_bytes())
    written = ["-e", 'initial writefile("g.cql" "gone")']
    for kept, words in ((query, [source, "--query-file", name]), (games, ["/dev/stdin", *written])):
        before = kept.read_bytes()
        command = [sys.executable, "-m", "cqlgui", "search", *map(str, words), "--allow-write", str(tmp_path)]
        with kept.open("rb") as stream:
            run = subprocess.run(
                command, stdin=stream, cwd=helpers.ROOT, capture_output=True, text=True, check=False
            )
        assert (run.returncode, kept.read_bytes()) == (1, before)
        assert "and is not overwritten" in run.stderr


def test_a_batch_tells_of_an_output_that_is_not_written(source: Path, tmp_path: Path) -> None:
    batch = tmp_path / "batch.jsonl"
    batch.write_text(json.dumps({"query": "cql(output x.pgn) true"}))
    run = helpers.cli("search", source, "--batch", batch, "--allow-write", tmp_path)
    assert "Line 1: --batch prints JSON, so the query's output is not written." in run.err
    assert json.loads(run.out)["count"] > 0


def test_an_empty_name_allows_no_folder(source: Path) -> None:
    run = helpers.cli("search", source, "-e", "mate", "--allow-write", "", "--count")
    assert run.code == 2
    assert "the name of the folder is empty" in run.err


def test_a_search_that_stops_is_a_line_of_a_batch(source: Path, tmp_path: Path) -> None:
    batch = tmp_path / "queries.jsonl"
    queries = ["initial or {piece T in k mate T}", "mate"]
    batch.write_text("\n".join(json.dumps({"id": text, "query": text}) for text in queries))
    run = helpers.cli("search", source, "--batch", batch)
    assert run.code == 0
    stopped, whole = map(json.loads, run.out.splitlines())
    assert (stopped["games"], stopped["stopped"]["game"]) == ([1], 2)
    assert (whole["games"], "stopped" in whole) == ([2], False)


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_rejected_query_ends_with_one(source: Path, form: list[str]) -> None:
    run = helpers.cli("search", source, "-e", "mate\n matte", *form)
    assert run.code == 1
    assert "query:2:2: error[" in run.err
    if form:
        error = json.loads(run.out)["error"]
        assert (error["offset"], error["length"], error["line"], error["column"]) == (6, 5, 2, 2)
        assert set(error) == {"offset", "length", "line", "column", "code", "message", "hint"}
    else:
        assert run.out == ""


def test_what_is_not_built_yet_says_so(source: Path) -> None:
    run = helpers.cli("search", source, "-e", 'mate fen ~~ "x+"', "--json", "--engine", "compiled")
    error = json.loads(run.out)["error"]
    assert (run.code, error["code"], error["offset"]) == (1, "not-yet", 5 if native.available() else 0)


@pytest.mark.skipif(not native.available(), reason="queries are compiled with llvmlite only")
def test_the_engine_can_be_chosen(source: Path) -> None:
    found = [
        answer("search", source, "-e", "flipcolor {btm mate}", "--json", "--values", "--engine", engine)
        for engine in ("auto", "compiled", "interpreter")
    ]
    assert [one.pop("engine") for one in found] == ["compiled", "compiled", "interpreted"]
    assert [one.pop("reason") for one in found] == ["", "", "the interpreter was asked for"]
    for one in found:
        del one["seconds"]
    assert found[0] == found[1] == found[2]
    assert answer("explain", "-e", "mate", "--json")["engine"] == "compiled"
    assert answer("explain", "-e", 'fen ~~ "x+"', "--json")["engine"] == "interpreted"


def test_format_prints_either_spelling_and_leaves_the_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "q.cql"
    path.write_text("// A\nflipcolor K\n", encoding="utf-8")
    assert helpers.cli("format", path, "--unicode").out == "// A\n⬓ ♔\n"
    assert path.read_text(encoding="utf-8") == "// A\nflipcolor K\n"
    assert helpers.cli("format", "-", "--ascii", stdin="⬓♔  ").out == "flipcolor K\n"
    assert helpers.cli("format", "-e", "⬓ K").out == "⬓ K\n"
    assert helpers.cli("format").code == 2
    faulty = helpers.cli("format", "-e", "flippcolor ♔", "--ascii")
    assert faulty.code == 1
    assert faulty.out == "flippcolor K\n"
    assert "undeclared-name" in faulty.err


def test_help_tells_all_about_a_keyword_or_lists_them() -> None:
    run = helpers.cli("help", "flipcolor")
    assert run.code == 0
    assert "⬓" in run.out
    assert "example" in run.out
    assert answer("help", "⬓", "--json")["name"] == "flipcolor"
    assert helpers.cli("help", "--").out.startswith("--  ")
    listed = helpers.cli("help").out
    assert "TRANSFORM" in listed
    assert "anydirection" in listed
    missing = helpers.cli("help", "flippcolor")
    assert missing.code == 2
    assert "Did you mean flipcolor?" in missing.err


def test_usage_and_source_errors_end_with_two(tmp_path: Path, source: Path) -> None:
    assert helpers.cli("search", source).code == 2
    assert helpers.cli("search", source, "-e", "mate", "--threads", "0").code == 2
    # So many are not started.
    assert helpers.cli("search", source, "-e", "mate", "--threads", "1000000").code == 0
    missing = helpers.cli("search", tmp_path / "none.pgn", "-e", "mate")
    assert missing.code == 2
    assert "does not exist" in missing.err
    assert helpers.cli("import", tmp_path).code == 2
    assert helpers.cli("search", source, "--query-file", tmp_path / "none.cql").code == 2
    assert helpers.cli("explain", source, "-e", "mate", "--game", "1").code == 2
    assert helpers.TRACEBACK not in missing.err


def test_a_damaged_file_among_several_is_named_and_the_others_are_used(tmp_path: Path, source: Path) -> None:
    damaged = tmp_path / "damaged.zip"
    damaged.write_bytes(b"PK\x03\x04 and nothing more")
    for command, said in (
        (("import",), "2 games"),
        (("info",), "games      2"),
        (("search", "-e", "initial", "--count"), "2 games"),
    ):
        name, *more = command
        found = helpers.cli(name, damaged, source, *more)
        assert said in found.out
        assert found.code == 2
        assert "damaged.zip" in found.err
    report = helpers.cli("import", source, damaged, "--json")
    assert json.loads(report.out)["unreadable"] == [str(damaged)]
    none = helpers.cli("search", damaged, "-e", "initial", "--count")
    assert (none.code, none.out) == (2, "")


def test_check_lists_diagnostics() -> None:
    run = helpers.cli("check", "-e", "matte Q", "--json")
    assert run.code == 1
    first = json.loads(run.out)[0]
    words = ["severity", "code", "message", "hint", "line", "column", "offset", "length", "fix"]
    assert list(first) == words
    good = helpers.cli("check", "-e", "mate", "--json")
    assert (good.code, json.loads(good.out)) == (0, [])


def test_check_names_what_only_this_program_knows() -> None:
    run = helpers.cli("check", "-e", "mate pgn clk < 10", "--json")
    (note,) = json.loads(run.out)
    assert (run.code, note["severity"], note["code"], note["column"]) == (0, "note", "extension", 6)
    assert (
        "note[extension]: `pgn clk` is an extension of cqlgui." in helpers.cli("check", "-e", "pgn clk").err
    )


def test_orbit_lists_elements() -> None:
    (orbit,) = answer("orbit", "-e", "flipvertical {Kb2}", "--json")
    assert [element["text"] for element in orbit["elements"]] == ["Kb2", "Kg2"]
    assert set(orbit) == {"transform", "span", "elements", "invalid", "duplicates"}
    assert "left and right mirrored" in helpers.cli("orbit", "-e", "flipvertical {Kb2}").out
    assert helpers.cli("orbit", "-e", "{").code == 1


def test_explain_tells_the_truth_of_each_part(source: Path) -> None:
    truth = answer("explain", "-e", "mate and wtm", source, "--game", "2", "--position", "4", "--json")
    assert truth["matched"]
    assert [part["text"] for part in truth["parts"]] == ["mate", "wtm"]
    run = helpers.cli("explain", "-e", "Ka1", "--fen", "8/8/8/8/8/8/8/K1k5 w - - 0 1")
    assert (run.code, run.out[0]) == (0, "+")
    assert f"engine    {helpers.ENGINE}" in helpers.cli("explain", "-e", "flip Ka1").out


def test_explain_counts_what_each_step_leaves(source: Path) -> None:
    query = "cql(gamenumber 1 2) ply < 300 mate year > 1800 K"
    games = answer("info", source, "--json")["games"]
    plan = answer("explain", "-e", query, source, "--json")["plan"]
    steps = [(step["means"], step["text"]) for step in plan[:3]]
    assert steps == [("header", "cql(gamenumber 1 2)"), ("signature", "mate"), ("catalog", "year > 1800")]
    left = [step["games"] for step in plan if step["games"] is not None]
    assert left == sorted(left, reverse=True)
    assert left[0] == min(games, 2)
    found = answer("search", source, "-e", query, "--json")["count"]
    assert found <= left[-1] <= left[0]
    whole = helpers.cli("explain", "-e", query).out
    assert "asked of signatures  mate" in whole
    either = answer("explain", "-e", 'player "nobody" or mate', source, "--json")["plan"]
    assert (either[0]["means"], either[0]["games"]) == ("together", 1)
    # What is said is said in all games, whatever their signatures tell.
    heard = answer("explain", "-e", 'message ("x") mate', source, "--json")["plan"]
    assert {step["games"] for step in heard} <= {games, None}
    every = answer("explain", "-e", "persistent x += 1", source, "--json")["plan"]
    assert [(step["means"], step["games"]) for step in every] == [("compiled", games), ("interpreted", None)]


def test_matches_are_written_to_a_file(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.pgn"
    run = helpers.cli("search", source, "-e", "mate", "-o", out)
    assert (run.code, run.out) == (0, "")
    assert out.read_text() == MATE.strip() + "\n"
    assert helpers.cli("search", source, "-e", "mate", "-o", source).code == 2


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["search", "{}/a.pgn", "-e", "mate", "-o", "{}/out.csv"], "out.csv"),
        (["search", "{}/a.pgn", "-e", "mate", "--jsonl", "--study", "-o", "{}/out.pgn"], "out.pgn"),
        (["search", "{}/a.pgn", "-e", "mate", "--study", "-o", "{}/out.pgn"], "out-1.pgn"),
        (["search", "{}/a.pgn", "-e", 'cql(output "{}/out.pgn") mate', "--allow-write", "{}"], "out.pgn"),
        (["study", "{}/s.toml", "-o", "{}/out.csv"], "out.csv"),
        (["study", "{}/s.toml", "--resume", "-o", "{}/out.csv"], "out.csv"),
        (["duplicates", "{}/a.pgn", "-o", "{}/out.pgn"], "out.pgn"),
        (["translate", "{}/old.cql", "-o", "{}/out.cql"], "out.cql"),
    ],
)
def test_a_file_is_overwritten_only_on_request(
    source: Path, tmp_path: Path, words: list[str], name: str
) -> None:
    (tmp_path / "s.toml").write_text('bases = ["a.pgn"]\n[[query]]\ntext = "mate"\n')
    (tmp_path / "old.cql").write_text("(match (position Ka1))")
    out = tmp_path / name
    out.write_text("mine")
    words = [word.replace("{}", str(source.parent)) for word in words]
    run = helpers.cli(*words)
    assert (run.code, run.out, out.read_text()) == (2, "", "mine")
    # Nothing was read, searched or printed before.
    perhaps = ", perhaps from an earlier run. Move it away, or add --overwrite."
    words_for = perhaps if name == "out-1.pgn" else ". Add --overwrite to replace it."
    assert run.err == f"cqlgui: {out} exists{words_for}\n"
    run = helpers.cli(*words, "--overwrite")
    assert run.code == 0, run.err
    assert ("left alone: out-1.pgn" in run.err) == (name == "out-1.pgn") == (out.read_text() == "mine")
    words = [word.replace("/out.", "/none/out.") for word in words]
    run = helpers.cli(*words)
    assert (run.code, run.out) == (2, "")
    assert "there is no folder" in run.err or "may write" in run.err


def test_an_output_that_is_no_file_is_not_taken_for_one_that_exists(source: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    run = helpers.cli("search", source, "-e", "mate", "-o", pipe)
    assert "it is no ordinary file" in run.err
    # What is read is never replaced, whatever is asked.
    for more in ([], ["--overwrite"]):
        run = helpers.cli("search", source, "-e", "mate", "-o", source, *more)
        assert (run.code, "is to be searched and is not overwritten" in run.err) == (2, True)


def test_each_format_has_as_many_hits_as_are_counted(source: Path, tmp_path: Path) -> None:
    counted = helpers.cli("search", source, "-e", "check", "--count").out
    games, positions = (int(word) for word in re.findall(r"\d+", counted))
    for ending in ("csv", "jsonl", "epd", "html", "tex", "tsv", "pgn"):
        run = helpers.cli("search", source, "-e", "check", "-o", tmp_path / f"out.{ending}")
        assert run.code == 0
        said = re.match(r"(\d+) games?, (\d+) hits? written", run.err)
        assert said is not None
        assert (int(said[1]), int(said[2])) == (games, positions)


def test_chapters_of_studies_are_told(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.pgn"
    run = helpers.cli("search", source, "-e", "mate", "--study", "-o", out)
    assert run.code == 0
    assert '[ChapterName "' in out.read_text()
    assert "--study changes nothing" in helpers.cli("search", source, "-e", "mate", "--study").err


def test_a_large_page_is_refused_with_the_option_that_allows_it(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.html"
    monkeypatch.setattr(exporting, "LARGE", 0)
    asked = arguments.parser("search").parse_args(["search", str(source), "-e", "mate", "-o", str(out)])
    with pytest.raises(errors.CqlguiError, match=r"1 diagrams.* Add --large to write it\."):
        search_command.run(asked)
    assert not out.exists()
    asked.large = True
    assert search_command.run(asked) == 0
    assert out.exists()


def test_a_query_comes_from_a_file_or_stdin(source: Path, tmp_path: Path) -> None:
    query = tmp_path / "q.cql"
    query.write_text("cql() mate")
    assert answer("search", source, "--query-file", query, "--json")["games"] == [2]
    run = helpers.cli("search", source, "--query-file", "-", "--count", stdin="mate")
    assert run.out == "1 game, 1 position\n"


def test_qt_is_never_loaded(source: Path) -> None:
    code = (
        "import sys\nfrom cqlgui.__main__ import main\n"
        f"assert main(['search', {str(source)!r}, '-e', 'mate', '--json']) == 0\n"
        "assert not [name for name in sys.modules if name.startswith('PySide6')]\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=helpers.ROOT, check=False)
    assert done.returncode == 0, done.stderr.decode()


NOT_LOADED = (
    *(
        "PySide6",
        "chess",
        "peewee",
        "pyarrow",
        "rapidfuzz",
        "regex",
        "distributed",
        "fsspec",
        "cqlgui.tasks.cluster",
        "cqlgui.tasks.databases.published",
        "cqlgui.tasks.databases.reading",
        "cqlgui.tasks.export.exporting",
    ),
    *("asyncio", "difflib", "logging.handlers", "multiprocessing", "secrets", "socket", "xml", "zstandard"),
)
"""What takes long to load and is of no use for a search on an indexed base."""


def test_a_search_on_an_indexed_base_loads_only_what_it_needs(source: Path) -> None:
    assert helpers.cli("import", source).code == 0
    code = (
        "import sys\nfrom cqlgui.__main__ import main\n"
        f"assert main(['search', {str(source)!r}, '-e', 'mate', '--count']) == 0\n"
        f"loaded = [name for name in {NOT_LOADED!r} if name in sys.modules]\nassert not loaded, loaded\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=helpers.ROOT, check=False)
    assert done.returncode == 0, done.stderr.decode()


def test_a_command_ends_at_once_unless_a_thread_still_works(source: Path) -> None:
    """What was registered for the end of the process is called, and the output is whole."""
    code = (
        "import atexit, os, sys, threading, time\n"
        "from cqlgui import __main__\n"
        "from cqlgui.cli import terminal\n"
        "ended, end = [], terminal.end\n"
        "terminal.end = lambda *given: (ended.append(given), end(*given))\n"
        "atexit.register(lambda: print('asked', len(ended)))\n"
        "def work():\n    time.sleep(2)\n    os.write(2, b'worked')\n"
        "if sys.argv.pop(1) == 'works': threading.Thread(target=work).start()\n"
        "__main__.program()\n"
    )
    for working in (False, True):
        words = ["works" if working else "ends", "search", str(source), "-e", "mate", "--count"]
        done = subprocess.run(
            [sys.executable, "-c", code, *words],
            capture_output=True,
            text=True,
            cwd=helpers.ROOT,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout == f"1 game, 1 position\nasked {int(not working)}\n"
        assert ("worked" in done.stderr) == working


def _failing(fault: str) -> str:
    """A program whose subcommand prints a line and then fails."""
    return (
        "import sys\nfrom cqlgui import __main__\nfrom cqlgui.base import errors\n"
        "from cqlgui.cli import run\n"
        f"def fail(parsed):\n    print('one line')\n    raise {fault}\n"
        "run._command = lambda parsed: fail\nsys.argv = ['cqlgui', 'help']\n__main__.program()\n"
    )


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ("errors.CqlguiError('refused')", 2),
        ("errors.Cancelled()", 130),
        ("KeyboardInterrupt", 130),
        ("OSError(5, 'broken')", 2),
        ("ValueError('a bug')", 70),
    ],
)
def test_what_was_printed_before_an_error_is_not_lost(fault: str, code: int, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _failing(fault)],
        env={**os.environ, "CQLGUI_HOME": str(tmp_path)},
        capture_output=True, text=True, cwd=helpers.ROOT, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (code, "one line\n"), done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_what_cannot_be_written_after_an_error_does_not_change_the_exit_code() -> None:
    program = _failing("errors.Cancelled")
    with Path("/dev/full").open("w") as full:
        for streams in ({"stdout": full}, {"stdout": full, "stderr": full}):
            done = subprocess.run([sys.executable, "-c", program], **streams, cwd=helpers.ROOT, check=False)
            assert done.returncode == 130


@pytest.mark.parametrize(
    ("tool", "report"),
    [(["cProfile", "-m"], "function calls"), (["trace", "--listfuncs", "--module"], "functions called:")],
)
def test_a_profiler_may_report_at_the_end(tool: list[str], report: str) -> None:
    command = [sys.executable, "-m", *tool, "cqlgui", "help", "mate"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=helpers.ROOT, check=False)
    assert done.returncode == 0, done.stderr
    assert report in done.stdout


@pytest.mark.skipif(not hasattr(sys, "monitoring"), reason="this Python has no sys.monitoring")
def test_a_tool_of_sys_monitoring_is_noticed() -> None:
    code = (
        "import sys\nfrom cqlgui.cli import run\nbefore = run._is_watched()\n"
        "sys.monitoring.use_tool_id(sys.monitoring.PROFILER_ID, 'profiler')\n"
        "assert (before, run._is_watched()) == (False, True)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=helpers.ROOT, check=False)
    assert done.returncode == 0, done.stderr.decode()


def test_an_interrupt_ends_the_program_while_its_modules_are_loaded() -> None:
    code = (
        "import os, signal, sys, types\nfrom cqlgui import __main__\n"
        # A shell starts programs in the background with interrupts ignored, and these tests may be one.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n__main__._end_when_interrupted()\n"
        "sys.modules['cqlgui.base.files.disk'] = types.ModuleType('half')\n"
        "signal.raise_signal(signal.SIGINT)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=helpers.ROOT, check=False)
    assert (done.returncode, done.stderr) == (130, b"")


def test_help_and_errors_of_usage_load_neither_language_nor_arrays() -> None:
    code = (
        "import sys\nfrom cqlgui.__main__ import main\n"
        "try: main(['search', '--help'])\nexcept SystemExit: pass\n"
        "loaded = [name for name in ('numpy', 'cqlgui.cql.ast.nodes', 'sqlite3') if name in sys.modules]\n"
        "assert not loaded, loaded\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=helpers.ROOT, check=False)
    assert done.returncode == 0, done.stderr.decode()


def test_the_window_needs_a_screen() -> None:
    environment = {
        k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    }
    done = subprocess.run(
        [sys.executable, "-m", "cqlgui"], capture_output=True, cwd=helpers.ROOT, env=environment, check=False
    )
    assert done.returncode == 2
    assert b"no screen" in done.stderr


def test_an_interrupt_while_the_command_is_loaded_ends_with_130() -> None:
    code = (
        "import signal, sys\n"
        "from cqlgui.__main__ import main\n"
        # Who runs in the background has it ignored.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "class Interrupts:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'cqlgui.cli.run':\n"
        "            signal.raise_signal(signal.SIGINT)\n"
        "sys.meta_path.insert(0, Interrupts())\n"
        "sys.exit(main(['help']))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=helpers.ROOT, check=False)
    assert (done.returncode, done.stderr) == (130, b"")


def test_an_interrupt_within_a_callback_is_not_lost() -> None:
    # Python prints what a callback raises and goes on; in the worst case a lock of the import stays held.
    code = (
        "import signal, sys, weakref\n"
        "from cqlgui.__main__ import main\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "class Watched: pass\n"
        "class Interrupts:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'cqlgui.cli.run':\n"
        "            watched = Watched()\n"
        "            kept = weakref.ref(watched, lambda _: signal.raise_signal(signal.SIGINT))\n"
        "            del watched\n"
        "sys.meta_path.insert(0, Interrupts())\n"
        "sys.argv = ['cqlgui', 'help']\n"
        "sys.exit(main())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=helpers.ROOT, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


def test_a_query_from_a_closed_input_is_refused(source: Path) -> None:
    words = [sys.executable, "-m", "cqlgui", "search", str(source), "--query-file", "-"]
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" <&-', "sh", *words], capture_output=True, cwd=helpers.ROOT, check=False
    )
    assert done.returncode == 2
    assert b"standard input" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full here")
def test_messages_that_cannot_be_written_spoil_no_search(source: Path) -> None:
    words = [sys.executable, "-m", "cqlgui", "search", str(source), "-e", 'message("x") mate', "--count"]
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" 2>/dev/full', "sh", *words],
        capture_output=True,
        cwd=helpers.ROOT,
        check=False,
    )
    assert done.returncode == 0
    assert done.stdout


def test_a_closed_pipe_is_no_fault(source: Path) -> None:
    source.write_text(QUIET * 3000)
    words = f"{sys.executable} -m cqlgui search {source} -e . --jsonl | head -1"
    done = subprocess.run(
        ["sh", "-c", words], capture_output=True, cwd=helpers.ROOT, check=False, timeout=120
    )
    assert done.stdout.count(b"\n") == 1
    assert b"Traceback" not in done.stderr
    assert b"BrokenPipe" not in done.stderr


def test_a_closed_pipe_before_a_file_is_written_is_told_by_the_exit_code(source: Path) -> None:
    source.write_text(QUIET * 3000)
    written = source.with_name("out.pgn")
    # The reader is gone before the first line; the shell tells the code of the program.
    search = f"{sys.executable} -m cqlgui search {source} -e . --jsonl -o {written}"
    words = f"{{ {{ {search}; echo $? >&3; }} | :; }} 3>&1"
    done = subprocess.run(
        ["sh", "-c", words], capture_output=True, cwd=helpers.ROOT, check=False, timeout=120
    )
    assert not written.exists()
    assert done.stdout == b"2\n"
    assert b"out.pgn may not have been written" in done.stderr


def test_an_output_that_cannot_be_written_is_told_in_a_sentence(source: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    full = b"cqlgui: The standard output cannot be written: No space left on device."
    forms = ("", "--json", "--jsonl", "--csv", "--count", "--tree 2", "--jsonl -o {}.epd")
    lines = [f"search {{}} -e . {form}" for form in forms]
    for words in (*lines, "info {}", "help mate", "--help", "study --list"):
        line = f"{sys.executable} -m cqlgui {words.replace('{}', str(source))} >/dev/full"
        done = subprocess.run(
            ["sh", "-c", line], capture_output=True, cwd=helpers.ROOT, check=False, timeout=120
        )
        assert done.returncode == 2, line
        assert full in done.stderr, line
        assert b"Traceback" not in done.stderr
    assert not source.with_name("a.pgn.epd").exists()
    line = f"{sys.executable} -m cqlgui search {source} -e . --count >&-"
    done = subprocess.run(["sh", "-c", line], capture_output=True, cwd=helpers.ROOT, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert b"Traceback" not in done.stderr
    assert b"bug in this program" not in done.stderr
    assert len(done.stderr.splitlines()) <= 1


def test_a_strangers_names_do_not_steer_the_terminal(source: Path) -> None:
    source.write_text('[White "\x1b[2J\x1b[31mEvil\x07"]\n[Black "B"]\n\n1. e4 Qh9 *\n')
    run = helpers.cli("search", source, "-e", "Pe4")
    assert "Evil" in run.out
    assert "\x1b" not in run.out
    run = helpers.cli("import", source)
    assert "\x1b" not in run.out + run.err


def test_an_import_tells_what_was_odd_as_well(tmp_path: Path) -> None:
    path = tmp_path / "odd.pgn"
    path.write_text('[White A]\n\n1. e4 *\n\n[White "cut of')
    report = answer("import", path, "--json")
    assert "has no quotes" in report["notes"][0]["reason"]
    assert ["not complete" in found["reason"] for found in report["bad_games"]] == [True]
    assert "note: the value of the tag White has no quotes" in helpers.cli("import", path).err


def test_a_number_that_is_none_is_quoted(source: Path) -> None:
    run = helpers.cli("search", source, "-e", "mate", "--threads", "abc")
    assert run.code == 2
    assert "a number from 1 was expected, not 'abc'" in run.err


@pytest.mark.parametrize("text", ["--(mate)", "--", "--Nf3 -- mate"])
def test_a_query_that_begins_with_the_dashes_of_a_move_is_no_option(source: Path, text: str) -> None:
    before = answer("search", source, "-e", f"{{{text}}}", "--json")["positions"]
    assert answer("search", source, "-e", text, "--json")["positions"] == before
    assert answer("check", "--json", "--expression", text) == []
    assert helpers.cli("format", "-e", text).out.rstrip() == text
    for command in (["orbit"], ["explain", "--fen", "6k1/8/8/8/8/8/8/K7 w - - 0 1"]):
        assert helpers.cli(*command, "-e", text).code == 0


def test_an_option_behind_e_is_no_query(source: Path) -> None:
    run = helpers.cli("search", source, "-e", "--json")
    assert run.code == 2
    assert "expected one argument" in run.err


@pytest.mark.parametrize(
    "query",
    [
        'mate similarposition "b.pgn"',
        'mate (readfile "b.pgn") ~~ "zzz" or mate',
        'initial hhdb mainline or similarposition "b.pgn"',
        'initial x = "b" s = readfile (x + ".pgn")',
    ],
)
def test_what_the_query_reads_is_not_overwritten(source: Path, tmp_path: Path, query: str) -> None:
    other = tmp_path / "b.pgn"
    other.write_bytes(source.read_bytes())
    before = other.read_bytes()
    run = helpers.cli("search", source, "-e", query, "--allow-read", tmp_path, "-o", other, "--variations")
    assert run.code != 0
    assert "is read by the query and is not overwritten" in run.err
    assert other.read_bytes() == before


@pytest.mark.skipif(os.name != "posix", reason="arguments are bytes on POSIX systems only")
@pytest.mark.parametrize("where", ["-e", "--matchstring"])
def test_words_that_are_no_text_are_refused(source: Path, tmp_path: Path, where: str) -> None:
    words: list[str | bytes] = [sys.executable, "-m", "cqlgui", "search", str(source), "-o", "out.html"]
    words += ["-e", "check"] if where != "-e" else []
    command = [os.fsencode(word) for word in words] + [where.encode(), b"check // \xff"]
    run = subprocess.run(
        command, cwd=tmp_path, env=dict(os.environ, PYTHONPATH=str(helpers.ROOT)),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 2
    assert "is not valid text (UTF-8) at character 10" in run.stderr
    assert "Traceback" not in run.stderr
    assert not (tmp_path / "out.html").exists()

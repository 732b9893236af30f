"""Engine and interpreter write the same comments into a PGN, and another program reads them."""

from __future__ import annotations

import io
from pathlib import Path

import chess.pgn
import pytest

from cqlgui.cql.interpreting.runtime import settings
from cqlgui.tasks.databases import importing
from cqlgui.tasks.export import exporting
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import narrowing, searching

GAMES = (
    '[Event "a"]\n[Result "1-0"]\n\n1. e4 e5 2. Bc4 Nc6 3. Bxf7+ {file} Kxf7 4. Qh5+ g6 1-0\n\n'
    '[Event "b"]\n[Result "*"]\n\n1. e4 f6 2. Qh5+ (2. d4 Kf7 3. Bc4+) g6 *\n\n'
)


@pytest.fixture
def base(tmp_path: Path) -> base_model.Base:
    path = tmp_path / "a.pgn"
    path.write_text(GAMES)
    return importing.open_base([path]).base


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ('cql(quiet) check comment("see } Nf3 1-0 x")', settings.Settings()),
        ('ply==3 find quiet {check comment("a}b")}', settings.Settings()),
        ('cql(variations) check comment("}")', settings.Settings()),
        ('comment("x") check', settings.Settings(smart_comments=False)),
        ('check comment("x") find comment("y") check', settings.Settings(smart_comments=False)),
        ("find check", settings.Settings(unique_comments=False)),
        ('comment("a") comment("a") check', settings.Settings(unique_comments=False)),
        ("cql(variations) line --> check --> .", settings.Settings(unique_comments=False)),
    ],
)
def test_both_write_the_same_comments(
    base: base_model.Base, query: str, said: settings.Settings, tmp_path: Path
) -> None:
    written = []
    for compiled in (True, False):
        for details in (search_model.Details.NONE, search_model.Details.ALL):
            options = search_model.SearchOptions(settings=said, compiled=compiled, details=details)
            result = searching.search(base, query, options)
            assert result.order
            path = tmp_path / f"{compiled}{details.name}.pgn"
            exporting.export(base, result, path, annotate=True)
            written.append(path.read_text())
    assert written == written[:1] * 4
    stream = io.StringIO(written[0])
    sources = {"a": 8, "b": 4}
    read = 0
    while (game := chess.pgn.read_game(stream)) is not None:
        assert not game.errors
        assert len(list(game.mainline_moves())) == sources[game.headers["Event"]]
        read += 1
    assert read == len(result.order)


def test_positions_of_another_query_cost_no_comments(base: base_model.Base, tmp_path: Path) -> None:
    """The second result has positions in variations, which the first query does not search."""
    written = []
    for compiled in (True, False):
        options = search_model.SearchOptions(compiled=compiled, details=search_model.Details.NONE)
        one = searching.search(base, "cql() find check", options)
        other = searching.search(base, "cql(variations) wtm", options)
        path = tmp_path / f"{compiled}.pgn"
        exporting.export(base, narrowing.either(one, other), path, annotate=True)
        written.append(path.read_text())
    assert written[0] == written[1]
    assert "Game number 1" in written[0]
    assert "Found" in written[0]


MODES = [
    search_model.SearchOptions(compiled=False),
    search_model.SearchOptions(),
    search_model.SearchOptions(details=search_model.Details.NONE),
]


def written(base: base_model.Base, result: search_model.SearchResult, path: Path) -> str:
    """The first game of an annotated export, its moves and comments on one line."""
    exporting.export(base, result, path, annotate=True, overwrite=True)
    return " ".join(path.read_text().split("\n\n")[1].split())


@pytest.mark.parametrize(
    ("first", "operation", "second", "expected"),
    [
        # A comment goes with the hit that wrote it, not with the position where it stands.
        ("ply>3 parent:comment(ply)", "and", "ply==4", "Bc4 {3} Nc6 {CQL} 3. Bxf7+ {file} Kxf7 4."),
        ("ply>3 parent:comment(ply)", "minus", "ply==5", "Nc6 {CQL} 3. Bxf7+ {file} {5} Kxf7 {CQL 6}"),
        # Two hits write the same comment; one of them is left.
        ("ply<2 find quiet {ply==3 comment(ply)}", "and", "ply==1", "Bc4 {3} Nc6"),
        # What is said about the whole game stays.
        ('cql(quiet) sort "k" ply', "and", "ply==3", "{Game number 1 k: 8} 1. e4"),
        ('cql(quiet) sort "k" {comment("late") ply} ply<3', "and", "ply==1", "4. Qh5+ g6 {late} 1-0"),
        # First the comments of the first query, then those of the second one.
        ("ply==4 find quiet {ply==5 comment(2)} comment(1)", "or", "ply==4 comment(3)", "Nc6 {1 CQL 3} 3."),
        ("ply==4 comment(1)", "or", "(ply==4 or ply==5) comment(1)", "Nc6 {1 CQL} 3. Bxf7+ {file} {1 CQL}"),
        ("ply==4 comment(1)", "or", "ply==4 comment(1)", "Nc6 {1 CQL} 3."),
    ],
)  # fmt: skip
def test_narrowed_results_keep_the_same_comments(
    base: base_model.Base, first: str, operation: str, second: str, expected: str, tmp_path: Path
) -> None:
    for options in MODES:
        one, other = (searching.search(base, query, options) for query in (first, second))
        made = narrowing.OPERATIONS[operation](one, other)
        assert expected in written(base, made, tmp_path / "made.pgn"), options


def test_a_union_is_narrowed_like_its_parts(base: base_model.Base, tmp_path: Path) -> None:
    for options in MODES:
        one, other = (
            searching.search(base, query, options) for query in ("ply<5 comment(1)", "ply>2 comment(2)")
        )
        made = narrowing.either(narrowing.without(one, searching.search(base, "ply==3", options)), other)
        made = narrowing.both(made, searching.search(base, "ply==3 or ply==4", options))
        text = written(base, made, tmp_path / "made.pgn")
        assert text.startswith(
            "{Game number 1} 1. e4 e5 2. Bc4 {2 CQL} Nc6 {1 CQL 2} 3. Bxf7+ {file} Kxf7"
        ), options


def test_a_part_and_the_whole_of_a_result_give_the_whole(base: base_model.Base, tmp_path: Path) -> None:
    for options in MODES:
        whole = searching.search(base, "3<=ply<=6 x=ply position 2:comment(x)", options)
        hits = whole.games.columns.hits
        made = narrowing.either(narrowing.among(whole, hits[1::2]), whole)
        assert written(base, made, tmp_path / "made.pgn") == written(base, whole, tmp_path / "whole.pgn")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ('initial comment("Game number 1")', "{Game number 1 CQL} 1. e4"),
        ('initial comment("Game number 2")', "{Game number 1 Game number 2 CQL} 1. e4"),
        ('ply==1 comment("Game number 1")', "{Game number 1} 1. e4 {Game number 1 CQL} e5"),
        ('ply==1 comment("CQL") comment("b")', "1. e4 {CQL b} e5"),
        ('ply==2 parent:comment("CQL")', "1. e4 {CQL} e5 {CQL} 2."),
        ('cql(matchstring "Game number 1") ply<2', "{Game number 1} 1. e4 {Game number 1} e5"),
    ],
)
def test_a_query_may_write_the_words_of_the_program(
    base: base_model.Base, query: str, expected: str, tmp_path: Path
) -> None:
    tables = []
    for options in MODES:
        result = searching.search(base, query, options)
        assert expected in written(base, result, tmp_path / "made.pgn"), options
        exporting.export(base, result, tmp_path / "a.csv")
        tables.append((tmp_path / "a.csv").read_text())
        (tmp_path / "a.csv").unlink()
    assert tables == tables[:1] * 3
    own = query.split('comment("')[1].split('"')[0] if "comment(" in query and "parent" not in query else ""
    assert own in tables[0].splitlines()[1].rpartition(",")[2]

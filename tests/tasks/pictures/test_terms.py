"""What is narrowed by moves and in pictures can be said as a term, and the command prints the same hits."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cqlgui.base import errors, progress
from cqlgui.jit import native
from cqlgui.tasks.analysis import continuations, facet_terms
from cqlgui.tasks.databases import importing
from cqlgui.tasks.pictures import histograms, square_maps, terms
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import searching
from tests import helpers

pytestmark = pytest.mark.skipif(not native.available(), reason="kernels are slow without machine code")
SAMPLE = helpers.ROOT / "resources" / "sample" / "sample.pgn"
QUERY = "flipcolor {K[g1,h1] check}"
KNIGHTS = 1 << 2 | 1 << 8
PLIES = 7
By, What = histograms.By, square_maps.What


@pytest.fixture
def base() -> base_model.Base:
    return importing.open_base([SAMPLE]).base


@pytest.fixture
def result(base: base_model.Base) -> search_model.SearchResult:
    return searching.search(base, QUERY)


def places(result: search_model.SearchResult) -> list[int]:
    found: list[int] = result.games.columns.hits.tolist()
    return found


def kept(text: str, base: base_model.Base, result: search_model.SearchResult) -> list[int]:
    return places(terms.parse(text, base)(base, result, progress.CancelToken()))


@pytest.mark.parametrize("framed", [False, True])
@pytest.mark.parametrize("by", By)
def test_bars(
    base: base_model.Base, result: search_model.SearchResult, by: histograms.By, *, framed: bool
) -> None:
    picture = histograms.histogram(base, result, by, normalised=framed)
    for bars in (picture.shown[:1], picture.shown[-1:]):
        expected = histograms.having(base, result, by, [bar.keys for bar in bars], normalised=framed)
        assert kept(terms.of_bars(picture, bars), base, result) == places(expected)
    some = picture.shown[::2]
    expected = histograms.having(base, result, by, [bar.keys for bar in some], normalised=framed)
    term = terms.of_bars(picture, some)
    assert kept(term, base, result) == places(expected)
    assert term.startswith("frame:") == (framed and by in histograms.FRAMED)
    assert 0 < expected.positions <= result.positions


@pytest.mark.parametrize("framed", [False, True])
@pytest.mark.parametrize("what", What)
@pytest.mark.parametrize("wanted", [KNIGHTS, square_maps.ALL_MEN])
def test_squares(
    base: base_model.Base,
    result: search_model.SearchResult,
    what: square_maps.What,
    wanted: int,
    *,
    framed: bool,
) -> None:
    choice = square_maps.Choice(what, wanted, PLIES)
    shown = square_maps.square_map(base, result, choice, normalised=framed).shown
    for chosen in (shown[:1], shown[1:4]):
        goal = sum(1 << square for square in chosen)
        expected = square_maps.on_squares(base, result, choice, goal, normalised=framed)
        assert kept(terms.of_squares(choice, chosen, framed=framed), base, result) == places(expected)
        assert expected.positions


@pytest.mark.parametrize("framed", [False, True])
def test_paths_of_a_man(base: base_model.Base, result: search_model.SearchResult, *, framed: bool) -> None:
    origin = square_maps.usual_origin(base, result, wanted=KNIGHTS, normalised=framed)
    choice = square_maps.WayChoice(origin, KNIGHTS, PLIES)
    shown = square_maps.ways(base, result, choice, normalised=framed).shown
    for chosen in (shown[:1], shown):
        goal = sum(1 << square for square in chosen)
        expected = square_maps.reaching(base, result, choice, goal, normalised=framed)
        assert kept(terms.of_ways(choice, chosen, framed=framed), base, result) == places(expected)
        assert expected.positions


@pytest.mark.parametrize("framed", [False, True])
def test_moves(base: base_model.Base, result: search_model.SearchResult, *, framed: bool) -> None:
    lines = continuations.lines(base, result, 3, normalised=framed)
    paths: list[tuple[int, ...]] = []
    for first in continuations.node(lines, ()).choices:
        paths.append((first.move,))
        for second in continuations.node(lines, (first.move,)).choices:
            paths.append((first.move, second.move))
    assert len(paths) > 50
    for path in paths:
        text = terms.of_moves(path, framed=framed)
        assert terms.moves(terms.split(text).value) == path
        expected = continuations.narrowed(lines, path, result)
        assert kept(text, base, result) == places(expected)
        assert expected.positions


def test_every_name_of_a_move_is_read() -> None:
    for move in range(continuations.END):
        name = continuations.name(move)
        (read,) = terms.moves(continuations.label((), move))
        assert continuations.name(read) == name
        # After a move of White, a move of Black has no number.
        if continuations.is_black(move):
            white = terms.moves("1.e4")[0]
            assert terms.moves(" ".join(continuations.numbered((white, move))))[1] == read


def test_moves_are_read_as_a_pgn_writes_them() -> None:
    assert (
        terms.moves("1. e4 e5  2.  Nf3") == terms.moves("1.e4 e5 2.Nf3") == terms.moves("1.e4 1...e5 2.Nf3")
    )
    assert terms.moves("1... Kh8+ 2.O-O-O#") == terms.moves("1...Kh8 2.O-O-O")


def test_alternatives_and_several_conditions(
    base: base_model.Base, result: search_model.SearchResult
) -> None:
    whites, draws = (kept(f"result={one}", base, result) for one in ("1-0", "1/2-1/2"))
    assert kept("result= 1-0 | 1/2-1/2", base, result) == sorted([*whites, *draws])
    early = set(kept("ply=0-60", base, result))
    run = helpers.cli(
        "search", SAMPLE, "-e", QUERY, "--where", "result=1-0", "--where", "ply=0-60", "--jsonl"
    )
    found = [row["game"] << 32 | row["positionid"] for row in map(json.loads, run.out.splitlines())]
    assert found == [place for place in whites if place in early]
    assert 0 < len(found) < len(whites)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("year", "write it as"),
        ("year=", "write it as"),
        ("nobody=3", "There is no condition nobody: known are then, year"),
        ("frame:year=1990", "the same in each frame"),
        ("year=x", "no number and no range for year"),
        ("year=9-8", "no number and no range"),
        ("year=1|", "“” is no number"),
        ("year=1111111111", "no number"),
        ("result=2-0", "they are 1-0, 1/2-1/2, 0-1"),
        ("opening=caro", "Did you mean Caro-Kann"),
        ("volume=F", "is no value of volume"),
        ("then=Kh8", "needs a number"),
        ("then=1.e4 1.", "needs a number|is no move"),
        ("then=1.e9", "is no move"),
        ("then=" + "1.e4 " * 21, "1 to 20 moves"),
        ("men=e5", "names no men"),
        ("men=N", "names no square"),
        ("men=N e9", "“e9” is no square"),
        ("arrivals=N e5", "“e5” is no number of plies"),
        ("arrivals=N 41 e5", "no number of plies from 1 to 40"),
        ("captures=any 0 e5", "no number of plies"),
        ("path=N 3 10 e5", "“3” is no square"),
        ("path=N", "no number of plies"),
        ("matched=", "write it as"),
        ("matched=x", "“x” is no square"),
    ],
)
def test_what_cannot_be_asked_is_named(base: base_model.Base, text: str, words: str) -> None:
    with pytest.raises(facet_terms.TermError, match=words):
        terms.parse(text, base)


def test_plies_in_variations_are_not_known(tmp_path: Path) -> None:
    path = tmp_path / "a.pgn"
    path.write_text('[Result "*"]\n\n1. e4 (1. d4 d5) e5 *\n', "utf-8")
    base = importing.open_base([path]).base
    result = searching.search(base, "wtm", search_model.SearchOptions(variations=True))
    with pytest.raises(errors.CqlguiError, match="not known"):
        kept("ply=0", base, result)


def test_the_command_line_refuses_before_it_searches(tmp_path: Path) -> None:
    run = helpers.cli("search", SAMPLE, "-e", "check", "--where", "opening=zzzz", "-o", tmp_path / "out.csv")
    assert (run.code, run.out, list(tmp_path.iterdir())) == (2, "", [])
    assert "is no value of opening" in run.err
    batch = tmp_path / "b.jsonl"
    batch.write_text('{"id": "a", "query": "check"}\n', "utf-8")
    for option, form in (("--batch", [batch]), ("--hits", [tmp_path / "hits", "-e", "check"])):
        run = helpers.cli("search", SAMPLE, option, *form, "--where", "result=1-0")
        assert run.code == 2
        assert f"--where does not go with {option}" in run.err

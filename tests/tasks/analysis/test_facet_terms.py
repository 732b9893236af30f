"""Terms of facets mean the choice they were written for, and the command line keeps the same hits."""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path

import pytest

from cqlgui.jit import native
from cqlgui.tasks.analysis import attributes, facet_terms, facets
from cqlgui.tasks.databases import importing
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import searching
from tests import helpers

pytestmark = pytest.mark.skipif(not native.available(), reason="kernels are slow without machine code")
QUERY = "flipcolor flipvertical {Bh3 or check}"
SEVERAL = "{flipcolor Bh3} or {flipcolor check}"
EXTRA = (
    '[White "Who (2)"]\n[Black "a | b: c"]\n[ECO "A00"]\n[Opening "Made: up"]\n\n1. e4 f5 2. Qh5+ g6 *\n\n'
)


@pytest.fixture
def paths(tmp_path: Path) -> list[Path]:
    text = (helpers.ROOT / "resources" / "sample" / "sample.pgn").read_text("utf-8")
    listed = text.split("\n\n[Event ")
    one, other = tmp_path / "some.pgn", tmp_path / "more.pgn"
    one.write_text(EXTRA + "\n\n[Event ".join(listed[:60]) + "\n", "utf-8")
    other.write_text("[Event " + "\n\n[Event ".join(listed[60:120]) + "\n", "utf-8")
    return [one, other]


@pytest.fixture
def base(paths: list[Path]) -> base_model.Base:
    return importing.open_base(paths).base


def places(result: search_model.SearchResult) -> list[int]:
    return [int(hit) for hit in result.games.columns.hits]


def random_choice(rng: random.Random, listed: tuple[facets.Facet, ...]) -> facets.Choice:
    choice = facets.Choice()
    for _ in range(rng.randint(1, 5)):
        facet = rng.choice(listed)
        key = rng.choice(facet.values).key
        way = choice.excluding if rng.random() < 0.3 else choice.joined
        choice = way(facet.name, key)
    return choice


@pytest.mark.parametrize("query", [QUERY, SEVERAL, "check"])
def test_terms_mean_the_choice_they_were_written_for(base: base_model.Base, query: str) -> None:
    known = attributes.of_base(base)
    result = searching.search(base, query)
    sheet = facets.sheet(known, result)
    listed = facets.counts(sheet)
    assert {facet.name for facet in listed} >= set(facets.FACETS) - {facets.ELEMENT}
    # Every single value, then random choices.
    alone = [facets.Choice().joined(facet.name, value.key) for facet in listed for value in facet.values]
    rng = random.Random(7)
    for choice in [*alone, *(random_choice(rng, listed) for _ in range(200))]:
        terms = facet_terms.spelt(choice, known, result.orbits)
        again = facet_terms.parse(terms, known, result.orbits)
        assert {(one.name, one.chosen, one.excluded) for one in again.parts} == {
            (one.name, one.chosen, one.excluded) for one in choice.parts
        }, terms


@pytest.mark.parametrize("query", [QUERY, SEVERAL])
def test_the_term_of_an_element_is_that_of_the_facet(base: base_model.Base, query: str) -> None:
    result = searching.search(base, query)
    known = attributes.of_base(base)
    numbers = itertools.count()
    for place, orbit in enumerate(result.orbits):
        for element in range(len(orbit.elements)):
            term = facet_terms.of_element(result.orbits, place, element)
            choice = facets.Choice().joined(facets.ELEMENT, next(numbers))
            assert (term,) == facet_terms.spelt(choice, known, result.orbits)
    assert next(numbers) >= 3


def test_values_are_found_by_their_own_words_and_in_any_case(base: base_model.Base) -> None:
    known = attributes.of_base(base)
    parsed = [
        facet_terms.parse([term], known, ())
        for term in ("RESULT=1-0", " result = 1-0 ", "Result=1-0", "result= 1-0")
    ]
    assert len(set(parsed)) == 1
    assert facet_terms.parse(["opening=caro-kann defence"], known, ()) == facet_terms.parse(
        ["opening=B Semi-open games: Caro-Kann defence"], known, ()
    )
    name = known.names([int(known.white[5])])[0]
    assert facet_terms.parse([f"player={name.upper()}"], known, ()).parts[0].chosen == {int(known.white[5])}
    assert facet_terms.parse(["player=a | b: c", "player=Who (2)"], known, ()).parts


@pytest.mark.parametrize(
    ("term", "words"),
    [
        ("decade", "write it as"),
        ("decade=", "write it as"),
        ("=1990s", "write it as"),
        ("year=1990", "There is no facet year: known are element, result"),
        ("result=2-0", "they are 1-0, 1/2-1/2, 0-1, \\*"),
        ("decade!=1350s", "is no value of the facet decade"),
        ("ply=10-29", "0-19, 20-39"),
        ("ply=20", "0-19, 20-39"),
        ("opening=caro", "Did you mean B Semi-open games: Caro-Kann"),
        ("player=nobody at all", "is no value of the facet player"),
        ("player=zzzzzz", "; some of them are "),
        ("element=as written", "it has none here"),
        ("result=1-0|result!=1-0", "result=1-0 and result!=1-0 contradict each other"),
        ("result!=1-0|result=0-1|RESULT=1-0", "contradict each other"),
    ],
)
def test_what_cannot_be_chosen_is_named(base: base_model.Base, term: str, words: str) -> None:
    with pytest.raises(facet_terms.TermError, match=words):
        facet_terms.parse(term.split("|"), attributes.of_base(base), ())


@pytest.mark.parametrize(
    "terms",
    [
        ["result=1-0", "result=0-1", "phase!=endgame"],
        ["element!=as written", "ply=20-39"],
        ["file=some.pgn"],
        ["ply=19980-19999"],
        [],
    ],
)
def test_the_command_line_keeps_the_hits_of_the_choice(
    base: base_model.Base, paths: list[Path], terms: list[str], tmp_path: Path
) -> None:
    result = searching.search(base, QUERY)
    known = attributes.of_base(base)
    choice = facet_terms.parse(terms, known, result.orbits)
    expected = facets.narrowed(facets.sheet(known, result), choice)
    words = ["search", *paths, "-e", QUERY, *(f"--facet={term}" for term in terms)]
    run = helpers.cli(*words, "--jsonl")
    assert run.code == 0, run.err
    rows = [json.loads(line) for line in run.out.splitlines()]
    assert [row["game"] << 32 | row["positionid"] for row in rows] == places(expected)
    counted_games = f"{len(expected.order)} games, {len(rows)} positions\n"
    assert helpers.cli(*words, "--count").out.replace("1 game,", "1 games,") == counted_games
    found = json.loads(helpers.cli(*words, "--json").out)
    assert (found["games"], len(found["positions"])) == (list(expected.order), len(places(expected)))
    counted = [element["positions"] for orbit in found["orbit"] for element in orbit["elements"]]
    assert counted == [element.positions for orbit in expected.orbits for element in orbit.elements]
    out = tmp_path / "out.csv"
    assert helpers.cli(*words, "-o", out).code == 0
    assert len(out.read_text("utf-8").splitlines()) == 1 + len(rows)


def test_the_command_line_refuses_before_it_searches(paths: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    run = helpers.cli("search", *paths, "-e", "check", "--facet", "decade=1350s", "-o", out)
    assert (run.code, run.out) == (2, "")
    assert "is no value of the facet decade" in run.err
    assert not out.exists()
    assert helpers.cli("search", *paths, "-e", "check", "--facet", "decade").code == 2
    batch = tmp_path / "b.jsonl"
    batch.write_text('{"id": "a", "query": "check"}\n', "utf-8")
    run = helpers.cli("search", *paths, "--batch", batch, "--facet", "result=1-0")
    assert run.code == 2
    assert "--facet does not go with --batch" in run.err
    run = helpers.cli("search", *paths, "-e", "check", "--facet", "result=1-0", "--hits", tmp_path / "hits")
    assert run.code == 2
    assert "--facet does not go with --hits" in run.err

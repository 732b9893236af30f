"""Results that are made of others hold the hits they should."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cqlgui.jit import native
from cqlgui.tasks.databases import importing
from cqlgui.tasks.export import exporting
from cqlgui.tasks.results import base_model, found, hit_model, search_model
from cqlgui.tasks.search import hit_details, narrowing, searching
from tests import helpers

QUERY = "flipcolor {btm check}"


@pytest.fixture
def base(tmp_path: Path) -> base_model.Base:
    text = (helpers.ROOT / "resources" / "sample" / "sample.pgn").read_text("utf-8")
    games = text.split("\n\n[Event ")
    path = tmp_path / "some.pgn"
    head = '[White "X"]\n[Date "20?1.??.??"]\n[ECO "?"]\n[WhiteElo "2750"]\n\n1. e4 f5 2. Qh5+ g6 *\n\n'
    path.write_text(head + "\n\n[Event ".join(games[:40]) + "\n", "utf-8")
    return importing.open_base([path]).base


def places(result: search_model.SearchResult) -> set[tuple[int, int]]:
    return {(game, hit.positionid) for game, found in result.games.items() for hit in found.hits}


def check(result: search_model.SearchResult) -> None:
    """A result fits together."""
    assert set(result.order) == set(result.games)
    assert result.positions == len(places(result))
    for orbit, listed in enumerate(result.orbits):
        for number, element in enumerate(listed.elements):
            matching = [
                game
                for game, found in result.games.items()
                for hit in found.hits
                if (orbit, number) in {(match.orbit, match.element) for match in hit.matches}
            ]
            assert (element.games, element.positions) == (len(set(matching)), len(matching))


@pytest.mark.parametrize("details", [search_model.Details.NONE, search_model.Details.ALL])
def test_the_hits_of_an_element_are_a_result_of_their_own(
    base: base_model.Base, details: search_model.Details
) -> None:
    whole = searching.search(
        base, "flipcolor flipvertical {Bh3 or check}", search_model.SearchOptions(details=details)
    )
    elements = whole.orbits[0].elements
    assert len({element.positions for element in elements}) > 1
    for number, element in enumerate(elements):
        part = narrowing.matching(whole, 0, number)
        check(part)
        assert (len(part.order), part.positions) == (element.games, element.positions)
        assert places(part) == {
            (game, hit.positionid)
            for game, found in whole.games.items()
            for hit in found.hits
            if (0, number) in {(match.orbit, match.element) for match in hit.matches}
        }
    assert not narrowing.matching(whole, 1, 0).order


def test_the_hits_of_an_element_leave_games_without_hits_out(base: base_model.Base) -> None:
    bare = searching.search(base, "cql(matchcount 0 0 gamenumber 1 5) flipcolor {ply < 0}")
    assert bare.order
    assert not narrowing.matching(bare, 0, 0).order


@pytest.mark.parametrize("details", [search_model.Details.NONE, search_model.Details.ALL])
def test_results_are_made_of_others(base: base_model.Base, details: search_model.Details) -> None:
    options = search_model.SearchOptions(details=details)
    one, other = (searching.search(base, query, options) for query in (QUERY, "flip Qh5"))
    assert places(one) & places(other)
    pairs = (
        (narrowing.both(one, other), places(one) & places(other)),
        (narrowing.either(one, other), places(one) | places(other)),
        (narrowing.without(one, other), places(one) - places(other)),
        (narrowing.only_one(one, other), places(one) ^ places(other)),
    )
    for made, wanted in pairs:
        assert places(made) == wanted
        assert list(made.order) == sorted(made.order)
        check(made)
    assert narrowing.in_games(one).tolist() == sorted(one.order)
    # Elements of another query's orbits say nothing of this one's.
    own = {
        (found.orbit, found.element)
        for game in one.games.values()
        for hit in game.hits
        for found in hit.matches
    }
    made = narrowing.either(searching.search(base, "mate", options), one)
    assert own
    assert not len(made.games.columns.codes)


@pytest.fixture
def castled(tmp_path: Path) -> base_model.Base:
    path = tmp_path / "castled.pgn"
    path.write_text(
        '[Event "both"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 Nf6 4. O-O Nxe4 (4... Bc5 5. Nxe5) *\n\n'
        '[Event "other only"]\n\n1. e4 e5 2. Nf3 Nf6 3. Be2 Be7 4. O-O *\n',
        "utf-8",
    )
    return importing.open_base([path]).base


CASTLES, TAKES = 'move castle to . comment ("castled")', "flipcolor {[x]}"


def annotated(base: base_model.Base, result: search_model.SearchResult, path: Path) -> list[str]:
    exporting.export(base, result, path, annotate=True)
    return path.read_text("utf-8").split("[Event ")[1:]


@pytest.mark.parametrize("details", [search_model.Details.NONE, search_model.Details.ALL])
@pytest.mark.parametrize("turned", [False, True])
def test_hits_of_either_keep_what_is_told_of_them(
    castled: base_model.Base, tmp_path: Path, details: search_model.Details, turned: bool
) -> None:
    options = search_model.SearchOptions(details=details)
    takes, castles = (searching.search(castled, query, options) for query in (TAKES, CASTLES))
    made = narrowing.either(castles, takes) if turned else narrowing.either(takes, castles)
    check(made)
    own = {game: hits for game, hits in (castles if turned else takes).games.items() if game in made.games}
    told = {hits.game: hits for hits in hit_details.tell(castled, made, made.order)}
    for game, hits in own.items():
        alone = next(hit_details.tell(castled, castles if turned else takes, [game]))
        assert set(alone.hits) <= set(told[game].hits)
        assert set(alone.comments) <= set(told[game].comments)
        assert len(told[game].hits) == len(made.games[game].hits) >= len(hits.hits)
    texts = annotated(castled, made, tmp_path / "made.pgn")
    both = annotated(castled, takes, tmp_path / "takes.pgn")[0]
    marks = re.findall(r"%csl [^]]*", both)
    assert marks
    assert len(texts) == 2
    if not turned or details is search_model.Details.ALL:
        assert re.findall(r"%csl [^]]*", texts[0]) == marks
    if turned or details is search_model.Details.ALL:
        assert [text.count("castled") for text in texts] == [1, 1]
    # Each hit is marked at least.
    assert sum(text.count("CQL") for text in texts) == made.positions


@pytest.mark.parametrize("details", list(search_model.Details))
@pytest.mark.parametrize("others", list(search_model.Details))
@pytest.mark.parametrize(
    "first",
    [
        'move castle to . comment ("castled")',
        'ply == 1 sort "ply" ply',
        'persistent X = 0 ply == 1 message ("here")',
        "flipcolor {[x]}",
        "ply == 99",
    ],
)
def test_every_hit_of_either_is_marked(
    castled: base_model.Base,
    tmp_path: Path,
    first: str,
    details: search_model.Details,
    others: search_model.Details,
) -> None:
    one = searching.search(castled, f"cql(gamenumber 1) {first}", search_model.SearchOptions(details=details))
    other = searching.search(castled, "ply == 1 or ply == 2", search_model.SearchOptions(details=others))
    for number, made in enumerate((narrowing.either(one, other), narrowing.either(other, one))):
        texts = annotated(castled, made, tmp_path / f"made{number}.pgn")
        assert sum(text.count("CQL") for text in texts) == made.positions


def test_what_is_told_by_both_is_told_once(castled: base_model.Base) -> None:
    def told(text: str) -> hit_model.GameHits:
        return searching.search(castled, f'{text} settag ("Theme" "{len(text)}")').games[1]

    loud, quiet = told('cql(matchstring "here") ply == 1'), told('cql(quiet) ply == 2 comment ("there")')
    made = found.told_by_both(loud, quiet)
    assert [hit.positionid for hit in made.hits] == [1, 2]
    assert set(made.comments) >= {(1, "here"), (2, "here"), (2, "there")}
    assert made.tags == loud.tags != quiet.tags
    made = found.told_by_both(quiet, loud)
    assert [text for place, text in made.comments if place] == ["there"]
    assert made.tags == quiet.tags


def test_what_is_told_of_other_hits_is_not_told_of_these(castled: base_model.Base) -> None:
    """As many hits as are told of need not be the same."""
    options = search_model.SearchOptions(details=search_model.Details.NONE)
    takes, castles = (
        searching.search(castled, f"cql(gamenumber 1) {one}", options) for one in (TAKES, CASTLES)
    )
    assert castles.positions == takes.positions == 1
    made = narrowing.either(narrowing.without(takes, takes), castles)
    assert places(made) == places(castles) != places(takes)
    told = next(hit_details.tell(castled, made, made.order))
    assert {(hit.game, hit.positionid) for hit in told.hits} == places(made)


def test_games_that_match_without_a_hit_are_members_too(base: base_model.Base) -> None:
    bare, other = (
        searching.search(base, f"cql(matchcount 0 0 gamenumber 1 {last}) ply < 0") for last in (5, 3)
    )
    hits = searching.search(base, "cql(gamenumber 2 4) initial")
    assert bare.order
    assert not places(bare)
    assert len(hits.order) == len(places(hits)) == 3
    for made, games, wanted in (
        (narrowing.both(bare, other), other.order, set()),
        (narrowing.without(bare, other), bare.order[len(other.order) :], set()),
        (narrowing.either(bare, other), bare.order, set()),
        (narrowing.either(bare, hits), bare.order, places(hits)),
        (narrowing.either(hits, bare), bare.order, places(hits)),
        (narrowing.both(bare, hits), (), set()),
        (narrowing.without(bare, hits), bare.order, set()),
        (narrowing.only_one(bare, other), bare.order[len(other.order) :], set()),
    ):
        assert made.order == tuple(games)
        assert places(made) == wanted
        check(made)


def test_the_order_of_a_sorted_result_stays(base: base_model.Base) -> None:
    whole = searching.search(base, 'sort "p" ply check')
    assert list(whole.order) != sorted(whole.order)
    part = narrowing.without(whole, searching.search(base, "cql(gamenumber 1 9) true"))
    assert part.order == tuple(game for game in whole.order if game > 9)


@pytest.mark.skipif(not native.available(), reason="queries are compiled with llvmlite only")
def test_a_search_keeps_to_the_games_of_a_result(base: base_model.Base) -> None:
    one = searching.search(base, QUERY)
    options = search_model.SearchOptions(within=narrowing.in_games(one), details=search_model.Details.NONE)
    again = searching.search(base, "true", options)
    assert again.order == tuple(sorted(one.order))

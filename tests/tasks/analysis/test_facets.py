"""Facets count and choose what a plain loop over the games counts and chooses."""

from __future__ import annotations

import collections
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from cqlgui.base.data import dataclass
from cqlgui.db import headers, openings
from cqlgui.jit import native
from cqlgui.tasks.analysis import attributes, facets
from cqlgui.tasks.databases import games, importing
from cqlgui.tasks.export import exporting
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import searching
from tests import helpers

pytestmark = pytest.mark.skipif(not native.available(), reason="kernels are slow without machine code")
VARIED = "flipcolor flipvertical {Bh3 or check}"
HEAD = (
    '[White "X"]\n[Black "X"]\n[Date "20?1.??.??"]\n[ECO "?"]\n[WhiteElo "2750"]\n\n1. e4 f5 2. Qh5+ g6 *\n\n'
)
BRANCHED = (
    '[White "Y"]\n[ECO "B96"]\n\n1. e4 (1. d4 d5 2. c4 (2. Nf3 Nf6) dxc4) c5 (1... e5 2. Qh5 g6 3. Qxe5)*\n\n'
    '[SetUp "1"]\n[FEN "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1"]\n[White "Y"]\n\n1. Ra8+ Kd7 *\n\n'
)


@pytest.fixture
def base(tmp_path: Path) -> base_model.Base:
    text = (helpers.ROOT / "resources" / "sample" / "sample.pgn").read_text("utf-8")
    listed = text.split("\n\n[Event ")
    one, other = tmp_path / "some.pgn", tmp_path / "more.pgn"
    one.write_text(HEAD + "\n\n[Event ".join(listed[:40]) + "\n", "utf-8")
    other.write_text(BRANCHED + "[Event " + "\n\n[Event ".join(listed[40:60]) + "\n", "utf-8")
    return importing.open_base([one, other]).base


@dataclass(frozen=True, slots=True)
class Row:
    """What is known of one hit, found game by game: the words of its values in each facet."""

    game: int
    place: int
    values: dict[str, frozenset[str]]


def rows(base: base_model.Base, result: search_model.SearchResult) -> list[Row]:
    found = []
    for game in sorted(result.order):
        header = games.rows(base, [game])[0]
        tree = games.load(base, game).tree
        played = tree if result.variations else tree.mainline()
        file = next(one for one in base.sources if one.first <= game < one.first + one.games)
        ratings = [elo for elo in (header.white_elo, header.black_elo) if elo]
        year = header.date[:4]
        opening = openings.of_code(header.eco)
        for hit in result.games[game].hits:
            men = sum(man != 0 for man in played.positions[hit.positionid].squares)
            ply, above = 0, hit.positionid
            while above:
                ply, above = ply + 1, played.parents[above]
            elements = {result.orbits[one.orbit].elements[one.element].words for one in hit.matches}
            phase = "endgame" if men <= 12 else "opening" if ply < 24 else "middlegame"
            values = {
                facets.ELEMENT: elements,
                facets.RESULT: {headers.RESULTS[headers.outcome(header.result)]},
                facets.DECADE: {f"{year[:3]}0s" if year.isdecimal() else "unknown"},
                facets.RATING: {band(sum(ratings) // len(ratings), 200) if ratings else "unknown"},
                facets.OPENING: {opening.first, opening.opening, opening.first[0]}
                if opening
                else {"unknown"},
                facets.PHASE: {phase},
                facets.PLY: {band(ply, 20)},
                facets.PLAYER: {header.white, header.black} - {""},
                facets.FILE: {file.path.name},
            }
            found.append(
                Row(game, hit.positionid, {name: frozenset(words) for name, words in values.items()})
            )
    return found


def band(number: int, size: int) -> str:
    first = number // size * size
    return f"{first}-{first + size - 1}"


def plain(facet: facets.Facet, value: facets.Value) -> str:
    """The word of `Row` that stands for a value."""
    if facet.name != facets.OPENING or value.words == attributes.UNKNOWN:
        return value.words
    if value.parent == attributes.NO_PARENT:
        return value.words[0]
    code = value.words.rpartition(" ")[2].partition("-")[0]
    return code if len(code) == 3 and code[0] in "ABCDE" and code[1:].isdecimal() else value.words


def meets(row: Row, facet: facets.Facet, part: facets.Part) -> bool:
    def has(keys: frozenset[int]) -> bool:
        return any(plain(facet, one) in row.values[facet.name] for one in facet.values if one.key in keys)

    return (not part.chosen or has(part.chosen)) and not has(part.excluded)


def check(
    sheet: facets.Sheet, known: list[Row], whole: dict[str, facets.Facet], choice: facets.Choice
) -> None:
    """The counts and the hits of a choice are those of a loop over the rows."""
    for facet in facets.counts(sheet, choice):
        left = [
            row
            for row in known
            if all(meets(row, whole[part.name], part) for part in choice.parts if part.name != facet.name)
        ]
        positions = collections.Counter(word for row in left for word in row.values[facet.name])
        by_game = collections.Counter(
            word for _, word in {(row.game, word) for row in left for word in row.values[facet.name]}
        )
        for value in facet.values:
            word = plain(facet, value)
            assert (value.games, value.positions) == (by_game[word], positions[word]), (facet.name, word)
        if facet.name != facets.OPENING:
            listed = {value.words for value in facet.values if value.positions}
            assert len(listed) + facet.others == len(positions)
            assert listed <= positions.keys()
    wanted = [row for row in known if all(meets(row, whole[part.name], part) for part in choice.parts)]
    found = facets.narrowed(sheet, choice)
    assert sorted(places(found)) == sorted((row.game, row.place) for row in wanted)
    assert set(found.order) == {row.game for row in wanted}
    assert facets.size(sheet, choice) == (len(found.order), found.positions)


def places(result: search_model.SearchResult) -> Iterator[tuple[int, int]]:
    return ((game, hit.positionid) for game, hits in result.games.items() for hit in hits.hits)


@pytest.mark.parametrize("details", [search_model.Details.NONE, search_model.Details.ALL])
@pytest.mark.parametrize("variations", [False, True])
def test_counts_follow_the_choices_in_other_facets(
    base: base_model.Base, details: search_model.Details, variations: bool
) -> None:
    options = search_model.SearchOptions(details=details, variations=variations)
    result = searching.search(base, VARIED, options)
    known = rows(base, result)
    sheet = facets.sheet(attributes.of_base(base), result)
    whole = {facet.name: facet for facet in facets.counts(sheet)}
    assert tuple(whole) == facets.FACETS
    assert all(len(facet.values) > 1 for facet in whole.values())
    check(sheet, known, whole, facets.Choice())
    draw = random.Random(25)
    for _ in range(60):
        choice = facets.Choice()
        for _ in range(draw.randint(1, 5)):
            facet = whole[draw.choice(facets.FACETS)]
            step = draw.choice([choice.alone, choice.joined, choice.excluding])
            choice = step(facet.name, draw.choice(facet.values).key)
        check(sheet, known, whole, choice)


def test_each_value_alone_gives_the_hits_that_are_counted(base: base_model.Base) -> None:
    result = searching.search(base, VARIED)
    sheet = facets.sheet(attributes.of_base(base), result)
    for facet in facets.counts(sheet):
        for value in facet.values:
            part = facets.narrowed(sheet, facets.Choice().alone(facet.name, value.key))
            assert (len(part.order), part.positions) == (value.games, value.positions)
            again = facets.sheet(sheet.attributes, part)
            left = next(one for one in facets.counts(again) if one.name == facet.name)
            assert next(one for one in left.values if one.key == value.key).positions == part.positions


def test_openings_have_three_levels_that_add_up(base: base_model.Base) -> None:
    sheet = facets.sheet(attributes.of_base(base), searching.search(base, "check"))
    found = next(one for one in facets.counts(sheet) if one.name == facets.OPENING)
    depths = collections.Counter[int]()
    by_key = {value.key: value for value in found.values}
    for value in found.values:
        inside = [one for one in found.values if one.parent == value.key]
        assert not inside or sum(one.positions for one in inside) == value.positions
        depth, above = 0, value.parent
        while above != attributes.NO_PARENT:
            depth, above = depth + 1, by_key[above].parent
        depths[depth] += 1
    assert set(depths) == {0, 1, 2}
    sicilian = next(value for value in found.values if value.words == "Sicilian defence")
    assert by_key[sicilian.parent].words == "B Semi-open games"


def test_a_choice_is_changed_value_by_value() -> None:
    choice = facets.Choice().alone("Result", 0).joined("Result", 2).excluding("Ply", 1)
    assert choice.of("Result").chosen == {0, 2}
    assert choice.of("Ply").excluded == {1}
    assert choice.alone("Result", 1).of("Result").chosen == {1}
    assert choice.alone("Result", 1).alone("Result", 1).of("Result").chosen == frozenset()
    assert choice.joined("Result", 0).joined("Result", 2) == facets.Choice().excluding("Ply", 1)
    assert not choice.joined("Result", 0).joined("Result", 2).dropping("Ply", 1)
    # A value is either chosen or excluded.
    assert choice.excluding("Result", 0).of("Result") == facets.Part("Result", frozenset({2}), frozenset({0}))


def test_a_choice_is_said_in_words(base: base_model.Base) -> None:
    sheet = facets.sheet(attributes.of_base(base), searching.search(base, "check"))
    by_name = {facet.name: facet for facet in facets.counts(sheet)}
    player = by_name[facets.PLAYER].values[0]
    choice = facets.Choice().alone(facets.RESULT, 0).joined(facets.RESULT, 1).excluding(facets.PLY, 1)
    choice = choice.alone(facets.PLAYER, player.key).alone(facets.PHASE, 0)
    najdorf = openings.listed().index(openings.of_code("B96"))  # type: ignore[arg-type]  # it is known
    choice = choice.alone(facets.OPENING, najdorf)
    assert facets.words(sheet, choice) == (
        f"1-0 or 1/2-1/2, not ply 20-39, {player.words}, phase opening, Sicilian defence: Najdorf B90-B99"
    )


def test_what_is_missing_is_a_value_too(base: base_model.Base) -> None:
    whole = searching.search(base, 'cql(gamenumber 1) player black "X"')
    sheet = facets.sheet(attributes.of_base(base), whole)
    words = {facet.name: [value.words for value in facet.values] for facet in facets.counts(sheet)}
    assert words == {
        facets.RESULT: ["*"],
        facets.DECADE: ["unknown"],
        facets.RATING: ["2600-2799"],
        facets.OPENING: ["unknown"],
        facets.PHASE: ["opening"],
        facets.PLY: ["0-19"],
        # White and Black have one name, and the game counts once.
        facets.PLAYER: ["X"],
        facets.FILE: ["some.pgn"],
    }
    players = next(facet for facet in facets.counts(sheet) if facet.name == facets.PLAYER)
    assert [(value.games, value.positions) for value in players.values] == [(1, 5)]


def test_only_the_players_with_most_games_are_listed_and_those_chosen(
    base: base_model.Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    sheet = facets.sheet(attributes.of_base(base), searching.search(base, "check"))

    def players(choice: facets.Choice) -> facets.Facet:
        return next(facet for facet in facets.counts(sheet, choice) if facet.name == facets.PLAYER)

    monkeypatch.setattr(facets, "MOST_PLAYERS", 1000)
    everybody = players(facets.Choice())
    assert not everybody.others
    monkeypatch.setattr(facets, "MOST_PLAYERS", 3)
    few = players(facets.Choice())
    assert few.values == everybody.values[:3]
    assert few.others == len(everybody.values) - 3
    last = everybody.values[-1]
    assert last in players(facets.Choice().alone(facets.PLAYER, last.key)).values


def test_games_that_match_without_a_hit_are_counted_as_games(base: base_model.Base) -> None:
    bare = searching.search(base, "cql(matchcount 0 0 gamenumber 1 9) ply < 0")
    sheet = facets.sheet(attributes.of_base(base), bare)
    found = {facet.name: facet for facet in facets.counts(sheet)}
    assert set(found).isdisjoint({facets.ELEMENT, facets.PHASE, facets.PLY})
    assert sum(value.games for value in found[facets.RESULT].values) == len(bare.order) == 18
    for value in found[facets.RESULT].values:
        part = facets.narrowed(sheet, facets.Choice().alone(facets.RESULT, value.key))
        assert len(part.order) == value.games
        assert part.positions == value.positions == 0


def test_an_empty_result_has_no_facets(base: base_model.Base) -> None:
    sheet = facets.sheet(attributes.of_base(base), searching.search(base, "ply < 0"))
    assert facets.counts(sheet) == ()


def test_a_narrowed_result_is_exported_like_any_other(base: base_model.Base, tmp_path: Path) -> None:
    result = searching.search(base, VARIED)
    sheet = facets.sheet(attributes.of_base(base), result)
    part = facets.narrowed(sheet, facets.Choice().alone(facets.PHASE, 1))
    report = exporting.export(base, part, tmp_path / "out.csv")
    assert (report.games, report.hits) == (len(part.order), part.positions)


def test_the_order_of_a_sorted_result_stays(base: base_model.Base) -> None:
    result = searching.search(base, 'sort "p" ply check')
    assert list(result.order) != sorted(result.order)
    sheet = facets.sheet(attributes.of_base(base), result)
    known = rows(base, result)
    whole = {facet.name: facet for facet in facets.counts(sheet)}
    choice = facets.Choice().alone(facets.PHASE, 1)
    check(sheet, known, whole, choice)
    left = set(facets.narrowed(sheet, choice).order)
    assert facets.narrowed(sheet, choice).order == tuple(game for game in result.order if game in left)


def test_openings_of_the_games_own_tags_stand_beside_those_of_their_codes(tmp_path: Path) -> None:
    heads = (
        '[ECO "B90"]\n[Opening "Sicilian Defense: Najdorf"]',
        '[ECO "B90"]\n[Opening "Sicilian Defense"]\n[Variation "Najdorf"]',
        '[ECO "B22"]\n[Opening "Sicilian Defense: Alapin"]',
        '[Opening "Irregular"]',
        '[ECO "C57"]',
        '[ECO "?"]',
    )
    path = tmp_path / "tagged.pgn"
    path.write_text("\n\n".join(f"{head}\n\n1. e4 *" for head in heads), "utf-8")
    base = importing.open_base([path]).base
    sheet = facets.sheet(attributes.of_base(base), searching.search(base, "btm"))
    (found,) = (one for one in facets.counts(sheet) if one.name == facets.OPENING)
    words = {value.key: value.words for value in found.values}
    seen = {(words.get(value.parent, ""), value.words): value.games for value in found.values if value.games}
    code = openings.of_code("C57")
    assert code is not None
    assert seen["", f"B {openings.VOLUMES['B']}"] == 3
    assert seen[f"B {openings.VOLUMES['B']}", "Sicilian Defense"] == 3
    assert seen["Sicilian Defense", "Najdorf"] == 2
    assert seen["Sicilian Defense", "Alapin"] == 1
    assert seen["", "Irregular"] == 1
    assert seen["", attributes.UNKNOWN] == 1
    assert seen["", f"C {openings.VOLUMES['C']}"] == 1
    najdorf = next(value.key for value in found.values if value.words == "Najdorf")
    narrowed = facets.narrowed(sheet, facets.Choice().alone(facets.OPENING, najdorf))
    assert narrowed.order == (1, 2)
    top = next(value.key for value in found.values if value.words == "Sicilian Defense")
    assert facets.narrowed(sheet, facets.Choice().alone(facets.OPENING, top)).order == (1, 2, 3)

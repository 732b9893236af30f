"""`pgn clk`, `pgn emt` and `pgn eval`: numbers from comments, an extension of cqlgui."""

from __future__ import annotations

from pathlib import Path

import pytest

from cqlgui.cql.checking import check, extensions
from cqlgui.cql.interpreting import interpreter
from cqlgui.cql.printing import printer
from cqlgui.cql.transforming import transforms
from tests.helpers import games

CLOCKS = games.from_pgn((Path(__file__).parents[1] / "data" / "clocks.pgn").read_text("utf-8"))


def hits(text: str, game: games.Game) -> dict[int, str | None]:
    """The values at the hits of a query, by positionid."""
    checked = check.check(text)
    assert checked.query is not None, text
    outcome = interpreter.Program(transforms.expand(checked)).run(game.tree, game.host)
    return {} if outcome is None else {hit.positionid: hit.value for hit in outcome.hits}


def places(text: str, listed: list[games.Game] = CLOCKS) -> list[list[int]]:
    return [list(hits(text, game)) for game in listed]


@pytest.mark.parametrize(
    ("filter", "expected"),
    [
        ("pgn clk", [{1: 60, 2: 59, 3: 9, 4: 58}, {1: 179, 2: 180, 3: 178, 4: 9, 5: 177, 6: 0, 7: 176}, {},
                     {1: 59, 2: 329, 5: 7}, {}]),
        ("pgn emt", [{}, {}, {1: 19, 2: 3605, 3: 0}, {}, {}]),
        ("pgn eval", [{1: -62, 2: -70, 3: -99_999}, {}, {1: 14, 2: 23, 4: -31}, {0: 20, 6: 99_988}, {}]),
        ("pgn eval black", [{1: 62, 2: 70, 3: 99_999}, {}, {1: -14, 2: -23, 4: 31},
                            {0: -20, 6: -99_988}, {}]),
    ],
)  # fmt: skip
def test_numbers_belong_to_the_position_after_the_move(filter: str, expected: list[dict[int, int]]) -> None:
    found = [hits(f"cql(variations) {filter}", game) for game in CLOCKS]
    assert found == [{place: str(number) for place, number in one.items()} for one in expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pgn clk < 10", [[3], [4, 6], [], [], []]),
        ("cql(variations) pgn clk < 10", [[3], [4, 6], [], [5], []]),
        ("pgn clk < 10 wtm", [[], [4, 6], [], [], []]),
        ("pgn clk < 60 mate", [[4], [], [], [], []]),
        ("not pgn clk check", [[], [], [], [], [4]]),
        ("pgn clk != 58 mate", [[], [7], [], [], [4]]),
        ("(parent:pgn eval) - pgn eval >= 300", [[3], [], [], [], []]),
        ("pgn emt > 3600 pgn eval == 23", [[], [], [2], [], []]),
        ("path --(pgn clk < 10) -- mate", [[2], [5], [], [], []]),
        ("sort pgn clk < 10", [[3], [4, 6], [], [], []]),
        ("-pgn eval > 9000", [[3], [], [], [], []]),
    ],
)  # fmt: skip
def test_queries_about_numbers(text: str, expected: list[list[int]]) -> None:
    assert places(text) == expected


COLOURED = (
    "flipcolor {pgn eval > 50}",
    "flipcolor {pgn eval <= -99999 btm}",
    "flipcolor {btm pgn clk < 10 (parent:pgn eval) - pgn eval >= 300}",
    "flipcolor 1 {pgn eval > 20}",
    "flipvertical flipcolor {pgn eval black > 20}",
)


@pytest.mark.parametrize("text", COLOURED)
def test_a_colour_swap_turns_the_sign_of_evaluations(text: str) -> None:
    swapped = [games.colours_reversed(game) for game in CLOCKS]
    assert places(text) == places(text, swapped)
    assert any(places(text))


def test_reversed_colours_in_the_query_and_in_the_games_are_the_same() -> None:
    swapped = [games.colours_reversed(game) for game in CLOCKS]
    for text in ("pgn eval > 0", "pgn eval black == 31", "pgn clk < 10 btm", "pgn eval < -90000"):
        assert places(text) == places(f"reversecolor {{{text}}}", swapped) != [[]] * len(CLOCKS)
    assert places("reversecolor {pgn clk < 10}") == places("pgn clk < 10")


def test_an_orbit_of_an_evaluation_has_two_elements_and_one_of_a_clock_one() -> None:
    def elements(text: str) -> list[str]:
        (orbit,) = transforms.expand(check.check(text)).orbits
        return [element.text for element in orbit.elements]

    assert elements("flipcolor {pgn eval > 50}") == ["pgn eval > 50", "pgn eval black > 50"]
    assert elements("flipcolor {pgn clk < 10}") == ["pgn clk < 10"]
    assert elements("flip {pgn eval > 50}") == ["pgn eval > 50"]


def test_the_keys_are_names_like_others_elsewhere() -> None:
    query = "eval = 3 clk = pgn clk emt = eval + clk emt == 12"
    assert places(query) == [[3], [4], [], [], []]


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("pgn eval white > 3", "pgn eval > 3"),
        ("pgn eval black>3", "pgn eval black > 3"),
        ("pgn clk+pgn emt", "pgn clk + pgn emt"),
        ("{pgn eval} black", "{pgn eval (black)}"),
        ("pgn clk black", "{pgn clk black}"),
    ],
)
def test_printed_texts_mean_the_same(text: str, printed: str) -> None:
    query = check.check(text).query
    assert query is not None
    assert printer.print_node(query.body).split() == printed.split()
    again = check.check(printer.print_node(query.body)).query
    assert again is not None
    assert again.body == query.body


@pytest.mark.parametrize(
    ("text", "code"),
    [("pgn", "unexpected-end"), ("pgn foo", "unknown-key"), ("pgn mate", "unexpected-token"),
     ("pgn = 3", "unexpected-token"), ("foo = pgn clk pgn = foo", "unexpected-token")],
)  # fmt: skip
def test_other_words_behind_pgn_are_refused(text: str, code: str) -> None:
    (found,) = check.check(text).errors
    assert found.code == code


def test_extensions_are_named_once_each() -> None:
    text = "pgn eval < 3 pgn clk < 10 pgn eval black > 2 check"
    query = check.check(text).query
    assert query is not None
    found = extensions.notes(query)
    assert [(text[one.span.offset : one.span.end], one.severity) for one in found] == [
        ("pgn eval", "note"),
        ("pgn clk", "note"),
    ]
    plain = check.check("check").query
    assert plain is not None
    assert extensions.notes(plain) == ()

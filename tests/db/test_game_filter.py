"""The filter line of a list of games as terms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqlgui.db import game_filter
from cqlgui.db.game_filter import HIGHEST, PLAIN, Codes, Files, Numbers, Words, Years

BOTH = ("white_elo", "black_elo")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ()),
        ("  Carlsen wijk ", (Words(PLAIN, "Carlsen"), Words(PLAIN, "wijk"))),
        ("white:carlsen", (Words(("white",), "carlsen"),)),
        ("White=carlsen", (Words(("white",), "carlsen"),)),
        ('player:"van der" x', (Words(("white", "black"), "van der"), Words(PLAIN, "x"))),
        ('"elo>2600"', (Words(PLAIN, "elo>2600"),)),
        ('"never closed', (Words(PLAIN, "never closed"),)),
        ("elo>2600", (Numbers(BOTH, 2601, HIGHEST),)),
        ("elo>=2600", (Numbers(BOTH, 2600, HIGHEST),)),
        ("whiteelo<2000", (Numbers(("white_elo",), 0, 1999),)),
        ("blackelo<=2000", (Numbers(("black_elo",), 0, 2000),)),
        ("elo:2500-2600", (Numbers(BOTH, 2500, 2600),)),
        ("plies=80", (Numbers(("plies",), 80, 80),)),
        ("year:1990-2000 result:1-0", (Years(1990, 2000), Words(("result",), "1-0"))),
        ("year:1990", (Years(1990, 1990),)),
        ("year:1990-", (Years(1990, HIGHEST),)),
        ("year:-1990", (Years(0, 1990),)),
        ("eco:B90", (Words(("eco",), "B90"),)),
        ("opening:najdorf", (Words(("opening",), "najdorf"),)),
        ("eco:b20-B9", (Codes("B20", "B9"),)),
        ("eco:B90-", (Codes("B90", "E"),)),
        ("eco:-B", (Codes("A", "B"),)),
        ("white_elo>2600", (Numbers(("white_elo",), 2601, HIGHEST),)),
        ("elo > 2600 year<= 1990", (Numbers(BOTH, 2601, HIGHEST), Years(0, 1990))),
        ("white : carlsen wijk", (Words(("white",), "carlsen"), Words(PLAIN, "wijk"))),
        ("year:1990–2000", (Years(1990, 2000),)),
        ("year: 1990 – 2000", (Years(1990, 2000),)),
        ("event:“Linares Open”", (Words(("event",), "Linares Open"),)),
        ("elo:2500−", (Numbers(BOTH, 2500, HIGHEST),)),
        ("eco:B20—B29", (Codes("B20", "B29"),)),
        ("result:½-½", (Words(("result",), "1/2"),)),
        ("½–½ 1–0", (Words(PLAIN, "1/2-1/2"), Words(PLAIN, "1-0"))),
        ("file:wijk.pgn", (Files("wijk.pgn"),)),
        ("1-0 O'Kelly", (Words(PLAIN, "1-0"), Words(PLAIN, "O'Kelly"))),
    ],
)
def test_a_filter_is_read(text: str, expected: tuple[game_filter.Condition, ...]) -> None:
    assert game_filter.parse(text) == tuple(game_filter.Term(one) for one in expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-carlsen", Words(PLAIN, "carlsen")),
        ('-"van der"', Words(PLAIN, "van der")),
        ("-eco:B90-B99", Codes("B90", "B99")),
        ("-year:-1990", Years(0, 1990)),
        ('-event:"wijk aan"', Words(("event",), "wijk aan")),
    ],
)
def test_a_minus_negates_a_term(text: str, expected: game_filter.Condition) -> None:
    assert game_filter.parse(text) == (game_filter.Term(expected, negated=True),)


@pytest.mark.parametrize("text", ['"-"', '"-x"', "1-0"])
def test_another_minus_is_a_text(text: str) -> None:
    assert game_filter.parse(text) == (game_filter.Term(Words(PLAIN, text.strip('"'))),)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ab\udcff", "not valid text (UTF-8) at character 3"),
        ("x" * 10_001, "These conditions have 10,001 letters, and at most 10,000 are read"),
        ("rating>2600", "no field rating: known are white, black, player, event"),
        ("foo:bar", "elo, whiteelo, blackelo, year, plies"),
        ("timecontrol:600+*", "Only `cqlgui import --games` asks for other tags."),
        ("elo>strong", "elo takes a number or a range, as in elo>2600 or elo:2500-2700"),
        ("elo>2500-2600", "elo takes a number"),
        ("elo>", "elo takes a number"),
        ("elo:-", "elo takes a number"),
        ("year:199x", "year takes a number or a range, as in year>1990 or year:1990-2000"),
        ("white>carlsen", "white takes a text, as in white:carlsen"),
        ("result:", "result takes a text, as in result:1-0"),
        ("file>a", "file takes a text, as in file:games.pgn"),
        ("elo>2000 - year:1990", "A minus sign stands directly before"),
        ("adams -", "A minus sign stands directly before"),
        ("--", "A minus sign stands directly before"),
        ('"', "A text stands between quotation marks"),
        ('adams ""', "A text stands between quotation marks"),
        ('-"', "A text stands between quotation marks"),
        ("eco:B99-B20", "eco:B99-B20 goes from the later code to the earlier one"),
        ("eco:c-b9", "eco:c-b9 goes from the later code"),
        ("year:2000-1990", "year:2000-1990 goes from the greater number to the less one"),
    ],
)
def test_what_cannot_be_answered_is_said(text: str, said: str) -> None:
    with pytest.raises(game_filter.FilterError) as caught:
        game_filter.parse(text)
    assert said in str(caught.value)


@given(st.text(alphabet="ab 1-\"'elo:=<>\n", max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        terms = game_filter.parse(text)
    except game_filter.FilterError:
        return
    assert all(isinstance(term, game_filter.Term) for term in terms)

"""The truth of each line at a position, and why a position does not match."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cqlgui.base import errors, progress
from cqlgui.tasks.asking import queries
from cqlgui.tasks.databases import games, importing
from cqlgui.tasks.results import base_model
from cqlgui.tasks.search import explaining, margin
from tests import helpers

GAME = '[White "A"]\n[Result "0-1"]\n\n1. f3 (1. e4 e5) 1... e5 2. g4 Qh4# 0-1\n'
BEFORE_MATE, MATE = 3, 4


@pytest.fixture
def base(tmp_path: Path) -> base_model.Base:
    source = tmp_path / "a.pgn"
    source.write_text(GAME)
    return importing.open_base([source]).base


def shown(base: base_model.Base, text: str, positionid: int = MATE) -> list[tuple[int, bool | None, str]]:
    _whole, lines = margin.margin(base, 1, positionid, text)
    return [(row.line, row.matched, row.value) for row in lines]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cql()\nmate\nbtm\n", [(1, True, ""), (2, False, "")]),
        ("mate wtm\nQ btm", [(0, True, ""), (1, False, "")]),
        ("#A\n#A > 3\nply", [(0, True, "16"), (1, True, ""), (2, True, "4")]),
        ("{mate\n  btm}", [(0, False, ""), (1, False, "")]),
        ("mate and\nbtm", [(0, False, ""), (1, False, "")]),
        # Of an orbit the element that comes nearest: the queen stands on h4, the king not on a1.
        ("flipcolor {\n  Qh5\n  Ka1\n}", [(0, False, ""), (1, True, ""), (2, False, "")]),
        ("square x in K\n  x == e1\n", [(0, True, ""), (1, True, "")]),
        # Of elements that come equally near the one as written; a single filter has a line of its own, too.
        ("flipcolor {\n  wtm\n  Ka1\n}", [(0, False, ""), (1, True, ""), (2, False, "")]),
        ("flipcolor {\n  Ka1\n}", [(0, False, ""), (1, False, "")]),
    ],
)
def test_each_line_shows_what_begins_on_it(
    base: base_model.Base, text: str, expected: list[tuple[int, bool | None, str]]
) -> None:
    assert shown(base, text) == expected


@pytest.mark.parametrize(
    ("text", "bound", "moves"),
    [
        ("square x in [QR] square y in [NB] y attacks x", "", ""),
        ("square x in K square y in q y attacks x", "x = e1, y = h4", ""),
        ("flipcolor {square x in K q attacks x}", "x = e1", ""),
        ("square all x in [PK] square y in q not y attacks x", "fails for x = e1", ""),
        ("path --e5 --g4 --h4", "", "1...e5 2.g4 Qh4#"),
        ("path --e5 --g4 --h5", "", "up to 1...e5 2.g4"),
    ],
)
def test_a_line_tells_the_bindings_of_loops_and_the_moves_of_paths(
    base: base_model.Base, text: str, bound: str, moves: str
) -> None:
    _whole, (row,) = margin.margin(base, 1, 1 if moves else MATE, text)
    (part,) = row.parts
    assert (margin.bound(part), margin.moves(part)) == (bound, moves)


def test_a_long_filter_is_shortened_in_the_middle_between_words() -> None:
    assert margin.shortened(" {Ka1\n  kb3} ") == "{Ka1 kb3}"
    words = " ".join(f"word{number}" for number in range(20))
    assert margin.shortened(words) == "word0 word1 word2 word3 word4 word5 … word18 word19"
    assert len(margin.shortened("x" * 100)) == 60


def test_variables_that_nobody_wrote_are_not_shown(base: base_model.Base) -> None:
    whole, _lines = margin.margin(base, 1, 0, "function reach(S) {S attacks p}\nreach(Q)")
    texts, pending = [], [whole]
    while pending:
        part = pending.pop()
        texts.append(part.text)
        pending += part.parts
    assert "S attacks p" in texts
    assert not any("$" in text for text in texts)


def test_a_faulty_query_has_no_margin(base: base_model.Base) -> None:
    with pytest.raises(queries.Rejected):
        margin.margin(base, 1, 0, "matte")


def test_an_endless_wait_can_be_cut_short(base: base_model.Base) -> None:
    token = progress.CancelToken()
    token.cancel()
    with pytest.raises(errors.Cancelled):
        margin.margin(base, 1, 0, "mate", cancel=token)


@pytest.mark.parametrize(
    ("text", "here", "fails", "words", "nearest", "whole"),
    [
        ("mate", MATE, None, "", None, None),
        ("wtm mate", 0, "mate", "", MATE, MATE),
        ("wtm {p {Q and pe5}} mate", 0, "pe5", "", 2, MATE),
        ("flipcolor {btm Qh5}", 0, "qh4", "colours swapped", MATE, MATE),
        ("not K", 2, "not K", "", None, None),
        ("x = ply x == 2 mate", 3, "x == 2", "", 2, None),
        ("Pe4", 0, "Pe4", "", None, None),
        ("if check true else false", 0, "check", "", MATE, MATE),
        ("if wtm {btm or mate} else true", 0, "btm or mate", "", 1, 1),
        ("if mate true else {wtm pe5}", 0, "pe5", "", 2, 2),
        ("find {pe5 ply==99}", 0, "ply==99", "", None, None),
        ("find 9 pe5", 0, "find 9 pe5", "", None, None),
        # A sequence fails for the constituent at which its longest attempt broke off.
        ("path --e5 --g4 --h5", 1, "--h5", "", None, None),
        ("path --f3 --g4", 0, "--g4", "", 2, None),
        ("path --f3 --e5 {wtm pe4}", 0, "pe4", "", None, None),
        ("path -- mate", 0, "mate", "", MATE, BEFORE_MATE),
        ("path --f3 --e5(mate)", 0, "mate", "", MATE, None),
        ("path focus q --h4", 0, "--h4", "", BEFORE_MATE, BEFORE_MATE),
        ("flipcolor {path --f3 --e6}", 0, "--e6", "as written", None, None),
        ("path 9 --f3 --e5", 0, "path 9 --f3 --e5", "", None, None),
        ("line --> wtm --> mate", 0, "mate", "", MATE, None),
    ],
)
def test_the_first_filter_that_fails_is_named_and_where_it_holds(
    base: base_model.Base,
    text: str,
    here: int,
    fails: str | None,
    words: str,
    nearest: int | None,
    whole: int | None,
) -> None:
    found = explaining.why_not(base, 1, here, text)
    assert (found.part.text if found.part else None, found.words) == (fails, words)
    assert (found.nearest, found.whole) == (nearest, whole)
    if found.part and not found.words:
        assert text[found.part.offset :][: found.part.length].split() == fails.split()  # type: ignore[union-attr]


def test_variations_count_where_the_query_asks_for_them(base: base_model.Base) -> None:
    assert explaining.why_not(base, 1, 0, "Pe4", variations=True).nearest == 5
    assert explaining.why_not(base, 1, 6, "Pf3", variations=True).nearest == 1


def test_the_terminal_tells_it_too(tmp_path: Path) -> None:
    source = tmp_path / "a.pgn"
    source.write_text(GAME)
    run = helpers.cli("explain", source, "-e", "wtm mate", "--game", "1", "--position", "0", "--why-not")
    assert run.out.splitlines()[0].split() == ["fails", "mate"]
    assert "position 4" in run.out
    start = "8/8/8/8/8/8/8/K1k5 w - - 0 1"
    assert "matches here" in helpers.cli("explain", "-e", "Ka1", "--fen", start, "--why-not").out
    assert '"nearest":null' in helpers.cli("explain", "-e", "Ka2", "--fen", start, "--why-not", "--json").out
    assert helpers.cli("explain", "-e", "Ka2", "--why-not").code == 2


def test_the_terminal_names_the_position_of_parts_that_are_told_elsewhere(tmp_path: Path) -> None:
    source = tmp_path / "a.pgn"
    source.write_text(GAME)
    asked = (
        "explain",
        source,
        "-e",
        "x=0 loop {x<3 x+=1} find {ply==2 pe5}",
        "--game",
        "1",
        "--position",
        "0",
    )
    lines = [line.strip() for line in helpers.cli(*asked).out.splitlines()]
    assert "+ loop {x<3 x+=1}  3 rounds" in lines
    assert "+ {ply==2 pe5} = e5  at move 2(wtm)" in lines
    assert "+ pe5 = e5" in lines
    truth = json.loads(helpers.cli(*asked, "--json").out)
    loop, search = truth["parts"][1:]
    assert (loop["rounds"], search["rounds"]) == (3, None)
    assert (search["position"], search["parts"][0]["position"]) == (0, 2)


def test_a_line_knows_what_was_looked_at_elsewhere(base: base_model.Base) -> None:
    _whole, lines = margin.margin(base, 1, 0, "find {\n  mate\n}\nply == 0")
    assert [(row.line, row.matched, bool(row.elsewhere)) for row in lines] == [
        (0, True, False),
        (1, True, True),
        (3, True, False),
    ]
    assert lines[1].elsewhere == lines[1].parts[0].place


def test_a_line_of_an_orbit_knows_the_element_it_is_told_of(base: base_model.Base) -> None:
    _whole, lines = margin.margin(
        base, 1, MATE, "flipcolor {\n  Qh5\n  flipvertical {\n    Ra1\n    Rb2\n  }\n}"
    )
    assert [row.elements for row in lines] == [
        ("",),
        ("colours swapped",),
        ("colours swapped",),
        ("colours swapped",),
        ("colours swapped",),
    ]


def test_where_a_filter_holds_is_told_though_elsewhere_the_query_cannot_be_run(base: base_model.Base) -> None:
    found = explaining.why_not(base, 1, 0, 'mate and writefile("out.cqo" "x")')
    assert found.part is not None
    assert (found.part.text, found.nearest, found.whole) == ("mate", MATE, None)
    assert "no folder was allowed" in found.fault


def test_a_search_passes_over_variations_unless_asked_for_them(base: base_model.Base) -> None:
    game = games.load(base, 1).tree
    assert not margin.left_out("mate", game, MATE)
    assert margin.left_out("mate", game, MATE + 1)
    assert not margin.left_out("cql(variations) mate", game, MATE + 1)

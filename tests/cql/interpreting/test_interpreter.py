"""What whole queries give: hits, values, comments, sort keys, orbit matches, rings, faults."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cqlgui.board import squares
from cqlgui.cql.checking import check
from cqlgui.cql.explaining import explain
from cqlgui.cql.interpreting import interpreter
from cqlgui.cql.interpreting.runtime import evaluation
from cqlgui.cql.source.names import player_name, players_with
from cqlgui.cql.transforming import transforms
from tests.helpers import games

MATE = """[Event "t"]
[White "W"]
[Black "B"]
[Result "0-1"]
[WhiteElo "2500"]
[Date "2001.2.3"]

1. f3 e5 2. g4 Qh4# 0-1
"""
LINES = """[Event "t"]
[White "W"]
[Black "B"]
[Result "*"]

1. e4 e5 (1... c5 2. Nf3 d6) 2. Nf3 *
"""


def program(text: str) -> interpreter.Program:
    checked = check.check(text)
    assert not checked.errors, checked.errors
    return interpreter.Program(transforms.expand(checked))


def run(text: str, pgn: str = MATE) -> interpreter.GameOutcome | None:
    (game,) = games.from_pgn(pgn)
    return program(text).run(game.tree, game.host)


def hits(text: str, pgn: str = MATE) -> list[tuple[int, str | None]]:
    outcome = run(text, pgn)
    return [(hit.positionid, hit.value) for hit in outcome.hits] if outcome else []


def comments(text: str, pgn: str = MATE) -> list[tuple[int, str]]:
    outcome = run(text, pgn)
    return list(outcome.comments) if outcome else []


def names(board: int) -> set[str]:
    return {squares.square_name(square) for square in squares.bits(board)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mate", [(4, None)]),
        ("cql() btm", [(1, None), (3, None)]),
        ("#[] positionid==2", [(2, "2")]),
        ("qh4", [(4, "h4")]),
        ("initial find mate", [(0, None)]),
        ("initial find count check", [(0, "1")]),
        ("mate find <-- 5 true", [(4, "5")]),
        ("date initial", [(0, None)]),
        ("initial date", [(0, "2001.02.03")]),
        ("initial elo", [(0, "2500")]),
        ("initial elo black", []),
        ("initial year", [(0, "2001")]),
        ("mate movenumber", [(4, "3")]),
        ("cql(result 1-0) mate", []),
        ("cql(matchcount 0) stalemate", []),
        ("cql(matchcount 2 3) check", []),
        ("initial -7/2", [(0, "-3")]),
        ("initial -7%3", [(0, "-1")]),
        ("initial 1/0", []),
        ("terminal flip count {Qd1}", [(4, "1")]),
    ],
)
def test_hits_and_values(text: str, expected: list[tuple[int, str | None]]) -> None:
    assert hits(text) == expected


@pytest.mark.parametrize(
    ("tag", "name"),
    [
        ("Carlsen,M", "Carlsen, M"),
        ("Le,Quang,Liem", "Le, Quang, Liem"),
        ("Kan,  I", "Kan,  I"),
        ("Morphy, Paul ", "Morphy, Paul"),
        ("Ranken, CE.", "Ranken, CE"),
        ("N.N.", "N.N"),
        ("van der Lyn", "Van der Lyn"),
        ("vanessa", "vanessa"),
        ("de Boer", "de Boer"),
        ("?", "?"),
        (None, "?"),
        ("", None),
    ],
)
def test_players_have_the_names_that_the_reference_gives_them(tag: str | None, name: str | None) -> None:
    assert player_name(tag) == name


@given(
    st.text("Vvan ,.?K", min_size=1, max_size=4),
    st.lists(st.one_of(st.none(), st.text("Vvan ,.?K", max_size=8)), max_size=12),
)
@example("Van", ["van der Lyn"])
@example(", M", ["Carlsen,M"])
@example(" M", ["Carlsen,M"])
@example("?", [None, ""])
def test_names_that_contain_a_needle_are_found_without_changing_every_tag(
    needle: str, tags: list[str | None]
) -> None:
    names = [player_name(tag) for tag in tags]
    assert players_with(needle, tags) == [name is not None and needle in name for name in names]


def test_a_player_without_a_tag_is_unknown() -> None:
    (game,) = games.from_pgn(MATE)
    game.host.tags.pop("White")
    outcome = program("cql() initial player white").run(game.tree, game.host)
    assert outcome is not None
    assert outcome.hits[0].value == "?"


def test_the_result_is_that_of_the_text() -> None:
    (game,) = games.from_pgn(MATE)
    game.host.ending = "1-0"
    assert program("cql(result 1-0) initial result 1-0").run(game.tree, game.host)
    assert not program("cql() initial result 0-1").run(game.tree, game.host)


def test_variations_are_searched_only_when_the_header_says_so() -> None:
    assert hits("terminal", LINES) == [(3, None)]
    assert hits("cql(variations) terminal", LINES) == [(3, None), (6, None)]


def test_a_game_without_hits_matches_when_the_count_allows_none() -> None:
    outcome = run("cql(matchcount 0) stalemate")
    assert outcome is not None
    assert outcome.hits == ()


def test_comments_carry_game_number_match_string_and_sort_values() -> None:
    assert comments('mate sort "men" #[Aa]') == [
        (0, "Game number 1"), (4, "CQL"), (0, "men: 32"),
    ]  # fmt: skip
    assert comments("cql(quiet) mate comment(k)") == [(0, "Game number 1"), (4, "e8")]
    assert comments("cql(silent) mate comment(k)") == []
    assert comments('cql(matchstring "!") mate') == [(0, "Game number 1"), (4, "!")]


def test_failed_and_negated_filters_take_their_comments_back() -> None:
    assert comments('initial {{comment("a") false} or comment("b")}') == [
        (0, "Game number 1"), (0, "b"), (0, "CQL"),
    ]  # fmt: skip
    assert comments('initial not {comment("a") false}') == [(0, "Game number 1"), (0, "CQL")]


def test_a_negation_that_fails_leaves_nothing_behind() -> None:
    # What the operand of `not` wrote or matched is no part of why the position matched.
    assert comments('(not comment("x")) or ply==2') == [(0, "Game number 1"), (2, "CQL")]
    for text in ("(not flip Ra1) or ply==2", "not not flip Ra1"):
        found = run(text)
        assert found is not None
        assert {hit.orbit for hit in found.hits} == {()}, text
    straight = run("ply==0 flip Ra1")
    assert straight is not None
    assert straight.hits[0].orbit != ()


def test_find_says_where() -> None:
    assert comments("initial find check") == [(0, "Game number 1"), (4, "Found"), (0, "CQL")]
    assert (2, "Found 1 of 2") in comments("cql() ply==1 find all wtm")
    assert comments("initial find quiet check") == [(0, "Game number 1"), (0, "CQL")]


def test_the_best_sort_value_of_a_game_keeps_its_comment() -> None:
    found = comments('sort "ply" {comment("at " ply) ply}')
    assert [text for _, text in found if text.startswith("at")] == ["at 4"]


def test_position_text_in_a_variation_leaves_an_id() -> None:
    found = comments("cql(variations quiet) positionid==5 comment(currentposition)", LINES)
    assert found == [(0, "Game number 1"), (5, "id:5"), (5, "move 2(btm)[5]")]


def test_orbit_matches_name_the_elements_that_took_part() -> None:
    outcome = run("initial {flip Ra1} flipcolor {Ke1 not Qa5}")
    assert outcome is not None
    (hit,) = outcome.hits
    assert {(orbit, positionid) for orbit, _, positionid, _ in hit.orbit} == {(0, 0), (1, 0)}
    assert names(hit.squares) == {"a1", "e1"}
    assert run("initial not {flip Rb3}").hits[0].orbit == ()  # type: ignore[union-attr]
    assert run("initial {flip Ra1 false} or true").hits[0].orbit == ()  # type: ignore[union-attr]


def test_orbit_matches_elsewhere_say_where() -> None:
    outcome = run("initial find flipvertical qh4")
    assert outcome is not None
    assert [positionid for _, _, positionid, _ in outcome.hits[0].orbit] == [4]
    assert outcome.hits[0].squares == 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mate qh4 ke8", {"h4", "e8"}),
        ("mate q->K", {"h4", "e1"}),
        ("mate flipcolor {qh4 mate}", {"h4"}),
        ("mate not Ka1 Ke1", {"e1"}),
        ("mate ray attack(q _ K)", {"h4", "e1"}),
        ("mate", set()),
    ],
)
def test_rings(text: str, expected: set[str]) -> None:
    outcome = run(text)
    assert outcome is not None
    assert names(outcome.hits[0].squares) == expected


def test_order_follows_the_first_sort_then_the_next_then_numbers() -> None:
    sorted_program = program('cql(sort matchcount 1 9) check sort min "ply" ply sort "men" #[Aa]')
    assert [(spec.doc, spec.descending) for spec in sorted_program.sort_specs] == [
        ("ply", False), ("men", True), ("matchcount", True),
    ]  # fmt: skip
    keyed = [(1, (5, 3, 1)), (2, (5, 9, 1)), (3, (None, 9, 1)), (4, (2, 1, 1)), (5, (2, 1, 1))]
    assert sorted_program.order(keyed) == [4, 5, 2, 1, 3]


def test_sorts_without_text_get_names_and_copies_share_them() -> None:
    specs = program("flip {sort #Ra1} sort ply").sort_specs
    assert [spec.doc for spec in specs] == ["<sort-id-1>", "<sort-id-2>"]


def test_an_unbound_variable_is_a_fault_that_names_it() -> None:
    with pytest.raises(interpreter.QueryError) as caught:
        run("{mate x=1} or x>0")
    assert (caught.value.variable, caught.value.game, caught.value.positionid) == ("x", 1, 0)


def test_a_game_that_takes_too_long_is_given_up() -> None:
    (game,) = games.from_pgn(MATE)
    heavy = program("square x in . square y in . square z in . false")
    with pytest.raises(evaluation.TooSlow):
        heavy.run(game.tree, game.host, lambda: True)


def test_variables_live_as_long_as_the_game() -> None:
    assert hits("{initial x=0 false} or {x+=1 false} or x==3") == [(2, None)]


def test_piece_variables_follow_their_man() -> None:
    assert hits("initial piece X in qd8 find X&h4") == [(0, "d8")]


def test_an_explanation_shows_filters_around_an_orbit_as_they_were_written() -> None:
    game = games.from_fen("4k3/8/8/8/8/8/8/4K3 w - - 0 1")
    expanded = transforms.expand(check.check("cql() wtm not flipcolor {Kd1 kd8}"))
    body = explain.explain(expanded, game.tree, game.host, 0)
    negation = body.children[1]
    assert negation.text == "not flipcolor {Kd1 kd8}"
    assert negation.children[0].text == "flipcolor {Kd1 kd8}"
    assert [element.text for element in negation.children[0].children] == ["{Kd1 kd8}", "{kd8 Kd1}"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("if wtm then check else mate", ["if wtm then check else mate", "wtm", "check", "mate"]),
        ("cql() [NB] // which\n  attacks q // whom\n", ["[NB] \n  attacks q", "[NB]", "q"]),
        ("#[NB]>4", ["#[NB]>4", "#[NB]", "[NB]", "4"]),
        ("function f(S){S attacks p} f(Q)", ["f(Q)", "Q", "S attacks p", "S", "p"]),
    ],
)
def test_an_explanation_quotes_what_the_user_wrote(text: str, shown: list[str]) -> None:
    (game,) = games.from_pgn(MATE)
    found, texts = [explain.explain(transforms.expand(check.check(text)), game.tree, game.host, 0)], []
    while found:
        one = found.pop(0)
        texts.append(one.text)
        found = [*one.children, *found]
    assert texts[-len(shown) :] == shown


def bindings(text: str, fen: str) -> tuple[bool | None, list[tuple[str, str, str | None]]]:
    """Whether a query matches, and the bindings of its loops with the values of their variables within."""
    game = games.from_fen(fen)
    top = explain.explain(transforms.expand(check.check(text)), game.tree, game.host, 0)
    told, pending = [], [top]
    while pending:
        one = pending.pop(0)
        if one.binding is not None:
            told.append((*one.binding, _value(one, one.binding[0])))
        pending = [*one.children, *pending]
    return top.matched, told


def _value(part: explain.Explanation, name: str) -> str | None:
    if part.text == name:
        return part.value
    return next((value for one in part.children if (value := _value(one, name)) is not None), None)


BOTH = [("x", "d4", "d4"), ("y", "f6", "f6")]
LOOPS = "4k3/8/5q2/8/3N2b1/5P2/1N6/4K3 w - - 0 1"


@pytest.mark.parametrize(
    ("text", "matched", "told"),
    [
        ("square x in N x attacks b", False, []),
        ("square x in P x attacks b", True, [("x", "f3", "f3")]),
        # Knights on b2 and d4; only the second is attacked.
        ("square x in N square y in [qb] y attacks x", True, BOTH),
        ("square x in N {rank x>2 square y in [qb] y attacks x}", True, BOTH),
        ("square all x in N not [qb] attacks x", False, [("x", "d4", "d4")]),
        ("square all x in N x attacks .", True, []),
        ("square all x in N square all y in q not y attacks x", False, BOTH),
        ("piece T in N q attacks T", True, [("T", "d4", "Nd4")]),
        ("not square x in N q attacks x", False, [("x", "d4", "d4")]),
        # Behind a filter that fails.
        ("mate square x in N square y in q y attacks x", False, BOTH),
        # What stood in a variable when the loop began is the same when the element is told.
        ("S=3 square x in N {S+=1 S==5 rank x==4}", True, [("x", "d4", "d4")]),
    ],
)  # fmt: skip
def test_an_explanation_names_the_element_that_decides_a_loop(
    text: str, matched: bool, told: list[tuple[str, str, str | None]]
) -> None:
    assert bindings(text, LOOPS) == (matched, told)


@pytest.mark.parametrize("kind", ["local dictionary", "dictionary"])
def test_an_explanation_fills_dictionaries_as_a_search_does(kind: str) -> None:
    (game,) = games.from_pgn(MATE)
    text = f"cql() {kind} Seen Seen[ply]=1 persistent quiet Visits+=1 Visits==3 #Seen==3"
    expanded = transforms.expand(check.check(text))
    truths = [explain.explain(expanded, game.tree, game.host, place).matched for place in range(4)]
    assert truths == [False, False, True, False]
    reason = explain.why_not(expanded, game.tree, game.host, 0)
    assert reason.part is not None
    assert (reason.part.text, reason.nearest, reason.whole) == ("Visits==3", 2, 2)


def test_an_explanation_mirrors_the_text() -> None:
    (game,) = games.from_pgn(MATE)
    expanded = transforms.expand(check.check("mate flipcolor {qh4 Kb1} or K==1"))
    top = explain.explain(expanded, game.tree, game.host, 4)
    assert top.matched
    condition, orbit = top.children
    assert (condition.text, condition.matched) == ("mate", True)
    assert orbit.text.startswith("flipcolor")
    assert {element.transform for element in orbit.children} == {"<>", "<invertcolor reflect_h>"}
    written = next(element for element in orbit.children if element.transform == "<>")
    left, right = written.children
    assert (left.matched, right.matched, right.value) == (False, True, "1")
    assert [child.matched for child in left.children] == [True, False]
    assert names(left.children[0].squares) == {"h4"}

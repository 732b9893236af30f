"""What paths and lines match: values, best choice, focus, bans, comments, facts, and the search itself."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cqlgui.board import tree
from cqlgui.cql import check, explain, interpreter, transforms
from tests.helpers import games

RUY = """[White "W"]
[Result "1-0"]

1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Bxc6 dxc6 5. O-O f6 1-0
"""
LINES = """[White "W"]
[Result "*"]

1. e4 e5 (1... c5 2. Nf3 d6 3. d4 cxd4) 2. Nf3 (2. Bc4 Bc5) 2... Nc6 3. Bb5 a6 *
"""


def program(text: str) -> interpreter.Program:
    checked = check.check(text)
    assert not checked.errors, checked.errors
    return interpreter.Program(transforms.expand(checked))


def run(text: str, pgn: str = RUY) -> interpreter.GameOutcome | None:
    (game,) = games.from_pgn(pgn)
    return program(text).run(game.tree, game.host)


def hits(text: str, pgn: str = RUY) -> list[tuple[int, str | None]]:
    outcome = run(text, pgn)
    return [(hit.positionid, hit.value) for hit in outcome.hits] if outcome else []


def at_root(text: str, pgn: str = RUY) -> str | None:
    """The value of a numeric filter at the root, `-` where it does not match."""
    found = dict(hits(f"cql(variations) initial {{{text}}}", pgn))
    return found.get(0, "-")


def comments(text: str, pgn: str = RUY) -> list[tuple[int, str]]:
    outcome = run(text, pgn)
    return [one for one in outcome.comments if one != (0, "Game number 1")] if outcome else []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("path --", "1"),
        ("path -- --", "2"),
        ("path --*", "10"),
        ("path --{3}", "3"),
        ("path --{2,3}", "3"),
        ("path --{,2}", "2"),
        ("path --{11,}", "-"),
        ("path --{0} --", "1"),
        ("path --?", "1"),
        ("path wtm", "-"),
        ("path P--e4 p--e5 N--f3", "3"),
        ("path --e5", "-"),
        ("path --* [x]", "8"),
        ("path --* [x] --?", "9"),
        ("path firstmatch --* [x]", "7"),
        ("path firstmatch --+", "1"),
        ("path --* o-o --", "10"),
        ("path (-- {ply<=4})*", "4"),
        ("path --* wtm", "10"),
        ("path -- check -- ", "-"),
        ("path 3 --*", "-"),
        ("path 5 20 --*", "10"),
        ("path -- path -- --", "1"),
        ("path -- {path [x] --}", "-"),
        ("path --{6} {path [x] [x]}", "6"),
        ("path max {ply%4} --*", "3"),
        ("path max {#a} -- * btm", "16"),
        ("path max elo --*", "-"),
        ("path 20 40 max {2*ply} --*", "20"),
        ("path --* {pathcount==4} [x]", "-"),
        ("path --{6} {pathcount==6} [x]", "7"),
        ("path --+ {pathstart==initialposition} {currentposition!=pathstart} [x]", "8"),
    ],
)
def test_values_of_paths(text: str, value: str) -> None:
    assert at_root(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        # At the start only its own moves count, later moves of other men are passed over.
        ("path focus N --*", "-"),
        ("path focus P --e4 --*", "1"),
        ("path focus A --*", "5"),
        ("path focus N|Pe2 --*", "2"),
        ("path focus N|Pe2 -- btm -- btm", "2"),
        ("path focus [Pp] --*", "5"),
        ("path singlecolor --*", "5"),
        ("path singlecolor -- btm -- btm", "2"),
        # Sets are evaluated before the move that counts, not where the last one led.
        ("path focus Pe2|Bf1 -- {ply==4} [x]", "-"),
        ("path focus Pe2|Bf1 --e4 Bf1--b5 Bb5[x]n", "3"),
        # Being captured counts with `capture` only.
        ("path focus p p--e5 --*", "-"),
        ("path focus n|Pe2 --e4 n-- --", "-"),
        ("path focus capture n|Pe2 --e4 n-- B[x]n", "3"),
        # Castling counts for the man in focus, and his squares alone are compared.
        ("path focus K|Pe2 --e4 K--g1", "2"),
        ("path focus K|Pe2 --e4 R--", "-"),
        ("path focus K|Pe2 --e4 --f1", "-"),
        ("path focus Rh1|Pe2 --e4 R--f1", "2"),
        ("path focus Rh1|K|Pe2 --e4 --f1", "2"),
        ("path focus A -- {pathcountunfocused==0} -- {pathcountunfocused==1}", "2"),
    ],
)
def test_a_focus_leaves_other_moves_out(text: str, value: str) -> None:
    assert at_root(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("path --*", "6"),
        ("path primary --c5", "-"),
        ("path -- --c5 --*", "6"),
        ("path lastposition -- --c5 --* == position 9", "-"),
        ("(path lastposition -- --c5 --*) == position 13", "+"),
        ("path -- -- B--c4 --", "4"),
        ("path firstmatch -- -- --", "3"),
        ("path max {depth} --*", "1"),
        ("path focus N|Pe2 --e4 --*", "2"),
        ("path focus Bf1|Pe2 --e4 --c4", "2"),
        ("line --> .*", "7"),
        ("line primary --> .*", "7"),
        ("line --> initial --> wtm {0} --> . --> secondary --> .*", "7"),
        ("line secondary --> .*", "1"),
    ],
)
def test_paths_and_lines_go_into_variations(text: str, value: str) -> None:
    found = at_root(text, LINES)
    assert ("+" if found is None else found) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("line --> wtm --> btm --> move from N", "3"),
        ("line --> .+", "11"),
        ("line --> .*", "11"),
        ("line --> wtm", "1"),
        ("line --> btm", "-"),
        ("line --> (wtm --> btm){2}", "4"),
        ("line --> (wtm --> btm)* --> wtm", "11"),
        ("line --> .{,4}", "4"),
        ("line --> .* --> move from N", "3"),
        ("line --> .* --> move from N --> btm", "4"),
        ("line --> .* --> not move from .", "11"),
        ("line --> .* --> {find 1 20 move from N} {ply==2}", "-"),
        ("line singlecolor --> .+", "6"),
        ("line singlecolor --> wtm --> wtm --> btm", "-"),
        ("line 3 --> .+", "-"),
        ("line 3 20 --> .+", "11"),
        ("line firstmatch --> .+", "1"),
        ("line firstmatch --> .* --> move capture a", "7"),
        ("line --> .* --> move capture [Aa]", "8"),
    ],
)
def test_values_of_lines(text: str, value: str) -> None:
    assert at_root(text) == value


def test_a_line_goes_back_to_the_start() -> None:
    assert hits("terminal line <-- .+") == [(10, "11")]
    assert hits("terminal line <-- wtm <-- btm <-- (. <-- .)*") == [(10, "10")]
    assert hits("terminal line singlecolor <-- .+") == [(10, "6")]
    assert hits("terminal (line lastposition <-- .+) == initialposition") == [(10, None)]


def test_a_banned_path_does_not_start_on_one_found_before_but_at_its_end() -> None:
    assert hits("path nestban --{4}") == [(0, "4"), (4, "4")]
    assert hits("path nestban --{4,5}") == [(0, "5"), (5, "5")]
    assert hits("path --{4}")[:3] == [(0, "4"), (1, "4"), (2, "4")]
    # The ban holds for each filter alone.
    assert hits("(path nestban --{4}) < path nestban --{5}") == [(0, "4")]


def test_a_banned_line_does_not_start_on_one_found_before() -> None:
    assert hits("line nestban --> .{4}") == [(0, "4"), (4, "4")]
    assert hits("line nestban --> wtm --> btm --> wtm") == [(0, "3"), (4, "3"), (8, "3")]


def test_bans_are_forgotten_with_the_game() -> None:
    searched = program("path nestban --{4}")
    for game in games.from_pgn(RUY + "\n" + RUY):
        outcome = searched.run(game.tree, game.host)
        assert outcome is not None
        assert [hit.positionid for hit in outcome.hits] == [0, 4]


def test_facts_are_those_of_the_innermost_path_and_later_of_the_last_that_matched() -> None:
    assert hits("pathcount") == []
    assert hits("{{path [x] [x]} or true} ply==9 pathcount") == [(9, "2")]
    assert hits("{initial path --{3}} (ply==pathcount) (pathlastposition==currentposition)") == []
    assert hits("{{initial path --{3}} or true} pathlastposition==currentposition") == [(3, None)]
    assert hits("{{initial path --{3}} or {path 50 --} or true} ply==5 pathcount") == [(5, "3")]
    assert hits("initial path --{2} {path --{3} {pathcount==3}} {pathcount==2} --") == [(0, "3")]
    assert hits("{{initial path singlecolor --{3}} or true} ply==8 pathcountunfocused") == [(8, "5")]
    assert hits("initial path max ply --* {ply<4 or pathlastposition==position 3}") == [(0, "4")]


def test_a_path_can_be_given_its_last_position_as_value() -> None:
    assert hits("initial (path lastposition --{4}) == position 4") == [(0, None)]
    assert hits("initial (line lastposition --> .{4}) == position 3") == [(0, None)]


def test_variables_keep_what_the_last_attempt_gave() -> None:
    assert hits("initial x=0 path (-- x=ply)* [x] {ply==7}\n\nx") == [(0, "10")]


def test_comments_tell_where_a_path_starts_and_ends() -> None:
    assert comments("path [x] [x]") == [
        (6, "Start path that ends at move 5(wtm)"),
        (8, "End path of length 2 that starts at move 4(wtm)"),
        (6, "CQL"),
    ]
    assert comments("path max {#A} quiet [x] [x]") == [(6, "CQL")]
    assert (8, "End path of length 2 that starts at move 4(wtm) Max value: 15") in comments(
        "path max {#a} [x] [x]"
    )
    assert comments("cql(quiet) path [x] [x]") == []
    assert comments('cql(quiet) path title "swap" [x] [x]') == [(6, "swap")]
    assert comments('cql(silent) path title "swap" verbose [x] [x]') == []


def test_verbose_paths_number_their_moves() -> None:
    assert comments("cql(quiet) path verbose [x] [x]") == [(7, "move 1 of 2"), (8, "move 2 of 2")]
    assert comments('cql(quiet) path verbose title "swap" [x] [x]') == [
        (6, "swap"), (7, "swap: move 1 of 2"), (8, "swap: move 2 of 2"),
    ]  # fmt: skip


def test_the_ways_of_focused_men_are_written_down() -> None:
    text = "cql(quiet) initial path piecepath focus capture P|B|n --e4 --*"
    assert comments(text) == [(0, "Focus path: Bf1-b5-c6(xc6) Pe2-e4 nb8-c6(xc6)")]
    assert comments("cql(quiet) initial path piecepath focus K|Rh1|Pe2 --e4 --") == [
        (0, "Focus path: Ke1-g1 Rh1-f1 Pe2-e4")
    ]


def test_only_comments_along_the_best_path_stay() -> None:
    text = "cql(variations quiet) initial path (-- comment(to)) * "
    assert comments(text, LINES) == [(n, to) for n, to in enumerate(["e4", "e5", "f3", "c6", "b5", "a6"], 1)]
    text = 'cql(variations quiet) initial path {comment("here")} -- --c5 comment("c5")'
    assert comments(text, LINES) == [(0, "here"), (9, "c5")]


def test_all_equally_good_paths_are_annotated_on_request() -> None:
    text = "cql(variations) initial path keepallbest --{2}"
    assert comments(text, LINES) == [
        (0, "Start path that ends at move 2(wtm)"),
        (2, "End path of length 2 that starts at move 1(wtm)"),
        (9, "End path of length 2 that starts at move 1(wtm) alternative"),
        (0, "CQL"),
    ]


def test_lines_write_comments_too() -> None:
    assert comments('initial line --> . --> comment("x") --> wtm') == [
        (0, "Start line that ends at move 2(wtm)"),
        (1, "x"),
        (2, "End line of length 3 that starts at move 1(wtm)"),
        (0, "CQL"),
    ]
    assert comments("initial line quiet --> . --> .") == [(0, "CQL")]

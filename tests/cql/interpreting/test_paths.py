"""What paths and lines match: values, best choice, focus, bans, comments, facts, and the search itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cqlgui.board import moves
from cqlgui.cql.checking import check
from cqlgui.cql.explaining import explain
from cqlgui.cql.interpreting import interpreter
from cqlgui.cql.interpreting.runtime import sequences
from cqlgui.cql.transforming import transforms
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
        # The last constituent is restricted too when it is about a move.
        ("line secondary --> {move from P}", "-"),
        ("line secondary --> {not move from P}", "1"),
        ("line primary --> {move from P}", "1"),
        ("line --> wtm --> {move from p}", "2"),
        ("line secondary --> wtm --> {move from p}", "-"),
        ("path (P)--", "1"),
        ("path (n)--", "1"),
        ("path -- (Pe4) --", "2"),
        ("path --{*} (wtm depth==1)", "6"),
        ("path --{*} (check mate)", "-"),
        ("path (wtm check) --", "-"),
        ("path (wtm Pe2) --", "1"),
        ("path ({check}){,2}", "-"),
        ("path ({wtm}){,2} --", "1"),
        ("path ({btm}){1,2} --", "-"),
        ("path -- (p)--c5 --*", "6"),
        ("path (--?){1,3}", "3"),
        ("path (--?){2} wtm", "2"),
        ("path (--?){,3} {ply==1}", "1"),
        ("path (--?)? btm", "1"),
        ("path ((--?){2}){,2}", "4"),
        ("path max (#A) --{3}", "16"),
        ("path max (ply) --{1,3}", "3"),
        ("path -- -- currentmove --c5 --", "3"),
        ("path currentmove --c5 --", "-"),
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


def test_rounds_without_a_move_are_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    (game,) = games.from_pgn(RUY)
    with pytest.raises(interpreter.TooSlow):
        program("path (({true}){9999}){9999} --").run(game.tree, game.host, lambda: True)
    monkeypatch.setattr(sequences, "_MOST_CHOICES", 1_000)
    with pytest.raises(interpreter.TooSlow):
        program("x=0 path (({x+=1}){,9}){,2000}").run(game.tree, game.host)


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


def test_atomic_variables_follow_the_best_path_alone() -> None:
    assert hits("atomic x=0 path (-- x+=1)* [x] {x==7}\n\nx") == [(0, "7")]
    # Without a path they are back at what they were before it.
    assert hits("initial atomic x=0 {path (-- x+=1)* mate} or x==0") == [(0, None)]
    assert hits("initial x=0 {path (-- x+=1)* mate} or x==10") == [(0, None)]
    assert hits("cql(variations) initial atomic S=[] path (-- S|=to)* {S==[e4,c5,f3,d6,d4]}\n\nS", LINES) == [
        (0, "[f3,d4,e4,c5,d6]")
    ]


def test_orbit_matches_along_the_best_path_say_where_they_were() -> None:
    outcome = run("initial path --{2} {flipcolor Pe4} --")
    assert outcome is not None
    assert {one[1:3] for one in outcome.hits[0].orbit} == {(0, 2), (1, 2)}
    assert hits("ply==1 flipcolor path p-- N--") == [(1, "2")]
    assert hits("flipcolor path {Ke1} K--") == [(8, "1")]


def test_functions_may_hold_paths() -> None:
    text = "function f(x) {\n path --x +\n --\n\n ply==1}"
    assert hits(f"{text} f(e5)") == [(1, "1")]


@cache
def long_game(plies: int) -> games.Game:
    knights = ["Nf3", "Nf6", "Ng1", "Ng8"]
    text = " ".join(knights[ply % 4] for ply in range(plies))
    (game,) = games.from_pgn(f'[Result "*"]\n\n{text} *\n')
    return game


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("path --*", "1200"),
        ("path (-- --?)*", "1200"),
        ("path --* --* --* --*", "1200"),
        ("path (--* --)* wtm", "1200"),
        ("path --{1200}", "1200"),
        ("path --{100000}", None),
        ("path (--{3}){400}", "1200"),
        ("path focus N -- *", "600"),
        ("line --> .*", "1201"),
        ("line --> .* --> (. --> .*)* --> wtm", "1201"),
    ],
)
def test_sequences_may_be_as_long_as_games_and_go_many_ways(text: str, value: str | None) -> None:
    game = long_game(1200)
    outcome = program(f"initial {text}").run(game.tree, game.host)
    assert (None if outcome is None else outcome.hits[0].value) == value


def test_a_search_without_end_is_given_up() -> None:
    game = long_game(60)
    asked = []

    def deadline() -> bool:
        asked.append(True)
        return len(asked) > 3

    with pytest.raises(interpreter.TooSlow):
        program("path --* --* --* --* --* --* x=1 mate").run(game.tree, game.host, deadline)
    assert len(asked) == 4


# --- the search against its definition ----------------------------------------------------------------------

CASES = """[White "W"]
[Result "*"]

1. e4 d5 (1... e5 2. Nf3 (2. f4 exf4 3. Nf3 g5 4. Bc4 Bg7) 2... Nc6 3. d4 exd4 4. Nxd4 Nxd4 5. Qxd4)
2. exd5 Qxd5 (2... Nf6 3. d4 Nxd5) 3. Nc3 Qa5 (3... Qe5+ 4. Be2 (4. Qe2 Qxe2+ 5. Bxe2) 4... Qd6) 4. d4 c6 *
"""
FILTERS = ["wtm", "btm", "{ply>2}", "Q", "not check"]
DASHES = [
    ("--", ""), ("P--", ""), ("[x]", ""), ("--e4", ""), ("[Nn]--", ""),
    ("--", "check"), ("--", "btm"), ("--", "{depth==0}"),
]  # fmt: skip

Constituent = tuple[Any, ...]
"""("filter", text), ("dash", text, target), ("chain", parts), ("repeat", part, low, high, times so far)."""


@cache
def case() -> games.Game:
    (game,) = games.from_pgn(CASES)
    return game


@cache
def holding(text: str) -> frozenset[int]:
    """Positions where a filter matches."""
    outcome = program(f"cql(variations) {text}").run(case().tree, case().host)
    return frozenset(hit.positionid for hit in outcome.hits) if outcome else frozenset()


@cache
def mover(child: int) -> int:
    """The number of the man whose move leads to a position (no case has castling)."""
    game = case().tree
    return game.men_ids(game.parents[child])[moves.origin(game.moves[child])]


Steps = Callable[[int, int], Iterator[int]]


def every_step(position: int, count: int) -> Iterator[int]:
    yield from case().tree.children[position]


def steps_of(men: frozenset[int]) -> Steps:
    """The next moves of some men, as spec 10.5 has them."""

    def below(position: int) -> Iterator[int]:
        for child in case().tree.children[position]:
            if mover(child) in men:
                yield child
            else:
                yield from below(child)

    def steps(position: int, count: int) -> Iterator[int]:
        if count:
            yield from below(position)
        else:
            yield from (child for child in case().tree.children[position] if mover(child) in men)

    return steps


def ways(todo: tuple[Constituent, ...], position: int, count: int, steps: Steps) -> Iterator[tuple[int, int]]:
    """Every complete way through the constituents as (moves, last position), in the order of spec 10.4."""
    if not todo:
        if count:
            yield count, position
        return
    first, rest = todo[0], todo[1:]
    if first[0] == "filter":
        if position in holding(first[1]):
            yield from ways(rest, position, count, steps)
    elif first[0] == "dash":
        for child in steps(position, count):
            if child in holding(f"currentmove {first[1]}") and (not first[2] or child in holding(first[2])):
                yield from ways(rest, child, count + 1, steps)
    elif first[0] == "chain":
        yield from ways((*first[1], *rest), position, count, steps)
    else:
        _, part, low, high, times = first
        if times >= low:
            yield from ways(rest, position, count, steps)
        if high is None or times < high:
            yield from ways((part, ("repeat", part, low, high, times + 1), *rest), position, count, steps)


def spelled(part: Constituent) -> str:
    if part[0] == "filter":
        return str(part[1])
    if part[0] == "dash":
        return f"{part[1]} {part[2]}"
    if part[0] == "chain":
        return f"({' '.join(spelled(one) for one in part[1])})"
    _, inner, low, high, _ = part
    return f"{spelled(inner)} {{{low},{'' if high is None else high}}}"


def made(random: Random, depth: int) -> tuple[Constituent, ...]:
    """Random constituents, a move among them; no filter stands behind a bare dash, whose target it would
    be."""
    parts: list[Constituent] = []
    for _ in range(random.randint(1, 3)):
        kind = random.randrange(5)
        if kind == 0 and (not parts or parts[-1][0] != "dash"):
            parts.append(("filter", random.choice(FILTERS)))
            continue
        inner: Constituent = ("dash", *random.choice(DASHES))
        if kind == 1 and depth:
            inner = ("chain", (("dash", "--", ""), *made_moving(random, depth - 1)))
        if kind > 2:
            low = random.randint(0, 2)
            inner = ("repeat", inner, low, random.choice([None, low, low + 1, low + 2]), 0)
        parts.append(inner)
    if all(part[0] == "filter" for part in parts):
        parts.append(("dash", "--", ""))
    return tuple(parts)


def made_moving(random: Random, depth: int) -> tuple[Constituent, ...]:
    return tuple(part for part in made(random, depth) if part[0] != "filter")


FOCUS = {"": "", "focus P|n": "Pn", "focus Q|q|p": "Qqp", "singlecolor": ""}


@settings(max_examples=40, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(0, 2), st.sampled_from(sorted(FOCUS)))
def test_paths_are_the_best_of_all_ways(random: Random, depth: int, focus: str) -> None:
    parts = made(random, depth)
    text = " ".join(spelled(part) for part in parts)
    for switch in ("", "firstmatch"):
        counted = hits_of(f"path {focus} {switch} {text}")
        ends = hits_of(f"(path lastposition {focus} {switch} {text}):positionid")
        for start in range(len(case().tree)):
            steps = steps_of(men_standing(start, FOCUS[focus])) if focus else every_step
            found = list(ways(parts, start, 0, steps))
            best = (None, None)
            if found:
                count, last = found[0] if switch else max(found, key=lambda one: one[0])
                best = (str(count), str(last))
            assert (counted.get(start), ends.get(start)) == best, (text, start)


def hits_of(text: str) -> dict[int, str | None]:
    outcome = program(f"cql(variations) {text}").run(case().tree, case().host)
    return {hit.positionid: hit.value for hit in outcome.hits} if outcome else {}


def men_standing(positionid: int, letters: str) -> frozenset[int]:
    """Numbers of the men of some kinds at a position, or of the side to move."""
    game = case().tree
    position = game.positions[positionid]
    wanted = letters or ("pnbrqk" if position.turn else "PNBRQK")
    kinds = {" PNBRQKpnbrqk".index(letter) for letter in wanted}
    return frozenset(
        man for square, man in game.men_ids(positionid).items() if position.squares[square] in kinds
    )


# --- explaining ---------------------------------------------------------------------------------------------


def explained(text: str, positionid: int = 0) -> list[tuple[str, bool | None, str | None, int]]:
    """The parts of the body: text, truth, value, position."""
    (game,) = games.from_pgn(RUY)
    found = explain.explain(transforms.expand(check.check(text)), game.tree, game.host, positionid)
    return [(one.text, one.matched, one.value, one.positionid) for one in found.children]


def test_an_explanation_shows_where_the_constituents_of_a_path_held() -> None:
    assert explained("path P--e4 btm -- N--f3 + {ply==3}") == [
        ("P--e4 btm", True, "1.e4", 1),
        ("--", True, "1...e5", 2),
        ("N--f3", True, "2.Nf3", 3),
        ("ply==3", True, "3", 3),
    ]
    assert [(text, place) for text, _, _, place in explained("line --> wtm --> .{2}")] == [
        ("wtm", 0), (".", 1), (".", 2),
    ]  # fmt: skip


def test_an_explanation_shows_how_far_a_path_came() -> None:
    assert explained("path --e4 --e5 --d4") == [
        ("--e4", True, "1.e4", 1),
        ("--e5", True, "1...e5", 2),
        ("--d4", False, None, 2),
    ]
    assert explained("path focus N -- check") == [("N", True, "[b1,g1]", 0), ("-- check", False, None, 0)]
    assert explained("line --> wtm --> check") == [("wtm", True, None, 0), ("check", False, None, 1)]


@pytest.mark.parametrize(
    ("text", "way"),
    [
        ("path --e4 --e5 --f3", "1.e4 e5 2.Nf3"),
        ("path {wtm} --e4 {btm}", "1.e4"),
        ("path --e4 --e5 --d4", "1.e4 e5"),
        ("path --d4", ""),
        ("path focus N N--f3", "2.Nf3"),
        ("line --> wtm --> .{2}", "1.e4 e5"),
    ],
)
def test_an_explanation_tells_the_moves_of_a_path(text: str, way: str) -> None:
    (game,) = games.from_pgn(RUY)
    start = 2 if "focus" in text else 0
    found = explain.explain(transforms.expand(check.check(text)), game.tree, game.host, start)
    assert found.way == way


def test_an_explanation_knows_what_earlier_positions_banned() -> None:
    (game,) = games.from_pgn(RUY)
    expanded = transforms.expand(check.check("path nestban --{4}"))
    truths = [explain.explain(expanded, game.tree, game.host, place).matched for place in range(9)]
    assert truths == [True, False, False, False, True, False, False, False, False]

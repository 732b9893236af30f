"""Filters about the positions of a game: going to them, comparing them, echoes, common runs of moves."""

from __future__ import annotations

import re
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cqlgui.board import moves, tree
from cqlgui.cql.checking import check
from cqlgui.cql.explaining import explain
from cqlgui.cql.interpreting import interpreter
from cqlgui.cql.interpreting.runtime import game_log
from cqlgui.cql.printing import printer
from cqlgui.cql.transforming import transforms
from tests.cql.printing import test_printer
from tests.cql.syntax import test_tree_syntax
from tests.helpers import games, trees

# Positions: 0 start, 1 e4, 2 e5, 3 Nf3, 4 Nc6, 5 Bb5, 6 a6; below 4: 7 Bc4; below 1: 8 c5, 9 Nf3, 10 Nc6,
# 11 Bb5, 12 a6.
LINES = """[Event "t"]
[White "W"]
[Black "B"]
[Result "*"]

1. e4 e5 (1... c5 2. Nf3 Nc6 3. Bb5 a6) 2. Nf3 Nc6 3. Bb5 (3. Bc4) a6 *
"""
REPEATED = """[Event "t"]
[Result "1/2-1/2"]

1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 1/2-1/2
"""
STRAYS = """[Event "t"]
[Result "*"]

1. e4 (1. d4 d5 2. c4 (2. Nf3)) e5 (1... c5 2. --) 2. Nf3 *
"""


def run(text: str, pgn: str = LINES) -> interpreter.GameOutcome | None:
    (game,) = games.from_pgn(pgn)
    checked = check.check(text)
    assert not checked.errors, checked.errors
    return interpreter.Program(transforms.expand(checked)).run(game.tree, game.host)


def hits(text: str, pgn: str = LINES) -> list[int]:
    outcome = run(f"cql(variations) {text}", pgn)
    return [hit.positionid for hit in outcome.hits] if outcome else []


def value(text: str, at: int = 0, pgn: str = LINES) -> str | None:
    """The value at a position; None without a match, `+` for a match without value."""
    outcome = run(f"cql(variations) positionid=={at} {text}", pgn)
    return (outcome.hits[0].value or "+") if outcome else None


def comments(text: str, pgn: str = LINES) -> list[tuple[int, str]]:
    outcome = run(f'cql(variations matchstring "") {text}', pgn)
    assert outcome is not None
    assert outcome.comments[0] == (0, "Game number 1")
    return list(outcome.comments[1:])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("parent:initial", [1]),
        ("child:child:terminal", [4, 10]),
        ("child(1):wtm", [1]),
        ("child(1):child(0):true", [1]),
        ("child(-1):true", []),
        ("child(2):true", []),
        ("position 3:currentposition == currentposition", [3]),
        ("position 99:true", []),
        ("initialposition == currentposition", [0]),
        ("position 7 [<] currentposition", []),
        ("position 8 [<] currentposition", [9, 10, 11, 12]),
        ("position 8 [<=] currentposition", [8, 9, 10, 11, 12]),
        ("currentposition [<] position 3", [0, 1, 2]),
        ("position 3 [>] currentposition", [0, 1, 2]),
        ("position 3 [>=] currentposition", [0, 1, 2, 3]),
        ("currentposition [>=] position 4", [4, 5, 6, 7]),
        ("ancestor(currentposition position 2)", [0, 1]),
        ("descendant(currentposition position 10)", [11, 12]),
        ("currentposition != position 0 currentposition < position 3", [1, 2]),
        ("lca(currentposition position 6) == position 4", [4, 7]),
        ("distance(currentposition position 5) == 2", [3, 7]),
        ("depth == 1", [7, 8, 9, 10, 11, 12]),
        ("variation not mainline terminal", [7, 12]),
        ("parent:child == currentposition", [1, 2, 3, 4, 5, 6, 9, 10, 11, 12]),
        ("not parent", [0]),
        ("sidetomove == black ply == 1", [1]),
        ("extension or ply == 5", [5, 7, 11]),
    ],
)
def test_where_a_filter_holds(text: str, expected: list[int]) -> None:
    assert hits(text) == expected


def test_positions_of_the_searched_tree_only_are_seen() -> None:
    outcome = run("cql() child(1):true")
    assert outcome is None
    outcome = run("cql() terminal")
    assert outcome is not None
    assert [hit.positionid for hit in outcome.hits] == [6]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("parent:#A", None),
        ("(not parent:#A)", "+"),
        ("parent:A", None),
        ("#(parent:A)", "0"),
        ("child:child:Pe4", "e4"),
        ("child:ply + 1", "2"),
        ("distance(position 1 position 6)", "5"),
        ("distance(currentposition currentposition)", "0"),
        ("#(currentposition & child)", "62"),
        ("#(currentposition & parent)", "0"),
        ("sidetomove", "1"),
        ("child:sidetomove", "-1"),
        ("fen", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
        ("child:fen", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1"),
        ("{x=child x:ply}", "1"),
        ("{piece Man=e2 child:Man}", "e4"),
        ("equal(#A #a)", "+"),
        ("equal(A a)", None),
        ("equal(A #A)", None),
        ("equal(parent parent)", "+"),
        ("equal(wtm mate)", None),
        ("equal(btm mate)", "+"),
        ('equal("a" child:"a")', "+"),
        ("lastgamenumber", "7"),
    ],
)
def test_values(text: str, expected: str | None) -> None:
    (game,) = games.from_pgn(LINES)
    game.host.game_count = 7
    checked = check.check(f"initial {text}")
    assert not checked.errors, checked.errors
    outcome = interpreter.Program(transforms.expand(checked)).run(game.tree, game.host)
    assert ((outcome.hits[0].value or "+") if outcome else None) == expected


def test_the_last_game_number_obeys_the_header() -> None:
    (game,) = games.from_pgn(LINES)
    game.host.game_count = 7
    for header, expected in (("gamenumber 1 3", "3"), ("gamenumber 1 30", "7")):
        checked = check.check(f"cql({header}) initial lastgamenumber")
        outcome = interpreter.Program(transforms.expand(checked)).run(game.tree, game.host)
        assert outcome is not None
        assert outcome.hits[0].value == expected


def test_tries_count_white_side_moves_on_the_way() -> None:
    # 0 start, 1 e4, 2 e5, 3 Nf3, 4 c5, 5 null, 6 d4, 7 d5, 8 c4, 9 Nf3
    assert hits("try", STRAYS) == [6, 7, 8]
    assert hits("virtualmainline", STRAYS) == [0, 1, 2, 3, 4]
    assert value("try", 7, STRAYS) == "1"


# --- echo ---------------------------------------------------------------------------------------------------


def test_an_echo_binds_here_and_every_other_position() -> None:
    assert hits("echo(s t) {s & t == . sidetomove == s:sidetomove}", REPEATED) == [0, 1, 2, 4, 5, 6]
    assert hits("echo(s t) {t == s}", REPEATED) == []
    assert hits("echo(s t) in all {t == s}", REPEATED) == [0, 1, 2, 3, 4, 5, 6]
    assert hits("echo(s t) {t == currentposition s [<] t}", REPEATED) == [0, 1, 2, 3, 4, 5]


def test_a_numeric_echo_is_the_largest_number() -> None:
    assert value("echo(s t) distance(s t)", 3) == "7"
    assert value("echo(s t) {false ply}", 3) is None
    assert value("echo(s t) {ply == 0}", 3) == "0"


def test_the_names_of_an_echo_are_free_again_afterwards() -> None:
    assert hits("initial (echo(s t) mate) or initial (echo(s t) {t:ply == 2})") == [0]
    with pytest.raises(interpreter.QueryError) as caught:
        run("{echo(s t) {t:ply == 2}} s:wtm")
    assert caught.value.variable == "s"
    with pytest.raises(interpreter.QueryError, match="already has a value"):
        run("s=currentposition echo(s t) true")


def test_an_echo_says_where_it_found_what() -> None:
    assert comments("positionid==5 echo(s t) {positionid==9}") == [
        (1, "LCA"),
        (5, "s"),
        (9, "t"),
        (9, "id:9"),
        (5, "<--move 2(btm)[9]"),
        (9, "-->move 3(btm)"),
    ]
    assert comments("positionid==5 echo(s t) {positionid==2}") == [
        (5, "s"),
        (2, "t"),
        (5, "<--move 2(wtm)"),
        (2, "-->move 3(btm)"),
    ]
    assert comments("positionid==5 echo quiet (s t) {positionid==2}") == []


def test_under_a_sort_an_echo_tells_of_its_best_target_only() -> None:
    told = comments('positionid==5 sort "far" echo(s t) {comment("c" ply) distance(s t)}')
    assert [text for _, text in told if text.startswith("c")] == ["c6"]
    assert (12, "t") in told
    told = comments("positionid==5 echo(s t) {ply <= 1 comment(ply) distance(s t)} >= 1")
    assert [text for _, text in told if text in "01"] == ["0", "1"]


def test_an_echo_that_goes_on_for_ever_is_stopped() -> None:
    (game,) = games.from_pgn(LINES)
    text = "cql(variations) " + " ".join(f"echo quiet (s{n} t{n}) {{" for n in range(5)) + "false" + "}" * 5
    program = interpreter.Program(transforms.expand(check.check(text)))
    with pytest.raises(interpreter.TooSlow):
        program.run(game.tree, game.host, lambda: True)


# --- common runs of moves -----------------------------------------------------------------------------------


def test_the_longest_common_run_of_two_lines() -> None:
    assert value("{x=position 6 y=position 12 consecutivemoves(x y)}") == "4"
    assert value("{x=position 5 y=position 12 consecutivemoves(x y)}") == "3"
    assert value("{x=position 6 y=position 2 consecutivemoves(x y)}") is None
    assert value("{x=position 6 y=position 7 consecutivemoves(x y)}") is None
    assert value("{x=position 6 y=position 12 consecutivemoves 2 3 (x y)}") is None
    assert value("{x=position 6 y=position 12 consecutivemoves 2 4 (x y)}") == "4"


def test_a_run_numbers_its_moves_and_only_the_longest_one_does() -> None:
    assert comments("initial x=position 5 y=position 11 consecutivemoves(x y)") == [
        (5, "x-move[3]"),
        (4, "x-move[2]"),
        (3, "x-move[1]"),
        (11, "y-move[3]"),
        (10, "y-move[2]"),
        (9, "y-move[1]"),
    ]
    assert comments("initial x=position 5 y=position 11 consecutivemoves quiet (x y)") == []
    told = comments("mainline echo quiet (s t) {variation consecutivemoves(s t) >= 1}")
    assert {text for _, text in told} == {f"{name}-move[{n}]" for name in "st" for n in (1, 2, 3, 4)}


_TWO_KINGS = "4k3/8/8/8/8/8/8/4K3 w - - 0 1"


@settings(max_examples=150, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(2, 30))
def test_runs_are_those_of_a_plain_comparison(random: Random, size: int) -> None:
    """Two kings wander through a random tree; a pair of positions is compared move by move."""
    builder = trees.TreeBuilder()
    boards = {0: tree.GameTree.decode(_TWO_KINGS, []).root}
    for _ in range(size):
        parent = random.choice(list(boards))
        before = boards[parent]
        man = 12 if before.turn else 6
        start = before.men[man].bit_length() - 1
        end = random.choice(
            [square for square in (start - 1, start + 1) if 0 <= square < 64 and square >> 3 == start >> 3]
        )
        after = before.copy()
        try:
            after.make(moves.pack(start, end))
        except ValueError:
            continue
        boards[builder.add(parent, moves.pack(start, end))] = after
    words, _ = builder.finish()
    game = tree.GameTree.decode(_TWO_KINGS, words)
    host = games.Host()
    first, second = random.randrange(len(game)), random.randrange(len(game))
    text = f"cql(variations) initial x=position {first} y=position {second} consecutivemoves quiet (x y)"
    checked = check.check(text)
    outcome = interpreter.Program(transforms.expand(checked)).run(game, host)
    got = int(outcome.hits[0].value or 0) if outcome else 0
    assert got == _plain_run(game, first, second)


def _plain_run(game: tree.GameTree, first: int, second: int) -> int:
    ways = [trees.line_to(game, first), trees.line_to(game, second)]
    shared = 0
    while shared < min(len(ways[0]), len(ways[1])) and ways[0][shared] == ways[1][shared]:
        shared += 1
    lists = [
        [
            (game.moves[one], game.positions[game.parents[one]].squares[game.moves[one] & 63])
            for one in way[shared:]
        ]
        for way in ways
    ]
    best = 0
    for i in range(len(lists[0])):
        for j in range(len(lists[1])):
            n = 0
            while i + n < len(lists[0]) and j + n < len(lists[1]) and lists[0][i + n] == lists[1][j + n]:
                n += 1
            best = max(best, n)
    return best


def test_comments_about_runs_settle_by_filter() -> None:
    one, two = object(), object()
    log = [
        (0, "a"),
        game_log.RunNote(1, "short", 5, 2, one),
        game_log.RunNote(2, "long", 5, 3, two),
        game_log.RunNote(3, "other", 9, 1, object()),
        game_log.RunNote(4, "as long", 5, 3, object()),
    ]
    assert game_log.entries(log, range(5)) == [(0, "a", 0), (2, "long", 2), (3, "other", 3)]


# --- transforms and explanations ----------------------------------------------------------------------------


def test_transforms_reach_into_other_positions() -> None:
    assert hits("not Pe4 flipvertical {child:Pd4}") == [0]
    assert hits("1 == flipvertical count {parent:Pe2 Pe4}") == [1]
    assert hits("flipcolor {sidetomove == white initial}") == [0]
    assert value("flipcolor count {sidetomove == white}") == "1"
    assert value("flip count {echo(s t) {Pe4}}") == "1"


def test_an_explanation_tells_of_the_other_position() -> None:
    (game,) = games.from_pgn(LINES)
    expanded = transforms.expand(check.check("cql() child:child:{Pe4 wtm}"))
    body = explain.explain(expanded, game.tree, game.host, 0)
    assert body.matched
    inner = body.children[1]
    assert inner.positionid == 1
    compound = inner.children[1]
    assert compound.positionid == 2
    assert [(one.text, one.matched) for one in compound.children] == [("Pe4", True), ("wtm", True)]


def test_an_explanation_of_an_echo_tells_of_the_position_that_counts() -> None:
    (game,) = games.from_pgn(LINES)
    for text, place in (("distance(s t)", 12), ("{t:ply == 5 t:depth == 1}", 7), ("mate", 0)):
        expanded = transforms.expand(check.check(f"cql(variations) echo(s t) {text}"))
        body = explain.explain(expanded, game.tree, game.host, 3)
        assert [one.positionid for one in body.children] == [place]


@pytest.mark.parametrize(
    ("text", "start", "place", "parts"),
    [
        ("find {ply==2 Pe4}", 0, 2, ["+ply==2", "+Pe4"]),
        ("find <-- {btm x=ply x<3}", 4, 1, ["+btm", "+x=ply", "+x<3"]),
        ("find 2 {ply<4 btm}", 0, 1, ["+ply<4", "+btm"]),
        ("not find all {ply==2 Pe4}", 0, 2, ["+ply==2", "+Pe4"]),
        # Behind a filter that fails.
        ("mate find {ply==2 Pe4}", 0, 2, ["+ply==2", "+Pe4"]),
        # Of candidates without success the one that comes nearest, and the first where all are alike.
        ("find {Pe4 ply==99}", 0, 1, ["+Pe4", "-ply==99"]),
        ("find {ply==99 Pe4}", 1, 1, ["-ply==99", "+Pe4"]),
        # In a path the state of the path is that of the candidate too.
        ("path -- -- (find <-- {ply==1 pathcount==2})", 0, 1, ["+ply==1", "+pathcount==2"]),
    ],
)
def test_an_explanation_tells_a_search_in_the_tree_at_one_position(
    text: str, start: int, place: int, parts: list[str]
) -> None:
    (game,) = games.from_pgn(LINES)
    found = explain.explain(transforms.expand(check.check(text)), game.tree, game.host, start)
    while not re.fullmatch(r"\{[^{]*\}", found.text):
        found = found.children[-1]
    assert found.positionid == place
    assert {one.positionid for one in found.children} == {place}
    marks = [f"{'+' if one.matched else '-'}{one.text}" for one in found.children]
    assert marks == parts


def test_an_explanation_knows_nothing_of_a_position_that_is_missing() -> None:
    (game,) = games.from_pgn(LINES)
    expanded = transforms.expand(check.check("cql() parent:wtm"))
    body = explain.explain(expanded, game.tree, game.host, 0)
    assert body.matched is False
    assert [one.matched for one in body.children] == [False, None]


@settings(max_examples=60, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(1, 60))
def test_ancestry_is_that_of_the_ways_to_the_root(random: Random, size: int) -> None:
    builder = trees.TreeBuilder()
    for handle in range(size):
        builder.add(random.randint(max(handle - 4, 0), handle), moves.pack(0, 0, moves.NULL))
    words, _ = builder.finish()
    game = tree.GameTree.decode(None, words)
    first, second = random.randrange(len(game)), random.randrange(len(game))
    ways = trees.line_to(game, first), trees.line_to(game, second)
    shared = max(set(ways[0]) & set(ways[1]))
    assert game.common_ancestor(first, second) == shared
    checked = check.check(f"cql(variations) initial x=position {first} y=position {second} x[<=]y")
    outcome = interpreter.Program(transforms.expand(checked)).run(game, games.Host())
    assert (outcome is not None) == (first in ways[1])


def test_an_explanation_rings_squares_whatever_the_order_of_its_variables() -> None:
    (game,) = games.from_pgn(LINES)
    expanded = transforms.expand(
        check.check("cql() initial one=64 x=child two=63 y=x mate or (x & y) attacks A")
    )
    body = explain.explain(expanded, game.tree, game.host, 0)
    assert body.matched


@settings(max_examples=60, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(1, 3), st.integers(0, 12))
def test_queries_of_any_make_run_and_can_be_explained(random: Random, depth: int, place: int) -> None:
    node = test_tree_syntax._Maker(random).any(depth)
    text = f"cql(variations) {test_printer.DECLARED} ({printer.print_node(node)})"
    checked = check.check(text)
    if checked.query is None:
        return
    expanded = transforms.expand(checked)
    if expanded.query is None:
        return
    (game,) = games.from_pgn(LINES)
    game.host.files = {"other.pgn": LINES}
    try:
        interpreter.Program(expanded).run(game.tree, game.host)
        found = explain.explain(expanded, game.tree, game.host, place)
        reason = explain.why_not(expanded, game.tree, game.host, place)
    except interpreter.QueryError:
        return
    assert (reason.part is None) == bool(found.matched)

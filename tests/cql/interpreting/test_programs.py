"""Control, variables' life time, dictionaries and functions, by worked examples and small games."""

from __future__ import annotations

import pytest

from cqlgui.cql.checking import check
from cqlgui.cql.explaining import explain
from cqlgui.cql.interpreting import interpreter
from cqlgui.cql.interpreting.runtime import evaluation, memory
from cqlgui.cql.transforming import transforms
from tests.helpers import games

(GAME,) = games.from_pgn('[White "Ann"]\n\n1. e4 e5 2. Nf3 (2. Bc4 Nc6) 2... Nc6 3. Bb5 a6 *\n')


def program(text: str) -> interpreter.Program:
    """A query ready to run."""
    checked = check.check(text)
    assert not checked.errors, checked.errors
    return interpreter.Program(transforms.expand(checked))


def value(text: str) -> str | None:
    """The value of a body at the root; None when it does not match there."""
    outcome = program(text).run(GAME.tree, GAME.host)
    hits = [] if outcome is None else [hit for hit in outcome.hits if hit.positionid == 0]
    return hits[0].value if hits else None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(if wtm 3 else 4) + 1", "4"),
        ("(if btm 3 else 4) + 1", "5"),
        ('str(if btm P else 3 " " if wtm P else 3)', "<true> <true>"),
        ("str(if false P)", "<true>"),
        ("str(if wtm if btm 1 else 2)", "<true>"),
        ("x=0 loop {x<5 x+=1} x+0", "5"),
        ("x=9 str(loop {x<5 x+=1})", "<false>"),
        ("x=0 while (x*x<50) x+=1 x+0", "8"),
        ('n1=0 s="" while ("a1bb22c" ~~ "([a-z]+)[0-9]") {n1+=1 s+=\\1} str(n1 s)', "2abb"),
        ('str(while ("abc" ~~ "x") true \\0)', "<true><false>"),
        ('n1=0 while ("ab" ~~ "x*") n1+=1 n1+0', "3"),
        ("str(isbound x isunbound x) x=1", None),
        ('x=1 unbind x str(isbound x isunbound "x" x)', "<false><true><unbound: x>"),
        ('local dictionary D D["b"]=2 D["a"]=1 s="" k[element]D s+=k str(s #D D["a"] D["z"])', None),
        (
            'local dictionary D D["b"]=2 D["a"]=1 s="" k1[element]D s+=k1 str(s #D D["a"] D["z"])',
            "ab21<false>",
        ),
        ("local dictionary D D[(e4)]=1 D[(a1)]=2 n1=0 k1[element]D n1=n1*10+D[k1] n1+0", "21"),
        ('local dictionary D D[-1]=1 D[2]=3 D[10]=7 s="" k1[element]D s+=str(k1 ",") s+""', "-1,2,10,"),
        ('local dictionary D D[1]=[] str(D[1] " " D[2])', "[] []"),
        ('local dictionary D D[1]="x" unbind D[1] str(#D D[1])', "0<false>"),
        ('local dictionary D D[1]="x" D[2]="y" unbind D str(#D)', "0"),
        ("local dictionary D D[currentposition]=ply D[currentposition]+1", "1"),
        ('local dictionary D D[2]="b" D[1]="a" str(D)', "Dictionary D with 2 entries:\n1: a\n2: b"),
        ("function f(x) {x+=2} n1=1 f(n1) n1+0", "3"),
        ("function f(x) {x+=2 x} n1=1 str(f((n1)) n1)", "31"),
        ("function f(x) {x+=2 x} n1=1 str(f({n1}) n1)", "31"),
        ("function f(X Y) {X-Y} f(f(9 3) f(4 2))+0", "4"),
        ("function two() {1+1} two()+two()", "4"),
        ("function g(X) {X+1} function f(X) {g(X*2)+g((X))} f(3)+0", "11"),
        ("function f(X) {#X} f([])+f(P)", "8"),
        ('function f(X) {X+1} str(f(int "x"))', "<false>"),
        ("function f(X) {X~} f(K)", None),
        ("function f(D) {D[1]=5 #D} local dictionary E1 f(E1)+0", "1"),
        ("piece x=Ke1 function f(p1) {currentposition:file p1} f(x)+0", "5"),
        ("flip {function at(S) {S & R} at(a1)}", "[a1,h1]"),
        ("flipcolor if wtm Ra1 else ra8", "a1"),
    ],
)
def test_worked_example(text: str, expected: str | None) -> None:
    if expected is None:
        assert check.check(text).errors or value(text) is None
        return
    assert value(text) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x=1 unbind x x==1", "The variable x has no value yet (game 1, position 0)"),
        ("consecutivemoves (x1 y1) > 2", "The variable x1 has no value yet (game 1, position 0)"),
        ("assert btm", "What the query asserts does not hold (game 1, position 0)"),
        ("x=1 unbind x assert x", "asserts"),
        ("local dictionary D D[1]=1 k1=1 k1[element]D true", "already has a value"),
        ("x=10 while (true) x*=x", "4000 digits"),
        ('s="ab" while (true) s+=s', "characters"),
        ('("a" + readfile "x.pgn") == ""', "x.pgn"),
    ],
)
def test_a_fault_names_game_and_position(text: str, words: str) -> None:
    with pytest.raises(interpreter.QueryError) as caught:
        program(text).run(GAME.tree, GAME.host)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "loop true",
        "loop find check or wtm",
        "while (true) mate",
        "x=3 while (x>2 and wtm) {K attacks q}",
        "while (true) x=1",
    ],
)
def test_a_loop_that_changes_nothing_is_refused_where_it_begins(text: str) -> None:
    with pytest.raises(interpreter.QueryError, match="does not end"):
        program(text).run(GAME.tree, GAME.host)


@pytest.mark.parametrize("text", ["loop mate", "while (mate) wtm", "x=3 while (x>4) true"])
def test_a_loop_that_never_begins_does_no_harm(text: str) -> None:
    assert program(text).run(GAME.tree, GAME.host) is None or "while" in text


@pytest.mark.parametrize(
    "text", ["x=0 loop {x>=0 x=1}", "x=0 while (x>=0) x=1", "x=0 loop {x=1 while (x==1) x=1}"]
)
def test_an_endless_loop_ends_with_the_games_time(text: str) -> None:
    with pytest.raises(interpreter.TooSlow):
        program(text).run(GAME.tree, GAME.host, lambda: True)


def test_persistent_variables_and_dictionaries_live_on_and_others_do_not() -> None:
    query = program(
        "dictionary D local dictionary L if initial {persistent N1+=1 persistent quiet Q1|=K"
        ' persistent S+="a" D[N1]=1 L[N1]=1 if isbound x false x=1} initial #L==1 str(N1 #D)'
    )
    assert query.sequential
    kept = query.empty_memory()
    shown = []
    for _ in range(3):
        outcome = query.run(GAME.tree, GAME.host, remembered=kept)
        assert outcome is not None
        shown.append(outcome.hits[0].value)
    assert shown == ["11", "22", "33"]
    assert [(one.name, one.text) for one in query.kept(kept)] == [("N1", "3"), ("S", '"aaa"')]
    assert memory.unpacked(kept.packed()) == kept


def test_a_game_that_fails_leaves_no_trace_in_what_is_kept() -> None:
    query = program('dictionary D D["a"]=ply persistent N1+=1 assert ply<2')
    kept = query.empty_memory()
    kept.dictionaries["D"]["b"] = 9
    with pytest.raises(interpreter.QueryError):
        query.run(GAME.tree, GAME.host, remembered=kept)
    assert kept.dictionaries == {"D": {"b": 9}}
    assert kept.variables == {"N1": 0}


def test_local_variables_are_reset_before_every_game_but_not_every_position() -> None:
    query = program('if isunbound "n1" n1=0 n1+=1 terminal n1+0')
    for _ in range(2):
        outcome = query.run(GAME.tree.mainline(), GAME.host)
        assert outcome is not None
        assert [hit.value for hit in outcome.hits] == ["7"]
    assert not query.sequential


def test_explaining_writes_no_file_and_changes_no_dictionary() -> None:
    query = program(
        'local dictionary D writefile("a.cqo" "x") square x1 in K {D[x1]=1 writefile("a.cqo" "y")}'
    )
    host = games.Host(files={"a.cqo": ""})
    outcome = query.run(games.from_fen("4k3/8/8/8/8/8/8/4K3 w - - 0 1").tree, host)
    assert outcome is not None
    assert host.files["a.cqo"] == "xy"


def test_a_position_inside_a_variation_notes_its_number_when_it_is_printed() -> None:
    outcome = program("cql(variations) positionid==7 str(currentposition)").run(GAME.tree, GAME.host)
    assert outcome is not None
    assert outcome.hits[0].value == "move 2(btm)[7]"
    assert (7, "id:7") in outcome.comments


_MILLION = 'initial s="a" loop {#s<1000000 s+=s} z=0 '


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("loop {z+=1 comment(z s)}", "comment(z s)"),
        ("loop {z+=1 message(z s)}", "message(z s)"),
        ("loop {z+=1 message quiet(z s)}", "message quiet(z s)"),
        ("local dictionary D loop {z+=1 D[str(z)]=s+str(z)}", "D[str(z)]=s+str(z)"),
        ("dictionary D loop {z+=1 D[s+str(z)]=1}", "D[s+str(z)]=1"),
        ("dictionary D loop {z+=1 D[1]=s+str(z)}", "D[1]=s+str(z)"),
        ("local dictionary D loop {z<30 z+=1 D[z]=s+str(z)} str(D)", "D"),
        (f"comment({'s ' * 33})", f"comment({'s ' * 33})"),
    ],
)
def test_what_one_game_keeps_is_bounded(text: str, part: str) -> None:
    with pytest.raises(interpreter.QueryError, match="32,000,000 characters in this game") as caught:
        program(_MILLION + text).run(GAME.tree, GAME.host)
    span = caught.value.span
    assert span is not None
    assert (_MILLION + text)[span.offset : span.end] == part


def test_many_short_comments_count_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluation, "MOST_KEPT", 100_000)
    with pytest.raises(interpreter.QueryError, match="characters in this game"):
        program('initial z=0 loop {z<10000 z+=1 comment("x")}').run(GAME.tree, GAME.host)


@pytest.mark.parametrize(
    "text",
    [
        "loop {z<60 z+=1 not {comment(s) false} {comment(s z) false} or true}",
        "local dictionary D loop {z<60 z+=1 D[1]=s+str(z)}",
        "local dictionary D loop {z<60 z+=1 D[s+str(z)]=1 unbind D}",
        'local dictionary D D["a"]=s loop {z<60 z+=1 str(D)}',
        "loop {z<60 z+=1 sort {comment(s z) z}}",
    ],
)
def test_what_is_not_kept_does_not_count(text: str) -> None:
    outcome = program(_MILLION + text).run(GAME.tree, GAME.host)
    assert outcome is not None


# --- explaining ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "rounds", "told"),
    [
        ("x=0 loop {x<3 x+=1}", 3, ["- {x<3 x+=1}", "- x<3", "x = 3", "3 = 3"]),
        ("x=0 loop {x<9 x+=1 x<3}", 2, ["- {x<9 x+=1 x<3}", "x<9 = 2", "x = 2", "9 = 9"]),
        ("x=5 not loop {x<3 x+=1}", 0, ["- {x<3 x+=1}", "- x<3", "x = 5", "3 = 3"]),
        ("x=0 while (x<3) {y=x x+=1}", 3, ["- x<3", "x = 3", "3 = 3", "{y=x x+=1}", "y=x", "x = 2"]),
        ("x=0 while (x<2) {z=0 while (z<x) {z+=1} x+=1}", 2, ["- x<2", "x = 2"]),
    ],
)
def test_an_explanation_tells_the_parts_of_a_loop_from_one_round(
    text: str, rounds: int, told: list[str]
) -> None:
    game = games.from_fen("4k3/8/8/8/8/8/8/4K3 w - - 0 1")
    top = explain.explain(transforms.expand(check.check(text)), game.tree, game.host, 0)
    loop = top.children[-1]
    loop = loop.children[0] if loop.text.startswith("not") else loop
    assert loop.rounds == rounds
    assert preorder(loop)[1:][: len(told)] == told


def test_an_explanation_tells_a_loop_in_a_loop_from_the_round_around_it() -> None:
    game = games.from_fen("4k3/8/8/8/8/8/8/4K3 w - - 0 1")
    text = "x=0 while (x<4) {z=0 while (z<x) {z+=1} x+=1}"
    top = explain.explain(transforms.expand(check.check(text)), game.tree, game.host, 0)
    inner = top.children[-1].children[1].children[1]
    assert inner.rounds == 3
    assert preorder(inner)[1:4] == ["- z<x", "z = 3", "x = 3"]


def preorder(part: explain.Explanation) -> list[str]:
    """The parts of an explanation: those that fail with a dash, the others with their value."""
    value = "" if part.value is None else f" = {part.value}"
    mark = "- " if part.matched is False else ""
    return [f"{mark}{part.text}{value}", *(line for one in part.children for line in preorder(one))]

"""Reading `path` and `line`: where they end, what their signs mean, and what is said of mistakes."""

from __future__ import annotations

import pytest

from cqlgui.cql.ast import nodes, nodes_moves, nodes_paths
from cqlgui.cql.checking import check
from cqlgui.cql.printing import printer


def body(text: str) -> nodes.Node:
    checked = check.check(text)
    assert checked.query is not None, checked.errors
    return checked.query.body


def shape(text: str) -> str:
    """The body as printed: side by side, with brackets."""
    return printer.print_node(body(text))


def constituents(text: str) -> tuple[nodes.Node, ...]:
    path = body(text)
    assert isinstance(path, nodes_paths.Path | nodes_paths.Line)
    return path.constituents


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("path -- check\n\nmate", "{(path -- check) mate}"),
        ("path -- check\r\n \t\r\nmate", "{(path -- check) mate}"),
        ("path -- check\nmate", "path -- check mate"),
        ("path -- check\n// a remark\nmate", "path -- check mate"),
        ("path -- check\n// a remark\n\nmate", "{(path -- check) mate}"),
        ("path -- check /* a\n\nb */ mate", "path -- check mate"),
        ("path (--\n\ncheck)\n\nmate", "{(path (-- check)) mate}"),
        ("path -- {check\n\nwtm} mate", "path -- {check wtm} mate"),
        ("path -- {path -- check\n\nwtm} mate", "path -- {(path -- check) wtm} mate"),
        ("path -- path -- check\n\nwtm", "{(path -- {path -- check}) wtm}"),
        ("{path -- check} mate", "{(path -- check) mate}"),
        ("(path -- check) mate", "{(path -- check) mate}"),
        ("cql() x = path -- y = 3", "x = path -- y = 3"),
        ("e = path lastposition --\nf = 3", "e = path lastposition -- f = 3"),
        ("e = path lastposition -- check\ne == parent", "{(e = path lastposition -- check) e == parent}"),
    ],
)
def test_a_path_ends_at_a_blank_line_a_bracket_or_an_unknown_name(text: str, expected: str) -> None:
    assert shape(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("path -- check +", "path -- check +"),
        ("path --+ check", "path -- + check"),
        (
            "path --* --? --{*} --{+} --{2} --{2,} --{,2} --{2,3}",
            "path -- * -- ? -- * -- + -- {2} -- {2,} -- {,2} -- {2,3}",
        ),
        ("path -- ply+1>0 --", "path -- ply + {1 > 0} --"),
        ("path {ply*2>3} --", "path {ply * 2 > 3} --"),
        ("path P--e4 p--", "path P--e4 p--"),
        ("path P --e4 p --", "path P --e4 p --"),
        ("path A|N--e4 up 1 P--", "path A | N--e4 up 1 P--"),
        ("path --(check)", "path -- check"),
        ("path --(-- check)", "path -- (-- check)"),
        ("path -- (-- --)+", "path -- (-- --) +"),
        ("path (check or mate) --", "path (check or mate) --"),
        ("path (P)--", "path (P) --"),
        ("path (wtm check) --", "path (wtm check) --"),
        ("path --{*} (check mate)", "path -- * (check mate)"),
        ("path ({check}){,2}", "path (check) {,2}"),
        ("path -- (Q|R)--", "path -- Q | R --"),
        ("path -- (Q|R)+", "path -- Q | R +"),
        ("path -- (check mate)--", "path -- check mate --"),
        ("path (--)(P)--e4", "path (--) (P) --e4"),
        ("path {(P)}--e4", "path P--e4"),
        ("path (--?){1,3} (--?){2} (--?){,3} (--?)?", "path (-- ?) {1,3} (-- ?) {2} (-- ?) {,3} (-- ?) ?"),
        ("path max (#A) --", "path max #A --"),
        ("path max (ply) --{1,3}", "path max ply -- {1,3}"),
        ("path max(ply) quiet --", "path max ply quiet --"),
        ("path -- currentmove --e4 --", "path -- {currentmove --e4} --"),
        ("path currentmove (N|B)--e4 N--", "path {currentmove N | B--e4} N--"),
        ("path -- not previous --e4 check", "path -- {not currentmove --e4} check"),
        ("path currentmove --(check) --", "path {currentmove --(check)} --"),
        ("path currentmove -- (check --)", "path {currentmove --} (check --)"),
        ("path --=Q check --=[RB]", "path --=Q check --=[RB]"),
        ("path [x]*[x]{2}", "path [x] * [x] {2}"),
        ("⊢◎capture♘ ――□(×▲)?", "path focus capture N --_ ([x]a) ?"),
        ('path -- ///"x" from\n --', 'path -- {///"x" from} --'),
        ("path {max(ply 1)} --", "path {max(ply 1)} --"),
    ],
)
def test_signs_at_the_top_level_of_a_path(text: str, expected: str) -> None:
    assert shape(text) == expected
    assert body(printer.print_node(body(text), "unicode")) == body(text)


def test_filters_behind_a_dash_are_its_target_until_a_wildcard() -> None:
    first, second, third = constituents("path wtm P--e4 check btm * mate")
    assert first == nodes.SideToMove(first.span, "white")
    assert isinstance(second, nodes_paths.Repeat)
    step = second.operand
    assert isinstance(step, nodes_paths.Step)
    assert isinstance(step.dash, nodes_moves.Dash)
    assert step.dash.target is None
    assert len(step.targets) == 2
    assert isinstance(third, nodes.State)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("path 3 focus A --", "path 3 focus A --"),
        ("path focus A 3 5 --", "path 3 5 focus A --"),
        ("path max ply 3 --", "path 3 max ply --"),
        ("path primary quiet nestban --", "path primary nestban quiet --"),
        (
            'path title "a" verbose piecepath keepallbest firstmatch lastposition focus K --',
            'path focus K firstmatch lastposition keepallbest verbose piecepath title "a" --',
        ),
        ("path singlecolor piecepath --", "path singlecolor piecepath --"),
        ("x=3 path x 5 --", "{x = 3 path x 5 --}"),
        ("line 2 5 singlecolor --> check", "line 2 5 singlecolor --> check"),
        ("line secondary firstmatch --> check", "line secondary firstmatch --> check"),
    ],
)
def test_parameters_stand_in_any_order(text: str, expected: str) -> None:
    assert shape(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("line --> check --> mate", "line --> check --> mate"),
        ("line <-- . <-- check", "line <-- . <-- check"),
        ("line --> .+ --> .* --> check? --> mate{2}", "line --> . {+} --> . {*} --> check ? --> mate {2}"),
        ("line --> ply+1 > 3 --> ply*2 == 8 +", "line --> ply + 1 > 3 --> ply * 2 == 8 {+}"),
        ("line --> (check --> wtm){2,} --> mate", "line --> (check --> wtm) {2,} --> mate"),
        ("line --> (check) --> (wtm?)", "line --> check --> wtm ?"),
        ("line --> (A | a) & P --> mate", "line --> {(A | a) & P} --> mate"),
        ("line --> (find <-- check) --> mate", "line --> find <-- check --> mate"),
        ("line --> (ply == 3 --> mate)", "line --> (ply == 3 --> mate)"),
        ("line --> find quiet 2 <-- check --> mate", "line --> find quiet <-- 2 check --> mate"),
        ("line --> {check wtm} --> . {+} --> mate", "line --> {check wtm} --> . {+} --> mate"),
        ("line --> check mate", "{line --> check mate}"),
        ("line --> {line <-- mate} --> check", "line --> {line <-- mate} --> check"),
    ],
)
def test_lines(text: str, expected: str) -> None:
    assert shape(text) == expected


@pytest.mark.parametrize(
    ("text", "token", "code"),
    [
        ("path", "", "unexpected-end"),
        ("path quiet\n\nmate", "", "unexpected-end"),
        ("{path nestban}", "}", "missing-operand"),
        ("path + --", "+", "misplaced-wildcard"),
        ("path check * --", "*", "misplaced-wildcard"),
        ("path --+ *", "*", "misplaced-wildcard"),
        ("path -- {2} {3}", "{3}", "misplaced-wildcard"),
        ("path check+ --", "+", "misplaced-wildcard"),
        ("path (check)+ --", "+", "empty-repetition"),
        ("path (check){2,} --", "{2,}", "empty-repetition"),
        ("path (--?)*", "*", "empty-repetition"),
        ("path (--?){2,}", "{2,}", "empty-repetition"),
        ("path ((--?){,3})*", "*", "empty-repetition"),
        ("path (A|a)&P --", "&", "bracket-in-path"),
        ("path (ply)>3 --", ">", "bracket-in-path"),
        ("path (check) or mate --", "or", "bracket-in-path"),
        ("path max (1 2) --", "2", "unexpected-filter"),
        ("path (--?)+", "+", "empty-repetition"),
        ("path (check --* {wtm})*", "*", "empty-repetition"),
        ("path --{5,2}", "{5,2}", "bad-repetition"),
        ("path quiet quiet --", "quiet --", "duplicate-parameter"),
        ("path focus A focus K --", "focus K", "duplicate-parameter"),
        ("path max ply max ply --", "max ply --", "duplicate-parameter"),
        ("path focus A singlecolor --", "singlecolor", "conflicting-words"),
        ("path primary focus A --", "focus", "conflicting-words"),
        ("path piecepath --", "piecepath", "missing-focus"),
        ("path secondary --", "secondary", "misplaced-word"),
        ("path focus 3 --", "3", "type-mismatch"),
        ("path focus N--", "--", "tied-dash"),
        ("path a2--a3--a4", "--a4", "tied-dash"),
        ("path max A --", "A", "type-mismatch"),
        ("path title 3 --", "3", "unexpected-token"),
        ("path -- 3 --", "3", "number-in-sequence"),
        ("x=3 path -- x --", "x --", "number-in-sequence"),
        ("path -- ply-1 --", "ply-1", "number-in-sequence"),
        ("path legal --", "legal", "dash-in-path"),
        ("path -- countmoves -- > 3", "countmoves", "dash-in-path"),
        ("path -- not {check --", "{", "unbalanced-bracket"),
        ("path check--e4", "--e4", "tied-dash"),
        ("line check", "check", "unexpected-token"),
        ("line -->", "", "unexpected-end"),
        ("line --> check <-- check", "<-- check", "mixed-arrows"),
        ("line --> (check <-- wtm --> check)", "<-- wtm", "mixed-arrows"),
        ("line --> (. <-- .)", "<-- .)", "mixed-arrows"),
        ("line <-- (. --> .)", "--> .)", "mixed-arrows"),
        ("line --> (check --> (mate <-- .)+)", "<-- .)+)", "mixed-arrows"),
        ("line primary <-- check", "<--", "conflicting-words"),
        ("line nestban <-- check", "<--", "conflicting-words"),
        ("line primary secondary --> check", "secondary", "conflicting-words"),
        ("line quiet quiet --> check", "quiet -->", "duplicate-parameter"),
        ("line --> check mate --> check", "mate", "unexpected-filter"),
        ("line --> (check mate --> check)", "mate", "unexpected-filter"),
        ("line --> (check?) + --> mate", "+", "empty-repetition"),
        ("line --> check ? {2} --> mate", "{2}", "empty-repetition"),
        ("line --> 3 --> mate", "3", "number-in-sequence"),
        ("--> check", "--> check", "unexpected-token"),
    ],
)
def test_mistakes_are_told_once_where_they_are(text: str, token: str, code: str) -> None:
    errors = check.check(text).errors
    assert [one.code for one in errors] == [code]
    place = errors[0].span.offset
    assert text[place:].startswith(token)
    if not token:
        assert errors[0].span.length == 0


@pytest.mark.parametrize(
    "text", ["path -- ply check", "path (-- {ply})+ check", "line --> {ply check} --> mate"]
)
def test_a_number_as_constituent_is_warned_of(text: str) -> None:
    (found,) = check.check(text).diagnostics
    assert (found.code, found.severity) == ("number-as-condition", "warning")
    assert text[found.span.offset :].startswith("ply")


def test_what_a_path_misses_at_its_end_is_told_there() -> None:
    (found,) = check.check("path -- check and\n\nmate").errors
    assert found.span.offset == 17
    assert found.message == "The path ends at this blank line where a filter should follow."


def test_deep_chains_are_refused_before_the_stack_ends() -> None:
    text = "path " + "(" * 300 + "--" + ")" * 300
    assert [one.code for one in check.check(text).errors] == ["too-deep"]
    text = "line --> " + "(" * 300 + "check?" + ")" * 300
    assert [one.code for one in check.check(text).errors] == ["too-deep"]
    for part in ("path -- ", "path {", "path (-- ", "line --> ", "line --> not ", "line --> (check --> "):
        assert "too-deep" in [one.code for one in check.check(part * 300).errors], part


def test_what_begins_behind_a_path_keeps_its_own_signs() -> None:
    assert shape("path -- check\n\nx = ply + 1 * 2") == "{(path -- check) x = ply + 1 * 2}"
    assert shape("{path --+} ply + 1 > 2") == "{(path -- +) ply + 1 > 2}"


@pytest.mark.parametrize("text", ['///"a" (A\n| a) check', "{///{A\na} mate}", "/// -> else ( move {"])
def test_a_bracket_may_not_outlast_the_line_of_a_comment(text: str) -> None:
    errors = check.check(text).errors
    assert "unbalanced-bracket" in [one.code for one in errors]
    assert len(errors) <= text.count("(") + text.count("{")

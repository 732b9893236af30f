"""Reading and printing moves: what is tied to a dash, where its target ends, and what is wrong with it."""

from __future__ import annotations

import pytest

from cqlgui.cql.ast import nodes, nodes_moves, types
from cqlgui.cql.checking import check
from cqlgui.cql.printing import printer
from tests.helpers import kinds


def body(text: str) -> nodes.Node:
    """The tree of a text without errors."""
    checked = check.check(text)
    assert checked.query is not None, checked.errors
    return checked.query.body


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("e2--e4", "e2――e4"),
        ("B[x]ph7", "B×ph7"),
        ("--", "――"),
        ("A|N--e4", "(A|N)--e4"),
        ("A&e2--e4", "(A&e2)--e4"),
        ("A->k--e4", "{A->k}--e4"),
        ("P--up 2 e2", "P--{up 2 e2}"),
        ("P--a|b4", "P--{a|b4}"),
        ("e2 --e4", "{e2} {--e4}"),
        ("e2-- e4", "{e2--} {e4}"),
        ("(--)", "--"),
        ("{e2--}", "e2--"),
        ("~--(to)", "~{--(to)}"),
        ("legal --&a-h8", "(legal --) & a-h8"),
        ("currentmove --(to)&e4", "(currentmove --(to)) & e4"),
        ("legal (--)", "legal --"),
        ("#legal --", "#(legal --)"),
        ("countmoves legal -- - 1", "(countmoves legal --) - 1"),
        ("--a wtm", "{--a} wtm"),
        ("P[x]r=Q", "P[x]r =Q"),
        ("--=[RB](check)", "--=[RB](check)"),
        ("--e8=.", "--{e8}=▦"),
        ("N--(check mate)", "N--({check mate})"),
        ("previous K--", "currentmove K--"),
        ("move captures q", "move capture q"),
        ("xray(R q k)", "ray attack(R q k)"),
        ("--//remark\n e4", "{--} e4"),
        ("find 2 --e4", "find 2 (--e4)"),
        ("child:--e4", "child:(--e4)"),
        ("x=A --x=Q", "x=A {--{x}=Q}"),
        ("x=A A--a|x=Q", "x=A A--{a|x}=Q"),
    ],
)
def test_reads_as(text: str, same: str) -> None:
    assert body(text) == body(same)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("N--", types.Type.LOGICAL),
        ("N--(to)", types.Type.SET),
        ("N--(check ply)", types.Type.NUMERIC),
        ("--(currentposition)", types.Type.POSITION),
        ("currentmove --(to)", types.Type.SET),
        ("currentmove --", types.Type.LOGICAL),
        ("legal --", types.Type.SET),
        ("countmoves --", types.Type.NUMERIC),
        ("countmoves legal --(o-o)", types.Type.NUMERIC),
        ("from", types.Type.SET),
        ("enpassantsquare", types.Type.SET),
        ("primary", types.Type.LOGICAL),
        ("move", types.Type.LOGICAL),
        ("move castle from K", types.Type.LOGICAL),
        ("move from K castle", types.Type.SET),
        ("move capture q from P", types.Type.SET),
        ("move legal from Q", types.Type.LOGICAL),
        ("move from Q legal", types.Type.SET),
        ("move from Q legal count", types.Type.NUMERIC),
        ("pin", types.Type.SET),
        ("piece x in A --(x)", types.Type.SET),
    ],
)
def test_type_of_a_move(text: str, kind: types.Type) -> None:
    checked = check.check(text)
    assert checked.query is not None, checked.errors
    assert types.infer(checked.query.body, checked.names) is kind


@pytest.mark.parametrize(
    ("text", "token", "code"),
    [
        ("2--1", "--", "tied-dash"),
        ("ply--", "--", "tied-dash"),
        ("mate--", "--", "tied-dash"),
        ("not--e4", "--", "tied-dash"),
        ("a2--a3 and check--", "--", "tied-dash"),
        ("A--3", "3", "type-mismatch"),
        ("A[x]check", "check", "type-mismatch"),
        ("A--a1 (check)", "(", "space-before-target"),
        ("--\n(check)", "(", "space-before-target"),
        ("A--()", ")", "missing-operand"),
        ("{--=}", "}", "missing-operand"),
        ("--=3", "3", "bad-promotion"),
        ("--=Qa8", "Qa8", "bad-promotion"),
        ("--=Q and check", "Q and check", "bad-promotion"),
        ("legal mate", "mate", "missing-dash"),
        ("{legal}", "}", "missing-operand"),
        ("legal [x]a", "[x]", "bad-dash"),
        ("legal (a[x]b(to))[x]c1", "[x]c1", "bad-dash"),
        ("pseudolegal --=Q", "Q", "bad-dash"),
        ("legal --(check)", "check", "bad-target"),
        ("legal --(castle check)", "(castle check)", "bad-target"),
        ("countmoves legal --(mate)", "mate", "bad-target"),
        ("countmoves check", "check", "missing-dash"),
        ("currentmove K", "K", "missing-dash"),
        ("previous legal --", "legal --", "missing-dash"),
        ("move from A from a", "from a", "duplicate-parameter"),
        ("move capture A captures a", "captures", "duplicate-parameter"),
        ("move from A count > 3", "count", "conflicting-words"),
        ("move from 3", "3", "type-mismatch"),
        ("{move from}", "}", "missing-operand"),
        ("move promote Q legal", "legal", "conflicting-words"),
        ("move legal capture q", "capture", "conflicting-words"),
        ("move legal pseudolegal", "pseudolegal", "conflicting-words"),
        ("move primary secondary", "secondary", "conflicting-words"),
        ("move promote 3", "3", "unexpected-token"),
        ("move promote Ra8", "Ra8", "bad-promotion"),
        ("move from A comment()", ")", "too-few-arguments"),
        ("pin from A from a", "from a", "duplicate-parameter"),
        ("pin from 3", "3", "type-mismatch"),
        ("{pin through}", "}", "missing-operand"),
        ("xray A a", "A a", "unexpected-token"),
        ("xray(A)", ")", "too-few-arguments"),
    ],
)
def test_an_error_is_told_once_and_where_it_stands(text: str, token: str, code: str) -> None:
    found = check.check(text).errors
    assert [one.code for one in found] == [code]
    assert found[0].span.offset == text.rindex(token)


def test_a_dash_tied_to_a_dash_is_an_error() -> None:
    found = check.check("a2--a3--a4").errors
    assert [(one.code, one.span.offset, one.span.length) for one in found] == [("tied-dash", 6, 2)]


def test_two_minus_signs_between_numbers_get_a_hint() -> None:
    (found,) = check.check("2--1").errors
    assert "- -" in found.hint


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(A|N)--e4", "A | N--e4"),
        ("(square x in A check)--", "(square x in A check)--"),
        ("N--{(a|b) & c1}", "N--{(a | b) & c1}"),
        ("--{a}=Q(check mate)", "--a=Q(check mate)"),
        ("e2 -- {e4}", "{e2 -- e4}"),
        ("-- {check or mate}", "{-- check or mate}"),
        ("-- {(check or mate) and wtm}", "{-- {(check or mate) and wtm}}"),
        ("(N--(to)) & e4", "(N--(to)) & e4"),
        ("{--(to)} & e4", "--(to) & e4"),
        ("(currentmove --(to)) & e4", "(currentmove --(to)) & e4"),
        ("(legal --) & e4", "(legal --) & e4"),
        ("countmoves legal --==3", "countmoves legal -- == 3"),
        ('--=("R"+"B")', '--={"R" + "B"}'),
        ("{move from A {to}}", "{move from A (to)}"),
        ("{pin through A {from}}", "{pin through A (from)}"),
        ('{move from A} {comment("x")}', '{move from A (comment("x"))}'),
        ('move from A comment("x" to)', 'move from A comment("x" to)'),
        ("move from (A|a) to ~A", "move from (A | a) to ~A"),
        ("#(--(to))", "#--(to)"),
    ],
)
def test_prints_with_the_brackets_it_needs(text: str, expected: str) -> None:
    printed = printer.print_node(body(text))
    assert printed == expected
    assert body(printed) == body(text)


def test_prints_signs() -> None:
    assert printer.print_node(body("N[x]q=Q(check) --"), "unicode") == "{♘×♛=♕(check) ――}"


@pytest.mark.parametrize(
    ("text", "gap"),
    [("N --e4", 1), ("N-- e4", 3), ("wtm N  --", 5)],
)
def test_a_set_kept_apart_from_a_dash_by_blanks_is_warned_of(text: str, gap: int) -> None:
    found = [one for one in check.check(text).diagnostics if one.code == "loose-set"]
    assert [one.severity for one in found] == ["warning"]
    fix = found[0].fix
    assert fix is not None
    assert fix.span.offset == gap
    tied = text[: fix.span.offset] + fix.new + text[fix.span.end :]
    assert "loose-set" not in {one.code for one in check.check(tied).diagnostics}


@pytest.mark.parametrize("text", ["N\n--e4", "--a wtm", "N--e4 Ka1", "x=N x --", "N--(check) k"])
def test_a_set_that_is_a_filter_of_its_own_is_not_warned_of(text: str) -> None:
    assert "loose-set" not in {one.code for one in check.check(text).diagnostics}


def test_the_blank_before_a_target_can_be_taken_away() -> None:
    text = "A--a1  (check)"
    (found,) = check.check(text).errors
    assert found.fix is not None
    tied = text[: found.fix.span.offset] + found.fix.new + text[found.fix.span.end :]
    assert body(tied) == body("A--a1(check)")


def test_the_kinds_of_moves_are_among_those_tested() -> None:
    assert {nodes_moves.Dash, nodes_moves.Move, nodes_moves.Pin} < kinds.FILTERS

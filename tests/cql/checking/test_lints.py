"""Warnings about queries that would run, and the fixes that findings offer: each, applied, does away with its
finding."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cqlgui.cql.ast import nodes
from cqlgui.cql.checking import check, lints_patterns
from cqlgui.cql.source import diagnostics
from tests import helpers

CASES = [
    # text, code, text after the fix (None: there is none)
    ("flipcolor Bh7 kh8", "transform-scope", "flipcolor {Bh7 kh8}"),
    ("flipcolor flipvertical Bh7\n  kh8 wtm", "transform-scope", "flipcolor flipvertical {Bh7\n  kh8 wtm}"),
    ("flip right 1 Q up 1 K mate", "transform-scope", "flip {right 1 Q up 1 K} mate"),
    ("shift horizontal [Aa]a1", "two-words", "shifthorizontal [Aa]a1"),
    ("flip vertical K", "two-words", "flipvertical K"),
    ("shift horizontal K attacks q", "two-words", "shifthorizontal K attacks q"),
    ("flip vertical K & Q", "two-words", "flipvertical K & Q"),
    ("flip vertical Ra1 == 1", "two-words", "flipvertical Ra1 == 1"),
    ("flip vertical mate", "type-mismatch", "flipvertical mate"),
    ("wtm shift\n horizontal (not K)", "type-mismatch", "wtm shifthorizontal (not K)"),
    ("flip Pa4", "turned-pawns", "flipvertical Pa4"),
    ("flip {Pg3 Ka1}", "turned-pawns", "flipvertical {Pg3 Ka1}"),
    ("flipcolor rotate90 {Pa2 attacks k}", "turned-pawns", "flipcolor flipvertical {Pa2 attacks k}"),
    ("fliphorizontal Pa1-7 flipcolor Pa8", "pawn-on-last-rank", None),
    ("K e4", "bare-square", "Ke4"),
    ("mate e4", "bare-square", None),
    ("Ra1 Na1", "never-matches", None),
    ("Ke1 mate Kd1", "never-matches", None),
    ("wtm btm", "never-matches", None),
    ("R or B attacks k", "or-of-sets", "(R | B) attacks k"),
    ("check 5", "useless-condition", None),
    ("[Qq] 3", "useless-condition", "[Qq] == 3"),
    ("x = 3 x mate", "useless-condition", "x = 3 x > 0 mate"),
    ("abs -3 mate", "useless-condition", "(abs -3) > 0 mate"),
    ("#A mate", "number-as-condition", "#A > 0 mate"),
    ('#"a" + "b" mate', "useless-condition", '(#"a" + "b") > 0 mate'),
    ("not ply", "number-as-condition", "not ply > 0"),
    ('player "Kan,I"', "untidy-name", 'player "Kan, I"'),
    ('player white "Kan,I."', "untidy-name", 'player white "Kan, I"'),
    ('player black == "van Lyn"', "untidy-name", 'player black == "Van Lyn"'),
    ("flippcolor K", "undeclared-name", "flipcolor K"),
    ("flip color K", "undeclared-name", "flipcolor K"),
    ("rotate 90 K", "undeclared-name", "rotate90 K"),
    ("frobnicate K", "undeclared-name", None),
    ("{Ra1  ", "unbalanced-bracket", "{Ra1}  "),
    ("{mate // x", "unbalanced-bracket", "{mate} // x"),
    ('x="abc" y=x[1:2', "unbalanced-bracket", 'x="abc" y=x[1:2]'),
    ('{x="abc" y=x[1}', "unbalanced-bracket", None),
    ("({mate)", "unbalanced-bracket", None),
    ("{(mate", "unbalanced-bracket", None),
    ('{ "abc', "unbalanced-bracket", None),
    ("Ra1)", "unbalanced-bracket", "Ra1"),
    ("(Ra1}", "unbalanced-bracket", "(Ra1)"),
    ("mate /* x\nK", "unterminated-comment", "mate /* x */\nK"),
    ("mate – 5", "stray-character", "mate - 5"),
    ("player 'Tal'", "stray-character", 'player "Tal"'),
    ("mate '", "stray-character", None),
    ("(R or B) attacks k", "type-mismatch", "(R | B) attacks k"),
    ("A attacks (k or q)", "type-mismatch", "A attacks (k | q)"),
    ("x=R or B x attacks k", "or-of-sets", "x=R | B x attacks k"),
    ("x=1 while (x<3) mate", "endless-loop", None),
    ("loop {wtm check}", "endless-loop", None),
    ("while (true) x=1", "endless-loop", None),
    ("x=1 while (x>0) {y=x z=y}", "endless-loop", None),
    ("x=1 if x=5 mate", "assignment-as-condition", None),
    ("not x=5 mate", "assignment-as-condition", None),
    ("x=1 while (x=5) {x=2}", "assignment-as-condition", None),
    ("dictionary D unbind D [e4]", "loose-key", None),
    ("dictionary D not {unbind D [e4]}", "loose-key", None),
    ("flipcolor 3 1 Ke1", "empty-range", "flipcolor 1 3 Ke1"),
    ("find 3 1 wtm", "empty-range", "find 1 3 wtm"),
    ("cql(gamenumber 1400-1600) wtm", "empty-range", "cql(gamenumber 1400 1600) wtm"),
    ("cql(gamenumber 1400 -7) wtm", "empty-range", "cql(gamenumber -7 1400) wtm"),
    ("path (P)--e4", "tied-bracket", "path {P}--e4"),
    ("path -- (Q|R)[x]", "tied-bracket", "path -- {Q|R}[x]"),
    ("path --+ ( (A) )--", "tied-bracket", "path --+ {A}--"),
    ("path (/* men */ P)--", "tied-bracket", None),
    ("--(K)(check)", "second-bracket", "--(K check)"),
    ("not --e4(K)(check)", "second-bracket", "not --e4(K check)"),
    ("countmoves --(K) (check)", "second-bracket", "countmoves --(K check)"),
    ("--(K)(A | a) & K", "second-bracket", None),
    ("path 3 1 --", "empty-range", "path 1 3 --"),
    ("line 3 1 --> .", "empty-range", "line 1 3 --> ."),
    ("echo (xx yy) consecutivemoves 3 1 (xx yy)", "empty-range", "echo (xx yy) consecutivemoves 1 3 (xx yy)"),
    ("ray 3 1 (K A)", "empty-range", "ray 1 3 (K A)"),
    ("cql(gamenumber 3\n1) wtm", "empty-range", "cql(gamenumber 1 3) wtm"),
    ("cql(sort matchcount 3 /* to */ 1) wtm", "empty-range", None),
    ("cql(matchcount 3 -1) wtm", "empty-range", "cql(matchcount -1 3) wtm"),
    ("function fn() {find 3 1 wtm} fn() fn()", "empty-range", "function fn() {find 1 3 wtm} fn() fn()"),
    ("ply=5", "single-equals", "ply==5"),
    ("#A = 5", "reserved-name", "#A == 5"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "better"), CASES)
def test_a_mistake_is_told_and_its_fix_does_away_with_it(text: str, code: str, better: str | None) -> None:
    found = [one for one in check.check(text).diagnostics if one.code == code]
    assert found, check.check(text).diagnostics
    fix = found[0].fix
    if better is None:
        assert fix is None
        return
    assert fix is not None
    assert fix.title
    assert diagnostics.fixed(text, fix) == better
    assert code not in [one.code for one in check.check(better).diagnostics]


@pytest.mark.parametrize(
    "text",
    [
        "flipcolor {Bh7 kh8}",
        "find 3 3 wtm",
        "path (P) --",
        "path (check)--",
        "path (-- P)--",
        "path {P}--",
        "path (--(Q)--)+",
        "path --{,2}(P) --",
        "--(K) {check}",
        "--(K)\n(check)",
        "(--(K)) (check)",
        "--(K check)",
        "find count wtm",
        "x = 1 find 3 x wtm",
        "flipcolor {Ra1} kh8",
        "flipcolor ray up (Q R R) Ka1",
        "flipcolor Ra1 mate",
        "flipvertical Ra1 wtm",
        "shift horizontal 1 K",
        "shift {Pa7 pb7}",
        "flip P",
        "flipcolor {Pa2 pb7}",
        "flip not Pa4",
        "Ra1 [RN]a1",
        "Ra1 or Na1",
        "Ke1 kd1",
        "[Qq] == 3",
        "#A",
        "_e4 K attacks e4",
        "R or B",
        'player "Kan, I"',
        'player "Kan, I."',
        'player "Tal,"',
        'event "Kan,I"',
    ],
)
def test_nothing_is_said_about_what_is_meant(text: str) -> None:
    assert check.check(text).diagnostics == ()


def test_reference_queries_are_hardly_ever_warned_about(shared: Path) -> None:
    """Warnings that come up in good queries are not read any more."""
    lines = (shared / "conformance" / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    checked = [check.check(json.loads(line)["query"]) for line in lines]
    running = [one for one in checked if one.query is not None]
    warned = [one for one in running if one.warnings and "flip" not in one.text and "rotate" not in one.text]
    assert len(warned) <= len(running) // 50


def test_the_terminal_shows_fixes_too() -> None:
    run = helpers.cli("check", "-e", "flipcolor Bh7 kh8")
    assert "fix: Write flipcolor {Bh7 kh8}" in run.err
    (found,) = json.loads(helpers.cli("check", "-e", "flipcolor Bh7 kh8", "--json").out)
    assert found["fix"] == {
        "title": "Write flipcolor {Bh7 kh8}",
        "offset": 10,
        "length": 7,
        "text": "{Bh7 kh8}",
    }


def test_what_is_written_again_and_again_is_compared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A generated query of thousands of filters would take minutes."""
    clash = lints_patterns._clash
    compared = 0

    def counted(one: nodes.Designator, other: nodes.Designator) -> str:
        nonlocal compared
        compared += 1
        return clash(one, other)

    monkeypatch.setattr(lints_patterns, "_clash", counted)
    found = check.check("K Ra1 " * 1000 + "Na1")
    assert [one.code for one in found.diagnostics] == ["never-matches"]
    assert 1 <= compared <= 2001


def test_long_text_is_cut_short_in_messages() -> None:
    (found,) = [one for one in check.check("flip Ra1 kh8").diagnostics if one.code == "transform-scope"]
    assert found.message == "`flip` applies only to `Ra1`; `kh8` behind it is not turned."
    text = "flip R[a1,b2,c3,d4,e5,f6,g7,h8,a2,a3] kh8"
    (found,) = [one for one in check.check(text).diagnostics if one.code == "transform-scope"]
    assert found.message.startswith("`flip` applies only to `R[a1,b2,c3,d4,e5,f6,g7,h8,a...`; ")

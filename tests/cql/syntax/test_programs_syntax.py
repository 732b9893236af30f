"""Programs and strings as text: printing and reading again, and what is wrong with a text, and where."""

from __future__ import annotations

import pytest

from cqlgui.cql.checking import check
from cqlgui.cql.printing import printer


@pytest.mark.parametrize(
    "text",
    [
        "if check mate",
        "if check mate else wtm",
        "if check (if wtm mate) else btm",
        "if check if wtm mate else btm",
        "if check mate else if wtm mate else btm",
        'while ("ab" ~~ "[a-z]") true',
        'while (("ab" ~~ "[a-z]")) true',
        "loop {check wtm}",
        "assert K == 1",
        'isbound Foo isunbound "a b"',
        "persistent quiet Total += 1",
        "atomic Total = 1",
        "local dictionary Map Map[(e4)] = 1 #Map + Map[(e4)]",
        'dictionary Map Map["a"] = K unbind Map["a"] unbind Map',
        'local dictionary Map Map["a"] = 1 key1[element]Map {key1 == "a"}',
        "function Near(X1 Y1) { X1 -> Y1 // near\n} Near(K q)",
        "function Bump(X1) {X1 += 1 X1} num1 = 1 Bump(num1) == Bump((num1))",
        '"hello"[1:3] + "x"[-1] == "elx"',
        'str1 = "abc" str1[0] = "x" str1[1:] = "y"',
        '(uppercase "a")[0] == "A"',
        'player white ~~ "(a)(b)" \\1 == \\2 \\-1 >= 0',
        'str(A " " check) in "x"',
        'indexof("a" "b") int "1" (ascii "a") + ascii "b" > 0',
        'writefile("a.cqo" readfile "b.cql")',
    ],
)
@pytest.mark.parametrize("style", ["ascii", "unicode"])
def test_reading_a_print_gives_the_tree_again(text: str, style: str) -> None:
    query = check.check(text).query
    assert query is not None, check.check(text).errors
    printed = printer.print_query(query, style)  # type: ignore[arg-type]
    again = check.check(printed)
    assert again.query == query, (printed, again.errors)
    assert printer.print_query(again.query, style) == printed  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "code", "offset"),
    [
        ("else mate", "misplaced-word", 0),
        ("while check true", "unexpected-token", 6),
        ("while (check mate) true", "unexpected-filter", 13),
        ("persistent posvar = currentposition", "type-mismatch", 20),
        ("persistent x1 = 1 atomic x1 = 1", "conflicting-words", 25),
        ("x1 = 1 function x1() {K}", "name-taken", 16),
        ("function f() {K} f = 3", "name-taken", 17),
        ("function f() {K} function f() {Q}", "name-taken", 26),
        ("function f(x1 x1) {K}", "duplicate-parameter", 14),
        ("function f(x1) {}", "missing-operand", 16),
        ("function f(x1) {1} f(2)", "unexpected-token", 15),
        ("function f(x1) {+} f(2)", "unexpected-token", 15),
        ("function f(x1) {x1 + 1} f(K) f(Q)", "type-mismatch", 19),
        ("function f(x1) {K} f(1 2)", "too-many-arguments", 23),
        ("function f(x1) {K} f()", "too-few-arguments", 21),
        ("function f(x1) {K} f(mate)", "type-mismatch", 21),
        ("function f(x1) {g(x1)} function g(x1) {f(x1)} f(K)", "recursive-function", 39),
        ("function f(x1) {f(x1)} f(K)", "recursive-function", 16),
        ("Map[1] = 2", "undeclared-name", 0),
        ("dictionary Map Map = 3", "type-mismatch", 15),
        ('dictionary Map Map["a"] = 1 Map[1] = 2', "type-mismatch", 32),
        ('dictionary Map Map["a"] = 1 Map["b"] = "x"', "type-mismatch", 39),
        ("dictionary Map Map[currentposition] = 1", "type-mismatch", 19),
        ("dictionary Map Map[1] = currentposition", "type-mismatch", 24),
        ("dictionary Map Map[e4] = 1", "dictionary-key", 18),
        ("dictionary Map[e4] = 1", "dictionary-key", 14),
        ("dictionary Map unbind Map[e4]", "dictionary-key", 25),
        ("dictionary Map unbind Map[kk]", "dictionary-key", 25),
        ("dictionary Map #Map[1] > 0", "type-mismatch", 19),
        ("dictionary Map #Map[kk] > 0", "type-mismatch", 19),
        ("dictionary Map k1[element]Map true", "unknown-type", 26),
        ("dictionary Map Map[1] = 1 [forall]k1[element]Map true", "type-mismatch", 45),
        ("dictionary Map Map[1] += 1", "type-mismatch", 22),
        ("local dictionary Map dictionary Map", "name-taken", 32),
        ("unbind Foo", "undeclared-name", 7),
        ("isbound 3", "unexpected-token", 8),
        ('"a" - "b"', "type-mismatch", 6),
        ("ply[0]", "type-mismatch", 3),
        ('"abc"[]', "missing-operand", 5),
        ('"abc" ~~ "(x"', "regular-expression", 10),
        ('"abc" ~~ "x[z-a]"', "regular-expression", 11),
        ('x1 = "a" "abc" ~~ x1', "unexpected-token", 18),
        ('writefile("a.pgn" "x")', "bad-file-name", 10),
        ('readfile "a.exe" == ""', "bad-file-name", 9),
    ],
)
def test_a_mistake_is_shown_at_its_place(text: str, code: str, offset: int) -> None:
    found = check.check(text)
    assert found.query is None
    assert [(one.code, one.span.offset) for one in found.errors] == [(code, offset)]


def test_calls_within_calls_cannot_grow_without_bound() -> None:
    levels = "".join(f"function fn{i}() {{fn{i - 1}() fn{i - 1}()}} " for i in range(1, 40))
    found = check.check("function fn0() {K Q R} " + levels + "fn39()")
    assert found.query is None
    assert "too-long" in {one.code for one in found.errors}


@pytest.mark.parametrize("text", ['str("a")', 'dictionary Map Map["a"] = 1 #Map', "if wtm 3 mate"])
def test_a_value_that_always_matches_is_warned_of(text: str) -> None:
    found = check.check(text + " K")
    assert found.query is not None
    assert found.warnings


@pytest.mark.parametrize("body", ["{1}", "{ 1 }", "{(1)}"])
def test_a_number_alone_as_body_is_told_from_a_repetition(body: str) -> None:
    faults = check.check(f"function f(u) {body} f(2)").errors
    assert [fault.hint for fault in faults] == (["write {(1)}"] if body == "{1}" else [])

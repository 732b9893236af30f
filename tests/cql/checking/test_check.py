"""Checking texts: what is accepted, the codes and places of errors, limits, recovery."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cqlgui.cql.ast import nodes
from cqlgui.cql.checking import check
from cqlgui.cql.printing import printer
from cqlgui.cql.syntax.reading.cursor import MAX_DIAGNOSTICS
from cqlgui.cql.vocabulary import registry

SHARED = Path(__file__).resolve().parents[4] / "shared"

ERRORS = """
{mate | unbalanced-bracket 0
mate } | unbalanced-bracket 5
{mate) | unbalanced-bracket 5
(mate check) | unexpected-filter 6
{} | missing-operand 1
cql() | unexpected-end 5
cql mate | unexpected-token 4
cql(foo) mate | unknown-parameter 4
cql(result 2-0) mate | unexpected-token 11
cql(gamenumber) mate | missing-operand 14
cql(input a.pgn input b.pgn) mate | duplicate-parameter 16
foo1 > 3 | undeclared-name 0
cnt+=1 | undeclared-name 0
x1=3 x1=A | type-mismatch 8
x1=3 x1|=A | type-mismatch 7
x1=mate | type-mismatch 3
x1=A==a | type-mismatch 4
A < a | type-mismatch 2
A == "a" | type-mismatch 5
mate == check | type-mismatch 5
A + 1 == 3 | type-mismatch 2
1 + "a" | type-mismatch 2
A & 3 | type-mismatch 4
~3 | type-mismatch 1
#3 > 1 | type-mismatch 1
currentposition | currentposition | type-mismatch 16
P in A in . | chained-in 7
A->a<-A | mixed-arrows 4
max(3) == 3 | too-few-arguments 5
max 3 4 | unexpected-token 4
between(A) | too-few-arguments 9
between(A a K) | too-many-arguments 12
ray(A) | too-few-arguments 5
ray up up(A a) | duplicate-direction 7
ray orthogonal up(A a) | duplicate-direction 15
ray attack diagonal(A a k) | conflicting-words 11
up count K | misplaced-word 3
up 8 K | bad-range 3
left 1 mate | type-mismatch 7
find all 3 check | conflicting-words 9
find | unexpected-end 4
square in A true | unexpected-token 7
square title in A true | reserved-name 7
square x1 in A | unexpected-end 14
K[element]A true | reserved-name 1
silent=3 | misplaced-word 0
R on a1 | old-syntax 2
sort min #A | unexpected-token 9
sort "n" 3 | constant-sort 9
sort "n" "n" ply | constant-sort 9
piece all x y | unexpected-token 12
"a" ~~ x | unexpected-token 7
/* a | unterminated-comment 0
wtm and /* a | unterminated-comment 8
'a' | stray-character 0
mate /// | empty-comment 5
player "Kas.*" | regular-expression 7
reversecolor count Ra1 | misplaced-range 13
rotate45 Kd3 | rotate45-squares 9
rotate45 light K | rotate45-squares 9
"""


@pytest.mark.parametrize("line", ERRORS.strip().splitlines())
def test_error(line: str) -> None:
    text, _, expected = line.rpartition(" | ")
    code, offset = expected.split()
    found = check.check(text)
    assert found.query is None
    assert [(one.code, one.span.offset) for one in found.errors] == [(code, int(offset))]


def test_reports_every_independent_error() -> None:
    found = check.check("flipcolour {foo}\nA + 1 == 3\nmax(1) > 2\n#mate")
    assert [one.code for one in found.errors] == [
        "undeclared-name",
        "undeclared-name",
        "type-mismatch",
        "too-few-arguments",
        "type-mismatch",
    ]
    assert found.errors[0].hint == "did you mean `flipcolor`?"


def test_a_useless_condition_is_a_warning() -> None:
    found = check.check('3 "a" x = 1 x not max(1 2) A')
    assert found.query is not None
    assert [one.code for one in found.warnings] == ["useless-condition"] * 4
    assert found.errors == ()


def test_a_text_without_header_is_a_body() -> None:
    bare, headed = check.check("mate"), check.check("cql() mate")
    assert bare.query == headed.query


def test_header() -> None:
    text = (
        'cql(input "a.pgn" variations gamenumber 2 5 result 1-0 sort matchcount 3 9 matchstring "hit" quiet)'
    )
    query = check.check(text + " mate").query
    assert query is not None
    assert printer.print_header(query.header) == text


DEEP = [
    "{" * 10_000,
    "(" * 10_000 + "A" + ")" * 10_000,
    "not " * 10_000 + "A",
    "~ " * 10_000 + "A",
    "- " * 10_000 + "#A",
    "flip " * 10_000 + "A",
    "1<" * 10_000 + "1",
    "A or " * 5_000 + "A",
    "find " * 10_000 + "A",
    "max(1 " * 10_000,
    "--" * 300 + "1",
    "-" * 10_000,
    "--=" * 300,
    "piece x in " * 300,
]


@pytest.mark.parametrize("text", DEEP, ids=lambda text: text[:10])
def test_too_deep_a_query_is_one_clear_error(text: str) -> None:
    found = check.check(text)
    assert found.query is None
    assert [one.code for one in found.errors if one.code != "unbalanced-bracket"] == ["too-deep"]


def test_the_deepest_allowed_query_is_read() -> None:
    assert check.check("{" * 110 + "A" + "}" * 110).query is not None
    assert check.check("A or " * 190 + "A").query is not None


@pytest.mark.parametrize(
    "text", ["foo " * 50_000, "[" * 200_000, "\x00é" * 200_000, '"\n' * 50_000, "}" * 100_000]
)
def test_rubbish_gives_a_bounded_number_of_errors(text: str) -> None:
    found = check.check(text)
    assert found.query is None
    assert 1 <= len(found.diagnostics) <= MAX_DIAGNOSTICS + 1
    if len(found.diagnostics) > MAX_DIAGNOSTICS:
        assert found.diagnostics[-1].code == "too-many-errors"


@pytest.mark.parametrize("text", ["a-" * 150_000, "x=3 " * 60_000, '"' * 500_000])
def test_a_text_without_end_is_refused_as_a_whole(text: str) -> None:
    found = check.check(text)
    assert [one.code for one in found.diagnostics] == ["too-long"]


WORDS = st.sampled_from(
    [row.name for row in registry.ROWS]
    + ["(", ")", "{", "}", "x", "=", "3", '"s"', "\n", "K", "e4", "[", "]"]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(WORDS, max_size=25).map(" ".join) | st.text(max_size=60))
def test_never_raises_and_points_into_the_text(text: str) -> None:
    found = check.check(text)
    assert (found.query is None) == bool(found.errors)
    for one in found.diagnostics:
        assert 0 <= one.span.offset <= one.span.end <= len(text)
    if found.query is not None:
        assert check.check(printer.print_query(found.query)).query == found.query


def _records(name: str) -> list[dict[str, str]]:
    path = SHARED / "conformance" / name
    if not path.exists():
        pytest.skip(f"{path} is not here")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_conformance_queries_check() -> None:
    for record in _records("queries.jsonl"):
        found = check.check(record["query"])
        assert found.query is not None, (record["id"], found.errors)
        for style in ("ascii", "unicode"):
            text = printer.print_query(found.query, style)  # type: ignore[arg-type]
            assert check.check(text).query == found.query, record["id"]


def test_conformance_invalid_queries_are_rejected_at_the_offending_token() -> None:
    for record in _records("invalid.jsonl"):
        found = check.check(record["query"])
        assert found.query is None, record
        first = found.errors[0].span.offset
        assert abs(first - int(record["offset"])) <= 1 or record["query"] == 'cql()\nevent[] == "a"', record


def test_query_span_is_the_whole_text() -> None:
    query = check.check("mate check").query
    assert query is not None
    assert isinstance(query.body, nodes.Compound)
    assert (query.span.length, query.body.span.length) == (10, 10)

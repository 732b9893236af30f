"""Patterns read from texts: marks, arrows, conditions, what is left to the text, which group is meant."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqlgui.cql.ast import nodes
from cqlgui.cql.editing import structure
from cqlgui.pattern import faults, groups, ladder, reading, writing
from cqlgui.pattern.marks import Arrow, Mark, Pattern, Relation, Role
from tests import helpers

QUERIES = sorted((helpers.ROOT / "resources" / "queries").rglob("*.cql"))


def read(text: str, caret: int | None = None) -> Pattern:
    found = reading.pattern_at(text, len(text) if caret is None else caret)
    assert found is not None
    return found


def others(text: str) -> list[str]:
    return [text[one.offset : one.end] for one in read(text).others]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{Nf5 kg8}", "{Nf5 kg8}"),
        ("Nf5 not kg8 (Ra1|Rh1) wtm", "{Nf5 not kg8 (Ra1|Rh1) wtm}"),
        ("flip {(Nf5)}", "{(Nf5)}"),
        ("♘f5→♚g8 ♖♗a1", "{[RB]a1 Nf5 kg8 Nf5 attacks kg8}"),
        ("kg8 attackedby Nf5", "{Nf5 kg8 Nf5 attacks kg8}"),
        ("ray(Qd1 [Aa] kd8)", "{Qd1 kd8 ray (Qd1 [Aa] kd8)}"),
        ("Qd1&vertical kd8 Qd1 & horizontal k", "{Qd1 kd8 k Qd1 & vertical kd8 Qd1 & horizontal k}"),
        ("N--_", "{N _ N--_}"),
        ("year>=1990 elo white>2600", "{year>=1990 elo white>2600}"),
        ("2600<elo result 1-0 not stalemate", "{2600<elo result 1-0 not stalemate}"),
        ('player white "x" #P==#p+1 movenumber<20', '{player white "x" #P==#p+1 movenumber<20}'),
        ("Nf5 // a\n Nf5 /* b */", "{Nf5}"),
        ("cql()", "{true}"),
    ],
)
def test_a_text_is_read_as_marks_arrows_and_conditions(text: str, expected: str) -> None:
    assert writing.text_of(read(text)) == expected
    assert others(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "power Aa1 > 3 and check",
        "not Nf5 attacks kg8",
        "Nf5[x]g7",
        "Nf5--g8=Q",
        "(Ra1|Rb1) attacks kg8",
        "P == Pa2",
        "not not Nf5",
        "ray attack (Qd1 kd8)",
        "ray up (Qd1 kd8)",
        "if Nf5 {kg8 Ra1}",
        "path {Nf5} -- {kg8}",
        "#{Ra1 kg8} > 0",
        "function f(x) {x Nf5} f(Ra1)",
    ],
)
def test_what_marks_cannot_say_is_left_to_the_text(text: str) -> None:
    found = read(text, 0)
    assert (found.marks, found.arrows, found.conditions) == ((), (), ())
    assert found.others


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("flip {Nf5 kg|8} {Ra1}", "Nf5 kg8"),
        ("flip {Nf5 kg8} {Ra|1}", "Ra1"),
        ("fl|ip {Nf5} flipcolor {Ra1}", "Nf5"),
        ("flip {Nf5} flip|color {Ra1}", "Ra1"),
        ("Nf5 flip {Ra1 kg8}|", "Nf5 flip {Ra1 kg8}"),
        ('player "x"| flip {Ra1 kg8}', "Ra1 kg8"),
        ("wtm find {Ra1 kg8}|", "wtm find {Ra1 kg8}"),
        ("wtm find {Ra1 |kg8}", "Ra1 kg8"),
        ("if Nf5 {kg8 {Ra1 |}}", "Ra1 "),
        ("flip Nf5|", "Nf5"),
        ("#{Ra|1 kg8} > 0", "#{Ra1 kg8} > 0"),
    ],
)
def test_the_caret_chooses_the_group(text: str, content: str) -> None:
    caret = text.index("|")
    text = text.replace("|", "")
    found = read(text, caret)
    assert text[found.span.offset : found.span.end] == content


@pytest.mark.parametrize("text", ["{Nf5", "flip", "cql() {}", "cql( Nf5"])
def test_a_text_with_errors_has_no_pattern(text: str) -> None:
    assert reading.pattern_at(text, 0) is None


@given(st.text(alphabet="{}() Nf5kg8|not-find/*flip\n♘", max_size=40), st.integers(0, 40))
def test_no_text_is_too_odd(text: str, caret: int) -> None:
    found = reading.pattern_at(text, caret)
    assert found is not None or structure.checked(text).query is None


def body(path: Path) -> nodes.Node:
    query = structure.checked(path.read_text(encoding="utf-8")).query
    assert query is not None
    node = query.body
    while isinstance(node, nodes.Transform):
        node = node.operand
    return node


def test_every_query_of_the_library_that_is_a_pattern_is_written_as_it_is_read() -> None:
    whole = 0
    for path in QUERIES:
        text = path.read_text(encoding="utf-8")
        for group in groups.all_groups(text):
            found = read(text, group.content.offset)
            for mark in found.marks:
                assert all(text[one.offset : one.end].strip() for one in mark.spans)
        found = reading.of_node(body(path))
        if found.others:
            continue
        whole += 1
        written = structure.checked(writing.text_of(found)).query
        assert written is not None
        assert reading.of_node(written.body) == found, path
        if not found.arrows:
            filters = body(path)
            parts = filters.filters if isinstance(filters, nodes.Compound) else (filters,)
            again = written.body
            assert set(parts) == set(again.filters if isinstance(again, nodes.Compound) else (again,))
    assert whole >= 10


def test_a_long_text_is_read_while_the_user_types() -> None:
    squares = [file + rank for rank in "12345678" for file in "abcdefgh"]
    text = "flipcolor {" + " ".join(f"not N{square}" for square in squares * 8) + "}"
    assert len(text) > 4000
    structure.checked(text)
    began = time.perf_counter()
    found = reading.pattern_at(text, len(text) - 2)
    # A tenth of that on a quiet machine.
    assert time.perf_counter() - began < 0.3
    assert found is not None
    assert len(found.marks) == 64


def test_the_ladder_leads_up_and_back() -> None:
    here, began = (1 << 2, 1 << 37), 1 << 2
    names = [writing.designator(*one) for one in ladder.rungs(began, 37)]
    assert names == ["Nf5", "[BN]f5", "Af5", "Nf4-6", "Nf1-8", "Ne-g4-6", "N"]
    for name in [*names[1:], names[-1]]:
        here = ladder.step(*here, 37, 1, began)
        assert writing.designator(*here) == name
    for name in [*names[-2::-1], names[0]]:
        here = ladder.step(*here, 37, -1, began)
        assert writing.designator(*here) == name


@pytest.mark.parametrize(
    ("text", "faulty"),
    [
        ("Kg1 Kh1 kg8", {"Kg1", "Kh1"}),
        ("Kg1 K[g1,h1] kg8", set()),
        ("Pf8 pa2", {"Pf8"}),
        ("P[f7,f8] not Pf8", set()),
        ("Nf5 Bf5", {"Bf5"}),
        ("Nf5 [NB]f5 Af5 f5", set()),
        ("Nf5 not Af5", {"Nf5"}),
        ("Nf5 not kg8 Nf5 attacks kg8", {"kg8"}),
    ],
)
def test_a_mark_that_nothing_fulfils_says_so(text: str, faulty: set[str]) -> None:
    found = read(text)
    marks = [found.marks[place] for place in faults.faults(found)]
    assert {writing.designator(one.men, one.squares) for one in marks} == faulty


def test_a_click_means_the_mark_with_the_fewest_squares() -> None:
    found = Pattern((Mark(1 << 2, 0b111), Mark(1 << 3, 0b10), Mark(1 << 4, 0b10, Role.NOT)))
    assert [found.at(square) for square in (0, 1, 3)] == [0, 2, -1]


def test_arrows_with_the_same_ends_are_the_same() -> None:
    assert Arrow(Relation.FILE, 0, 1) == read("Qd1 & vertical kd8").arrows[0]


@pytest.mark.parametrize("text", ["{true}", "flipcolor flip {true}", "cql() true"])
def test_a_pattern_without_filters_asks_for_nothing(text: str) -> None:
    assert reading.nothing_drawn(text)


@pytest.mark.parametrize("text", ["", "{", "false", "Nf5", "true mate"])
def test_other_texts_ask_for_something_or_are_no_pattern(text: str) -> None:
    assert not reading.nothing_drawn(text)

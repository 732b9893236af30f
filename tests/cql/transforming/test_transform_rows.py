"""The 73 worked transform examples, from a data file."""

from __future__ import annotations

import gc
import weakref
from collections import defaultdict
from pathlib import Path

import pytest

from cqlgui.cql.ast import nodes
from cqlgui.cql.checking import check
from cqlgui.cql.interpreting import interpreter
from cqlgui.cql.transforming import geometry, transform_rules, transforms
from tests.helpers import games, kinds

DATA = Path(__file__).parents[1] / "data"

ROWS = [
    tuple(field.strip() for field in line.split(" | "))
    for line in (DATA / "transform-rows.txt").read_text(encoding="utf-8").replace("|\n", "| \n").splitlines()
    if line and not line.startswith("#")
]


def body(text: str) -> nodes.Node:
    """The expanded body of a query."""
    checked = check.check(text)
    assert not checked.errors, checked.errors
    query = transforms.expand(checked).query
    assert query is not None
    return query.body


def orbit(text: str) -> transforms.OrbitInfo:
    """The outermost orbit of a query."""
    expanded = transforms.expand(check.check(text))
    assert expanded.query is not None, expanded.diagnostics
    (only,) = expanded.orbits
    return only


def value(query: str, game: games.Game) -> str:
    """The value at the root as text, `+` for a match without one, `-` for none."""
    outcome = interpreter.Program(transforms.expand(check.check(query))).run(game.tree, game.host)
    hits = [hit for hit in outcome.hits if hit.positionid == 0] if outcome else []
    return "-" if not hits else hits[0].value or "+"


def basic(name: str) -> geometry.Basic:
    """A basic transform by its name."""
    if name == "invertcolor":
        name = "invertcolor reflect_h"
    known = {one.name: one for family in geometry.WORDS.values() for one in family}
    return known[name]


def parse_map(text: str) -> nodes.Node:
    return body(f"{text} 1 K") if text in ("orthogonal", "diagonal") else body(text)


def run_row(kind: str, given: str, expected: str) -> None:
    if kind == "orbit":
        found = [element.filter for element in orbit(given).elements]
        wanted = [body(text.strip()) for text in expected.split(" ; ")]
        assert len(found) == len(wanted)
        assert set(found) == set(wanted)
    elif kind == "size":
        assert len(orbit(given).elements) == int(expected)
    elif kind == "error":
        assert [one.code for one in transforms.expand(check.check(given)).diagnostics] == [expected]
    elif kind == "map":
        name, _, part = given.partition(" ")
        node, wanted = parse_map(part), parse_map(expected)
        if isinstance(node, nodes.Direction):
            assert isinstance(wanted, nodes.Direction)
            assert geometry.map_directions(basic(name), node.directions) == wanted.directions
        else:
            assert isinstance(node, nodes.Designator)
            squares = geometry.map_squares(basic(name), node.squares)
            if isinstance(wanted, nodes.EmptySet):
                assert squares == 0
            else:
                assert isinstance(wanted, nodes.Designator)
                assert (geometry.map_men(basic(name), node.men), squares) == (wanted.men, wanted.squares)
    elif kind == "value":
        fen, _, query = given.partition(" @ ")
        assert value(query, games.from_fen(fen, White="W", Black="B")) == expected
    elif kind == "same":
        left, _, right = given.partition(" = ")
        for game in games.from_pgn((DATA / "cql-vectors.pgn").read_text(encoding="utf-8")):
            assert value(left, game) == value(right, game)
    else:
        raise AssertionError(f"unknown kind of row: {kind}")


@pytest.mark.parametrize(
    ("row", "kind", "given", "expected"), ROWS, ids=[f"{r[0]}-{r[1]}-{i}" for i, r in enumerate(ROWS)]
)
def test_worked_row(row: str, kind: str, given: str, expected: str) -> None:
    run_row(kind, given, expected)


def test_every_row_is_there() -> None:
    numbers = defaultdict(int)
    for row, *_ in ROWS:
        numbers[int(row)] += 1
    assert sorted(numbers) == list(range(1, 74))


def test_names_of_composed_transforms_stand_outermost_first() -> None:
    names = {element.transform for element in orbit("flip shift {Nb3 Nc2}").elements}
    assert "<reflect_h right^4 up^4>" in names
    assert "<up^3 reflect_v>" in {
        element.transform for element in orbit("shiftvertical flipvertical {Nb3}").elements
    }


def test_identity_and_first_generated_name_an_element() -> None:
    assert not any(
        "invertcolor" in element.transform for element in orbit("flipcolor flip {[Nn]b3}").elements
    )


def test_dropped_candidates_say_why() -> None:
    info = orbit("shiftvertical Pa7")
    reasons = {dropped.transform: dropped.reason for dropped in info.invalid}
    assert reasons["<up^2>"] == "leaves the board: Pa7 moves off rank 8"
    twins = {dropped.transform: dropped.reason for dropped in orbit("flip Ra1").duplicates}
    assert twins["<reflect_a1h8>"] == "duplicate of <>"
    assert len(info.invalid) + len(info.duplicates) + len(info.elements) == info.candidates == 15


def test_of_very_many_candidates_those_of_the_inner_elements_are_listed() -> None:
    info = orbit("shift shift Ra1")
    assert (info.candidates, len(info.elements)) == (225 * 225, 64)
    assert len(info.invalid) + len(info.duplicates) + len(info.elements) == 225 * 64
    assert any(dropped.transform == "<up^1 up^7>" for dropped in info.invalid)


def test_elements_come_with_squares_and_lines() -> None:
    by_name = {element.transform: element for element in orbit("flip {Ra1 kg8 P}").elements}
    mirrored = by_name["<reflect_v>"]
    assert mirrored.squares == 1 << 7 | 1 << 57
    assert mirrored.lines == ((0, 7), (62, 57))
    assert by_name["<>"].lines == ()


def test_elements_of_two_outermost_orbits_are_numbered_in_text_order() -> None:
    expanded = transforms.expand(check.check("(flip Ra1) or flipcolor {Ka1 flipvertical Rb2}"))
    assert [(one.index, one.transform) for one in expanded.orbits] == [(0, "flip"), (1, "flipcolor")]


def test_a_nest_of_shifts_is_bounded() -> None:
    assert len(orbit("shift shift shift shift {Ka1 ka3}").elements) == 48
    nest = "shift flip flipcolor shift {Pa1-5 pb2-7 Qc1-6 [Ra1,Rb7] kd2-5}".replace("[Ra1,Rb7]", "R[a1,b7]")
    expanded = transforms.expand(check.check(nest))
    assert expanded.orbits or [one.code for one in expanded.diagnostics] == ["orbit-too-large"]


def test_orbits_inside_orbits_are_bounded() -> None:
    nest = "Ka1"
    for square in ("b1", "c1", "d1", "b2", "c2", "d2", "e2"):
        nest = f"flip {{K{square} {nest}}}"
    expanded = transforms.expand(check.check(nest))
    assert [one.code for one in expanded.diagnostics if one.severity == "error"] == ["orbit-too-large"]


def test_an_orbit_goes_with_its_query() -> None:
    """A large one would keep the collector busy for longer than a repaint may take."""
    gc.disable()
    try:
        info = orbit("shift flip {Ka1 ka3}")
        assert info.invalid, "what is worked out later counts, too"
        ends = weakref.ref(info.elements[0])
        del info
        assert ends() is None
    finally:
        gc.enable()


def test_rules_cover_every_node_kind() -> None:
    # Expansion treats these by itself.
    handled = {nodes.Transform, nodes.NoTransform, nodes.CurrentTransform, nodes.Orbit}
    assert set(transform_rules.RULES) | handled == kinds.FILTERS

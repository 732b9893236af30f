"""Group laws of basic transforms, on square sets, men, directions and whole filters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqlgui.cql.checking import check
from cqlgui.cql.transforming import geometry, transforms

SQUARES = st.integers(0, geometry.ALL_SQUARES)
MEN = st.integers(1, (1 << 13) - 1)
DIRECTIONS = st.integers(1, 255)
SYMMETRIES = geometry.of_word("flip")
SQUARE_BY_SQUARE = {
    one: [geometry.map_squares(one, 1 << square) for square in range(64)] for one in SYMMETRIES
}


def undoes(back: geometry.Basic, one: geometry.Basic) -> bool:
    return all(geometry.map_squares(back, image) == 1 << s for s, image in enumerate(SQUARE_BY_SQUARE[one]))


INVERSE = {one: next(back for back in SYMMETRIES if undoes(back, one)) for one in SYMMETRIES}
INVERTED = geometry.of_word("reversecolor")[0]
SHIFTS = geometry.of_word("shift")


@given(st.sampled_from(SYMMETRIES), SQUARES, DIRECTIONS)
def test_a_symmetry_and_its_inverse_cancel(one: geometry.Basic, squares: int, directions: int) -> None:
    back = INVERSE[one]
    assert geometry.map_squares(back, geometry.map_squares(one, squares)) == squares
    assert geometry.map_directions(back, geometry.map_directions(one, directions)) == directions


@given(st.sampled_from(SYMMETRIES), st.sampled_from(SYMMETRIES), SQUARES, DIRECTIONS)
def test_two_symmetries_make_a_third(
    a: geometry.Basic, b: geometry.Basic, squares: int, directions: int
) -> None:
    image = geometry.map_squares(a, geometry.map_squares(b, squares))
    turned = geometry.map_directions(a, geometry.map_directions(b, directions))
    assert any(
        geometry.map_squares(c, squares) == image and geometry.map_directions(c, directions) == turned
        for c in SYMMETRIES
    )


@given(SQUARES, MEN)
def test_colours_swapped_twice_are_as_before(squares: int, men: int) -> None:
    assert geometry.map_men(INVERTED, geometry.map_men(INVERTED, men)) == men
    assert geometry.map_squares(INVERTED, geometry.map_squares(INVERTED, squares)) == squares


@given(st.sampled_from(SHIFTS), st.integers(0, 63), st.integers(0, 63))
def test_a_shift_and_its_opposite_cancel_where_nothing_leaves_the_board(
    shift: geometry.Basic, first: int, second: int
) -> None:
    squares = 1 << first | 1 << second
    stays = all(
        0 <= (square & 7) + shift.right < 8 and 0 <= (square >> 3) + shift.up < 8
        for square in (first, second)
    )
    opposite = next(one for one in SHIFTS if (one.right, one.up) == (-shift.right, -shift.up))
    back = geometry.map_squares(opposite, geometry.map_squares(shift, squares))
    if stays:
        assert back == squares
    else:
        assert back != squares


@given(st.sampled_from(SHIFTS), SQUARES)
def test_a_shift_is_made_of_unit_shifts(shift: geometry.Basic, squares: int) -> None:
    units = {(one.right, one.up): one for one in SHIFTS}
    step_up = units[0, 1 if shift.up > 0 else -1]
    step_right = units[1 if shift.right > 0 else -1, 0]
    image = squares
    for _ in range(abs(shift.up)):
        image = geometry.map_squares(step_up, image)
    for _ in range(abs(shift.right)):
        image = geometry.map_squares(step_right, image)
    assert image == geometry.map_squares(shift, squares)


@given(st.integers(0, 7), DIRECTIONS)
def test_eight_eighth_turns_are_none(eighths: int, directions: int) -> None:
    turns = geometry.of_word("rotate45")
    back = turns[(8 - eighths) % 8]
    assert geometry.map_directions(back, geometry.map_directions(turns[eighths], directions)) == directions
    quarter = geometry.of_word("rotate90")[1]
    assert geometry.map_directions(turns[2], directions) == geometry.map_directions(quarter, directions)


FILTERS = st.lists(
    st.sampled_from(
        ["Ka1", "kg8", "P[a2,b3]", "[Qr]c-e4-6", "wtm", "light Nb1", "up 1 Q & k", "ray northeast (B p k)",
        "result 1-0",
         "not Pe4", "P>=3", "elo white>2000", "Ra-h1 attacks k", "{Ra1 flipcolor Kg1}"]
    ),
    min_size=1, max_size=4,
)  # fmt: skip


def elements(text: str) -> frozenset[object]:
    _, orbits = transforms.expand_query(parsed(text))
    return frozenset(element.filter for element in orbits[0].elements)


def parsed(text: str) -> transforms.nodes.Query:
    query = check.check(text).query
    assert query is not None
    return query


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("flip", "rotate90 fliphorizontal"),
        ("flip", "rotate90 flipvertical"),
        ("flip", "flip flip"),
        ("flipvertical fliphorizontal", "fliphorizontal flipvertical"),
        ("shift", "shifthorizontal shiftvertical"),
        ("flipcolor", "flipcolor flipcolor"),
        ("flip flipcolor", "flipcolor flip"),
        ("flipcolor", "flipcolor reversecolor"),
    ],
)
@given(filters=FILTERS)
def test_transforms_that_are_the_same_group_give_the_same_orbit(
    left: str, right: str, filters: list[str]
) -> None:
    body = "{" + " ".join(filters) + "}"
    assert elements(f"{left} {body}") == elements(f"{right} {body}")


@given(filters=FILTERS)
def test_reversing_colours_twice_is_the_filter_itself(filters: list[str]) -> None:
    body = "{" + " ".join(f for f in filters if "flipcolor" not in f) + " K}"
    (once,) = elements(f"reversecolor reversecolor {body}")
    assert once == parsed(body).body


@pytest.mark.parametrize("word", ["flip", "flipcolor", "shift", "rotate90", "shiftvertical"])
@given(filters=FILTERS)
def test_a_transform_of_its_own_orbit_adds_nothing(word: str, filters: list[str]) -> None:
    body = "{" + " ".join(f for f in filters if not set("[-{") & set(f)) + " Ke4}"
    assert elements(f"{word} {word} {body}") == elements(f"{word} {body}")

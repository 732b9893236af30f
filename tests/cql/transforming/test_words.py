"""Transforms in a chess player's words."""

from __future__ import annotations

import pytest

from cqlgui.board import motions
from cqlgui.cql.checking import check
from cqlgui.cql.transforming import geometry, transforms, words


@pytest.mark.parametrize(
    ("name", "phrase"),
    [
        ("reflect_h", "top and bottom mirrored"),
        ("reflect_v", "left and right mirrored"),
        ("reflect_a1h8", "mirrored in the diagonal a1-h8"),
        ("reflect_a8h1", "mirrored in the diagonal a8-h1"),
        ("counterclockwise90", "turned 90° to the left"),
        ("clockwise90", "turned 90° to the right"),
        ("rotate180", "turned by 180°"),
        ("invertcolor reflect_h", "colours swapped"),
        ("rotate45^3", "directions turned 135° to the left"),
        ("right^4 up^2", "shifted 4 right and 2 up"),
    ],
)
def test_each_name_has_its_words(name: str, phrase: str) -> None:
    assert words.in_words((name,)) == phrase


@pytest.mark.parametrize("symmetry", range(8))
@pytest.mark.parametrize("swapped", [False, True])
def test_names_of_a_motion_mean_the_motion(symmetry: int, swapped: bool) -> None:
    for right, up in [(0, 0), (3, 0), (-2, 5), (0, -7)]:
        moved = motions.Motion(symmetry, right, up, swapped)
        names = geometry.names_of(moved)
        assert geometry.motion(words.bracketed(names)) == moved
        # Each name is one that orbits have, so it has its phrase.
        assert words.in_words(names).count(",") == max(len(names) - 1, 0)
    assert geometry.names_of(motions.Motion(1, swapped=True)) == ("invertcolor reflect_h",)
    assert geometry.names_of(motions.STILL) == ()


def test_words_follow_the_order_of_doing() -> None:
    assert (
        words.in_words(("reflect_h", "right^4 up^4")) == "shifted 4 right and 4 up, top and bottom mirrored"
    )
    assert words.in_words(()) == "as written"


@pytest.mark.parametrize(
    ("query", "image", "phrase"),
    [
        # What the words say is what was done to the square.
        ("fliphorizontal Ra2", "Ra7", "top and bottom mirrored"),
        ("flipvertical Ra2", "Rh2", "left and right mirrored"),
        ("flip Ra2", "Rb1", "mirrored in the diagonal a1-h8"),
        ("flip Ra2", "Rg8", "mirrored in the diagonal a8-h1"),
        ("rotate90 Ra2", "Rg1", "turned 90° to the left"),
        ("rotate90 Ra2", "Rb8", "turned 90° to the right"),
        ("rotate90 Ra2", "Rh7", "turned by 180°"),
        ("flipcolor Ra2", "ra7", "colours swapped"),
        ("shift Ra2", "Rc5", "shifted 2 right and 3 up"),
    ],
)
def test_an_element_is_what_its_words_say(query: str, image: str, phrase: str) -> None:
    elements = transforms.expand(check.check(query)).orbits[0].elements
    assert {element.text: element.words for element in elements}[image] == phrase

"""Transforms in a chess player's words."""

from __future__ import annotations

import pytest

from cqlgui.cql.checking import check
from cqlgui.cql.transforming import transforms, words


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

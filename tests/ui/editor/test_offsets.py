"""Offsets between Python's code points and Qt's UTF-16 units."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cqlgui.ui.editor import offsets

TEXTS = st.text(
    alphabet=st.one_of(st.sampled_from("a♔\n\U0001d11e\U0001f600"), st.characters(exclude_categories=["Cs"]))
)


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


@given(TEXTS)
def test_every_offset_agrees_with_the_utf16_encoding_and_comes_back(text: str) -> None:
    mapping = offsets.Offsets(text)
    for offset in range(len(text) + 1):
        assert mapping.to_units(offset) == units(text[:offset])
        assert mapping.to_points(mapping.to_units(offset)) == offset


@given(TEXTS)
def test_the_middle_of_a_surrogate_pair_belongs_to_its_character(text: str) -> None:
    mapping = offsets.Offsets(text)
    for offset, character in enumerate(text):
        if character > "\uffff":
            assert mapping.to_points(mapping.to_units(offset) + 1) == offset


def test_positions_outside_the_text_move_to_its_ends() -> None:
    mapping = offsets.Offsets("a\U0001f600")
    assert (mapping.to_units(-3), mapping.to_units(9)) == (0, 3)
    assert (mapping.to_points(-1), mapping.to_points(99)) == (0, 2)

"""Filters at the caret, chains of transforms, wrapping and unwrapping by editing the text."""

from __future__ import annotations

import pytest

from cqlgui.cql.checking import check
from cqlgui.cql.editing import structure


@pytest.mark.parametrize(
    ("text", "selected", "words", "expected"),
    [
        ("mate Ra1 wtm", "Ra1", ("flip",), "mate flip Ra1 wtm"),
        ("mate Ra1 & k wtm", "Ra1 & k", ("flip", "flipcolor"), "mate flip flipcolor (Ra1 & k) wtm"),
        ("mate Ra1 & k wtm", "Ra1", ("flip",), "mate (flip Ra1) & k wtm"),
        ("mate wtm", "mate wtm", ("flipcolor",), "flipcolor {mate wtm}"),
        ("{Ra1 wtm} mate", "{Ra1 wtm}", ("shift",), "shift {Ra1 wtm} mate"),
        ("mate Ra1 // a", "mate Ra1 // a", ("flip",), "flip {mate Ra1} // a"),
        ("Ra1 & k //// a\nwtm", "Ra1 & k //// a", ("flip",), "flip (Ra1 & k) //// a\nwtm"),
        ("mate ; a {", "mate ; a {", ("flip",), "flip mate ; a {"),
        ("mate wtm /* a */", "mate wtm /* a */", ("flip",), "flip {mate wtm} /* a */"),
        ("Ra1 // a\n& k", "Ra1 // a", ("flip",), "(flip Ra1) // a\n& k"),
        ("flip Ra1", "flip Ra1", ("flipcolor",), "flipcolor flip Ra1"),
    ],
)
def test_wrap(text: str, selected: str, words: tuple[str, ...], expected: str) -> None:
    start = text.index(selected)
    assert structure.wrap(text, start, start + len(selected), words) == expected
    assert check.check(expected).query is not None


def test_wrap_at_a_caret_takes_the_filter_there() -> None:
    assert structure.wrap("mate Ra1 wtm", 6, 6, ("flip",)) == "mate flip Ra1 wtm"


def test_a_chain_of_transforms() -> None:
    text = "mate flipcolor flip 2 {Ra1 wtm}"
    chain = structure.transform_chain_at(text, text.index("Ra1"))
    assert [(link.word, link.range_text) for link in chain.links] == [("flipcolor", ""), ("flip", "2")]
    assert text[chain.operand.offset : chain.operand.end] == "{Ra1 wtm}"


def test_smallest_filter_at_the_caret() -> None:
    text = "mate Ra1 & kh8"
    span = structure.filter_span_at(text, text.index("kh8") + 1)
    assert text[span.offset : span.end] == "kh8"
    assert structure.transform_chain_at(text, 0).links == ()


@pytest.mark.parametrize(
    ("selected", "words"),
    [
        ("{Ra1 wtm}", ["flipcolor", "flip"]),
        (" {Ra1 wtm}", ["flipcolor", "flip"]),
        ("Ra1", None),
        ("flip 2 {Ra1 wtm}", None),
    ],
)
def test_a_selection_may_be_the_operand_of_a_chain(selected: str, words: list[str] | None) -> None:
    text = "mate flipcolor flip 2 {Ra1 wtm}"
    start = text.index(selected)
    found = structure.chain_of_operand(text, start, start + len(selected))
    assert (None if found is None else [link.word for link in found.links]) == words


@pytest.mark.parametrize("gap", [" ", "\n", " /* a */ ", " // a\n", " ; a\n", " //// a\n"])
def test_comments_may_stand_between_a_transform_and_its_operand(gap: str) -> None:
    text = f"flip{gap}{{Ra1 wtm}}"
    operand = structure.transform_chain_at(text, 1).operand
    assert text[operand.offset : operand.end] == "{Ra1 wtm}"

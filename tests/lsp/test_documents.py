"""Positions in texts, and changes, against plain encodings and slices."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("lsprotocol", reason="the package lsprotocol is not installed")

from lsprotocol import types

from cqlgui.lsp import documents

SIGNS = "a♞é\n\r\u2028\x0b\U0001f600"
TEXTS = st.text(alphabet=st.sampled_from(SIGNS), max_size=12)
SIZES = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
CODECS = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}


def place(text: str, offset: int, encoding: str) -> types.Position:
    """The position of an offset that is not between `\\r` and `\\n`."""
    lines = re.split(r"\r\n|\r|\n", text[:offset])
    return types.Position(len(lines) - 1, len(lines[-1].encode(CODECS[encoding])) // SIZES[encoding])


def within(text: str, offset: int) -> bool:
    """Whether an offset splits a line end."""
    return text[offset - 1 : offset + 1] == "\r\n"


@given(TEXTS, st.sampled_from(sorted(SIZES)))
def test_every_offset_has_its_position_and_comes_back(text: str, encoding: str) -> None:
    document = documents.Document("a", 1, text, encoding)
    for offset in range(len(text) + 1):
        if not within(text, offset):
            assert document.position(offset) == place(text, offset, encoding)
            assert document.offset(document.position(offset)) == offset


@given(TEXTS, TEXTS, st.data())
def test_a_change_replaces_its_range(text: str, new: str, data: st.DataObject) -> None:
    offsets = [offset for offset in range(len(text) + 1) if not within(text, offset)]
    start, end = sorted(data.draw(st.tuples(st.sampled_from(offsets), st.sampled_from(offsets))))
    where = types.Range(place(text, start, "utf-16"), place(text, end, "utf-16"))
    change = types.TextDocumentContentChangePartial(where, new)
    made = documents.Document("a", 1, text).changed(2, [change])
    assert (made.text, made.version) == (text[:start] + new + text[end:], 2)


def test_places_that_are_not_there_move_to_the_nearest_one() -> None:
    document = documents.Document("a", 1, "a\U0001f600b\r\nc")
    for line, character, offset in ((0, 2, 1), (0, 99, 3), (1, 99, 6), (9, 0, 6)):
        assert document.offset(types.Position(line, character)) == offset
    assert document.position(-1) == types.Position(0, 0)
    assert document.position(99) == types.Position(1, 1)


def test_half_a_surrogate_pair_becomes_one_replacement_sign() -> None:
    assert documents.Document("a", 1, "x\ud83dy").text == "x\ufffdy"

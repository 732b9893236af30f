"""Texts for the kernel that writes rows."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqlgui.cql.interpreting.runtime import values
from cqlgui.jit import native
from cqlgui.tasks.databases import games
from cqlgui.tasks.export.formats import row_kernel

NATIVE = pytest.mark.skipif(not native.available(), reason="there is no machine code here")
# UTF-8 has no lone surrogates.
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
STRANGE = st.text(st.characters(categories=["L", "Cc", "Cs", "So"]), max_size=5)
"""Texts with lone surrogates."""


@given(st.lists(STRANGE))
def test_strings_are_kept_as_utf_8(words: list[str]) -> None:
    texts = row_kernel.Texts.of(words)
    found = [texts.data[start:end] for start, end in itertools.pairwise([0, *texts.ends.tolist()])]
    assert found == [word.encode("utf-8", "surrogatepass") for word in words]


@NATIVE
@given(st.lists(TEXTS), st.lists(STRANGE), st.lists(TEXTS))
def test_a_pool_numbers_its_texts(plain: list[str], strange: list[str], more: list[str]) -> None:
    pool = row_kernel.Pool()
    ends = np.cumsum([len(text.encode()) for text in plain], dtype=np.int64)
    assert pool.add_quoted("".join(plain).encode(), ends) == 0
    assert pool.add(strange) == len(plain)
    kept = len(pool)
    assert pool.add(more) == kept
    pool.cut(kept)
    assert pool.add(more[:1]) == kept
    expected = [games.as_json(text).encode() for text in plain]
    expected += [text.encode("utf-8", "backslashreplace") for text in [*strange, *more[:1]]]
    assert pool.listed(np.arange(len(pool))) == expected
    assert pool.size == sum(map(len, expected))


@NATIVE
def test_every_sign_has_its_escape() -> None:
    text = "".join(map(chr, range(256)))
    pool = row_kernel.Pool()
    pool.add_quoted(text.encode(), np.array([len(text.encode())]))
    assert pool.listed(np.arange(1)) == [json.dumps(text, ensure_ascii=False).encode()]


@NATIVE
@given(st.lists(st.dictionaries(TEXTS, TEXTS, max_size=4)))
def test_objects_lose_their_blanks(tags: list[dict[str, str]]) -> None:
    stored = [json.dumps(one, ensure_ascii=False).encode() if one else b"" for one in tags]
    sizes = np.array([len(text) for text in stored], np.int64)
    ends = np.cumsum(sizes)
    pool = row_kernel.Pool()
    pool.add(["before"])
    data = np.frombuffer(b"".join(stored), np.uint8)
    pool.add_json(data, ends - sizes, ends)
    assert pool.listed(np.arange(1, len(pool))) == [games.as_json(one).encode() for one in tags]


@NATIVE
@given(st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 63).map(lambda square: 1 << square)))
def test_a_set_is_written_like_its_value(areas: list[int]) -> None:
    column = np.array(areas, np.uint64).view(np.int64)
    nothing = row_kernel.Texts.of([])
    pieces = row_kernel.rows([b"", b"\n"], [row_kernel.SET], [column], nothing)
    assert b"".join(pieces).decode().splitlines() == [f'"{values.set_text(area)}"' for area in areas]


@NATIVE
def test_a_row_may_be_longer_than_a_piece() -> None:
    words = ["é" * 10, "b" * (3 << 20), "", "c" * (1 << 20), "d"]
    texts = row_kernel.Texts.of(words)
    columns = [np.arange(5), np.arange(5)[::-1].copy()]
    pieces = list(row_kernel.rows([b"<", b"|", b">"], [row_kernel.TEXT] * 2, columns, texts))
    expected = [f"<{one}|{other}>".encode() for one, other in zip(words, reversed(words), strict=True)]
    assert len(pieces) > 1
    assert b"".join(pieces) == b"".join(expected)
    joined = row_kernel.joined([b"<", b"|", b">"], [row_kernel.TEXT] * 2, columns, texts)
    assert joined.data == b"".join(expected)
    assert joined.ends.tolist() == list(itertools.accumulate(map(len, expected)))

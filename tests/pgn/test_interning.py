"""Each distinct text becomes one string, and every stretch of the data finds its own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqlgui.jit import native
from cqlgui.pgn import interning

WORDS = st.lists(st.one_of(st.none(), st.sampled_from(["", "a", "b", "aa", "ab", "Müller", "a" * 300])))


def places(interner: interning.Interner, texts: Sequence[str | None]) -> list[str | None]:
    """Look the texts up as stretches of one run of bytes; gives what was found for each."""
    raw = [(text or "").encode() for text in texts]
    lengths = np.array([-1 if text is None else len(one) for text, one in zip(texts, raw, strict=True)])
    starts = np.cumsum([0, *map(len, raw)])[:-1]
    known, found = interner.places(b"".join(raw), starts, lengths.astype(np.int64))
    assert known[0] is None
    assert len(set(known)) == len(known), "a text stands there twice"
    return [known[place] for place in found.tolist()]


@given(st.lists(WORDS, max_size=4))
def test_every_text_is_found_as_it_was(calls: list[list[str | None]]) -> None:
    interner = interning.Interner()
    for texts in calls:
        assert places(interner, texts) == texts


def test_some_stretches_count_as_other_bytes() -> None:
    interner = interning.Interner()
    known, found = interner.places(b"M\xfcller", np.array([0, 0]), np.array([6, -1]), {0: "Müller".encode()})
    assert [known[place] for place in found.tolist()] == ["Müller", None]


@pytest.mark.skipif(not native.available(), reason="slow as plain Python")
def test_a_full_memory_begins_anew_and_leaves_the_old_list_as_it_was() -> None:
    interner = interning.Interner()
    half = interning.MOST // 2
    first = [f"name {number}" for number in range(half)]
    data = "".join(first).encode()
    sizes = np.array([len(name) for name in first])
    old, found = interner.places(data, np.cumsum(sizes) - sizes, sizes)
    kept = list(old)
    assert [old[place] for place in found.tolist()] == first
    assert places(interner, [f"another {number}" for number in range(half)])[-1] == f"another {half - 1}"
    assert places(interner, first) == first
    assert old[: len(kept)] == kept

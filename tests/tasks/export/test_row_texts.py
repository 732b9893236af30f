"""Texts for the kernel that writes rows."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cqlgui.tasks.export.formats import row_kernel


@given(st.lists(st.text(max_size=5)))
def test_strings_are_kept_as_utf_8(words: list[str]) -> None:
    texts = row_kernel.Texts.of(words)
    pool = texts.pool.tobytes()
    stretches = zip(texts.starts.tolist(), texts.lengths.tolist(), strict=True)
    found = [pool[start : start + length] for start, length in stretches]
    assert found == [word.encode("utf-8", "surrogatepass") for word in words]

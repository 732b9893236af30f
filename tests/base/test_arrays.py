"""What NumPy does too slowly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cqlgui.base import arrays


@given(st.lists(st.integers(-5, 5)), st.sampled_from((np.int64, np.int32, np.uint16)))
def test_distinct_values(values: list[int], kind: type[np.generic]) -> None:
    given_ = np.array(values, np.int64).astype(kind)
    found = arrays.distinct(given_)
    assert found.dtype == kind
    assert found.tolist() == sorted(set(given_.tolist()))


def test_of_a_table() -> None:
    assert arrays.distinct(np.array([[3, 1], [1, 2]])).tolist() == [1, 2, 3]


@pytest.mark.parametrize("count", [0, 1])
def test_of_few(count: int) -> None:
    assert arrays.distinct(np.full(count, 7)).tolist() == [7] * count

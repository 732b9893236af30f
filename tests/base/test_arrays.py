"""What NumPy does too slowly."""

from __future__ import annotations

from random import Random

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


@given(st.lists(st.text(max_size=1)))
def test_numbered(values: list[str]) -> None:
    codes, distinct = arrays.numbered(values)
    assert [distinct[code] for code in codes.tolist()] == values
    assert distinct == list(dict.fromkeys(values))


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2))), st.randoms())
def test_first_rows(rows: list[tuple[int, int]], random: Random) -> None:
    order = list(range(len(rows)))
    random.shuffle(order)
    table = np.array(rows, np.int64).reshape(-1, 2)
    mask = arrays.first_rows((table[:, 0], table[:, 1]), np.array(order, np.int64))
    expected = [
        all(rows[m] != row or order[m] >= order[n] for m in range(len(rows))) for n, row in enumerate(rows)
    ]
    assert mask.tolist() == expected


@pytest.mark.parametrize("span", [1, 7, arrays._DENSE - 1, arrays._DENSE + 5, 1 << 50])
@pytest.mark.parametrize("low", [0, -5, 1 << 40])
def test_ranked_numbers_are_those_of_numpy(span: int, low: int) -> None:
    chance = np.random.default_rng(span)
    for size in (0, 1, 2, 300):
        values = chance.integers(low, low + span, size)
        found, places = arrays.ranked(values)
        expected, where = np.unique(values, return_inverse=True)
        assert np.array_equal(found, expected)
        assert np.array_equal(places, where)
        assert np.array_equal(found[places], values)


@given(st.sets(st.integers(-9, 9)), st.lists(st.integers(-9, 9)), st.integers(0, 9), st.integers(0, 9))
def test_placed(numbers: set[int], others: list[int], begin: int, size: int) -> None:
    ordered = np.array(sorted(numbers), np.int64)
    piece = ordered[begin : begin + size]
    for wanted in (piece, np.append(piece, others).astype(np.int64), np.array(others, np.int64)):
        assert arrays.placed(ordered, wanted).tolist() == np.searchsorted(ordered, wanted).tolist()


@given(st.lists(st.integers(0, 3), max_size=4))
def test_ascending(values: list[int]) -> None:
    assert arrays.is_ascending(np.array(values, np.int64)) == (values == sorted(set(values)))

"""Order of games by sort keys."""

from __future__ import annotations

from cqlgui.cql.interpreting import ordering
from cqlgui.cql.interpreting.expressions import closures

DOWN = closures.SortSpec("a", True, False)
UP = closures.SortSpec("b", False, False)


def test_large_values_come_first_unless_min_was_written() -> None:
    assert ordering.order([DOWN], [(1, (2,)), (2, (9,)), (3, (2,))]) == [2, 1, 3]
    assert ordering.order([UP], [(1, (2,)), (2, (9,)), (3, (2,))]) == [1, 3, 2]


def test_games_without_a_value_come_last_either_way() -> None:
    assert ordering.order([DOWN], [(1, (None,)), (2, (-9,))]) == [2, 1]
    assert ordering.order([UP], [(1, (None,)), (2, (9,))]) == [2, 1]


def test_later_keys_break_ties_and_numbers_do_last() -> None:
    games = [(4, ("x", 1)), (3, ("x", 1)), (2, ("x", 0)), (1, ("y", 5))]
    assert ordering.order([DOWN, UP], games) == [1, 2, 3, 4]


def test_without_sorts_games_come_by_number() -> None:
    assert ordering.order([], [(2, ()), (1, ())]) == [1, 2]

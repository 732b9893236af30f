"""The numbers of commands are sorted and packed without loss."""

from __future__ import annotations

import numpy as np

from cqlgui.store.commands import NO_NUMBER, Commands


def made(count: int, rows: list[tuple[int, int, int | None, int | None]]) -> Commands:
    table = np.array([[NO_NUMBER if one is None else one for one in row] for row in rows], np.int64).reshape(
        -1, 4
    )
    return Commands.of(count, table[:, 0], table[:, 1], [table[:, 2], table[:, 3]])


def test_rows_in_any_order_become_entries_and_the_last_number_counts() -> None:
    found = made(4, [(2, 5, 1, None), (0, 9, 7, -8), (0, 1, None, None), (2, 5, 3, None), (2, 5, None, 4)])
    assert [found.of_game(game) for game in range(4)] == [{9: (7, -8)}, {}, {5: (3, 4)}, {}]


def test_some_games_and_several_parts() -> None:
    numbers = made(3, [(0, 4, 59, None), (0, 6, 58, None), (2, 1, 60, None)])
    taken = numbers.take(np.array([2, 1, 2, 0]))
    assert [taken.of_game(game) for game in range(4)] == [numbers.of_game(game) for game in (2, 1, 2, 0)]
    other = made(2, [(1, 0, None, -5)])
    joined = Commands.joined([numbers, other, made(1, []), taken])
    assert [joined.of_game(game) for game in range(len(joined))] == [
        part.of_game(game) for part in (numbers, other, made(1, []), taken) for game in range(len(part))
    ]
    assert joined.of_game(0) == {4: (59, None), 6: (58, None)}


def test_numbers_come_back() -> None:
    for one in (
        made(3, [(0, 4, 59, None), (2, 1, 60, None)]),
        made(2, [(1, 0, -5, 0)]),
        made(2, [(0, 1, -32_767, 40_000), (0, 2, 32_767, -(1 << 31) + 1), (1, 1, None, 0)]),
        made(1, [(0, 1, -32_768, None), (0, 70_000, 3, None)]),
        made(2, []),
        made(0, []),
    ):
        packed = one.packed()
        again = Commands.unpacked(packed, len(one))
        assert again is not None
        assert [again.of_game(game) for game in range(len(one))] == [one.of_game(g) for g in range(len(one))]
        assert [column is None for column in again.columns] == [column is None for column in one.columns]
        assert Commands.unpacked(packed, len(one) + 1) is None
        for cut in (0, 8, 12, len(packed) - 4, len(packed) - 1):
            assert Commands.unpacked(packed[:cut], len(one)) is None


def test_a_clock_at_every_move_takes_two_bytes() -> None:
    clocks = [(game, place, 60 * game + place, None) for game in range(3) for place in range(1, 101)]
    assert len(made(3, clocks).packed()) == len(made(3, []).packed()) + 2 * len(clocks)

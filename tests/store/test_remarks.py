"""Remarks are taken, joined and packed without loss."""

from __future__ import annotations

import numpy as np

from cqlgui.store.remarks import NOTHING, Remark, Remarks


def some() -> Remarks:
    remarks = [Remark("a b", ()), Remark(None, (1, 14)), Remark('\u0416"', (6,))]
    return Remarks.of([{0: remarks[0], 7: remarks[1], 3: NOTHING}, {}, {5: remarks[2], 2: remarks[0]}, {}])


def test_remarks_come_back() -> None:
    remarks = some()
    for one in (remarks, Remarks.of([{}, {}]), Remarks.of([])):
        again = Remarks.unpacked(one.packed(), len(one))
        assert again is not None
        assert (again.comments, again.glyphs) == (one.comments, one.glyphs)
        for name in ("firsts", "ids", "said", "signed"):
            assert np.array_equal(getattr(again, name), getattr(one, name))
    assert [remarks.of_game(game) for game in range(4)] == [
        {0: Remark("a b", ()), 7: Remark(None, (1, 14))},
        {},
        {2: Remark("a b", ()), 5: Remark('\u0416"', (6,))},
        {},
    ]
    packed = remarks.packed()
    assert Remarks.unpacked(packed, len(remarks) + 1) is None
    for cut in (0, 10, 24, len(packed) - 1):
        assert Remarks.unpacked(packed[:cut], len(remarks)) is None


def test_some_games_and_several_parts() -> None:
    remarks = some()
    taken = remarks.take(np.array([2, 1, 2, 0]))
    assert [taken.of_game(game) for game in range(4)] == [remarks.of_game(game) for game in (2, 1, 2, 0)]
    joined = Remarks.joined([remarks, taken, Remarks.of([])])
    assert len(joined) == 8
    assert [joined.of_game(game) for game in range(8)] == [
        part.of_game(game) for part in (remarks, taken) for game in range(4)
    ]

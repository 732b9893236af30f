"""Where the panes belong and how board and notation divide their room."""

from __future__ import annotations

import pytest

from cqlgui.ui.board import stage
from cqlgui.ui.window import layouts
from cqlgui.ui.window.layouts import Layout, Place


def test_three_columns_where_there_is_room_and_tabs_where_there_is_none() -> None:
    assert layouts.plan(Layout.SEARCHING, 1366, 768).results is Place.RIGHT
    assert layouts.plan(Layout.SEARCHING, 1366, 768).picker is Place.UNDER
    for width, height in ((910, 472), (683, 344)):
        for layout in Layout:
            small = layouts.plan(layout, width, height)
            assert (small.picker, small.results) == (Place.TAB, Place.TAB)
            assert small.left <= width // 2


def test_a_wide_screen_gives_more_to_the_hits_than_to_the_query() -> None:
    usual, wide = (layouts.plan(Layout.SEARCHING, width, 1080) for width in (1366, 1920))
    assert wide.right - usual.right > wide.left - usual.left > 0


@pytest.mark.parametrize(("width", "height"), [(546, 698), (880, 1010), (1366, 768), (656, 485), (364, 315)])
def test_the_board_is_as_large_as_it_can_be(width: int, height: int) -> None:
    around = 70
    way, notation = stage.divide(width, height, around)
    # Neither way would leave it more room, so much of it does the notation need at the least.
    beside = min(width - 130, height - around)
    under = min(width, height - 56 - around)
    side = (
        min(width - notation, height - around)
        if way is stage.BESIDE
        else min(width, height - notation - around)
    )
    assert notation >= 56
    assert side >= 0.8 * max(beside, under)


def test_an_unknown_name_is_the_usual_layout() -> None:
    assert layouts.named("gone") is Layout.SEARCHING
    assert layouts.named("Writing") is Layout.WRITING

"""The layouts of the window: where each pane belongs, by the room there is. Knows no widget."""

from __future__ import annotations

import enum

from cqlgui.base.data import dataclass

NARROW = 1180
"""Below this width in pixels the columns beside the board become one column of tabs."""
LOW = 560
"""Below this height in pixels panes that stand below each other become tabs, too."""
PLANNED = 1366
"""The width in pixels that the usual widths are for; of what is more, each column gets its share."""
ASK, FOUND, PICKER = 340, 458, 408
"""Usual width of the columns left and right of the board, and height of the transforms with their title."""
SMALLEST_ASK = 240


class Layout(enum.Enum):
    """Names of the layouts, as the menu shows them."""

    SEARCHING = "Searching"
    WIDE = "Wide results"
    WRITING = "Writing"
    PRESENTING = "Presenting"


class Place(enum.Enum):
    """Where a pane stands: among the tabs of the left column, under these, right of the board, below it."""

    TAB = "tab"
    UNDER = "under"
    RIGHT = "right"
    BOTTOM = "bottom"


@dataclass(frozen=True, slots=True)
class Plan:
    """Places of the transforms and of the results; width of the left and the right column, height of the
    transforms where they stand under the query, and of the results where they stand below the board.
    """

    picker: Place
    results: Place
    left: int
    right: int
    under: int
    bottom: int


def plan(layout: Layout, width: int, height: int) -> Plan:
    """Where the panes of a layout belong in a window of this size."""
    narrow, low = width < NARROW, height < LOW
    gain = max(0, width - PLANNED)
    bottom = round(height * (0.35 if layout is Layout.WRITING else 0.27))
    if layout is Layout.WIDE:
        picker = Place.TAB if narrow else Place.RIGHT
        results = Place.TAB if low else Place.BOTTOM
        return Plan(picker, results, max(SMALLEST_ASK, min(360, width // 2)), ASK, PICKER, bottom)
    if layout is Layout.WRITING:
        results = Place.TAB if narrow or low else Place.BOTTOM
        return Plan(Place.TAB, results, round(width * 0.46), ASK, PICKER, bottom)
    if narrow:
        # All panes share one column: that of the results needs its width.
        return Plan(
            Place.TAB, Place.TAB, max(SMALLEST_ASK, min(FOUND, width * 46 // 100)), ASK, PICKER, bottom
        )
    # The board grows with the height: what it cannot use of the width goes to the hits.
    left, right = ASK + gain // 20, FOUND + gain * 7 // 20
    under = PICKER + max(0, height - 768) * 2 // 5
    return Plan(Place.TAB if low else Place.UNDER, Place.RIGHT, left, right, under, bottom)


def named(name: str) -> Layout:
    """The layout of a name; the usual one where there is none."""
    try:
        return Layout(name)
    except ValueError:
        return Layout.SEARCHING

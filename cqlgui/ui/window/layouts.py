"""The layouts of the window: the place of each pane, by the size of the window. This module does not use
widgets."""

from __future__ import annotations

import enum

from cqlgui.base.data import dataclass

NARROW = 1180
"""If the window is narrower than this (in pixels), the two side columns become one column of tabs."""
LOW = 560
"""If the window is lower than this (in pixels), panes that would be below another pane become tabs, too."""
PLANNED = 1366
"""In a window of this width in pixels, the columns have their usual widths. In a wider window, each column
gets a share of the additional width."""
ASK, FOUND, PICKER = 340, 458, 408
"""The usual width of the left column, the usual width of the right column, and the usual height of the
transforms with their title."""
SMALLEST_ASK = 240


class Layout(enum.Enum):
    """The names of the layouts in the menu."""

    SEARCHING = "Searching"
    WIDE = "Wide results"
    WRITING = "Writing"
    PRESENTING = "Presenting"


class Place(enum.Enum):
    """The place of a pane: among the tabs of the left column, below these tabs, right of the board, or below
    the board."""

    TAB = "tab"
    UNDER = "under"
    RIGHT = "right"
    BOTTOM = "bottom"


@dataclass(frozen=True, slots=True)
class Plan:
    """The places of the transforms (`picker`) and of the results. `left` and `right` are the widths of the
    two columns. `under` is the height of the transforms if they are below the query. `bottom` is the height
    of the results if they are below the board.
    """

    picker: Place
    results: Place
    left: int
    right: int
    under: int
    bottom: int


def plan(layout: Layout, width: int, height: int) -> Plan:
    """The places of the panes in a layout, for a size of the window."""
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
        # All panes share one column. If the window is wide enough, the column gets the usual width of the
        # results.
        return Plan(
            Place.TAB, Place.TAB, max(SMALLEST_ASK, min(FOUND, width * 46 // 100)), ASK, PICKER, bottom
        )
    # The height of the window limits the size of the board. In a wide window, the board cannot use all the
    # width, and the hits get most of the rest.
    left, right = ASK + gain // 20, FOUND + gain * 7 // 20
    under = PICKER + max(0, height - 768) * 2 // 5
    return Plan(Place.TAB if low else Place.UNDER, Place.RIGHT, left, right, under, bottom)


def named(name: str) -> Layout:
    """The built-in layout called `name`; the usual layout if no built-in layout has this name."""
    try:
        return Layout(name)
    except ValueError:
        return Layout.SEARCHING

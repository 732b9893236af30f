"""Merges changed rows into a few ranges, so that a table repaints only what changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def merged(changed: Iterable[int]) -> Iterator[tuple[int, int]]:
    """(first, last) of each run of neighbouring rows, ascending."""
    first = last = -1
    for row in sorted(set(changed)):
        if first < 0:
            first = last = row
        elif row == last + 1:
            last = row
        else:
            yield first, last
            first = last = row
    if first >= 0:
        yield first, last

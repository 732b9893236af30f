"""What all pictures of a result have in common: a table beside the picture, and the hits behind a part of it.

The pictures are in `histograms`, `square_maps`, `left_over` and `transitions`. Each is a frozen result with a
`table`. This module draws nothing.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from cqlgui.base import arrays, cells
from cqlgui.base.data import dataclass
from cqlgui.tasks.results import found as found_module
from cqlgui.tasks.results import search_model
from cqlgui.tasks.results.found import Integers
from cqlgui.tasks.search import narrowing

Cell = str | int | float | None
"""A text, a count, a share from 0 to 1, or nothing."""
_LARGEST: Final = 1 << 24
"""Maximum size in bytes of the table of games and groups in `by_group`."""


@dataclass(frozen=True, slots=True)
class Table:
    """The numbers of a picture as rows. `rows[n]` has a cell for each of the `heads`."""

    heads: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def csv(self) -> str:
        """The table as CSV (RFC 4180), with a first line of heads. Texts are safe for spreadsheets."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.heads)
        writer.writerows([_csv_cell(cell) for cell in row] for row in self.rows)
        return out.getvalue()

    def tabbed(self) -> str:
        """The table as lines of cells with tabs between them, for the clipboard."""
        return cells.tabbed([self.heads, *([_csv_cell(cell) for cell in row] for row in self.rows)])


def _csv_cell(cell: Cell) -> str:
    if isinstance(cell, str):
        return cells.text_only(cell)
    if isinstance(cell, float):
        return f"{cell:.6g}"
    return "" if cell is None else str(cell)


def share(part: int, whole: int) -> float:
    """The share of a part, from 0 to 1; 0 if there is no whole."""
    return part / whole if whole else 0.0


def by_group(hits: Integers, groups: Integers, count: int) -> tuple[Integers, Integers]:
    """The number of hits and of games of each group. `groups` has the group of each hit, from 0 to `count` -
    1. All hits of a game must be consecutive."""
    of_games = np.zeros(count, np.int64)
    of_hits = found_module.tallied(groups, count)
    block = max(1 << 12, min(1 << 17, _LARGEST // max(count, 1)))
    columns = found_module.Columns(hits, found_module.no_ends(len(hits)), found_module.NOTHING.codes)
    begin = 0
    for part in columns.stretches(block):
        own = groups[begin : begin + len(part)]
        fresh = np.zeros(len(part), np.int64)
        fresh[found_module.first_hits(part.hits)[1:]] = 1
        numbers = np.cumsum(fresh)
        size = (int(numbers[-1]) + 1) * count
        met = np.zeros(size, np.bool_)
        met[numbers * count + own] = True
        of_games += np.count_nonzero(met.reshape(-1, count), axis=0)
        begin += len(part)
    return of_hits, of_games


def in_games(result: search_model.SearchResult, games: Integers) -> search_model.SearchResult:
    """The hits of a result in some games. `games` are ordinals, ascending."""
    return narrowing.kept(result, member(result.games.columns.games, games))


def member(values: Integers, of: Integers) -> found_module.Mask:
    """Whether each value is among `of`, which is ascending."""
    if not len(of):
        return np.zeros(len(values), np.bool_)
    places = np.minimum(np.searchsorted(of, values), len(of) - 1)
    found: found_module.Mask = of[places] == values
    return found


def listed(words: Iterable[str], most: int = 3) -> str:
    """Words with commas between them. If there are more than `most`, the first and the last are given."""
    known: Sequence[str] = tuple(words)
    if len(known) <= most:
        return ", ".join(known)
    return f"{known[0]} ... {known[-1]}"


def union(one: Integers, other: Integers) -> Integers:
    """The numbers of two ascending lists, ascending, each once."""
    return arrays.distinct(np.concatenate([one, other]))

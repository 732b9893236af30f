"""Counts the games that match a query, and does nothing else. After each move on
the board, the window shows new counts beside the board.

One thread visits the games that the plan does not exclude. The thread searches each game only up to the first
hit.
"""

from __future__ import annotations

from typing import Final

from cqlgui.base import progress
from cqlgui.base.data import dataclass
from cqlgui.tasks.asking import queries
from cqlgui.tasks.databases import sources
from cqlgui.tasks.results import base_model
from cqlgui.tasks.results.found import Integers
from cqlgui.tasks.search import sieving

_SLICE: Final = 250
"""Cancellation is checked after this number of games."""


@dataclass(frozen=True, slots=True)
class Counted:
    """The number of games that match. `doubtful` is the number of games that only a search can decide."""

    games: int
    doubtful: int


def count(
    base: base_model.Base,
    text: str,
    within: Integers | None = None,
    *,
    cancel: progress.CancelToken | None = None,
) -> Counted | None:
    """Count the games that match, in the base or only among the games `within` (ascending ordinals). None if
    the query is not compiled wholly, or if its header has conditions on match count, result or game number.
    Raises `Rejected` for a bad query, `errors.Cancelled`, and `CqlguiError` for a base that cannot be
    read."""
    token = cancel or progress.CancelToken()
    expanded = queries.expanded(text)
    assert expanded.query is not None
    header = expanded.query.header
    if header.matchcount is not None or header.results or header.gamenumber is not None:
        return None
    chosen = sieving.plan(expanded, cancel=token)
    compiled, planner = chosen.compiled, chosen.planner
    if compiled is None or planner is None or not compiled.wholly:
        return None
    games = doubtful = 0
    for source in base.sources:
        if not source.games:
            continue
        with sources.indexed(source) as opened:
            listed = opened.parts_among(0, source.games)
            for first, part in planner.parts(source, listed, lambda: token.cancelled):
                numbers = part.numbers
                if within is not None:
                    numbers, _ = part.among(within, source.first + first)
                if not len(numbers):
                    token.raise_if_cancelled()
                    continue
                for found in compiled.scan(
                    part.asked, numbers, before=first, most=1, facts=part.facts, slice_size=_SLICE
                ):
                    token.raise_if_cancelled()
                    games += len(found.hits)
                    doubtful += len(found.doubtful)
    return Counted(games, doubtful)

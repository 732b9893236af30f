"""Several queries in the same games: which query a game matches first, which one next, and so on.

The order of a game is the order of the first hits of the queries in it. Queries whose first hits are at the
same position have no order: they are a tie, which has a number of its own, as a query has.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from cqlgui.base import errors, progress
from cqlgui.base.data import dataclass
from cqlgui.tasks.pictures import pictures
from cqlgui.tasks.results import found as found_module
from cqlgui.tasks.results import search_model
from cqlgui.tasks.results.found import Integers

END: Final = -1
"""Stands for the end: the game matches no further query."""
MOST: Final = 8
"""Greatest number of results. A picture of more could not be read."""
MOST_TIES: Final = 3
"""If there are at least two more ties than this, only so many have a number of their own. The other ones,
which fewer games have, share a number."""
_NEVER: Final = 1 << 40
"""A ply behind the end of every game."""

Named = tuple[str, search_model.SearchResult]
"""A name and a result."""


@dataclass(frozen=True, slots=True)
class Node:
    """The games that match the query or tie `query` as number `stage` (from 0) in their order."""

    stage: int
    query: int
    games: int


@dataclass(frozen=True, slots=True)
class Flow:
    """The games that match the query or tie `one` as number `stage`, and `other` next; `other` may be
    `END`."""

    stage: int
    one: int
    other: int
    games: int


@dataclass(frozen=True, slots=True)
class Transitions:
    """Nodes and flows. At each node, the games of the flows that leave it add up to the games of the node.
    `games` is the number of games that match any query. `names` has the names of the queries, and then those
    of the ties. `members` has the queries of each of them; it is empty for the ties that share a number."""

    names: tuple[str, ...]
    members: tuple[tuple[int, ...], ...]
    nodes: tuple[Node, ...]
    flows: tuple[Flow, ...]
    games: int

    @property
    def note(self) -> str:
        """The reason why there is nothing to show. It is empty if there is something."""
        return "" if self.games else "No game matches any of the queries."

    @property
    def table(self) -> pictures.Table:
        """The flows as rows."""
        return pictures.Table(
            ("Query", "Then", "Games", "Share"),
            tuple(
                (
                    f"{flow.stage + 1}. {self.names[flow.one]}",
                    "no further query" if flow.other == END else self.names[flow.other],
                    flow.games,
                    pictures.share(flow.games, self.games),
                )
                for flow in self.flows
            ),
        )


def transitions(named: Sequence[Named], *, cancel: progress.CancelToken | None = None) -> Transitions:
    """Count the orders of some results in their games. Raises `CqlguiError` for more than `MOST` results, and
    `errors.Cancelled`."""
    token = cancel or progress.CancelToken()
    games, orders, members = _orders(named, token)
    size = len(members) + 1
    nodes: list[Node] = []
    flows: list[Flow] = []
    for stage in range(len(named)):
        token.raise_if_cancelled()
        here = orders[:, stage]
        then = orders[:, stage + 1] if stage + 1 < len(named) else np.full(len(games), END)
        table = np.bincount((here + 1) * size + then + 1, minlength=size**2).reshape(size, size)
        for query in range(len(members)):
            row = table[query + 1].tolist()
            if sum(row):
                nodes.append(Node(stage, query, sum(row)))
            flows += [Flow(stage, query, other - 1, count) for other, count in enumerate(row) if count]
    flows.sort(key=lambda flow: (flow.stage, -flow.games))
    names = (" = ".join(named[query][0] for query in tie) or OTHER_TIES for tie in members)
    return Transitions(tuple(names), members, tuple(nodes), tuple(flows), len(games))


OTHER_TIES: Final = "other queries at once"
"""The name of the ties that share a number."""


def along(named: Sequence[Named], stage: int, one: int, other: int | None = None) -> Integers:
    """The games that match the query or tie `one` as number `stage`, and then `other`; ascending. With
    `other=None` every continuation counts."""
    games, orders, _ = _orders(named, progress.CancelToken())
    mask = orders[:, stage] == one
    if other is not None:
        then = orders[:, stage + 1] if stage + 1 < len(named) else np.full(len(games), END)
        mask &= then == other
    found: Integers = games[mask]
    return found


def _orders(
    named: Sequence[Named], token: progress.CancelToken
) -> tuple[Integers, Integers, tuple[tuple[int, ...], ...]]:
    """The games that match any query, ascending, and for each game the queries and ties in their order; `END`
    fills each row. Then the queries of each query and tie, as in `Transitions.members`."""
    if len(named) > MOST:
        raise errors.CqlguiError(f"At most {MOST} results can be compared.")
    firsts: list[tuple[Integers, Integers]] = []
    top = 0
    for _, result in named:
        token.raise_if_cancelled()
        games, places = _first_places(result)
        firsts.append((games, places))
        top = max(top, int(games[-1]) if len(games) else 0)
    plies = np.full((top + 1, len(named)), _NEVER, np.int64)
    for query, (games, places) in enumerate(firsts):
        plies[games, query] = places
    matched = np.flatnonzero((plies < _NEVER).any(axis=1))
    plies = plies[matched]
    token.raise_if_cancelled()
    order = np.argsort(plies, axis=1, kind="stable")
    plies = np.take_along_axis(plies, order, axis=1)
    # The queries that hit at each place of the order, as bits.
    masks = np.zeros(plies.shape, np.int64)
    stages = np.zeros(len(matched), np.int64)
    for place in range(len(named)):
        if place:
            stages += plies[:, place] != plies[:, place - 1]
        rows = np.flatnonzero(plies[:, place] < _NEVER)
        masks[rows, stages[rows]] |= 1 << order[rows, place]
    numbers, members = _numbered(masks, len(named))
    return matched, numbers[masks], members


def _numbered(masks: Integers, queries: int) -> tuple[Integers, tuple[tuple[int, ...], ...]]:
    """The number of each set of queries, and the queries of each number. Single queries come first, then the
    ties, the most frequent ones first."""
    counts = np.bincount(masks.ravel(), minlength=1 << queries)
    ties = [mask for mask in np.flatnonzero(counts).tolist() if mask & (mask - 1)]
    ties.sort(key=lambda mask: (-counts[mask], mask))
    shown = ties if len(ties) <= MOST_TIES + 1 else ties[:MOST_TIES]
    numbers = np.full(1 << queries, queries + len(shown), np.int64)
    numbers[0] = END
    members: list[tuple[int, ...]] = [(query,) for query in range(queries)]
    numbers[[1 << query for query in range(queries)]] = np.arange(queries)
    for number, mask in enumerate(shown, queries):
        numbers[mask] = number
        members.append(tuple(query for query in range(queries) if mask >> query & 1))
    if len(shown) < len(ties):
        members.append(())
    return numbers, tuple(members)


def _first_places(result: search_model.SearchResult) -> tuple[Integers, Integers]:
    """The games of a result, ascending, and the positionid of the first hit of each. A game without hits
    counts as matched at its end."""
    hits = result.games.columns.hits
    starts = found_module.first_hits(hits)
    games = hits[starts] >> found_module.GAME_SHIFT
    places = (
        np.minimum.reduceat(hits & found_module.PLACE_MASK, starts) if len(starts) else np.zeros(0, np.int64)
    )
    bare = np.array([game for game, told in result.games.told.items() if not told.hits], np.int64)
    games = np.append(games, bare)
    places = np.append(places, np.full(len(bare), _NEVER - 1))
    order = np.argsort(games, kind="stable")
    return games[order], places[order]

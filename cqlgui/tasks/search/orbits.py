"""The orbits of a query's transforms, for the picker and for the counts of a search."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Sequence

import numpy as np

from cqlgui.base import data, priority, progress
from cqlgui.board import tree
from cqlgui.board.position import Position
from cqlgui.cql.checking import impossible
from cqlgui.cql.transforming import transforms
from cqlgui.engine.passes import orbit_pass
from cqlgui.tasks.asking import queries
from cqlgui.tasks.databases import sources
from cqlgui.tasks.results import base_model, hit_model, search_model
from cqlgui.tasks.results import found as found_module


def orbits(text: str) -> tuple[hit_model.Orbit, ...]:
    """The outermost transforms of a query with their elements, all counts 0; raises `queries.Rejected`."""
    return tuple(describe(info) for info in queries.expanded(text).orbits)


def describe(info: transforms.OrbitInfo) -> hit_model.Orbit:
    """An orbit as plain data, all counts 0."""
    elements = []
    # If one element names pawns, all elements name pawns, so one element is enough for this test.
    asks = any(impossible.names_pawns(element.filter) for element in info.elements[:1])
    for element in info.elements:
        # There may be thousands of elements. Without a pause, the loop would block the window.
        priority.pause()
        elements.append(
            hit_model.ElementCount(
                text=element.text,
                transform=element.transform,
                words=element.words,
                games=0,
                positions=0,
                squares=element.squares,
                lines=element.lines,
                never=impossible.reason(element.filter) if asks else "",
            )
        )
    return hit_model.Orbit(
        transform=info.transform,
        offset=info.span.offset,
        length=info.span.length,
        elements=tuple(elements),
        invalid=tuple(_dropped(info.invalid)),
        duplicates=tuple(_dropped(info.duplicates)),
    )


def fits(codes: found_module.Codes, sizes: Sequence[int]) -> bool:
    """Whether codes of elements (`orbit_pass.code_of`) name elements of orbits with these sizes."""
    if not len(codes):
        return True
    numbers, elements = codes >> orbit_pass.ELEMENT_BITS, codes & (1 << orbit_pass.ELEMENT_BITS) - 1
    if int(codes.min()) < 0 or int(numbers.max()) >= len(sizes):
        return False
    return bool((elements < np.array(sizes)[numbers]).all())


def counted(orbit: hit_model.Orbit, counts: dict[int, tuple[int, int]]) -> hit_model.Orbit:
    """The orbit with new counts. `counts` maps the index of an element to the pair (games, positions)."""
    elements = list(orbit.elements)
    for place, (games, positions) in counts.items():
        elements[place] = data.replace(elements[place], games=games, positions=positions)
    return data.replace(orbit, elements=tuple(elements))


_MOST_EXAMPLES = 64
"""Maximum number of elements that get an example position. The picker shows at most this number of elements
at once."""

Place = tuple[int, int]
"""The number of an orbit in the query, and the number of an element in this orbit."""


def without_squares(result: search_model.SearchResult) -> tuple[Place, ...]:
    """The elements that matched and name no squares. For these elements, only the position of a hit can be
    shown."""
    found = (
        (number, place)
        for number, orbit in enumerate(result.orbits)
        for place, element in enumerate(orbit.elements)
        if element.positions and not element.squares
    )
    return tuple(itertools.islice(found, _MOST_EXAMPLES))


def examples(
    base: base_model.Base,
    result: search_model.SearchResult,
    wanted: Sequence[Place],
    cancel: progress.CancelToken | None = None,
) -> dict[Place, Position]:
    """The position of the first hit of each wanted element; elements without hits are left out."""
    columns = result.games.columns
    found = {}
    for place in wanted:
        if cancel is not None:
            cancel.raise_if_cancelled()
        at = np.flatnonzero(columns.codes == orbit_pass.code_of(*place))[:1]
        if not len(at):
            continue
        hit = int(columns.hits[int(np.searchsorted(columns.ends, at[0], side="right"))])
        source, ordinal = sources.of_game(base, hit >> found_module.GAME_SHIFT)
        with sources.opened(source) as opened:
            played = tree.GameTree.decode(opened.index.start_fen(ordinal), opened.index.moves(ordinal))
        # A damaged index may have moves that cannot be played. The damage is reported when the game is
        # opened.
        with contextlib.suppress(ValueError):
            found[place] = played.positions[hit & found_module.PLACE_MASK]
    return found


def _dropped(infos: tuple[transforms.DroppedInfo, ...]) -> list[hit_model.Dropped]:
    return [
        hit_model.Dropped(transform=info.transform, words=info.words, reason=info.reason) for info in infos
    ]

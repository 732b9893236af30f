"""The squares and moves at the hits of a result, as they were played or in the query's own frame. In this
frame the transform of each hit's primary element is undone."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Sequence
from typing import Final

import numpy as np

from cqlgui.base import arrays, priority
from cqlgui.base.data import dataclass
from cqlgui.board import motions, squares
from cqlgui.cql.transforming import geometry
from cqlgui.engine.passes import orbit_pass
from cqlgui.engine.replaying import games as packed_games
from cqlgui.tasks.databases import sources
from cqlgui.tasks.results import base_model, hit_model
from cqlgui.tasks.results import found as found_module
from cqlgui.tasks.results.found import Columns, Integers

OFF: Final = 64
"""Stands for a square that leaves the board when the transform is undone."""
_PIECE: Final = 1 << 16
"""Number of hits that are read together, about."""


@dataclass(frozen=True, slots=True, eq=False)
class Frames:
    """The frames of some hits. Hit n has the motion `motions[numbers[n]]`, and square s goes to
    `squares[numbers[n], s]`, which may be `OFF`."""

    numbers: Integers
    motions: Sequence[motions.Motion]
    squares: Integers

    @classmethod
    def of(cls, columns: Columns, orbits: Sequence[hit_model.Orbit], *, normalised: bool) -> Frames:
        """The frames of hits. If the hits are not `normalised`, nothing moves. A hit whose transform is no
        motion of the board stays as it was played."""
        codes = columns.primary() if normalised else np.full(len(columns), -1, np.int64)
        distinct, numbers = arrays.ranked(codes)
        found = [_motion(code, orbits) for code in distinct.tolist()]
        table = [[_image(motion, square) for square in range(64)] for motion in found]
        return cls(numbers, found, np.array(table, np.int64).reshape(len(found), 64))

    @property
    def swapped(self) -> np.ndarray:
        """For each hit, whether its frame swaps the colours."""
        return np.array([motion.swapped for motion in self.motions], np.bool_)[self.numbers]


def _motion(code: int, orbits: Sequence[hit_model.Orbit]) -> motions.Motion:
    """The motion that undoes the transform of an element, which is given by its code."""
    orbit, element = code >> orbit_pass.ELEMENT_BITS, code & (1 << orbit_pass.ELEMENT_BITS) - 1
    if code < 0 or orbit >= len(orbits):
        return motions.STILL
    motion = geometry.motion(orbits[orbit].elements[element].transform)
    return motions.STILL if motion is None else motion.inverse


def _image(motion: motions.Motion, square: int) -> int:
    image = motion.square(square)
    return OFF if image == squares.NONE else image


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Some hits of one segment of a source: the numbers of the hits from `begin` to `end` - 1, and the hits
    as the kernels take them, with the games numbered within `asked`. `games` has the places of their games in
    the source."""

    begin: int
    end: int
    source: base_model.Source
    asked: packed_games.Games
    hits: Integers
    games: Integers


def parts(base: base_model.Base, columns: Columns) -> Generator[Part]:
    """The hits in parts, in their order. All hits of a game must be consecutive. Hits in ascending order are
    read fastest."""
    hits = columns.hits
    here: base_model.Source | None = None
    asked: packed_games.Games | None = None
    at = begin = end = 0
    with contextlib.ExitStack() as stack:
        while at < len(hits):
            priority.pause()
            game = int(hits[at]) >> found_module.GAME_SHIFT
            if not begin <= game < end:
                source, ordinal = sources.of_game(base, game)
                if here is not source:
                    stack.close()
                    here, opened = source, stack.enter_context(sources.indexed(source))
                first, segment = opened.part_of(ordinal)
                begin, end = source.first + first, source.first + min(first + segment.games, source.games)
                asked = packed_games.of_segment(segment)
            assert asked is not None
            assert here is not None
            some = hits[at : at + _PIECE]
            low, high = begin << found_module.GAME_SHIFT, end << found_module.GAME_SHIFT
            inside = (some >= low) & (some < high)
            last = at + (len(inside) if inside.all() else int(np.argmin(inside)))
            # All hits of a game come in one part.
            while last < len(hits) and hits[last] ^ hits[last - 1] <= found_module.PLACE_MASK:
                last += 1
            own = hits[at:last] - low
            games = (own >> found_module.GAME_SHIFT) + (begin - here.first)
            yield Part(at, last, here, asked, own, games)
            at = last

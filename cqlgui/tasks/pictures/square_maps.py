"""The squares of the hits of a result: where men stand, arrive and capture, the squares that the query rings,
and the ways of one man."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt

from cqlgui.base import ahead, plurals, progress
from cqlgui.base.data import dataclass
from cqlgui.board import men, squares
from cqlgui.engine.kernels import tracing
from cqlgui.tasks.analysis import frames
from cqlgui.tasks.pictures import pictures
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.results import found as found_module
from cqlgui.tasks.results.found import Integers, Words
from cqlgui.tasks.search import hit_details, narrowing

ALL_MEN: Final = (1 << 13) - 2
"""The mask of all men, without the empty square."""
DEEPEST: Final = 40
"""The greatest number of plies that are followed after a hit."""


_SAMPLE: Final = 100_000
"""Number of hits that decide where paths begin, about."""


class What(enum.Enum):
    """What a map counts on each square. The value is the text of the chooser."""

    MEN = "Men at the hit"
    ARRIVALS = "Arrivals after the hit"
    CAPTURES = "Captures after the hit"
    RINGED = "Squares that matched"


_KERNELS: Final = {
    What.MEN: tracing.MEN,
    What.ARRIVALS: tracing.ARRIVALS,
    What.CAPTURES: tracing.CAPTURES,
}


@dataclass(frozen=True, slots=True)
class Choice:
    """What to count: the men in the mask `wanted` (bit n = man n, in the frame), and for arrivals and
    captures the number of plies after the hit. Captures are those that the men make."""

    what: What = What.MEN
    wanted: men.ManMask = ALL_MEN
    plies: int = 10


@dataclass(frozen=True, slots=True)
class SquareMap:
    """For each square, the number of hits and of games where something is on the square. `positions` is the
    number of hits of the result, and `games` that of their games."""

    choice: Choice
    normalised: bool
    hits: tuple[int, ...]
    of_games: tuple[int, ...]
    games: int
    positions: int

    @property
    def note(self) -> str:
        """The reason why nothing is on the map. It is empty if something is on the map."""
        if not self.positions:
            return "The result has no hits."
        if any(self.hits):
            return ""
        span = plurals.counted(self.choice.plies, "ply", "plies")
        return {
            What.MEN: "No such man is on the board at any hit.",
            What.ARRIVALS: f"No such man moves within {span} after a hit.",
            What.CAPTURES: f"No such man captures within {span} after a hit.",
            What.RINGED: "The query matches no particular squares.",
        }[self.choice.what]

    @property
    def shown(self) -> tuple[int, ...]:
        """The squares with hits, in the order of the table: the most frequent first."""
        return tuple(sorted((at for at in range(64) if self.hits[at]), key=lambda at: (-self.hits[at], at)))

    @property
    def table(self) -> pictures.Table:
        """The squares with hits as rows."""
        return pictures.Table(
            ("Square", "Hits", "Share", "Games"),
            tuple(
                (
                    squares.NAMES[at],
                    self.hits[at],
                    pictures.share(self.hits[at], self.positions),
                    self.of_games[at],
                )
                for at in self.shown
            ),
        )


def load() -> None:
    """Load the machine code of the maps before a map is asked for. The first loading ever compiles the code,
    which takes a third of a second."""
    tracing.UNIT.load()


def square_map(
    base: base_model.Base,
    result: search_model.SearchResult,
    choice: Choice,
    *,
    normalised: bool = False,
    cancel: progress.CancelToken | None = None,
) -> SquareMap:
    """Count squares at the hits of a result. Raises `errors.Cancelled`, and `CqlguiError` for a base that can
    no longer be read."""
    token = cancel or progress.CancelToken()
    hits = result.games.columns.hits
    marked = _marked(base, result, choice, normalised, token)
    of_hits, of_games = tracing.counted(marked, hits)
    return SquareMap(
        choice,
        normalised,
        tuple(of_hits.tolist()),
        tuple(of_games.tolist()),
        found_module.count_games(hits),
        len(hits),
    )


def on_squares(
    base: base_model.Base,
    result: search_model.SearchResult,
    choice: Choice,
    wanted: squares.Bitboard,
    *,
    normalised: bool = False,
    cancel: progress.CancelToken | None = None,
) -> search_model.SearchResult:
    """The hits of a result where something is on one of the squares `wanted`."""
    marked = _marked(base, result, choice, normalised, cancel or progress.CancelToken())
    return narrowing.kept(result, (marked & np.uint64(wanted)) != 0)


@dataclass(frozen=True, slots=True)
class WayChoice:
    """A man of the mask `wanted` that stands on the square `origin` at the hit (in the frame), and the number
    of plies after the hit."""

    origin: squares.Square
    wanted: men.ManMask = ALL_MEN
    plies: int = 10


@dataclass(frozen=True, slots=True)
class Ways:
    """Where the man goes. `begun` is the number of hits with such a man on the origin. It stays there at
    `stayed` of them, and is captured after `captured` of them. `hits` and `of_games` count the hits after
    which it reaches each square. `steps` has each move as (from, to, number of moves), most frequent
    first. `positions` is the number of hits of the result."""

    choice: WayChoice
    normalised: bool
    begun: int
    stayed: int
    captured: int
    hits: tuple[int, ...]
    of_games: tuple[int, ...]
    steps: tuple[tuple[squares.Square, squares.Square, int], ...]
    positions: int

    @property
    def note(self) -> str:
        """The reason why there is nothing to show. It is empty if there is something."""
        if not self.positions:
            return "The result has no hits."
        name = squares.NAMES[self.choice.origin]
        if not self.begun:
            return f"No such man is on {name} at any hit."
        span = plurals.counted(self.choice.plies, "ply", "plies")
        if self.steps or self.stayed < self.begun - self.captured:
            return ""
        return f"The man on {name} does not move within {span}."

    @property
    def shown(self) -> tuple[int, ...]:
        """The squares that are reached, in the order of the table: the most frequent first."""
        return tuple(sorted((at for at in range(64) if self.hits[at]), key=lambda at: (-self.hits[at], at)))

    @property
    def table(self) -> pictures.Table:
        """The squares that are reached as rows, and rows for the men that stay or are captured."""
        rows: list[tuple[pictures.Cell, ...]] = [
            (
                squares.NAMES[at],
                self.hits[at],
                pictures.share(self.hits[at], self.begun),
                self.of_games[at],
            )
            for at in self.shown
        ]
        for words, count in (("does not move", self.stayed), ("is captured", self.captured)):
            if count:
                rows.append((words, count, pictures.share(count, self.begun), None))
        return pictures.Table(("Reaches", "Hits", "Share", "Games"), tuple(rows))


def ways(
    base: base_model.Base,
    result: search_model.SearchResult,
    choice: WayChoice,
    *,
    normalised: bool = False,
    cancel: progress.CancelToken | None = None,
) -> Ways:
    """Follow one man after the hits of a result. Raises `errors.Cancelled`, and `CqlguiError` for a base that
    can no longer be read."""
    token = cancel or progress.CancelToken()
    hits = result.games.columns.hits
    reached, fates, counts = _followed(base, result, choice, normalised, token)
    of_hits, of_games = tracing.counted(reached, hits)
    present = (fates & tracing.PRESENT) != 0
    captured = (fates & tracing.CAPTURED) != 0
    ends = np.argsort(-counts, axis=None, kind="stable")[: int(np.count_nonzero(counts))]
    return Ways(
        choice,
        normalised,
        int(np.count_nonzero(present)),
        int(np.count_nonzero(fates == tracing.PRESENT)),
        int(np.count_nonzero(captured)),
        tuple(of_hits.tolist()),
        tuple(of_games.tolist()),
        tuple((at >> 6, at & 63, int(counts[at >> 6, at & 63])) for at in ends.tolist()),
        len(hits),
    )


def reaching(
    base: base_model.Base,
    result: search_model.SearchResult,
    choice: WayChoice,
    wanted: squares.Bitboard,
    *,
    normalised: bool = False,
    cancel: progress.CancelToken | None = None,
) -> search_model.SearchResult:
    """The hits of a result after which the man reaches one of the squares `wanted`."""
    reached, _, _ = _followed(base, result, choice, normalised, cancel or progress.CancelToken())
    return narrowing.kept(result, (reached & np.uint64(wanted)) != 0)


def usual_origin(
    base: base_model.Base,
    result: search_model.SearchResult,
    *,
    wanted: men.ManMask = ALL_MEN,
    normalised: bool = False,
    cancel: progress.CancelToken | None = None,
) -> squares.Square:
    """The square that the next move of the men `wanted` leaves most often after a hit. If they do not move,
    it is the square where they stand most often, and e4 if there are none. Of many hits only the first ones
    count, because this is only a first proposal."""
    token = cancel or progress.CancelToken()

    def counted(what: int, depth: int) -> Integers:
        def trace(part: frames.Part, numbers: Integers, images: Integers, swaps: Integers) -> Words:
            return tracing.squares_marked(
                part.asked, part.hits, numbers, images, swaps, what, wanted, depth,
                variations=result.variations,
            )  # fmt: skip

        traced = _traced(base, result, normalised, token, trace, _SAMPLE)
        return tracing.counted(traced, result.games.columns.hits)[0]

    # One of the next two moves is the opponent's.
    found = counted(tracing.LEAVING, 1 if wanted == ALL_MEN else 2)
    if not found.any():
        found = counted(tracing.MEN, 1)
    return int(np.argmax(found)) if found.any() else squares.NAMES.index("e4")


_Trace = Callable[[frames.Part, "Integers", "Integers", "Integers"], "Words"]


def _traced(
    base: base_model.Base,
    result: search_model.SearchResult,
    normalised: bool,
    token: progress.CancelToken,
    trace: _Trace,
    most: int | None = None,
) -> Words:
    """A set of squares for each hit. If there are more than `most` hits, the sets of the later ones may be
    empty. `trace` finds the sets of one part, from the part, the frames of its hits, the images of the
    squares in each frame, and whether each frame swaps the colours."""
    columns = result.games.columns
    framing = frames.Frames.of(columns, result.orbits, normalised=normalised)
    images, swaps = _tables(framing)
    found = np.zeros(len(columns), np.uint64)
    for part in ahead.each(frames.parts(base, columns)):
        token.raise_if_cancelled()
        here = slice(part.begin, part.end)
        found[here] = trace(part, framing.numbers[here], images, swaps)
        if most is not None and part.end >= most:
            break
    return found


def _tables(framing: frames.Frames) -> tuple[Integers, Integers]:
    """The images of the squares in each frame, one row after another, and whether each frame swaps the
    colours."""
    swaps = np.array([motion.swapped for motion in framing.motions], np.int64)
    return np.ascontiguousarray(framing.squares).reshape(-1), swaps


def _marked(
    base: base_model.Base,
    result: search_model.SearchResult,
    choice: Choice,
    normalised: bool,
    token: progress.CancelToken,
) -> Words:
    """The squares of each hit."""
    if choice.what is What.RINGED:
        return _ringed(base, result, normalised, token)
    what = _KERNELS[choice.what]

    def trace(part: frames.Part, numbers: Integers, images: Integers, swaps: Integers) -> Words:
        return tracing.squares_marked(
            part.asked, part.hits, numbers, images, swaps, what, choice.wanted, choice.plies,
            variations=result.variations,
        )  # fmt: skip

    return _traced(base, result, normalised, token, trace)


def _ringed(
    base: base_model.Base, result: search_model.SearchResult, normalised: bool, token: progress.CancelToken
) -> Words:
    """The squares that the query rings at each hit."""
    columns = result.games.columns
    marked = np.zeros(len(columns), np.uint64)
    numbers: list[Integers] = []
    ringed: list[Words] = []
    told: dict[int, int] = {}
    for _, found in hit_details.batches(base, result, result.order, cancel=token):
        token.raise_if_cancelled()
        if found.columns.details is not None:
            some = found.columns.hits
            # In a result that is not sorted, the hits of a batch are neighbours.
            begin = int(np.searchsorted(columns.hits, some[0])) if len(some) else 0
            run = slice(begin, begin + len(some))
            if np.array_equal(columns.hits[run], some):
                marked[run] = found.columns.details.squares
            else:
                numbers.append(some)
                ringed.append(found.columns.details.squares)
        for game in found.told.values():
            for hit in game.hits:
                told[hit.game << found_module.GAME_SHIFT | hit.positionid] = hit.squares
    if numbers:
        _put(marked, columns.hits, np.concatenate(numbers), np.concatenate(ringed))
    if told:
        _put(marked, columns.hits, np.array(list(told), np.int64), np.array(list(told.values()), np.uint64))
    if not normalised:
        return marked
    framing = frames.Frames.of(columns, result.orbits, normalised=True)
    token.raise_if_cancelled()
    return tracing.moved(marked, framing.numbers, _tables(framing)[0])


def _put(marked: Words, hits: Integers, numbers: Integers, values: Words) -> None:
    """Write the values of some hits, which are given by their numbers, to `marked`."""
    order = np.argsort(numbers, kind="stable")
    places = order[np.minimum(np.searchsorted(numbers, hits, sorter=order), len(order) - 1)]
    same = numbers[places] == hits
    marked[same] = values[places[same]]


def _followed(
    base: base_model.Base,
    result: search_model.SearchResult,
    choice: WayChoice,
    normalised: bool,
    token: progress.CancelToken,
) -> tuple[Words, npt.NDArray[np.uint8], Integers]:
    """The squares that the man reaches after each hit, its fate, and the counts of its moves."""
    fates = np.zeros(result.positions, np.uint8)
    counts = np.zeros((64, 64), np.int64)

    def trace(part: frames.Part, numbers: Integers, images: Integers, swaps: Integers) -> Words:
        back = images.reshape(-1, 64) == choice.origin
        origins = np.where(back.any(axis=1), np.argmax(back, axis=1), frames.OFF).astype(np.int64)
        reached, own, steps = tracing.ways(
            part.asked, part.hits, numbers, images, swaps, origins, choice.wanted, choice.plies,
            variations=result.variations,
        )  # fmt: skip
        fates[part.begin : part.end] = own
        counts[:] += steps
        return reached

    return _traced(base, result, normalised, token, trace), fates, counts

"""Finds the compositions of a base that are nearest to given ones, up to the symmetries of the board.

All positions of the main lines are compared, because a later composition is often anticipated by the position
after some moves. The measure extends CQL's `similarposition`, which finds equal positions only. For each
motion of the board the score of two positions is the weight of the men that both have on the same squares,
divided by the mean weight of the two positions (`nearness.WEIGHTS`). The side to move counts like a light
man. The score is 1 only for equal positions.

A position of the entry after some moves has lost some men, so that it would soon be near to many positions.
Its score is therefore multiplied by its share of the weight of the entry's start.

Motions of a position with pawns are the left-right mirror, a swap of colours together with the ranks, and all
shifts along the ranks. Motions of a position without pawns are the eight symmetries, the swap of colours, and
all shifts. A shift keeps all men of the entry on the board.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from cqlgui.base import errors
from cqlgui.base import progress as progress_module
from cqlgui.base.data import dataclass, field
from cqlgui.board import men, motions, tree
from cqlgui.board.position import Position
from cqlgui.cql.transforming import geometry, words
from cqlgui.engine.kernels import nearness
from cqlgui.engine.replaying import games as packed_games
from cqlgui.store import index, segments
from cqlgui.tasks.databases import bases, games, sources
from cqlgui.tasks.results import base_model

USUAL: Final = "It begins from the usual array. The measure is meant for compositions."
MOST_PLIES: Final = 60
"""The number of moves of an entry that are looked at. Positions far from the start have few men."""
_MOST_POSITIONS: Final = 1 << 16
"""The number of positions of the base that are in memory together, about."""


@dataclass(frozen=True, slots=True)
class Near:
    """A game of the base that is near to an entry.

    `score` is from 0 to 1. It holds for the position of the game after `ply` half-moves and the position of
    the entry after `entry_ply` half-moves. `motion` maps the position of the entry onto that of the game, and
    `transform` is its name in CQL. `same` of the entry's `men` stand on the same squares. `fen` is the
    position of the game, and `entry_fen` that of the entry.
    """

    game: int
    score: float
    ply: int
    entry_ply: int
    motion: motions.Motion = field(repr=False)
    transform: str
    words: str
    same: int
    men: int
    fen: str
    entry_fen: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A composition with the nearest games of the base, the nearest first. If the composition cannot be
    compared, `reason` is a sentence that says why."""

    number: int
    fen: str
    nearest: tuple[Near, ...]
    reason: str = ""

    @property
    def ranks(self) -> tuple[int, ...]:
        """The rank of each of the nearest games, from 1. Games with equal scores are equally near and have
        the same rank, such as the copies of a study in a collection."""
        scores = [near.score for near in self.nearest]
        return tuple(scores.index(score) + 1 for score in scores)


@dataclass(frozen=True, slots=True)
class Anticipations:
    """The outcome for all entries. `games` and `positions` of the base were compared. `left_out` games of the
    base begin from the usual array or could not be read."""

    entries: tuple[Entry, ...]
    games: int
    positions: int
    left_out: int


def find(
    entries: base_model.Base,
    base: base_model.Base,
    *,
    top: int = 5,
    cancel: progress_module.CancelToken | None = None,
    progress: progress_module.ProgressSink = progress_module.ignore,
) -> Anticipations:
    """For each game of `entries` the `top` nearest games of `base`. If a file belongs to both, an entry is
    not compared with itself.

    Games with equal scores are ordered by the plies of the entry, the plies of the game, and the ordinals.
    Raises `errors.Cancelled`. Raises `errors.CqlguiError` if there is nothing to compare, and
    `errors.SourceError` if a source no longer holds the indexed text.
    """
    asked = list(_entries(entries, base))
    if not asked:
        raise errors.CqlguiError(f"{_named(entries)} has no games.")
    return _compared(asked, base, top, cancel or progress_module.CancelToken(), progress)


def find_position(
    position: Position,
    base: base_model.Base,
    *,
    top: int = 5,
    besides: int = 0,
    cancel: progress_module.CancelToken | None = None,
    progress: progress_module.ProgressSink = progress_module.ignore,
) -> Anticipations:
    """The `top` games of `base` that are nearest to a position, as the only entry. Game `besides` is left
    out, because the position stands in it. Raises the same errors as `find`."""
    usual = position.squares == Position.start().squares
    asked = _Asked(1, position.fen(), () if usual else [position], besides, USUAL if usual else "")
    return _compared([asked], base, top, cancel or progress_module.CancelToken(), progress)


def _compared(
    asked: Sequence[_Asked],
    base: base_model.Base,
    top: int,
    token: progress_module.CancelToken,
    progress: progress_module.ProgressSink,
) -> Anticipations:
    compared = positions = 0
    for part in _parts(base):
        for number, one in enumerate(asked):
            token.raise_if_cancelled()
            progress(
                progress_module.Progress(
                    compared * len(asked) + number * part.known.games,
                    base.games * len(asked),
                    "Comparing positions",
                )
            )
            one.compare(part, top)
        compared += part.known.games
        positions += len(part.known)
    if not compared:
        raise errors.CqlguiError(
            f"{_named(base)} has no compositions: its games begin from the usual array or could not be read."
        )
    return Anticipations(tuple(one.answer() for one in asked), compared, positions, base.games - compared)


def _named(base: base_model.Base) -> str:
    return base.name or ", ".join(source.path.name for source in base.sources)


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """Some compositions of the base. Composition n is game `numbers[n]`."""

    known: nearness.Positions
    numbers: np.ndarray


def _parts(base: base_model.Base) -> Iterator[_Part]:
    for source in base.sources:
        if not source.games:
            continue
        with sources.indexed(source) as opened:
            for first, segment in opened.parts:
                asked = packed_games.of_segment(segment)
                numbers = _compositions(segment, asked)
                sizes = packed_games.lengths(segment, variations=False)[numbers].astype(np.int64) + 1
                bounds = np.flatnonzero(np.diff(np.cumsum(sizes) // _MOST_POSITIONS)) + 1
                for some, room in zip(np.split(numbers, bounds), np.split(sizes, bounds), strict=True):
                    yield _Part(nearness.Positions.of(asked, some, room), some + source.first + first)


def _compositions(segment: segments.Segment, asked: packed_games.Games) -> np.ndarray:
    """The games of a segment that begin from a position that was set up."""
    rows = np.frombuffer(bytes(segment.table()), segments.ROW)
    boards = asked.start_boards.reshape(-1, 64)
    usual = (boards == boards[0]).all(axis=1)
    found: np.ndarray = np.flatnonzero(
        (rows["fen"] != segments.USUAL_START) & (asked.starts >= 0) & ~usual[np.maximum(asked.starts, 0)]
    )
    return found


def _entries(entries: base_model.Base, base: base_model.Base) -> Iterator[_Asked]:
    bad: dict[int, str] = {}
    for problem in bases.bad_games(entries):
        bad.setdefault(problem.game, f"{problem.source.name}, line {problem.line}: {problem.reason}")
    own = {source.path: source for source in base.sources}
    for source in entries.sources:
        if not source.games:
            continue
        twin = own.get(source.path)
        with sources.indexed(source) as opened:
            for ordinal in range(source.games):
                number = source.first + ordinal
                itself = twin.first + ordinal if twin is not None else 0
                yield _entry(number, opened, ordinal, bad.get(number, ""), itself)


def _entry(number: int, opened: index.SourceIndex, ordinal: int, problem: str, itself: int) -> _Asked:
    fen = opened.start_fen(ordinal)
    if fen is None and problem:
        return _Asked(number, "", (), itself, f"It cannot be read. {problem}.")
    line: list[Position] = []
    with contextlib.suppress(ValueError):
        played = tree.GameTree.decode(fen, opened.moves(ordinal))
        line = played.mainline().positions[: MOST_PLIES + 1]
    if fen is None or (line and line[0].squares == Position.start().squares):
        return _Asked(number, "", (), itself, USUAL)
    if not line:
        return _Asked(number, fen, (), itself, f"Its FEN cannot be read: {fen}.")
    return _Asked(number, line[0].fen(), line, itself)


class _Asked:
    """An entry, with the nearest games that were found so far."""

    def __init__(
        self, number: int, fen: str, line: Sequence[Position], itself: int, reason: str = ""
    ) -> None:
        self.number = number
        self.fen = fen
        self.reason = reason
        self._itself = itself
        """The ordinal of this entry in the base; 0 if it is not there."""
        self._images: list[tuple[int, motions.Motion, Position]] = []
        """The ply, the motion, and the moved position of each comparison."""
        self._weights: list[int] = []
        """The weight of the position at each ply."""
        self._found: list[Near] = []
        self._line = line
        for ply, position in enumerate(line):
            self._weights.append(nearness.weight_of(position.squares))
            self._images += [(ply, motion, motion.position(position)) for motion in _motions(position)]

    def compare(self, part: _Part, top: int) -> None:
        """Compare the entry with the positions of a part, and keep the `top` nearest games."""
        best = nearness.Best(part.known)
        least = self._found[top - 1].score if len(self._found) >= top else 0.0
        for code, (ply, _, image) in enumerate(self._images):
            if self._weights[ply] < least * self._weights[0]:
                # No position can have a better score than the share of the men that are left.
                continue
            best.compare(image.squares, image.turn, most=self._weights[0], code=code)
        plies = np.array([ply for ply, _, _ in self._images] or [0], np.int64)[np.maximum(best.codes, 0)]
        places = best.places - part.known.starts[:-1]
        # The entry itself may be among the best.
        order = np.lexsort((part.numbers, places, plies, -best.scores))[: top + 1]
        for at in order.tolist():
            if best.codes[at] >= 0 and part.numbers[at] != self._itself:
                self._found.append(self._near(part, best, at))
        self._found.sort(key=lambda near: (-near.score, near.entry_ply, near.ply, near.game))
        del self._found[top:]

    def _near(self, part: _Part, best: nearness.Best, at: int) -> Near:
        ply, motion, image = self._images[int(best.codes[at])]
        place = int(best.places[at])
        board = part.known.boards[place].tobytes()
        names = geometry.names_of(motion)
        return Near(
            game=int(part.numbers[at]),
            score=int(best.scores[at]) / nearness.ONE,
            ply=place - int(part.known.starts[at]),
            entry_ply=ply,
            motion=motion,
            transform=words.bracketed(names),
            words=words.in_words(names),
            same=sum(
                man != men.EMPTY and man == other for man, other in zip(image.squares, board, strict=True)
            ),
            men=sum(man != men.EMPTY for man in image.squares),
            fen=_fen(board, int(part.known.turns[place])),
            entry_fen=self._line[ply].fen(),
        )

    def answer(self) -> Entry:
        """The entry with the nearest games."""
        return Entry(self.number, self.fen, tuple(self._found), self.reason)


def _motions(position: Position) -> Iterator[motions.Motion]:
    """The motions under which a position may be met, the simplest first."""
    pawns = position.men[men.WP] | position.men[men.BP]
    plain = [motions.Motion(symmetry) for symmetry in ((0, 2) if pawns else range(8))]
    swapped = [motions.Motion(symmetry, swapped=True) for symmetry in ((1, 6) if pawns else range(8))]
    occupied = [(square & 7, square >> 3) for square, man in enumerate(position.squares) if man]
    shifts: list[motions.Motion] = []
    for one in (*plain, *swapped):
        yield one
        points = [one.point(*point) for point in occupied]
        files = [x for x, _ in points] or [0]
        ranks = [y for _, y in points] or [0]
        for right in range(-min(files), 8 - max(files)):
            for up in (0,) if pawns else range(-min(ranks), 8 - max(ranks)):
                if right or up:
                    shifts.append(motions.Motion(one.symmetry, right, up, one.swapped))
    shifts.sort(key=lambda one: abs(one.right) + abs(one.up))
    yield from shifts


def _fen(board: bytes, turn: int) -> str:
    """The FEN of a board, without castling and en passant."""
    shown = Position()
    shown.squares[:] = board
    shown.turn = turn
    return f"{shown.placement()} {'b' if turn else 'w'} - - 0 1"


def headers(base: base_model.Base, found: Anticipations) -> dict[int, base_model.GameRow]:
    """The headers of all games of the base that are near to an entry, by ordinal."""
    wanted = sorted({near.game for entry in found.entries for near in entry.nearest})
    return {row.game: row for row in games.rows(base, wanted)}

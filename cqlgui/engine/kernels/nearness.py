"""Compares a board with all positions of the main lines of some games.

A man on a square is one number, its *place* (man code << 6 | square). For each place there is a list of the
positions that have this man on this square. A board is therefore compared only with the positions that share
a man with it.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from cqlgui.base.data import dataclass
from cqlgui.board import attacks, moves, position
from cqlgui.engine.replaying import games, layout, replay
from cqlgui.engine.replaying.games import Bytes as ByteArray
from cqlgui.engine.replaying.games import Integers
from cqlgui.jit import kernels
from cqlgui.jit.words import Bytes, Ints, Shorts, Words

UNIT: Final = kernels.Unit("nearness", [attacks, layout, moves, position, replay])

ONE: Final = 1 << 24
"""The score of two equal positions."""
WEIGHTS: Final = (0, 3, 2, 2, 2, 2, 4, 3, 2, 2, 2, 2, 4)
"""The weight of each man, by code. Kings and pawns count more, because a composition is known by them, while
other men are easily replaced or moved."""
TURN_WEIGHT: Final = 1
"""The weight of the side to move."""
_PLACES: Final = 13 << 6
_MOST_AT_ONCE: Final = 500
"""Number of games that are played in one call. A call cannot be interrupted."""


def weight_of(board: bytes | bytearray) -> int:
    """The weight of a position with these men, including the side to move."""
    return sum(WEIGHTS[man] for man in board) + TURN_WEIGHT


@dataclass(frozen=True, slots=True, eq=False)
class Positions:
    """The positions of the main lines of some games, one game after another. Game n has the positions from
    `starts[n]` on, up to `starts[n + 1]`."""

    starts: Integers
    boards: npt.NDArray[np.uint8]
    """The man codes, one row for each position."""
    turns: Integers
    weights: Integers
    """The weight of each position."""
    lightest: Integers
    """The least weight of a position in each game."""
    heads: Integers
    """For each place, the beginning of its list in `listed`. The next place's list begins at its end."""
    listed: Integers

    @classmethod
    def of(cls, asked: games.Games, numbers: Integers, room: Integers) -> Positions:
        """The positions of the games with these `numbers`. Each of them has at most as many positions as
        `room` says. A game that cannot be played has none."""
        begins = np.cumsum(room) - room
        boards = np.zeros(int(room.sum()) * 64, np.uint8)
        turns = np.zeros(int(room.sum()), np.int64)
        sizes = np.zeros(len(numbers), np.int64)
        write: Any = write_boards
        with games.workspace(asked.positions, 1, layout.LOCALS, planes=False) as work:
            for begin in range(0, len(numbers), _MOST_AT_ONCE):
                end = min(begin + _MOST_AT_ONCE, len(numbers))
                write(
                    asked.packed, asked.firsts, asked.counts, asked.starts, asked.start_records,
                    asked.start_boards, numbers, begin, end, begins, room, work.records, work.boards,
                    work.room, boards, turns, sizes,
                )  # fmt: skip
        used = np.arange(int(room.sum())) < np.repeat(begins + sizes, room)
        return cls._listed(boards.reshape(-1, 64)[used], turns[used], sizes)

    @classmethod
    def _listed(cls, boards: ByteArray, turns: Integers, sizes: Integers) -> Positions:
        rows, squares = np.nonzero(boards)
        places = boards[rows, squares].astype(np.uint16) << 6 | squares.astype(np.uint16)
        # A stable sort of 16-bit numbers is a radix sort.
        order = np.argsort(places, kind="stable")
        counts = np.bincount(places, minlength=_PLACES)
        weights = np.array(WEIGHTS, np.int64)[boards].sum(axis=1) + TURN_WEIGHT
        lightest = np.zeros(len(sizes), np.int64)
        played = np.flatnonzero(sizes)
        if len(played):
            lightest[played] = np.minimum.reduceat(weights, (np.cumsum(sizes) - sizes)[played])
        return cls(
            np.append(0, np.cumsum(sizes)),
            boards,
            turns,
            weights,
            lightest,
            np.append(0, np.cumsum(counts)),
            rows[order].astype(np.int64),
        )

    def __len__(self) -> int:
        return len(self.turns)

    @property
    def games(self) -> int:
        """The number of games."""
        return len(self.starts) - 1


class Best:
    """For each game of some `Positions`, the best score so far, the position that has it, and the code of
    the comparison that found it."""

    def __init__(self, positions: Positions) -> None:
        self._positions = positions
        self._sums = np.zeros(len(positions), np.int64)
        self.scores = np.zeros(positions.games, np.int64)
        self.places = np.zeros(positions.games, np.int64)
        self.codes = np.full(positions.games, -1, np.int64)

    def compare(self, board: bytes | bytearray, turn: int, *, most: int, code: int) -> None:
        """Compare a board with all positions.

        The score of a position is the share of the weight of both positions that stands on the same squares,
        a fraction of `ONE`. It is multiplied by the share of the weight `most` that the board has. A position
        without a common man has no score.
        """
        places = np.array([man << 6 | square for square, man in enumerate(board) if man], np.int64)
        weights = np.array(WEIGHTS, np.int64)[places >> 6]
        compare: Any = compare_board
        known = self._positions
        compare(
            places, weights, len(places), turn, weight_of(board), most, code, known.heads, known.listed,
            known.turns, known.weights, known.lightest, known.starts, known.games,
            self._sums, self.scores, self.places, self.codes,
        )  # fmt: skip


@UNIT.kernel
def write_boards(
    packed: Shorts,
    firsts: Ints,
    counts: Ints,
    starts: Ints,
    start_records: Words,
    start_boards: Bytes,
    numbers: Ints,
    begin: int,
    end: int,
    begins: Ints,
    most: Ints,
    records: Words,
    boards: Bytes,
    room: int,
    found: Bytes,
    turns: Ints,
    sizes: Ints,
) -> None:
    """Write the boards of the main lines of games `numbers[begin:end]` to `found`."""
    for at in range(begin, end):
        total = replay.game_laid_out(
            packed, firsts, counts, starts, start_records, start_boards, int(numbers[at]), False,
            int(most[at]), records, boards, room,
        )  # fmt: skip
        if total > most[at]:
            total = int(most[at])
        sizes[at] = total
        first = int(begins[at])
        for place in range(total):
            turns[first + place] = int(records[place * layout.SIZE + layout.TURN])
            for square in range(64):
                found[(first + place) * 64 + square] = boards[place * 64 + square]


@UNIT.kernel
def compare_board(
    places: Ints,
    weights: Ints,
    count: int,
    turn: int,
    own: int,
    most: int,
    code: int,
    heads: Ints,
    listed: Ints,
    turns: Ints,
    totals: Ints,
    lightest: Ints,
    starts: Ints,
    games_count: int,
    sums: Ints,
    scores: Ints,
    best: Ints,
    codes: Ints,
) -> None:
    """Compare a board with all positions, and note what is better than `scores`."""
    for at in range(starts[games_count]):
        sums[at] = TURN_WEIGHT if turns[at] == turn else 0
    for one in range(count):
        weight = int(weights[one])
        for at in range(heads[places[one]], heads[places[one] + 1]):
            sums[listed[at]] += weight
    for game in range(games_count):
        score = int(scores[game])
        # With this sum or a lower one no position of the game is better, not even the lightest. Nor is a
        # position better that shares no man with the board.
        least = score * (own + int(lightest[game])) * most // (2 * own * ONE)
        if least < TURN_WEIGHT:
            least = TURN_WEIGHT
        for at in range(starts[game], starts[game + 1]):
            if sums[at] > least:
                reached = 2 * int(sums[at]) * own * ONE // ((own + int(totals[at])) * most)
                if reached > score:
                    score = reached
                    scores[game] = score
                    best[game] = at
                    codes[game] = code

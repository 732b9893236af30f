"""Finds the squares of men at hits, and the squares where men arrive after hits. Each hit gets one bitboard.

Many hits are traced at once, so a main line is played on a board alone, without the records of a search. The
squares and men are those of the hit's frame: `images` has a row of 64 squares for each frame (64 stands for a
square off the board), and `swaps` tells whether the frame swaps the colours.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from cqlgui.base import priority
from cqlgui.board import attacks, moves, position
from cqlgui.engine.replaying import games, layout, replay
from cqlgui.engine.replaying.games import Integers
from cqlgui.jit import kernels, words
from cqlgui.jit.words import Bytes, Ints, Shorts, Words

UNIT: Final = kernels.Unit("tracing", [attacks, layout, moves, position, replay, words])

MEN, ARRIVALS, CAPTURES, LEAVING = 0, 1, 2, 3
"""What is marked: the squares of men at the hit, the squares where men arrive, where they capture, or which
they leave."""
PRESENT, CAPTURED, MOVED = 1, 2, 4
"""Bits of the fate of a man: it stands on its square at the hit, it is captured later, and it has moved. It
may have moved to a square that is not on the board of the frame."""
_BACK_WORD: Final = moves.BACK << 12
_MOST_AT_ONCE: Final = 20_000
"""Number of hits in one call. A call cannot be interrupted."""

Bitboards = npt.NDArray[np.uint64]


def squares_marked(
    asked: games.Games,
    hits: Integers,
    frames: Integers,
    images: Integers,
    swaps: Integers,
    what: int,
    wanted: int,
    depth: int,
    *,
    variations: bool,
) -> Bitboards:
    """For each hit (game << 32 | positionid) the squares that `what` marks, for the men in the mask `wanted`.
    Moves are those of the main continuation within `depth` plies. `frames` has the frame of each hit. All
    hits of a game must be consecutive."""
    found = np.zeros(len(hits), np.uint64)
    boards, line = np.zeros(128, np.uint8), np.zeros(max(depth, 1), np.int64)
    reached = np.zeros(1, np.int64)
    trace: Any = mark_squares
    with games.workspace(asked.positions if variations else 1, 1, layout.LOCALS, planes=False) as work:
        for begin in range(0, len(hits), _MOST_AT_ONCE):
            priority.pause()
            trace(
                asked.packed, asked.firsts, asked.counts, asked.starts, asked.start_records,
                asked.start_boards, hits, begin, min(begin + _MOST_AT_ONCE, len(hits)), frames, images, swaps,
                what, wanted, depth, variations, work.records, work.boards, work.room, reached, boards,
                boards[64:], line, found,
            )  # fmt: skip
    return found


def ways(
    asked: games.Games,
    hits: Integers,
    frames: Integers,
    images: Integers,
    swaps: Integers,
    origins: Integers,
    wanted: int,
    depth: int,
    *,
    variations: bool,
) -> tuple[Bitboards, npt.NDArray[np.uint8], Integers]:
    """The way of the man that stands on `origins[frame]` at each hit, if it is in the mask `wanted`: the
    squares where it arrives within `depth` plies, its fate (bits `PRESENT`, `CAPTURED`, `MOVED`), and for all
    hits together the number of moves from each square to each other one. An origin of 64 stands for no
    square."""
    found, fates = np.zeros(len(hits), np.uint64), np.zeros(len(hits), np.uint8)
    counts = np.zeros(64 * 64, np.int64)
    boards, line = np.zeros(128, np.uint8), np.zeros(max(depth, 1), np.int64)
    reached = np.zeros(1, np.int64)
    trace: Any = trace_ways
    with games.workspace(asked.positions if variations else 1, 1, layout.LOCALS, planes=False) as work:
        for begin in range(0, len(hits), _MOST_AT_ONCE):
            priority.pause()
            trace(
                asked.packed, asked.firsts, asked.counts, asked.starts, asked.start_records,
                asked.start_boards, hits, begin, min(begin + _MOST_AT_ONCE, len(hits)), frames, images, swaps,
                origins, wanted, depth, variations, work.records, work.boards, work.room, reached, boards,
                boards[64:], line, found, fates, counts,
            )  # fmt: skip
    return found, fates, counts.reshape(64, 64)


def moved(squares: Bitboards, frames: Integers, images: Integers) -> Bitboards:
    """Sets of squares as played, moved into the frame of each."""
    found = np.zeros(len(squares), np.uint64)
    move: Any = move_sets
    for begin in range(0, len(squares), _MOST_AT_ONCE):
        priority.pause()
        move(squares, begin, min(begin + _MOST_AT_ONCE, len(squares)), frames, images, found)
    return found


def counted(squares: Bitboards, hits: Integers) -> tuple[Integers, Integers]:
    """For each square the number of hits whose set has the square, and the number of games with such a hit.
    All hits of a game must be consecutive."""
    of_hits, of_games = np.zeros(64, np.int64), np.zeros(64, np.int64)
    count: Any = count_sets
    seen = np.zeros(2, np.uint64)
    for begin in range(0, len(squares), _MOST_AT_ONCE):
        priority.pause()
        count(squares, hits, begin, min(begin + _MOST_AT_ONCE, len(squares)), seen, of_hits, of_games)
    return of_hits, of_games


def _played(board: Bytes, move: int) -> None:
    """Play a move on a board alone."""
    start, goal, flag = move & 63, move >> 6 & 63, move >> 12
    if flag == moves.NULL:
        return
    man = board[start]
    board[start] = 0
    if flag == moves.CASTLE:
        rook = board[goal]
        board[goal] = 0
        board[moves.king_target(move)] = man
        board[moves.rook_target(move)] = rook
        return
    if flag == moves.EN_PASSANT:
        board[start & 56 | goal & 7] = 0
    board[goal] = man
    if flag >= moves.PROMOTE_N:
        board[goal] = flag - 2 + (6 if man > 6 else 0)


def _frame_man(man: int, swap: int) -> int:
    """A man in a frame. `swap` is 1 if the frame swaps the colours."""
    if man == 0 or swap == 0:
        return man
    return man + 6 if man < 7 else man - 6


def _approach(packed: Shorts, first: int, count: int, ply: int, place: int, board: Bytes) -> int:
    """Play the main line from `ply` on up to `place`, or to its end. Returns the ply that is reached."""
    while ply < place and ply < count and packed[first + ply] < _BACK_WORD:
        _played(board, int(packed[first + ply]))
        ply += 1
    return ply


def _next_moves(packed: Shorts, first: int, count: int, ply: int, depth: int, line: Ints) -> int:
    """Write the next `depth` moves of the main line to `line`. Returns their number."""
    length = 0
    while length < depth and ply + length < count and packed[first + ply + length] < _BACK_WORD:
        line[length] = int(packed[first + ply + length])
        length += 1
    return length


def _next_laid_out(records: Words, place: int, depth: int, line: Ints) -> int:
    """Write the next `depth` moves of the main continuation of a laid out position to `line`. Returns their
    number."""
    length = 0
    while length < depth:
        child = records[place * layout.SIZE + layout.CHILD]
        if child == layout.NONE:
            break
        place = int(child)
        line[length] = int(records[place * layout.SIZE + layout.MOVE])
        length += 1
    return length


def _taken_up(
    packed: Shorts,
    first: int,
    count: int,
    start: int,
    start_boards: Bytes,
    place: int,
    depth: int,
    variations: bool,
    total: int,
    records: Words,
    boards: Bytes,
    reached: Ints,
    board: Bytes,
    ahead: Bytes,
    line: Ints,
) -> int:
    """Put the men at a position into `ahead`, and its next moves into `line`. Returns the number of moves, or
    -1 if the game has no such position. A game with `variations` is laid out in `total` positions. The main
    line of any other game is played on `board`, which stands at the ply `reached[0]`."""
    if variations:
        if place >= total:
            return -1
        replay.copy_board(boards[place * 64 :], ahead)
        return _next_laid_out(records, place, depth, line)
    if start < 0:
        return -1
    if reached[0] > place:
        reached[0] = 0
        replay.copy_board(start_boards[start * 64 :], board)
    reached[0] = _approach(packed, first, count, int(reached[0]), place, board)
    if reached[0] != place:
        return -1
    replay.copy_board(board, ahead)
    return _next_moves(packed, first, count, place, depth, line)


_NOWHERE: Final = 1 << 32
"""A ply behind every position: the board must be set up first."""


@UNIT.kernel
def mark_squares(
    packed: Shorts,
    firsts: Ints,
    counts: Ints,
    starts: Ints,
    start_records: Words,
    start_boards: Bytes,
    hits: Ints,
    begin: int,
    end: int,
    frames: Ints,
    images: Ints,
    swaps: Ints,
    what: int,
    wanted: int,
    depth: int,
    variations: bool,
    records: Words,
    boards: Bytes,
    room: int,
    reached: Ints,
    board: Bytes,
    ahead: Bytes,
    line: Ints,
    found: Words,
) -> None:
    """Write the marked squares of `hits[begin:end]` to `found`."""
    at = begin
    while at < end:
        game = int(hits[at] >> 32)
        total = 0
        reached[0] = _NOWHERE
        if variations:
            total = replay.game_laid_out(
                packed, firsts, counts, starts, start_records, start_boards, game, True, 0, records,
                boards, room,
            )  # fmt: skip
        while at < end and hits[at] >> 32 == game:
            place = int(hits[at] & 0xFFFFFFFF)
            frame = int(frames[at])
            swap = int(swaps[frame])
            length = _taken_up(
                packed, int(firsts[game]), int(counts[game]), int(starts[game]), start_boards, place, depth,
                variations, total, records, boards, reached, board, ahead, line,
            )  # fmt: skip
            marked = words.word(0)
            if length >= 0 and what == MEN:
                for square in range(64):
                    if wanted >> _frame_man(int(ahead[square]), swap) & 1 != 0:
                        image = int(images[frame * 64 + square])
                        if image < 64:
                            marked |= words.word(1 << image)
            else:
                for step in range(length):
                    move = int(line[step])
                    flag = move >> 12
                    start, goal = move & 63, move >> 6 & 63
                    castles = flag == moves.CASTLE
                    if flag != moves.NULL and wanted >> _frame_man(int(ahead[start]), swap) & 1 != 0:
                        takes = not castles and (ahead[goal] != 0 or flag == moves.EN_PASSANT)
                        if what != CAPTURES or takes:
                            there = moves.king_target(move) if castles else goal
                            image = int(images[frame * 64 + (start if what == LEAVING else there)])
                            if image < 64:
                                marked |= words.word(1 << image)
                    rook = _frame_man(int(ahead[goal]), swap)
                    if castles and what == ARRIVALS and wanted >> rook & 1 != 0:
                        image = int(images[frame * 64 + moves.rook_target(move)])
                        if image < 64:
                            marked |= words.word(1 << image)
                    _played(ahead, move)
            found[at] = marked
            at += 1


@UNIT.kernel
def trace_ways(
    packed: Shorts,
    firsts: Ints,
    counts: Ints,
    starts: Ints,
    start_records: Words,
    start_boards: Bytes,
    hits: Ints,
    begin: int,
    end: int,
    frames: Ints,
    images: Ints,
    swaps: Ints,
    origins: Ints,
    wanted: int,
    depth: int,
    variations: bool,
    records: Words,
    boards: Bytes,
    room: int,
    reached: Ints,
    board: Bytes,
    ahead: Bytes,
    line: Ints,
    found: Words,
    fates: Bytes,
    steps: Ints,
) -> None:
    """Write the squares and fates of one man of each of `hits[begin:end]`, and add its moves to `steps`."""
    at = begin
    while at < end:
        game = int(hits[at] >> 32)
        total = 0
        reached[0] = _NOWHERE
        if variations:
            total = replay.game_laid_out(
                packed, firsts, counts, starts, start_records, start_boards, game, True, 0, records,
                boards, room,
            )  # fmt: skip
        while at < end and hits[at] >> 32 == game:
            place = int(hits[at] & 0xFFFFFFFF)
            frame = int(frames[at])
            here = int(origins[frame])
            length = _taken_up(
                packed, int(firsts[game]), int(counts[game]), int(starts[game]), start_boards, place, depth,
                variations, total, records, boards, reached, board, ahead, line,
            )  # fmt: skip
            marked = words.word(0)
            fate = 0
            if length >= 0 and here < 64:
                man = _frame_man(int(ahead[here]), int(swaps[frame]))
                fate = PRESENT if man != 0 and wanted >> man & 1 != 0 else 0
            if fate != 0:
                for step in range(length):
                    move = int(line[step])
                    flag = move >> 12
                    start, goal = move & 63, move >> 6 & 63
                    then = here
                    if flag == moves.CASTLE:
                        if start == here:
                            then = moves.king_target(move)
                        elif goal == here:
                            then = moves.rook_target(move)
                    elif flag != moves.NULL:
                        if start == here:
                            then = goal
                        elif goal == here or (flag == moves.EN_PASSANT and start & 56 | goal & 7 == here):
                            fate |= CAPTURED
                            break
                    if then != here:
                        fate |= MOVED
                        one, other = int(images[frame * 64 + here]), int(images[frame * 64 + then])
                        if other < 64:
                            marked |= words.word(1 << other)
                            if one < 64:
                                steps[one * 64 + other] += 1
                        here = then
            found[at] = marked
            fates[at] = fate
            at += 1


@UNIT.kernel
def move_sets(squares: Words, begin: int, end: int, frames: Ints, images: Ints, found: Words) -> None:
    """Write the images of `squares[begin:end]` to `found`."""
    for at in range(begin, end):
        left = squares[at]
        marked = words.word(0)
        while left != 0:
            image = int(images[frames[at] * 64 + words.lowest(left)])
            if image < 64:
                marked |= words.word(1 << image)
            left &= left - 1
        found[at] = marked


@UNIT.kernel
def count_sets(
    squares: Words, hits: Ints, begin: int, end: int, seen: Words, of_hits: Ints, of_games: Ints
) -> None:
    """Add the squares of `squares[begin:end]` to the counts. `seen` has the squares that were met in the game
    of the last hit, from call to call."""
    for at in range(begin, end):
        if at > 0 and hits[at] >> 32 != hits[at - 1] >> 32:
            seen[0] = words.word(0)
        left = squares[at]
        fresh = left & ~seen[0]
        seen[0] = seen[0] | left
        while left != 0:
            of_hits[words.lowest(left)] += 1
            left &= left - 1
        while fresh != 0:
            of_games[words.lowest(fresh)] += 1
            fresh &= fresh - 1

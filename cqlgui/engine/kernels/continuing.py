"""Names the moves that follow hits, and counts them.

A move is named as in SAN, but without the origin that SAN adds if two men can make the move, and without the
signs of check and mate. The name is one small number, so that tables of all names are small. This module has
the numbers only; it makes no texts.
"""

from __future__ import annotations

from typing import Final

from cqlgui.board import attacks, moves, position
from cqlgui.engine.replaying import layout, replay
from cqlgui.jit import kernels, words
from cqlgui.jit.words import Bytes, Halves, Ints, Shorts, Words

UNIT: Final = kernels.Unit("continuing", [attacks, layout, moves, position, replay])

OFF: Final = 64
"""Stands for a square outside the board."""
TARGETS: Final = 65
"""A name is `form * TARGETS + target`. The target may be `OFF`. The target of castling and of a null move is
0. The lowest bit of a form is the side that moves: 0 White, 1 Black."""
PAWN: Final = 20
"""The forms below this one are moves of other men: `((kind - 2) * 2 + takes) * 2 + side`, where `kind` is 2
for a knight and 6 for a king. The form of a pawn's move is `PAWN + (becomes * FILES + origin) * 2 + side`.
`becomes` is the kind of the new man less 1, or 0. `origin` is 0 unless the pawn takes. Then it is the file of
the pawn from 1 to 8, or 9 if the pawn stood outside the board."""
FILES: Final = 10
CASTLES: Final = 120
"""The form of castling is `CASTLES + long * 2 + side`, that of a null move `NULL + side`."""
NULL: Final = 124
END: Final = 126 * TARGETS
"""Stands for a move after the end of a game. All names are below it."""

IMAGES: Final = 65
"""The number of bytes of a frame: the images of the 64 squares, then whether the frame swaps the colours."""

WIDTH: Final = 8
"""The number of words for each name in the table of `tally`. `ROOM` is the number of names, with `END`."""
ROOM: Final = END + 1
COUNT, WINS, DRAWS, LOSSES, RATINGS, RATED, YEAR, EXAMPLE = range(8)
"""The words of a name. The wins are those of White in the frame. `RATINGS` is the sum of `Facts.ratings` over
`RATED` hits. `EXAMPLE` is `FIRST` less the number of the first line, plus `OTHER` if it has the moves of the
path in another order."""
FIRST: Final = 1 << 42
OTHER: Final = 1 << 41

_BACK_WORD: Final = moves.BACK << 12


@words.inlined
def name(word: int, man: int, taken: int, side: int, images: Bytes, frame: int) -> int:
    """The name of a move in a frame. `man` and `taken` stand on the origin and on the target."""
    start = word & 63
    goal = word >> 6 & 63
    flag = word >> 12
    first = frame * IMAGES
    seen = side ^ int(images[first + 64])
    if flag == moves.NULL:
        return (NULL + seen) * TARGETS
    if flag == moves.CASTLE:
        # Castling is named as it was played, because the rules of chess need not hold in the frame.
        return (CASTLES + (2 if goal < start else 0) + seen) * TARGETS
    target = int(images[first + goal])
    kind = man - 6 if man > 6 else man
    takes = 1 if taken != 0 or flag == moves.EN_PASSANT else 0
    if kind != 1:
        return (((kind - 2) * 2 + takes) * 2 + seen) * TARGETS + target
    origin = 0
    if takes != 0:
        image = int(images[first + start])
        origin = 9 if image == OFF else (image & 7) + 1
    becomes = flag - 3 if flag >= moves.PROMOTE_N else 0
    return (PAWN + (becomes * FILES + origin) * 2 + seen) * TARGETS + target


@words.inlined
def play(board: Bytes, word: int, man: int) -> None:
    """Make a move of `man` on a board of man codes."""
    start = word & 63
    goal = word >> 6 & 63
    flag = word >> 12
    if flag == moves.NULL:
        return
    if flag == moves.CASTLE:
        rook = int(board[goal])
        board[start] = 0
        board[goal] = 0
        rank = start & 56
        board[rank | (6 if goal > start else 2)] = man
        board[rank | (5 if goal > start else 3)] = rook
        return
    board[start] = 0
    if flag == moves.EN_PASSANT:
        board[start & 56 | goal & 7] = 0
    board[goal] = flag - 2 + (6 if man > 6 else 0) if flag >= moves.PROMOTE_N else man


@UNIT.kernel
def write_lines(
    packed: Shorts,
    firsts: Ints,
    counts: Ints,
    branching: Bytes,
    starts: Ints,
    start_records: Words,
    start_boards: Bytes,
    hits: Ints,
    count: int,
    numbers: Shorts,
    images: Bytes,
    least: int,
    depth: int,
    variations: bool,
    records: Words,
    boards: Bytes,
    room: int,
    found: Shorts,
) -> None:
    """Write the names of the moves after `count` hits from ply `least` to ply `depth` - 1 of each line. The
    hits must be ascending. The name at ply p of hit n is `found[p * count + n]`. Names after the end of a
    game are not written. Hit n has the frame `numbers[n]`. Only games with variations need `records`
    and more than one board."""
    at = 0
    while at < count:
        game = int(hits[at] >> 32)
        stop = at + 1
        while stop < count and hits[stop] >> 32 == game:
            stop += 1
        start = int(starts[game])
        if start >= 0:
            if variations and branching[game] != 0:
                size = replay.game_laid_out(
                    packed, firsts, counts, starts, start_records, start_boards, game, True, 0, records,
                    boards, room,
                )  # fmt: skip
                for hit in range(at, stop):
                    place = int(hits[hit] & 0xFFFFFFFF)
                    ply = 0
                    while place < size and ply < depth:
                        child = records[place * layout.SIZE + layout.CHILD]
                        if child == layout.NONE:
                            break
                        word = int(records[int(child) * layout.SIZE + layout.MOVE])
                        if ply >= least:
                            found[ply * count + hit] = name(
                                word,
                                int(boards[place * 64 + (word & 63)]),
                                int(boards[place * 64 + (word >> 6 & 63)]),
                                int(records[place * layout.SIZE + layout.TURN]),
                                images,
                                int(numbers[hit]),
                            )
                        place = int(child)
                        ply += 1
            else:
                for square in range(64):
                    boards[square] = start_boards[start * 64 + square]
                side = int(start_records[start * layout.SIZE + layout.TURN])
                first = int(firsts[game])
                last = min(int(counts[game]), int(hits[stop - 1] & 0xFFFFFFFF) + depth)
                # The hits from `low` to `high` - 1 are those whose lines contain the move.
                low = at
                high = at
                for place in range(last):
                    word = int(packed[first + place])
                    man = int(boards[word & 63])
                    if word >= _BACK_WORD or (man == 0 and word >> 12 != moves.NULL):
                        break
                    while high < stop and int(hits[high] & 0xFFFFFFFF) <= place:
                        high += 1
                    while low < high and int(hits[low] & 0xFFFFFFFF) + depth <= place:
                        low += 1
                    if low < high:
                        taken = int(boards[word >> 6 & 63])
                        for hit in range(low, high):
                            ply = place - int(hits[hit] & 0xFFFFFFFF)
                            if ply >= least:
                                found[ply * count + hit] = name(
                                    word, man, taken, side, images, int(numbers[hit])
                                )
                    play(boards, word, man)
                    side ^= 1
        at = stop


def _reaches(lines: Shorts, count: int, line: int, path: Ints, plies: int) -> int:
    """2 if a line begins with the moves of a path, 1 if it begins with them in another order, else 0. Each
    side's moves stay with that side."""
    ply = 0
    while ply < plies and int(lines[ply * count + line]) == path[ply]:
        ply += 1
    if ply == plies:
        return 2
    met = 0
    for ply in range(plies):
        move = int(lines[ply * count + line])
        other = ply & 1
        while other < plies and (met >> other & 1 != 0 or path[other] != move):
            other += 2
        if other >= plies:
            return 0
        met |= int(words.word(1 << other))
    return 1


@UNIT.kernel
def find_lines(lines: Shorts, count: int, path: Ints, plies: int, found: Bytes) -> None:
    """Write for each of `count` lines whether it reaches a path: 2 with its moves in order, 1 with its moves
    in another order, else 0. Ply p of line n is `lines[p * count + n]`."""
    for line in range(count):
        found[line] = _reaches(lines, count, line, path, plies)


@UNIT.kernel
def tally(
    lines: Shorts,
    count: int,
    listed: bool,
    chosen: Ints,
    end: int,
    path: Ints,
    plies: int,
    hits: Ints,
    shift: int,
    scores: Bytes,
    ratings: Halves,
    years: Shorts,
    swaps: bool,
    swapped: Bytes,
    table: Ints,
) -> int:
    """Count the moves at ply `plies` of some of `count` lines in `table`. The lines are `chosen[:end]` if
    `listed`. Otherwise they are those before `end` that reach the path. `shift` is added to the number of a
    line that becomes an example. Returns how many lines reach the path with its moves in another order."""
    others = 0
    for place in range(end):
        line = int(chosen[place]) if listed else place
        reached = 2 if listed else _reaches(lines, count, line, path, plies)
        if reached == 0:
            continue
        others += 2 - reached
        game = int(hits[line] >> 32)
        at = int(lines[plies * count + line]) * WIDTH
        table[at + COUNT] += 1
        score = int(scores[game])
        if score < 3:
            if swaps and swapped[line] != 0:
                score = 2 - score
            table[at + LOSSES - score] += 1
        rating = int(ratings[game])
        if rating != 0:
            table[at + RATINGS] += rating
            table[at + RATED] += 1
        table[at + YEAR] = max(table[at + YEAR], int(years[game]))
        table[at + EXAMPLE] = max(table[at + EXAMPLE], FIRST - shift - line - (0 if reached == 2 else OTHER))
    return others

"""Writes comments into the texts of clean games, and finds the comments and glyphs of clean games. The module
is compiled to machine code.

A game is clean if `kernel` has read the game without a fault. This module therefore checks nothing again. The
place of a position is after the move that leads to the position, and after the glyphs and comments of this
move. `reader.anchors` finds the same places.
"""

from __future__ import annotations

from typing import Final

from cqlgui.jit import kernels, words
from cqlgui.jit.words import Bytes, Halves, Ints
from cqlgui.pgn import kernel

UNIT: Final = kernels.Unit("pgn-places", [kernel])

LEFT: Final = 0
PLAIN: Final = 1
BRANCHING: Final = 2
"""Kinds of games: left to the caller, clean without variations, clean with variations."""

SCRATCH_HALVES: Final = 4 * kernel.NODES
SCRATCH_INTS: Final = 3 * kernel.NODES

_CHILD: Final = kernel.NODES
_SIBLING: Final = 2 * kernel.NODES
_NODE_OF: Final = 3 * kernel.NODES
"""Where three arrays begin in `nodes`. The parents of the nodes stand before these arrays. Nodes are numbered
in the order of the text."""
_SORTED: Final = kernel.NODES
_NOTES: Final = 2 * kernel.NODES
"""Where two arrays begin in `places`. The places of the nodes stand before these arrays. `_SORTED`: the
places of the game's comments in ascending order. `_NOTES`: the numbers of these comments."""


@UNIT.kernel
def insert(
    data: Bytes,
    begins: Ints,
    ends: Ints,
    kinds: Bytes,
    begin: int,
    end: int,
    firsts: Ints,
    ids: Ints,
    starts: Ints,
    lengths: Ints,
    pool: Bytes,
    nodes: Halves,
    places: Ints,
    out: Bytes,
    capacity: int,
    written: Ints,
) -> int:
    """Write the games `begin` to `end` - 1 to `out`, with comments. Returns the game to continue with: `end`,
    or an earlier game if `out` is full.

    The text of game g is `data[begins[g]:ends[g]]`; `kinds[g]` is `LEFT`, `PLAIN` or `BRANCHING`. Line ends
    around a game are left out. The comments of game g have the numbers `firsts[g]` to `firsts[g + 1]` - 1.
    For each comment, `ids` has the positionid; `starts` and `lengths` say where the text with its braces
    stands in `pool`. Comments at positions that a game does not have are left out. `written[2 * g]` and
    `written[2 * g + 1]` receive the begin and the end of the game in `out`. Both are -1 if the caller must
    write the game. If a game with tags follows a game in `out`, a blank line separates the games.

    `nodes` and `places` have `SCRATCH_HALVES` and `SCRATCH_INTS` elements.
    """
    at = 0
    follows = False
    for game in range(begin, end):
        first = int(firsts[game])
        last = int(firsts[game + 1])
        start = int(begins[game])
        stop = int(ends[game])
        while start < stop and (data[start] == 10 or data[start] == 13):
            start += 1
        while start < stop and (data[stop - 1] == 10 or data[stop - 1] == 13):
            stop -= 1
        size = stop - start + 2
        for note in range(first, last):
            size += int(lengths[note]) + 2
        if at + size > capacity:
            return game
        written[2 * game] = -1
        written[2 * game + 1] = -1
        count = 0
        if kinds[game] == LEFT or last - first > kernel.NODES:
            count = -1
        elif last > first:
            count = _find_places(data, start, stop, nodes, places, places, 0)
        if count < 0:
            follows = False
            continue
        if follows and data[start] == 91:
            out[at] = 10
            out[at + 1] = 10
            at += 2
        variations = kinds[game] == BRANCHING
        if variations and last > first:
            _number(count, nodes)
        noted = 0
        for note in range(first, last):
            if ids[note] > count:
                continue
            node = int(ids[note])
            if variations:
                node = int(nodes[_NODE_OF + node])
            put = noted
            while put > 0 and places[_SORTED + put - 1] > places[node]:
                places[_SORTED + put] = places[_SORTED + put - 1]
                places[_NOTES + put] = places[_NOTES + put - 1]
                put -= 1
            places[_SORTED + put] = places[node]
            places[_NOTES + put] = note
            noted += 1
        written[2 * game] = at
        done = start
        for number in range(noted):
            note = int(places[_NOTES + number])
            place = int(places[_SORTED + number])
            at = _copied(data, done, place, out, at)
            if place > start and data[place - 1] > 32:
                out[at] = 32
                at += 1
            at = _copied(pool, int(starts[note]), int(starts[note] + lengths[note]), out, at)
            if place >= stop or (data[place] > 32 and data[place] != 41):
                out[at] = 32
                at += 1
            done = place
        at = _copied(data, done, stop, out, at)
        written[2 * game + 1] = at
        follows = True
    return end


MARK_SIZE: Final = 4
"""The number of integers in a mark (`find_marks`)."""
COMMENT: Final = -1
"""The kind of a mark that is a comment. The kind of a glyph is its number (PGN standard 10)."""
LEFT_GAME: Final = -1
"""The number of marks of a game that is left to the caller."""
_TOO_MANY: Final = -2


@UNIT.kernel
def find_marks(
    data: Bytes,
    begins: Ints,
    ends: Ints,
    kinds: Bytes,
    begin: int,
    end: int,
    nodes: Halves,
    places: Ints,
    marks: Ints,
    room: int,
    counts: Ints,
) -> int:
    """Find the comments and glyphs of the games `begin` to `end` - 1. Returns the game to continue with:
    `end`, or an earlier game if `marks` is full.

    The text of game g is `data[begins[g]:ends[g]]`; `kinds[g]` is `LEFT`, `PLAIN` or `BRANCHING`. `counts[g]`
    receives the number of marks of game g, or `LEFT_GAME`. The marks of a game stand in the order of the
    text, one game after another. A mark has the positionid, the kind, and the place and the length of the
    comment's text in `data`. `marks` has room for `room` integers. The last `MARK_SIZE` integers are for
    internal use. Comments before the first move of a variation belong to no position and are left out.

    `nodes` and `places` have `SCRATCH_HALVES` and `SCRATCH_INTS` elements.
    """
    first = 0
    for game in range(begin, end):
        counts[game] = LEFT_GAME
        if kinds[game] == LEFT:
            continue
        room_left = room - first - MARK_SIZE
        if room_left <= 0:
            return game
        count = _find_places(
            data, int(begins[game]), int(ends[game]), nodes, places, marks[first:], room_left
        )
        if count == _TOO_MANY:
            return game
        if count < 0:
            continue
        found = int(marks[first + room_left])
        if kinds[game] == BRANCHING:
            _number(count, nodes)
            # The list of children is not needed any more. It receives the positionid of each node.
            for number in range(count + 1):
                nodes[_CHILD + int(nodes[_NODE_OF + number])] = number
            for at in range(first, first + found, MARK_SIZE):
                marks[at] = nodes[_CHILD + marks[at]]
        counts[game] = found // MARK_SIZE
        first += found
    return end


@words.inlined
def _copied(source: Bytes, begin: int, end: int, out: Bytes, at: int) -> int:
    """Append bytes to `out`; returns the new end."""
    for place in range(begin, end):
        out[at + place - begin] = source[place]
    return at + end - begin


def _find_places(
    data: Bytes, begin: int, end: int, nodes: Halves, places: Ints, marks: Ints, room: int
) -> int:
    """Find the parent and the place of each node of the game in `data[begin:end]`. Returns the number of
    moves. Returns -1 for a game with `;` comments or `%` lines; the caller must write this game. The result
    is also -1 if the text is no clean game after all, because the file has just changed.

    If `room` is not 0, the marks of the game are written to the first `room` integers of `marks`
    (`find_marks`). A mark has a node instead of a positionid. The number of integers written is stored at
    `marks[room]`. Returns `_TOO_MANY` if `room` is too small."""
    position = begin
    marked = 0
    if room > 0:
        marks[room] = 0
    # Skip the tags.
    while True:
        while position < end and _BLANKS[data[position]]:
            position += 1
        if position >= end or data[position] != 91:
            break
        while position < end and data[position] != 10:
            position += 1
    places[0] = position
    nodes[0] = 0
    node = 0
    before = 0
    count = 0
    depth = 0
    fresh = True
    # Whether comments were read that belong to the next move.
    waiting = False
    while position < end:
        if room > 0:
            if marked + MARK_SIZE > room:
                return _TOO_MANY
            marks[room] = marked
        byte = int(data[position])
        if byte == 32 or 9 <= byte <= 13:
            position += 1
        elif 48 <= byte <= 57:
            while position < end and _DIGITS[data[position]]:
                position += 1
            if position >= end or data[position] != 46:
                # The number is the beginning of the result.
                return count
            while position < end and (data[position] == 46 or data[position] == 32 or data[position] == 9):
                position += 1
        elif byte == 123:
            start = position + 1
            while position < end and data[position] != 125:
                position += 1
            position += 1
            if depth == 0 or not fresh:
                places[node] = position
                if room > 0:
                    marked = _marked(marks, marked, node, COMMENT, start, position - 1 - start)
            else:
                waiting = True
        elif byte == 36:
            position += 1
            # `kernel` refuses numbers above 255.
            number = 0
            while position < end and _DIGITS[data[position]]:
                number = number * 10 + int(data[position]) - 48
                position += 1
            if room > 0 and (depth == 0 or not fresh):
                marked = _marked(marks, marked, node, number, 0, 0)
            if node != 0 and (depth == 0 or not fresh):
                places[node] = position
        elif byte == 33 or byte == 63:
            start = position
            while position < end and (data[position] == 33 or data[position] == 63):
                position += 1
            if room > 0 and (node != 0 or not fresh):
                marked = _marked(marks, marked, node, _glyph(data, start, position), 0, 0)
            if node != 0 or not fresh:
                places[node] = position
        elif byte == 40:
            # `kernel` refuses a game if its variations are too deep for this array.
            if 2 * depth + 2 > kernel.NODES:
                return -1
            places[_SORTED + 2 * depth] = node
            places[_SORTED + 2 * depth + 1] = before
            depth += 1
            node = before
            fresh = True
            position += 1
        elif byte == 41:
            depth -= 1
            if depth < 0:
                return -1
            if waiting and room > 0:
                # The variation has no moves, so its comments belong to the move before.
                return -1
            node = int(places[_SORTED + 2 * depth])
            before = int(places[_SORTED + 2 * depth + 1])
            fresh = False
            position += 1
        elif byte == 42:
            return count
        elif byte == 59 or byte == 37 or count + 1 >= kernel.NODES:
            return -1
        else:
            while position < end and not _ENDING[data[position]]:
                position += 1
            count += 1
            nodes[count] = node
            before = node
            node = count
            fresh = False
            waiting = False
            places[node] = position
    return -1


@words.inlined
def _marked(marks: Ints, at: int, node: int, kind: int, start: int, length: int) -> int:
    """Append a mark. Returns the new number of integers."""
    marks[at] = node
    marks[at + 1] = kind
    marks[at + 2] = start
    marks[at + 3] = length
    return at + MARK_SIZE


def _glyph(data: Bytes, start: int, end: int) -> int:
    """The number of a glyph that is written as one or two signs (PGN standard 8.2.3.8): `! ? !! ?? !? ?!` are
    1 to 6."""
    doubtful = data[start] == 63
    if end - start == 1:
        return 2 if doubtful else 1
    if data[start + 1] == data[start]:
        return 4 if doubtful else 3
    return 6 if doubtful else 5


_BLANKS = tuple(int(byte == 32 or 9 <= byte <= 13) for byte in range(256))
_DIGITS = tuple(int(48 <= byte <= 57) for byte in range(256))
_ENDING = tuple(int(chr(byte) in " \t\n\r{()!?$;\0") for byte in range(256))
"""The characters that may follow a move."""


def _number(count: int, nodes: Halves) -> None:
    """Find the node of each positionid. The positionids are the numbers of the nodes in preorder. The
    children of a node keep the order of the text."""
    for node in range(count + 1):
        nodes[_CHILD + node] = 0
        nodes[_SIBLING + node] = 0
    # The nodes are added from the last to the first, so that each list of siblings is in order at the end.
    for node in range(count, 0, -1):
        parent = int(nodes[node])
        nodes[_SIBLING + node] = nodes[_CHILD + parent]
        nodes[_CHILD + parent] = node
    nodes[_NODE_OF] = 0
    node = int(nodes[_CHILD])
    number = 1
    while node != 0:
        nodes[_NODE_OF + number] = node
        number += 1
        if nodes[_CHILD + node] != 0:
            node = int(nodes[_CHILD + node])
            continue
        while node != 0 and nodes[_SIBLING + node] == 0:
            node = int(nodes[node])
        if node != 0:
            node = int(nodes[_SIBLING + node])

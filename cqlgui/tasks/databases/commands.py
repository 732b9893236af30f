"""The numbers of commands (`[%clk 0:03:00]`) in the texts of a segment's games, read once and kept in a file
beside the segment.

The comments of clean games are read in machine code, by the rules of `cql.source.commands`. The reader reads
all other games.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from cqlgui.base import arrays, priority
from cqlgui.cql.source import commands as rules
from cqlgui.jit import kernels
from cqlgui.jit.words import Bytes, Ints
from cqlgui.pgn import kernel_places
from cqlgui.store import commands, segments, side_files
from cqlgui.tasks.databases import beside, hosts, remarks
from cqlgui.tasks.results import base_model

UNIT: Final = kernels.Unit("commands", [rules])


def of_segment(source: base_model.Source, first: int) -> commands.Commands:
    """The numbers of a source's segment that begins with the game `first`, in columns in the order of
    `rules.KEYS`. Raises `errors.SourceError` if the source no longer holds the text that was indexed."""
    return KEPT.of_segment(source, first)


def _made(opened: hosts.SourceReader, first: int, segment: segments.Segment) -> commands.Commands:
    ordinals = np.arange(first, first + segment.games)
    # Only games with comments are read.
    asked = ordinals[opened.index.rows(ordinals)["flags"] & segments.COMMENTS != 0]
    texts = opened.texts(asked)

    def read(game: int) -> dict[int, str]:
        return opened.read(int(asked[game])).comments

    return find(
        texts.data, texts.begins, texts.ends, remarks.kinds_of(texts), read, asked - first, segment.games
    )


KEPT: Final = beside.Beside(side_files.COMMANDS, 1, _made, commands.Commands.unpacked)
"""The numbers of the segments used last."""


def find(
    data: bytes,
    begins: commands.Integers,
    ends: commands.Integers,
    kinds: Any,
    read: Callable[[int], dict[int, str]],
    numbers: commands.Integers,
    count: int,
) -> commands.Commands:
    """The numbers of several games among `count` games. The text of game g is `data[begins[g]:ends[g]]`,
    `kinds[g]` is its kind (`kernel_places`), and `numbers[g]` is its place among the `count` games. A game
    that is not `LEFT` must be in UTF-8. `read` returns the comments of a game that is left to the caller, by
    positionid."""
    rows = [np.zeros((0, _WIDTH), np.int64)]
    whole: Any = np.frombuffer(data or b"\0", np.uint8)
    kernel: Any = read_commands
    for first, counts, marks in remarks.marks_of(data, begins, ends, kinds):
        priority.pause()
        found: Any = np.empty((len(marks), _WIDTH), np.int64)
        kernel(whole, marks.reshape(-1), len(marks), commands.NO_NUMBER, found.reshape(-1))
        sizes = np.maximum(counts, 0)
        games = np.repeat(np.arange(first, first + len(counts)), sizes)
        found[:, _GAME] = numbers[games]
        # A command may go on in the next comment at the position. Such a game is left to the reader.
        torn = arrays.distinct(games[found[:, _TORN] != 0])
        rows.append(found[~np.isin(games, torn)])
        left = [*torn.tolist(), *(first + np.flatnonzero(counts == kernel_places.LEFT_GAME)).tolist()]
        rows += [_of_comments(int(numbers[game]), read(game)) for game in left]
    table = np.concatenate(rows)
    columns = [table[:, _NUMBERS + place] for place in range(len(rules.KEYS))]
    return commands.Commands.of(count, table[:, _GAME], table[:, _ID], columns)


def _of_comments(game: int, comments: dict[int, str]) -> commands.Integers:
    """The rows of a game."""
    priority.pause()
    rows = []
    for place, text in comments.items():
        values = (rules.value(text, key) for key in rules.KEYS)
        rows.append([game, place, 0, *(commands.NO_NUMBER if one is None else one for one in values)])
    return np.array(rows, np.int64).reshape(-1, _WIDTH)


_GAME: Final = 0
_ID: Final = 1
_TORN: Final = 2
_NUMBERS: Final = 3
_WIDTH: Final = 6
"""The columns of a row: the game, the positionid, whether a command is torn, and the numbers."""


# --- in machine code ----------------------------------------------------------------------------------------


@UNIT.kernel
def read_commands(data: Bytes, marks: Ints, count: int, missing: int, rows: Ints) -> None:
    """Read the comments among `count` marks (`kernel_places.find_marks`). Each mark gets a row: its
    positionid, 1 if the comment ends within a command, and for each key the number of the last readable
    command, or `missing`."""
    for mark in range(count):
        row = mark * _WIDTH
        rows[row + _GAME] = 0
        rows[row + _ID] = marks[mark * kernel_places.MARK_SIZE]
        rows[row + _TORN] = 0
        for key in range(3):
            rows[row + _NUMBERS + key] = missing
        if marks[mark * kernel_places.MARK_SIZE + 1] != kernel_places.COMMENT:
            continue
        at = int(marks[mark * kernel_places.MARK_SIZE + 2])
        end = at + int(marks[mark * kernel_places.MARK_SIZE + 3])
        while at < end:
            if data[at] == 91:
                after = _command(data, at + 1, end, missing, rows[row:])
                if after > end:
                    rows[row + _TORN] = 1
                    after = at + 1
                at = after
            else:
                at += 1


def _command(data: Bytes, at: int, end: int, missing: int, row: Ints) -> int:
    """Read a command behind its `[`. Returns the place behind the command, `at` if there is no command, and
    `end` + 1 if the text ends within the command."""
    start = at
    at = _after_blanks(data, at, end)
    if at >= end:
        return end + 1
    if data[at] != 37:
        return start
    if at + 4 > end:
        return end + 1
    key = -1
    if data[at + 1] == 99 and data[at + 2] == 108 and data[at + 3] == 107:
        key = 0
    elif data[at + 1] == 101 and data[at + 2] == 109 and data[at + 3] == 116:
        key = 1
    elif data[at + 1] == 101 and data[at + 2] == 118 and data[at + 3] == 97:
        if at + 5 > end:
            return end + 1
        if data[at + 4] == 108:
            key = 2
            at += 1
    if key < 0:
        return start
    at += 4
    begin = _after_blanks(data, at, end)
    if begin >= end:
        return end + 1
    if begin == at:
        return start
    last = begin
    while last < end and _PARAMETER[data[last]] != 0:
        last += 1
    at = _after_blanks(data, last, end)
    if at < end and data[at] == 44 and last > begin:
        at += 1
        while at < end and _PARAMETERS[data[at]] != 0:
            at += 1
    if at >= end:
        return end + 1
    if data[at] != 93 or last == begin:
        return start
    number = missing
    if key == 2:
        number = _score(data, begin, last, missing)
    else:
        number = _seconds(data, begin, last, missing)
    if number != missing:
        row[_NUMBERS + key] = number
    return at + 1


def _after_blanks(data: Bytes, at: int, end: int) -> int:
    while at < end and (data[at] == 32 or data[at] == 9 or data[at] == 10 or data[at] == 13):
        at += 1
    return at


def _seconds(data: Bytes, at: int, end: int, missing: int) -> int:
    """The seconds of a time in `data[at:end]`."""
    total = 0
    number = 0
    digits = 0
    colons = 0
    while at < end and data[at] != 46:
        if data[at] == 58:
            if digits == 0 or digits > 4 or colons == 2:
                return missing
            total = (total + number) * 60
            number = 0
            digits = 0
            colons += 1
        elif _DIGIT[data[at]] != 0 and digits < 6:
            number = number * 10 + int(data[at]) - 48
            digits += 1
        else:
            return missing
        at += 1
    if digits == 0:
        return missing
    at += 1
    while at < end:
        if _DIGIT[data[at]] == 0:
            return missing
        at += 1
    return total + number


def _score(data: Bytes, at: int, end: int, missing: int) -> int:
    """The evaluation in `data[at:end]`, in hundredths of a pawn."""
    mate = data[at] == 35
    if mate:
        at += 1
    sign = 1
    if at < end and (data[at] == 43 or data[at] == 45):
        if data[at] == 45:
            sign = -1
        at += 1
    begin = at
    number = 0
    while at < end and _DIGIT[data[at]] != 0 and at - begin < 5:
        number = number * 10 + int(data[at]) - 48
        at += 1
    digits = at - begin
    if mate:
        if at < end or digits == 0 or digits > 4 or number == 0:
            return missing
        return sign * (rules.MATE - number)
    if at < end:
        if data[at] != 46:
            return missing
        at += 1
        begin = at
        number *= 100
        while at < end:
            if _DIGIT[data[at]] == 0:
                return missing
            if at == begin:
                number += (int(data[at]) - 48) * 10
            elif at == begin + 1:
                number += int(data[at]) - 48
            at += 1
        digits += at - begin
    if digits == 0 or number > rules.LARGEST_EVAL:
        return missing
    return sign * number


_DIGIT: Final = tuple(int(48 <= byte <= 57) for byte in range(256))
_PARAMETER: Final = tuple(int(chr(byte) in "-+#.:0123456789") for byte in range(256))
"""The characters of the first parameter of a command."""
_PARAMETERS: Final = tuple(int(chr(byte) in "-+.:0123456789, \t\r\n") for byte in range(256))
"""The characters of the other parameters."""

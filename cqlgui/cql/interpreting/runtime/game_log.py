"""The log of a game: the comments that a query writes into the game, in the order of writing.

The interpreter, the engine and the exports take the order and the uniqueness of comments from here.
`tasks.results.written` has the same rules for columns of comments.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Final, TypeAlias

Note: TypeAlias = tuple[int, str]
"""A comment: the positionid and the text."""
Entry: TypeAlias = tuple[int, str, int]
"""A comment with its writer: the positionid, the text, and the positionid of the hit that wrote it. Instead
of a hit, the writer can be one of the three constants below."""
GAME: Final = -1
"""The writer of the query's comments that belong to the whole game: sort keys, the comments of a `sort`, and
with `Settings.smart_comments` off the comments of failing filters."""
NUMBER: Final = -2
"""The writer of the comment with the game's number."""
MARK: Final = -3
"""The writer of the match string at a hit."""


class RunNote(tuple[int, str]):
    """A comment (positionid, text) about a run of moves found by `consecutivemoves`. At the end of the game,
    only the comments about the longest run of each `filter` are kept. If several runs are equally long, the
    comments about the first run are kept."""

    filter: int
    run: object
    length: int

    def __new__(cls, positionid: int, text: str, filter: int, length: int, run: object) -> RunNote:
        """`run` is the same object for all comments about one run."""
        note = super().__new__(cls, (positionid, text))
        note.filter, note.length, note.run = filter, length, run
        return note


def entries(notes: Sequence[Note], writers: Iterable[int]) -> list[Entry]:
    """The comments of a game with their writers. Empty comments are dropped, and of the comments about runs
    only those about the longest run of each filter are kept."""
    best: dict[int, RunNote] = {}
    for note in notes:
        if isinstance(note, RunNote) and (note.filter not in best or note.length > best[note.filter].length):
            best[note.filter] = note
    return [
        (*note, writer)
        for note, writer in zip(notes, writers, strict=True)
        if note[1] and (not isinstance(note, RunNote) or note.run is best[note.filter].run)
    ]


def finished(log: Iterable[Entry], unique: bool) -> tuple[Entry, ...]:
    """A log as it is kept. If comments are `unique`, a hit writes a comment only once at a position. The same
    comment of another hit stays in the log, because one of the hits may be left out later (`kept`)."""
    return tuple(dict.fromkeys(log)) if unique else tuple(log)


def kept(log: Iterable[Entry], hits: Collection[int]) -> list[Entry]:
    """The log of a game of which only some `hits` are left. A comment goes with the hit that wrote it, and
    the match string with the hit that it marks. Comments of the whole game stay."""
    return [one for one in log if (one[0] if one[2] == MARK else one[2]) in hits or one[2] in (GAME, NUMBER)]


def in_order(log: Iterable[Entry]) -> list[Entry]:
    """The log of a game that was put together from parts, in the order in which a query writes: the game's
    number, what belongs to each hit, and what belongs to the whole game."""
    return sorted(log, key=_turn)


def _turn(entry: Entry) -> tuple[int, int]:
    place, _, writer = entry
    if writer in (NUMBER, GAME):
        return (0 if writer == NUMBER else 2), 0
    return 1, place if writer == MARK else writer


def written(log: Iterable[Entry], unique: bool) -> list[Entry]:
    """The comments that are written into a file. If comments are `unique`, a position has the same text only
    once, where it was written first (output spec 3.2). If this text is also the match string of a hit at the
    position, it is the mark of the hit."""
    if not unique:
        return list(log)
    found: dict[Note, int] = {}
    for place, text, writer in log:
        if found.setdefault((place, text), writer) != MARK and writer == MARK:
            found[place, text] = MARK
    return [(*note, writer) for note, writer in found.items()]


def comments(log: Iterable[Entry], unique: bool) -> tuple[Note, ...]:
    """The comments of `written` without their writers."""
    return tuple([(place, text) for place, text, _ in written(log, unique)])


def own(log: Iterable[Entry], unique: bool) -> list[Note]:
    """The comments that the query itself writes: without the game's number and the match string."""
    found = [(place, text) for place, text, writer in log if writer >= GAME]
    return list(dict.fromkeys(found)) if unique else found

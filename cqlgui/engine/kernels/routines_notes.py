"""Kernels for the log of events in a frame, and for the lists beside the log (`layout.LOG`).

An event has two words (`lowering.lowering_notes`). The first word has a positionid in its low 32 bits and the
form of the event in the next 8 bits.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from cqlgui.engine.replaying import layout
from cqlgui.jit import kernels, words
from cqlgui.jit.words import Word, Words

UNIT: Final = kernels.Unit("routines_notes", [layout])

UNKNOWN_LIST: Final = np.zeros(2, np.uint64)
"""A list that has an unknown answer for all positions (`facts.tables`)."""

FORM: Final = 32
"""The form of an event begins at this bit of the event's first word."""
FORM_MASK: Final = 0xFF
PLACE_MASK: Final = 0xFFFFFFFF
MATCH: Final = 0
"""The form of an event that notes a match of an orbit element. All other events belong to comments."""
PENDING: Final = 1
"""The form of an event that `number_pending` completes."""


@UNIT.kernel
def note(frame: Words, head: Word, payload: Word) -> None:
    """Append an event to the log. If the log is full, the game is doubtful."""
    count = int(frame[layout.NOTED])
    if count >= layout.MOST_EVENTS:
        frame[layout.DOUBT] = 1
    else:
        place = layout.LOG + layout.EVENT_SIZE * count
        frame[place] = head
        frame[place + 1] = payload
        frame[layout.NOTED] = count + 1


@UNIT.kernel
def add_to(frame: Words, target: int, count: int, head: Word, payload: Word) -> None:
    """Append an event to the list `target`, which has `count` events."""
    if count >= layout.MOST_EVENTS:
        frame[layout.DOUBT] = 1
    else:
        place = layout.LOG + target * layout.LIST_SIZE + layout.EVENT_SIZE * count
        frame[place] = head
        frame[place + 1] = payload


@UNIT.kernel
def note_run(frame: Words, records: Words, head: Word, payload: Word, place: int, length: int) -> None:
    """Append an event for each move of a run, from the last move to the first. The run leads to position
    `place`. The low bits of the payloads are the number of the move."""
    number = length
    while number > 0:
        note(frame, head | words.word(place), payload | words.word(number))
        place = int(records[place * layout.SIZE + layout.PARENT])
        number -= 1


@UNIT.kernel
def note_lasting(frame: Words, slot: int, head: Word, payload: Word) -> None:
    """Append an event to the list of lasting events. Word `slot` of the frame has the number of events."""
    count = int(frame[slot])
    if count >= layout.MOST_EVENTS:
        frame[layout.DOUBT] = 1
    else:
        place = layout.LOG + layout.LASTING_LIST * layout.LIST_SIZE + layout.EVENT_SIZE * count
        frame[place] = head
        frame[place + 1] = payload
        frame[slot] = count + 1


@UNIT.kernel
def cut(frame: Words, begin: int, end: int) -> None:
    """Remove the comments among the events `begin` to `end` - 1 of the log. Matches stay."""
    count = int(frame[layout.NOTED])
    kept = begin
    for number in range(begin, count):
        if number >= end or _form(frame, number) == MATCH:
            _copy(frame, number, kept)
            kept += 1
    frame[layout.NOTED] = kept


@UNIT.kernel
def keep(frame: Words, begin: int, target: int) -> int:
    """Copy the events of the log from `begin` on to the list `target`. Returns the number of these events."""
    count = int(frame[layout.NOTED])
    number = begin
    while number < count:
        _copy(frame, number, target * layout.MOST_EVENTS + number - begin)
        number += 1
    return number - begin


@UNIT.kernel
def bring_back(frame: Words, source: int, count: int) -> None:
    """Append the first `count` events of the list `source` to the log."""
    first = int(frame[layout.NOTED])
    if first + count > layout.MOST_EVENTS:
        frame[layout.DOUBT] = 1
    else:
        for number in range(count):
            _copy(frame, source * layout.MOST_EVENTS + number, first + number)
        frame[layout.NOTED] = first + count


@UNIT.kernel
def lay_aside(frame: Words, begin: int, target: int) -> int:
    """Copy the comments of the log from `begin` on to the list `target`. Returns the number of their
    events."""
    count = int(frame[layout.NOTED])
    kept = 0
    for number in range(begin, count):
        if _form(frame, number) != MATCH:
            _copy(frame, number, target * layout.MOST_EVENTS + kept)
            kept += 1
    return kept


@UNIT.kernel
def number_pending(frame: Words, begin: int, form: Word, total: int) -> None:
    """Move the events with the form `PENDING` to the end of the log, and give these events the form `form`
    and the payload `total`. The events before `begin` are not touched."""
    count = int(frame[layout.NOTED])
    spare = layout.SPARE_LIST * layout.MOST_EVENTS
    kept = begin
    moved = 0
    for number in range(begin, count):
        if _form(frame, number) == PENDING:
            _copy(frame, number, spare + moved)
            moved += 1
        else:
            _copy(frame, number, kept)
            kept += 1
    for number in range(moved):
        place = layout.LOG + layout.EVENT_SIZE * (kept + number)
        _copy(frame, spare + number, kept + number)
        frame[place] = frame[place] & PLACE_MASK | form << FORM
        frame[place + 1] = words.word(number + 1) | words.word(total) << 32


@UNIT.kernel
def collect(frame: Words, out: Words, here: int) -> None:
    """Remove the matches at the position `here` from the log. For each of these matches, set the bit in `out`
    that the event's second word gives."""
    count = int(frame[layout.NOTED])
    kept = 0
    for number in range(count):
        place = layout.LOG + layout.EVENT_SIZE * number
        if _form(frame, number) == MATCH and int(frame[place] & PLACE_MASK) == here:
            bit = int(frame[place + 1])
            out[bit >> 6] |= words.word(1) << words.word(bit & 63)
        else:
            _copy(frame, number, kept)
            kept += 1
    frame[layout.NOTED] = kept


def _form(frame: Words, number: int) -> int:
    return int(frame[layout.LOG + layout.EVENT_SIZE * number] >> FORM & FORM_MASK)


def _copy(frame: Words, source: int, target: int) -> None:
    """Copy an event. The numbers count from the beginning of the log."""
    start = layout.LOG + layout.EVENT_SIZE * source
    goal = layout.LOG + layout.EVENT_SIZE * target
    frame[goal] = frame[start]
    frame[goal + 1] = frame[start + 1]


@UNIT.kernel
def entry_of(entries: Words, count: int, place: Word) -> int:
    """The place in a list of answers (`facts.tables`) where the entry for the position `place` begins. The
    list has `count` entries for positions, and before them the entry for all other positions."""
    low = 1
    high = count + 1
    while low < high:
        middle = (low + high) // 2
        if entries[2 * middle] >> layout.ANSWER_SHIFT < place:
            low = middle + 1
        else:
            high = middle
    if low <= count and entries[2 * low] >> layout.ANSWER_SHIFT == place:
        return 2 * low
    return 0

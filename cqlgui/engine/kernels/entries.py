"""Kernels for the dictionaries of one game, which stand in the frame (`layout.AREAS`).

A dictionary is a table with linear probing. A key and a value are one word each: a number, a set, or the
number of a record.
"""

from __future__ import annotations

from typing import Final

from cqlgui.engine.kernels import built_texts, routines
from cqlgui.engine.replaying import layout
from cqlgui.jit import kernels, words
from cqlgui.jit.words import Word, Words

UNIT: Final = kernels.Unit("entries", [layout, built_texts, routines, *routines.UNIT.sources])

_PLACES: Final = 512
_MOST: Final = 400
"""With more entries than this, the game is doubtful."""
_USED: Final = 0
_COUNT: Final = 1
_ENTRIES: Final = 2
_FIRST: Final = _ENTRIES + _PLACES // 64
"""A dictionary begins with the number of places that are or were in use, and the number of its entries. Then
come words with a bit for each place, which is set if the place has an entry, and then the places."""
_STATE: Final = 0
KEY: Final = 1
VALUE: Final = 2
_WIDTH: Final = 3
"""The words of a place."""
_FREE: Final = 0
_HELD: Final = 1
_REMOVED: Final = 2
SIZE: Final = _FIRST + _WIDTH * _PLACES
"""The number of words of a dictionary, or of the table of FENs (`same_fen`)."""
_SPREAD: Final[Word] = 0x9E3779B97F4A7C15
_SPREAD_SHIFT: Final = 55
"""The product of a word and `_SPREAD`, shifted by `_SPREAD_SHIFT`, is the place where a search begins."""


@UNIT.kernel
def find(frame: Words, table: int, key: Word) -> int:
    """The place of an entry in the frame; -1 if there is no such entry."""
    place = _place(frame, table, key)
    return place if frame[place + _STATE] == _HELD else -1


@UNIT.kernel
def put(frame: Words, table: int, key: Word, value: Word) -> None:
    """Set an entry. If the dictionary has no room, the game is doubtful."""
    place = _place(frame, table, key)
    if frame[place + _STATE] == _FREE:
        if int(frame[table + _USED]) >= _MOST:
            frame[layout.DOUBT] = 1
            return
        frame[table + _USED] += 1
        frame[place + KEY] = key
    if frame[place + _STATE] != _HELD:
        frame[table + _COUNT] += 1
        number = (place - table - _FIRST) // _WIDTH
        frame[table + _ENTRIES + (number >> 6)] |= words.word(1) << (number & 63)
    frame[place + _STATE] = _HELD
    frame[place + VALUE] = value


@UNIT.kernel
def remove(frame: Words, table: int, key: Word) -> None:
    """Remove an entry, if it is there."""
    place = _place(frame, table, key)
    if frame[place + _STATE] == _HELD:
        frame[place + _STATE] = _REMOVED
        frame[table + _COUNT] -= 1
        number = (place - table - _FIRST) // _WIDTH
        frame[table + _ENTRIES + (number >> 6)] &= ~(words.word(1) << (number & 63))


@UNIT.kernel
def clear(frame: Words, table: int) -> None:
    """Remove all entries."""
    built_texts.spend(frame, SIZE)
    for place in range(SIZE):
        frame[table + place] = 0


@UNIT.kernel
def count(frame: Words, table: int) -> int:
    """The number of entries."""
    return int(frame[table + _COUNT])


@UNIT.kernel
def following(frame: Words, table: int, key: Word, flip: Word, first: int) -> int:
    """The place in the frame of the entry with the least key above `key`; -1 if there is no such entry. With
    `first`, the place of the entry with the least key of all. Keys are compared with the bits of `flip`
    changed, so that the sign bit decides rightly about numbers."""
    built_texts.spend(frame, _PLACES // 64 + int(frame[table + _COUNT]))
    best = -1
    least = words.word(0)
    for group in range(_PLACES // 64):
        held = frame[table + _ENTRIES + group]
        while held != 0:
            place = table + _FIRST + _WIDTH * (64 * group + words.lowest(held))
            held &= held - 1
            one = frame[place + KEY] ^ flip
            if (first != 0 or one > key ^ flip) and (best < 0 or one < least):
                best = place
                least = one
    return best


def _place(frame: Words, table: int, key: Word) -> int:
    """The place of a key in the frame, or the free place where the search for it ends. There is always a free
    place, because at most `_MOST` places are in use."""
    number = int(words.word(key * _SPREAD) >> _SPREAD_SHIFT)
    while True:
        place = table + _FIRST + _WIDTH * number
        if frame[place + _STATE] == _FREE or frame[place + KEY] == key:
            return place
        number = number + 1 & _PLACES - 1


@UNIT.kernel
def same_fen(records: Words, frame: Words, table: int, here: int) -> Word:
    """The number of the first record that `same_fen` has seen in this game with the FEN of the record `here`.
    The FEN has no move counters (`closures_squares.fen_text`), so it tells the men, the side to move, the
    castling rights and the square that was passed over."""
    own = here * layout.SIZE
    passed = routines.passed_over(records[own:])
    key = words.word((passed ^ records[own + layout.TURN]) * _SPREAD) ^ records[own + layout.CASTLING]
    for man in range(1, 13):
        key = words.word((key ^ records[own + man]) * _SPREAD)
        key ^= key >> 32
    number = int(words.word(key * _SPREAD) >> _SPREAD_SHIFT)
    while True:
        place = table + _FIRST + _WIDTH * number
        if frame[place + _STATE] == _FREE:
            break
        if frame[place + KEY] == key:
            other = int(frame[place + VALUE]) * layout.SIZE
            same = routines.passed_over(records[other:]) == passed
            same &= records[other + layout.TURN] == records[own + layout.TURN]
            same &= records[other + layout.CASTLING] == records[own + layout.CASTLING]
            for man in range(1, 13):
                same &= records[other + man] == records[own + man]
            if same:
                return frame[place + VALUE]
        number = number + 1 & _PLACES - 1
    if int(frame[table + _USED]) >= _MOST:
        frame[layout.DOUBT] = 1
        return words.word(here)
    frame[table + _USED] += 1
    frame[place + _STATE] = _HELD
    frame[place + KEY] = key
    frame[place + VALUE] = here
    return words.word(here)

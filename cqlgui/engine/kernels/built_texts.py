"""Kernels for the texts that a query puts together in a game. The texts stand in the frame (`layout.AREAS`).

A text is known by its place in the frame. The word at this place is the number of characters, and the next
words are the characters, a code point each. A text never changes. The first word of the area has the number
of words in use, or 0 as long as there is no text. Much work counts as steps of the game (`layout.STEPS`).
"""

from __future__ import annotations

from typing import Final

from cqlgui.engine.replaying import layout
from cqlgui.jit import kernels, words
from cqlgui.jit.words import Word, Words

UNIT: Final = kernels.Unit("built_texts", [layout])

AREA: Final = 3_000
"""The number of words for the texts of a game. If a game needs more, the game is doubtful."""


@UNIT.kernel
def added(frame: Words, area: int, before: int, characters: Words, begin: int, end: int) -> int:
    """A new text: the text `before`, followed by the `characters` from `begin` to `end` - 1. If `before` is
    0, the text has only these characters."""
    more = end - begin
    made = _begun(frame, area, before, more)
    if frame[made] != 0:
        at = made + 1 + int(frame[made]) - more
        for place in range(more):
            frame[at + place] = characters[begin + place]
    return made


@UNIT.kernel
def joined(frame: Words, area: int, before: int, after: int) -> int:
    """A new text: the text `before`, followed by the text `after`."""
    more = int(frame[after])
    made = _begun(frame, area, before, more)
    if frame[made] != 0:
        at = made + 1 + int(frame[made]) - more
        for place in range(more):
            frame[at + place] = frame[after + 1 + place]
    return made


@UNIT.kernel
def with_set(frame: Words, area: int, before: int, squares: Word) -> int:
    """A new text: the text `before`, followed by the text of a set (`values.set_text`)."""
    count = squares.bit_count()
    more = 2 if count == 1 else 2 + max(3 * count - 1, 0)
    made = _begun(frame, area, before, more)
    if frame[made] == 0:
        return made
    at = made + 1 + int(frame[made]) - more
    if count != 1:
        frame[at] = 91
        at += 1
    left = squares
    while left != 0:
        square = words.lowest(left)
        left &= left - 1
        frame[at] = 97 + (square & 7)
        frame[at + 1] = 49 + (square >> 3)
        at += 2
        if left != 0:
            frame[at] = 44
            at += 1
    if count != 1:
        frame[at] = 93
    return made


@UNIT.kernel
def with_number(frame: Words, area: int, before: int, number: int) -> int:
    """A new text: the text `before`, followed by the digits of a number."""
    size = words.word(number) if number >= 0 else words.word(-number)
    digits = 1
    rest = size // 10
    while rest != 0:
        digits += 1
        rest = rest // 10
    signs = 1 if number < 0 else 0
    made = _begun(frame, area, before, signs + digits)
    if frame[made] == 0:
        return made
    last = made + int(frame[made])
    if number < 0:
        frame[last - digits] = 45
    rest = size
    for place in range(digits):
        frame[last - place] = 48 + rest % 10
        rest = rest // 10
    return made


def _begun(frame: Words, area: int, before: int, more: int) -> int:
    """The place of a new text that begins with the text `before` and has room for `more` characters. If
    `before` is 0, the text has only these characters. The place of the empty text is the second word of the
    area, where nothing is ever written. Without room, the game is doubtful, and the result is the empty
    text."""
    length = 0 if before == 0 else int(frame[before])
    if length + more == 0:
        return area + 1
    spend(frame, length + more)
    used = max(int(frame[area]), 2)
    if used + 1 + length + more > AREA:
        frame[layout.DOUBT] = 1
        return area + 1
    frame[area] = used + 1 + length + more
    made = area + used
    frame[made] = length + more
    for place in range(length):
        frame[made + 1 + place] = frame[before + 1 + place]
    return made


def spend(frame: Words, work: int) -> None:
    """Count small pieces of work as steps; a few pieces are no step. After too many steps the game is
    doubtful (`Lowering.spend`)."""
    steps = work // _PIECES
    left = int(frame[layout.STEPS])
    if left > steps:
        frame[layout.STEPS] = left - steps
    else:
        frame[layout.STEPS] = 0
        frame[layout.DOUBT] = 1


_PIECES: Final = 8
"""So many comparisons or copies of a word take about as long as a run of a loop."""


@UNIT.kernel
def order(frame: Words, left: int, right: int) -> int:
    """-1, 0 or 1: the left text comes before the right one, is equal to it, or comes after it."""
    shorter = min(int(frame[left]), int(frame[right]))
    spend(frame, shorter)
    for place in range(1, shorter + 1):
        one = frame[left + place]
        other = frame[right + place]
        if one != other:
            return -1 if one < other else 1
    if frame[left] == frame[right]:
        return 0
    return -1 if frame[left] < frame[right] else 1


@UNIT.kernel
def fits(frame: Words, text: int, allowed: Words, count: int) -> bool:
    """Whether a text has `count` characters in a row that are allowed. Each of them has two words of
    `allowed`, with a bit for each ASCII character. A text with other characters makes the game doubtful."""
    size = int(frame[text])
    spend(frame, size * count)
    for place in range(size):
        if frame[text + 1 + place] > 127:
            frame[layout.DOUBT] = 1
            return False
    for begin in range(size - count + 1):
        number = 0
        while number < count:
            character = int(frame[text + 1 + begin + number])
            if allowed[2 * number + (character >> 6)] >> (character & 63) & 1 == 0:
                break
            number += 1
        if number == count:
            return True
    return False


@UNIT.kernel
def contains(frame: Words, part: int, whole: int) -> bool:
    """Whether the text `part` occurs in the text `whole`."""
    size = int(frame[part])
    spend(frame, size * int(frame[whole]))
    for begin in range(int(frame[whole]) - size + 1):
        place = 0
        while place < size and frame[whole + 1 + begin + place] == frame[part + 1 + place]:
            place += 1
        if place == size:
            return True
    return False

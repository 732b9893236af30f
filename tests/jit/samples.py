"""Kernels that use each part of the language once; each must give the same compiled and as plain Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from cqlgui.board import attacks
from cqlgui.jit import kernels, words
from cqlgui.jit.words import Bytes, Ints, Pointer, Routine, Scalar, Shorts, Word, Words

UNIT = kernels.Unit("samples", [attacks])

LIMIT = 7
SMALL = (3, 1, 4, 1, 5)
SIGNED = (-1, 0, 1, 127)
ROWS = ((1, 2, 3), (4, 5, 6))
MASKS: tuple[Word, ...] = (1, 2, 0xFF)


@UNIT.kernel
def arithmetic(a: int, b: int, c: Word, d: Word) -> Word:
    """Sums, bits and shifts of both kinds of numbers."""
    e = a + b * 3 - 2
    f = e if a < b else -e
    g = c ^ (d >> 7) | (c & ~d)
    g += 5
    h = (c << (a & 31)) + (f >> 2)
    return words.word(g * 3 + h - words.word(f << 1))


@UNIT.kernel
def divided(a: int, b: int) -> int:
    """Division rounds down, as in Python."""
    return (a // b) * 1000 + a % b


@UNIT.kernel
def divided_words(a: Word, b: Word) -> Word:
    """Division of words."""
    return a // b ^ a % b


@UNIT.kernel
def compared(a: int, b: int, c: Word, d: Word) -> int:
    """Comparisons, chains, logic and conditional expressions."""
    found = 0
    if 0 <= a < b and not c > d:
        found += 1
    elif a in (3, 5, -7) or b not in (1, 2):
        found += 2
    else:
        found += 4
    if c > d or (a > b) == (c < d):
        found |= 8
    truth = a != b
    found += truth
    return found + (16 if c else 32) + min(a, b, 3) - max(a, 0) + abs(b)


@UNIT.kernel
def loops(count: int, stop: int) -> int:
    """Loops of every kind, left and continued."""
    total = 0
    for i in range(count):
        if i == stop:
            break
        for j in range(i, 0, -2):
            if j % 3 == 0:
                continue
            total += j
        i = 100
        total += i
    while True:
        total -= LIMIT
        if total < 0:
            break
    k = 0
    while k < 5 and total < 50:
        k, total = k + 1, total + k * k
    return total * 10 + k


@UNIT.kernel
def bits(c: Word) -> int:
    """What can be asked of the bits of a word."""
    if not c:
        return c.bit_length()
    total = 0
    rest = c
    while rest:
        total = total * 3 + words.lowest(rest) & 0xFFFFFFFF
        rest &= rest - 1
    return total + c.bit_count() + words.highest(c) * 64 + words.lowest(words.swapped(c)) + c.bit_length()


@UNIT.kernel
def tables(i: int, j: int) -> int:
    """Tables of a module, flat and in rows."""
    wide = MASKS[i % 3]
    return SMALL[i] + SIGNED[j] * 10 + ROWS[i & 1][j % 3] + int(wide) + len(SMALL)


@UNIT.kernel
def filled(array: Words, small: Bytes, shorts: Shorts, ints: Ints, count: int) -> None:
    """Arrays are read and written, the low bits of what is wider."""
    for i in range(count):
        array[i] = words.word(array[i] + (1 << (i & 63)))
        small[i] = (small[i] + i) & 255
        shorts[i] = shorts[i] ^ 0xFFFF
        ints[i] = ints[i] - i * i
    array[0] = 5


@UNIT.kernel
def lines(square: int, occupied: Word) -> Word:
    """Functions of other modules are compiled too."""
    found = words.word(0)
    for man in range(1, 13):
        found ^= attacks.attacks_from(man, square, occupied)
    return found


@UNIT.kernel
def countdown(n: int) -> int:
    """A function may call itself."""
    if n <= 0:
        return 0
    return n + countdown(n - 1)


@UNIT.kernel
def endless(n: int) -> int:
    """A loop that only a return ends."""
    while True:
        n += 3
        if n > 100:
            return n


@UNIT.kernel
def widened(n: int, c: Word) -> Word:
    """A variable that begins with a small number and takes a word later."""
    found = 0
    if n > 3:
        found = c
    return found


VISITOR = Routine((Pointer(Scalar.WORD), Scalar.INT), Scalar.BOOL)
Visitor = Annotated[Callable[[Words, int], bool], VISITOR]


@UNIT.kernel
def visited(visit: Visitor, rows: Words, count: int) -> int:
    """How many rows of three words a visitor likes, asked through a function of its own."""
    found = 0
    for row in range(count):
        found += _liked(visit, rows[row * 3 :], row)
    return found


@words.inlined
def _liked(visit: Visitor, row: Words, number: int) -> int:
    return 1 if visit(row[1:], number) else _disliked(row)


@words.apart
def _disliked(row: Words) -> int:
    return 100 * int(row[0])


CHANGE = Routine((Scalar.WORD,), Scalar.WORD)
Change = Annotated[Callable[[Word], Word], CHANGE]


def _doubled(value: Word) -> Word:
    return value << 1


@UNIT.kernel
def doubled(value: Word) -> Word:
    return _doubled(value)


@UNIT.kernel
def changed(change: Change, numbers: Words, count: int) -> Word:
    """The changed numbers' sum, doubled."""
    total = words.word(0)
    for place in range(count):
        total += change(numbers[place])
    return _doubled(total)


CHANGED = kernels.Template(changed, "change", {_doubled: doubled})


@UNIT.kernel
def scrambled(number: Word, times: int) -> Word:
    """A loop of which no step can be left out."""
    for _ in range(times):
        number ^= words.word(number << 13)
        number ^= number >> 7
        number ^= words.word(number << 17)
    return number

"""Building blocks of generated code: constants, fields of the record, loops over squares and numbers."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from cqlgui.cql.ast import (
    nodes,
)
from cqlgui.engine.lowering.scope import Number, Scope
from cqlgui.jit import emitter, kernels
from cqlgui.jit.emitter import Function, Value
from cqlgui.jit.words import Scalar


def word(number: int) -> Value:
    """A constant set."""
    return emitter.literal(number, Scalar.WORD)


def integer(number: int) -> Value:
    """A constant number. A truth value becomes 0 or 1."""
    return emitter.literal(int(number), Scalar.INT)


def constant(number: int) -> Number:
    """A number that is known at compile time."""
    return Number(integer(number), number, number)


def not_empty(s: Scope, area: Value) -> Value:
    """Whether a set has squares."""
    return s.f.compare("ne", area, word(0))


def count(s: Scope, area: Value) -> Number:
    """The number of squares in a set."""
    return Number(s.f.unary("count", area), 0, 64)


def is_single(s: Scope, area: Value) -> Value:
    """Whether a set has exactly one square."""
    f = s.f
    alone = f.compare("eq", f.binary("and", area, f.binary("sub", area, word(1))), word(0))
    return f.binary("and", not_empty(s, area), alone)


def shifted(f: Function, area: Value, distance: int) -> Value:
    """A set moved to higher square numbers, or to lower square numbers if `distance` is negative."""
    if distance == 0:
        return area
    return f.binary("shl" if distance > 0 else "shr", area, word(abs(distance)))


def field_of(s: Scope, place: int) -> Value:
    """A word of the current record."""
    key = (s.f.block, place)
    found = s.known.get(key)
    if found is None:
        found = s.known[key] = s.f.load(s.here, integer(place))
    return found


def men(s: Scope, place: int) -> Value:
    """The squares of one kind of man (by man code), of White's men (13), of Black's men (14), or of all men
    (15)."""
    f = s.f
    if place == _OCCUPIED:
        return f.inverted(field_of(s, 0))
    if place < 13:
        return field_of(s, place)
    key = (f.block, -place)
    found = s.known.get(key)
    if found is None:
        base = 1 if place == _WHITE else 7
        found = field_of(s, base)
        for man in range(base + 1, base + 6):
            found = f.binary("or", found, field_of(s, man))
        s.known[key] = found
    return found


_WHITE: Final = 13
_OCCUPIED: Final = 15


@contextlib.contextmanager
def each_square(s: Scope, area: Value, *, after: str) -> Iterator[tuple[Value, str]]:
    """Write a loop over the squares of a set. Yields the current square as a set, and the label that
    continues with the next square. After the last square, code goes to `after`. The body of the `with`
    statement must end the block."""
    f = s.f
    head, inside, following = f.label(), f.label(), f.label()
    before = f.block
    f.begin(head)
    left = f.open_phi(Scalar.WORD, area, before)
    f.branch(f.compare("ne", left.value, word(0)), inside, after)
    f.begin(inside)
    rest = f.binary("and", left.value, f.binary("sub", left.value, word(1)))
    bit = f.binary("xor", left.value, rest)
    yield bit, following
    assert not f.is_open
    f.begin(following)
    f.add_way(left, rest, following)
    f.jump(head)


@contextlib.contextmanager
def each_number(s: Scope, first: Value, end: Value, *, after: str) -> Iterator[tuple[Value, str]]:
    """Write a loop over the numbers from `first` to `end` - 1, in the same way as `each_square`."""
    f = s.f
    head, inside, following = f.label(), f.label(), f.label()
    before = f.block
    f.begin(head)
    at = f.open_phi(Scalar.INT, first, before)
    f.branch(f.compare("lt", at.value, end), inside, after)
    f.begin(inside)
    yield at.value, following
    assert not f.is_open
    f.begin(following)
    f.add_way(at, f.binary("add", at.value, integer(1)), following)
    f.jump(head)


def joined(s: Scope, kind: Scalar, fill: Callable[[Callable[[Value], None]], None]) -> Value:
    """A value that comes from one of several branches of the code. `fill` receives a function, and each
    branch calls this function with the value of the branch. The call ends the block."""
    f = s.f
    after = f.label()
    ways: list[tuple[Value, str]] = []

    def found(value: Value) -> None:
        ways.append((value, f.block))
        f.jump(after)

    fill(found)
    f.begin(after)
    return f.phi(kind, ways)


def truth(s: Scope, fill: Callable[[str, str], None]) -> Value:
    """A truth value. `fill` receives a label for true and a label for false, and writes the test."""
    yes, no = s.f.label(), s.f.label()

    def both(found: Callable[[Value], None]) -> None:
        fill(yes, no)
        s.f.begin(yes)
        found(emitter.TRUE)
        s.f.begin(no)
        found(emitter.FALSE)

    return joined(s, Scalar.BOOL, both)


def call(s: Scope, kernel: kernels.Kernel[..., Any], *arguments: Value) -> Value:
    """Call a kernel by its address."""
    made = s.f.call(kernel.callee, arguments)
    assert made is not None
    return made


def where_all(s: Scope, sets: Sequence[Value], fill: Callable[[], Value]) -> Value:
    """The set that `fill` writes, or the empty set if one of `sets` is empty."""
    f = s.f

    def ways(found: Callable[[Value], None]) -> None:
        some, none = f.label(), f.label()
        holds = not_empty(s, sets[0])
        for area in sets[1:]:
            holds = f.binary("and", holds, not_empty(s, area))
        f.branch(holds, some, none)
        f.begin(some)
        found(fill())
        f.begin(none)
        found(word(0))

    return joined(s, Scalar.WORD, ways)


def constants(s: Scope, numbers: tuple[int, ...]) -> Value:
    """A constant array of words. All queries share the array."""
    array = _CONSTANTS.get(id(numbers))
    if array is None:
        array = _CONSTANTS[id(numbers)] = numbers, np.array(numbers, np.uint64)
    return s.f.module.placed(array[1].ctypes.data, Scalar.WORD, len(numbers))


_CONSTANTS: Final[dict[int, tuple[tuple[int, ...], Any]]] = {}
"""The tables in use, by `id`. Each entry has a table and the NumPy array with the numbers of this table."""


def array_of(s: Scope, values: Sequence[Value]) -> Value:
    """A local array of the function, filled with `values`."""
    room = s.f.room(Scalar.WORD, len(values))
    for place, value in enumerate(values):
        s.f.store(value, room, integer(place))
    return room


def leaf(s: Scope, node: nodes.Node, part: str) -> Value | None:
    """The number of a part of a leaf filter, from the current row of an orbit's table. None if there is no
    table, or if the part is equal in all rows."""
    column = varied(s, node).get(part)
    if s.row is None or column is None:
        return None
    return s.f.load(s.row.table, s.f.binary("add", s.row.first, integer(column)))


def varied(s: Scope, node: nodes.Node) -> Mapping[str, int]:
    """The parts of a leaf filter that differ between the rows of the orbit's table, each with its column."""
    return {} if s.row is None else s.row.columns.get(id(node), {})

"""Where instructions are written, and what is known there: the arguments of all lowering rules."""

from __future__ import annotations

from cqlgui.base.data import dataclass, field
from cqlgui.board import men as men_codes
from cqlgui.cql.source.diagnostics import Span
from cqlgui.jit.emitter import Function, Value


@dataclass(frozen=True, slots=True)
class Unsupported:
    """A part of the query that is not compiled, and why."""

    span: Span
    reason: str


class TooLargeError(Exception):
    """The query became too long."""


@dataclass(frozen=True, slots=True)
class Number:
    """An integer with the bounds that are known while compiling."""

    value: Value
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Bound:
    """The value of a loop variable, and the position where the variable was bound. A square variable holds a
    single square. `kinds` are the men that may stand on this square, as a mask."""

    value: Value
    place: Value
    kinds: int = men_codes.ANY_MASK


@dataclass(frozen=True)
class Row:
    """The current row of an orbit's table. It begins at `first`, and its numbers stand for parts of leaves.
    `columns` has the column of each part, by the `id` of the leaf and by the part."""

    table: Value
    first: Value
    columns: dict[int, dict[str, int]]


@dataclass(frozen=True, slots=True)
class Way:
    """The path that is being searched. `start` is the position where the path starts. `count` is a slot with
    the number of its moves so far. `last` is a slot with the last position of the best path so far, -1 if
    there is none yet."""

    start: Value
    count: Value
    last: Value


@dataclass(frozen=True)
class Scope:
    """Where instructions are written: a position, and what is known there."""

    f: Function
    records: Value
    boards: Value
    place: Value
    frame: Value
    here: Value
    board: Value
    loops: dict[str, Bound] = field(default_factory=dict)
    row: Row | None = None
    cut: tuple[Value, Value, Value] | None = None
    """While the target of a dash is compiled: the position after the move, and the squares that `from` and
    `to` mean at this position."""
    way: Way | None = None
    """The innermost path that is being searched."""
    depth: int = 0
    """Number of searches for sequences around this place."""
    only: Value | None = None
    """The child with which a `line` continues, -1 if it cannot continue. None if any child counts."""
    known: dict[tuple[str, object], Value] = field(default_factory=dict)
    """Values already read from the position, by the block in which they were read."""

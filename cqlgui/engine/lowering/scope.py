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
    """What a loop variable holds, and the place where it was bound. A square variable holds a single square.
    `kinds` are the men that may stand there, as a mask."""

    value: Value
    place: Value
    kinds: int = men_codes.ANY_MASK


@dataclass(frozen=True)
class Row:
    """The current row of an orbit's table: the numbers that stand for parts of leaves, by leaf."""

    table: Value
    first: Value
    columns: dict[int, dict[str, int]]


@dataclass(frozen=True, slots=True)
class Way:
    """The path that is being searched: where it starts, and slots for its moves so far and for the last
    position of the best one so far, -1 for none yet."""

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
    """While the target of a dash is compiled: the position before the move, and the squares that `from` and
    `to` mean there."""
    way: Way | None = None
    """The innermost path that is being searched."""
    depth: int = 0
    """Number of searches for sequences around this place."""
    only: Value | None = None
    """The child with which a `line` continues, -1 for any."""
    known: dict[tuple[str, object], Value] = field(default_factory=dict)
    """Values already read from the position, by the block in which they were read."""

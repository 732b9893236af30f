"""The arguments of all lowering rules: where instructions are written, and what is known at this point."""

from __future__ import annotations

from typing import TypeAlias

from cqlgui.base.data import dataclass, field
from cqlgui.board import men as men_codes
from cqlgui.cql.ast.types import Type
from cqlgui.cql.source.diagnostics import Span
from cqlgui.jit.emitter import Function, Value


@dataclass(frozen=True, slots=True)
class Unsupported:
    """A part of the query that is not compiled, and the reason."""

    span: Span
    reason: str


TextParts: TypeAlias = "tuple[str | Operand, ...]"
"""The parts of a comment. The values of the operands come in events."""


@dataclass(frozen=True, slots=True)
class Operand:
    """A part of a comment whose text depends on a value of the type `kind`. If the part is a variable, `name`
    is the name of the variable. The value of a string is a `Text.code`, and `texts` has `Text.texts`. With
    `fen`, the text is the FEN of the position, and `lowering_notes.BOARD_WORDS` values describe the
    position."""

    kind: Type
    name: str = ""
    texts: tuple[str, ...] | None = None
    fen: bool = False


class TooLargeError(Exception):
    """The query is too large to be compiled."""


@dataclass(frozen=True, slots=True)
class Number:
    """An integer, with bounds that are known at compile time."""

    value: Value
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Text:
    """A string. `code` is the number of the text among `texts`. If `texts` is None, the string depends on the
    game, and `code` is the number of the text in `asking.Asker.texts`."""

    code: Value
    texts: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Bound:
    """The value of a loop variable, and the position where the variable was bound. A square variable holds a
    single square. `kinds` is a mask of the men that may stand on this square."""

    value: Value
    place: Value
    kinds: int = men_codes.ANY_MASK


@dataclass(frozen=True)
class Row:
    """The current row of an orbit's table. The row begins at `first`, and its numbers stand for parts of leaf
    filters. `columns` has the column of each part, by the `id` of the leaf filter and by the name of the
    part."""

    table: Value
    first: Value
    columns: dict[int, dict[str, int]]


@dataclass(frozen=True, slots=True)
class Way:
    """The path that is being searched. `start` is the position where the path starts. `count` is a slot with
    the number of moves so far. `last` is a slot with the last position of the best path so far, or -1 if no
    path was found yet."""

    start: Value
    count: Value
    last: Value


@dataclass(frozen=True)
class Scope:
    """The place where instructions are written: a function, a position, and what is known about the
    position."""

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
    """This field is set while the target of a dash is compiled. It has the position after the move, and the
    squares that `from` and `to` mean at this position."""
    way: Way | None = None
    """The innermost path that is being searched."""
    depth: int = 0
    """The number of searches for sequences that contain this place of the code."""
    only: Value | None = None
    """The child where a `line` continues, or -1 if the line cannot continue. None if every child counts."""
    known: dict[tuple[str, object], Value] = field(default_factory=dict)
    """Values that were already read from the position. A key has the name of the basic block of machine code
    that read the value, and the place of the value in the record."""

"""The parts of a pattern: marks on squares, arrows between them, and conditions. Data only.

A pattern is one group of filters in a query's text: the filters between two braces, or the whole body. Each
part holds its places in the text. `reading` makes a pattern from a text. `editing` changes the text in order
to change its pattern.
"""

from __future__ import annotations

import enum
from typing import Literal

from cqlgui.base.data import dataclass, field
from cqlgui.board import men
from cqlgui.cql.source.diagnostics import Span


class Role(enum.Enum):
    """What a mark requires."""

    MUST = "must"
    """A man of the mark stands on a square of the mark: `Nf5`."""
    EITHER = "either"
    """This mark or another mark with this role holds: `(Nf5|Nd5)`. A single mark with this role is written
    `(Nf5)`."""
    NOT = "not"
    """No man of the mark stands on a square of the mark: `not Nf5`."""


class Relation(enum.Enum):
    """The relation that an arrow requires."""

    ATTACKS = "attacks"
    """`Nf5 attacks kg8`"""
    MOVES = "moves"
    """`Nf5--g7`: the next move goes from the first mark to the second."""
    RAY = "ray"
    """`ray (Qd1 kd8)`: on one line, with no man between."""
    RAY_ONE = "ray-one"
    """`ray (Qd1 [Aa] kd8)`: on one line, with one man between."""
    FILE = "file"
    """`Rd1 & vertical qd8`: on one file, whatever stands between."""
    RANK = "rank"
    """`Rd1 & horizontal qh1`"""
    DIAGONAL = "diagonal"
    """`Bc1 & diagonal qh6`"""


ConditionKind = Literal[
    "turn", "check", "mate", "stalemate", "material", "movenumber", "player", "year", "elo", "result"
]


@dataclass(frozen=True, slots=True)
class Mark:
    """Men (`nodes.Designator.men`) on squares (a bitboard), and the role of the mark.

    `spans` are the designators in the text that name the mark. The first designator is in the mark's own
    filter. The other designators are in arrows, because the filter of an arrow names the marks at both ends
    of the arrow. Filters with the same men, squares and role make one mark.
    """

    men: men.ManMask
    squares: int
    role: Role = Role.MUST
    spans: tuple[Span, ...] = field(default=(), compare=False)

    @property
    def empty(self) -> bool:
        """Whether the mark requires an empty square."""
        return self.men == men.EMPTY_MASK


@dataclass(frozen=True, slots=True)
class Arrow:
    """A relation between two marks. `origin` and `target` are the places of the marks in `Pattern.marks`.
    `span` is the whole filter."""

    relation: Relation
    origin: int
    target: int
    span: Span = field(default=Span(0, 0), compare=False)


@dataclass(frozen=True, slots=True)
class Condition:
    """A filter about the whole position or the whole game. The window shows it as a chip. `text` is the
    filter as written."""

    kind: ConditionKind
    text: str
    span: Span = field(default=Span(0, 0), compare=False)


@dataclass(frozen=True, slots=True)
class Pattern:
    """One group of filters. `span` is the text between the braces of the group. For a group without braces,
    `span` is the body.

    `others` are the filters of the group that marks, arrows and conditions cannot express; editing never
    changes these filters. `transforms` are the words of the transforms directly around the group, outermost
    first.
    """

    marks: tuple[Mark, ...] = ()
    arrows: tuple[Arrow, ...] = ()
    conditions: tuple[Condition, ...] = ()
    others: tuple[Span, ...] = field(default=(), compare=False)
    span: Span = field(default=Span(0, 0), compare=False)
    braced: bool = field(default=False, compare=False)
    transforms: tuple[str, ...] = field(default=(), compare=False)

    def at(self, square: int) -> int:
        """The place in `marks` of the mark that a click on this square means; -1 if no mark names the square.
        If several marks name the square, the click means the mark with the fewest squares. If several marks
        have equally few squares, the click means the last of these marks in the text."""
        found, least = -1, 65
        for place, mark in enumerate(self.marks):
            size = mark.squares.bit_count()
            if mark.squares >> square & 1 and size <= least:
                found, least = place, size
        return found

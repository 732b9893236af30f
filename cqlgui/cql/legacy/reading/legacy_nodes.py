"""The syntax tree of an old script: conditions and transforms of position lists, and how they are counted.

Nodes have no behaviour. `legacy_images` carries out the transforms that CQL 6 has no keyword for, and maps
the squares of a whole tree. No transform changes the designator of a `Fixed`.
"""

from __future__ import annotations

from typing import TypeVar

from cqlgui.base import data
from cqlgui.base.data import dataclass
from cqlgui.cql.legacy.reading import legacy_designators, legacy_ranges
from cqlgui.cql.source import diagnostics


@dataclass(frozen=True, slots=True)
class Term:
    """One condition of a list."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """A designator that transforms leave alone."""

    designator: legacy_designators.Designator


Part = str | legacy_designators.Designator | Fixed


@dataclass(frozen=True, slots=True)
class Plain(Term):
    """CQL 6 text with designators in it. `if_empty` is the truth value of the term if one of the designators
    names no square.

    `facing` is the place of a direction such as `up`. CQL 6 turns directions with the board; the old dialects
    did not.
    """

    parts: tuple[Part, ...]
    if_empty: bool = False
    facing: diagnostics.Span | None = None


@dataclass(frozen=True, slots=True)
class Always(Term):
    """A condition that holds at every position, or at none."""

    value: bool


@dataclass(frozen=True, slots=True)
class AttackCount(Term):
    """`:attackcount`: the number of pairs of an attacker and an attacked square."""

    attackers: legacy_designators.Designator
    attacked: legacy_designators.Designator
    range: legacy_ranges.Range


@dataclass(frozen=True, slots=True)
class PowerDifference(Term):
    """`:powerdifference`: the power of one set of men minus that of another."""

    first: legacy_designators.Designator
    second: legacy_designators.Designator
    range: legacy_ranges.Range


@dataclass(frozen=True, slots=True)
class RayCount(Term):
    """`:ray` and similar keywords with a range: the number of rays. `words` is "ray", "ray attack" ..."""

    words: str
    along: tuple[legacy_designators.Designator, ...]
    range: legacy_ranges.Range


@dataclass(frozen=True, slots=True)
class PlyCount(Term):
    """`:halfmovenumber` with a range: plies from the start, in the main line only."""

    range: legacy_ranges.Range


@dataclass(frozen=True, slots=True)
class PliesToGo(Term):
    """`:halfmovenumber end-N`: exactly `number` plies before the end."""

    number: int


@dataclass(frozen=True, slots=True)
class Move(Term):
    """The move keywords of a list: one move must fulfil all of them. `promote` holds letters of pieces, and
    is empty without a condition on the promotion."""

    origin: legacy_designators.Designator | None
    target: legacy_designators.Designator | None
    promote: str
    promote_squares: legacy_designators.Designator | None
    enpassant: bool


@dataclass(frozen=True, slots=True)
class MoveText(Term):
    """A move filter without designators: the text before `move`, and the words after it."""

    before: str
    words: str


@dataclass(frozen=True, slots=True)
class LegacyGroup(Term):
    """Lists combined by one keyword: "not", "and", "or", "xor", "cond", "sequence" or "gappedsequence"."""

    word: str
    lists: tuple[PositionList, ...]


@dataclass(frozen=True, slots=True)
class Elsewhere(Term):
    """A list that must not hold at certain other positions; `words` is the text before its braces."""

    words: str
    listing: PositionList


@dataclass(frozen=True, slots=True)
class Relation(Term):
    """`:relation`: a later position differs from this one in a certain number of men.

    `missing` is a range for the number of men of `missing_men` here whose squares are empty in the later
    position. `new` is a range for the number of men of `new_men` in the later position whose squares are
    empty here. `side` compares the sides to move: "==", "!=" or empty. `where` is the filter for the line of
    play. `pattern` limits the comparison to the squares of the enclosing list.
    """

    missing_men: legacy_designators.Designator
    missing: legacy_ranges.Range
    new_men: legacy_designators.Designator
    new: legacy_ranges.Range
    same: legacy_ranges.Range | None
    different: legacy_ranges.Range | None
    side: str
    where: str
    pattern: bool


@dataclass(frozen=True, slots=True)
class Sum(Term):
    """`:sumrange`: the number of transformed lists of an accumulator that hold here."""

    span: diagnostics.Span
    name: str
    range: legacy_ranges.Range


@dataclass(frozen=True, slots=True)
class PositionList:
    """`(position ...)`. The fields after `terms` apply to the list as a whole.

    `flips` and `shifts` are keywords with their colon. `line` is "", ":variations" or ":variationsonly".
    `accumulate` is the name of an accumulator; with `by_colour` it counts each colour by itself. `swapped`
    occurs only in images of lists: the list is read with colours exchanged and the board upside down.
    """

    span: diagnostics.Span
    terms: tuple[Term, ...] = ()
    negated: bool = False
    colour: bool = False
    flips: tuple[str, ...] = ()
    shifts: tuple[str, ...] = ()
    shift_span: diagnostics.Span = diagnostics.NOWHERE
    line: str = ""
    initial: bool = False
    silent: bool = False
    match_count: legacy_ranges.Range | None = None
    transformed_count: legacy_ranges.Range | None = None
    repetitions: legacy_ranges.Range | None = None
    accumulate: str = ""
    by_colour: bool = False
    swapped: bool = False

    @property
    def is_transformed(self) -> bool:
        """Whether the list has a colour flip, a flip or a shift."""
        return self.colour or bool(self.flips) or bool(self.shifts)


@dataclass(frozen=True, slots=True)
class Tag:
    """`:forany`: a name for any man of the kinds in `pieces`; squares are ignored."""

    span: diagnostics.Span
    name: str
    pieces: str


@dataclass(frozen=True, slots=True)
class Match:
    """`(match ...)`: selects games by header, by data about the game and by position lists.

    `filters` are CQL 6 filters on the game, one for each condition, in script order. None if the conditions
    can never hold. `negated` is True if there is a bare `:not`.
    """

    lists: tuple[PositionList, ...] = ()
    filters: tuple[str, ...] | None = ()
    negated: bool = False
    input: str = ""
    output: str = ""
    games: legacy_ranges.Range | None = None
    tags: tuple[Tag, ...] = ()
    variations: bool = False
    either_colour: bool = False


N = TypeVar("N")


def walk(node: object) -> list[object]:
    """The node and all nodes, designators and fixed designators inside it, in text order."""
    found: list[object] = []
    pending = [node]
    while pending:
        one = pending.pop()
        found.append(one)
        if isinstance(one, Term | PositionList | Match | Fixed):
            for field in reversed(data.fields(one)):
                value = getattr(one, field.name)
                pending.extend(reversed(value) if isinstance(value, tuple) else [value])
    return found

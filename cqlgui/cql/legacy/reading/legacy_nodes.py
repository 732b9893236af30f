"""The syntax tree of an old script: position lists with their conditions, transforms and counts.

Nodes have no behaviour. If CQL 6 has no equivalent keyword for a transform, `legacy_images` applies the
transform to the tree. No transform changes the designator of a `Fixed` node.
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
    """A designator that no transform changes."""

    designator: legacy_designators.Designator


Part = str | legacy_designators.Designator | Fixed


@dataclass(frozen=True, slots=True)
class Plain(Term):
    """CQL 6 text that contains designators. `if_empty` is the truth value of the term if one of the
    designators names no square.

    If the text contains a direction such as `up`, `facing` is the place of the condition in the script. A
    transform of CQL 6 turns directions, but a transform of the old dialects does not.
    """

    parts: tuple[Part, ...]
    if_empty: bool = False
    facing: diagnostics.Span | None = None


@dataclass(frozen=True, slots=True)
class Always(Term):
    """A condition that holds at every position or at no position."""

    value: bool


@dataclass(frozen=True, slots=True)
class AttackCount(Term):
    """`:attackcount`: the number of pairs of an attacker and an attacked square."""

    attackers: legacy_designators.Designator
    attacked: legacy_designators.Designator
    range: legacy_ranges.Range


@dataclass(frozen=True, slots=True)
class PowerDifference(Term):
    """`:powerdifference`: the power of one set of men minus the power of another set."""

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
    """`:halfmovenumber` with a range: the number of plies from the start. The condition holds only in the
    main line."""

    range: legacy_ranges.Range


@dataclass(frozen=True, slots=True)
class PliesToGo(Term):
    """`:halfmovenumber end-N`: exactly `number` plies before the end."""

    number: int


@dataclass(frozen=True, slots=True)
class Move(Term):
    """The move keywords of a list. A single move must fulfil the conditions of all these keywords. `promote`
    holds letters of pieces. If there is no condition on the promotion, `promote` is empty."""

    origin: legacy_designators.Designator | None
    target: legacy_designators.Designator | None
    promote: str
    promote_squares: legacy_designators.Designator | None
    enpassant: bool


@dataclass(frozen=True, slots=True)
class MoveText(Term):
    """A move filter without designators: the text before `move`, and the words after `move`."""

    before: str
    words: str


@dataclass(frozen=True, slots=True)
class LegacyGroup(Term):
    """Lists combined by one keyword: "not", "and", "or", "xor", "cond", "sequence" or "gappedsequence"."""

    word: str
    lists: tuple[PositionList, ...]


@dataclass(frozen=True, slots=True)
class Elsewhere(Term):
    """A list that must not hold at certain other positions. In the CQL 6 text, `words` precedes the list in
    braces."""

    words: str
    listing: PositionList


@dataclass(frozen=True, slots=True)
class Relation(Term):
    """`:relation`: a later position differs from the current position in a certain number of men.

    `missing` is the range for the number of men that disappear: men of `missing_men` on squares that are
    empty in the later position. `new` is the range for the number of men that appear: men of `new_men` on
    squares that are empty in the current position. `side` compares the sides to move: "==", "!=" or empty.
    `where` is the CQL 6 filter for the line of play: "mainline", "variation" or empty. `pattern` limits the
    comparison to the squares of the enclosing list.
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
    """`:sumrange`: the number of images of an accumulator's lists that hold at the current position."""

    span: diagnostics.Span
    name: str
    range: legacy_ranges.Range


@dataclass(frozen=True, slots=True)
class PositionList:
    """`(position ...)`. The fields after `terms` apply to the list as a whole.

    `flips` and `shifts` are keywords including the colon. `line` is "", ":variations" or ":variationsonly".
    `accumulate` is the name of an accumulator. With `by_colour`, the accumulator counts each colour
    separately. Only `legacy_images` sets `swapped`. If `swapped` is True, the list means its colour-exchanged
    image: the colours are exchanged and the board is mirrored from top to bottom.
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
    """`:forany`: a name for any man of the kinds in `pieces`. Squares in the designator of `:forany` are
    ignored."""

    span: diagnostics.Span
    name: str
    pieces: str


@dataclass(frozen=True, slots=True)
class Match:
    """`(match ...)`: selects games by header, by data about the game and by position lists.

    `filters` are CQL 6 filters on the game, one for each condition, in script order. `filters` is None if the
    conditions can never hold. `negated` is True if there is a bare `:not`.
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

"""The results of explanations: truth of filters at a position, and the plan of a search."""

from __future__ import annotations

from cqlgui.base.data import dataclass


@dataclass(frozen=True, slots=True)
class Truth:
    """The result of a sub-filter at one position. `offset` and `length` are the place of the sub-filter in
    the query (in code points). `parts` are the results of the filters directly inside the sub-filter.

    `matched` is None if the truth is unknown, as for a loop variable outside its loop. `value` is the value
    as text. `squares` is the bitboard of the squares that the filter names or matched. `positionid` is the
    position where the filter was evaluated. Filters inside `find` are evaluated at other positions. `place`
    describes the position `positionid` in words. For an element of an orbit, `transform` is its transform,
    and `words` describes the transform in words. `orbit` is the index of an outermost orbit; -1 for every
    other filter. For an orbit, `elements` has the indexes (in `parts`) of the matching elements. `binding` is
    the name of a loop variable and the square that decides the loop; None if no square decides the loop.
    `way` has the moves that a path matched. If the path failed, `way` has the moves before the failure.
    `rounds` is how often the body of a `loop` held, or how often the body of a `while` ran.
    """

    offset: int
    length: int
    text: str
    matched: bool | None
    value: str | None
    squares: int
    elements: tuple[int, ...] = ()
    parts: tuple[Truth, ...] = ()
    positionid: int = 0
    transform: str = ""
    words: str = ""
    orbit: int = -1
    binding: tuple[str, str] | None = None
    way: str = ""
    place: str = ""
    rounds: int | None = None


@dataclass(frozen=True, slots=True)
class WhyNot:
    """The first filter of a query that fails at a position; `part` is None if the query matches.

    `words` and `transform` name the orbit element that contains the filter. `nearest` is the nearest position
    of the game where the filter holds. `whole` is the nearest position where the whole query matches.
    `nearest` or `whole` is None if the game has no such position. `fault` says why some positions could not
    be evaluated, and is empty if all positions were evaluated.
    """

    part: Truth | None
    words: str = ""
    transform: str = ""
    nearest: int | None = None
    whole: int | None = None
    fault: str = ""


@dataclass(frozen=True, slots=True)
class LineTruth:
    """What the margin shows beside a line (from 0): whether the filters beginning on this line are all true.
    If only one filter begins on the line and the value of this filter is a number, the margin shows the
    number.

    `matched` is None if the truth is unknown. `value` is empty if the margin shows no number. `parts` are the
    filters. The margin was made for the position `positionid`. `elements` names, in words, the orbit element
    of each filter. The name is empty for a filter as written in the query. The tuple `elements` may be empty
    if all filters are as written.
    """

    line: int
    matched: bool | None
    value: str
    parts: tuple[Truth, ...]
    positionid: int = 0
    elements: tuple[str, ...] = ()

    @property
    def elsewhere(self) -> str:
        """The position where the filters of this line were evaluated, in words. Empty if at least one of
        these filters was evaluated at position `positionid`."""
        return self.parts[0].place if self.parts and all(map(self.apart, self.parts)) else ""

    def apart(self, part: Truth) -> bool:
        """Whether a filter was evaluated at another position than `positionid`, as inside `find`."""
        return part.positionid != self.positionid


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One step of a search, in words. `games` is the number of games of a given base that remain after the
    step.

    `means` names the kind of the step. `header` stands for the conditions of the query's header. `catalog`
    stands for filters about the game alone. `signature` stands for filters that can exclude games by their
    stored signatures. The other kinds are `together`, `compiled` and `interpreted`. In the step `together`,
    the whole query is tested against the catalog and the signatures. The step may exclude games that no
    single filter excludes.
    """

    means: str
    text: str
    games: int | None = None


@dataclass(frozen=True, slots=True)
class Stages:
    """How a query will be run. `checked` is the query as CQL after checking. In `expanded` each transform is
    replaced by its orbit. `engine` is the engine that runs the query. If the query is interpreted, `reason`
    says why. `plan` has the steps."""

    checked: str
    expanded: str
    engine: str
    reason: str
    plan: tuple[PlanStep, ...]

"""The results of explanations: truth of filters at a position, and the plan of a search."""

from __future__ import annotations

from cqlgui.base.data import dataclass


@dataclass(frozen=True, slots=True)
class Truth:
    """A sub-filter at one position: its part of the query (in code points) and its result, with its own
    parts.

    `matched` is None if it is unknown (a loop variable outside its loop). `value` is the value as text,
    `squares` the bitboard that it names or matched. `positionid` is where it was evaluated (under `find`
    another position). `transform` and `words` name the element of an orbit; `orbit` is the index of an
    outermost orbit, else -1; `elements` are the indexes in `parts` of the parts of an orbit that matched.
    `binding` is the name and the square of the element that decides a loop, None if there is none. `way` has
    the moves that a path matched, or how far it came. `place` is the position in words. `rounds` is how often
    the body of a `loop` or `while` held or ran.
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

    `words` and `transform` name the orbit element that contains the filter. `nearest` is the nearest
    positionid in the game at which the filter holds, `whole` the nearest one at which the whole query
    matches; None if there is none. `fault` says why this is unknown for some positions; else it is empty.
    """

    part: Truth | None
    words: str = ""
    transform: str = ""
    nearest: int | None = None
    whole: int | None = None
    fault: str = ""


@dataclass(frozen=True, slots=True)
class LineTruth:
    """What the margin shows beside a line (from 0): whether all filters that begin there hold, and the number
    that is the value of a single one.

    `matched` is None if it is unknown. `value` is empty if a tick says everything. `parts` are those filters,
    evaluated at `positionid`. `elements` names for each the orbit element for which it was evaluated, in
    words, empty for the filter as written; the tuple is empty if all are as written.
    """

    line: int
    matched: bool | None
    value: str
    parts: tuple[Truth, ...]
    positionid: int = 0
    elements: tuple[str, ...] = ()

    @property
    def elsewhere(self) -> str:
        """Where in the game these filters were evaluated, in words; empty for the position asked about."""
        return self.parts[0].place if self.parts and all(map(self.apart, self.parts)) else ""

    def apart(self, part: Truth) -> bool:
        """Whether a filter was evaluated at another position than the one asked about, as inside `find`."""
        return part.positionid != self.positionid


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One step of a search, in words; `games` is the number of games of a given base that are left after it.

    `means` is `header` (conditions of the query's header), `catalog` (filters about the game alone),
    `signature` (filters that can exclude games by their stored signatures), `together` (catalog and signature
    asked about the whole query, which may exclude games that no single filter excludes), `compiled`, or
    `interpreted`.
    """

    means: str
    text: str
    games: int | None = None


@dataclass(frozen=True, slots=True)
class Stages:
    """A query as CQL after checking, and after its transforms were replaced by their orbits; and how it will
    be run: the engine, with the reason if it is interpreted, and the steps of the plan."""

    checked: str
    expanded: str
    engine: str
    reason: str
    plan: tuple[PlanStep, ...]

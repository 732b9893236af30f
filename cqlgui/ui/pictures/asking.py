"""The pictures that a user can choose, and the hits behind a part of a picture. No Qt."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from typing import Final

from cqlgui.base import errors, plurals, progress
from cqlgui.base.data import dataclass
from cqlgui.board import men, squares
from cqlgui.tasks.pictures import histograms, left_over, pictures, square_maps, terms, transitions
from cqlgui.tasks.results import base_model, search_model
from cqlgui.tasks.search import narrowing as search_narrowing

Picture = (
    histograms.Histogram
    | square_maps.SquareMap
    | square_maps.Ways
    | left_over.LeftOver
    | transitions.Transitions
)
NARROWS_NOTHING: Final = "All hits are in the games that each filter leaves, so a bar cannot narrow them."
"""What a click on a bar of the games left after each filter is answered with."""
_IN_FRAME: Final = " in the query's frame"
_HITLESS: Final = "The query shown has no hits in these games, so there is nothing to show."
"""Said for a flow whose games only other results match. The table shows hits of one query."""
Narrowing = tuple[Callable[[search_model.SearchResult], search_model.SearchResult], str, str]
"""A function that makes a new result from a result, words that describe the narrowing, and the term that
means the same (`pictures.terms`). The term is empty if there is none."""


class Kind(enum.Enum):
    """The kinds of pictures. The value is the text of the chooser."""

    YEAR = "Hits by year"
    WHITE_ELO = "Hits by Elo of White"
    BLACK_ELO = "Hits by Elo of Black"
    MEAN_ELO = "Hits by mean Elo"
    PLY = "Hits by ply"
    RESULT = "Hits by result"
    VOLUME = "Hits by ECO volume"
    OPENING = "Hits by opening"
    MEN = "Where men stand"
    ARRIVALS = "Where men arrive after the hit"
    CAPTURES = "Where men capture after the hit"
    RINGED = "Squares that matched"
    WAYS = "Paths of one man"
    LEFT_OVER = "Games left after each filter"
    TRANSITIONS = "Order of several queries"


GROUPS: Final = (
    tuple(Kind)[:8],
    tuple(Kind)[8:13],
    tuple(Kind)[13:],
)
"""The kinds in the groups of the chooser."""
_MAPS: Final = {
    Kind.MEN: square_maps.What.MEN,
    Kind.ARRIVALS: square_maps.What.ARRIVALS,
    Kind.CAPTURES: square_maps.What.CAPTURES,
    Kind.RINGED: square_maps.What.RINGED,
}
BOARDS: Final = (*_MAPS, Kind.WAYS)
"""The kinds that show a board."""
WITH_MEN: Final = (Kind.MEN, Kind.ARRIVALS, Kind.CAPTURES, Kind.WAYS)
WITH_PLIES: Final = (Kind.ARRIVALS, Kind.CAPTURES, Kind.WAYS)
FRAMED: Final = (*BOARDS, *(Kind[by.name] for by in histograms.FRAMED))
"""The kinds that differ between the game as played and the query's frame."""
_NAMES: Final = ("pawns", "knights", "bishops", "rooks", "queens", "kings")
MEN: Final[tuple[tuple[str, men.ManMask], ...]] = (
    ("Any man", square_maps.ALL_MEN),
    ("White men", 0b1111110),
    ("Black men", 0b1111110 << 6),
    *((f"White {name}", 1 << number) for number, name in reversed(tuple(enumerate(_NAMES, 1)))),
    *((f"Black {name}", 1 << number) for number, name in reversed(tuple(enumerate(_NAMES, 7)))),
)
"""The choices of men, with their masks."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A picture as the user chose it. Without an `origin`, the paths begin on the square of
    `square_maps.usual_origin`."""

    kind: Kind
    normalised: bool = False
    wanted: men.ManMask = square_maps.ALL_MEN
    plies: int = 10
    origin: squares.Square | None = None


def make(
    asked: Asked,
    base: base_model.Base,
    result: search_model.SearchResult,
    named: Sequence[transitions.Named],
    token: progress.CancelToken,
) -> Picture:
    """Make a picture of a result. `named` are the results of `compared`. Raises the errors of the functions
    that count."""
    kind, normalised = asked.kind, asked.normalised
    if kind in _MAPS:
        choice = square_maps.Choice(_MAPS[kind], asked.wanted, asked.plies)
        return square_maps.square_map(base, result, choice, normalised=normalised, cancel=token)
    if kind is Kind.WAYS:
        origin = asked.origin
        if origin is None:
            origin = square_maps.usual_origin(
                base, result, wanted=asked.wanted, normalised=normalised, cancel=token
            )
        way = square_maps.WayChoice(origin, asked.wanted, asked.plies)
        return square_maps.ways(base, result, way, normalised=normalised, cancel=token)
    if kind is Kind.LEFT_OVER:
        return left_over.left_over(base, result, cancel=token)
    if kind is Kind.TRANSITIONS:
        return transitions.transitions(named, cancel=token)
    by = histograms.By[kind.name]
    return histograms.histogram(base, result, by, normalised=normalised, cancel=token)


def compared(
    result: search_model.SearchResult, others: Sequence[transitions.Named], *, narrowed: bool = False
) -> tuple[transitions.Named, ...]:
    """The results that are compared: the result shown, and the others. If the result shown is `narrowed`, the
    others are narrowed to its games. Otherwise a game where the query matches could be counted among those
    where it does not."""
    own = [one for one in others if one[1] is not result][-(transitions.MOST - 1) :]
    if narrowed:
        games = search_narrowing.in_games(result)
        own = [(name, search_narrowing.of_games(other, games)) for name, other in own]
    return (("this query", result), *own)


def narrowing(
    picture: Picture,
    rows: Sequence[int],
    base: base_model.Base,
    named: Sequence[transitions.Named],
) -> Narrowing | None:
    """What to narrow a result to, for some rows of a picture's table. None if the rows stand for no hits, or
    if they have all hits, as the games that are left after a filter.
    `named` are the results that a picture of transitions compares."""
    match picture:
        case histograms.Histogram():
            return _by_bars(picture, rows, base)
        case square_maps.SquareMap():
            return _by_squares(picture, rows, base)
        case square_maps.Ways():
            return _by_ways(picture, rows, base)
        case transitions.Transitions():
            return _by_flows(picture, rows, named)
        case left_over.LeftOver():
            return None


def _by_bars(picture: histograms.Histogram, rows: Sequence[int], base: base_model.Base) -> Narrowing | None:
    bars = [picture.shown[row] for row in rows if row < len(picture.shown)]
    if not bars:
        return None
    ranges = [bar.keys for bar in bars]

    def narrow(result: search_model.SearchResult) -> search_model.SearchResult:
        return histograms.having(base, result, picture.by, ranges, normalised=picture.normalised)

    framed = picture.normalised and picture.by in histograms.FRAMED
    words = histograms.words_of(picture.by, bars) + (_IN_FRAME if framed else "")
    return narrow, words, terms.of_bars(picture, bars)


def _by_squares(
    picture: square_maps.SquareMap, rows: Sequence[int], base: base_model.Base
) -> Narrowing | None:
    chosen = [picture.shown[row] for row in rows if row < len(picture.shown)]
    if not chosen:
        return None
    choice, normalised = picture.choice, picture.normalised

    def narrow(result: search_model.SearchResult) -> search_model.SearchResult:
        return square_maps.on_squares(base, result, choice, _set(chosen), normalised=normalised)

    man, where, soon = men_words(choice.wanted).lower(), _listed(chosen), f"within {_plies(choice.plies)}"
    words = {
        square_maps.What.MEN: f"{man} on {where}",
        square_maps.What.ARRIVALS: f"{man} to {where} {soon}",
        square_maps.What.CAPTURES: f"captures on {where} {soon} by {man}",
        square_maps.What.RINGED: f"{where} matched",
    }[choice.what]
    term = terms.of_squares(choice, chosen, framed=normalised)
    return narrow, words + (_IN_FRAME if normalised else ""), term


def _by_ways(picture: square_maps.Ways, rows: Sequence[int], base: base_model.Base) -> Narrowing | None:
    chosen = [picture.shown[row] for row in rows if row < len(picture.shown)]
    if not chosen:
        return None
    choice, normalised = picture.choice, picture.normalised

    def narrow(result: search_model.SearchResult) -> search_model.SearchResult:
        return square_maps.reaching(base, result, choice, _set(chosen), normalised=normalised)

    words = f"{squares.NAMES[choice.origin]} to {_listed(chosen)} within {_plies(choice.plies)}"
    term = terms.of_ways(choice, chosen, framed=normalised)
    return narrow, words + (_IN_FRAME if normalised else ""), term


def _by_flows(
    picture: transitions.Transitions, rows: Sequence[int], named: Sequence[transitions.Named]
) -> Narrowing | None:
    flows = [picture.flows[row] for row in rows if row < len(picture.flows)]
    if not flows:
        return None

    def narrow(result: search_model.SearchResult) -> search_model.SearchResult:
        for flow in flows[:1]:
            games = transitions.along(named, flow.stage, flow.one, flow.other)
        for flow in flows[1:]:
            games = pictures.union(games, transitions.along(named, flow.stage, flow.one, flow.other))
        found = pictures.in_games(result, games)
        if not found.order:
            raise errors.CqlguiError(_HITLESS)
        return found

    flow = flows[0]
    then = "no other" if flow.other == transitions.END else picture.names[flow.other]
    more = f" and {len(flows) - 1} more" if len(flows) > 1 else ""
    return narrow, f"{picture.names[flow.one]}, then {then}{more}", ""


def men_words(mask: men.ManMask) -> str:
    """The choice of men with this mask, in words."""
    return next(words for words, known in MEN if known == mask)


def _set(chosen: Sequence[squares.Square]) -> squares.Bitboard:
    return sum(1 << square for square in chosen)


def _listed(chosen: Sequence[squares.Square]) -> str:
    return pictures.listed((squares.NAMES[square] for square in chosen), most=6)


def summary(picture: Picture) -> str:
    """A picture in one sentence, with its sums."""
    match picture:
        case histograms.Histogram():
            words = f"{_hits(picture.positions)} in {_games(picture.games)}"
            return words + (f" · {picture.unknown.positions:,} unknown" if picture.unknown.positions else "")
        case square_maps.SquareMap():
            return f"{_hits(picture.positions)} in {_games(picture.games)}; a square counts once for a hit"
        case square_maps.Ways():
            origin = squares.NAMES[picture.choice.origin]
            part = pictures.share(picture.begun, picture.positions)
            return (
                f"{men_words(picture.choice.wanted)} on {origin} at {picture.begun:,} of"
                f" {_hits(picture.positions)} ({plurals.percent(part)})"
            )
        case left_over.LeftOver():
            return "Games left before their moves are played; every bar has all hits, so none narrows"
        case transitions.Transitions():
            return (
                f"{_games(picture.games)}, by the order of the first hits of"
                f" {sum(len(queries) == 1 for queries in picture.members)} results; = joins queries that"
                " hit at one position"
            )


def _plies(count: int) -> str:
    return f"{count} pl{'y' if count == 1 else 'ies'}"


def _hits(count: int) -> str:
    return f"{count:,} hit{'' if count == 1 else 's'}"


def _games(count: int) -> str:
    return f"{count:,} game{'' if count == 1 else 's'}"

"""The results of a search: hits by game, and the orbit elements that matched."""

from __future__ import annotations

from cqlgui.base.data import dataclass
from cqlgui.cql.interpreting.runtime import game_log


@dataclass(frozen=True, slots=True)
class OrbitMatch:
    """Element `element` of the outermost orbit `orbit` matched when it was evaluated at `positionid`.
    `squares` is the bitboard of the squares that the element matched, if `positionid` is the hit's own
    position."""

    orbit: int
    element: int
    positionid: int
    squares: int = 0


@dataclass(frozen=True, slots=True)
class Hit:
    """One matching position. `squares` is the bitboard of the squares that the primary element matched. If
    the query has no transforms, `squares` has the squares that the query itself matched. `matches[0]` is the
    primary match."""

    game: int
    positionid: int
    value: str | None
    squares: int
    matches: tuple[OrbitMatch, ...]


@dataclass(frozen=True, slots=True)
class ElementCount:
    """An orbit element with its counts. `lines` are drawn on the board. Each line is a pair of squares: a
    square in the query, and its image. `never` says why the element can match nowhere; it is empty if the
    element may match."""

    text: str
    transform: str
    words: str
    games: int
    positions: int
    squares: int = 0
    lines: tuple[tuple[int, int], ...] = ()
    never: str = ""


@dataclass(frozen=True, slots=True)
class Dropped:
    """A candidate that was dropped from an orbit, with the reason."""

    transform: str
    words: str
    reason: str


@dataclass(frozen=True, slots=True)
class Orbit:
    """One outermost transform of the query with its elements in canonical order."""

    transform: str
    offset: int
    length: int
    elements: tuple[ElementCount, ...]
    invalid: tuple[Dropped, ...] = ()
    duplicates: tuple[Dropped, ...] = ()


@dataclass(frozen=True, slots=True)
class GameHits:
    """All hits of one game, as they arrive from a running search.

    `log` has the comments that the query writes (`game_log`). They include `match_string` at each hit. If
    comments are `unique`, equal comments at a position are written once. `match_string` is empty if matches
    are not marked. `tags` are the tags that the query sets. `removed` are the positions whose comments the
    query removes. If `told` is false, the values and squares are unknown. If `told` is false and `log` is
    empty, the comments are unknown too. `hit_details` fetches unknown details.
    """

    game: int
    hits: tuple[Hit, ...]
    log: tuple[game_log.Entry, ...] = ()
    sort_keys: tuple[int | str | None, ...] = ()
    tags: tuple[tuple[str, str], ...] = ()
    removed: tuple[int, ...] = ()
    match_string: str = ""
    told: bool = True
    unique: bool = True

    @property
    def comments(self) -> tuple[game_log.Note, ...]:
        """The comments in the order of writing: pairs of positionid and text."""
        return game_log.comments(self.log, self.unique)

    @property
    def says(self) -> bool:
        """Whether the query itself writes a comment at a hit."""
        places = {hit.positionid for hit in self.hits}
        return not places.isdisjoint(place for place, _ in game_log.own(self.log, self.unique))

    def comment_at(self, positionid: int) -> str:
        """The text that the query itself writes at a position."""
        own = game_log.own(self.log, self.unique)
        return " ".join([text for place, text in own if place == positionid])


@dataclass(frozen=True, slots=True)
class QueryMessage:
    """A message that a query wrote in a game. The game need not match."""

    game: int
    text: str


@dataclass(frozen=True, slots=True)
class SortKey:
    """One `sort` of the query: its text, and whether large values come first."""

    doc: str
    descending: bool
    quiet: bool


@dataclass(frozen=True, slots=True)
class Persistent:
    """A persistent variable at the end of a search. `value` is a number or a text; a set is given as text.
    `text` is the printed form of the value, with strings in quotes."""

    name: str
    value: int | str
    text: str

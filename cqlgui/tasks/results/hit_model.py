"""The results of a search: hits by game, and the orbit elements that matched."""

from __future__ import annotations

from cqlgui.base.data import dataclass
from cqlgui.base.patterns import pattern

_NUMBER_OF_GAME = pattern(r"Game number [0-9]+")


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

    `comments` are the comments that the query writes: pairs (positionid, text) in the order of writing. The
    comments include `match_string` at each hit. `match_string` is empty if matches are not marked. `tags` are
    the tags that the query sets. `removed` are the positions whose comments the query removes. If `told` is
    false, the values and squares are unknown. If `told` is false and `comments` is empty, the comments are
    unknown too. `hit_details` fetches unknown details.
    """

    game: int
    hits: tuple[Hit, ...]
    comments: tuple[tuple[int, str], ...] = ()
    sort_keys: tuple[int | str | None, ...] = ()
    tags: tuple[tuple[str, str], ...] = ()
    removed: tuple[int, ...] = ()
    match_string: str = ""
    told: bool = True

    @property
    def says(self) -> bool:
        """Whether the query writes anything other than the match string at a hit."""
        places = {hit.positionid for hit in self.hits}
        own = {place for place, text in self.comments if place and text != self.match_string}
        return not places.isdisjoint(own) or (0 in places and bool(self.comment_at(0)))

    def comment_at(self, positionid: int) -> str:
        """The text that the query writes at a position, without the match string and the game's number."""
        texts = [text for place, text in self.comments if place == positionid and text != self.match_string]
        if positionid == 0 and texts and _NUMBER_OF_GAME.fullmatch(texts[0]):
            del texts[0]
        return " ".join(texts)


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

"""Frozen data that tasks give to the window and the command line."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import TYPE_CHECKING

from cqlgui.base.data import dataclass, field
from cqlgui.base.patterns import pattern
from cqlgui.board import tree
from cqlgui.cql.interpreting.runtime import settings

if TYPE_CHECKING:
    from cqlgui.tasks.results.found import Found, Integers

_NUMBER_OF_GAME = pattern(r"Game number [0-9]+")


@dataclass(frozen=True, slots=True)
class BadGame:
    """A game that could not be read whole; it keeps its ordinal."""

    game: int
    source: Path
    offset: int
    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Source:
    """One PGN file of a base. `first` is the base ordinal (from 1) of its first game; `digest` stands for the
    text that was indexed (`store.index.Identity`; empty: any).
    """

    path: Path
    first: int
    games: int
    id: int = 0
    positions: int = 0
    complete: bool = True
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Base:
    """An ordered list of sources, opened; ordinals run on over them from 1. `id` is the catalog's."""

    id: int
    name: str
    sources: tuple[Source, ...]
    games: int
    positions: int
    complete: bool


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did; `reused` counts the games that were indexed before, `messages` are sentences for
    the user. `unreadable` are the sources that were left out, `damaged` those of which only a part is open;
    there is a message for each.
    """

    base: Base
    games: int
    positions: int
    reused: int
    bad_games: tuple[BadGame, ...]
    seconds: float
    cancelled: bool = False
    messages: tuple[str, ...] = ()
    unreadable: tuple[Path, ...] = ()
    damaged: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class BaseInfo:
    """What is in a base: counts, the span of its dates, its index's size on disk in bytes."""

    base: Base
    players: int
    events: int
    first_date: str
    last_date: str
    results: dict[str, int] = field(repr=False)
    bad_games: int
    index_bytes: int


@dataclass(frozen=True, slots=True)
class GameRow:
    """Headers of one game, for tables. Unknown numbers are None, unknown texts empty."""

    game: int
    white: str
    black: str
    white_elo: int | None
    black_elo: int | None
    result: str
    date: str
    event: str
    site: str
    round: str
    eco: str
    plies: int
    bad: bool


@dataclass(frozen=True, slots=True)
class LoadedGame:
    """A game for the board: tree, texts and glyphs by positionid. `raw` is its own text as it stands in the
    source.
    """

    game: int
    row: GameRow
    tags: tuple[tuple[str, str], ...]
    tree: tree.GameTree
    comments: dict[int, str]
    before: dict[int, str]
    nags: dict[int, tuple[int, ...]]
    problems: tuple[BadGame, ...]
    raw: bytes
    playable: bool
    note: str = ""


@dataclass(frozen=True, slots=True)
class OrbitMatch:
    """Element `element` of outermost orbit `orbit` matched where it was evaluated, at `positionid`;
    `squares` is the bitboard of what it matched, if that was at the hit's own position.
    """

    orbit: int
    element: int
    positionid: int
    squares: int = 0


@dataclass(frozen=True, slots=True)
class Hit:
    """One matching position. `squares` is the bitboard the matching element (or the query) names;
    `matches[0]` is the primary.
    """

    game: int
    positionid: int
    value: str | None
    squares: int
    matches: tuple[OrbitMatch, ...]


@dataclass(frozen=True, slots=True)
class ElementCount:
    """An orbit element with how much it matched. `lines` are (square in the query, its image) pairs for the
    board; `never` says why it can match nowhere, and is empty where it may.
    """

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
    """A candidate of an orbit that fell away, and why."""

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

    `comments` are what the query writes, (positionid, text) in the order made, `match_string` among them at
    each hit (empty where matches are not to be marked); `tags` is what it sets, and `removed` the positions
    of which it leaves out the comment of the file. Where it is not `told`, nothing is known yet of values,
    squares and, unless there are some, comments: `telling` asks for them.
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
        """Whether the query writes anything at a hit but the match string."""
        places = {hit.positionid for hit in self.hits}
        own = {place for place, text in self.comments if place and text != self.match_string}
        return not places.isdisjoint(own) or (0 in places and bool(self.comment_at(0)))

    def comment_at(self, positionid: int) -> str:
        """What the query writes at a position beside the match string and the game's number."""
        texts = [text for place, text in self.comments if place == positionid and text != self.match_string]
        if positionid == 0 and texts and _NUMBER_OF_GAME.fullmatch(texts[0]):
            del texts[0]
        return " ".join(texts)


@dataclass(frozen=True, slots=True)
class Message:
    """What a query said in a game, which need not match."""

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
    """A persistent variable at the end of a search. `value` is a number or a text (sets as text); `text`
    is how
    it is printed, strings in quotes.
    """

    name: str
    value: int | str
    text: str


class Details(enum.Enum):
    """What a search is to tell of its hits beside the orbit elements: nothing, what the query writes, or also
    values and squares."""

    NONE = enum.auto()
    COMMENTS = enum.auto()
    ALL = enum.auto()


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How to search; the query's own header still holds."""

    variations: bool = False
    limit: int | None = None
    workers: int | None = None
    settings: settings.Settings = settings.USUAL
    allow_read: tuple[Path, ...] = ()
    """Folders whose text and PGN files the query may read, and below those it may write to (D11)."""
    allow_write: tuple[Path, ...] = ()
    beside: Path | None = None
    """The folder in which the relative name of a file begins, the query's own; None for all that are allowed,
    in turn."""
    kept: tuple[tuple[Path, str], ...] = ()
    """Files beside the sources that neither the query nor an export writes over, each with what it is, such
    as "is the query" (`tasks.keeping`)."""
    compiled: bool = True
    """Whether machine code may pass over games; without, all of them are interpreted."""
    pruned: bool = True
    """Whether games may be passed over by their headers and signatures; only where `compiled`."""
    details: Details = Details.ALL
    """What is wanted of all hits at once; the rest may be left to `telling`."""
    within: Integers | None = field(default=None, compare=False)
    """Search only these games: ordinals, ascending."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Why a search ended before its last game, at `game` (ordinal in the base). What was found in earlier
    games holds. `offset` and `length` are the place of the fault in the query, -1 and 0 where it has none."""

    game: int
    reason: str
    offset: int = -1
    length: int = 0


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The outcome of a search: matching games in output order (`order`), and keyed by ordinal (`games`)."""

    query: str
    order: tuple[int, ...]
    games: Found = field(repr=False)
    orbits: tuple[Orbit, ...]
    sort_keys: tuple[SortKey, ...]
    seconds: float
    games_searched: int
    """Games that were gone through, those in `failed_games` among them."""
    positions_searched: int
    """Where the search stopped early, those of further games may be among them that workers were at."""
    bad_games: int
    engine: str
    reason: str
    cancelled: bool
    failed_games: tuple[BadGame, ...] = ()
    stopped: Stop | None = None
    """Set where a fault of the query ended the search."""
    variations: bool = False
    messages: tuple[Message, ...] = field(default=(), repr=False)
    """What the query said, in game order; `messages_dropped` more were not kept."""
    messages_dropped: int = 0
    persistent: tuple[Persistent, ...] = ()
    """The persistent variables that are not quiet, in the order of the query."""
    options: SearchOptions = field(default_factory=SearchOptions, repr=False, compare=False)
    """How it was searched."""

    @property
    def positions(self) -> int:
        """Number of matching positions."""
        return len(self.games.columns)

    @property
    def hopeless(self) -> bool:
        """Whether the query is at fault: the search stopped, or every game failed."""
        return self.stopped is not None or 0 < self.games_searched == len(self.failed_games)


@dataclass(frozen=True, slots=True)
class ExportReport:
    """What was written: `games` of them, or `hits` lines where the format lists positions.

    Where the query's frame was asked for, `as_played` games stand in a PGN as they were played, since their
    image is no legal game.
    """

    path: Path
    games: int
    hits: int
    as_played: int = 0


@dataclass(frozen=True, slots=True)
class Truth:
    """A sub-filter at one position: its stretch of the query (code points) and how it fared, with its own
    parts.

    `matched` is None when it cannot be told (a loop variable outside its loop), `value` is the value as text,
    `squares` the bitboard it names or matched. `positionid` is where it was evaluated (under `find`
    elsewhere). `transform` and `words` name the element of an orbit, `orbit` is the index of an outermost
    orbit, else -1; `elements` lists which parts of an orbit matched, by their place among `parts`. `binding`
    is the name and the square of the element that decides a loop, None where none does; `way` has the moves
    that a path matched, or how far it came. `place` is the position in words, `rounds` how often the
    body of a `loop` or `while` held or ran.
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
    """The first filter of a query that fails at a position; `part` is None where the query matches.

    `words` and `transform` name the element of an orbit in which it stands. `nearest` is the positionid,
    nearest in the game, at which that filter holds, `whole` the one at which the whole query matches; None
    for nowhere. `fault` is why that could not be told of some positions, empty where it could.
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
    that a single one gives.

    `matched` is None when it cannot be told; `value` is empty where a tick says all; `parts` are those
    filters, asked about `positionid`; `elements` says for each which element of an orbit it is told of, in
    words, empty for the filter as written; there are none where all are told as written.
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
    """What a search does before the next step, in words; `games` are left behind it on a given base.

    `means` is `header` (conditions of the query's header), `catalog` (filters about the game alone),
    `signature` (filters that what is kept of a game's positions can exclude), `together` (both, asked about
    the whole query, which may exclude what no filter does alone), `compiled`, or `interpreted`.
    """

    means: str
    text: str
    games: int | None = None


@dataclass(frozen=True, slots=True)
class Stages:
    """A query as CQL after checking, and after its transforms were replaced by their orbits; and how it will
    be run: the engine, with the reason where it is interpreted, and step by step.
    """

    checked: str
    expanded: str
    engine: str
    reason: str
    plan: tuple[PlanStep, ...]


@dataclass(frozen=True, slots=True)
class QueryEntry:
    """A shipped or saved query: its file, its front matter and its whole text.

    `fen` is the diagram's position, empty without one; `group` names the folders around the file, outermost
    first.
    """

    path: Path
    title: str
    description: str
    tags: tuple[str, ...]
    text: str
    fen: str = ""
    group: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """A query asked before; counts are None when the search was stopped, `asked` is seconds since 1970."""

    text: str
    base: str
    games: int | None
    positions: int | None
    seconds: float | None
    asked: float

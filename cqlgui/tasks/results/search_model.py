"""The options and the result of a search."""

from __future__ import annotations

import enum
import os
from pathlib import Path
from typing import Final

from cqlgui.base.data import dataclass, field
from cqlgui.cql.interpreting.runtime import settings
from cqlgui.tasks.results.base_model import BadGame
from cqlgui.tasks.results.found import FoundGames, Integers
from cqlgui.tasks.results.hit_model import Orbit, Persistent, QueryMessage, SortKey

MOST_WORKERS: Final = 4 * (os.cpu_count() or 1)
"""The largest number of threads of a search that a user may ask for. More would only slow each other down."""


class Details(enum.Enum):
    """Which details of hits a search must return. `HITS` means only the positions that match; the result then
    knows no orbit elements and counts none. `NONE` means the orbit elements without any other detail.
    `COMMENTS` adds the texts that the query writes, and `ALL` adds values and squares."""

    HITS = enum.auto()
    NONE = enum.auto()
    COMMENTS = enum.auto()
    ALL = enum.auto()


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How to search. The conditions in the query's own header apply too."""

    variations: bool = False
    limit: int | None = None
    workers: int | None = None
    settings: settings.Settings = settings.USUAL
    allow_read: tuple[Path, ...] = ()
    """Folders whose text and PGN files the query may read. `allow_write` has the folders where the query may
    write files (D11)."""
    allow_write: tuple[Path, ...] = ()
    beside: Path | None = None
    """Relative file names in the query start at this folder, usually the folder of the query. If `beside` is
    None, each allowed folder is tried in turn."""
    kept: tuple[tuple[Path, str], ...] = ()
    """Files that the query and an export must not overwrite, besides the sources. Each file has a phrase for
    messages, such as "is the query" (`search.keeping`)."""
    compiled: bool = True
    """Whether machine code may exclude games. If `compiled` is false, all games are interpreted."""
    pruned: bool = True
    """Whether games may be excluded by their headers and signatures; ignored if `compiled` is false."""
    details: Details = Details.ALL
    """Which details of all hits the search must return. `hit_details` can fetch other details later."""
    within: Integers | None = field(default=None, compare=False)
    """Ordinals of the games to search, ascending; None for all games."""
    left_out: tuple[str, ...] = field(default=(), compare=False)
    """What the caller left out because it cannot be read, a sentence for each."""


@dataclass(frozen=True, slots=True)
class Stop:
    """The reason why a search ended before its last game. `game` is the base ordinal of the game where the
    search ended. The hits of earlier games are valid. `offset` and `length` are the place of the error in the
    query. They are -1 and 0 if the error has no place."""

    game: int
    reason: str
    offset: int = -1
    length: int = 0


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The result of a search: the matching games in output order (`order`), and by ordinal (`games`)."""

    query: str
    order: tuple[int, ...]
    games: FoundGames = field(repr=False)
    orbits: tuple[Orbit, ...] = ()
    sort_keys: tuple[SortKey, ...] = ()
    seconds: float = 0.0
    games_searched: int = 0
    """Number of games that were searched, including the games in `failed_games`. If the search stopped at a
    game, later games are not counted, and this game is counted only if it is in `failed_games`."""
    positions_searched: int = 0
    """Positions that were searched. If the search stopped early, positions of later games may be included,
    because workers had already searched these positions."""
    engine: str = ""
    reason: str = ""
    cancelled: bool = False
    failed_games: tuple[BadGame, ...] = ()
    stopped: Stop | None = None
    """Set if an error of the query ended the search."""
    variations: bool = False
    messages: tuple[QueryMessage, ...] = field(default=(), repr=False)
    """The messages of the query, in game order. `messages_dropped` is the number of messages that were not
    kept."""
    messages_dropped: int = 0
    persistent: tuple[Persistent, ...] = ()
    """The persistent variables that are not quiet, in the order of the query."""
    options: SearchOptions = field(default_factory=SearchOptions, repr=False, compare=False)
    """The options of the search."""
    parts: tuple[SearchResult, ...] = field(default=(), repr=False, compare=False)
    """The results that this result was made from, if only these results lead to the details of the hits
    (`hit_details`)."""

    left_out: tuple[str, ...] = ()
    """What could not be read and was left out, a sentence for each."""
    notices: tuple[str, ...] = ()
    """What the user should know about the way the games were searched, a sentence for each."""
    also: tuple[str, ...] = ()
    """The other queries, if the result is a union of several queries' results."""

    @property
    def asked(self) -> str:
        """All that was asked, as a text for people."""
        return "\n\nor\n\n".join((self.query, *self.also))

    @property
    def positions(self) -> int:
        """Number of matching positions."""
        return len(self.games.columns)

    @property
    def hopeless(self) -> bool:
        """Whether the query failed: the search stopped, or every game failed."""
        return self.stopped is not None or 0 < self.games_searched == len(self.failed_games)


@dataclass(frozen=True, slots=True)
class HitFolder:
    """Where those who search write the rows of the hits. `place` is a folder, or an address. `search` names
    the search. `rows` is the value of a `hit_table.Rows`. With `normalise`, rows are written in the query's
    own frame."""

    place: str
    search: str
    rows: str
    normalise: bool


@dataclass(frozen=True, slots=True)
class HitFile:
    """A file of a `HitFolder`, with the rows of the hits in the games of one task. `name` is empty if the
    search stopped at one of these games: no file was written then. `size` is in bytes. `games` and `hits`
    count what matches. `failed` are the games that could not be searched."""

    name: str
    games: int
    hits: int
    size: int
    failed: tuple[BadGame, ...] = ()
    messages: tuple[QueryMessage, ...] = ()
    stopped: Stop | None = None


@dataclass(frozen=True, slots=True)
class HitsReport:
    """The outcome of a search that wrote its hits into a folder. `games` and `hits` count what is in the
    `files`, and `size` is the number of their bytes. If `at_least` is true, files may have come since.
    `games_matched` and `positions_matched` count what matches in the games that were searched from the first
    one on without a gap. The other fields are those of `SearchResult`."""

    place: str
    games: int
    hits: int
    files: tuple[str, ...]
    size: int
    games_matched: int
    positions_matched: int
    games_searched: int
    positions_searched: int
    seconds: float
    engine: str
    reason: str
    failed_games: tuple[BadGame, ...] = ()
    stopped: Stop | None = None
    cancelled: bool = False
    left_out: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    at_least: bool = False

    @property
    def hopeless(self) -> bool:
        """Whether the query failed: the search stopped, or every game failed."""
        return self.stopped is not None or 0 < self.games_searched == len(self.failed_games)

    @property
    def complete(self) -> bool:
        """Whether the folder has the rows of all games that could be searched."""
        return not self.cancelled and not self.hopeless


@dataclass(frozen=True, slots=True)
class ExportReport:
    """The result of an export: the numbers of `games` and `hits` that were written.

    For a PGN in the query's frame, `as_played` is the number of games that were written as they were played.
    In the query's frame, these games are not legal. `files` has all files that were written; `path` is the
    first of them. `rows` is the value of the `hit_table.Rows` that the file has; empty for a PGN.
    """

    path: Path
    games: int
    hits: int
    as_played: int = 0
    files: tuple[Path, ...] = ()
    rows: str = ""
